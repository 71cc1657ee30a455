//! The layout of a run over its GPUs: what prime-rl's own trainer asserts after its start, and where that changed.
//!
//! Each line of `layouts.jsonl` is a config that prime-rl loads, with the result of running the trainer's own code of that version (`ParallelDims`,
//! the checks of `sft`, Ulysses, the random data) for the number of GPUs that it is started on: the name of an exception, or null. `gpus` is the
//! stated machine, for configs that don't state GPUs themselves.

use std::fmt::Write as _;

use cfg_diag::Severity;
use cfg_schema::Kind;
use cfg_tests::Checking;
use serde_json::Value;

/// The layout rules among the findings, with their severities.
#[track_caller]
fn found(target: &str, kind: Kind, text: &str) -> Vec<(&'static str, Severity)> {
    let checked = Checking::for_target(target).of_kind(kind).check(text);
    let of_layout = checked.diagnostics.iter().filter(|diagnostic| cfg_rules::is_layout(diagnostic.code));
    of_layout.map(|diagnostic| (diagnostic.code.name, diagnostic.severity)).collect()
}

const ERROR: Severity = Severity::Error;

/// The text of a config for a machine.
fn on(gpus: u32, text: &str) -> String {
    format!("# /// config\n# hardware = \"{gpus}x H100\"\n# ///\n{text}")
}

#[test]
fn layouts_are_refused_exactly_as_by_prime_rl_s_own_code() {
    let (mut faults, mut count) = (String::new(), 0);
    for (number, line) in (1..).zip(include_str!("../../fixtures/layouts.jsonl").lines()) {
        let case: Value = serde_json::from_str(line).expect("a case");
        let part = |name: &str| case[name].as_str().expect("a text");
        let gpus = case["gpus"].as_u64().and_then(|gpus| u32::try_from(gpus).ok());
        let text = gpus.map_or_else(|| part("toml").to_owned(), |gpus| on(gpus, part("toml")));
        let found = found(part("target"), part("kind").parse().expect("a kind"), &text);
        let is_found = found.iter().any(|(_, severity)| *severity == ERROR);
        if is_found == case["fails"].is_null() {
            let _ = writeln!(faults, "line {number} ({}): {}, found {found:?}\n{text}", part("target"), case["fails"]);
        }
        count += 1;
    }
    assert!(faults.is_empty() && count > 300, "{count} cases\n{faults}");
}

#[test]
fn one_error_is_reported_once() {
    // Neither the number of GPUs nor that of experts is a multiple of 3.
    let text = "[deployment]\nnum_gpus = 2\n[model]\nname = \"Qwen/Qwen3-30B-A3B\"\nep = 3\n";
    assert_eq!(found("0.8.0", Kind::Sft, text), [("uneven-expert-parallelism", ERROR)]);
    // The config's own check refuses `cp`.
    let text = "[deployment]\nnum_gpus = 2\n[model]\ncp = 2\n[data]\nseq_len = 4097\n";
    assert_eq!(found("0.8.0", Kind::Sft, text), []);
    let text = "[model]\ncp = 0\n[data]\n";
    assert_eq!(found("0.8.0", Kind::Sft, text), [("invalid-degree", ERROR)]);
    // With several training GPUs the launcher divides by it, which is an error in the config.
    let text = |gpus: u32| format!("[deployment]\nnum_train_gpus = {gpus}\n[trainer.model]\ncp = 0\n[orchestrator]\n");
    assert_eq!(found("0.8.0", Kind::Rl, &text(1)), [("invalid-degree", ERROR)]);
    assert_eq!(found("0.8.0", Kind::Rl, &text(2)), []);
}

#[test]
fn random_data_of_the_rl_trainer_are_not_padded() {
    let text = "[model]\nname = \"Qwen/Qwen3-8B\"\ncp = 2\nseq_len = 4097\n[data.fake]\nbatch_size = 8\n";
    assert_eq!(found("0.8.0", Kind::Trainer, text), [("indivisible-sequence", ERROR)]);
    assert_eq!(found("0.8.0", Kind::Trainer, &text.replace("[data.fake]\nbatch_size = 8\n", "")), []);
    assert_eq!(found("0.8.0", Kind::Trainer, &text.replace("4097", "4098")), []);
}

#[test]
fn context_parallelism_is_refused_at_the_versions_that_did() {
    let text = "[model]\ncp = 2\nattn = \"flash_attention_2\"\n";
    assert_eq!(found("2025-12-15", Kind::Trainer, text), [("unsupported-context-parallelism", ERROR)]);
    assert_eq!(found("2025-12-17", Kind::Trainer, text), []);
    assert_eq!(found("2025-12-15", Kind::Sft, text), []);
    let text = "[model]\nname = \"Qwen/Qwen2.5-7B-Instruct\"\ncp = 2\n";
    assert_eq!(found("0.7.0", Kind::Trainer, text), []);
    assert_eq!(found("0.8.0", Kind::Trainer, text), [("unsupported-context-parallelism", ERROR)]);
    assert_eq!(found("0.8.0", Kind::Trainer, &text.replace("cp = 2", "cp = 1")), []);
    assert_eq!(found("0.8.0", Kind::Trainer, &text.replace("Qwen/Qwen2.5-7B-Instruct", "someone/own")), []);
}

#[test]
fn heads_are_shared_as_the_target_shares_them() {
    let text = "[model]\nname = \"Qwen/Qwen3-30B-A3B\"\nimpl = \"custom\"\ncp_style = \"ulysses\"\ncp = 8\n";
    assert_eq!(found("0.6.0", Kind::Trainer, text), [("uneven-context-heads", ERROR)]);
    assert_eq!(found("0.7.0", Kind::Trainer, text), [("uneven-context-heads", ERROR)]);
    // The commit that changed it did not touch a config class.
    assert_eq!(found("2026-07-15", Kind::Trainer, text), []);
    assert_eq!(found("0.8.0", Kind::Trainer, text), []);
    assert_eq!(found("0.6.0", Kind::Trainer, &text.replace("ulysses", "ring")), []);
    assert_eq!(found("0.8.0", Kind::Trainer, &text.replace("cp = 8", "cp = 6")), [("uneven-context-heads", ERROR)]);
}

#[test]
fn experts_and_batches_are_counted_as_the_target_counts_them() {
    let text = "[model]\nname = \"Qwen/Qwen3-30B-A3B\"\nimpl = \"custom\"\nep = 3\n";
    assert_eq!(found("2026-01-15", Kind::Trainer, text), []);
    assert_eq!(found("2026-01-17", Kind::Trainer, text), [("indivisible-experts", ERROR)]);
    let text = on(
        8,
        "[model]\nimpl = \"hf\"\ncp = 2\nattn = \"flash_attention_2\"\n[data]\nbatch_size = 4\npack_function = \"stack\"\nseq_len = 4096\n",
    );
    assert_eq!(found("6b01ba5ae", Kind::Sft, &text), [("indivisible-batch", ERROR)]);
    assert_eq!(found("2025-11-26", Kind::Sft, &text), []);
    assert_eq!(found("2025-12-03", Kind::Sft, &text), []);
}

#[test]
fn a_mixture_of_experts_fails_on_12_gpus_with_defaults() {
    let text = |name: &str| {
        format!("[deployment]\nnum_gpus = 12\ngpus_per_node = 16\n[model]\nname = \"{name}\"\n[data]\nbatch_size = 12\n")
    };
    for (name, expected) in
        [("Qwen/Qwen3-30B-A3B", &[("uneven-expert-parallelism", ERROR)][..]), ("Qwen/Qwen3-8B", &[]), ("someone/own", &[])]
    {
        assert_eq!(found("0.8.0", Kind::Sft, &text(name)), expected, "{name}");
        assert_eq!(found("0.6.0", Kind::Sft, &text(name)), [], "{name}");
    }
    let hf = text("Qwen/Qwen3-30B-A3B").replace("[data]", "impl = \"hf\"\n[data]");
    assert_eq!(found("0.8.0", Kind::Sft, &hf), []);
}

#[test]
fn a_trainer_file_has_the_gpus_of_its_command_or_of_the_machine() {
    let text = "[model]\ncp = 3\nattn = \"flash_attention_2\"\n";
    assert_eq!(found("0.4.0", Kind::Trainer, text), []);
    let usage = |command: &str| format!("# Usage: uv run {command} @ train.toml\n{text}");
    let of = |command: &str| found("0.4.0", Kind::Trainer, &usage(command));
    assert_eq!(of("torchrun --nproc-per-node 4 -m prime_rl.trainer.rl.train"), [("indivisible-gpus", ERROR)]);
    assert_eq!(of("torchrun --nproc-per-node 6 -m prime_rl.trainer.rl.train"), []);
    assert_eq!(of("torchrun --nproc-per-node gpu -m prime_rl.trainer.rl.train"), []);
    assert_eq!(of("trainer"), [("indivisible-gpus", ERROR)]);
    let sft = "# uv run torchrun --nproc-per-node 6 -m prime_rl.trainer.sft.train @ sft.toml\n[deployment]\nnum_gpus = 4\n[model]\ncp = 3\n[data]\nseq_len = 3072\n";
    assert_eq!(found("0.8.0", Kind::Sft, sft), []);
    assert_eq!(
        found("0.8.0", Kind::Sft, &sft.replace("torchrun --nproc-per-node 6 -m prime_rl.trainer.sft.train", "sft")),
        [("indivisible-gpus", ERROR)]
    );
    // A server may use the fourth GPU; out of two there can't be three.
    assert_eq!(found("0.4.0", Kind::Trainer, &on(4, text)), [("indivisible-gpus", Severity::Warning)]);
    assert_eq!(found("0.4.0", Kind::Trainer, &on(2, text)), [("indivisible-gpus", ERROR)]);
    assert_eq!(found("0.4.0", Kind::Trainer, &on(6, text)), []);
}

#[test]
fn a_server_s_own_file_asks_for_no_more_than_the_machine_has() {
    let text = "[parallel]\ntp = 2\ndp = 2\n";
    assert_eq!(found("0.4.0", Kind::Inference, &on(4, text)), []);
    assert_eq!(found("0.4.0", Kind::Inference, &on(2, text)), [("more-gpus-than-stated", ERROR)]);
    assert_eq!(found("0.6.0", Kind::Inference, &on(2, &format!("data_parallel_size_local = 1\n{text}"))), []);
}

#[test]
fn huge_degrees_are_handled() {
    for degree in [i64::MAX, i64::MIN, 1 << 40, 65_537] {
        let text = format!(
            "[deployment]\nnum_gpus = 8\n[model]\ncp = {degree}\nep = {degree}\ndp_replicate = {degree}\n[data]\nseq_len = {degree}\nbatch_size = {degree}\n"
        );
        assert!(!found("0.8.0", Kind::Sft, &text).is_empty(), "{degree}");
        let text = format!(
            "[deployment]\nnum_train_gpus = {degree}\ngpus_per_node = {}\nnum_infer_gpus = 0\n[trainer.model]\ncp = 3\nep = 7\n[orchestrator]\n",
            i64::MAX
        );
        let _ = found("0.8.0", Kind::Rl, &text);
        let nodes = format!(
            "[deployment]\ntype = \"multi_node\"\nnum_nodes = {degree}\ngpus_per_node = {degree}\n[slurm]\njob_name = \"x\"\n[model]\ncp = 2\n"
        );
        let _ = found("0.8.0", Kind::Sft, &nodes);
    }
}
