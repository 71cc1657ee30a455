//! The config classes of the environments in verifiers' repository, as they were at each point. `cargo xtask history environments` writes them.

use std::{
    collections::{HashMap, HashSet},
    sync::{LazyLock, Mutex, PoisonError},
};

use crate::{Node, Point, Role, TypeKind, Unread};

use crate::compiler::shipped::{ENVIRONMENT_OF, class, compiled, field_of};

const ENVIRONMENTS: &str = include_str!("../../../../schemas/environments.schema");

/// The parts of the file, by table and module: the class with its fields.
static BLOCKS: LazyLock<HashMap<&str, Vec<&str>>> = LazyLock::new(|| {
    let mut blocks: HashMap<&str, Vec<&str>> = HashMap::new();
    for block in ENVIRONMENTS.trim_end().split("\n\n") {
        let key = block.lines().next().unwrap_or_default();
        let fields = key.find('.').and_then(|dot| Some(dot + 1 + key[dot + 1..].find(['.', '<', '['])?));
        blocks.entry(fields.map_or(key, |end| &key[..end])).or_default().push(block);
    }
    blocks
});

/// The modules of all tables.
static MODULES: LazyLock<HashSet<&str>> =
    LazyLock::new(|| BLOCKS.keys().filter_map(|key| key.split_once('.')).map(|(_, module)| module).collect());

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

/// Whether anything is recorded of a module, at any point.
pub fn has_environment(module: &str) -> bool {
    MODULES.contains(module)
}

/// Whether the fields of a class are recorded.
fn is_table(class: Node, point: Point) -> bool {
    class.at(point).is_some_and(|at| matches!(at.field_type().kind(), TypeKind::Table(_)))
}

/// The class of a module in a table at a point: a table if its fields are recorded, and `any` if they are not.
fn recorded_class(table: &str, module: &str, point: Point) -> Option<Node> {
    let path = format!("{table}.{module}");
    let blocks = BLOCKS.get(&*path)?;
    let mut roots = ROOTS.lock().unwrap_or_else(PoisonError::into_inner);
    let root = *roots.entry(path).or_insert_with(|| {
        let above = ["(root)", table].into_iter().filter_map(|key| BLOCKS.get(key)).flatten();
        compiled(&(above.chain(blocks).copied().collect::<Vec<_>>().join("\n\n") + "\n"))
    });
    class(root, table, module, point)
}

#[cfg(test)]
mod tests {
    use crate::{History, Role, Target};

    use super::{ENVIRONMENTS, compiled, environment_class, environment_of_taskset, has_environment};

    #[test]
    fn classes_have_their_own_fields_at_their_time() {
        assert!(compiled(ENVIRONMENTS).is_some(), "the file is in the notation of the history");
        assert!(has_environment("reverse_text") && !has_environment("swebench_verified"));
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
