//! The functions of verifiers that look up the class of a raw table by its `id`. The table itself knows what they find.

use std::{rc::Rc, sync::Arc};

use cfg_schema::ValueSegment;

use super::{
    call::Given,
    object::{Object, Place, below},
    run::{Frame, Outcome, Run},
};

impl Run<'_> {
    /// The result of such a function; `None` if it is not one, or the table is not one whose class is looked up.
    pub(super) fn look_up(&mut self, frame: &Frame, line: u32, function: &Object, given: &Given) -> Option<Outcome<Object>> {
        let (name, has_source) = match function {
            Object::Function(module, function, _) if is_of_verifiers(&module.name) => (&*function.name, true),
            Object::External(name) if is_of_verifiers(name) => (name.rsplit('.').next()?, false),
            _ => return None,
        };
        let objects: Vec<&Object> = given.iter().map(|(object, _)| object).collect();
        let (at, made) = match (name, &objects[..]) {
            // With its source, what it does before the lookup is known.
            ("resolve_env_field", [data, ..]) if !has_source => (entry(data, "env")?, (*data).clone()),
            ("narrow_plugin_field", [data, Object::Str(field), ..]) => (entry(data, field)?, Object::None),
            ("resolve_env_config" | "resolve_judges", [Object::Dict(dict), ..]) => (dict.home()?, (*objects.first()?).clone()),
            ("resolve_env_config" | "resolve_judges", [Object::List(list), ..]) => (list.home()?, (*objects.first()?).clone()),
            ("resolve_env_config" | "resolve_judges", [_, ..]) => {
                let at = given.first()?.1.iter().find(|place| place.len() == 1)?;
                (Rc::clone(at), self.unknown(frame, line, format!("what `{name}` makes of a value that is not a table")))
            }
            _ => return None,
        };
        if self.maybe.is_some() {
            return None;
        }
        Some(match self.table.look_up(&at)? {
            Ok(()) => Ok(made),
            Err((exception, message)) => {
                self.reads.push(Rc::clone(&at));
                Err(self.raised(frame, line, &exception, message))
            }
        })
    }
}

fn is_of_verifiers(name: &str) -> bool {
    name.split('.').next() == Some("verifiers")
}

/// The path of an entry of a raw table.
fn entry(data: &Object, key: &str) -> Option<Place> {
    let Object::Dict(entries) = data else { return None };
    Some(below(&entries.home()?, ValueSegment::Key(Arc::from(key))))
}
