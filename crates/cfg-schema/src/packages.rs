//! Classes that packages bring: prime-rl looks them up by an `id` while it reads a config.

use std::{fmt, sync::Arc};

use crate::{ExtraType, Node, Point};

/// What such a class is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Where the tasks come from.
    Taskset,
    /// What runs an agent.
    Harness,
    /// What grades an answer.
    Judge,
    /// What brings all of them together.
    Environment,
}

impl Role {
    /// The role of the classes in a field of this name.
    pub fn of(field: &str) -> Option<Self> {
        match field {
            "taskset" => Some(Self::Taskset),
            "harness" => Some(Self::Harness),
            "judges" => Some(Self::Judge),
            "env" => Some(Self::Environment),
            _ => None,
        }
    }

    /// In words.
    pub const fn in_words(self) -> &'static str {
        match self {
            Self::Taskset => "taskset",
            Self::Harness => "harness",
            Self::Judge => "judge",
            Self::Environment => "environment",
        }
    }
}

/// A class of a package, read from its source.
#[derive(Clone, Debug)]
pub struct PackageClass {
    /// Its name.
    pub name: String,
    /// Where it is defined: `environments/my_tasks/config.py:12`; empty where prime-rl's own class is taken.
    pub place: String,
    /// Its fields, which hold at every point of a history of their own.
    pub node: Node,
    /// The validators that prime-rl and verifiers do not bring: what they refuse is not known.
    pub checks: Arc<[OwnCheck]>,
}

/// A validator of a package, or of the project's own prime-rl.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OwnCheck {
    /// Its name.
    pub name: String,
    /// Where it is defined: `environments/my_tasks/config.py:12`.
    pub place: String,
    /// The fields that it reads; `None` where that is unknown.
    pub reads: Option<Vec<String>>,
}

/// What an environment takes: the parameters of the function of its package that makes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnvironmentArgs {
    /// Its arguments, in the order of the function.
    pub args: Vec<EnvironmentArg>,
    /// What becomes of others.
    pub others: OtherArgs,
    /// Where the function is defined: `environments/my_env/my_env.py:12`.
    pub place: String,
}

/// An argument of an environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnvironmentArg {
    /// Its name.
    pub name: String,
    /// Its type, as it is annotated.
    pub ty: ExtraType,
    /// Whether the environment can't be made without it.
    pub is_required: bool,
    /// The value where none is given, as text, where it is a plain one: `bench`, `30.0`.
    pub default: Option<String>,
}

/// What becomes of an argument that an environment does not name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherArgs {
    /// The environment can't be made with it.
    Refused,
    /// Nothing looks at it.
    Dropped,
    /// It may be handed on.
    PassedOn,
}

/// Why the class of a package is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unread {
    /// The source of the package is not available.
    Absent,
    /// The source is available, but not all of the class is understood: where and why.
    Unclear(String),
}

/// The packages whose sources are available around a config.
pub trait Packages: fmt::Debug + Send + Sync {
    /// The class that is looked up by `id`. `declared` is the field of prime-rl in whose place the class is taken, at the point `point`: what it
    /// inherits is taken from there where the source of verifiers is not available.
    ///
    /// # Errors
    /// Why it is not known.
    fn class(&self, role: Role, id: &str, declared: Node, point: Point) -> Result<PackageClass, Unread>;

    /// The class of the environment that a taskset brings with it; `None` if it brings none.
    ///
    /// # Errors
    /// Why it is not known.
    fn environment_of(&self, taskset: &str, declared: Node, point: Point) -> Result<Option<PackageClass>, Unread>;

    /// What the environment `id` takes, of those that are made by a function.
    ///
    /// # Errors
    /// Why it is not known.
    fn arguments(&self, id: &str) -> Result<Arc<EnvironmentArgs>, Unread>;
}
