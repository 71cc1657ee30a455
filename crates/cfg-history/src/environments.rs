//! The config classes of the environments in verifiers' repository, as they were at each point. `cargo xtask history environments` writes them.

use std::{
    collections::HashMap,
    sync::{LazyLock, Mutex, PoisonError},
};

use cfg_schema::{Node, Point, Role, TypeKind, Unread};

use crate::shipped::{ENVIRONMENT_OF, class, compiled, field_of};

const ENVIRONMENTS: &str = include_str!("../../../schemas/environments.schema");

/// The roots above single classes that a config has named, by table and module. A config names few, and all of them together take longer than a check.
static ROOTS: LazyLock<Mutex<HashMap<String, Option<Node>>>> = LazyLock::new(Mutex::default);

/// The class that an environment of verifiers' repository has for a role at a point, by its module: the fields that are its own.
pub fn environment_class(role: Role, module: &str, point: Point) -> Option<Node> {
    recorded_class(field_of(role), module, point).filter(|class| is_table(*class, point))
}

/// The class of the environment that comes with a taskset in verifiers' repository; `None` if it has none.
///
/// # Errors
/// The taskset, or what it comes with, is not recorded.
pub fn environment_of_taskset(module: &str, point: Point) -> Result<Option<Node>, Unread> {
    if environment_class(Role::Taskset, module, point).is_none() {
        return Err(Unread::Absent);
    }
    match recorded_class(ENVIRONMENT_OF, module, point) {
        None => Ok(None),
        Some(class) if is_table(class, point) => Ok(Some(class)),
        Some(_) => Err(Unread::Absent),
    }
}

/// Whether the fields of a class are recorded.
fn is_table(class: Node, point: Point) -> bool {
    class.at(point).is_some_and(|at| matches!(at.field_type().kind(), TypeKind::Table(_)))
}

/// The class of a module in a table at a point: a table if its fields are recorded, and `any` if they are not.
fn recorded_class(table: &str, module: &str, point: Point) -> Option<Node> {
    let path = format!("{table}.{module}");
    let mut roots = ROOTS.lock().unwrap_or_else(PoisonError::into_inner);
    let root = *roots.entry(path).or_insert_with_key(|path| text_of(table, path).and_then(|text| compiled(&text)));
    class(root, table, module, point)
}

/// The part of the file that a class needs: its own fields, and what is above them. `None` if it is not in the file.
fn text_of(table: &str, path: &str) -> Option<String> {
    let is_within = |key: &str| key.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '<', '[']));
    let blocks = ENVIRONMENTS.split("\n\n").map(|block| (block.lines().next().unwrap_or_default(), block));
    let mut is_there = false;
    let blocks: Vec<&str> = blocks
        .filter(|(key, _)| {
            is_there |= *key == path;
            *key == "(root)" || *key == table || is_within(key)
        })
        .map(|(_, block)| block)
        .collect();
    is_there.then(|| blocks.join("\n\n") + "\n")
}

#[cfg(test)]
mod tests {
    use cfg_schema::{History, Role, Target};

    use super::{ENVIRONMENTS, compiled, environment_class, environment_of_taskset};

    #[test]
    fn classes_have_their_own_fields_at_their_time() {
        assert!(compiled(ENVIRONMENTS).is_some(), "the file is in the notation of the history");
        let newest = History::built_in().newest();
        assert!(environment_class(Role::Taskset, "reverse_text", newest).is_some());
        assert!(environment_class(Role::Harness, "reverse_text", newest).is_none());
        assert_eq!(environment_of_taskset("reverse_text", newest), Ok(None));
        assert!(matches!(environment_of_taskset("kuhn_poker", newest), Ok(Some(_))));
        assert!(environment_of_taskset("swebench_verified", newest).is_err(), "it is in another repository");
        let old = Target::parse(History::built_in(), "0.4.0").expect("a release").point;
        assert!(environment_class(Role::Taskset, "reverse_text", old).is_none());
    }
}
