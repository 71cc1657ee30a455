//! Checks that there is an API key if the config uses Weights & Biases.

use std::path::{Path, PathBuf};

use cfg_diag::{Diagnostic, codes};
use cfg_plan::{Setting, Wandb};
use cfg_system::Role;

use super::{Answer, Machine, Run, Situation};

/// The host for which wandb's API keys are stored.
const HOST: &str = "api.wandb.ai";

pub(super) fn check(situation: &Situation<'_>) -> Answer {
    let Situation { run: Run { plan, .. }, machine, .. } = situation;
    let own = [
        Some(&plan.run.wandb),
        plan.trainer.as_ref().map(|trainer| &trainer.wandb),
        plan.orchestrator.as_ref().map(|orchestrator| &orchestrator.wandb),
    ];
    let on: Vec<&Setting<Wandb>> = own.into_iter().flatten().filter(|wandb| wandb.fact().is_some()).collect();
    let Some(first) = on.first() else { return Answer::NotNeeded("W&B is off in the config") };
    let mode = machine.variable("WANDB_MODE").unwrap_or_default();
    let is_offline = |wandb: &Setting<Wandb>| wandb.value().is_some_and(|wandb| wandb.offline.is_on());
    if mode == "offline" || mode == "disabled" || machine.variable("WANDB_DISABLED").is_some() {
        return Answer::NotNeeded("an environment variable turns W&B off or offline");
    }
    if on.iter().all(|wandb| is_offline(wandb)) {
        return Answer::NotNeeded("W&B is offline in the config");
    }
    let Some(source) = key(*machine) else {
        let key = first.key().map_or_else(|| "wandb".to_owned(), ToString::to_string);
        let message = "Weights & Biases is on, but there is no API key";
        let home = machine.variable("HOME").unwrap_or_default();
        let file = Path::new(&home).join(".wandb_api_key");
        let help = if machine.exists(&file) {
            format!("{} exists, but the shell must load it: `source {}`", file.display(), file.display())
        } else {
            format!(
                "set WANDB_API_KEY, or write `machine {HOST}`, `login user`, `password KEY` into ~/.netrc (`chmod 600`); without an account set `{key}.offline = true`"
            )
        };
        let finding = Diagnostic::new(&codes::MISSING_WANDB_KEY, message).help(help).key(key);
        return Answer::found(if let Some(at) = first.location() { finding.at(at) } else { finding });
    };
    Answer::Fine(format!("a key is in {source}"))
}

/// Where an API key is stored; `None` if there is none.
fn key(machine: Machine<'_>) -> Option<String> {
    if machine.variable("WANDB_API_KEY").is_some() {
        return Some("WANDB_API_KEY".to_owned());
    }
    let home = machine.variable("HOME").map(PathBuf::from);
    let own = machine.variable("NETRC").map(PathBuf::from);
    let usual = home.iter().flat_map(|home| [home.join(".netrc"), home.join("_netrc")]);
    own.into_iter()
        .chain(usual)
        .find(|file| machine.text(file, Role::Netrc).is_ok_and(|text| has_key(&text)))
        .map(|file| file.display().to_string())
}

/// Whether a netrc file has a password for wandb.
fn has_key(netrc: &str) -> bool {
    let without_comments =
        netrc.lines().map(|line| line.split(" #").next().unwrap_or_default()).filter(|line| !line.trim_start().starts_with('#'));
    let text = without_comments.collect::<Vec<_>>().join("\n");
    let words: Vec<&str> = text.split_whitespace().collect();
    let Some(at) = words.windows(2).position(|pair| pair[0] == "machine" && pair[1] == HOST) else { return false };
    let own = words[at + 2..].iter().take_while(|word| **word != "machine" && **word != "default");
    let own: Vec<&&str> = own.collect();
    own.windows(2).any(|pair| *pair[0] == "password" && !pair[1].is_empty())
}

#[cfg(test)]
mod tests {
    use super::has_key;

    #[test]
    fn a_netrc_has_a_key_or_not() {
        assert!(has_key("machine api.wandb.ai\n  login user\n  password 0123\n"));
        assert!(has_key("machine x login a password b machine api.wandb.ai login user password c"));
        assert!(!has_key("machine api.wandb.ai\n  login user\nmachine other\n  password 0123\n"));
        assert!(!has_key("# machine api.wandb.ai password x\n"));
        assert!(!has_key(""));
    }
}
