//! Checks that the run fits in the memory of this machine's GPUs.

use cfg_diag::{Diagnostic, codes};

use super::{Answer, Situation};

pub(super) fn check(situation: &Situation<'_>) -> Answer {
    if let Some(why) = situation.gpus.why_unknown() {
        return Answer::Unknown(why);
    }
    let assessment = match situation.memory {
        Ok(assessment) => assessment,
        Err(why) => return Answer::Unknown(why.clone()),
    };
    let mut found = Vec::new();
    let mut reported: Vec<String> = Vec::new();
    for on in assessment.gpus.iter().filter(|on| on.judgement.verdict.is_error()) {
        let physical = situation.uses.iter().find(|used| used.index == on.index).and_then(|used| used.physical);
        let gpu = situation.gpus.get(physical.unwrap_or(on.index)).or(situation.gpus.all().first());
        let role = match (on.trains, on.serves) {
            (true, true) => "trainer and inference server",
            (true, false) => "the trainer",
            _ => "the inference server",
        };
        let reasons: Vec<String> = on.judgement.reasons.iter().map(ToString::to_string).collect();
        let what = format!("{role}: {}", reasons.join("; "));
        // GPUs with the same role have the same reasons, which are reported once.
        if reported.contains(&what) {
            continue;
        }
        let card = gpu.map_or_else(String::new, |gpu| format!(" ({}, {})", gpu.name, gpu.total));
        let message = format!("GPU {}{card} is too small for {what}", physical.unwrap_or(on.index));
        let help = "run `cfg memory FILE --gpu CARD` for a breakdown and changes that help";
        found.push(Diagnostic::new(&codes::GPU_MEMORY_SHORT, message).help(help));
        reported.push(what);
    }
    Answer::of(found, || format!("{}, as `cfg memory` computes it", assessment.verdict().as_str()))
}
