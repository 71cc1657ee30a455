//! The findings of `cfg check` and the figures of `cfg memory` for a text.

use cfg_check::{
    Checked, Request, Verdict,
    memory::{MemoryOptions, memory},
};
use cfg_diag::{Diagnostic, FileId, Severity};
use cfg_memory::{
    duration::{Estimate, estimate},
    hardware::Hardware,
    run::{Assessment, Run},
    verdict,
};
use cfg_plan::Plan;
use cfg_schema::Kind;

use crate::{Surroundings, choice::Choice, document, inputs::Inputs, settings};

/// The result for a text.
pub(crate) struct Judged {
    /// Its errors.
    pub(crate) problems: Vec<Problem>,
    /// The number of its errors apart from those of memory, which depend on the choice.
    pub(crate) lasting: usize,
    /// What runs on which GPU, and whether it fits.
    pub(crate) memory: Option<(Run, Assessment)>,
    /// The machine that it states.
    pub(crate) hardware: Option<String>,
    /// How long it takes, if the speed of its cards is known.
    pub(crate) estimate: Option<Estimate>,
    /// Whether a GPU can't hold its part, or only just.
    pub(crate) is_too_large: bool,
}

/// Something that is wrong with a config.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Whether the run could not go well.
    pub is_error: bool,
    /// The problem in one sentence.
    pub sentence: String,
}

impl Judged {
    /// The problems in one line.
    pub(crate) fn sentences(&self) -> String {
        let sentences: Vec<&str> = self.problems.iter().map(|problem| &*problem.sentence).collect();
        sentences.join("; ")
    }

    /// Whether nothing is wrong and all fits with room.
    pub(crate) fn is_right(&self) -> bool {
        self.problems.is_empty() && !self.is_too_large
    }
}

/// Judges the config that a choice makes.
pub(crate) fn judge(inputs: &Inputs<'_>, choice: &Choice) -> Judged {
    let text = document::write(inputs, choice, &settings::settings(inputs, choice, None));
    judge_text(inputs.around, Some(inputs.wish.kind), Some(&inputs.wish.hardware), &text, inputs.trainer_on_gpu()).0
}

/// Checks a config on this machine, or else on the one that it states; returns what the check made of it as well. `beside` is another config's process
/// on the same GPUs.
pub(crate) fn judge_text(
    around: Surroundings<'_>,
    kind: Option<Kind>,
    hardware: Option<&Hardware>,
    text: &str,
    beside: Option<&Plan>,
) -> (Judged, Checked) {
    let Surroundings { session, project, path, target, stated } = around;
    let request =
        Request { kind, target: stated.is_none().then(|| target.clone()), project: Some(project), ..Request::new(path, text) };
    let (checked, document, _) = cfg_check::check_document(session, request);
    let found = checked.diagnostics.iter().filter(|found| found.severity != Severity::Info);
    let lasting = found.clone().filter(|found| !found.code.code.starts_with("PRL4")).count();
    let mut problems: Vec<Problem> = found.map(problem).collect();
    let error = |sentence: String| Problem { is_error: true, sentence };
    if problems.is_empty() && checked.verdict == Verdict::Rejected {
        problems.push(error("prime-rl refuses it".to_owned()));
    }
    let (metadata, _) = session.metadata(FileId(0), path, text, &document);
    let plan = plan(&checked).map(|plan| match beside {
        Some(beside) => plan.merge(beside.clone()),
        None => plan,
    });
    let found =
        plan.as_ref().map(|plan| memory(plan, &checked.target, &metadata, project, MemoryOptions { hardware, shape: None }));
    let memory = match found {
        Some(Ok(found)) => Some((found.budget.run, found.assessment)),
        Some(Err(missing)) if checked.kind != Some(Kind::Orchestrator) => {
            problems.push(error(missing.to_string()));
            None
        }
        _ => None,
    };
    let is_too_large = memory.as_ref().is_some_and(|(_, found)| found.verdict() != verdict::Verdict::Fits);
    let estimate = plan.as_ref().zip(memory.as_ref()).and_then(|(plan, (run, assessment))| {
        let workload = cfg_plan::workload(plan, &metadata, run.trainer.as_ref());
        estimate(run, assessment, &workload, 0.0, None)
    });
    let hardware = metadata.hardware.map(|stated| stated.value.into_string());
    (Judged { problems, lasting, memory, hardware, estimate, is_too_large }, checked)
}

/// The plan of a checked config.
pub(crate) fn plan(checked: &Checked) -> Option<Plan> {
    Some(Plan::new(checked.target.schema(checked.kind?), checked.resolved.as_ref()?))
}

fn problem(found: &Diagnostic) -> Problem {
    let help = found.help.as_ref().map_or_else(String::new, |help| format!("; {help}"));
    let sentence = format!("{} ({}){help}", found.message, found.code.code);
    Problem { is_error: found.severity == Severity::Error, sentence }
}
