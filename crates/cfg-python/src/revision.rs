//! Revisions of functions. A revision is a number that stays the same as long as the function, and what it uses, decides the same.

use std::{collections::BTreeSet, sync::Arc};

use crate::{
    ast::{Function, Name},
    class::Class,
    module::{Bound, Module},
    names::Reader,
    parse,
    value::Value,
};

/// The maximum depth to which called functions are followed.
const MOST_DEEP: usize = 6;

/// What the result of a function depends on.
#[derive(Debug, Default)]
pub(crate) struct Decides {
    hash: Fnv,
    /// The attributes that it and the called functions read, of any object.
    pub(crate) attributes: BTreeSet<Name>,
}

impl Decides {
    /// The revision of the function: a hash.
    pub(crate) const fn revision(&self) -> u64 {
        self.hash.0
    }
}

impl Reader<'_> {
    /// What the result of a function of a class depends on; its hash is the revision. Comments, spaces, error messages and log calls do not count.
    /// Called functions, constants, and properties of its own table count if they are in the same package, because the source of another package
    /// may not be available.
    pub(crate) fn decides(&mut self, class: Option<&Arc<Class>>, home: &Arc<Module>, function: &Arc<Function>) -> Arc<Decides> {
        let key = (class.map(|class| Arc::as_ptr(&class.def)), Arc::as_ptr(function));
        if let Some(known) = self.decided.get(&key) {
            return Arc::clone(known);
        }
        let mut decides = Decides::default();
        self.add(class, home, function, &mut decides, &mut Vec::new());
        let decides = Arc::new(decides);
        self.decided.insert(key, Arc::clone(&decides));
        decides
    }

    fn add(
        &mut self,
        class: Option<&Arc<Class>>,
        home: &Arc<Module>,
        function: &Arc<Function>,
        decides: &mut Decides,
        open: &mut Vec<*const Function>,
    ) {
        if open.len() >= MOST_DEEP || open.contains(&Arc::as_ptr(function)) {
            return;
        }
        open.push(Arc::as_ptr(function));
        let words = parse::deciding_words(&home.tokens, &home.text, function.span);
        for (at, word) in words.iter().enumerate() {
            decides.hash.add(word);
            let is_attribute = at > 0 && words[at - 1] == ".";
            if is_attribute && at > 1 && words[at - 2] == "self" {
                match class.and_then(|class| method(class, word)) {
                    Some((of, method)) if package(&of.name) == package(&home.name) => {
                        self.add(class, &of, &method, decides, open);
                    }
                    _ => {}
                }
            } else if is_attribute {
                if !decides.attributes.contains(*word) {
                    decides.attributes.insert((*word).into());
                }
            } else {
                self.add_global(class, home, word, decides, open);
            }
        }
        open.pop();
    }

    /// Adds what a name of a module contributes: for a function what it depends on, for a constant its value.
    fn add_global(
        &mut self,
        class: Option<&Arc<Class>>,
        home: &Arc<Module>,
        word: &str,
        decides: &mut Decides,
        open: &mut Vec<*const Function>,
    ) {
        let is_own = match home.bound(word) {
            Some(Bound::From(base, _)) => package(&base) == package(&home.name),
            Some(Bound::Value(_) | Bound::Function(_)) => true,
            _ => false,
        };
        if !is_own {
            return;
        }
        match self.global(home, word) {
            Some(Value::Function(home, called)) => self.add(class, &home, &called, decides, open),
            Some(value) => add_value(&value, &mut decides.hash),
            None => {}
        }
    }

    /// The functions of a config class that are not validators and that others may call, each with the class that defines it.
    pub(crate) fn functions_of(&mut self, class: &Arc<Class>) -> Vec<(Arc<Class>, Arc<Function>)> {
        let validators = self.validators(class);
        let mut all: Vec<(Arc<Class>, Arc<Function>)> = Vec::new();
        for home in class.line() {
            for function in home.functions() {
                let is_validator = validators.iter().any(|one| one.name == function.name);
                let is_hidden = all.iter().any(|(_, other)| other.name == function.name);
                if !is_validator && !is_hidden && !function.name.starts_with("__") {
                    all.push((Arc::clone(&home), Arc::clone(function)));
                }
            }
        }
        all
    }
}

fn package(module: &str) -> &str {
    module.split('.').next().unwrap_or_default()
}

/// The method with this name of a class or of its bases, with its module.
fn method(class: &Arc<Class>, name: &str) -> Option<(Arc<Module>, Arc<Function>)> {
    class.line().find_map(|class| Some((Arc::clone(&class.module), Arc::clone(class.function(name)?))))
}

/// Adds a constant to the hash. Parts from other packages count by their names.
fn add_value(value: &Value, hash: &mut Fnv) {
    let mut all = |mark: &str, values: &[Value]| {
        hash.add(mark);
        values.iter().for_each(|value| add_value(value, hash));
    };
    match value {
        Value::None => hash.add("None"),
        Value::Bool(value) => hash.add(if *value { "True" } else { "False" }),
        Value::Int(value) => hash.add(&value.to_string()),
        Value::Float(value) => hash.add(&value.to_string()),
        Value::Str(text) | Value::Path(text) => hash.add(text),
        Value::List(items) | Value::Tuple(items) => all("[", items),
        Value::Set(items) => all("{", items),
        Value::Dict(entries) => {
            hash.add("{");
            for (key, value) in entries.iter() {
                add_value(key, hash);
                add_value(value, hash);
            }
        }
        Value::External(name) | Value::Module(name) => hash.add(name),
        Value::Class(class) => hash.add(&class.name),
        Value::Call(call) => {
            hash.add(&call.function);
            call.arguments.iter().for_each(|value| add_value(value, hash));
        }
        _ => hash.add("?"),
    }
}

/// FNV-1a with 64 bits: a hash that is the same on every machine.
#[derive(Debug)]
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    fn add(&mut self, text: &str) {
        for byte in text.bytes().chain([0]) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

/// A function that affects what a config class accepts, with its revision.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Revision {
    /// The class that defines it; empty for a function that is attached to a type.
    pub class: String,
    /// Its name.
    pub name: String,
    /// A hash of what it does: comments, spaces, error messages and log calls do not count, the called functions do.
    pub revision: u64,
}

impl Reader<'_> {
    /// The functions that affect what a class accepts: its validators, its other functions, and those that are attached to the types of its
    /// fields.
    pub(crate) fn revisions(&mut self, class: &Arc<Class>) -> Vec<Revision> {
        let mut all = Vec::new();
        for validator in self.validators(class).iter() {
            let Some(function) = validator.home.function(&validator.name) else { continue };
            let revision = self.decides(Some(class), &validator.home.module, function).revision();
            all.push(Revision { class: validator.home.name.to_string(), name: validator.name.to_string(), revision });
        }
        for (home, function) in self.functions_of(class) {
            let revision = self.decides(Some(class), &home.module, &function).revision();
            all.push(Revision { class: home.name.to_string(), name: function.name.to_string(), revision });
        }
        for field in self.fields(class).iter() {
            for (module, function) in field.attached().filter_map(|one| one.function) {
                let revision = self.decides(None, &module, &function).revision();
                all.push(Revision { class: String::new(), name: function.name.to_string(), revision });
            }
        }
        all
    }
}
