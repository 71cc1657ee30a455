//! The arguments of environments and of vLLM, which are free keys in the schema.

use std::borrow::Cow;

use cfg_resolve::FreeTable;
use cfg_rules::declared::Declared;

use crate::{
    Analysis,
    place::{self, PathSegment},
};

/// The table at a path, if it takes any key and what reads it is known.
pub(crate) fn free_table(analysis: &Analysis, path: &[PathSegment]) -> Option<FreeTable> {
    let Some(PathSegment::Key(name)) = path.last() else { return None };
    let schema = analysis.schema();
    let types = place::types(schema, &analysis.document.root, path);
    types.into_iter().find_map(|ty| FreeTable::of(name, ty, schema))
}

/// The declaration of the environment whose arguments contain a path.
pub(crate) fn declared(analysis: &Analysis, path: &[PathSegment]) -> Option<Cow<'static, Declared>> {
    let Some(PathSegment::Key(last)) = path.last() else { return None };
    if &**last != "args" {
        return None;
    }
    let mut key = String::new();
    for step in path {
        match step {
            PathSegment::Key(part) if key.is_empty() => key.push_str(part),
            PathSegment::Key(part) => key.push_str(&format!(".{part}")),
            PathSegment::Index(index) => key.push_str(&format!("[{index}]")),
        }
    }
    let is_it =
        |environment: &&cfg_plan::Environment| key.strip_prefix(&environment.key).is_some_and(|rest| rest.starts_with('.'));
    let environment = analysis.plan()?.environments.iter().find(is_it)?;
    Declared::of(environment, &analysis.project)
}
