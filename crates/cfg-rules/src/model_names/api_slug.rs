//! Names in APIs of models that have another name on the hub.

use cfg_diag::{Severity, codes};
use cfg_schema::Kind;

use crate::{Check, Context, Finding, FixKind, Repair, Rule, VersionRange, catalogue};

pub(crate) static RULE: Rule = Rule {
    code: &codes::API_SLUG,
    kinds: &[Kind::Rl, Kind::Trainer, Kind::Sft, Kind::Inference],
    versions: VersionRange::ALL,
    fix: FixKind::Safe,
    check: Check::Each(check),
};

fn check(cx: &Context<'_>) -> Vec<Finding> {
    super::everywhere(cx).filter_map(|name| Some(finding(name, catalogue::slug(&name.value)?))).collect()
}

fn finding(name: &super::Name, slug: &catalogue::Slug) -> Finding {
    let (message, severity) = if slug.certain {
        (format!("{} is its API name: the hub has no such model", slug.slug), Severity::Error)
    } else {
        (format!("{} is its API name: prime-rl's model tables use the exact hub name", slug.slug), Severity::Info)
    };
    let repair = Repair::safe(format!("write {}", slug.hub)).set(name.written_key(), slug.hub);
    Finding::new(message).severity(severity).on(name).help(format!("on the hub it is {}", slug.hub)).repair(repair)
}
