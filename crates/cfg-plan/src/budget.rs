//! The input of the memory model from the plan of a run: what is on which GPU.
//!
//! [`budget`] never guesses: without a known model there is no [`Run`], and without a known card the verdict of its GPUs is "unknown".
//! [`Budget::assumed`] lists its assumptions about the machine.

mod inference;
mod topology;
mod trainer;
mod writes;

pub use cfg_memory::origin::{NamedModel, Origin};
use std::fmt;
pub use topology::gpus_in_words;

use crate::Plan;
use cfg_memory::{
    Recent,
    architecture::Architecture,
    catalogue::{self, Likeness, UnknownModel},
    hardware::Hardware,
    inference::Inference,
    precision::Precision,
    prime_rl::Date,
    run::Run,
};
use cfg_schema::{Commit, History, Point, Tag, Target};

/// The shape of a model, and where it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// The shape.
    pub architecture: Architecture,
    /// Whether it comes from the model's own `config.json`.
    pub confirmed: bool,
    /// How its weights are stored.
    pub precision: Precision,
    /// Where the shape comes from.
    pub origin: Origin,
    /// What of the model's `config.json` memory depends on and isn't counted, as clauses.
    pub unmodelled: Vec<String>,
}

/// What is known besides the config.
pub struct Inputs<'a> {
    /// The prime-rl that the config is checked for.
    pub target: &'a Target,
    /// The machine, if its cards are known.
    pub hardware: Option<&'a Hardware>,
    /// Returns the shape that the user states for a model, by name or path; it takes precedence over all others.
    pub shape: &'a dyn Fn(&str) -> Option<Shape>,
    /// Returns the shape of a model on this machine. It takes precedence over the catalogue.
    pub local: &'a dyn Fn(&str) -> Option<Shape>,
}

/// A run as input of the memory model.
#[derive(Clone, Debug, PartialEq)]
pub struct Budget {
    /// The run.
    pub run: Run,
    /// What was assumed because the config does not state it, as clauses for messages.
    pub assumed: Vec<String>,
    /// The models: the trained one first, then the served one if it is another.
    pub models: Vec<NamedModel>,
}

/// Why a config has no budget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missing {
    /// The config has neither a trainer nor an inference server.
    Nothing,
    /// The name of the model is missing or invalid.
    Model,
    /// The shape of the model is not known.
    Shape(UnknownModel),
    /// The sequence length is missing or invalid, so the peak can't be determined.
    SeqLen,
}

impl fmt::Display for Missing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => formatter.write_str("it does not train or serve a model"),
            Self::Model => formatter.write_str("it names no model"),
            Self::SeqLen => formatter.write_str("its sequence length is unknown"),
            Self::Shape(unknown) => match unknown.foreign_format() {
                Some(format) => write!(
                    formatter,
                    "the files of the model `{}` are {format}, which prime-rl does not load; use the model that they were made from",
                    unknown.id
                ),
                None => write!(formatter, "the architecture of the model `{}` is unknown", unknown.id),
            },
        }
    }
}

/// The budget of a plan.
pub fn budget(plan: &Plan, inputs: &Inputs<'_>) -> Result<Budget, Missing> {
    let of_trainer = plan.trainer.as_ref().map(|own| own.model.name.text());
    let of_server = plan.inference.as_ref().map(|own| own.model_name.text());
    if of_trainer.is_none() && of_server.is_none() {
        return Err(Missing::Nothing);
    }
    let name = of_trainer.flatten().or_else(|| of_server.flatten()).ok_or(Missing::Model)?;
    let first = shape(name, inputs.shape, inputs.local).map_err(Missing::Shape)?;
    let served = match of_server.flatten() {
        Some(other) if other != name => Some((other, shape(other, inputs.shape, inputs.local).map_err(Missing::Shape)?)),
        _ => None,
    };
    let date = date(inputs.target);
    let mut assumed = Vec::new();
    let gpus = topology::gpus(plan, inputs.hardware, &mut assumed);
    let stored = served.as_ref().map_or(first.precision, |(_, served)| served.precision);
    let inference = plan.inference.as_ref().map(|own| inference::inference(own, date, stored));
    let mut models = models((name, &first), served.as_ref().map(|(name, shape)| (*name, shape)), inference.as_ref());
    let Shape { architecture: mut model, confirmed, .. } = first;
    let trainer = match &plan.trainer {
        Some(own) => {
            if let Some(layers) = own.model.debug_num_layers.get().and_then(|layers| u32::try_from(layers).ok()) {
                model.layers = model.layers.min(layers);
            }
            Some(trainer::trainer(plan, own, date, gpus.trainer_world, &model).ok_or(Missing::SeqLen)?)
        }
        None => None,
    };
    let run = Run {
        model,
        served: served.map(|(_, served)| served.architecture),
        confirmed,
        gpu: inputs.hardware.map(|hardware| hardware.gpu.clone()),
        trainer,
        trainer_gpus: gpus.trainer,
        inference,
        inference_gpus: gpus.inference,
        writes: plan.trainer.as_ref().map(|own| writes::writes(plan, own)),
    };
    if let Some(served) = models.last_mut() {
        served.unmodelled.extend(drafting(plan, &run));
    }
    Ok(Budget { run, assumed, models })
}

/// The models of a run.
fn models(first: (&str, &Shape), served: Option<(&str, &Shape)>, inference: Option<&Inference>) -> Vec<NamedModel> {
    let named = |(name, shape): (&str, &Shape), is_served: bool, serves: bool| NamedModel {
        name: name.to_owned(),
        is_served,
        parameters: shape.architecture.parameters(),
        served_as: inference.filter(|_| serves).map(|inference| inference.precision.format),
        origin: shape.origin.clone(),
        unmodelled: shape.unmodelled.clone(),
    };
    let first = named(first, false, served.is_none());
    [Some(first), served.map(|served| named(served, true, true))].into_iter().flatten().collect()
}

/// What isn't counted of a server that drafts tokens: everything but the model's own layers for multi-token prediction.
fn drafting(plan: &Plan, run: &Run) -> Option<String> {
    let config = plan.inference.as_ref()?.speculative_config.value()?;
    let counts = run.inference.as_ref()?.draft_tokens > 0 && run.served_model().mtp_layers > 0;
    (!counts && !config.0.is_empty()).then(|| "`speculative_config`: the model that drafts".to_owned())
}

/// The shape of a model: the stated one, that of a copy on this machine, that of the catalogue, or that of the model that its name suggests.
///
/// # Errors
/// The model is unknown.
pub fn shape(
    name: &str,
    stated: impl Fn(&str) -> Option<Shape>,
    local: impl Fn(&str) -> Option<Shape>,
) -> Result<Shape, UnknownModel> {
    if let Some(shape) = stated(name).or_else(|| local(name)) {
        return Ok(shape);
    }
    let found = catalogue::named(name)?;
    let model = found.model;
    let origin = match (found.likeness, model.of) {
        (Likeness::Exact, None) => Origin::Catalogue(model.source),
        (Likeness::Exact, Some(of)) => Origin::FineTuned(of),
        (Likeness::Variant, of) => Origin::Variant(of.unwrap_or(model.id)),
        (Likeness::FineTuned, of) => Origin::FineTuned(of.unwrap_or(model.id)),
    };
    Ok(Shape {
        architecture: model.architecture.clone(),
        confirmed: model.confirmed && found.likeness != Likeness::FineTuned,
        precision: found.precision,
        origin,
        unmodelled: unmodelled(model.architecture),
    })
}

/// What isn't counted of a model of the catalogue.
fn unmodelled(architecture: &Architecture) -> Vec<String> {
    let is_compressed = architecture.mla.is_some_and(|mla| mla.compressed.is_some());
    let clause = "how vLLM rounds the pages of compressed keys and values, and what it needs to compute with them; no run with them was measured";
    is_compressed.then(|| clause.to_owned()).into_iter().collect()
}

/// The day of a target: that of the tag, that of the point's last commit, or the day that the user named.
fn date(target: &Target) -> Date {
    thread_local! {
        static OF_TARGETS: Recent<(Point, Date)> = const { Recent::new() };
    }
    let (point, date) = OF_TARGETS.with(|recent| recent.of(&target.name, || (target.point, find_date(target))));
    // Targets of different histories may have the same name.
    if point == target.point { date } else { find_date(target) }
}

fn find_date(target: &Target) -> Date {
    let history = History::built_in();
    let named = || Date::parse(&target.name);
    let tagged = || history.tag(&target.name).map(Tag::day);
    let of_point = || history.commits_at(target.point);
    let committed = || of_point().find(|commit| commit.sha().starts_with(&target.name)).map(Commit::day);
    let last = || of_point().next_back().or_else(|| history.last_commit_before(target.point)).map(Commit::day);
    named().or_else(|| Date::parse(tagged().or_else(committed).or_else(last)?)).unwrap_or(Date::new(2026, 8, 20))
}
