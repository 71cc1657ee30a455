//! Thirteen semantic errors, each planted alone in one clean config: each is found once, at the exact key or value.

use cfg_check::Verdict;
use cfg_tests::{CLEAN, Checking, Found};

const TARGET: &str = "0.4.0";

/// The clean config with one text replaced, which must be in it exactly once.
fn planted(old: &str, new: &str) -> String {
    assert_eq!(CLEAN.matches(old).count(), 1, "`{old}` must stand in the fixture once");
    CLEAN.replacen(old, new, 1)
}

/// The planted error is found, and nothing else.
#[track_caller]
fn check(old: &str, new: &str, code: &'static str, at: (u32, u32), finger: &str) {
    let found = Checking::for_target(TARGET).found(&planted(old, new));
    assert_eq!(found, [Found::expected(code, at, finger)]);
}

#[test]
fn the_fixture_has_no_findings() {
    let checked = Checking::for_target(TARGET).check(CLEAN);
    assert_eq!(checked.diagnostics, []);
    assert_eq!(checked.verdict, Verdict::Ok);
    assert_eq!(CLEAN.lines().count(), 45);
}

#[test]
fn a_misspelt_key() {
    check("rollouts_per_example", "rollouts_per_exmaple", "PRL101", (25, 1), "rollouts_per_exmaple");
}

#[test]
fn a_string_for_an_integer() {
    check("batch_size = 512", "batch_size = \"512x\"", "PRL105", (24, 14), "\"512x\"");
}

#[test]
fn below_the_bound_of_an_optional_number() {
    check("temperature = 0.7", "temperature = -0.5", "PRL106", (29, 15), "-0.5");
}

#[test]
fn below_a_bound() {
    check("rank = 16", "rank = 0", "PRL106", (17, 8), "0");
}

#[test]
fn a_misspelt_literal() {
    check("\"flash_attention_2\"", "\"flash_attn_2\"", "PRL107", (14, 8), "\"flash_attn_2\"");
}

#[test]
fn a_key_of_another_variant() {
    check("lr = 1e-5", "lr = 1e-5\nmomentum = 0.9", "PRL102", (22, 1), "momentum");
    let dropped = Checking::for_target(TARGET).check(&planted("lr = 1e-5", "lr = 1e-5\nmomentum = 0.9"));
    assert_eq!(dropped.verdict, Verdict::Ok, "prime-rl 0.4.0 silently ignores it");
}

#[test]
fn a_wrong_discriminator() {
    check("type = \"adamw\"", "type = \"adam\"", "PRL108", (20, 8), "\"adam\"");
}

#[test]
fn a_key_that_sampling_no_longer_has() {
    check("temperature = 0.7", "temperature = 0.7\ntop_p = 0.9", "PRL110", (30, 1), "top_p");
}

#[test]
fn a_table_that_was_removed() {
    check("[trainer.model.lora]", "[trainer.model.experimental.lora]", "PRL110", (16, 16), "experimental");
}

#[test]
fn a_duplicate_key() {
    let text = planted("lr = 1e-5", "lr = 1e-5\nlr = 2e-5");
    let checked = Checking::for_target(TARGET).check(&text);
    let found = Checking::for_target(TARGET).found(&text);
    assert_eq!(found, [Found::expected("PRL002", (22, 1), "lr")]);
    let related = &checked.diagnostics[0].related;
    assert_eq!(related.len(), 1);
    assert_eq!(cfg_tests::position(&text, related[0].location), (21, 1), "the first is where it was defined");
    assert_eq!(checked.verdict, Verdict::Rejected);
}

/// Both of two contradicting values are marked.
#[track_caller]
fn check_both(old: &str, new: &str, first: (u32, u32), second: (u32, u32)) {
    let text = planted(old, new);
    let checked = Checking::for_target(TARGET).check(&text);
    let [diagnostic] = checked.diagnostics.as_slice() else { panic!("one finding: {:?}", checked.diagnostics) };
    assert_eq!(diagnostic.code.code, "PRL202");
    assert_eq!(diagnostic.location.map(|location| cfg_tests::position(&text, location)), Some(first));
    assert_eq!(
        diagnostic.related.iter().map(|related| cfg_tests::position(&text, related.location)).collect::<Vec<_>>(),
        [second]
    );
    assert_eq!(checked.verdict, Verdict::Rejected);
}

#[test]
fn a_trainer_that_takes_shorter_sequences_than_the_orchestrator_sends() {
    check_both("[trainer.model]\nseq_len = 4096", "[trainer.model]\nseq_len = 2048", (13, 11), (26, 11));
}

#[test]
fn a_batch_that_its_groups_do_not_divide() {
    check_both("batch_size = 512", "batch_size = 500", (24, 14), (25, 24));
}

/// prime-rl itself accepts this one.
#[test]
fn a_context_that_can_not_fit() {
    check("max_tokens = 2048", "max_tokens = 8192", "PRL301", (30, 14), "8192");
    let checked = Checking::for_target(TARGET).check(&planted("max_tokens = 2048", "max_tokens = 8192"));
    assert_eq!(checked.verdict, Verdict::Ok);
}

/// The help of the finding at a key.
fn help(target: &str, path: &str, text: &str, key: &str) -> String {
    let checked = Checking::for_target(target).named(path).check(text);
    let found = checked.diagnostics.iter().find(|found| found.key.as_deref() == Some(key));
    found.and_then(|found| found.help.clone()).unwrap_or_else(|| panic!("help for {key}: {:?}", checked.diagnostics))
}

#[test]
fn keys_after_the_header_of_an_unknown_table() {
    let text = "[tuner]\nrounds = 3\nmax_steps = 5\nseq_len = 512\noutput_dir = \"out\"\n[trainer]\n[orchestrator]\n";
    let help = help("0.4.0", "rl.toml", text, "tuner");
    assert!(
        help.contains("if `max_steps`, `seq_len` and `output_dir` should take effect, write them before `[tuner]`"),
        "{help}"
    );
    let few = self::help("0.4.0", "rl.toml", "[tuner]\nname = \"a\"\n[trainer]\n[orchestrator]\n", "tuner");
    assert!(!few.contains("before"), "{few}");
}

#[test]
fn a_misspelt_former_key() {
    let text = "max_steps = 5\n[data]\nname = \"a/b\"\nmicro-batch-size = 1\n";
    let help = help("2025-11-13", "sft.toml", text, "data.micro-batch-size");
    assert!(help.starts_with("remove it: `micro_batch_size`, which it resembles, was removed"), "{help}");
}

/// The key that replaces this one came some days after it was gone.
#[test]
fn a_key_of_a_later_version_is_not_proposed() {
    let text = "[trainer]\n[orchestrator.buffer]\ntype = \"online-difficulty\"\n";
    let write = "write `orchestrator.buffer.online_difficulty_filtering`";
    assert!(!help("bad56a97e", "rl.toml", text, "orchestrator.buffer.type").contains(write));
    assert!(help("0.2", "rl.toml", text, "orchestrator.buffer.type").contains(write));
}
