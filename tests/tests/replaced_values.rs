//! Values of components that prime-rl writes over: told where that changes them, once for each cause.

use cfg_diag::codes;
use cfg_tests::Checking;

/// The keys that are told to be without effect, with what is said.
fn replaced(target: &str, text: &str) -> Vec<(String, String)> {
    let found = Checking::for_target(target).named("rl.toml").check(text).diagnostics;
    let replaced = found.into_iter().filter(|found| found.code == &codes::REPLACED_VALUE);
    replaced.map(|found| (found.key.unwrap_or_default(), found.message)).collect()
}

fn keys(target: &str, text: &str) -> Vec<String> {
    replaced(target, text).into_iter().map(|(key, _)| key).collect()
}

#[test]
fn a_shared_key_that_says_the_same_replaces_nothing() {
    let text = "seq_len = 4096\nmax_steps = 5\n[trainer.model]\nseq_len = 4096\n[orchestrator]\nmax_steps = 5\n";
    assert_eq!(keys("0.4.0", text), Vec::<String>::new());
}

#[test]
fn each_regime_has_its_own_keys() {
    let text = "seq_len = 4096\nmax_steps = 5\n[trainer]\nmax_steps = 7\n[orchestrator]\nseq_len = 2048\n";
    assert_eq!(keys("0.2", text), ["trainer.max_steps", "orchestrator.seq_len"]);
    // At 0.5.0 a length that is written stays.
    assert_eq!(keys("0.5.0", text), ["trainer.max_steps"]);
    // Later both are refused.
    assert_eq!(keys("0.6.0", text), Vec::<String>::new());
}

#[test]
fn a_default_of_the_run_replaces_as_well() {
    let found = replaced("0.4.0", "[trainer]\noutput_dir = \"mine\"\n[orchestrator]\n");
    let message = "`trainer.output_dir = \"mine\"` has no effect: prime-rl replaces it by \"outputs\"";
    assert_eq!(found, [("trainer.output_dir".to_owned(), message.to_owned())]);
}

#[test]
fn a_table_of_another_variant_is_told_once() {
    let text = "[weight_broadcast]\ntype = \"filesystem\"\n[trainer.weight_broadcast]\ntype = \"nccl\"\nport = 29501\ntimeout = 60\n[orchestrator]\n";
    assert_eq!(keys("0.4.0", text), ["trainer.weight_broadcast.type"]);
}

#[test]
fn nothing_is_said_of_a_config_that_is_refused() {
    let text = "seq_len = 4096\nfoo = 1\n[trainer]\n[orchestrator]\nseq_len = 2048\n";
    assert_eq!(keys("0.4.0", text), Vec::<String>::new());
}
