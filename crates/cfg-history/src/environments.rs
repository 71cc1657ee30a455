//! The config classes of the environments in verifiers' repository, as they were at each point. `cargo xtask history environments` writes them.

use std::sync::LazyLock;

use cfg_schema::{Node, Point, Role, TypeKind, Unread};

use crate::shipped::{ENVIRONMENT_OF, class, compiled, field_of};

const ENVIRONMENTS: &str = include_str!("../../../schemas/environments.schema");

/// All classes below one root. They are read when a config first names one whose source is not available.
static ALL: LazyLock<Option<Node>> = LazyLock::new(|| compiled(ENVIRONMENTS));

/// The class that an environment of verifiers' repository has for a role at a point, by its module: the fields that are its own.
pub fn environment_class(role: Role, module: &str, point: Point) -> Option<Node> {
    known(field_of(role), module, point)
}

/// The class of the environment that comes with a taskset in verifiers' repository; `None` if it has none.
///
/// # Errors
/// The taskset, or what it comes with, is not recorded.
pub fn environment_of_taskset(module: &str, point: Point) -> Result<Option<Node>, Unread> {
    let is_known = environment_class(Role::Taskset, module, point).is_some();
    match class(*ALL, ENVIRONMENT_OF, module, point) {
        _ if !is_known => Err(Unread::Absent),
        None => Ok(None),
        Some(_) => known(ENVIRONMENT_OF, module, point).map(Some).ok_or(Unread::Absent),
    }
}

/// A class whose fields are recorded: it is a table then.
fn known(table: &str, module: &str, point: Point) -> Option<Node> {
    let is_table = |class: &Node| class.at(point).is_some_and(|at| matches!(at.field_type().kind(), TypeKind::Table(_)));
    class(*ALL, table, module, point).filter(is_table)
}

#[cfg(test)]
mod tests {
    use cfg_schema::{History, Role, Target};

    use super::{ALL, environment_class, environment_of_taskset};

    #[test]
    fn classes_have_their_own_fields_at_their_time() {
        assert!(ALL.is_some(), "the file is in the notation of the history");
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
