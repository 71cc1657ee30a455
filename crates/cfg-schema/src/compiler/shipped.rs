//! The config classes that are part of the verifiers package, as they were at each point. `cargo xtask history shipped` writes
//! them.

use std::sync::LazyLock;

use crate::{Node, OwnCheck, Point, Role};

use crate::compiler::{compile_class, packages::schema_commits, parse, recorded};

const SHIPPED: &str = include_str!("../../../../schemas/shipped.schema");

/// The mode in the text for a check that a class declares itself.
const OWN: &str = "own";

/// Modules of verifiers that are accepted without any other package and without any key: all keys have defaults.
const WHOLE: [(Role, &[&str]); 4] = [
    (
        Role::Harness,
        &[
            "default",
            "bash",
            "bash_edit",
            "null",
            "codex",
            "kimi_code",
            "mini_swe_agent",
            "rlm",
            "terminus_2",
            "pi",
            "claude_code",
            "pool",
            "browser_use",
            "hermes_agent",
            "openclaw",
        ],
    ),
    (Role::Taskset, &["harbor"]),
    (Role::Judge, &["reference"]),
    (Role::Environment, &["single_agent", "best_of_n"]),
];

/// Whether a module of verifiers is accepted without any other package and without any key.
pub fn comes_whole(role: Role, module: &str) -> bool {
    WHOLE.iter().any(|(of, modules)| *of == role && modules.contains(&module))
}

/// All classes below one root. They are read when a config first names one.
static ALL: LazyLock<Option<Node>> = LazyLock::new(|| compiled(SHIPPED));

/// The fields of a text over intervals of schema commits, as a separate history.
pub(crate) fn compiled(text: &str) -> Option<Node> {
    let points = schema_commits();
    let index_of = |sha: &str| points.get(sha).map(|point| point.0).ok_or_else(|| format!("{sha} is not a schema commit"));
    compile_class(&parse(text, &index_of).ok()?, &[]).ok()
}

/// The class of verifiers for a role and a module's name at a point; `None` if verifiers has no such module there.
pub fn shipped(role: Role, module: &str, point: Point) -> Option<Node> {
    class(*ALL, field_of(role), module, point)
}

/// The class of the environment that verifiers has for one of its own tasksets.
pub fn shipped_environment_of(taskset: &str, point: Point) -> Option<Node> {
    class(*ALL, ENVIRONMENT_OF, taskset, point)
}

/// The table of the environments that come with tasksets, by the modules of these.
pub(crate) const ENVIRONMENT_OF: &str = "env_of";

/// The table of the classes of a role, by module.
pub(crate) const fn field_of(role: Role) -> &'static str {
    match role {
        Role::Harness => "harness",
        Role::Taskset => "taskset",
        Role::Judge => "judge",
        Role::Environment => "env",
    }
}

/// The class of a module in a table below the root `all`.
pub(crate) fn class(all: Option<Node>, table: &str, module: &str, point: Point) -> Option<Node> {
    let class = all?.field(table)?.field(module)?;
    class.at(point).map(|_| class)
}

/// The fields of the class of a role with those that one of its classes has of its own, which replace others of the same name. Each of the two has a
/// point; what the class `lacks` of its role is left out.
///
/// # Errors
/// The fields contradict each other.
pub fn with_own(declared: Node, point: Point, own: Node, at: Point, lacks: impl Fn(&str) -> bool) -> Result<Node, String> {
    let names: Vec<&str> = own.fields(at).filter_map(|(field, _)| field.field_name()).collect();
    // The first step of a path after the root's.
    let first = |path: &str| path.trim_start_matches('.').split(['.', '[', '<']).next().unwrap_or_default().to_owned();
    let of_role = recorded(declared, point, "").into_iter().map(|(_, field)| field);
    let of_role = of_role.filter(|field| {
        let first = first(&field.path);
        !names.contains(&&*first) && !lacks(&first)
    });
    let of_class = recorded(own, at, "").into_iter().map(|(_, field)| field).filter(|field| !field.path.is_empty());
    compile_class(&of_role.chain(of_class).collect::<Vec<_>>(), &[])
}

/// The checks that such a class declares itself, at a point; `place` is where that is.
pub fn own_checks(class: Node, point: Point, place: &str) -> Vec<OwnCheck> {
    let Some(interval) = class.at(point) else { return Vec::new() };
    let check = |name: &str| {
        let (name, reads) = match name.strip_suffix(')').and_then(|name| name.split_once('(')) {
            Some((name, fields)) => (name, Some(fields.split(',').map(str::to_owned).collect())),
            None => (name, None),
        };
        OwnCheck { name: name.to_owned(), place: place.to_owned(), reads }
    };
    interval.validators().filter(|(mode, _)| *mode == OWN).map(|(_, name)| check(name)).collect()
}

#[cfg(test)]
mod tests {
    use crate::{History, Role, Target};

    use super::{ALL, own_checks, shipped, shipped_environment_of};

    #[test]
    fn classes_have_their_fields_with_types_at_their_time() {
        assert!(ALL.is_some(), "the file is in the notation of the history");
        let newest = History::built_in().newest();
        let class = |role, name| shipped(role, name, newest).unwrap_or_else(|| panic!("{name} comes with verifiers"));
        let ty = |node: crate::Node, field: &str| {
            crate::compiler::type_in_notation(node.field(field).and_then(|field| field.at(newest)).expect(field).field_type())
        };
        assert_eq!(ty(class(Role::Harness, "codex"), "multi_agent"), "bool");
        assert_eq!(ty(class(Role::Harness, "rlm"), "max_depth"), "int");
        assert_eq!(ty(class(Role::Taskset, "harbor"), "timeout_multiplier"), "float(gt 0)");
        assert!(shipped_environment_of("harbor", newest).is_some());
        let old = Target::parse(History::built_in(), "0.4.0").expect("a release").point;
        assert_eq!(shipped(Role::Harness, "codex", old), None);
        let checks = own_checks(class(Role::Harness, "rlm"), newest, "verifiers");
        assert!(checks.iter().any(|check| check.reads.as_deref() == Some(&["disabled_tools".to_owned()])), "{checks:?}");
    }
}
