//! A run name that ends in another version than the file's: the curves of two versions get the same name.

use cfg_diag::codes;
use cfg_schema::Kind;

use crate::{Check, Context, Finding, FixKind, Repair, Rule, VersionRange};

/// The suffixes that processes add to the name for their own runs.
const PROCESSES: [&str; 3] = ["-trainer", "-orchestrator", "-inference"];

pub(crate) static RULE: Rule = Rule {
    code: &codes::WANDB_NAME_OF_OTHER_VERSION,
    kinds: &[Kind::Rl, Kind::Sft, Kind::Trainer, Kind::Orchestrator],
    versions: VersionRange::ALL,
    fix: FixKind::Unsafe,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let version = cx.metadata.version.as_ref()?;
    let of_trainer = cx.plan.trainer.as_ref().and_then(|trainer| trainer.wandb.value());
    let of_orchestrator = || cx.plan.orchestrator.as_ref().and_then(|orchestrator| orchestrator.wandb.value());
    let of_run = cx.plan.run.wandb.value().filter(|wandb| wandb.name.is_written());
    let name = of_run.or(of_trainer).or_else(of_orchestrator)?.name.fact().filter(|name| name.is_written())?;
    let (own, stated) = (number(&version.value)?, &*version.value);
    let process = PROCESSES.iter().find(|process| name.value.ends_with(**process)).copied().unwrap_or_default();
    let (before, last) = name.value[..name.value.len() - process.len()].rsplit_once('-')?;
    if number(last)? == own {
        return None;
    }
    let message = format!("the run is named after version {last}, but the config is at {stated}: two versions share a name");
    let right = format!("{before}-{stated}{process}");
    let repair = Repair::possible(format!("name it \"{right}\"")).set(name.written_key(), right.as_str());
    let finding = Finding::new(message).on(name).related(version.location, format!("{stated} here"));
    Some(finding.help("change the name with the version, so that runs can be distinguished").repair(repair))
}

/// The number of a version: 3 for `v3`.
fn number(version: &str) -> Option<u32> {
    version.strip_prefix('v').filter(|digits| !digits.starts_with('0')).and_then(|digits| digits.parse().ok())
}
