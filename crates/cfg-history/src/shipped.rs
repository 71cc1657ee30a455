//! The config classes that are part of the verifiers package, as they were at each point. `cargo xtask history shipped` writes
//! them.

use std::{collections::HashMap, sync::LazyLock};

use cfg_schema::{History, Node, OwnCheck, Point, Role};

use crate::{compile_class, parse};

const SHIPPED: &str = include_str!("../../../schemas/shipped.schema");

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

/// All classes below one root, as a history of their own. It is parsed when a config first names such a class.
static ALL: LazyLock<Option<Node>> = LazyLock::new(|| {
    let history = History::built_in();
    let points: HashMap<String, u16> =
        (0..=history.newest().0).filter_map(|index| Some((history.commit_of(Point(index))?.short_sha(), index))).collect();
    let index_of = |sha: &str| points.get(sha).copied().ok_or_else(|| format!("{sha} is not a schema commit"));
    compile_class(&parse(SHIPPED, &index_of).ok()?, &[]).ok()
});

/// The class of verifiers for a role and a module's name at a point; `None` if verifiers has no such module there.
pub fn shipped(role: Role, module: &str, point: Point) -> Option<Node> {
    let field = match role {
        Role::Harness => "harness",
        Role::Taskset => "taskset",
        Role::Judge => "judge",
        Role::Environment => "env",
    };
    class(field, module, point)
}

/// The class of the environment that verifiers has for one of its own tasksets.
pub fn shipped_environment_of(taskset: &str, point: Point) -> Option<Node> {
    class("env_of", taskset, point)
}

fn class(field: &str, module: &str, point: Point) -> Option<Node> {
    let class = (*ALL)?.field(field)?.field(module)?;
    class.at(point).map(|_| class)
}

/// The checks that a class of verifiers declares itself, at a point.
pub fn own_checks(class: Node, point: Point) -> Vec<OwnCheck> {
    let Some(interval) = class.at(point) else { return Vec::new() };
    let check = |name: &str| {
        let (name, reads) = match name.strip_suffix(')').and_then(|name| name.split_once('(')) {
            Some((name, fields)) => (name, Some(fields.split(',').map(str::to_owned).collect())),
            None => (name, None),
        };
        OwnCheck { name: name.to_owned(), place: "verifiers".to_owned(), reads }
    };
    interval.validators().filter(|(mode, _)| *mode == OWN).map(|(_, name)| check(name)).collect()
}

#[cfg(test)]
mod tests {
    use cfg_schema::{History, Role, Target};

    use super::{ALL, own_checks, shipped, shipped_environment_of};

    #[test]
    fn classes_have_their_fields_with_types_at_their_time() {
        assert!(ALL.is_some(), "the file is in the notation of the history");
        let newest = History::built_in().newest();
        let class = |role, name| shipped(role, name, newest).unwrap_or_else(|| panic!("{name} comes with verifiers"));
        let ty = |node: cfg_schema::Node, field: &str| {
            crate::type_in_notation(node.field(field).and_then(|field| field.at(newest)).expect(field).field_type())
        };
        assert_eq!(ty(class(Role::Harness, "codex"), "multi_agent"), "bool");
        assert_eq!(ty(class(Role::Harness, "rlm"), "max_depth"), "int");
        assert_eq!(ty(class(Role::Taskset, "harbor"), "timeout_multiplier"), "float(gt 0)");
        assert!(shipped_environment_of("harbor", newest).is_some());
        let old = Target::parse(History::built_in(), "0.4.0").expect("a release").point;
        assert_eq!(shipped(Role::Harness, "codex", old), None);
        let checks = own_checks(class(Role::Harness, "rlm"), newest);
        assert!(checks.iter().any(|check| check.reads.as_deref() == Some(&["disabled_tools".to_owned()])), "{checks:?}");
    }
}
