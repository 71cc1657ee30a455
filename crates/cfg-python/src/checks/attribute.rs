//! Evaluates the attributes of objects.

use std::{rc::Rc, sync::Arc};

use cfg_schema::{Assigned, Open, Reason, Seen, ValueSegment};

use super::{
    call::is_decorated,
    declared::constant_of_math,
    object::{DEEPEST, New, Object, Place, below},
    operators::type_name,
    paths::of_path,
    places::Where,
    run::{Frame, Outcome, Raise, Run},
    types::has_method,
};
use crate::{
    ast::{Expr, ExprKind, Name},
    class::Class,
    value::Value,
};

/// The type of `uuid4()`: its value is always unknown, and no check compares it with a value of the config.
pub(super) const UUID: &str = "uuid.UUID";

/// The methods of pydantic's `BaseModel` whose names do not begin with `model_`: those of its first version.
const OF_MODELS: [&str; 12] = [
    "construct",
    "copy",
    "dict",
    "from_orm",
    "json",
    "parse_file",
    "parse_obj",
    "parse_raw",
    "schema",
    "schema_json",
    "update_forward_refs",
    "validate",
];

impl Run<'_> {
    /// The object and the class of `super()`; `None` if the expression is something else.
    pub(super) fn super_of(frame: &Frame, of: &Expr) -> Option<(Object, Arc<Class>)> {
        let ExprKind::Call(call) = &of.kind else { return None };
        if !matches!(&call.function.kind, ExprKind::Name(name) if &**name == "super") || !call.arguments.is_empty() {
            return None;
        }
        let (class, first) = frame.class.clone()?;
        let (this, _) = frame.names.get(&first)?;
        Some((this.clone(), class))
    }

    /// An attribute of `super()`: the function of the next class after the class of the running function.
    pub(super) fn above(&self, frame: &Frame, line: u32, (this, class): &(Object, Arc<Class>), name: &Name) -> Object {
        let own = self.class_of(this).unwrap_or_else(|| Arc::clone(class));
        let line_of: Vec<Arc<Class>> = own.line().collect();
        let behind = line_of.iter().position(|one| Arc::ptr_eq(&one.def, &class.def)).map_or(0, |at| at + 1);
        let found = line_of.iter().skip(behind).find_map(|home| Some((Arc::clone(home), Arc::clone(home.function(name)?))));
        match found {
            Some((home, function)) => Object::Bound(Rc::new(this.clone()), home, function),
            None => {
                let value = line_of.get(behind).and_then(|above| self.code.class_value(above, name));
                value.map_or_else(|| self.unknown(frame, line, format!("`super().{name}`")), Object::constant)
            }
        }
    }

    /// The class of a table.
    pub(super) fn class_of(&self, object: &Object) -> Option<Arc<Class>> {
        match object {
            Object::Table(..) => match self.whereabouts(object) {
                Where::At(place) => match self.table.get(&place) {
                    Seen::Table(node) => self.code.class(node),
                    _ => None,
                },
                Where::Nowhere | Where::Gone => None,
            },
            Object::New(new) => Some(Arc::clone(&new.class)),
            _ => None,
        }
    }

    pub(super) fn attribute(&mut self, frame: &mut Frame, line: u32, of: &Object, name: &Name) -> Outcome<Object> {
        match of {
            Object::Unknown(_) => Ok(of.clone()),
            Object::Table(..) | Object::New(_) => match (self.whereabouts(of), of) {
                (Where::At(place), _) => self.of_table(frame, line, &self.table_at(&place), &place, name),
                (Where::Nowhere, Object::New(new)) => self.of_new(frame, line, of, new, name),
                _ => Ok(Object::Unknown(Self::gone())),
            },
            Object::Class(class) => Ok(self.of_class(frame, line, class, name)),
            Object::Member(member) => match (&**name, member.base()) {
                ("name", _) => Ok(Object::Str(Arc::clone(&member.name))),
                ("value", _) => Ok(member.value.clone()),
                (_, Some(base)) if member.class.function(name).is_none() => self.attribute(frame, line, &base.clone(), name),
                _ => Ok(self.unknown(frame, line, format!("`.{name}` of a member of an enumeration"))),
            },
            Object::Module(module) => Ok(self.code.of_module(module, name)),
            Object::External(external) if &**external == UUID => Ok(match &**name {
                "hex" => Object::str("0".repeat(32)),
                _ => self.machine(frame, line, "a random number"),
            }),
            Object::External(external) if matches!(&**name, "__path__" | "__file__") => {
                Ok(self.machine(frame, line, format!("where `{external}` is installed")))
            }
            Object::External(external) if BUILTIN_NAMES.contains(&&**external) && &**name == "__name__" => {
                Ok(Object::str(external.trim_start_matches("builtins.")))
            }
            Object::External(external)
                if &**external == "math"
                    && let Some(number) = constant_of_math(name) =>
            {
                Ok(Object::Float(number))
            }
            Object::External(external) => Ok(Object::External(crate::names::canonical(&format!("{external}.{name}").into()))),
            Object::Path(text) => Ok(of_path(of, text, name)),
            Object::Exception(exception) if &**name == "args" && exception.place.is_empty() | !exception.args.is_empty() => {
                Ok(Object::tuple(exception.args.to_vec()))
            }
            Object::Url(url) => match url.attribute(name) {
                Some(Ok(part)) => Ok(part),
                Some(Err(said)) => Err(self.raised(frame, line, "ValueError", said)),
                None => Ok(self.unknown(frame, line, format!("`.{name}` of a URL"))),
            },
            Object::Field(class, field) => Ok(match (&**name, self.code.field(class, field)) {
                ("annotation", Some(field)) if let Some(annotation) = of_annotation(&field.annotation) => annotation,
                ("is_required", Some(_)) => Object::Method(Rc::new(of.clone()), Arc::clone(name)),
                ("default", Some(field)) if field.has_factory || field.default.is_none() => {
                    Object::External("pydantic_core.PydanticUndefined".into())
                }
                ("default", Some(crate::field::Field { default: Some(default), .. })) => Object::declared(default),
                _ => self.unknown(frame, line, "pydantic's description of a field"),
            }),
            Object::Validation(validation) => Ok(match (&**name, &validation.field) {
                ("data", _) => validation.data.clone(),
                ("field_name", Some(field)) => Object::Str(Arc::clone(field)),
                // prime-rl validates configs in the mode `python`, without a context.
                ("mode", _) => Object::str("python"),
                ("context", _) => Object::None,
                _ => self.unknown(frame, line, format!("`.{name}` of pydantic's validation info")),
            }),
            Object::Function(_, function, _) if &**name == "__name__" => Ok(Object::Str(Arc::clone(&function.name))),
            Object::Pattern(_) | Object::Match(_) => Ok(Object::Method(Rc::new(of.clone()), Arc::clone(name))),
            of if of.is_builtin() => match has_method(of, name) {
                true => Ok(Object::Method(Rc::new(of.clone()), Arc::clone(name))),
                false if name.starts_with("__") => Ok(self.unknown(frame, line, format!("`.{name}`"))),
                false => Err(self.no_attribute(frame, line, type_name(of), name)),
            },
            _ => Ok(self.unknown(frame, line, format!("`.{name}`"))),
        }
    }

    fn of_table(&mut self, frame: &mut Frame, line: u32, of: &Object, place: &Place, name: &Name) -> Outcome<Object> {
        if let Some(value) = self.private.get(&(Rc::clone(place), Arc::clone(name))) {
            return Ok(value.clone());
        }
        let at = below(place, ValueSegment::Field(Arc::clone(name)));
        match self.table.get(&at) {
            Seen::Missing => {}
            seen => {
                self.reads.push(Rc::clone(&at));
                return Ok(self.field(of, name, seen, &at));
            }
        }
        match &**name {
            "model_fields_set" | "__pydantic_fields_set__" => {
                return Ok(Object::set(self.table.given(place).into_iter().map(Object::str).collect()));
            }
            "model_extra" | "__pydantic_extra__" => {
                return Ok(match self.table.extras(place) {
                    None => Object::None,
                    Some(extras) => Object::dict(
                        extras.iter().map(|(key, value)| (Object::Str(Arc::clone(key)), of_assigned(value))).collect(),
                    ),
                });
            }
            "__class__" if let Some(class) = self.class_of(of) => return Ok(Object::Class(class)),
            "model_copy" | "model_dump" | "copy" | "dict" => {
                return Ok(Object::Method(Rc::new(of.clone()), Arc::clone(name)));
            }
            _ => {}
        }
        let Some(class) = self.class_of(of) else {
            let base = self.table.base_class(place).and_then(|node| self.code.class(node));
            if let Some(base) = base.filter(|base| base.line().any(|home| home.function(name).is_some())) {
                return self.member(frame, line, of, &base, name);
            }
            return Ok(self.unknown(frame, line, format!("`.{name}` of a class whose source was not found")));
        };
        if let Some(extras) = self.table.extras(place)
            && let Some((_, value)) = extras.iter().find(|(key, _)| key == name)
        {
            return Ok(of_assigned(value));
        }
        self.member(frame, line, of, &class, name)
    }

    fn of_new(&mut self, frame: &mut Frame, line: u32, of: &Object, new: &New, name: &Name) -> Outcome<Object> {
        if let Some((_, value)) = new.given.borrow().iter().find(|(own, _)| own == name) {
            return Ok(value.clone());
        }
        match &**name {
            "model_fields_set" => {
                let names = self.given_alone(of).unwrap_or_default();
                return Ok(Object::set(names.into_iter().map(Object::Str).collect()));
            }
            "__class__" => return Ok(Object::Class(Arc::clone(&new.class))),
            "model_copy" | "model_dump" | "copy" | "dict" => return Ok(Object::Method(Rc::new(of.clone()), Arc::clone(name))),
            _ => {}
        }
        if self.code.field(&new.class, name).is_some() {
            return Ok(self.default_of(new, name).unwrap_or_else(|| self.unknown(frame, line, format!("`.{name}`"))));
        }
        let class = Arc::clone(&new.class);
        self.member(frame, line, of, &class, name)
    }

    /// The value of a field of a table that is in the config.
    pub(super) fn field(&self, of: &Object, name: &Name, seen: Seen, at: &Place) -> Object {
        let Some(class) = self.class_of(of) else { return self.object(seen, at) };
        let Some(field) = self.code.field(&class, name) else { return self.object(seen, at) };
        // A default is not converted to the type of its field.
        if let (Seen::Float(_), Some(default @ (Value::Int(_) | Value::Bool(_)))) = (&seen, &field.default)
            && let Some((_, above)) = at.split_last()
            && !self.table.given(above).contains(&&**name)
        {
            return Object::declared(default);
        }
        if field.unknown.is_some() && matches!(seen, Seen::List(_) | Seen::Map(_)) {
            return Object::Unknown(self.strange_why("a value whose type is not understood"));
        }
        let is_container = matches!(seen, Seen::List(_) | Seen::Map(_));
        let known = self.places.borrow().known(at);
        if is_container && let Some(container) = self.places.borrow().container(&known) {
            return container;
        }
        let object = self.object(seen, at);
        let typed = self.typed(object.clone(), &field.annotation, DEEPEST);
        if let Object::Set(_) = &typed {
            typed.set_home(Some(&known));
        }
        if is_container && !typed.is_same(&object) {
            self.places.borrow_mut().keep(&known, &typed);
        }
        typed
    }

    /// The default of a field of a table that a check has created: the same object whenever it is read.
    pub(super) fn default_of(&self, new: &New, name: &Name) -> Option<Object> {
        let default = Object::declared(self.code.field(&new.class, name)?.default.as_ref()?);
        if matches!(default, Object::List(_) | Object::Set(_) | Object::Dict(_) | Object::New(_)) {
            new.given.borrow_mut().push((Arc::clone(name), default.clone()));
            new.not_given.borrow_mut().insert(Arc::clone(name));
        }
        Some(default)
    }

    /// A property, a function or a value of the class of a table.
    fn member(&mut self, frame: &mut Frame, line: u32, of: &Object, class: &Arc<Class>, name: &Name) -> Outcome<Object> {
        let found = class.line().find_map(|home| Some((Arc::clone(&home), Arc::clone(home.function(name)?))));
        if let Some((home, function)) = found {
            if is_decorated(&function, &["property", "cached_property", "computed_field"]) {
                return self.function(&home.module, &function, Some(&home), vec![(of.clone(), Rc::default())], Vec::new());
            }
            return Ok(Object::Bound(Rc::new(of.clone()), home, function));
        }
        if let Some(value) = self.code.class_value(class, name) {
            if name.starts_with('_') {
                return Ok(self.private_default(name, value).unwrap_or_else(|| self.unknown(frame, line, format!("`.{name}`"))));
            }
            return Ok(Object::constant(value));
        }
        if &**name == "model_fields" {
            return Ok(self.of_class(frame, line, class, name));
        }
        if class.partial.is_some()
            || self.code.opaque.contains(&super::key(class))
            || name.starts_with('_')
            || name.starts_with("model_")
            || OF_MODELS.contains(&&**name)
            || class.line().any(|home| home.has_class(name))
        {
            return Ok(self.unknown(frame, line, format!("`.{name}` of `{}`", class.name)));
        }
        Err(self.no_attribute(frame, line, &class.name, name))
    }

    pub(super) fn no_attribute(&self, frame: &Frame, line: u32, class: &str, name: &Name) -> Raise {
        self.raised(frame, line, "AttributeError", format!("'{class}' object has no attribute '{name}'"))
    }

    /// The default of a private attribute; `None` if another check may have changed it.
    fn private_default(&self, name: &Name, value: &Value) -> Option<Object> {
        if self.code.assigned.contains(name) {
            return None;
        }
        let default = match value {
            Value::Call(call) if call.last() == "PrivateAttr" => match (call.arguments.first(), call.keyword("default")) {
                (Some(default), _) | (None, Some(default)) => default,
                _ => return None,
            },
            default => default,
        };
        match Object::declared(default) {
            Object::List(_) | Object::Dict(_) | Object::Set(_) | Object::New(_) => None,
            plain => Some(plain),
        }
    }

    fn of_class(&self, frame: &Frame, line: u32, class: &Arc<Class>, name: &Name) -> Object {
        if &**name == "__name__" || &**name == "__qualname__" {
            return Object::Str(Arc::clone(&class.name));
        }
        if &**name == "model_fields"
            && let Some(fields) = self.code.fields(class).filter(|_| class.partial.is_none())
        {
            let field = |name: &Name| (Object::Str(Arc::clone(name)), Object::Field(Arc::clone(class), Arc::clone(name)));
            return Object::dict(fields.iter().map(|one| field(&one.name)).collect());
        }
        let found = class.line().find_map(|home| Some((Arc::clone(&home), Arc::clone(home.function(name)?))));
        if let Some((home, function)) = found {
            return Object::Bound(Rc::new(Object::Class(Arc::clone(class))), home, function);
        }
        if &**name == "model_validate" && class.is_model {
            return Object::Method(Rc::new(Object::Class(Arc::clone(class))), Arc::clone(name));
        }
        match self.code.class_value(class, name) {
            _ if class.is_enum => match self.member_named(class, name) {
                Some(member) => member,
                None => self.unknown(frame, line, format!("`{}.{name}`", class.name)),
            },
            Some(value) => Object::constant(value),
            _ => self.unknown(frame, line, format!("`{}.{name}`", class.name)),
        }
    }
}

/// Types of Python whose names are their own.
const BUILTIN_NAMES: [&str; 8] = [
    "builtins.int",
    "builtins.float",
    "builtins.bool",
    "builtins.str",
    "builtins.list",
    "builtins.dict",
    "builtins.set",
    "builtins.tuple",
];

/// A type as an object; `None` for types that are more than names of classes.
fn of_annotation(annotation: &Value) -> Option<Object> {
    match annotation {
        Value::Class(_) | Value::External(_) | Value::Generic(..) => Some(Object::declared(annotation)),
        Value::Union(members) => Some(Object::types(members.iter().map(of_annotation).collect::<Option<_>>()?)),
        Value::None => Some(Object::None),
        _ => None,
    }
}

/// The value of an extra key, which a table keeps without knowing it.
fn of_assigned(value: &Assigned) -> Object {
    match value {
        Assigned::Null => Object::None,
        Assigned::Bool(value) => Object::Bool(*value),
        Assigned::Int(value) => Object::Int(*value),
        Assigned::Float(value) => Object::Float(*value),
        Assigned::Str(text) => Object::Str(Arc::clone(text)),
        Assigned::List(items) => Object::list(items.iter().map(of_assigned).collect()),
        Assigned::Map(entries) => {
            Object::dict(entries.iter().map(|(key, value)| (Object::Str(Arc::clone(key)), of_assigned(value))).collect())
        }
        Assigned::Unknown | Assigned::Copy(_) | Assigned::Table(..) => {
            let why = "the value of an extra key".to_owned();
            Object::Unknown(Rc::new(Open { why, place: String::new(), reason: Reason::Code }))
        }
    }
}
