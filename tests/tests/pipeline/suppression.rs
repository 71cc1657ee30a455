//! `ignore` comments.

use cfg_check::Verdict;
use cfg_tests::{Checking, Found};

/// The findings in a trainer config in which `lr` is too small and `foo` unknown.
fn found(text: &str) -> Vec<(&'static str, u32)> {
    let found = Checking::for_target("0.4.0").of_kind(cfg_schema::Kind::Trainer).found(text);
    found.iter().map(|Found { code, at, .. }| (*code, at.map_or(0, |(line, _)| line))).collect()
}

#[test]
fn a_comment_after_or_above_a_statement_ignores_its_findings() {
    assert_eq!(found("foo = 1\n"), [("PRL101", 1)]);
    for text in [
        "foo = 1 # cfg: ignore[PRL101]\n",
        "foo = 1 # cfg: ignore[unknown-key] we run a fork\n",
        "foo = 1 # why # cfg:ignore [ PRL104 , PRL1 ]\n[optim]\nlr = 'x' # cfg: ignore[PRL105]\n",
        "# cfg: ignore[PRL101] we run a fork\nfoo = 1\n",
        "# cfg: ignore[PRL101]\n# and more words\nfoo = 1\n",
        "# cfg: ignore[PRL101]\n[foo]\nx = 1\n",
        "foo = [\n  1,\n] # cfg: ignore[PRL101]\n",
        "# about the file\n# cfg: ignore-file[PRL101]\nfoo = 1\nbar = 2\n",
    ] {
        assert!(found(text).iter().all(|(code, _)| *code == "PRL017"), "{text}: {:?}", found(text));
    }
    assert_eq!(found("foo = 1 # cfg: ignore[PRL101]\r\nbar = 1\r\n"), [("PRL101", 2)]);
    assert_eq!(found("# cfg: ignore[PRL101]\r\nfoo = 1\r\n"), []);
}

#[test]
fn an_unused_ignore_is_reported() {
    assert_eq!(found("# cfg: ignore[PRL101]\n\nfoo = 1\n"), [("PRL101", 3), ("PRL017", 1)]);
    assert_eq!(found("foo = 1 # cfg: ignore[PRL104, PRL101]\n"), [("PRL017", 1)]);
    assert_eq!(found("foo = 1 # cfg: ignore\n"), [("PRL101", 1), ("PRL017", 1)]);
    assert_eq!(found("foo = 1\n# cfg: ignore-file[PRL101]\n"), [("PRL101", 1), ("PRL017", 2)]);
    assert_eq!(found("foo = 1 # cfg: ignore[PRL999]\n"), [("PRL101", 1), ("PRL017", 1)]);
    assert_eq!(found("foo = 'a # cfg: ignore[PRL101]'\n"), [("PRL101", 1)]);
    assert_eq!(found("max_steps = 1 # cfg: ignored things, and #cfg: no\n"), []);
}

#[test]
fn ignoring_does_not_change_the_verdict() {
    let checked = Checking::for_target("0.4.0").of_kind(cfg_schema::Kind::Trainer).check("foo = 1 # cfg: ignore[PRL101]\n");
    assert_eq!((checked.verdict, checked.ignored, checked.diagnostics.len()), (Verdict::Rejected, 1, 0));
}
