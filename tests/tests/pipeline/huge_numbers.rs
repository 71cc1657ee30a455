//! Numbers of any size: the check always ends.

use cfg_check::apply;
use cfg_diag::FileId;
use cfg_schema::{History, Kind, Node, Point, Target, TypeKind};
use cfg_syntax::{
    Dialect,
    rewrite::{Change, Literal, Rewriter},
};
use cfg_tests::Checking;

/// Collects the paths of the numbers below a class, through plain tables.
fn numbers(node: Node, point: Point, above: &str, found: &mut Vec<String>) {
    for (field, interval) in node.fields(point) {
        let Some(name) = field.field_name() else { continue };
        let path = if above.is_empty() { name.to_owned() } else { format!("{above}.{name}") };
        let ty = interval.field_type();
        match ty.kind() {
            TypeKind::Table(_) => numbers(field, point, &path, found),
            TypeKind::Int | TypeKind::Float => found.push(path),
            TypeKind::Union if ty.members().any(|member| matches!(member.kind(), TypeKind::Int | TypeKind::Float)) => {
                found.push(path);
            }
            _ => {}
        }
    }
}

#[track_caller]
fn ends(target: &str, kind: Kind, text: &str) {
    let point = Target::parse(History::built_in(), target).expect("a target").point;
    let mut paths = Vec::new();
    numbers(History::built_in().root(kind), point, "", &mut paths);
    assert!(paths.len() > 10, "{}", paths.len());
    let rewriter = Rewriter::new(FileId(0), text, Dialect::Toml10).expect("TOML");
    let checking = Checking::for_target(target).of_kind(kind);
    let mut tried = 0;
    for path in &paths {
        for number in ["9223372036854775807", "1000000000000"] {
            let Ok(edits) = rewriter.edits(&[Change::set(path, Literal::raw(number))]) else { continue };
            let changed = apply(text, &edits).expect("the edits fit");
            assert!(checking.check(&changed).is_config, "{path}");
            tried += 1;
        }
    }
    assert!(tried > paths.len(), "{tried} of {paths:?}");
}

#[test]
fn huge_numbers_in_a_run_at_0_6_0() {
    ends("0.6.0", Kind::Rl, include_str!("../../../configs/prime-rl/qwen3-8b-2xh100-v060.toml"));
}

#[test]
fn huge_numbers_in_a_run_at_0_8_0() {
    ends("0.8.0", Kind::Rl, include_str!("../../../configs/prime-rl/qwen3-8b-2xh100-v080.toml"));
}

#[test]
fn huge_numbers_in_a_server_with_a_known_model() {
    ends("0.8.0", Kind::Inference, "[model]\nname = \"Qwen/Qwen3-8B\"\n");
}
