//! The fields of a config class, and its validators.

use std::sync::Arc;

use crate::{
    ast::{Expr, ExprKind, Function, Name, Stmt, StmtKind},
    class::Class,
    module::Module,
    names::Reader,
    parts::Parts,
    sources::is_known,
    unmodelled::only_tidies,
    value::{Called, Unknown, Value},
};

/// A field of a config class.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) name: Name,
    /// The class that declares it.
    pub(crate) home: Arc<Class>,
    pub(crate) line: u32,
    /// Its type, without the metadata of `Annotated`.
    pub(crate) annotation: Value,
    /// The metadata of `Annotated` and `Field`, in order.
    pub(crate) metadata: Vec<Value>,
    /// The default; `None` if the field is required.
    pub(crate) default: Option<Value>,
    pub(crate) has_factory: bool,
    /// The keys that a config may use for it; empty if only its name is accepted.
    pub(crate) aliases: Vec<Name>,
    pub(crate) is_hidden: bool,
    pub(crate) discriminator: Option<Value>,
    /// Its metadata.
    pub(crate) description: Option<Name>,
    /// The part of its declaration that is not understood; `None` if all of it is.
    pub(crate) unknown: Option<Arc<Unknown>>,
    /// How much of the field is unknown because of that.
    pub(crate) reach: Reach,
}

/// How much of a field is unknown if a part of its declaration is not understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Only that part, such as the default.
    Itself,
    /// The whole field, because the expression after `=` may be a `Field`.
    Field,
    /// The keys of its table, because it may be accepted under any key.
    Keys,
}

/// The largest number of fields of a class, those of its bases included. A class with so many is not understood. prime-rl's have at most a hundred.
pub(crate) const MAX_FIELDS: usize = 2000;

/// A validator of a class.
#[derive(Clone, Debug)]
pub(crate) struct Validator {
    pub(crate) name: Name,
    /// The mode: `before`, `after`, `wrap` or `plain`.
    pub(crate) mode: Name,
    /// The fields that it checks; `None` if it checks the whole table.
    pub(crate) fields: Option<Vec<Name>>,
    pub(crate) home: Arc<Class>,
    pub(crate) line: u32,
}

/// A function that is attached to a type: `Annotated[str, AfterValidator(f)]`.
#[derive(Clone, Debug)]
pub(crate) struct Attached {
    pub(crate) is_before: bool,
    /// The value that is called.
    pub(crate) called: Value,
    /// The function with its module, if the called value is a function of a module.
    pub(crate) function: Option<(Arc<Module>, Arc<Function>)>,
}

impl Field {
    /// The functions that are attached to its type, in order.
    pub(crate) fn attached(&self) -> impl Iterator<Item = Attached> {
        self.metadata.iter().filter_map(attached)
    }

    /// Whether its default is validated like a given value; `None` if the field does not state it.
    pub(crate) fn validates_default(&self) -> Option<bool> {
        let stated = self.metadata.iter().rev().find_map(|item| match item {
            Value::Call(call) if call.last() == "Field" => call.keyword("validate_default"),
            _ => None,
        });
        stated.and_then(Value::truth)
    }
}

/// The function that an item of `Annotated` attaches to a type; `None` if the item is something else.
pub(crate) fn attached(item: &Value) -> Option<Attached> {
    let Value::Call(call) = item else { return None };
    let is_before = match call.last() {
        "BeforeValidator" => true,
        "AfterValidator" => false,
        _ => return None,
    };
    let called = call.arguments.first().or_else(|| call.keyword("func"))?.clone();
    let function = match &called {
        Value::Function(module, function) => Some((Arc::clone(module), Arc::clone(function))),
        _ => None,
    };
    Some(Attached { is_before, called, function })
}

/// Arguments of `Field` that only describe the field, or that are handled here.
const FIELD_WORDS: [&str; 25] = [
    "default",
    "default_factory",
    "alias",
    "validation_alias",
    "serialization_alias",
    "discriminator",
    "exclude",
    "ge",
    "gt",
    "le",
    "lt",
    "min_length",
    "allow_inf_nan",
    "description",
    "title",
    "examples",
    "json_schema_extra",
    "repr",
    "deprecated",
    "frozen",
    "validate_default",
    "init",
    "kw_only",
    "exclude_if",
    "alias_priority",
];

impl Validator {
    /// Its mode and name as the history lists them.
    pub(crate) fn listed(&self) -> (String, String) {
        match &self.fields {
            Some(fields) => (format!("{} field", self.mode), format!("{}({})", self.name, fields.join(","))),
            None => (self.mode.to_string(), self.name.to_string()),
        }
    }
}

impl Reader<'_> {
    /// The fields of a class; those of its bases come first.
    pub(crate) fn fields(&mut self, class: &Arc<Class>) -> Arc<[Field]> {
        if let Some(known) = self.fields_of.get(&Arc::as_ptr(&class.def)) {
            return Arc::clone(known);
        }
        let mut fields: Vec<Field> = Vec::new();
        for home in class.line().rev() {
            let body = Arc::clone(&home.def);
            for (at, stmt) in body.body.iter().enumerate() {
                let StmtKind::Annotated { target, annotation, value } = &stmt.kind else { continue };
                let ExprKind::Name(name) = &target.kind else { continue };
                if fields.len() == MAX_FIELDS || !self.pays(fields.len()) {
                    break;
                }
                if name.starts_with('_') || &**name == "model_config" {
                    continue;
                }
                let kind = self.annotation(&home.module, annotation, &[]);
                let is_class_var =
                    matches!(&kind, Value::External(name) | Value::Generic(name, _) if &**name == "typing.ClassVar");
                if is_class_var {
                    fields.retain(|field| field.name != *name);
                    continue;
                }
                let mut field = self.field(class, &home, name, stmt.line, kind);
                // A name that is only annotated has the value that it gets elsewhere in the body.
                if let Some(value) = value.clone().or_else(|| home.own(name)) {
                    let value = self.eval(&home.module, &value, &[]);
                    self.given(&mut field, class, value);
                }
                if field.description.is_none() {
                    field.description = docstring(body.body.get(at + 1));
                }
                if let Some(default) = &field.default
                    && let Some(unknown) = default.unknown_within()
                {
                    field.unknown.get_or_insert(unknown);
                }
                match fields.iter_mut().find(|other| other.name == *name) {
                    Some(other) => *other = field,
                    None => fields.push(field),
                }
            }
        }
        let fields: Arc<[Field]> = fields.into();
        self.fields_of.insert(Arc::as_ptr(&class.def), Arc::clone(&fields));
        fields
    }

    fn field(&mut self, class: &Arc<Class>, home: &Arc<Class>, name: &Name, line: u32, mut annotation: Value) -> Field {
        let mut metadata: Vec<Value> = Vec::new();
        while let Value::Generic(outer, members) = &annotation {
            let Some((inner, more)) = members.split_first() else { break };
            match &**outer {
                "typing.Annotated" => {
                    metadata.splice(0..0, more.iter().cloned());
                }
                "pydantic.SerializeAsAny" => {}
                _ => break,
            }
            annotation = inner.clone();
        }
        let mut field = Field {
            name: Arc::clone(name),
            home: Arc::clone(home),
            line,
            annotation,
            metadata: Vec::new(),
            default: None,
            has_factory: false,
            aliases: Vec::new(),
            is_hidden: false,
            discriminator: None,
            description: None,
            unknown: None,
            reach: Reach::Itself,
        };
        for item in metadata {
            if let Value::Call(call) = &item
                && call.last() == "Field"
            {
                self.apply(&mut field, class, call);
            }
            field.metadata.push(item);
        }
        field
    }

    /// Evaluates the expression after the `=` of a field.
    fn given(&mut self, field: &mut Field, class: &Arc<Class>, value: Value) {
        match &value {
            Value::Call(call) if &*call.function == "pydantic.Field" => {
                self.apply(field, class, call);
                field.metadata.push(value);
            }
            Value::Call(call) => {
                let why = format!("a default made by `{}`", call.function.trim_start_matches("builtins."));
                let path = field.home.module.path.to_string();
                if !makes_a_value(&call.function) {
                    field.reach = Reach::Field;
                }
                field.default = Some(Value::Unknown(Arc::new(Unknown { path, line: field.line, why, absent: None })));
            }
            Value::Ellipsis => field.default = None,
            Value::Unknown(_) => {
                field.reach = Reach::Field;
                field.default = Some(value);
            }
            _ => field.default = Some(value),
        }
    }

    fn apply(&mut self, field: &mut Field, class: &Arc<Class>, call: &Called) {
        let home = Arc::clone(&field.home.module);
        let unknown = |why: String| Arc::new(Unknown { path: home.path.to_string(), line: field.line, why, absent: None });
        let mut trouble = None;
        let set = |value: &Value| match value {
            Value::Ellipsis => None,
            value => Some(value.clone()),
        };
        if let Some(first) = call.arguments.first() {
            field.default = set(first);
        }
        for (word, value) in &call.keywords {
            match &**word {
                "default" => field.default = set(value),
                "default_factory" => {
                    field.has_factory = true;
                    let made = match value {
                        Value::External(name) | Value::Generic(name, _) if &**name == "builtins.set" => {
                            Value::Set(Parts::default())
                        }
                        value => self.call(&home, field.line, value.clone(), Vec::new(), Vec::new()),
                    };
                    field.default = Some(match made {
                        Value::Call(call) => Value::Unknown(unknown(format!("a default made by `{}`", call.function))),
                        made => made,
                    });
                }
                "discriminator" => field.discriminator = Some(value.clone()),
                "exclude" => field.is_hidden = value.truth() == Some(true),
                "description" => field.description = value.as_str().map(Into::into),
                "alias" | "validation_alias" => {
                    let mut keys: Vec<Name> = Vec::new();
                    let was_well = trouble.is_none();
                    match value {
                        Value::Str(key) => keys.push(Arc::clone(key)),
                        Value::None => {}
                        Value::Call(call) if call.last() == "AliasChoices" => {
                            for choice in &call.arguments {
                                match choice {
                                    Value::Str(key) => keys.push(Arc::clone(key)),
                                    _ => trouble = Some("an alias that is a path".to_owned()),
                                }
                            }
                        }
                        _ => trouble = Some("an alias that is not a string".to_owned()),
                    }
                    if was_well && trouble.is_some() {
                        field.reach = Reach::Keys;
                    }
                    let by_name = ["populate_by_name", "validate_by_name"]
                        .iter()
                        .any(|key| self.setting(class, key).is_some_and(|value| value.truth() == Some(true)));
                    if by_name && !keys.is_empty() && !keys.contains(&field.name) {
                        keys.push(Arc::clone(&field.name));
                    }
                    if &**word == "validation_alias" || field.aliases.is_empty() {
                        field.aliases = keys;
                    }
                }
                word if FIELD_WORDS.contains(&word) => {}
                word => trouble = Some(format!("`{word}` of a field")),
            }
        }
        if let Some(why) = trouble {
            let unknown = unknown(why);
            field.unknown.get_or_insert(unknown);
        }
        if *field.aliases == [Arc::clone(&field.name)] {
            field.aliases.clear();
        }
    }

    /// The validators of a class; those of its bases come first. A validator that overrides one of a base takes its position.
    pub(crate) fn validators(&mut self, class: &Arc<Class>) -> Arc<[Validator]> {
        if let Some(known) = self.validators_of.get(&Arc::as_ptr(&class.def)) {
            return Arc::clone(known);
        }
        let mut all: Vec<Validator> = Vec::new();
        for home in class.line().rev() {
            let body = Arc::clone(&home.def);
            for stmt in &body.body {
                let StmtKind::Function(function) = &stmt.kind else {
                    // The name of a validator is bound to another, unknown value.
                    all.iter_mut().filter(|one| binds(stmt, &one.name)).for_each(|one| one.mode = "wrap".into());
                    continue;
                };
                // A function with the name of a validator of a base is called instead of it.
                for one in all.iter_mut().filter(|one| one.name == function.name) {
                    (one.home, one.line) = (Arc::clone(&home), function.line);
                }
                for decorator in &function.decorators {
                    let ExprKind::Call(call) = &decorator.kind else { continue };
                    let Value::External(word) = self.eval(&home.module, &call.function, &[]) else { continue };
                    let is_for_fields = match &*word {
                        "pydantic.model_validator" => false,
                        "pydantic.field_validator" => true,
                        _ => continue,
                    };
                    let mode = call.keywords.iter().find(|(name, _)| name.as_deref() == Some("mode"));
                    let mode = match mode.map(|(_, value)| &value.kind) {
                        Some(ExprKind::Str(mode)) => Arc::clone(mode),
                        Some(_) => "wrap".into(),
                        None => "after".into(),
                    };
                    let mut mode = mode;
                    let fields = is_for_fields.then(|| {
                        let named = |argument: &Expr| match self.eval(&home.module, argument, &[]) {
                            Value::Str(name) => Some(name),
                            _ => None,
                        };
                        // It is unknown which fields it checks, so it may check any.
                        call.arguments.iter().map(named).collect::<Option<Vec<Name>>>().unwrap_or_else(|| {
                            mode = "wrap".into();
                            vec!["*".into()]
                        })
                    });
                    let validator = Validator {
                        name: Arc::clone(&function.name),
                        mode,
                        fields,
                        home: Arc::clone(&home),
                        line: function.line,
                    };
                    let is_same =
                        |other: &&mut Validator| other.name == validator.name && other.fields.is_some() == is_for_fields;
                    match all.iter_mut().find(is_same) {
                        Some(other) => *other = validator,
                        None => all.push(validator),
                    }
                }
            }
        }
        let post_init = class.line().find_map(|home| Some((Arc::clone(&home), Arc::clone(home.function("model_post_init")?))));
        if let Some((home, function)) = post_init.filter(|(_, function)| !only_tidies(function)) {
            // It runs before all other checks of the finished table.
            let (name, mode, line) = (Arc::clone(&function.name), "after".into(), function.line);
            all.insert(0, Validator { name, mode, fields: None, home, line });
        }
        let all: Arc<[Validator]> = all.into();
        self.validators_of.insert(Arc::as_ptr(&class.def), Arc::clone(&all));
        all
    }
}

/// Whether a call creates a plain value: it calls a class of another package, or a builtin function. The result of any other call after a
/// field may be a `Field`.
fn makes_a_value(function: &str) -> bool {
    let is_class = function.rsplit('.').next().is_some_and(|last| last.starts_with(|first: char| first.is_ascii_uppercase()));
    let may_be_pydantic = ["pydantic", "functools", "typing"].iter().any(|package| function.starts_with(package));
    !may_be_pydantic && (is_class || is_known(function))
}

/// Whether a statement in the body of a class binds a name to something other than a function.
fn binds(stmt: &Stmt, name: &str) -> bool {
    let is_it = |target: &Expr| matches!(&target.kind, ExprKind::Name(own) if &**own == name);
    match &stmt.kind {
        StmtKind::Assign { targets, .. } => targets.iter().any(is_it),
        StmtKind::Annotated { target, value, .. } => value.is_some() && is_it(target),
        StmtKind::Class(inner) => &*inner.name == name,
        _ => false,
    }
}

/// The docstring of a field, which is the statement below it.
fn docstring(below: Option<&Stmt>) -> Option<Name> {
    match &below?.kind {
        StmtKind::Expression(expr) => match &expr.kind {
            ExprKind::Str(text) => Some(Arc::clone(text)),
            _ => None,
        },
        _ => None,
    }
}
