//! Classes of packages, which prime-rl looks up by an `id` while it reads a config.

use std::{fmt, sync::Arc};

use crate::{ExtraType, Node, Point};

/// What a class of a package is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// It provides the tasks.
    Taskset,
    /// It runs an agent.
    Harness,
    /// It grades an answer.
    Judge,
    /// It combines the others.
    Environment,
}

impl Role {
    /// The role of the classes that a field of this name takes; `None` if it takes no classes of packages.
    pub fn of(field: &str) -> Option<Self> {
        match field {
            "taskset" => Some(Self::Taskset),
            "harness" => Some(Self::Harness),
            "judges" => Some(Self::Judge),
            "env" => Some(Self::Environment),
            _ => None,
        }
    }

    /// The name in words, for messages.
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
    /// The place of its definition: `environments/my_tasks/config.py:12`; empty for prime-rl's own class.
    pub place: String,
    /// Its fields, in a history of its own; they apply to all points.
    pub node: Node,
    /// The validators that are not from prime-rl or verifiers. It is unknown what they refuse.
    pub checks: Arc<[OwnCheck]>,
}

/// A validator of a package, or of the project's own prime-rl.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OwnCheck {
    /// Its name.
    pub name: String,
    /// The place of its definition: `environments/my_tasks/config.py:12`.
    pub place: String,
    /// The fields that it reads; `None` if that is unknown.
    pub reads: Option<Vec<String>>,
}

/// The arguments of an environment: the parameters of the function in its package that creates it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnvironmentArgs {
    /// The arguments, in the order of the function's parameters.
    pub args: Vec<EnvironmentArg>,
    /// What happens to other arguments.
    pub others: OtherArgs,
    /// The place of the function's definition: `environments/my_env/my_env.py:12`.
    pub place: String,
}

/// An argument of an environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnvironmentArg {
    /// Its name.
    pub name: String,
    /// Its type, from its annotation.
    pub ty: ExtraType,
    /// Whether the environment can't be created without it.
    pub is_required: bool,
    /// The default as text, if it is a plain value: `bench`, `30.0`.
    pub default: Option<String>,
}

/// What happens to an argument that an environment does not define.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherArgs {
    /// The environment can't be created with such an argument.
    Refused,
    /// The argument is ignored.
    Dropped,
    /// The argument may be passed on.
    PassedOn,
}

/// Why the class of a package is unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unread {
    /// The source of the package is not available.
    Absent,
    /// The source is available, but a part of the class is not understood: the place and the reason.
    Unclear(String),
}

/// The packages whose sources are available around a config.
pub trait Packages: fmt::Debug + Send + Sync {
    /// The class named by `id`. `declared` is prime-rl's field that the class replaces, at the point `point`: inherited fields
    /// come from there if the source of verifiers is not available.
    ///
    /// # Errors
    /// The reason why the class is unknown.
    fn class(&self, role: Role, id: &str, declared: Node, point: Point) -> Result<PackageClass, Unread>;

    /// The class of the environment that a taskset provides; `None` if it provides none.
    ///
    /// # Errors
    /// The reason why the class is unknown.
    fn environment_of(&self, taskset: &str, declared: Node, point: Point) -> Result<Option<PackageClass>, Unread>;

    /// The arguments of the environment `id`, if a function creates it.
    ///
    /// # Errors
    /// The reason why they are unknown.
    fn arguments(&self, id: &str) -> Result<Arc<EnvironmentArgs>, Unread>;

    /// The version of a package in the lock file of the project, such as `0.26.0`; `None` if it locks none, or names no version.
    fn locked(&self, package: &str) -> Option<String> {
        let _ = package;
        None
    }
}
