//! Checks that are run from their Python source: those of a project's own prime-rl that no point of the history has.

use std::{fmt, sync::Arc};

use crate::{Node, OwnCheck};

/// The checks of a project's own prime-rl whose code differs from the code at the base point.
#[derive(Clone, Debug)]
pub struct OwnChecks {
    /// The checks.
    pub changed: Arc<[OwnCheck]>,
    /// Their code.
    pub code: Arc<dyn CheckCode>,
    /// The parts of its schema that are unknown, ordered by node number.
    pub open: Arc<[OpenPart]>,
    /// The places in its sources that are not understood, and whose effect is therefore unknown.
    pub unknown: Arc<[NotUnderstood]>,
    /// Whether no source was read, because the point is combined with other packages than it used itself.
    pub is_recorded: bool,
}

/// Something in the sources of a project's own prime-rl that is not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotUnderstood {
    /// Its place: `src/prime_rl/configs/rl.py:412`.
    pub place: String,
    /// A description of what the source contains there.
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
    /// The unknown part of a field or a table; `None` if all of it is known.
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

    /// Whether the class of a table has a validator with this name, in any mode, that differs from the one at the base point; `None` if the class is
    /// unknown.
    fn has_changed(&self, class: Node, name: &str) -> Option<bool>;

    /// Runs the validator with this name on a table of that class.
    fn run(&self, class: Node, name: &str, table: &mut dyn CheckedTable) -> Ruling;

    /// The checks of single fields in the class of a table that are run from their source. The checks of one field are in the order in which they
    /// run.
    fn of_fields(&self, class: Node) -> &[FieldCheck];

    /// The fields of a table's class whose plain defaults are compared with their types if the fields are not given, in the order of the class.
    fn compared_defaults(&self, class: Node) -> &[Arc<str>];

    /// Runs the field check with this number. `table` contains the field: for a check that runs before the type as a raw value under its name,
    /// otherwise as a field of its class. If the check reads the fields before it, `table` contains them too.
    fn run_of_field(&self, class: Node, number: usize, table: &mut dyn CheckedTable) -> Ruling;
}

/// A check of a single field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldCheck {
    /// The check.
    pub own: OwnCheck,
    /// The field.
    pub field: Arc<str>,
    /// Whether it runs on the raw value, before the type is checked.
    pub is_before: bool,
    /// Whether it also runs on the default of a field that is not given.
    pub looks_at_default: bool,
    /// Whether pydantic passes it the values of the previous fields as well.
    pub reads_others: bool,
}

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ruling {
    /// It accepts the table.
    Accepts,
    /// It refuses the table.
    Refuses(Raised),
    /// The result is unknown, because the check reads an unknown value or does something that is not modelled.
    Open(Open),
}

/// The exception that a check raises.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raised {
    /// The name of the exception: `ValueError`.
    pub exception: String,
    /// The message of the exception, in prime-rl's words.
    pub message: String,
    /// The paths of the values that led to it, relative to the table; the values read last come first.
    pub reads: Vec<Vec<ValueSegment>>,
    /// Where it is raised: `src/prime_rl/configs/rl.py:412`.
    pub place: String,
    /// If a field of a table that the check creates refuses its value: the type of the error, and the key of the field.
    pub of_field: Option<(String, String)>,
}

/// Why the result of a check is unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Open {
    /// The part that is unknown: ``a call of `requests.get` ``.
    pub why: String,
    /// Its place.
    pub place: String,
    /// The kind of reason.
    pub reason: Reason,
}

/// The kinds of reasons why the result of a check is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A value has an error of its own, which is reported, or depends on something unknown.
    Fault,
    /// The result depends on the machine: its files, its packages, the time.
    Machine,
    /// The code does something that is not modelled.
    Code,
    /// The check replaces its table by an unknown one.
    Replaced,
}

/// A step of the path from the table of a check to a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ValueSegment {
    /// A field of a table.
    Field(Arc<str>),
    /// An item of a list, counted from 0.
    Item(usize),
    /// An entry of a map.
    Key(Arc<str>),
}

impl ValueSegment {
    /// A path in dotted notation: `train.env[0].id`.
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
    /// The value has an error, or depends on something unknown.
    Faulty,
    /// A value of a kind that checks do not support: a date, or an integer of more than 64 bits.
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
    /// An unknown value.
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
    /// A copy of the value at another path.
    Copy(Vec<ValueSegment>),
    /// A new table of a class with these values, and the names of those among them that do not count as given.
    Table(Node, Vec<(Arc<str>, Assigned)>, Vec<Arc<str>>),
}

/// The table on which a check runs: a table with known fields, or for a `before` validator the raw table, which is a map. Paths are relative to it;
/// the empty path is the table itself. The default methods are those of a raw table, which has no classes.
pub trait CheckedTable {
    /// The value at a path.
    fn get(&self, path: &[ValueSegment]) -> Seen;

    /// The fields of the table at a path that are given in the config or assigned by a check.
    fn given(&self, _path: &[ValueSegment]) -> Vec<&'static str> {
        Vec::new()
    }

    /// The keys without a field that the table at a path keeps; `None` if it keeps none.
    fn extras(&self, _path: &[ValueSegment]) -> Option<Vec<(Arc<str>, Assigned)>> {
        None
    }

    /// Whether a constant of a package contains a key: `renderers.base.MODEL_RENDERER_MAP`. `None` if that is unknown, because the source of the
    /// package is not available.
    fn holds(&self, _name: &str, _key: &str) -> Option<bool> {
        None
    }

    /// Whether the table at a path has a class of a package, whose source need not be available: `renderers.configs.AutoRendererConfig`. `None` if
    /// that is unknown.
    fn is_of(&self, _path: &[ValueSegment], _class: &str) -> Option<bool> {
        None
    }

    /// The declared class of the table at a path whose own class is one of the verifiers package, which adds only fields to it.
    fn base_class(&self, _path: &[ValueSegment]) -> Option<Node> {
        None
    }

    /// The possible classes of the table at a path.
    fn classes(&self, _path: &[ValueSegment]) -> Vec<Node> {
        Vec::new()
    }

    /// The possible classes of a table at a path below a table of this class, which need not be in the config.
    fn classes_below(&self, _class: Node, _path: &[ValueSegment]) -> Vec<Node> {
        Vec::new()
    }

    /// Whether a field of a class accepts a value unchanged; if not, the type of pydantic's error. `None` if that is unknown.
    fn accepts(&self, _class: Node, _field: &str, _value: &Assigned) -> Option<Result<(), String>> {
        None
    }

    /// Looks up the class of the raw value at a path, which a package provides, by its `id`. `None` if the running check does not do that at this
    /// path; an error is the exception with its message.
    fn look_up(&mut self, _path: &[ValueSegment]) -> Option<Result<(), (String, String)>> {
        None
    }

    /// The pairs of paths that have the same object, because a check before this one put it at both.
    fn shared(&self) -> Vec<(Vec<ValueSegment>, Vec<ValueSegment>)> {
        Vec::new()
    }

    /// Keeps these pairs for the checks after this one.
    fn share(&mut self, _pairs: Vec<(Vec<ValueSegment>, Vec<ValueSegment>)>) {}

    /// Assigns a value without a check, as `self.a.b = value` does. `made_of` is the place of the value that it is computed from.
    fn assign(&mut self, path: &[ValueSegment], value: Assigned, made_of: Option<&[ValueSegment]>);

    /// Removes an entry from a map.
    fn remove(&mut self, path: &[ValueSegment]);
}
