//! Revisions of functions. A revision is a number that stays the same as long as the function, and what it uses, decides the same.

mod constants;
mod hash;
mod imports;

use std::{collections::BTreeSet, sync::Arc};

use self::{
    hash::Fnv,
    imports::{Imported, imports_in},
};
use crate::hash::HashSet;
use crate::{
    ast::{ClassDef, Expr, ExprKind, Function, Name},
    class::Class,
    module::{Bound, Module},
    names::Reader,
    parse,
    value::Value,
};

/// The maximum depth to which called functions and constants are followed. Those of prime-rl need less than ten.
pub(crate) const MAX_DEEP: usize = 60;

/// How many letters of a module are searched for one unit.
const LETTERS: usize = 16;

/// The units for a word of some code.
const OF_A_WORD: usize = 4;

/// The functions with which verifiers looks up the class of a table by its `id`. The table answers for them, so what they do does not count.
const LOOK_UPS: [&str; 9] = [
    "default_harness_id",
    "env_config_type",
    "harness_config_type",
    "judge_config_type",
    "narrow_plugin_field",
    "resolve_env_config",
    "resolve_env_field",
    "resolve_judges",
    "taskset_config_type",
];

/// What the result of a function, or the value of a constant, depends on.
#[derive(Debug)]
pub(crate) struct Decides {
    /// The revision: a hash.
    pub(crate) revision: u64,
    /// The attributes that it and the called functions read, of any object.
    pub(crate) attributes: BTreeSet<Name>,
}

/// What is gathered for that.
#[derive(Debug, Default)]
struct Gathered {
    hash: Fnv,
    attributes: BTreeSet<Name>,
    /// What has been added: each part counts once.
    seen: HashSet<Part>,
    depth: usize,
}

/// A part of the code on which a result depends.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Part {
    /// A function, with the class on which it is called.
    Function(Option<*const ClassDef>, *const Function),
    Class(*const ClassDef),
    /// A constant of a module or of a class, by module, class and name.
    Constant(Name, Option<*const ClassDef>, Name),
}

impl Gathered {
    fn reads(&mut self, attribute: &str) {
        if !self.attributes.contains(attribute) {
            self.attributes.insert(attribute.into());
        }
    }

    fn decides(self) -> Decides {
        Decides { revision: self.hash.number(), attributes: self.attributes }
    }
}

/// The words of some code, and what its names mean.
struct Code<'c> {
    words: Vec<&'c str>,
    home: &'c Arc<Module>,
    /// The class of `self` and `cls`.
    class: Option<&'c Arc<Class>>,
    /// The class that defines it, after which `super()` looks up names; `None` outside of functions of classes.
    owner: Option<Arc<Class>>,
    /// Whether it is a statement in the body of the class, so that it can use the names of the class directly.
    is_in_body: bool,
    /// The names that it imports itself.
    imports: Vec<Imported>,
}

impl Reader<'_> {
    /// What the result of a function of a class depends on; its hash is the revision. Comments, spaces, error messages and log calls do not count.
    /// Called functions, constants of modules and classes, and properties of its own table count if they are in the same package, because the source
    /// of another package may not be available.
    pub(crate) fn decides(&mut self, class: Option<&Arc<Class>>, home: &Arc<Module>, function: &Arc<Function>) -> Arc<Decides> {
        let key = (class.map(|class| Arc::as_ptr(&class.def)), Arc::as_ptr(function));
        if let Some(known) = self.decided.get(&key) {
            return Arc::clone(known);
        }
        let mut gathered = Gathered::default();
        self.add(class, home, function, &mut gathered);
        let decides = Arc::new(gathered.decides());
        self.decided.insert(key, Arc::clone(&decides));
        decides
    }

    fn add(&mut self, class: Option<&Arc<Class>>, home: &Arc<Module>, function: &Arc<Function>, gathered: &mut Gathered) {
        if !gathered.seen.insert(Part::Function(class.map(|class| Arc::as_ptr(&class.def)), Arc::as_ptr(function))) {
            return;
        }
        // The tokens of a module are searched for those of a statement.
        if !self.pays(function.decorators.len() * home.text.len() / LETTERS) {
            return;
        }
        // A decorator of another package only says how the function is called.
        for decorator in function.decorators.iter().filter(|decorator| root(decorator).is_some_and(|name| is_own(home, name))) {
            let words = parse::statement_words(&home.tokens, &home.text, decorator.line);
            self.add_code(&Code { words, home, class, owner: None, is_in_body: false, imports: Vec::new() }, gathered);
        }
        let defines = |of: &Arc<Class>| of.functions().any(|own| Arc::ptr_eq(own, function));
        let owner = class.and_then(|class| class.line().find(defines));
        let words = parse::deciding_words(&home.tokens, &home.text, function.span);
        let imports = imports_in(home, &function.body);
        self.add_code(&Code { words, home, class, owner, is_in_body: false, imports }, gathered);
    }

    fn add_code(&mut self, code: &Code<'_>, gathered: &mut Gathered) {
        // Each word is looked up among the imports.
        if gathered.depth >= MAX_DEEP || !self.pays(code.words.len() * (OF_A_WORD + code.imports.len() / 8)) {
            return;
        }
        gathered.depth += 1;
        // The class or the module before the next dot.
        let mut of: Option<Value> = None;
        for (at, &word) in code.words.iter().enumerate() {
            gathered.hash.add(word);
            if word == "." {
                continue;
            }
            let is_attribute = at > 0 && code.words[at - 1] == ".";
            if let ("super", false, Some([_, "(", ")", ".", name])) = (word, is_attribute, code.words.get(at..at + 5)) {
                self.add_above(code, name, gathered);
            }
            let meant = match of.take() {
                Some(Value::Class(of)) if is_attribute => {
                    self.add_member(&of, code.home, word, gathered);
                    None
                }
                Some(Value::Module(of)) if is_attribute => self.add_of_module(code, &of, word, gathered),
                _ if is_attribute => {
                    gathered.reads(word);
                    None
                }
                _ if matches!(word, "self" | "cls") => code.class.cloned().map(Value::Class),
                _ => self.add_name(code, word, gathered),
            };
            of = meant.filter(|_| code.words.get(at + 1) == Some(&"."));
        }
        gathered.depth -= 1;
    }

    /// Adds a method, a property or a constant of a class. Fields do not count: the history has them.
    fn add_member(&mut self, class: &Arc<Class>, home: &Arc<Module>, name: &str, gathered: &mut Gathered) {
        if let Some((of, method)) = method(class, name) {
            if package(&of.name) == package(&home.name) {
                self.add(Some(class), &of, &method, gathered);
            }
        } else if !self.has_field(class, name) {
            gathered.reads(name);
            self.add_constant(class, home, name, gathered);
        }
    }

    /// Adds the function or the constant to which `super().name` refers: that of the next class after the one that defines the code.
    fn add_above(&mut self, code: &Code<'_>, name: &str, gathered: &mut Gathered) {
        let (Some(class), Some(owner)) = (code.class, &code.owner) else { return };
        let mut after = class.line().skip_while(|of| !Arc::ptr_eq(&of.def, &owner.def)).skip(1);
        let found = after.find(|of| of.function(name).is_some() || of.own(name).is_some());
        let Some(of) = found.filter(|of| package(&of.module.name) == package(&code.home.name)) else { return };
        match of.function(name) {
            Some(function) => self.add(Some(class), &of.module, &Arc::clone(function), gathered),
            None => self.add_constant(&of, code.home, name, gathered),
        }
    }

    /// Adds what a name contributes: for a function what it depends on, for a constant its value. Returns what the name means if that is a class or
    /// a module.
    fn add_name(&mut self, code: &Code<'_>, name: &str, gathered: &mut Gathered) -> Option<Value> {
        if let Some(imported) = code.imports.iter().find(|one| &*one.known_as == name) {
            if package(&imported.base) != package(&code.home.name) {
                return None;
            }
            return match &imported.name {
                Some(name) => self.add_of_module(code, &imported.base, name, gathered),
                None => Some(Value::Module(Arc::clone(&imported.base))),
            };
        }
        if let Some(class) = code.class.filter(|class| code.is_in_body && class.own(name).is_some()) {
            self.add_constant(class, code.home, name, gathered);
            return None;
        }
        self.add_global(code, code.home, name, gathered)
    }

    fn add_of_module(&mut self, code: &Code<'_>, base: &Name, name: &str, gathered: &mut Gathered) -> Option<Value> {
        let home = self.module(base)?;
        if home.bound(name).is_some() || !home.stars.is_empty() {
            return self.add_global(code, &home, name, gathered);
        }
        let value = self.of_module(base, name, &home);
        self.add_meant(code, &home, name, value, gathered)
    }

    fn add_global(&mut self, code: &Code<'_>, home: &Arc<Module>, name: &str, gathered: &mut Gathered) -> Option<Value> {
        if !is_own(home, name) {
            return None;
        }
        let value = self.global(home, name)?;
        self.add_meant(code, home, name, value, gathered)
    }

    fn add_meant(
        &mut self,
        code: &Code<'_>,
        home: &Arc<Module>,
        name: &str,
        value: Value,
        gathered: &mut Gathered,
    ) -> Option<Value> {
        match &value {
            Value::Function(home, called) if package(&home.name) == "verifiers" && LOOK_UPS.contains(&&*called.name) => {}
            Value::Function(home, called) => self.add(code.class, home, called, gathered),
            Value::Class(class) => {
                gathered.hash.add(&class.name);
                self.add_class(class, code.home, gathered);
            }
            Value::Module(base) => gathered.hash.add(base),
            constant => self.add_global_constant(home, name, constant, gathered),
        }
        let has_names = match &value {
            Value::Class(_) => true,
            Value::Module(base) => package(base) == package(&home.name),
            _ => false,
        };
        has_names.then_some(value)
    }

    /// The functions of a config class that are not validators and that others may call, each with the class that defines it.
    pub(crate) fn functions_of(&mut self, class: &Arc<Class>) -> Vec<(Arc<Class>, Arc<Function>)> {
        let validators = self.validators(class);
        let mut all: Vec<(Arc<Class>, Arc<Function>)> = Vec::new();
        for home in class.line() {
            for function in home.functions() {
                let is_validator = validators.iter().any(|one| one.name == function.name);
                if !self.pays(all.len()) {
                    return all;
                }
                let is_hidden = all.iter().any(|(_, other)| other.name == function.name);
                if !is_validator && !is_hidden && !function.name.starts_with("__") {
                    all.push((Arc::clone(&home), Arc::clone(function)));
                }
            }
        }
        all
    }
}

/// The first part of a dotted or called name.
fn root(expr: &Expr) -> Option<&Name> {
    match &expr.kind {
        ExprKind::Name(name) => Some(name),
        ExprKind::Attribute(of, _) => root(of),
        ExprKind::Call(call) => root(&call.function),
        _ => None,
    }
}

/// Whether a name of a module comes from its own package.
fn is_own(home: &Module, name: &str) -> bool {
    let is_of_package = |base: &Name| package(base) == package(&home.name);
    match home.bound(name) {
        Some(Bound::From(base, _) | Bound::Import(base)) => is_of_package(&base),
        Some(Bound::Class(_) | Bound::Function(_) | Bound::Value(_) | Bound::Unclear(..)) => true,
        None => name.starts_with(|first: char| first.is_alphabetic() || first == '_') && home.stars.iter().any(is_of_package),
    }
}

fn package(module: &str) -> &str {
    module.split('.').next().unwrap_or_default()
}

/// The method with this name of a class or of its bases, with its module.
fn method(class: &Arc<Class>, name: &str) -> Option<(Arc<Module>, Arc<Function>)> {
    class.line().find_map(|class| Some((Arc::clone(&class.module), Arc::clone(class.function(name)?))))
}

/// A function or a constant that affects what a config class accepts, with its revision.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Revision {
    /// The class that defines it, for a constant the class that has it; empty for a function that is attached to a type.
    pub class: String,
    /// Its name.
    pub name: String,
    /// A hash of what it does: comments, spaces, error messages and log calls do not count; the called functions do, and the constants.
    pub revision: u64,
}

impl Reader<'_> {
    /// The functions that affect what a class accepts: its validators, its other functions, and those that are attached to the types of its
    /// fields. Its constants are included.
    pub(crate) fn revisions(&mut self, class: &Arc<Class>) -> Vec<Revision> {
        let mut all = Vec::new();
        for validator in self.validators(class).iter() {
            let Some(function) = validator.home.function(&validator.name) else { continue };
            let revision = self.decides(Some(class), &validator.home.module, function).revision;
            all.push(Revision { class: validator.home.name.to_string(), name: validator.name.to_string(), revision });
        }
        for (home, function) in self.functions_of(class) {
            let revision = self.decides(Some(class), &home.module, &function).revision;
            all.push(Revision { class: home.name.to_string(), name: function.name.to_string(), revision });
        }
        for (name, decides) in self.constants_of(class) {
            all.push(Revision { class: class.name.to_string(), name: name.to_string(), revision: decides.revision });
        }
        for field in self.fields(class).iter() {
            for (module, function) in field.attached().filter_map(|one| one.function) {
                let revision = self.decides(None, &module, &function).revision;
                all.push(Revision { class: String::new(), name: function.name.to_string(), revision });
            }
        }
        all
    }
}
