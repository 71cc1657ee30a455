//! Why it is unknown what a class accepts: hooks, settings and decorators that are not modelled.

use std::sync::Arc;

use crate::{
    assigns::may_assign,
    ast::{ClassDef, Expr, ExprKind, Function, Name, Stmt, StmtKind},
    class::{Class, unknown},
    field::{MAX_FIELDS, Reach},
    module::{Bound, Module},
    names::Reader,
    revision::MAX_DEEP,
    value::{Unknown, Value},
};

/// Methods by which a class itself decides how it is created or what it accepts. Methods with two underscores that are not in [`HARMLESS`] count
/// too.
const OWN_WAYS: [&str; 1] = ["model_validate"];

/// Special methods of Python that do not affect what a class accepts.
const HARMLESS: [&str; 22] = [
    "__str__",
    "__repr__",
    "__format__",
    "__eq__",
    "__ne__",
    "__lt__",
    "__le__",
    "__gt__",
    "__ge__",
    "__hash__",
    "__bool__",
    "__len__",
    "__iter__",
    "__contains__",
    "__call__",
    "__enter__",
    "__exit__",
    "__add__",
    "__or__",
    "__and__",
    "__rich_repr__",
    "__repr_args__",
];

/// Settings of a class that do not affect what it accepts, or that are handled elsewhere.
const SETTINGS: [&str; 34] = [
    "extra",
    "env_prefix",
    "env_nested_delimiter",
    "env_file",
    "env_file_encoding",
    "env_ignore_empty",
    "case_sensitive",
    "cli_parse_args",
    "cli_prog_name",
    "cli_kebab_case",
    "cli_implicit_flags",
    "cli_avoid_json",
    "cli_exit_on_error",
    "cli_enforce_required",
    "cli_hide_none_type",
    "cli_use_class_docs_for_groups",
    "cli_ignore_unknown_args",
    "cli_shortcuts",
    "nested_model_default_partial_update",
    "toml_file",
    "populate_by_name",
    "validate_by_name",
    "arbitrary_types_allowed",
    "from_attributes",
    "protected_namespaces",
    "use_attribute_docstrings",
    "title",
    "json_schema_extra",
    "json_schema_mode_override",
    "ser_json_inf_nan",
    "ser_json_timedelta",
    "ser_json_bytes",
    "serialize_by_alias",
    "defer_build",
];

/// Decorators of methods that do not make them validators.
const PLAIN_DECORATORS: [&str; 16] = [
    "builtins.classmethod",
    "builtins.staticmethod",
    "builtins.property",
    "functools.cached_property",
    "functools.cache",
    "functools.lru_cache",
    "functools.wraps",
    "abc.abstractmethod",
    "contextlib.contextmanager",
    "contextlib.asynccontextmanager",
    "typing.override",
    "typing.overload",
    "typing.no_type_check",
    "pydantic.computed_field",
    "pydantic.field_serializer",
    "pydantic.model_serializer",
];

fn is_own_way(name: &str) -> bool {
    OWN_WAYS.contains(&name) || (name.starts_with("__") && name.ends_with("__") && !HARMLESS.contains(&name))
}

/// Whether an assignment in the body of a class creates a plain value and no validator.
fn is_plain(targets: &[Expr], value: &Expr) -> bool {
    let is_name = |target: &Expr| matches!(&target.kind, ExprKind::Name(_));
    let is_setting = |target: &Expr| matches!(&target.kind, ExprKind::Name(name) if &**name == "model_config");
    targets.iter().all(is_name) && (targets.iter().all(is_setting) || is_plain_value(value))
}

fn is_plain_value(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Call(call) => makes_no_validator(&call.function),
        ExprKind::Name(_) | ExprKind::Attribute(..) | ExprKind::Other(_) => false,
        _ => value
            .parts()
            .into_iter()
            .all(|part| matches!(&part.kind, ExprKind::Name(_) | ExprKind::Attribute(..)) || is_plain_value(part)),
    }
}

/// Whether a call in the body of a class is known not to create a validator.
fn makes_no_validator(function: &Expr) -> bool {
    match &function.kind {
        ExprKind::Name(name) => MAKERS.contains(&&**name),
        ExprKind::Attribute(of, _) => {
            matches!(&of.kind, ExprKind::Name(module) if matches!(&**module, "re" | "os" | "logging" | "threading"))
        }
        _ => false,
    }
}

/// Functions that create plain values, or private attributes.
const MAKERS: [&str; 12] =
    ["frozenset", "set", "list", "dict", "tuple", "range", "str", "int", "float", "property", "PrivateAttr", "Path"];

impl Reader<'_> {
    /// Why it is unknown what a class accepts; `None` if it is known.
    pub(crate) fn opaque(&mut self, class: &Arc<Class>) -> Option<Arc<Unknown>> {
        if class.opaque.is_some() {
            return class.opaque.clone();
        }
        if let Some(known) = self.opaque_of.get(&Arc::as_ptr(&class.def)) {
            return known.clone();
        }
        let found = self.decides_itself(class).or_else(|| class.line().find_map(|stating| self.own_settings(class, &stating)));
        let found = found.or_else(|| class.line().find_map(|class| self.own_decorators(&class)));
        let found = found.or_else(|| {
            let fields = self.fields(class);
            if fields.len() >= MAX_FIELDS {
                return Some(unknown(&class.module, class.def.line, format!("`{}` has too many fields", class.name)));
            }
            fields.iter().find(|field| field.reach == Reach::Keys).and_then(|field| field.unknown.clone())
        });
        self.opaque_of.insert(Arc::as_ptr(&class.def), found.clone());
        found
    }

    /// The reason if a validator decides whether the others run (modes `wrap` and `plain`).
    fn decides_itself(&mut self, class: &Arc<Class>) -> Option<Arc<Unknown>> {
        let validators = self.validators(class);
        let own_way = validators.iter().find(|one| one.fields.is_none() && !matches!(&*one.mode, "before" | "after"))?;
        let why = format!("`{}` decides whether the other checks of `{}` are run", own_way.name, class.name);
        Some(unknown(&own_way.home.module, own_way.line, why))
    }

    /// The reason if the class or a base has a setting that is not modelled.
    fn own_settings(&mut self, whole: &Arc<Class>, class: &Arc<Class>) -> Option<Arc<Unknown>> {
        let mut keys: Vec<(Name, Value)> = class.keywords.clone();
        let mut line = class.def.line;
        if let Some(expr) = class.own("model_config") {
            line = expr.line;
            match self.eval(&class.module, &expr, &[]) {
                Value::Call(call) if call.arguments.is_empty() => keys.extend(call.keywords.iter().cloned()),
                Value::Dict(entries) => {
                    for (key, value) in &entries {
                        let Value::Str(key) = key else {
                            return Some(unknown(&class.module, line, format!("the settings of `{}`", class.name)));
                        };
                        keys.push((Arc::clone(key), value.clone()));
                    }
                }
                _ => return Some(unknown(&class.module, line, format!("the settings of `{}`", class.name))),
            }
        }
        // Other checks run before the object exists, or get only a value.
        let validators = self.validators(whole);
        let may_assign = || {
            validators
                .iter()
                .filter(|one| one.fields.is_none() && &*one.mode == "after")
                .any(|one| one.home.function(&one.name).is_none_or(|function| may_assign(whole, &one.home.module, function)))
        };
        let is_harmless = |key: &str, value: &Value| match key {
            // pydantic refuses an assignment to a frozen model.
            "frozen" => value.truth() == Some(false) || !may_assign(),
            "validate_by_alias" | "allow_inf_nan" => value.truth() == Some(true),
            // The defaults are compared with their types, or they are not.
            "validate_default" => value.truth().is_some(),
            key => SETTINGS.contains(&key) || matches!(value, Value::Bool(false) | Value::None),
        };
        let (key, _) = keys.iter().find(|(key, value)| !is_harmless(key, value))?;
        Some(unknown(&class.module, line, format!("the setting `{key}` of `{}`", class.name)))
    }

    /// The reason if a method has a decorator that may make it a validator.
    fn own_decorators(&mut self, class: &Arc<Class>) -> Option<Arc<Unknown>> {
        if !class.is_model {
            return None;
        }
        for function in class.functions().cloned().collect::<Vec<_>>() {
            for decorator in &function.decorators {
                let (expr, is_called) = match &decorator.kind {
                    ExprKind::Call(call) => (&call.function, true),
                    _ => (decorator, false),
                };
                // `@value.setter`
                if matches!(&expr.kind, ExprKind::Attribute(_, name) if matches!(&**name, "setter" | "deleter")) {
                    continue;
                }
                let is_known = match self.eval(&class.module, expr, &[]) {
                    Value::External(name) if matches!(&*name, "pydantic.model_validator" | "pydantic.field_validator") => {
                        is_called
                    }
                    Value::External(name) => PLAIN_DECORATORS.contains(&&*name),
                    _ => false,
                };
                if !is_known {
                    let why = format!("a decorator of `{}` of `{}`", function.name, class.name);
                    return Some(unknown(&class.module, decorator.line, why));
                }
            }
        }
        None
    }
}

/// The reason if the fields of a class can't be read.
pub(crate) fn unmodelled(module: &Module, def: &ClassDef) -> Option<Arc<Unknown>> {
    if let Some(decorator) = def.decorators.first() {
        return Some(unknown(module, decorator.line, format!("`{}` is decorated", def.name)));
    }
    def.body.iter().find_map(|stmt| {
        let why: String = match &stmt.kind {
            StmtKind::Function(function)
                if function.name.ends_with("init_subclass__")
                    && Looks { module, seen: Vec::new(), depth: 0 }.function(function) =>
            {
                return None;
            }
            StmtKind::Function(function) if is_own_way(&function.name) => {
                format!("`{}` defines `{}`", def.name, function.name)
            }
            StmtKind::If(_) | StmtKind::Try { .. } | StmtKind::With { .. } => "a condition in the body of a class".into(),
            StmtKind::Match { .. } => "a match in the body of a class".into(),
            StmtKind::For { .. } | StmtKind::While { .. } => "a loop in the body of a class".into(),
            StmtKind::Augmented { .. } => "an assignment with an operator in the body of a class".into(),
            StmtKind::Delete(_) => "a deletion in the body of a class".into(),
            StmtKind::Other { word, .. } => format!("{word} in the body of a class"),
            StmtKind::Expression(expr) if !matches!(expr.kind, ExprKind::Str(_) | ExprKind::Ellipsis) => {
                "a call in the body of a class".into()
            }
            StmtKind::Import(_) | StmtKind::ImportFrom { .. } => "an import in the body of a class".into(),
            StmtKind::Annotated { target, .. } if matches!(&target.kind, ExprKind::Name(name) if name.starts_with("__")) => {
                "a special name in the body of a class".into()
            }
            StmtKind::Class(inner) if &*inner.name == "Config" => "settings in a class `Config`".into(),
            StmtKind::Assign { targets, value } if !is_plain(targets, value) => {
                "a value that is computed in the body of a class".into()
            }
            _ => return None,
        };
        Some(unknown(module, stmt.line, why))
    })
}

/// Whether a method only normalises strings of its object, so that it refuses nothing.
pub(crate) fn only_tidies(function: &Function) -> bool {
    let tidies = |stmt: &Stmt| match &stmt.kind {
        StmtKind::Assign { targets, value } => {
            let [target] = targets.as_slice() else { return false };
            matches!(&target.kind, ExprKind::Attribute(..)) && is_tidied(value)
        }
        StmtKind::Expression(expr) => matches!(expr.kind, ExprKind::Str(_) | ExprKind::Ellipsis),
        StmtKind::Pass => true,
        _ => false,
    };
    function.body.iter().all(tidies)
}

/// Whether a value is an attribute, possibly with string methods called on it.
fn is_tidied(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Call(call) => match &call.function.kind {
            ExprKind::Attribute(of, name) => {
                let is_text = |argument: &Expr| matches!(argument.kind, ExprKind::Str(_));
                matches!(&**name, "strip" | "lstrip" | "rstrip" | "removeprefix" | "removesuffix" | "lower" | "upper")
                    && call.arguments.iter().all(is_text)
                    && is_tidied(of)
            }
            _ => false,
        },
        ExprKind::Attribute(of, _) => matches!(&of.kind, ExprKind::Name(_)),
        _ => false,
    }
}

/// Whether a hook for derived classes changes nothing in them: it only computes, and raises an exception if they are invalid.
struct Looks<'m> {
    module: &'m Module,
    /// The lines of the functions that have been examined, or are: a function that changes something ends the search.
    seen: Vec<u32>,
    depth: usize,
}

fn is_name(target: &Expr) -> bool {
    match &target.kind {
        ExprKind::Name(_) => true,
        ExprKind::Tuple(targets) | ExprKind::List(targets) => targets.iter().all(is_name),
        _ => false,
    }
}

impl Looks<'_> {
    fn function(&mut self, function: &Function) -> bool {
        if self.seen.contains(&function.line) {
            return true;
        }
        if self.depth > MAX_DEEP {
            return false;
        }
        self.seen.push(function.line);
        self.depth += 1;
        let looks = function.body.iter().all(|stmt| self.stmt(stmt));
        self.depth -= 1;
        looks
    }

    fn stmt(&mut self, stmt: &Stmt) -> bool {
        let (exprs, bodies): (Vec<&Expr>, Vec<&[Stmt]>) = match &stmt.kind {
            StmtKind::Expression(expr) | StmtKind::Return(Some(expr)) => (vec![expr], Vec::new()),
            StmtKind::Assign { targets, value } if targets.iter().all(is_name) => (vec![&**value], Vec::new()),
            StmtKind::If(branches) => (
                branches.iter().filter_map(|(test, _)| test.as_ref()).collect(),
                branches.iter().map(|(_, body)| &**body).collect(),
            ),
            StmtKind::For { target, iter, body, otherwise } if is_name(target) => (vec![iter], vec![body, otherwise]),
            StmtKind::Return(None)
            | StmtKind::Raise(_)
            | StmtKind::Continue
            | StmtKind::Break
            | StmtKind::Pass
            | StmtKind::ImportFrom { .. } => return true,
            _ => return false,
        };
        exprs.into_iter().all(|expr| self.expr(expr)) && bodies.into_iter().flatten().all(|stmt| self.stmt(stmt))
    }

    fn expr(&mut self, expr: &Expr) -> bool {
        let changes_nothing = match &expr.kind {
            ExprKind::Call(call) => match &call.function.kind {
                ExprKind::Name(name) => match self.module.bound(name) {
                    Some(Bound::Function(function)) => self.function(&function),
                    _ => PURE.contains(&&**name),
                },
                // The hook of the base class is examined for the base class.
                ExprKind::Attribute(_, name) => PURE.contains(&&**name) || name.ends_with("init_subclass__"),
                _ => false,
            },
            ExprKind::Other(_) | ExprKind::Lambda(_) => false,
            _ => true,
        };
        changes_nothing && expr.parts().into_iter().all(|part| self.expr(part))
    }
}

/// Functions and methods without side effects.
const PURE: [&str; 23] = [
    "frozenset",
    "set",
    "list",
    "tuple",
    "sorted",
    "len",
    "super",
    "isinstance",
    "issubclass",
    "getattr",
    "hasattr",
    "any",
    "all",
    "get_args",
    "get_origin",
    "type",
    "items",
    "keys",
    "values",
    "get",
    "startswith",
    "endswith",
    "zip",
];
