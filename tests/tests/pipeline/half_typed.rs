//! A config while it is typed: an unfinished part is reported once, and a misspelt key elsewhere is still found.

use std::fmt::Write as _;

use cfg_tests::{CLEAN, Checking, Found};

/// A half-typed state and a misspelt key, each planted by replacing a text that occurs once in the fixture.
struct State {
    old: &'static str,
    half_typed: &'static str,
    /// The line and column of the unfinished part, and the text there.
    at: (u32, u32),
    finger: &'static str,
    /// The line and column of the misspelt key.
    misspelt_at: (u32, u32),
}

const MISSPELT: (&str, &str) = ("rollouts_per_example", "rollouts_per_exmaple");

#[track_caller]
fn check(state: &State) {
    let mut text = CLEAN.to_owned();
    for (old, new) in [(state.old, state.half_typed), MISSPELT] {
        assert_eq!(text.matches(old).count(), 1, "`{old}` must stand in the fixture once");
        text = text.replacen(old, new, 1);
    }
    // prime-rl meets the unfinished part first, wherever it is.
    let expected = [Found::expected("PRL001", state.at, state.finger), Found::expected("PRL101", state.misspelt_at, MISSPELT.1)];
    assert_eq!(Checking::for_target("0.4.0").found(&text), expected);
}

#[test]
fn a_bare_key_without_equals() {
    check(&State {
        old: "temperature = 0.7",
        half_typed: "temperature",
        at: (29, 1),
        finger: "temperature",
        misspelt_at: (25, 1),
    });
}

/// An incomplete name is not reported as a misspelt key as well.
#[test]
fn a_bare_prefix_of_a_key() {
    check(&State {
        old: "num_examples = 64",
        half_typed: "num_examples = 64\nrollouts_per",
        at: (43, 1),
        finger: "rollouts_per",
        misspelt_at: (25, 1),
    });
}

#[test]
fn a_key_without_a_value() {
    check(&State {
        old: "max_tokens = 2048",
        half_typed: "max_tokens =",
        at: (30, 1),
        finger: "max_tokens =",
        misspelt_at: (25, 1),
    });
}

#[test]
fn an_unterminated_string() {
    check(&State {
        old: "project = \"planted-faults\"",
        half_typed: "project = \"planted-faults",
        at: (9, 11),
        finger: "\"planted-faults",
        misspelt_at: (25, 1),
    });
}

#[test]
fn a_header_without_its_bracket() {
    check(&State {
        old: "[inference.model]",
        half_typed: "[inference.model",
        at: (44, 12),
        finger: "model",
        misspelt_at: (25, 1),
    });
}

#[test]
fn an_array_left_open() {
    check(&State {
        old: "inference_gpu_ids = [0]",
        half_typed: "inference_gpu_ids = [0",
        at: (3, 21),
        finger: "[",
        misspelt_at: (25, 1),
    });
}

#[test]
fn a_header_without_its_bracket_in_the_middle() {
    check(&State { old: "[trainer.optim]", half_typed: "[trainer.optim", at: (19, 10), finger: "optim", misspelt_at: (25, 1) });
}

/// A config of 2,003 lines, almost all of them environments, with three misspelt keys.
fn long_config() -> (String, Vec<Found>) {
    let mut text = String::from("[trainer]\n[orchestrator]\nbatch_size = 64\n");
    let mut expected = Vec::new();
    for number in 0..400 {
        let misspelt = [100, 250, 399].contains(&number);
        let name = if misspelt { "nmae" } else { "name" };
        if misspelt {
            expected.push(Found::expected("PRL101", (number * 5 + 6, 1), name));
        }
        let id = "id = \"reverse-text\"";
        writeln!(text, "[[orchestrator.env]]\n{id}\n{name} = \"env-{number}\"\nargs = {{ seed = {number}, sizes = [1, 2] }}\n")
            .expect("writing to a string");
    }
    (text, expected)
}

#[test]
fn the_long_config_has_but_its_misspelt_keys() {
    let (text, expected) = long_config();
    assert_eq!(text.lines().count(), 2003);
    assert_eq!(Checking::for_target("0.4.0").found(&text), expected);
}

/// One bracket is left open in the long config: one finding, on its line, and the misspelt keys.
#[track_caller]
fn check_unclosed(old: &str, new: &str, line: u32) {
    let (text, mut expected) = long_config();
    let start = text.match_indices('\n').nth(line as usize - 2).map(|(at, _)| at + 1).expect("so many lines");
    let changed = text[start..].replacen(old, new, 1);
    let text = format!("{}{changed}", &text[..start]);
    let mut found = Checking::for_target("0.4.0").found(&text);
    let unclosed = found.iter().position(|found| found.code == "PRL001").expect("the open bracket is found");
    let unclosed = found.remove(unclosed);
    assert_eq!(unclosed.at.map(|at| at.0), Some(line), "{unclosed:?}");
    expected.sort_by_key(|found| found.at);
    assert_eq!(found, expected);
}

#[test]
fn an_open_array_in_a_long_config_is_one_finding() {
    check_unclosed("sizes = [1, 2]", "sizes = [1, 2", 7);
    check_unclosed("sizes = [1, 2]", "sizes = [1, 2", 1002);
}

#[test]
fn an_open_inline_table_in_a_long_config_is_one_finding() {
    check_unclosed("[1, 2] }", "[1, 2]", 7);
    check_unclosed("[1, 2] }", "[1, 2]", 1002);
}

#[test]
fn an_open_header_in_a_long_config_is_one_finding() {
    check_unclosed("[[orchestrator.env]]", "[[orchestrator.env]", 4);
    check_unclosed("[[orchestrator.env]]", "[[orchestrator.env", 1004);
    check_unclosed("[[orchestrator.env]]", "[orchestrator.env", 1999);
}
