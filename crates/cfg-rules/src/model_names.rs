//! What a model's name shows: whether it can be trained, and what it needs.

use cfg_plan::{Fact, Setting};

use crate::Context;

pub(crate) mod api_slug;
pub(crate) mod blocked_model;
pub(crate) mod chat_template;
pub(crate) mod checkpoint_targets;
pub(crate) mod custom_implementation;
pub(crate) mod foreign_renderer;
pub(crate) mod foreign_teacher;
pub(crate) mod foreign_tokenizer;
pub(crate) mod fp8_without_support;
pub(crate) mod hosted_model;
pub(crate) mod misspelt_model;
pub(crate) mod no_chat_template;
pub(crate) mod no_experts;
pub(crate) mod poor_tool_caller;
pub(crate) mod quantised_weights;
pub(crate) mod remote_code;
pub(crate) mod teacher_not_served;
pub(crate) mod template_not_found;
pub(crate) mod text_model_as_vision;
pub(crate) mod unsupported_attention;
pub(crate) mod vision_language_model;

type Name = Fact<Box<str>>;

/// The trained model.
fn trained<'a>(cx: &Context<'a>) -> Option<&'a Name> {
    cx.plan.trainer.as_ref()?.model.name.fact()
}

/// Every place that names the model, without duplicates: a shared name stands for its copies.
fn everywhere<'a>(cx: &Context<'a>) -> impl Iterator<Item = &'a Name> {
    let plan = cx.plan;
    let trainer = trained(cx);
    let orchestrator = plan.orchestrator.as_ref().and_then(|orchestrator| orchestrator.model.name.fact());
    let inference = plan.inference.as_ref().and_then(|inference| inference.model_name.fact());
    let is_other = |name: &Name, before: Option<&Name>| before.is_none_or(|before| before.location() != name.location());
    let orchestrator = orchestrator.filter(|name| is_other(name, trainer));
    let inference = inference.filter(|name| is_other(name, trainer) && is_other(name, orchestrator));
    [trainer, orchestrator, inference].into_iter().flatten().filter(|name| name.is_written())
}

/// The names of the teachers of a run, with the addresses of their servers. One that environments share is there once.
///
/// Where environments have algorithms, that of the orchestrator is only the one of those that state none, which have a copy.
fn teachers<'a>(cx: &Context<'a>) -> Vec<(&'a Name, &'a Setting<Vec<Box<str>>>)> {
    let is_taken = |own: Option<&str>| {
        let algorithms = crate::batch::algorithms(cx);
        algorithms.is_empty() || own.is_some_and(|own| algorithms.contains(&own))
    };
    let of_all = cx.plan.orchestrator.as_ref().filter(|orchestrator| orchestrator.teacher.name.fact().is_some());
    let of_all = of_all.filter(|orchestrator| is_taken(orchestrator.algorithm.text()));
    let of_all = of_all.map(|orchestrator| (&orchestrator.teacher.name, &orchestrator.teacher.base_url));
    let of_each =
        cx.plan.train_environments().map(|environment| (&environment.settings.teacher_name, &environment.settings.teacher_url));
    let mut teachers: Vec<(&Name, &Setting<Vec<Box<str>>>)> = Vec::new();
    for (name, address) in of_all.into_iter().chain(of_each) {
        let Some(name) = name.fact().filter(|name| name.is_written()) else { continue };
        if teachers.iter().all(|(other, _)| other.location() != name.location()) {
            teachers.push((name, address));
        }
    }
    teachers
}
