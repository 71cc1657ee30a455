//! Adapts an existing config to another model, machine or environment.

use cfg_diag::{FileId, Location, Order as _};
use cfg_memory::hardware::Hardware;
use cfg_plan::Plan;
use cfg_registry::header::{with_members, without_members};
use cfg_schema::{Behaviour, Kind};
use cfg_syntax::{
    Dialect,
    rewrite::{Change, Rewriter},
};

use crate::{Draft, Method, Refusal, Surroundings, in_words, judge, refusal, settings::name_of};

/// The requested changes of a config.
#[derive(Clone, Copy, Debug)]
pub struct Changes<'a> {
    /// The model, by its name on the hub.
    pub model: Option<&'a str>,
    /// The machine.
    pub hardware: Option<&'a Hardware>,
    /// The id of the environment, if there is exactly one.
    pub environment: Option<&'a str>,
}

/// The file of a text that is checked alone.
const FILE: FileId = FileId(0);

/// The metadata that applies only to one version.
pub(crate) const OF_A_VERSION: [&str; 5] = ["version", "created", "notes", "same_as", "except"];

/// Makes a new config from the text of a version (`parent`: `configs/rl.toml:v3`), with these changes and every other byte unchanged.
///
/// # Errors
/// If the result would have a fault or does not fit on the machine, or if the part to change can't be found in it.
pub fn adapt(
    around: Surroundings<'_>,
    kind: Option<Kind>,
    text: &str,
    parent: &str,
    changes: Changes<'_>,
) -> Result<Draft, Refusal> {
    changes.hardware.map_or(Ok(()), |hardware| Refusal::of_card(&hardware.gpu))?;
    let wrong = |why: String| Refusal::NoneIsRight { why };
    let (_, checked) = judge::judge_text(around, kind, changes.hardware, text, None);
    let plan = judge::plan(&checked).ok_or_else(|| wrong(format!("{parent} is not a readable config")))?;
    let mut edits: Vec<(Location, &str)> = Vec::new();
    if let Some(model) = changes.model {
        let places = models(&plan);
        if places.is_empty() {
            return Err(wrong(format!("{parent} has no model to replace with {model}")));
        }
        edits.extend(places.into_iter().map(|place| (place, model)));
    }
    if let Some(environment) = changes.environment {
        let mut ids = plan
            .train_environments()
            .filter_map(|environment| environment.settings.id.location())
            .filter(|place| place.file == FILE);
        match (ids.next(), ids.next()) {
            (Some(place), None) => edits.push((place, environment)),
            _ => {
                return Err(wrong(format!("{parent} does not have exactly one environment to replace with {environment}")));
            }
        }
    }
    let mut new = text.to_owned();
    edits.order_by_key(|(place, _)| place.span);
    edits.dedup();
    for (place, value) in edits.into_iter().rev() {
        new.replace_range(place.span.range(), &toml_edit::Value::from(value).to_string());
    }
    if let Some(named) = changes.environment.and_then(|id| with_name(&plan, &new, id)) {
        new = named;
    }
    let machine = changes.hardware.map(in_words);
    let mut members = vec![("based_on", parent)];
    members.extend(machine.as_deref().map(|machine| ("hardware", machine)));
    let unwritable = |_| wrong(format!("the metadata block of {parent} is invalid"));
    let of_environment = changes.environment.map(|_| "env_version");
    let left_out: Vec<&str> = OF_A_VERSION.into_iter().chain(of_environment).collect();
    let new = without_members(&new, &left_out).map_err(unwritable)?;
    let new = with_members(&new, &members).map_err(unwritable)?;
    let (judged, checked) = judge::judge_text(around, kind, changes.hardware, &new, None);
    let stated = judged.hardware.clone();
    if let Some((_, assessment)) = judged.memory.as_ref().filter(|_| judged.is_too_large) {
        return Err(wrong(format!("{parent} with these changes does not fit with a margin: {}", refusal::full_gpu(assessment))));
    }
    if !judged.problems.is_empty() {
        return Err(wrong(judged.sentences()));
    }
    let plan = judge::plan(&checked).unwrap_or(plan);
    let (trainer, inference) = (plan.trainer.as_ref(), plan.inference.as_ref());
    let is_lora = |trainer: &cfg_plan::Trainer| trainer.model.lora.fact().is_some();
    let model = trainer.and_then(|trainer| trainer.model.name.text());
    let served = || inference.and_then(|inference| inference.model_name.text());
    let tokens = trainer.and_then(|trainer| trainer.seq_len.get());
    let tokens = tokens.or_else(|| inference.and_then(|inference| inference.max_model_len.get()));
    Ok(Draft {
        kind: checked.kind.unwrap_or(Kind::Rl),
        model: model.or_else(served).map(str::to_owned),
        machine: machine.or(stated),
        method: trainer.map(|trainer| if is_lora(trainer) { Method::Lora } else { Method::Full }),
        seq_len: tokens.and_then(|tokens| u64::try_from(tokens).ok()),
        memory: judged.memory,
        considered: Vec::new(),
        unknown: vec![format!(
            "comments are copied from {parent}: what they say about another model or machine may no longer be \
            true"
        )],
        text: new,
    })
}

/// The text with a name for its one environment, whose new id has a slash; `None` if it has a name, or the target makes no file of it.
fn with_name(plan: &Plan, text: &str, id: &str) -> Option<String> {
    let environment = plan.train_environments().next().filter(|environment| environment.name.fact().is_none())?;
    let name = name_of(id).filter(|_| plan.point.has(Behaviour::EnvServers))?;
    let rewriter = Rewriter::new(FILE, text, Dialect::Toml11)?;
    let edits = rewriter.edits(&[Change::set(&format!("{}.name", environment.key), name)]).ok()?;
    cfg_check::apply(text, &edits)
}

/// The places that name the model.
fn models(plan: &Plan) -> Vec<Location> {
    let trainer = plan.trainer.as_ref().map(|trainer| &trainer.model.name);
    let orchestrator = plan.orchestrator.as_ref().map(|orchestrator| &orchestrator.model.name);
    let inference = plan.inference.as_ref().map(|inference| &inference.model_name);
    [trainer, orchestrator, inference]
        .into_iter()
        .flatten()
        .filter_map(cfg_plan::Setting::location)
        .filter(|place| place.file == FILE)
        .collect()
}
