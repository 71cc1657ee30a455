//! What the values of names in the code of checks add to it.

use std::{collections::BTreeSet, sync::Arc};

use super::{
    super::{Made, OfItsField, enums::Enumeration, key},
    Linker,
};
use crate::{
    ast::{Expr, ExprKind, Name},
    class::Class,
    module::Module,
    value::Value,
};

impl Linker<'_, '_> {
    /// The value of a dotted name, if all parts but the last are modules.
    pub(super) fn dotted(&mut self, module: &Arc<Module>, expr: &Expr) -> Option<Value> {
        match &expr.kind {
            ExprKind::Name(name) => self.reader.global(module, name),
            ExprKind::Attribute(of, name) => match self.dotted(module, of)? {
                Value::Module(base) => Some(self.reader.of_module(&base, name, module)),
                _ => None,
            },
            _ => None,
        }
    }

    pub(super) fn of_module(&mut self, asked: &Arc<Module>, base: &Name, name: &Name) {
        let known = (Arc::clone(base), Arc::clone(name));
        if self.code.globals.contains_key(&known) {
            return;
        }
        let value = self.reader.of_module(base, name, asked);
        self.value(&value);
        self.code.globals.insert(known, value);
    }

    /// Adds everything that is needed to create a table of a class.
    pub(super) fn made(&mut self, class: &Arc<Class>) {
        let fields = self.reader.fields(class);
        self.code.fields.entry(key(class)).or_insert_with(|| Arc::clone(&fields));
        if self.reader.opaque(class).is_some() || class.partial.is_some() {
            self.code.made.insert(key(class), None);
            return;
        }
        let validators = self.reader.validators(class);
        let (mut before, mut after, mut of_fields, mut unmodelled) = (Vec::new(), Vec::new(), Vec::new(), BTreeSet::new());
        for one in validators.iter() {
            let is_before = &*one.mode == "before";
            let Some(function) = one.home.function(&one.name).filter(|_| is_before || &*one.mode == "after") else {
                unmodelled.extend(one.fields.iter().flatten().cloned());
                continue;
            };
            self.work.push((Arc::clone(&one.home.module), Arc::clone(function)));
            let check = (Arc::clone(&one.home), Arc::clone(function));
            if let Some(fields) = one.fields.clone() {
                of_fields.push(OfItsField { fields, check, is_before });
            } else if is_before {
                let is_known = self.reader.is_known(Some(class), &one.home.module, &one.home.name, function);
                before.push((check, is_known));
            } else {
                after.push(check);
            }
        }
        // The last defined validator runs first.
        before.reverse();
        unmodelled.extend(fields.iter().filter(|field| field.attached().next().is_some()).map(|field| Arc::clone(&field.name)));
        let made = Made { before, after, of_fields, unmodelled, policy: self.reader.policy(class) };
        self.code.made.insert(key(class), Some(Arc::new(made)));
    }

    /// Adds what the code may use of a value.
    pub(super) fn value(&mut self, value: &Value) {
        if !self.reader.pays(1) {
            return;
        }
        match value {
            Value::Function(module, function) => self.work.push((Arc::clone(module), Arc::clone(function))),
            Value::Lambda(module, lambda, _) => self.expr(&Arc::clone(module), &lambda.body),
            Value::Class(class) if class.is_enum => self.enumeration(class),
            Value::Class(class) if class.is_model && !self.code.made.contains_key(&key(class)) => self.made(class),
            Value::Module(name) => {
                self.code.modules.insert(Arc::clone(name), true);
            }
            Value::Tuple(items) | Value::List(items) | Value::Set(items) | Value::Union(items) => {
                items.iter().for_each(|item| self.value(item));
            }
            Value::Dict(entries) => entries.iter().for_each(|(_, value)| self.value(value)),
            Value::Instance(class, _) => self.value(&Value::Class(Arc::clone(class))),
            _ => {}
        }
    }

    pub(super) fn enumeration(&mut self, class: &Arc<Class>) {
        if !self.code.enums.contains_key(&key(class)) {
            let known = Enumeration::of(self.reader, class);
            self.code.enums.insert(key(class), Arc::new(known));
        }
    }
}
