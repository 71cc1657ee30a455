//! Checks that are run from their source over a table of a config.
//!
//! [`link`] resolves the names in the code of the checks while the sources are available; [`Code`] keeps the result. Later, [`run`] calls the
//! functions, [`statement`] and [`control`] run their statements, and [`expression`] evaluates their expressions to [`object`]s, which
//! [`places`] finds in the config. Anything that is
//! not modelled is unknown, with the place and the reason. If a condition is unknown, both branches run: the values that they assign become unknown,
//! and if one of them raises an exception, it is unknown whether the table is accepted.

mod assign;
mod attribute;
mod builtins;
mod call;
mod cases;
mod compare;
mod comprehension;
mod control;
mod copies;
mod declared;
mod dump;
mod enums;
mod equality;
mod expression;
mod format;
mod hashing;
mod heap;
mod iterables;
mod itertools;
mod json;
mod kinds;
mod link;
mod machine;
mod make;
mod methods;
mod numbers;
mod object;
mod operators;
mod paths;
mod places;
mod plugin;
mod regex;
mod run;
mod statement;
mod strings;
mod subscript;
mod table;
mod text;
mod types;
mod url;
mod within;

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    path::Path,
    sync::Arc,
};

use cfg_schema::{CheckCode, CheckedTable, FieldCheck, History, Kind, Node, Open, OwnCheck, Reason, Ruling};

use self::{enums::Enumerations, object::Object, run::Run};
use crate::hash::HashMap;
use crate::{
    ast::{Function, Name},
    class::Class,
    field::Field,
    module::Module,
    names::canonical,
    of_field::OfField,
    value::Value,
};

pub(crate) use link::link;

/// The code of the checks of config classes, and everything that it refers to.
#[derive(Default)]
pub struct Code {
    /// The classes with such checks.
    classes: Vec<Linked>,
    /// The index of the class of the table, by kind and path.
    places: BTreeMap<(usize, String), usize>,
    /// The index of the class of the table, by node number of a history.
    nodes: HashMap<u32, usize>,
    /// That history.
    history: Option<History>,
    /// The value of a name, by module and name.
    globals: HashMap<(Name, Name), Value>,
    /// The values of names in the bodies of classes, by class and name.
    class_values: HashMap<(usize, Name), Value>,
    /// A node that has tables of the class, by class.
    homes: HashMap<usize, Node>,
    /// The enumerations, by class.
    enums: Enumerations,
    /// The classes of which it is not known what they accept.
    opaque: BTreeSet<usize>,
    /// The private attributes that some function assigns.
    assigned: BTreeSet<Name>,
    /// The fields, by class.
    fields: HashMap<usize, Arc<[Field]>>,
    /// How tables are created, by class, for classes whose tables the code may create. `None` for a class whose tables can't be evaluated.
    made: HashMap<usize, Option<Arc<Made>>>,
    /// The modules, each with whether its source is available.
    modules: HashMap<Name, bool>,
    /// The files of modules, as they are shown in messages.
    shown: HashMap<Name, String>,
}

impl fmt::Debug for Code {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Code").field("classes", &self.classes).finish_non_exhaustive()
    }
}

/// A class, with those of its checks that are run from their source.
#[derive(Debug)]
struct Linked {
    class: Arc<Class>,
    checks: Vec<Check>,
    /// The checks of single fields that are run from their source, and the functions that they call.
    of_fields: Vec<FieldCheck>,
    called_of_fields: Vec<OfField>,
    /// The fields whose defaults are compared with their types.
    compared_defaults: Vec<Name>,
    /// All validators that differ from those at the base point, in any mode.
    changed: Vec<Changed>,
    /// Whether the checks of the class change the given values.
    changes_itself: bool,
}

/// A validator that differs from that at the base point.
#[derive(Debug)]
struct Changed {
    own: OwnCheck,
    module: Arc<Module>,
    line: u32,
}

/// A validator, with the class that defines it.
type OfTable = (Arc<Class>, Arc<Function>);

/// A check of some fields of a table that the code creates.
#[derive(Debug)]
struct OfItsField {
    /// The names of the fields; `*` for all.
    fields: Vec<Name>,
    check: OfTable,
    is_before: bool,
}

/// How a table of a class is created.
#[derive(Debug)]
struct Made {
    /// The validators of the raw table in the order in which they run. The second value says whether the base point has the validator.
    before: Vec<(OfTable, bool)>,
    /// The validators of the finished table.
    after: Vec<OfTable>,
    /// The checks of single fields.
    of_fields: Vec<OfItsField>,
    /// The fields whose checks are not modelled; `*` for all fields.
    unmodelled: BTreeSet<Name>,
    /// What happens to keys without a field.
    policy: &'static str,
}

#[derive(Debug)]
struct Check {
    own: OwnCheck,
    home: Arc<Class>,
    function: Arc<Function>,
    /// Whether it runs on the raw table, before the fields are checked.
    is_before: bool,
}

/// A number that identifies a class.
fn key(class: &Class) -> usize {
    Arc::as_ptr(&class.def) as usize
}

impl Code {
    /// Completes the code for a history that was compiled from the same classes. `shown` converts the paths of source files for messages.
    #[must_use]
    pub fn of_history(mut self, history: History, shown: impl Fn(&Path) -> String) -> Self {
        for ((kind, path), class) in &self.places {
            let root = history.root(Kind::ALL[*kind]);
            let node = if path.is_empty() { Some(root) } else { cfg_schema::compiler::node_at(root, path) };
            if let Some(node) = node {
                self.nodes.entry(node.id()).or_insert(*class);
                if let Some(linked) = self.classes.get(*class) {
                    self.homes.entry(key(&linked.class)).or_insert(node);
                }
            }
        }
        for file in std::mem::take(&mut self.shown).into_keys() {
            let words = shown(Path::new(&*file));
            self.shown.insert(file, words);
        }
        self.history = Some(history);
        let files = &self.shown;
        let place =
            |module: &Module, line: u32| format!("{}:{line}", files.get(&module.path).map_or(&*module.path, String::as_str));
        for linked in &mut self.classes {
            for check in &mut linked.checks {
                check.own.place = place(&check.home.module, check.function.line);
            }
            for (check, called) in linked.of_fields.iter_mut().zip(&linked.called_of_fields) {
                check.own.place = place(&called.module, called.line);
            }
            for changed in &mut linked.changed {
                changed.own.place = place(&changed.module, changed.line);
            }
        }
        self
    }

    /// The checks that differ from those at the base point, without duplicates: cfg can't rely on their names.
    pub fn changed(&self) -> Vec<OwnCheck> {
        let of_class = |linked: &Linked| {
            let of_fields: Vec<OwnCheck> = linked.of_fields.iter().map(|check| check.own.clone()).collect();
            linked.changed.iter().map(|changed| changed.own.clone()).chain(of_fields).collect::<Vec<_>>()
        };
        let mut all: Vec<OwnCheck> = self.classes.iter().flat_map(of_class).collect();
        all.sort_by(|one, other| (&one.name, &one.place).cmp(&(&other.name, &other.place)));
        all.dedup();
        all
    }

    fn linked(&self, node: Node) -> Option<&Linked> {
        // The class of a package has a history of its own.
        let is_own = self.history.is_some_and(|history| node.history() == history);
        self.classes.get(*self.nodes.get(&node.id()).filter(|_| is_own)?)
    }

    fn found(&self, node: Node, name: &str) -> Option<&Check> {
        self.linked(node)?.checks.iter().find(|check| check.own.name == name)
    }

    /// The class of a table.
    fn class(&self, node: Node) -> Option<Arc<Class>> {
        self.linked(node).map(|linked| Arc::clone(&linked.class))
    }

    /// Whether the checks of a class change the given values.
    fn changes_itself(&self, class: &Class) -> bool {
        self.classes.iter().find(|linked| key(&linked.class) == key(class)).is_none_or(|linked| linked.changes_itself)
    }

    /// Whether a check of a field also runs on its default.
    fn looks_at_default(&self, class: &Class, field: &str) -> bool {
        let linked = self.classes.iter().find(|linked| key(&linked.class) == key(class));
        linked.is_some_and(|linked| linked.of_fields.iter().any(|check| *check.field == *field && check.looks_at_default))
    }

    fn place(&self, module: &Module, line: u32) -> String {
        let file = self.shown.get(&module.path).map_or(&*module.path, String::as_str);
        format!("{file}:{line}")
    }

    fn global(&self, module: &Module, name: &Name) -> Option<Object> {
        self.globals.get(&(Arc::clone(&module.name), Arc::clone(name))).map(Object::constant)
    }

    /// The object to which `import` binds a dotted name.
    fn imported(&self, dotted: &Name) -> Object {
        if self.has_module(dotted) { Object::Module(Arc::clone(dotted)) } else { Object::External(canonical(dotted)) }
    }

    fn has_module(&self, dotted: &Name) -> bool {
        self.modules.get(dotted).copied().unwrap_or_default()
    }

    /// The object of a name in a module.
    fn of_module(&self, module: &Name, name: &Name) -> Object {
        if matches!(&**name, "__path__" | "__file__") {
            let why = format!("where `{module}` is installed");
            return Object::Unknown(std::rc::Rc::new(Open { why, place: String::new(), reason: Reason::Machine }));
        }
        if let Some(value) = self.globals.get(&(Arc::clone(module), Arc::clone(name))) {
            return Object::constant(value);
        }
        if self.has_module(module) {
            let why = format!("`{name}` of the module `{module}`");
            return Object::Unknown(std::rc::Rc::new(Open { why, place: String::new(), reason: Reason::Code }));
        }
        Object::External(canonical(&format!("{module}.{name}").into()))
    }

    fn class_value(&self, class: &Arc<Class>, name: &Name) -> Option<&Value> {
        self.class_values.get(&(key(class), Arc::clone(name)))
    }

    /// How a table of this class is created; `None` if that can't be evaluated.
    fn made(&self, class: &Class) -> Option<Arc<Made>> {
        self.made.get(&key(class)).cloned().flatten()
    }

    /// A node of the history that has tables of a class.
    fn home(&self, class: &Class) -> Option<Node> {
        self.homes.get(&key(class)).copied()
    }

    fn fields(&self, class: &Class) -> Option<&[Field]> {
        self.fields.get(&key(class)).map(|fields| &**fields)
    }

    fn field(&self, class: &Class, name: &str) -> Option<&Field> {
        self.fields(class)?.iter().find(|field| &*field.name == name)
    }
}

impl CheckCode for Code {
    fn check(&self, class: Node, name: &str) -> Option<&OwnCheck> {
        self.found(class, name).map(|check| &check.own)
    }

    fn has_changed(&self, class: Node, name: &str) -> Option<bool> {
        Some(self.linked(class)?.changed.iter().any(|changed| changed.own.name == name))
    }

    fn run(&self, class: Node, name: &str, table: &mut dyn CheckedTable) -> Ruling {
        let _scope = heap::Scope::enter();
        match self.found(class, name) {
            Some(check) if check.is_before => match self.class(class) {
                Some(class) => Run::new(self, table).before(&class, &check.home, &check.function),
                None => Ruling::Accepts,
            },
            Some(check) => Run::new(self, table).after(&check.home, &check.function),
            None => Ruling::Accepts,
        }
    }

    fn of_fields(&self, class: Node) -> &[FieldCheck] {
        self.linked(class).map_or(&[], |linked| &linked.of_fields)
    }

    fn compared_defaults(&self, class: Node) -> &[Name] {
        self.linked(class).map_or(&[], |linked| &linked.compared_defaults)
    }

    fn run_of_field(&self, class: Node, number: usize, table: &mut dyn CheckedTable) -> Ruling {
        let _scope = heap::Scope::enter();
        let found = self
            .linked(class)
            .and_then(|linked| Some((linked, linked.of_fields.get(number)?, linked.called_of_fields.get(number)?)));
        match found {
            Some((linked, check, called)) => Run::new(self, table).of_field(&linked.class, check, called),
            None => Ruling::Accepts,
        }
    }
}
