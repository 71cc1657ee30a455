//! The checks of single fields: validators (`@field_validator`), and functions that are attached to the type of a field.

use std::{collections::HashSet, sync::Arc};

use cfg_schema::Point;

use crate::{
    ast::{Expr, ExprKind, Function, Name, ParameterKind},
    class::Class,
    field::{Field, Validator, attached},
    module::Module,
    names::Reader,
    value::Value,
};

/// The deciding functions at a known point.
#[derive(Debug)]
pub(crate) struct Known {
    /// By class, name and revision.
    functions: HashSet<(&'static str, &'static str, u64)>,
    /// The validators as the history lists them, by mode and name.
    listed: HashSet<(&'static str, &'static str)>,
}

impl Known {
    /// Those of a point.
    pub(crate) fn at(point: Point) -> Self {
        Self { functions: cfg_schema::compiler::revisions_at(point), listed: cfg_schema::compiler::validators_at(point) }
    }

    /// Whether it has a function with this code.
    pub(crate) fn has(&self, class: &str, name: &str, revision: u64) -> bool {
        self.functions.contains(&(class, name, revision))
    }

    /// Whether it runs validators of this name, but none at the same time and for the same fields.
    pub(crate) fn lists_otherwise(&self, validator: &Validator) -> bool {
        let (mode, listed) = validator.listed();
        let is_of_name = |name: &str| name.split('(').next() == Some(&*validator.name);
        !self.listed.contains(&(&*mode, &*listed)) && self.listed.iter().any(|(_, name)| is_of_name(name))
    }
}

/// A check of a single field.
#[derive(Clone, Debug)]
pub(crate) struct OfField {
    pub(crate) name: Name,
    pub(crate) module: Arc<Module>,
    pub(crate) line: u32,
    pub(crate) is_before: bool,
    pub(crate) called: Called,
}

/// The function that a check calls.
#[derive(Clone, Debug)]
pub(crate) enum Called {
    /// A function of the class that defines it.
    OfClass(Arc<Class>, Arc<Function>),
    /// A value that is attached to a type.
    Attached(Value),
}

impl OfField {
    /// Whether the class is passed as the first argument.
    pub(crate) fn is_bound(&self) -> bool {
        let Called::OfClass(_, function) = &self.called else { return false };
        let is_of_class = |decorator: &Expr| matches!(&decorator.kind, ExprKind::Name(name) if &**name == "classmethod");
        function.decorators.iter().any(is_of_class) || function.parameters.first().is_some_and(|first| &*first.name == "cls")
    }

    /// Whether pydantic passes the context as a second argument.
    pub(crate) fn takes_more(&self) -> bool {
        match &self.called {
            Called::OfClass(_, function) => takes_more(function, self.is_bound()),
            Called::Attached(Value::Function(_, function)) => takes_more(function, false),
            Called::Attached(_) => false,
        }
    }
}

impl Reader<'_> {
    /// Whether the base point has this function with the same revision. Without a base point, `true`.
    pub(crate) fn is_known(
        &mut self,
        class: Option<&Arc<Class>>,
        home: &Arc<Module>,
        owner: &str,
        function: &Arc<Function>,
    ) -> bool {
        let Some(known) = self.known.clone() else { return true };
        let revision = self.decides(class, home, function).revision;
        known.has(owner, &function.name, revision)
    }

    /// Whether the base point has the function that an item of a type's metadata attaches.
    fn is_known_attached(&mut self, item: &Value) -> bool {
        match attached(item).map(|one| one.function) {
            Some(Some((module, function))) => self.is_known(None, &module, "", &function),
            Some(None) => self.known.is_none(),
            None => true,
        }
    }

    /// The metadata of a field's type without functions that are run from their source. If one check of the field is run, all
    /// are.
    pub(crate) fn known_metadata(&mut self, owner: &Arc<Class>, field: &Field) -> Vec<Value> {
        let is_own = !self.of_field(owner, field).is_empty();
        field.metadata.iter().filter(|item| !is_own || attached(item).is_none()).cloned().collect()
    }

    /// The reason why a function that is attached to a type is unknown; `None` if the base point has it.
    pub(crate) fn unknown_attached(&mut self, item: &Value) -> Option<String> {
        if self.is_known_attached(item) {
            return None;
        }
        Some(match attached(item)?.function {
            Some((_, function)) => format!("the function `{}` decides which values are accepted", function.name),
            None => "a function of the type decides which values are accepted".to_owned(),
        })
    }

    /// The checks of a field in the order in which pydantic runs them; empty if the base point has all of them.
    pub(crate) fn of_field(&mut self, class: &Arc<Class>, field: &Field) -> Vec<OfField> {
        if self.known.is_none() {
            return Vec::new();
        }
        let mut all = Vec::new();
        let mut is_known = true;
        for item in &field.metadata {
            let Some(one) = attached(item) else { continue };
            is_known &= self.is_known_attached(item);
            let (name, module, line) = match &one.function {
                Some((module, function)) => (Arc::clone(&function.name), Arc::clone(module), function.line),
                None => ("a function of the type".into(), Arc::clone(&field.home.module), field.line),
            };
            all.push(OfField { name, module, line, is_before: one.is_before, called: Called::Attached(one.called) });
        }
        for one in self.validators(class).iter() {
            let looks_at = |names: &Vec<Name>| names.iter().any(|name| *name == field.name || &**name == "*");
            let Some(function) = one.home.function(&one.name).filter(|_| one.fields.as_ref().is_some_and(looks_at)) else {
                continue;
            };
            is_known &= self.is_known(Some(class), &one.home.module, &one.home.name, function);
            is_known &= self.known.as_ref().is_none_or(|known| !known.lists_otherwise(one));
            all.push(OfField {
                name: Arc::clone(&one.name),
                module: Arc::clone(&one.home.module),
                line: one.line,
                is_before: &*one.mode == "before",
                called: Called::OfClass(Arc::clone(&one.home), Arc::clone(function)),
            });
        }
        if is_known {
            return Vec::new();
        }
        // Of the checks before the type, the last defined runs first.
        let (mut before, after): (Vec<_>, Vec<_>) = all.into_iter().partition(|one| one.is_before);
        before.reverse();
        before.into_iter().chain(after).collect()
    }
}

/// Whether pydantic passes the context as a second argument to a function: it does if the second parameter is required.
pub(crate) fn takes_more(function: &Function, is_bound: bool) -> bool {
    let must = |kind| matches!(kind, ParameterKind::Positional | ParameterKind::Either);
    function.parameters.iter().filter(|one| must(one.kind) && one.default.is_none()).count() > 1 + usize::from(is_bound)
}
