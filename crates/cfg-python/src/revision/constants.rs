//! What constants of modules and classes contribute to a revision.

use std::sync::Arc;

use super::{Code, Decides, Gathered, LETTERS, MAX_DEEP, Part, package};
use crate::{
    ast::{ExprKind, Name, StmtKind},
    class::Class,
    module::{Bound, Module},
    names::Reader,
    parse,
    parts::Measured,
    value::Value,
};

impl Reader<'_> {
    /// The constants of a class, by name, each with what its value depends on: the names that its body or those of its bases bind, and that are neither
    /// fields nor functions.
    pub(crate) fn constants_of(&mut self, class: &Arc<Class>) -> Vec<(Name, Decides)> {
        let mut names: Vec<Name> = class.line().flat_map(|class| class.bound_names()).collect();
        names.sort_unstable();
        names.dedup();
        let mut all = Vec::new();
        for name in names {
            if name.starts_with("__") || &*name == "model_config" || self.has_field(class, &name) {
                continue;
            }
            let mut gathered = Gathered::default();
            self.add_constant(class, &class.module, &name, &mut gathered);
            all.push((name, gathered.decides()));
        }
        all
    }

    /// Whether a name of a config class is a field.
    pub(super) fn has_field(&mut self, class: &Arc<Class>, name: &str) -> bool {
        class.is_model && self.fields(class).iter().any(|field| &*field.name == name)
    }

    /// Adds the value of a name in the body of a class or of its bases, if it is of the package of `home`.
    pub(super) fn add_constant(&mut self, class: &Arc<Class>, home: &Arc<Module>, name: &str, gathered: &mut Gathered) {
        let found = class.line().find_map(|of| Some((Arc::clone(&of), of.own(name)?)));
        let Some((of, expr)) = found.filter(|(of, _)| package(&of.module.name) == package(&home.name)) else { return };
        let part = Part::Constant(Arc::clone(&of.module.name), Some(Arc::as_ptr(&of.def)), name.into());
        if !gathered.seen.insert(part) {
            return;
        }
        let value = self.eval(&of.module, &expr, &[]);
        if !self.pays(value.size().nodes as usize + of.module.text.len() / LETTERS) {
            return;
        }
        if is_plain(&value) {
            self.add_value(&value, home, gathered);
        } else {
            let words = parse::statement_words(&of.module.tokens, &of.module.text, expr.line);
            self.add_code(
                &Code { words, home: &of.module, class: Some(&of), owner: None, is_in_body: true, imports: Vec::new() },
                gathered,
            );
        }
    }

    /// Adds the value of a constant of a module: where the value is not known, the statements that make it.
    pub(super) fn add_global_constant(&mut self, home: &Arc<Module>, name: &str, value: &Value, gathered: &mut Gathered) {
        if !self.pays(value.size().nodes as usize) {
            return;
        }
        if is_plain(value) {
            self.add_value(value, home, gathered);
            return;
        }
        let Some((of, name, bound)) = self.binding(home, name) else {
            gathered.hash.add("?");
            return;
        };
        if package(&of.name) != package(&home.name)
            || !gathered.seen.insert(Part::Constant(Arc::clone(&of.name), None, Arc::clone(&name)))
        {
            return;
        }
        if !self.pays(of.text.len() / LETTERS) {
            return;
        }
        let words = match bound {
            Bound::Value(expr) => parse::statement_words(&of.tokens, &of.text, expr.line),
            _ => parse::words_about(&of.tokens, &of.text, &name),
        };
        self.add_code(&Code { words, home: &of, class: None, owner: None, is_in_body: false, imports: Vec::new() }, gathered);
    }

    /// The module that binds a name which another one may only import, its name there, and how it is bound.
    fn binding(&mut self, home: &Arc<Module>, name: &str) -> Option<(Arc<Module>, Name, Bound)> {
        let (mut module, mut name) = (Arc::clone(home), Name::from(name));
        for _ in 0..MAX_DEEP {
            match module.bound(&name)? {
                Bound::From(base, inner) => (module, name) = (self.module(&base)?, inner),
                bound => return Some((module, name, bound)),
            }
        }
        None
    }

    /// Adds a class of the same package that is not a config class, such as an enumeration: its constants and functions.
    pub(super) fn add_class(&mut self, class: &Arc<Class>, home: &Arc<Module>, gathered: &mut Gathered) {
        let is_other = class.is_model || package(&class.module.name) != package(&home.name);
        if is_other || !gathered.seen.insert(Part::Class(Arc::as_ptr(&class.def))) {
            return;
        }
        for of in class.line().filter(|of| package(&of.module.name) == package(&home.name)) {
            for name in of.bound_names() {
                gathered.hash.add(&name);
                self.add_constant(&of, home, &name, gathered);
            }
            for function in of.functions() {
                self.add(Some(class), &of.module, function, gathered);
            }
        }
    }

    /// Adds a value that is plain. Parts from other packages count by their names. The type of each value is added before it, and a mark after the
    /// last item of a container, so that different values never add the same.
    fn add_value(&mut self, value: &Value, home: &Arc<Module>, gathered: &mut Gathered) {
        let mut scalar = |kind: &str, text: &str| {
            gathered.hash.add(kind);
            gathered.hash.add(&text.len().to_string());
            gathered.hash.add(text);
        };
        match value {
            Value::None => scalar("None", ""),
            Value::Bool(value) => scalar("bool", if *value { "True" } else { "False" }),
            Value::Int(value) => scalar("int", &value.to_string()),
            Value::Float(value) => scalar("float", &value.to_string()),
            Value::Str(text) => scalar("str", text),
            Value::Path(text) => scalar("path", text),
            Value::External(name) | Value::Module(name) => scalar("name", name),
            Value::List(items) => self.add_values("list", items, home, gathered),
            Value::Tuple(items) => self.add_values("tuple", items, home, gathered),
            Value::Set(items) => self.add_values("set", items, home, gathered),
            Value::Dict(entries) => {
                gathered.hash.add("dict");
                for (key, value) in entries {
                    self.add_value(key, home, gathered);
                    self.add_value(value, home, gathered);
                }
                gathered.hash.add("end");
            }
            Value::Class(class) => {
                scalar("class", &class.name);
                self.add_class(class, home, gathered);
            }
            Value::Call(call) => {
                scalar("call", &call.function);
                self.add_values("arguments", &call.arguments, home, gathered);
                for (name, value) in &call.keywords {
                    gathered.hash.add(name);
                    self.add_value(value, home, gathered);
                }
                gathered.hash.add("end");
            }
            _ => scalar("?", ""),
        }
    }

    fn add_values(&mut self, kind: &str, values: &[Value], home: &Arc<Module>, gathered: &mut Gathered) {
        gathered.hash.add(kind);
        values.iter().for_each(|value| self.add_value(value, home, gathered));
        gathered.hash.add("end");
    }
}

/// Whether a value says all that it depends on.
fn is_plain(value: &Value) -> bool {
    match value {
        Value::None
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Float(_)
        | Value::Str(_)
        | Value::Path(_)
        | Value::External(_)
        | Value::Module(_)
        | Value::Class(_) => true,
        Value::List(items) | Value::Tuple(items) | Value::Set(items) => items.iter().all(is_plain),
        Value::Dict(entries) => entries.iter().all(|(key, value)| is_plain(key) && is_plain(value)),
        Value::Call(call) => call.arguments.iter().chain(call.keywords.iter().map(|(_, value)| value)).all(is_plain),
        _ => false,
    }
}

impl Class {
    /// The names to which its own body binds values.
    fn bound_names(&self) -> Vec<Name> {
        let mut names = Vec::new();
        for stmt in &self.def.body {
            let targets = match &stmt.kind {
                StmtKind::Assign { targets, .. } => targets.iter().collect(),
                StmtKind::Annotated { target, value: Some(_), .. } => vec![target],
                _ => Vec::new(),
            };
            names.extend(targets.into_iter().filter_map(|target| match &target.kind {
                ExprKind::Name(name) => Some(Arc::clone(name)),
                _ => None,
            }));
        }
        names
    }
}
