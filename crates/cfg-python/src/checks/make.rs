//! Creates tables in a check, as pydantic does from given values.

use std::{rc::Rc, sync::Arc};

use cfg_schema::{Assigned, Reason};

use super::{
    Made, OfItsField,
    call::{Given, Named},
    control::is_exception,
    dump::makes_tables,
    heap,
    object::{DEEPEST, Exception, Names, Object, Why},
    run::{Frame, Outcome, Raise, Run},
};
use crate::{ast::Name, class::Class, value::Value};

/// The values of the fields of a table, or why they are unknown.
type Fields = Result<Vec<(Name, Object)>, Why>;

impl Run<'_> {
    /// Creates a table of a class from given values, with the validators of the class and the types of its fields. If the result is unknown, so
    /// is whether the table is refused.
    pub(super) fn make(&mut self, frame: &Frame, line: u32, class: &Arc<Class>, given: &Given, named: Named) -> Outcome<Object> {
        let Some(made) = self.code.made(class).filter(|_| given.is_empty()) else {
            return Ok(self.not_made(self.why(&frame.module, line, format!("how `{}` is created", class.name))));
        };
        let raw = named.into_iter().map(|(name, (value, _))| (Object::Str(name), value)).collect();
        let raw = match self.prepared(class, &made, Object::dict(raw)).map_err(|raised| as_validation_error(&raised))? {
            Ok(raw) => raw,
            Err(why) => return Ok(self.not_made(why)),
        };
        let fields = match self.filled(frame, line, class, &made, &raw)? {
            Ok(fields) => fields,
            Err(why) => return Ok(self.not_made(why)),
        };
        let table = Object::new(class, fields);
        for (home, function) in &made.after {
            self.validator(table.clone(), home, function).map_err(|raised| as_validation_error(&raised))?;
        }
        if let Object::New(new) = &table {
            new.is_checked.set(true);
        }
        Ok(table)
    }

    fn not_made(&mut self, why: Why) -> Object {
        if why.reason != Reason::Machine {
            self.open(&why);
        }
        Object::Unknown(why)
    }

    /// The given values after the validators of the raw table have run; the inner error says why they are unknown.
    fn prepared(&mut self, class: &Arc<Class>, made: &Made, mut raw: Object) -> Outcome<Result<Object, Why>> {
        for ((home, function), is_known) in &made.before {
            let opened = self.opened.take();
            let called = Object::Bound(Rc::new(Object::Class(Arc::clone(class))), Arc::clone(home), Arc::clone(function));
            let mut frame = Frame::new(&home.module, Names::new(), None);
            let before = raw.items_of_dict();
            let given = self.with_validation(home, function, raw.clone());
            let after = self.call(&mut frame, function.line, &called, given, Vec::new());
            let is_decided = std::mem::replace(&mut self.opened, opened).is_none();
            let after = after?;
            raw = match before {
                _ if is_decided && after.items_of_dict().is_some() => after,
                // The known validators of the raw table only convert forms that code does not use.
                Some(before) if *is_known => Object::dict(before),
                _ => {
                    let why = format!("the result of `{}` for the values of `{}`", function.name, class.name);
                    return Ok(Err(self.why(&home.module, function.line, why)));
                }
            };
        }
        Ok(Ok(raw))
    }

    /// The values of the fields after their types have checked them; the inner error says why they are unknown.
    fn filled(&mut self, frame: &Frame, line: u32, class: &Arc<Class>, made: &Made, raw: &Object) -> Outcome<Fields> {
        let mut fields: Vec<(Name, Object)> = Vec::new();
        let refused = |run: &Self, field: &str, kind: &str, what: &str| {
            let message = format!("1 validation error for {}: `{field}` {what}", class.name);
            let raised = as_validation_error(&run.raised(frame, line, "ValueError", message));
            Rc::new(Exception { of_field: Some((kind.to_owned(), field.to_owned())), ..(*raised).clone() })
        };
        for (key, value) in raw.items_of_dict().unwrap_or_default() {
            let Object::Str(key) = key else {
                return Ok(Err(self.why(&frame.module, line, format!("a key for `{}`", class.name))));
            };
            let all = self.code.fields(class).unwrap_or_default();
            let by_name = |field: &crate::field::Field| field.aliases.is_empty() && field.name == key;
            let Some(field) = all.iter().find(|field| field.aliases.contains(&key) || by_name(field)) else {
                match made.policy {
                    "forbid" => return Err(refused(self, &key, "extra_forbidden", "is not a field")),
                    "ignore" => continue,
                    _ => return Ok(Err(self.why(&frame.module, line, format!("`{key}`, which `{}` keeps", class.name)))),
                }
            };
            let (name, annotation) = (Arc::clone(&field.name), field.annotation.clone());
            let is_unmodelled = ["*", &*name].into_iter().any(|one| made.unmodelled.contains(one));
            let value = self.undumped(value, field);
            let value = self.tabled(frame, line, &annotation, value);
            let value = self.checked(class, made, &name, value, true)?;
            // What becomes of a table that is created of a dict is not modelled.
            let accepts = self.accepts(class, &name, &annotation, &value).filter(|_| !makes_tables(&annotation, &value));
            match accepts {
                Some(Ok(())) if !is_unmodelled => {
                    let value = fresh(&value, &annotation, DEEPEST);
                    let value = self.checked(class, made, &name, value, false)?;
                    fields.push((name, value));
                }
                Some(Err(kind)) => return Err(refused(self, &key, &kind, &format!("is refused ({kind})"))),
                _ => {
                    let why = match &value {
                        Object::Unknown(why) => Rc::clone(why),
                        _ => self.why(&frame.module, line, format!("how `{}` converts its `{name}`", class.name)),
                    };
                    return Ok(Err(why));
                }
            }
        }
        let is_absent = |field: &&crate::field::Field| {
            let is_given = fields.iter().any(|(given, _)| *given == field.name);
            field.default.is_none() && !field.has_factory && !is_given
        };
        let absent = self.code.fields(class).unwrap_or_default().iter().find(is_absent).map(|field| Arc::clone(&field.name));
        match absent {
            Some(name) => Err(refused(self, &name, "missing", "is missing")),
            None => Ok(Ok(fields)),
        }
    }

    /// Runs the checks of a field that run before its type (`before`), or those that run after it.
    fn checked(&mut self, class: &Arc<Class>, made: &Made, field: &Name, value: Object, before: bool) -> Outcome<Object> {
        let is_for = |one: &&OfItsField| one.is_before == before && one.fields.iter().any(|own| own == field || &**own == "*");
        let mut checks: Vec<&OfItsField> = made.of_fields.iter().filter(is_for).collect();
        // The last defined check runs first.
        if before {
            checks.reverse();
        }
        let mut value = value;
        for OfItsField { check: (home, function), .. } in checks {
            let called = Object::Bound(Rc::new(Object::Class(Arc::clone(class))), Arc::clone(home), Arc::clone(function));
            let mut frame = Frame::new(&home.module, Names::new(), None);
            let given = self.with_validation(home, function, value);
            let made = self.call(&mut frame, function.line, &called, given, Vec::new());
            value = made.map_err(|raised| {
                let kind = if is_exception(&raised, "AssertionError") { "assertion_error" } else { "value_error" };
                let of_field = Some((kind.to_owned(), field.to_string()));
                Rc::new(Exception { of_field, ..(*as_validation_error(&raised)).clone() })
            })?;
        }
        Ok(value)
    }

    /// The tables that a type makes of dicts; a value with a dict of which it is unknown what becomes of it is left as it is.
    fn tabled(&mut self, frame: &Frame, line: u32, annotation: &Value, value: Object) -> Object {
        match (&value, only_member(annotation)) {
            (Object::Dict(dict), Value::Class(class)) if class.is_model => {
                let entries = value.items_of_dict().unwrap_or_default();
                let named: Option<Named> = entries
                    .iter()
                    .map(|(key, value)| match key {
                        Object::Str(key) => Some((Arc::clone(key), (value.clone(), Rc::default()))),
                        _ => None,
                    })
                    .collect();
                let Some(named) = named.filter(|_| dict.lost.borrow().is_none() && self.maybe.is_none()) else { return value };
                let opened = self.opened.take();
                let made = self.make(frame, line, &Arc::clone(class), &Vec::new(), named);
                self.opened = opened;
                match made {
                    Ok(made @ Object::New(_)) => made,
                    _ => value,
                }
            }
            (Object::List(list), Value::Generic(_, members)) if list.lost.borrow().is_none() => {
                let [inner] = &**members else { return value };
                let items = list.value.borrow().clone();
                if !items.iter().any(|item| matches!(item, Object::Dict(_))) {
                    return value;
                }
                Object::list(items.into_iter().map(|item| self.tabled(frame, line, inner, item)).collect())
            }
            _ => value,
        }
    }

    /// Whether a type accepts a value of tables as it is.
    fn are_for(&self, annotation: &Value, value: &Object, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        match (value, only_member(annotation)) {
            (Object::Table(..) | Object::New(_), _) => self.class_of(value).is_some_and(|own| is_for(annotation, &own)),
            (Object::List(list), Value::Generic(name, members)) if is_of(name, &["list", "List"]) => {
                let [inner] = &**members else { return false };
                list.lost.borrow().is_none() && list.value.borrow().iter().all(|item| self.are_for(inner, item, depth))
            }
            (Object::Dict(dict), Value::Generic(name, members)) if is_of(name, &["dict", "Dict"]) => {
                let [Value::External(key), inner] = &**members else { return false };
                let is_entry = |(own, value): &(Object, Object)| {
                    &**key == "builtins.str" && matches!(own, Object::Str(_)) && self.are_for(inner, value, depth)
                };
                dict.lost.borrow().is_none() && dict.value.borrow().iter().all(is_entry)
            }
            _ => false,
        }
    }

    /// Whether a field of a class accepts a value unchanged; if not, the type of pydantic's error. `None` if that is unknown.
    fn accepts(&self, class: &Arc<Class>, field: &Name, annotation: &Value, value: &Object) -> Option<Result<(), String>> {
        // An instance of a class is not validated again.
        if has_instances(value, DEEPEST) {
            return self.are_for(annotation, value, DEEPEST).then_some(Ok(()));
        }
        let assigned: Assigned = self.assigned(&[], value).ok()?;
        self.table.accepts(self.code.home(class)?, field, &assigned)
    }
}

/// Whether an object is a table, or contains one.
fn has_instances(value: &Object, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1).filter(|_| heap::spend(1)) else { return true };
    match value {
        Object::Table(..) | Object::New(_) => true,
        Object::List(items) | Object::Set(items) => items.value.borrow().iter().any(|item| has_instances(item, depth)),
        Object::Tuple(items) => items.iter().any(|item| has_instances(item, depth)),
        Object::Dict(entries) => entries.value.borrow().iter().any(|(_, value)| has_instances(value, depth)),
        _ => false,
    }
}

/// The only alternative of a type beside `None`; the type itself if it has no or several.
fn only_member(annotation: &Value) -> &Value {
    let members = match annotation {
        Value::Union(members) => members,
        Value::Generic(name, members) if matches!(&**name, "typing.Optional" | "typing.Union") => members,
        Value::Generic(name, members) if &**name == "typing.Annotated" => return members.first().map_or(annotation, only_member),
        _ => return annotation,
    };
    let mut others = members.iter().filter(|member| !matches!(member, Value::None));
    match (others.next(), others.next()) {
        (Some(only), None) => only_member(only),
        _ => annotation,
    }
}

/// Whether a dotted name ends with one of these names.
fn is_of(name: &str, words: &[&str]) -> bool {
    words.contains(&name.rsplit('.').next().unwrap_or_default())
}

/// What a type makes of a value that it accepts: pydantic creates the lists, sets and dicts anew that the type names.
fn fresh(value: &Object, annotation: &Value, depth: usize) -> Object {
    let Some(depth) = depth.checked_sub(1).filter(|_| heap::spend(1)) else { return value.clone() };
    let members: &[Value] = match only_member(annotation) {
        Value::Generic(_, members) => members,
        Value::External(name) if name.starts_with("builtins.") && &**name != "builtins.object" => &[],
        _ => return value.clone(),
    };
    let inner =
        |value: &Object, member: Option<&Value>| member.map_or_else(|| value.clone(), |member| fresh(value, member, depth));
    match value {
        Object::List(list) if list.lost.borrow().is_none() => {
            Object::list(list.value.borrow().iter().map(|item| inner(item, members.first())).collect())
        }
        Object::Set(set) if set.lost.borrow().is_none() => Object::set(set.value.borrow().clone()),
        Object::Dict(dict) if dict.lost.borrow().is_none() => {
            let entries = dict.value.borrow();
            Object::dict(entries.iter().map(|(key, value)| (key.clone(), inner(value, members.get(1)))).collect())
        }
        _ => value.clone(),
    }
}

/// Whether a type accepts instances of a class.
fn is_for(annotation: &Value, class: &Class) -> bool {
    match annotation {
        Value::Class(own) => class.is_a(own),
        Value::Union(members) => members.iter().any(|member| is_for(member, class)),
        Value::Generic(name, members) if matches!(&**name, "typing.Optional" | "typing.Union" | "typing.Annotated") => {
            members.iter().any(|member| is_for(member, class))
        }
        _ => false,
    }
}

/// The exception in which pydantic collects the errors of a table's checks.
fn as_validation_error(raised: &Exception) -> Raise {
    let is_caught = ["ValueError", "AssertionError"].into_iter().any(|name| is_exception(raised, name));
    let name = if is_caught { "ValidationError".into() } else { Arc::clone(&raised.name) };
    let bases = if is_caught { vec!["ValueError".into()] } else { raised.bases.clone() };
    Rc::new(Exception { name, bases, ..raised.clone() })
}
