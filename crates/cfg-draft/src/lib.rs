//! New configs: from a model, a machine and what to train on to a text in which nothing is wrong and that fits with room.
//!
//! [`draft`] tries choices in order of preference: the length of a sequence, full fine-tuning or adapters, which GPU does what. Each is written as a
//! config (`settings.rs`: every value with its reason, under the key that the target has for it), checked like any other, and put to the memory
//! model. The first in which nothing is found and that fits is the draft. Nothing here knows a version of prime-rl: where a key is, and
//! whether prime-rl has it, is asked of its schema.

#![cfg_attr(not(test), warn(clippy::disallowed_methods, clippy::disallowed_types))]

mod adapt;
mod choice;
mod document;
mod judge;
mod known;
pub mod project;
mod refusal;
mod settings;
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
pub use sweep::{Base, Setting, Variant, combinations, sweep};
pub use wish::{Goal, Method, Wish};

use crate::{choice::Choice, known::Known};

/// What a draft is checked against.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    /// Checks it.
    pub session: &'a Session,
    /// What the project around the new file says.
    pub project: &'a Project,
    /// Where the new file will be.
    pub path: &'a str,
    /// The prime-rl that the draft is for.
    pub target: &'a Target,
    /// How the draft names that prime-rl in its metadata; `None` where the project around it does.
    pub stated: Option<&'a str>,
}

/// A new config.
#[derive(Debug)]
pub struct Draft {
    /// Its text.
    pub text: String,
    /// The entrypoint that it is for.
    pub kind: Kind,
    /// The model.
    pub model: Option<String>,
    /// The machine that it states: `2x H100`.
    pub machine: Option<String>,
    /// How the model is trained; `None` if none is.
    pub method: Option<Method>,
    /// Tokens of the longest sequence that is trained on or served.
    pub seq_len: Option<u64>,
    /// What runs on which GPU, and what becomes of each; `None` where nothing is loaded onto one.
    pub memory: Option<(Run, Assessment)>,
    /// What decides whether the run goes well and can't be known here, and what is left to the user, one sentence for each.
    pub unknown: Vec<String>,
}

/// Writes a config for what is wished: the first choice in which nothing is wrong and that fits.
///
/// # Errors
/// Where the model is not known, or no config for it is right or fits on the machine.
pub fn draft(around: Surroundings<'_>, wish: &Wish<'_>) -> Result<Draft, Refusal> {
    let known = Known::of(around, wish)?;
    let choices = choice::choices(&known)?;
    let known = &with_template(known, &choices);
    let judged = |choice: &Choice| judge::judge(known, choice);
    let mut tried = Tried::default();
    for choice in &choices {
        if tried.too_large.iter().any(|(shortest, _)| shortest.is_but_for_length(choice)) {
            continue;
        }
        let mut found = judged(choice);
        if found.is_right() {
            let assessment = found.memory.as_ref().map(|(_, assessment)| assessment);
            return Ok(Draft {
                text: document::write(known, &settings::settings(known, choice, assessment)),
                kind: known.wish.kind,
                model: Some(known.wish.model.to_owned()),
                machine: Some(in_words(&known.wish.hardware)),
                method: known.wish.trains().then_some(choice.method),
                seq_len: Some(choice.seq_len),
                memory: found.memory,
                unknown: settings::unknown(known),
            });
        }
        // Where not even the shortest sequence fits, no other is tried.
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
    Err(tried.refusal(wish))
}

/// The same, with the model's own chat template where that is what is missing.
fn with_template<'a>(known: Known<'a>, choices: &[Choice]) -> Known<'a> {
    let problems = |known: &Known<'_>| choices.first().map_or(0, |choice| judge::judge(known, choice).problems.len());
    let without = problems(&known);
    let with = Known { needs_template: true, ..known.clone() };
    if without > 0 && problems(&with) < without { with } else { known }
}

/// A machine as a config states it: `2x H100`.
pub fn in_words(hardware: &Hardware) -> String {
    format!("{}x {}", hardware.count, hardware.gpu.name)
}
