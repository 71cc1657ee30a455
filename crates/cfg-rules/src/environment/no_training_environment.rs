//! A run without a training environment: prime-rl accepts it, and the orchestrator fails after the servers have started.

use cfg_compose::WrittenLaunch;
use cfg_diag::{FileId, Severity, codes};
use cfg_schema::{Behaviour, Kind};
use cfg_syntax::{Dialect, Entry};

use crate::{Check, Context, Finding, FixKind, Rule, VersionRange};

/// The list of environments, the newest key first.
const KEYS: [&str; 3] = ["train.source", "train.env", "env"];

pub(crate) static RULE: Rule = Rule {
    code: &codes::NO_TRAINING_ENVIRONMENT,
    kinds: &[Kind::Rl, Kind::Orchestrator],
    versions: VersionRange::with(Behaviour::BufferGone),
    fix: FixKind::None,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    if cx.plan.train_environments().next().is_some() || cx.is_trial() || cx.plan.run.dry_run.is_on() {
        return None;
    }
    let table = if cx.kind == Kind::Rl { "orchestrator." } else { "" };
    let key = KEYS.iter().map(|key| format!("{table}{key}")).find(|key| cx.view.exists(key))?;
    // A list that prime-rl refuses is unknown.
    if !cx.view.get(&key)?.value.as_list()?.is_empty() {
        return None;
    }
    let certainty = certainty(cx, &key)?;
    let message = match certainty {
        Severity::Error => "no environment to train on: the orchestrator exits with a `ValueError` once the servers are up",
        _ => "no environment to train on, unless another file or a flag adds one",
    };
    let above = || [key.trim_end_matches(".source").trim_end_matches(".env"), "orchestrator"].into_iter();
    let location = cx.view.location(&key).or_else(|| above().find_map(|key| cx.view.location(key)));
    Some(Finding::new(message).key(&*key).severity(certainty).help(format!("add a table `[[{key}]]`")).at_place(location))
}

/// The severity, by how certain it is that no other file adds an environment; `None` if one does that is not known here.
fn certainty(cx: &Context<'_>, key: &str) -> Option<Severity> {
    if cx.is_launch {
        return Some(Severity::Error);
    }
    let launches = cx.project.nearby.launches(cx.metadata.usage.launches());
    let is_alone = |launch: &WrittenLaunch| launch.kind == cx.kind && launch.files().count() == 1 && !launch.passes(key);
    if launches.is_empty() {
        // What includes it is checked with it.
        if cx.project.nearby.is_included() {
            return None;
        }
        let is_beside = cx.project.nearby.is_beside(&|text| may_be_config(cx, text))?;
        return Some(if is_beside { Severity::Info } else { Severity::Warning });
    }
    launches.iter().any(is_alone).then_some(Severity::Error)
}

/// Whether a text can be a config that is combined with this one: at least half of its keys at the root are those of this one's kind.
fn may_be_config(cx: &Context<'_>, text: &str) -> bool {
    let (document, _) = cfg_syntax::parse(FileId(0), text, Dialect::Toml11);
    let schema = cx.target.schema(cx.kind);
    let known = |entry: &&Entry| schema.root().field_for_key(&entry.key.text, schema.point).is_some();
    let entries = &document.root.entries;
    !entries.is_empty() && 2 * entries.iter().filter(known).count() >= entries.len()
}
