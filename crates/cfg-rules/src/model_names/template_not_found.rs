//! Templates that are named by a path: of the chat, and of the script for SLURM. Where no file is, the path itself is taken for the chat template, so that no
//! message is in the prompt.

use std::path::Path;

use cfg_diag::{Severity, codes};
use cfg_plan::{Fact, Setting};
use cfg_schema::{Behaviour, Kind};

use crate::{Check, Context, Finding, FixKind, Rule, VersionRange, placeholders::placeholder};

pub(crate) static RULE: Rule = Rule {
    code: &codes::TEMPLATE_NOT_FOUND,
    kinds: &[Kind::Rl, Kind::Sft, Kind::Trainer, Kind::Orchestrator, Kind::Inference],
    versions: VersionRange::ALL,
    fix: FixKind::None,
    check: Check::Each(check),
};

fn check(cx: &Context<'_>) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    let mut keys = Vec::new();
    let of_trainer = cx.plan.trainer.as_ref().map(|trainer| &trainer.tokenizer.chat_template);
    let of_orchestrator = cx.plan.orchestrator.as_ref().map(|orchestrator| &orchestrator.tokenizer.chat_template);
    let of_server = cx.plan.inference.as_ref().map(|inference| &inference.chat_template);
    let of_tokenizers = [of_trainer, of_orchestrator].into_iter().flatten().map(|template| (template, false));
    let chat = of_tokenizers.chain(of_server.map(|template| (template, true)));
    for (template, is_of_server) in chat {
        let Some(fact) = written(template) else { continue };
        let key = fact.written_key().to_string();
        if keys.contains(&key) || fact.value.contains(['{', '\n']) {
            continue;
        }
        found.extend(chat_template(cx, fact, is_of_server));
        keys.push(key);
    }
    let script = cx.plan.run.slurm.value().and_then(|slurm| written(&slurm.template_path));
    found.extend(script.and_then(|script| {
        let message = format!("`{}`: there is no file `{}`", script.written_key(), script.value);
        let help =
            "the launcher stops with `TemplateNotFound` before it submits the job; leave the key out for prime-rl's own template";
        // Of a checkout that is not complete, the folder is missing as well.
        let has_folder = script.value.rsplit_once('/').is_none_or(|(folder, _)| exists(cx, folder) == Some(true));
        let is_missing = has_folder && exists(cx, &script.value) == Some(false);
        is_missing.then(|| Finding::new(message).on(script).help(help))
    }));
    found
}

fn written(setting: &Setting<Box<str>>) -> Option<&Fact<Box<str>>> {
    setting.fact().filter(|fact| fact.is_written() && !fact.value.is_empty() && !placeholder::is_placeholder(&fact.value, false))
}

/// The finding for a chat template without any expression: no message can get into it.
fn chat_template(cx: &Context<'_>, fact: &Fact<Box<str>>, is_of_server: bool) -> Option<Finding> {
    let key = fact.written_key();
    let is_text = !is_of_server && cx.target.point.lacks(Behaviour::ChatTemplateFromFile);
    if is_text {
        let message = format!("`{key}` is the template itself, not a path: every prompt would be the text \"{}\"", fact.value);
        let help = "write the template's text here, or train a model whose tokenizer has it; paths are read since 2026-04-12";
        return Some(Finding::new(message).on(fact).severity(Severity::Error).help(help));
    }
    if exists(cx, &fact.value) != Some(false) {
        return None;
    }
    let effect = if is_of_server { "vLLM does not start" } else { "every prompt would be that text, without a message" };
    let message = format!("`{key}`: there is no file `{}`, so {effect}", fact.value);
    Some(Finding::new(message).on(fact).help("the path is relative to the folder in which the run is started"))
}

/// Whether a file is at a relative path, from the config's folder or one above it in its repository. Paths of another machine are unknown.
fn exists(cx: &Context<'_>, path: &str) -> Option<bool> {
    let is_elsewhere = path.starts_with(['/', '~', '$', '\\']) || path.get(1..2) == Some(":");
    if is_elsewhere { None } else { cx.project.nearby.has_at(Path::new(path)) }
}
