//! Trainer and orchestrator find each other's files by their folders.

use cfg_diag::codes;
use cfg_schema::Behaviour;

use super::{PARTS, between, orchestrator, serves_several, trainer, whose};
use crate::{Check, Context, Finding, FixKind, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::FOLDER_MISMATCH,
    kinds: &PARTS,
    versions: VersionRange::without(Behaviour::FoldersAreDerived),
    fix: FixKind::None,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let sender = trainer(cx).filter(|trainer| !serves_several(trainer))?;
    let (of_trainer, of_orchestrator) = (&sender.output_dir, &orchestrator(cx)?.output_dir);
    let (trainer, orchestrator) = (of_trainer.fact()?, of_orchestrator.fact()?);
    let (here, there) = (tidy(&trainer.value), tidy(&orchestrator.value));
    let has_own_folder = cx.target.point.has(Behaviour::RunFolder) && cx.target.point.lacks(Behaviour::OrchestratorPacks);
    let is_found = if has_own_folder { parent(there) == here } else { there == here };
    if is_found {
        return None;
    }
    let (place, help) = if has_own_folder {
        (
            "not a direct subfolder",
            format!("it looks for runs directly below its own folder: write `{here}/run_default` for the orchestrator"),
        )
    } else {
        (
            "another folder",
            "rollouts and weights are exchanged as files there, and neither sees the other's: use the same folder in both files"
                .to_owned(),
        )
    };
    let message = format!(
        "the trainer works in \"{}\"{}, the orchestrator in \"{}\"{}: {place}",
        trainer.value,
        whose(trainer),
        orchestrator.value,
        whose(orchestrator)
    );
    Some(between(message, ("the trainer's", of_trainer), ("the orchestrator's", of_orchestrator)).help(help))
}

/// A path without a leading `./` and without a trailing `/`.
fn tidy(path: &str) -> &str {
    let path = path.strip_prefix("./").unwrap_or(path);
    match path {
        "" => ".",
        "/" => "/",
        _ => path.trim_end_matches('/'),
    }
}

/// The parent of a folder.
fn parent(path: &str) -> &str {
    match path.rsplit_once('/') {
        Some(("", _)) => "/",
        Some((folder, _)) => folder,
        None => ".",
    }
}

#[cfg(test)]
mod tests {
    use super::{parent, tidy};

    #[test]
    fn folders_are_compared_after_normalization() {
        assert_eq!(tidy("./outputs/"), "outputs");
        assert_eq!((tidy("/"), tidy("./"), tidy(".")), ("/", ".", "."));
        assert_eq!(parent("outputs/run_default"), "outputs");
        assert_eq!((parent("/run"), parent("run")), ("/", "."));
    }
}
