//! Checks that are run from their source: what a project's own prime-rl checks, and the known ones do not.

use std::{fmt, sync::Arc};

use crate::{Node, OwnCheck};

/// The checks of a project's own prime-rl that the known point does not have with the same code.
#[derive(Clone, Debug)]
pub struct OwnChecks {
    /// Each of them.
    pub changed: Arc<[OwnCheck]>,
    /// Their code.
    pub code: Arc<dyn CheckCode>,
    /// What its declarations leave open, in the order of the numbers of the nodes.
    pub open: Arc<[OpenPart]>,
    /// What of its sources is not understood, and so left open.
    pub unknown: Arc<[NotUnderstood]>,
    /// Whether no source of it was read: the known point stands beside other packages than it used itself.
    pub is_recorded: bool,
}

/// Something in the sources of a project's own prime-rl that is not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotUnderstood {
    /// Where it is: `src/prime_rl/configs/rl.py:412`.
    pub place: String,
    /// What is there.
    pub why: String,
}

impl fmt::Display for NotUnderstood {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.place, self.why)
    }
}

/// A field of a project's own prime-rl that may be anything, or a table that may have further keys, because its declaration is not understood.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OpenPart {
    /// The number of its node.
    pub node: u32,
    /// Why, with its place.
    pub why: String,
    /// Whether it is that the source of a package is not available.
    pub is_absent: bool,
}

impl OwnChecks {
    /// What is left open of a field or a table.
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
    /// The `before` or `after` validator of this name that the class of a table has, if the known ones do not do what it does.
    fn check(&self, class: Node, name: &str) -> Option<&OwnCheck>;

    /// Whether the class of a table has another validator of this name, of whatever mode, than the known point; `None` if the class is not known.
    fn has_changed(&self, class: Node, name: &str) -> Option<bool>;

    /// Runs it over a table of that class.
    fn run(&self, class: Node, name: &str, table: &mut dyn CheckedTable) -> Ruling;

    /// The checks of single fields of the class of a table that are run from here; those of a field in the order in which they are run.
    fn of_fields(&self, class: Node) -> &[FieldCheck];

    /// Runs the one of that number over a table in which the field stands: under its name in a raw table for one that looks before the type, as
    /// a field of its class otherwise.
    fn run_of_field(&self, class: Node, number: usize, table: &mut dyn CheckedTable) -> Ruling;
}

/// A check of a single field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldCheck {
    /// Which it is.
    pub own: OwnCheck,
    /// The field.
    pub field: Arc<str>,
    /// Whether it looks at the raw value, before the type does.
    pub is_before: bool,
    /// Whether it looks at the default, too, where the field is not given.
    pub looks_at_default: bool,
}

/// What a check comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ruling {
    /// It accepts the table.
    Accepts,
    /// It refuses it.
    Refuses(Raised),
    /// It can't be determined: something that it asks is not known.
    Open(Open),
}

/// What a check raises.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raised {
    /// The name of the exception: `ValueError`.
    pub exception: String,
    /// What it says, in prime-rl's words.
    pub message: String,
    /// The values that led to it, as paths from the table; those asked last come first.
    pub reads: Vec<Vec<Step>>,
    /// Where it is raised: `src/prime_rl/configs/rl.py:412`.
    pub place: String,
}

/// Why it is unknown what a check comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Open {
    /// What is not known: ``a call of `requests.get` ``.
    pub why: String,
    /// Where that is.
    pub place: String,
    /// What kind of reason it is.
    pub reason: Reason,
}

/// What keeps a check from being decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A value has a fault of its own, which has been reported, or follows from what is not known.
    Fault,
    /// The machine decides: what is there, what is installed, the moment.
    Machine,
    /// The code does something that is not modelled.
    Code,
    /// What it makes of its table is another one, which is not known.
    Replaced,
}

/// A step on the way from the table of a check to a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// A field of a table.
    Field(Arc<str>),
    /// An item of a list, counted from nought.
    Item(usize),
    /// An entry of a map.
    Key(Arc<str>),
}

impl Step {
    /// A way as it is written: `train.env[0].id`.
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
    /// It has a fault, or follows from what is not known.
    Faulty,
    /// It is of a kind that checks are not modelled for: a date, a number beyond 64 bits.
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
    /// A list of so many items.
    List(usize),
    /// A map with these keys.
    Map(Vec<Arc<str>>),
    /// A table of this class.
    Table(Node),
}

/// A value that a check assigns.
#[derive(Clone, Debug, PartialEq)]
pub enum Assigned {
    /// It isn't known.
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
    /// What is at another place.
    Copy(Vec<Step>),
    /// A new table of a class with what it is given.
    Table(Node, Vec<(Arc<str>, Assigned)>),
}

/// The table that a check runs over: one with known fields, or for a `before` validator the raw one, which is a map. Paths begin in it; the empty
/// one is the table itself.
pub trait CheckedTable {
    /// The value at a path.
    fn get(&self, path: &[Step]) -> Seen;

    /// The fields that were given to the table at a path, or assigned by a check.
    fn given(&self, path: &[Step]) -> Vec<&'static str>;

    /// The keys that the table at a path does not know but keeps; `None` if it keeps none.
    fn extras(&self, path: &[Step]) -> Option<Vec<(Arc<str>, Assigned)>>;

    /// Whether something of a package whose source is not available holds a key: `renderers.base.MODEL_RENDERER_MAP`; `None` if that isn't known.
    fn holds(&self, name: &str, key: &str) -> Option<bool>;

    /// Whether the table at a path is of a class of a package whose source is not available: `renderers.configs.AutoRendererConfig`; `None` if that
    /// isn't known.
    fn is_of(&self, path: &[Step], class: &str) -> Option<bool>;

    /// The classes of the tables that may be at a path.
    fn classes(&self, path: &[Step]) -> Vec<Node>;

    /// Assigns a value, as `self.a.b = value` does: unchecked. `made_of` is the place of the value that it is made of.
    fn assign(&mut self, path: &[Step], value: Assigned, made_of: Option<&[Step]>);

    /// Takes an entry out of a map.
    fn remove(&mut self, path: &[Step]);
}
