//! New configs: from a model, a machine and a source of training data to a text without findings that fits with room to spare.
//!
//! [`draft`] tries choices in order of preference: the sequence length, full fine-tuning or adapters, the distribution of the GPUs. Each is written
//! as a config (`settings.rs`: every value with its reason, under the target's key for it), checked like any other config, and assessed by the memory
//! model. The first one that has no findings and fits is the draft. Nothing here depends on a version of prime-rl: the schema of the target says
//! which keys exist.

#![cfg_attr(not(test), warn(clippy::disallowed_methods, clippy::disallowed_types))]

mod adapt;
mod choice;
mod document;
mod images;
mod inputs;
mod judge;
mod own_places;
pub mod project;
mod refusal;
mod settings;
mod splits;
mod sweep;
pub mod values;
mod wish;

pub use adapt::{Changes, adapt};
use cfg_check::{Project, Session};
use cfg_memory::{
    hardware::Hardware,
    run::{Assessment, Run},
};
use cfg_schema::{Kind, Target};
pub use judge::Problem;
use refusal::Tried;
pub use refusal::{Refusal, larger_machines};
pub use splits::Considered;
pub use sweep::{Base, Setting, Variant, combinations, left_out, sweep};
pub use wish::{Goal, Method, Wish};

use crate::{
    choice::Choice,
    inputs::{Inputs, Need},
    judge::Judged,
    splits::Splits,
};

/// The context that a draft is checked in.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    /// Checks it.
    pub session: &'a Session,
    /// The settings of the project around the new file.
    pub project: &'a Project,
    /// The path of the new file.
    pub path: &'a str,
    /// The prime-rl that the draft is for.
    pub target: &'a Target,
    /// The target in the draft's metadata; `None` if the project around it gives the target.
    pub stated: Option<&'a str>,
}

/// A new config.
#[derive(Debug)]
pub struct Draft {
    /// Its text.
    pub text: String,
    /// Its entrypoint.
    pub kind: Kind,
    /// The model.
    pub model: Option<String>,
    /// The machine in its metadata: `2x H100`.
    pub machine: Option<String>,
    /// How the model is trained; `None` if no model is trained.
    pub method: Option<Method>,
    /// Tokens of the longest sequence that is used for training or served.
    pub seq_len: Option<u64>,
    /// The processes on each GPU, and the assessment of each; `None` if nothing is loaded onto a GPU.
    pub memory: Option<(Run, Assessment)>,
    /// The distributions of the GPUs between trainer and inference that were compared, the chosen one first; empty if there was no choice.
    pub considered: Vec<Considered>,
    /// The conditions that can't be checked here, and the decisions left to the user, one sentence for each.
    pub unknown: Vec<String>,
}

/// Writes a config for a request: the first choice without findings that fits, with the GPUs distributed as the shortest step needs them.
///
/// # Errors
/// If the model is not known, or no config for it is valid and fits on the machine.
pub fn draft(around: Surroundings<'_>, wish: &Wish<'_>) -> Result<Draft, Refusal> {
    let (inputs, found) = search(around, wish, Thoroughness::AllSplits)?;
    let (choice, judged, considered) = found;
    let assessment = judged.memory.as_ref().map(|(_, assessment)| assessment);
    Ok(Draft {
        text: document::write(&inputs, &choice, &settings::settings(&inputs, &choice, assessment)),
        kind: wish.kind,
        model: Some(wish.model.to_owned()),
        machine: Some(in_words(&wish.hardware)),
        method: wish.trains().then_some(choice.method),
        seq_len: Some(choice.seq_len),
        memory: judged.memory,
        considered,
        unknown: settings::unknown(&inputs, &choice),
    })
}

/// Whether there is a config for a request.
///
/// # Errors
/// As for [`draft`].
pub fn can_draft(around: Surroundings<'_>, wish: &Wish<'_>) -> Result<(), Refusal> {
    search(around, wish, Thoroughness::FirstSplit).map(|_| ())
}

/// How many distributions of the GPUs are compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Thoroughness {
    FirstSplit,
    AllSplits,
}

/// A choice that is right, and the distributions of the GPUs that were compared.
type Found = (Choice, Judged, Vec<Considered>);

fn search<'a>(around: Surroundings<'a>, wish: &'a Wish<'a>, how: Thoroughness) -> Result<(Inputs<'a>, Found), Refusal> {
    let inputs = Inputs::of(around, wish)?;
    let choices = choice::choices(&inputs)?;
    let inputs = with_needs(inputs, &choices)?;
    let judged = |choice: &Choice| judge::judge(&inputs, choice);
    let mut tried = Tried::default();
    for group in choices.chunk_by(Choice::is_but_for_layout) {
        let mut splits = Splits::default();
        for choice in group {
            if splits.has(choice) || tried.too_large.iter().any(|(shortest, _)| shortest.is_but_for_length(choice)) {
                continue;
            }
            let mut found = judged(choice);
            if found.is_right() {
                splits.add(choice.clone(), found);
                if how == Thoroughness::FirstSplit {
                    break;
                }
                continue;
            }
            // If not even the shortest sequence fits, no other is tried.
            if found.is_too_large {
                let shortest = choices.iter().rev().find(|other| other.is_but_for_length(choice)).unwrap_or(choice);
                if shortest != choice {
                    found = judged(shortest);
                }
                if let Some((run, _)) = found.memory.as_ref().filter(|_| found.is_too_large) {
                    tried.too_large.push((shortest.clone(), run.clone()));
                }
            }
            tried.last = Some(found);
        }
        if let Some(found) = splits.fastest(group) {
            return Ok((inputs, found));
        }
    }
    Err(tried.refusal(wish))
}

/// The same, with the settings that only some models need, if they are what is missing.
///
/// # Errors
/// If the prime-rl has nothing that the model needs to be trained on images.
fn with_needs<'a>(mut inputs: Inputs<'a>, choices: &[Choice]) -> Result<Inputs<'a>, Refusal> {
    let judged = |inputs: &Inputs<'_>| choices.first().map(|choice| judge::judge(inputs, choice));
    let lasting = |inputs: &Inputs<'_>| judged(inputs).map_or(0, |judged| judged.lasting);
    let problems = |inputs: &Inputs<'_>| judged(inputs).map_or_else(Vec::new, |judged| judged.problems);
    let mut left = lasting(&inputs);
    for need in inputs.possible_needs() {
        if left == 0 {
            break;
        }
        let mut with = inputs.clone();
        with.needs.push(need);
        let found = lasting(&with);
        if found < left {
            (inputs, left) = (with, found);
        } else if need == Need::OwnClass {
            // It is what the model needs, and this prime-rl does not have it: one error takes the place of another.
            let (without, with) = (problems(&inputs), problems(&with));
            if without.iter().any(|problem| problem.is_error && !with.contains(problem)) {
                return Err(Refusal::without_class(&inputs));
            }
        }
    }
    if left > 0 && inputs.wish.rolls_out() {
        // Whoever asks for a short sequence knows that the prompts are short; what an environment declares of its own is an error.
        let with = Inputs { states_prompt: true, ..inputs.clone() };
        let left = problems(&inputs);
        if !left.iter().any(|problem| problem.is_error) && problems(&with).len() < left.len() {
            inputs = with;
        }
    }
    Ok(inputs)
}

/// A machine as a config gives it: `2x H100`.
pub fn in_words(hardware: &Hardware) -> String {
    format!("{}x {}", hardware.count, hardware.gpu.name)
}
