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
    assert!(said.contains(&format!("error[PRL018] prime-rl does not accept `{word}` here")), "{command}: {said}");
}

#[track_caller]
fn taken(target: &str, command: &str) {
    let said = said(target, command);
    assert!(said.contains("Found no problems"), "{command}: {said}");
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
        assert!(said.contains(&format!("error[PRL018] `{program}` is not a prime-rl program")), "{said}");
    }
    taken("d564195ca", "./start.sh @ rl.toml");
}

#[test]
fn a_program_with_unchecked_configs_is_not_an_error() {
    for (program, why) in [
        ("vf-rl @ rl.toml", "`cfg` does not check this file: it is a config for verifiers' `vf-rl`"),
        ("vf-eval gsm8k -n 5", "`cfg` does not check this command: it evaluates without a file"),
    ] {
        let said = said("d564195ca", &format!("uv run {program}")).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(&format!("warning[PRL010] {why}")), "{said}");
        assert!(!said.contains("error"), "{said}");
    }
}

#[test]
fn a_program_that_the_target_lacks_is_not_an_error() {
    for (target, program) in [("0.5.0", "eval"), ("0.8.0", "evals"), ("0.8.0", "synthesize"), ("0.4.0", "env-server")] {
        let said = said(target, &format!("uv run {program} @ rl.toml"));
        assert!(!said.contains("error") && !said.contains("warning"), "{program}: {said}");
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
    assert!(bare.contains("error[PRL018] `--wandb.offline` needs a value"), "{bare}");
}

#[test]
fn variables_before_a_command() {
    let said = said("d564195ca", "WANDB_API_KEY=YOUR_KEY VLLM_USE_V1=0 HF_HOME=/data uv run rl @ rl.toml");
    assert!(said.contains("warning[PRL317] `YOUR_KEY` is a placeholder"), "{said}");
    assert!(said.contains("warning[PRL818] `VLLM_USE_V1` has no effect here"), "{said}");
    assert!(!said.contains("HF_HOME"), "{said}");
}
