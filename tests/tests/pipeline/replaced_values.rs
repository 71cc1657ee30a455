//! Values of components that prime-rl overwrites: reported if that changes them, once for each cause.

use cfg_diag::{Applicability, FileId, Severity, codes};
use cfg_repair::repair_all;
use cfg_tests::Checking;

/// The keys that are reported as being without effect, with the message.
fn replaced(target: &str, text: &str) -> Vec<(String, String)> {
    let found = Checking::for_target(target).named("rl.toml").check(text).diagnostics;
    let replaced = found.into_iter().filter(|found| found.code == &codes::REPLACED_VALUE && found.severity != Severity::Info);
    replaced.map(|found| (found.key.unwrap_or_default(), found.message)).collect()
}

fn keys(target: &str, text: &str) -> Vec<String> {
    replaced(target, text).into_iter().map(|(key, _)| key).collect()
}

#[test]
fn an_equal_shared_key_replaces_nothing() {
    let text = "seq_len = 4096\nmax_steps = 5\n[trainer.model]\nseq_len = 4096\n[orchestrator]\nmax_steps = 5\n";
    assert_eq!(keys("0.4.0", text), Vec::<String>::new());
}

#[test]
fn each_regime_has_its_own_keys() {
    let text = "seq_len = 4096\nmax_steps = 5\n[trainer]\nmax_steps = 7\n[orchestrator]\nseq_len = 2048\n";
    assert_eq!(keys("0.2", text), ["trainer.max_steps", "orchestrator.seq_len"]);
    // At 0.5.0 a length that is written is kept.
    assert_eq!(keys("0.5.0", text), ["trainer.max_steps"]);
    // Later versions refuse both.
    assert_eq!(keys("0.6.0", text), Vec::<String>::new());
}

#[test]
fn a_default_of_the_run_replaces_as_well() {
    let found = replaced("0.4.0", "[trainer]\noutput_dir = \"mine\"\n[orchestrator]\n");
    let message = "`trainer.output_dir = \"mine\"` has no effect: prime-rl replaces it by \"outputs\"";
    assert_eq!(found, [("trainer.output_dir".to_owned(), message.to_owned())]);
}

#[test]
fn a_table_of_another_variant_is_reported_once() {
    let text = "[weight_broadcast]\ntype = \"filesystem\"\n[trainer.weight_broadcast]\ntype = \"nccl\"\nport = 29501\ntimeout = 60\n[orchestrator]\n";
    assert_eq!(keys("0.4.0", text), ["trainer.weight_broadcast.type"]);
}

#[test]
fn a_refused_config_has_no_replaced_values() {
    let text = "seq_len = 4096\nfoo = 1\n[trainer]\n[orchestrator]\nseq_len = 2048\n";
    assert_eq!(keys("0.4.0", text), Vec::<String>::new());
}

/// The text after its safe fixes.
fn fixed(target: &str, text: &str) -> String {
    let checking = Checking::for_target(target).named("rl.toml");
    let safe = |_, applicability| applicability == Applicability::Safe;
    repair_all(FileId(0), text, checking.check(text), &safe, &|text| checking.check(text)).text
}

#[test]
fn a_key_without_effect_is_removed() {
    let text = "seq_len = 4096\nmax_steps = 5\n[trainer]\nmax_steps = 7 # of the trainer\n[orchestrator]\nseq_len = 2048\n";
    let after = fixed("0.4.0", text);
    assert_eq!(after, "seq_len = 4096\nmax_steps = 5\n[trainer]\n# of the trainer\n[orchestrator]\n");
    let values = |text| {
        let checked = Checking::for_target("0.4.0").named("rl.toml").check(text);
        cfg_resolve::dump(&checked.resolved.expect("a config"), checked.target.point)
    };
    assert_eq!(values(text), values(&after), "what the run takes stays the same");
}

#[test]
fn a_component_value_replaced_by_a_default_of_the_run_is_removed() {
    assert_eq!(fixed("0.4.0", "[trainer]\noutput_dir = \"mine\"\n[orchestrator]\n"), "[trainer]\n[orchestrator]\n");
}

#[test]
fn a_table_of_another_variant_is_removed_as_a_whole() {
    let variant = "[trainer.weight_broadcast]\ntype = \"nccl\"\nport = 29501\n";
    let text = format!("[weight_broadcast]\ntype = \"filesystem\"\n[trainer]\n{variant}[orchestrator]\n");
    assert_eq!(fixed("0.4.0", &text), text.replace(variant, ""));
    // If nothing else is in the trainer's table, the table is kept, because `rl` needs it.
    let only = text.replace("[trainer]\n", "");
    assert_eq!(keys("0.4.0", &only), ["trainer.weight_broadcast.type"]);
    assert_eq!(fixed("0.4.0", &only), text.replace(variant, ""));
}

#[test]
fn a_key_with_an_effect_elsewhere_is_kept() {
    // The trainer's own name is replaced, but first its tokenizer was derived from it.
    let text = "[model]\nname = \"a/b\"\n[trainer.model]\nname = \"c/d\"\nseq_len = 4096\n[orchestrator]\n";
    let found = Checking::for_target("0.4.0").named("rl.toml").check(text).diagnostics;
    let help = found.iter().find(|found| found.code == &codes::REPLACED_VALUE).and_then(|found| found.help.clone());
    assert!(help.is_some_and(|help| help.contains("`trainer.tokenizer.name` follows from it")), "{found:?}");
    assert_eq!(fixed("0.4.0", text), text);
}

#[test]
fn a_key_that_a_launcher_flag_may_set_is_kept() {
    let text = "[trainer]\n[orchestrator]\n[inference.parallel]\ndp = 6\n";
    assert_eq!(keys("0.8.0", text), Vec::<String>::new());
    assert_eq!(keys("0.8.0", &format!("{text}[deployment]\nnum_infer_gpus = 2\n")), ["inference.parallel.dp"]);
    for formerly in ["2025-11-01", "0.3.0"] {
        assert_eq!(keys(formerly, text), Vec::<String>::new(), "{formerly}");
    }
    assert_eq!(keys("0.3.0", &format!("inference_gpu_ids = [0, 1]\n{text}")), ["inference.parallel.dp"]);
}

#[test]
fn a_value_that_depends_on_the_command_is_said_to() {
    let text = "[trainer]\n[orchestrator]\n[inference.parallel]\ndp = 6\n";
    let found = Checking::for_target("0.8.0").named("rl.toml").check(text).diagnostics;
    let said = found.iter().find(|found| found.code == &codes::REPLACED_VALUE).expect("it is said");
    assert_eq!(said.severity, Severity::Info);
    assert_eq!(
        said.message,
        "`inference.parallel.dp = 6` depends on the launch command: without more GPUs, prime-rl replaces it by 1"
    );
    assert_eq!(fixed("0.8.0", text), text);
}
