//! A trained model whose weights are stored with fewer than 16 bits: the trainer copies the numbers of its files as they are.

use cfg_diag::codes;
use cfg_memory::{
    catalogue::{model, stated_format, unquantised},
    precision::Format,
};
use cfg_schema::{Behaviour, Kind};

use crate::{Check, Context, Finding, FixKind, Repair, Rule, VersionRange, catalogue};

pub(crate) static RULE: Rule = Rule {
    code: &codes::QUANTISED_WEIGHTS,
    kinds: &[Kind::Rl, Kind::Trainer, Kind::Sft],
    versions: VersionRange::with(Behaviour::WeightsAreCopied),
    fix: FixKind::Unsafe,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let trained = &cx.plan.trainer.as_ref()?.model;
    let name = super::trained(cx)?;
    let format = stored(cx, &name.value)?;
    // A model that the version can't load at all has a finding of its own.
    if trained.debug_random_init.is_on() || catalogue::blocker(&name.value, cx.target.point).is_some() {
        return None;
    }
    // prime-rl lists gpt-oss, which is only published like this, among the models that it trains.
    if format == Format::Mxfp4 {
        return None;
    }
    let effect = match format {
        Format::Fp8 => "the trainer copies these into bf16 without their scales, and trains noise",
        Format::Int8 => "the trainer does not find its weights, or copies them into bf16 without their scales and trains noise",
        _ => "the trainer finds no weights of the shapes that it needs, and stops",
    };
    let finding = Finding::new(format!("the weights of {} are stored as {}: {effect}", name.value, format.as_str())).on(name);
    Some(match unquantised(&name.value) {
        Some(plain) => finding
            .help(format!("train {}, whose weights have 16 bits", plain.id))
            .repair(Repair::possible(format!("train {}", plain.id)).set(name.written_key(), plain.id)),
        None => finding.help("train a copy whose weights have 16 bits (`-BF16`)"),
    })
}

/// The format in which a model's weights are stored, if that is known and quantised: by its entry in the table, by its own files, or by its name.
fn stored(cx: &Context<'_>, name: &str) -> Option<Format> {
    let of_files = || Some(cx.project.local_shape(name)?.precision.format);
    let known = cx.project.shapes.get(name).map(|shape| shape.precision.format);
    let known = known.or_else(|| Some(model(name).ok()?.precision.format));
    known.or_else(of_files).or_else(|| stated_format(name)).filter(|format| format.is_quantised())
}
