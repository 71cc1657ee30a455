//! Launch commands of users that their prime-rl refused, and the corrected commands.

use super::Folder;

/// The findings in a command, one per line, in a folder with an `rl` config and a trainer config.
fn said(target: &str, command: &str) -> String {
    let folder = Folder::new(&[("rl.toml", "max_steps = 100\n[trainer]\n[orchestrator]\n"), ("train.toml", "max_steps = 100\n")]);
    let ended = folder.run(&format!("check --target {target} --format concise -- {command}"));
    assert!(ended.status == Some(0) || ended.status == Some(1), "{ended:?}");
    ended.stdout
}

#[track_caller]
fn refused(target: &str, command: &str, word: &str) {
    let said = said(target, command);
    let names_it = |line: &str| line.contains("error[PRL018]") && line.contains(&format!("`{word}`"));
    assert!(said.lines().any(names_it), "{command}: {said}");
}

#[track_caller]
fn taken(target: &str, command: &str) {
    let said = said(target, command);
    assert!(!said.contains("PRL"), "{command}: {said}");
}

#[test]
fn a_config_has_its_at_sign_in_front() {
    refused("d564195ca", "uv run rl rl.toml", "rl.toml");
    refused("d564195ca", "uv run rl @rl.toml", "@rl.toml");
    taken("d564195ca", "uv run rl @ rl.toml");
}

#[test]
fn an_unknown_program_is_reported() {
    for program in ["prime-rl", "foo"] {
        let said = said("d564195ca", &format!("uv run {program} @ rl.toml"));
        assert!(said.contains(&format!("error[PRL018] `{program}` ")), "{said}");
    }
    taken("d564195ca", "./start.sh @ rl.toml");
}

#[test]
fn a_program_with_unchecked_configs_is_not_an_error() {
    let mut all = String::new();
    for program in ["vf-rl @ rl.toml", "vf-eval gsm8k -n 5"] {
        let said = said("d564195ca", &format!("uv run {program}"));
        assert!(said.contains("warning[PRL010]") && !said.contains("error"), "{said}");
        all += &said;
    }
    insta::assert_snapshot!("programs_whose_configs_are_not_checked", all);
}

#[test]
fn a_program_that_the_target_lacks_is_not_an_error() {
    for (target, program) in [("0.5.0", "eval"), ("0.8.0", "evals"), ("0.8.0", "synthesize"), ("0.4.0", "env-server")] {
        let said = said(target, &format!("uv run {program} @ rl.toml"));
        assert!(!said.contains("error") && said.matches("warning[").count() == 1, "{program}: {said}");
        assert!(said.contains("warning[PRL026]"), "{program}: {said}");
    }
}

#[test]
fn flags_of_another_version() {
    refused("0.2", "uv run rl @ rl.toml --ckpt --ckpt.interval 5 --ckpt.keep-last 3", "--ckpt.keep-last");
    taken("0.2", "uv run rl @ rl.toml --ckpt --ckpt.interval 5 --ckpt.keep 3");
    taken("d564195ca", "uv run rl @ rl.toml --ckpt --ckpt.interval 5 --ckpt.keep-last 3");
    refused("0.2", "uv run rl @ rl.toml --ckpt.save-async", "--ckpt.save-async");
    refused("d564195ca", "uv run rl @ rl.toml --ckpt.save-async", "--ckpt.save-async");
}

#[test]
fn some_switches_accept_a_value_and_some_require_one() {
    refused("6b01ba5ae", "uv run trainer @ train.toml --wandb.offline true", "true");
    taken("6b01ba5ae", "uv run trainer @ train.toml --wandb.offline");
    taken("6b01ba5ae", "uv run rl @ rl.toml --wandb.offline true");
    let bare = said("6b01ba5ae", "uv run rl @ rl.toml --wandb.offline");
    assert!(bare.contains("error[PRL018] `--wandb.offline` "), "{bare}");
}

#[test]
fn variables_before_a_command() {
    let said = said("d564195ca", "WANDB_API_KEY=YOUR_KEY VLLM_USE_V1=0 HF_HOME=/data uv run rl @ rl.toml");
    assert!(said.contains("warning[PRL317] `YOUR_KEY` ") && said.contains("warning[PRL818] `VLLM_USE_V1` "), "{said}");
    assert!(!said.contains("HF_HOME"), "{said}");
}

#[test]
fn an_entrypoint_of_another_time_is_said_with_its_time() {
    let slurm = said("0.5.0", "uv run rl_slurm @ rl.toml");
    assert!(slurm.contains("error[PRL018] 0.5.0 has no entrypoint `rl_slurm`"), "{slurm}");
    assert!(slurm.contains("from 2026-02-17 to 2026-02-24"), "{slurm}");
    // Its class is in no table.
    let then = said("a77725e5c", "uv run rl_slurm @ rl.toml");
    assert!(!then.contains("error") && then.contains("warning[PRL026]") && then.contains("RLSLURMConfig"), "{then}");
    let evaluator = said("main", "uv run evaluator @ rl.toml");
    assert!(evaluator.contains("has no entrypoint `evaluator`"), "{evaluator}");
    let then = said("15d6c8197", "uv run evaluator @ rl.toml");
    assert!(!then.contains("PRL018"), "{then}");
    let synthesize = said("0.6.0", "uv run synthesize @ rl.toml");
    assert!(synthesize.contains("0.6.0 has no entrypoint `synthesize`; prime-rl had"), "{synthesize}");
}
