//! Checks that are run from their source: those of a project's own prime-rl that no known prime-rl has.

use std::{fmt, sync::Arc};

use crate::{Node, OwnCheck};

/// The checks of a project's own prime-rl whose code differs from that of the known point.
#[derive(Clone, Debug)]
pub struct OwnChecks {
    /// The checks.
    pub changed: Arc<[OwnCheck]>,
    /// Their code.
    pub code: Arc<dyn CheckCode>,
    /// The parts that its declarations leave open, ordered by node number.
    pub open: Arc<[OpenPart]>,
    /// What is not understood in its sources, and therefore left open.
    pub unknown: Arc<[NotUnderstood]>,
    /// Whether no source of it was read: the point is combined with other packages than it used itself.
    pub is_recorded: bool,
}

/// Something in the sources of a project's own prime-rl that is not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotUnderstood {
    /// Where it is: `src/prime_rl/configs/rl.py:412`.
    pub place: String,
    /// What the source contains.
    pub why: String,
}

impl fmt::Display for NotUnderstood {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.place, self.why)
    }
}

/// A field of a project's own prime-rl that accepts any value, or a table that accepts further keys, because its declaration is not understood.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OpenPart {
    /// The number of its node.
    pub node: u32,
    /// The reason, with its place.
    pub why: String,
    /// Whether the reason is that the source of a package is not available.
    pub is_absent: bool,
}

impl OwnChecks {
    /// The open part of a field or a table; `None` if it has none.
    pub fn open_at(&self, node: Node) -> Option<&OpenPart> {
        self.open.binary_search_by_key(&node.id(), |part| part.node).ok().map(|at| &self.open[at])
    }
}

impl PartialEq for OwnChecks {
    fn eq(&self, other: &Self) -> bool {
        (&self.changed, &self.open) == (&other.changed, &other.open)
    }
}

impl Eq for OwnChecks {}

impl std::hash::Hash for OwnChecks {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.changed.hash(state);
    }
}

/// The code of checks.
pub trait CheckCode: fmt::Debug + Send + Sync {
    /// The `before` or `after` validator with this name in the class of a table, if it differs from the known one.
    fn check(&self, class: Node, name: &str) -> Option<&OwnCheck>;

    /// Whether the class of a table has a validator with this name, in any mode, that differs from the known point; `None` if the class is not known.
    fn has_changed(&self, class: Node, name: &str) -> Option<bool>;

    /// Runs it on a table of that class.
    fn run(&self, class: Node, name: &str, table: &mut dyn CheckedTable) -> Ruling;

    /// The checks of single fields in the class of a table that are run from their source; those of one field in the order in which they run.
    fn of_fields(&self, class: Node) -> &[FieldCheck];

    /// Runs the check with this number on a table that contains the field: as a raw value under its name for a check that runs before the type,
    /// otherwise as a field of its class. The fields before it are there too, if the check reads them.
    fn run_of_field(&self, class: Node, number: usize, table: &mut dyn CheckedTable) -> Ruling;
}

/// A check of a single field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldCheck {
    /// The check.
    pub own: OwnCheck,
    /// The field.
    pub field: Arc<str>,
    /// Whether it reads the raw value, before the type does.
    pub is_before: bool,
    /// Whether it also checks the default of a field that is not given.
    pub looks_at_default: bool,
    /// Whether pydantic also passes it the values of the fields before its own.
    pub reads_others: bool,
}

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ruling {
    /// It accepts the table.
    Accepts,
    /// It refuses the table.
    Refuses(Raised),
    /// The result can't be determined: a value that it reads is not known.
    Open(Open),
}

/// The exception that a check raises.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raised {
    /// The name of the exception: `ValueError`.
    pub exception: String,
    /// Its message, in prime-rl's words.
    pub message: String,
    /// The values that led to it, as paths from the table; those read last come first.
    pub reads: Vec<Vec<Step>>,
    /// Where it is raised: `src/prime_rl/configs/rl.py:412`.
    pub place: String,
    /// The type of the error and its key, if a field of a table that the check creates refuses its value.
    pub of_field: Option<(String, String)>,
}

/// Why the result of a check is unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Open {
    /// The unknown part: ``a call of `requests.get` ``.
    pub why: String,
    /// Its place.
    pub place: String,
    /// The kind of reason.
    pub reason: Reason,
}

/// The reasons why a check has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A value has a fault of its own, which is reported, or depends on something unknown.
    Fault,
    /// It depends on the machine: its files, its packages, the time.
    Machine,
    /// The code does something that is not modelled.
    Code,
    /// It replaces its table by another one, which is not known.
    Replaced,
}

/// A step of the path from the table of a check to a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// A field of a table.
    Field(Arc<str>),
    /// An item of a list, counted from 0.
    Item(usize),
    /// An entry of a map.
    Key(Arc<str>),
}

impl Step {
    /// A path as it is written: `train.env[0].id`.
    pub fn dotted(steps: &[Self]) -> String {
        let mut path = String::new();
        for step in steps {
            match step {
                Self::Field(name) | Self::Key(name) => {
                    if !path.is_empty() {
                        path.push('.');
                    }
                    path.push_str(name);
                }
                Self::Item(index) => path.push_str(&format!("[{index}]")),
            }
        }
        path
    }
}

/// A value, as a check sees it.
#[derive(Clone, Debug, PartialEq)]
pub enum Seen {
    /// The table has no such field.
    Missing,
    /// It has a fault, or depends on something unknown.
    Faulty,
    /// It has a kind that checks do not support: a date, a number of more than 64 bits.
    Strange(&'static str),
    /// Null.
    Null,
    /// A boolean.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A double.
    Float(f64),
    /// A string.
    Str(Arc<str>),
    /// A path.
    Path(Arc<str>),
    /// A list with this number of items.
    List(usize),
    /// A map with these keys.
    Map(Vec<Arc<str>>),
    /// A table of this class.
    Table(Node),
}

/// A value that a check assigns.
#[derive(Clone, Debug, PartialEq)]
pub enum Assigned {
    /// It is not known.
    Unknown,
    /// Null.
    Null,
    /// A boolean.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A double.
    Float(f64),
    /// A string or a path.
    Str(Arc<str>),
    /// A list.
    List(Vec<Assigned>),
    /// A map.
    Map(Vec<(Arc<str>, Assigned)>),
    /// The value at another place.
    Copy(Vec<Step>),
    /// A new table of a class with the values that it is given.
    Table(Node, Vec<(Arc<str>, Assigned)>),
}

/// The table that a check runs on: a table with known fields, or for a `before` validator the raw table, which is a map. Paths begin in it; the
/// empty path is the table itself. Raw values have no classes; the methods that answer for them by default say so.
pub trait CheckedTable {
    /// The value at a path.
    fn get(&self, path: &[Step]) -> Seen;

    /// The fields of the table at a path that were given or assigned by a check.
    fn given(&self, _path: &[Step]) -> Vec<&'static str> {
        Vec::new()
    }

    /// The unknown keys that the table at a path keeps; `None` if it keeps none.
    fn extras(&self, _path: &[Step]) -> Option<Vec<(Arc<str>, Assigned)>> {
        None
    }

    /// Whether a value in a package without available source contains a key: `renderers.base.MODEL_RENDERER_MAP`; `None` if that is not known.
    fn holds(&self, _name: &str, _key: &str) -> Option<bool> {
        None
    }

    /// Whether the table at a path has a class of a package without available source: `renderers.configs.AutoRendererConfig`; `None` if that
    /// is not known.
    fn is_of(&self, _path: &[Step], _class: &str) -> Option<bool> {
        None
    }

    /// The declared class of the table at a path whose own class is one of the verifiers package, which adds only fields to it.
    fn base_class(&self, _path: &[Step]) -> Option<Node> {
        None
    }

    /// The possible classes of the table at a path.
    fn classes(&self, _path: &[Step]) -> Vec<Node> {
        Vec::new()
    }

    /// Whether a field of a table of this class accepts a value unchanged, or the type of pydantic's error; `None` if that is not known.
    fn accepts(&self, _class: Node, _field: &str, _value: &Assigned) -> Option<Result<(), String>> {
        None
    }

    /// Looks up the class of the raw value at a path, which a package provides, by its `id`. `None` if the running check does not do that at this
    /// path; an error is the exception with its message.
    fn look_up(&mut self, _path: &[Step]) -> Option<Result<(), (String, String)>> {
        None
    }

    /// Assigns a value without a check, as `self.a.b = value` does. `made_of` is the place of the value that it is computed from.
    fn assign(&mut self, path: &[Step], value: Assigned, made_of: Option<&[Step]>);

    /// Removes an entry from a map.
    fn remove(&mut self, path: &[Step]);
}
