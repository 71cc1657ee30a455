//! Properties of checking any text: it ends without a panic, all locations are in the text, and the verdict follows from the findings.
//! `PROPTEST_CASES` sets the number of texts, `PROPTEST_RNG_SEED` selects others.

use cfg_check::{Checked, Verdict};
use cfg_diag::{Diagnostic, Span};
use cfg_schema::Kind;
use cfg_tests::{CLEAN, Checking, sized, spread};
use proptest::{prelude::*, sample::Index};

const TARGETS: [&str; 4] = ["6b01ba5ae", "0.4.0", "0.6.0", "main"];

/// Pieces that cause other errors than single characters.
const PIECES: [&str; 20] = [
    "[",
    "]",
    "[[",
    "{",
    "}",
    "=",
    "\"",
    "'",
    "\"\"\"",
    ".",
    ",",
    "#",
    "\n",
    "\r\n",
    "é",
    "\u{feff}",
    "1e400",
    "\"None\"",
    "type = ",
    "[orchestrator.env.args]\n",
];

/// A change of a text: the place, the number of replaced characters, and the new ones.
type Change = (Index, usize, String);

fn change() -> impl Strategy<Value = Change> {
    let piece = prop_oneof![
        prop::sample::select(&PIECES[..]).prop_map(str::to_owned),
        prop::collection::vec(any::<char>(), 0..3).prop_map(|characters| characters.into_iter().collect()),
        "-?[0-9]{1,20}(\\.[0-9]{1,3})?",
    ];
    (any::<Index>(), 0..12_usize, piece)
}

fn changed(changes: &[Change]) -> String {
    let mut text: Vec<char> = CLEAN.chars().collect();
    for (at, length, piece) in changes {
        let at = at.index(text.len() + 1);
        let end = (at + length).min(text.len());
        text.splice(at..end, piece.chars());
    }
    text.into_iter().collect()
}

/// The lines of the fixture in another order, some left out, some repeated.
fn shuffled(lines: &[Index]) -> String {
    let all: Vec<&str> = CLEAN.lines().collect();
    lines.iter().map(|line| *line.get(&all)).collect::<Vec<_>>().join("\n")
}

fn check_span(text: &str, span: Span) {
    assert!(span.start <= span.end && span.end as usize <= text.len(), "{span:?} in {text:?}");
    assert!(text.is_char_boundary(span.start as usize) && text.is_char_boundary(span.end as usize), "{span:?} in {text:?}");
}

fn check_diagnostic(text: &str, diagnostic: &Diagnostic) {
    assert!(!diagnostic.message.is_empty());
    diagnostic.location.iter().for_each(|location| check_span(text, location.span));
    diagnostic.related.iter().for_each(|related| check_span(text, related.location.span));
    diagnostic.fix.iter().flat_map(|fix| &fix.edits).for_each(|edit| check_span(text, edit.location.span));
}

fn check_all(text: &str, checked: &Checked) {
    let all: Vec<&Diagnostic> = checked.diagnostics.iter().flat_map(spread).collect();
    for diagnostic in &all {
        check_diagnostic(text, diagnostic);
    }
    let refused = all.iter().any(|diagnostic| diagnostic.native.as_ref().is_some_and(|native| !native.masked));
    let expected = match checked.kind {
        _ if refused => Verdict::Rejected,
        Some(_) => Verdict::Ok,
        None if checked.is_config => Verdict::Depends,
        None => Verdict::Rejected,
    };
    assert_eq!(checked.verdict, expected, "{text:?}");
}

/// The number of texts of each test.
fn cases() -> u32 {
    ProptestConfig::default().cases / sized(4, 1)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_changed_config(changes in prop::collection::vec(change(), 1..8), target in prop::sample::select(&TARGETS[..])) {
        let text = changed(&changes);
        check_all(&text, &Checking::for_target(target).check(&text));
    }

    #[test]
    fn a_changed_config_of_another_kind(changes in prop::collection::vec(change(), 0..4), kind in prop::sample::select(&Kind::RUNS[..])) {
        let text = changed(&changes);
        check_all(&text, &Checking::for_target("0.8.0").of_kind(kind).check(&text));
    }

    #[test]
    fn reordered_lines(lines in prop::collection::vec(any::<Index>(), 0..60)) {
        let text = shuffled(&lines);
        check_all(&text, &Checking::for_target("0.4.0").of_kind(Kind::Rl).check(&text));
    }

    #[test]
    fn any_text(text in any::<String>()) {
        check_all(&text, &Checking::for_target("0.4.0").check(&text));
    }
}
