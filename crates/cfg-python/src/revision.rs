//! Revisions of functions: a number that stays while a function, and those that it calls, decide the same.

use std::sync::Arc;

use crate::{ast::Function, class::Class, module::Module, names::Reader, parse, value::Value};

/// Functions that call each other are looked at so deep.
const MOST_DEEP: usize = 6;

impl Reader<'_> {
    /// The revision of a function of a class: a hash of what it does. Comments, spaces, the words of errors and what is logged don't count;
    /// the functions that it calls do.
    pub(crate) fn revision(&mut self, class: &Arc<Class>, home: &Arc<Module>, function: &Arc<Function>) -> u64 {
        let mut hash = Fnv::default();
        self.add(class, home, function, &mut hash, &mut Vec::new());
        hash.0
    }

    fn add(
        &mut self,
        class: &Arc<Class>,
        home: &Arc<Module>,
        function: &Arc<Function>,
        hash: &mut Fnv,
        open: &mut Vec<*const Function>,
    ) {
        if open.len() >= MOST_DEEP || open.contains(&Arc::as_ptr(function)) {
            return;
        }
        open.push(Arc::as_ptr(function));
        let source = home.text.get(function.span.0 as usize..function.span.1 as usize).unwrap_or_default();
        let words = parse::deciding_words(source);
        for (at, word) in words.iter().enumerate() {
            hash.add(word);
            if words.get(at + 1) != Some(&"(") {
                continue;
            }
            let is_attribute = at > 0 && words[at - 1] == ".";
            if is_attribute && at > 1 && words[at - 2] == "self" {
                if let Some((home, method)) = method(class, word) {
                    self.add(class, &home, &method, hash, open);
                }
            } else if !is_attribute && let Some(Value::Function(home, called)) = self.global(home, word) {
                self.add(class, &home, &called, hash, open);
            }
        }
        open.pop();
    }
}

/// A method of a class or of its bases.
fn method(class: &Arc<Class>, name: &str) -> Option<(Arc<Module>, Arc<Function>)> {
    class.line().find_map(|class| Some((Arc::clone(&class.module), Arc::clone(class.function(name)?))))
}

/// FNV-1a of 64 bits: a number for a text that is the same on every machine.
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

/// A validator of a class with its revision, and where it is defined.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Revision {
    /// The validator's name.
    pub name: String,
    /// A hash of what it does: comments, spaces, the words of errors and what is logged do not count, the functions that it calls do.
    pub revision: u64,
    /// File and line.
    pub place: (String, u32),
}

impl Reader<'_> {
    /// The validators of a class, each with its revision.
    pub(crate) fn revisions(&mut self, class: &Arc<Class>) -> Arc<[Revision]> {
        if let Some(known) = self.revisions_of.get(&Arc::as_ptr(&class.def)) {
            return Arc::clone(known);
        }
        let mut all = Vec::new();
        for validator in self.validators(class).iter() {
            let Some(function) = validator.home.function(&validator.name) else { continue };
            let home = &validator.home.module;
            let revision = self.revision(class, home, function);
            all.push(Revision { name: validator.name.to_string(), revision, place: (home.path.to_string(), validator.line) });
        }
        let all: Arc<[Revision]> = all.into();
        self.revisions_of.insert(Arc::as_ptr(&class.def), Arc::clone(&all));
        all
    }
}
