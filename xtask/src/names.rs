//! Compiles `schemas/models/names/known.toml` into the tables of `cfg-rules`.

use std::{fmt::Write as _, fs};

use serde::Deserialize;
use toml::value::Datetime;

use crate::{
    behaviours::{self, Behaviour, PATH},
    commits::Commits,
    generate::root,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    architecture: Vec<Architecture>,
    family: Vec<Family>,
    hosted: Vec<Hosted>,
    slug: Vec<ApiName>,
    blocker: Vec<Blocker>,
    template: Vec<Template>,
    untemplated: Vec<Untemplated>,
    answer: Vec<Answer>,
    caller: Vec<Caller>,
    listing: Vec<Listing>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Architecture {
    name: String,
    native: Option<String>,
    #[serde(default)]
    dense: bool,
    #[serde(default)]
    auto_ep: bool,
    #[serde(default)]
    spreads_experts: bool,
    #[serde(default)]
    linear: Vec<String>,
    source: String,
    confirmed: Datetime,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Family {
    prefixes: Vec<String>,
    architecture: Option<String>,
    #[serde(default)]
    parsers: Vec<String>,
    #[serde(default)]
    vision: bool,
    #[serde(default)]
    parts: Vec<String>,
    #[serde(default)]
    remote_code: bool,
    source: String,
    confirmed: Datetime,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Hosted {
    prefixes: Vec<String>,
    #[serde(default, rename = "except")]
    exceptions: Vec<String>,
    source: String,
    confirmed: Datetime,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ApiName {
    slug: String,
    hub: String,
    certain: bool,
    source: String,
    confirmed: Datetime,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Blocker {
    prefixes: Vec<String>,
    architecture: Option<String>,
    symptom: String,
    help: String,
    severity: String,
    holds: String,
    source: String,
    confirmed: Datetime,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Template {
    hub: String,
    replacement: Option<String>,
    source: String,
    confirmed: Datetime,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Untemplated {
    hubs: Vec<String>,
    source: String,
    confirmed: Datetime,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    prefixes: Vec<String>,
    tokens: i64,
    source: String,
    confirmed: Datetime,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Caller {
    prefixes: Vec<String>,
    trouble: String,
    source: String,
    confirmed: Datetime,
}

/// An entry for people: its form is checked, but it is not part of the program.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Listing {
    slug: String,
    input: f64,
    output: f64,
    #[serde(default)]
    passed: Vec<Passed>,
    source: String,
    confirmed: Datetime,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Passed {
    percent: f64,
    n: u32,
}

/// The text of the generated file.
pub(crate) fn compile() -> Result<Vec<u8>, String> {
    let path = root().join("schemas/models/names/known.toml");
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let known: Known = toml::from_str(&text).map_err(|error| error.to_string())?;
    known.listing.iter().try_for_each(check_listing)?;
    let names = known.slug.iter().map(|slug| &slug.hub).chain(known.template.iter().map(|template| &template.hub));
    names
        .chain(known.template.iter().filter_map(|template| template.replacement.as_ref()))
        .chain(known.untemplated.iter().flat_map(|models| &models.hubs))
        .try_for_each(|name| check_name(name))?;
    let mut out = String::from(
        "//! Facts about models, by their names. Generated from `schemas/models/names/known.toml` by `cargo xtask generate`.\n\n\
         use cfg_diag::Severity;\nuse cfg_schema::Behaviour;\n\n\
         use crate::catalogue::{Answer, Architecture, Blocker, Caller, Evidence, Family, Hosted, Slug, Template, Untemplated};\n",
    );
    let behaviours = behaviours::read(&Commits::read()?)?;
    table(&mut out, "ARCHITECTURES", "Architecture", &known.architecture, |known| architecture(known, &behaviours))?;
    table(&mut out, "FAMILIES", "Family", &known.family, |family| {
        let known = &known.architecture;
        if let Some(name) = family.architecture.as_ref().filter(|name| known.iter().all(|known| known.name != **name)) {
            return Err(format!("no [[architecture]] is named {name}"));
        }
        if !matches!(family.parts.len(), 0 | 2) {
            return Err(format!("{:?}: `parts` are the vision encoder and the language model", family.prefixes));
        }
        let evidence = evidence(&family.source, &family.confirmed);
        Ok(format!(
            "Family {{ prefixes: &{:?}, architecture: {:?}, parsers: &{:?}, vision: {}, parts: &{:?}, remote_code: {}, evidence: {evidence} }}",
            family.prefixes, family.architecture, family.parsers, family.vision, family.parts, family.remote_code
        ))
    })?;
    table(&mut out, "HOSTED", "Hosted", &known.hosted, |hosted| {
        let evidence = evidence(&hosted.source, &hosted.confirmed);
        Ok(format!("Hosted {{ prefixes: &{:?}, exceptions: &{:?}, evidence: {evidence} }}", hosted.prefixes, hosted.exceptions))
    })?;
    table(&mut out, "SLUGS", "Slug", &known.slug, |slug| {
        let evidence = evidence(&slug.source, &slug.confirmed);
        Ok(format!("Slug {{ slug: {:?}, hub: {:?}, certain: {}, evidence: {evidence} }}", slug.slug, slug.hub, slug.certain))
    })?;
    table(&mut out, "BLOCKERS", "Blocker", &known.blocker, |known| blocker(known, &behaviours))?;
    table(&mut out, "TEMPLATES", "Template", &known.template, |template| {
        let evidence = evidence(&template.source, &template.confirmed);
        Ok(format!("Template {{ hub: {:?}, replacement: {:?}, evidence: {evidence} }}", template.hub, template.replacement))
    })?;
    table(&mut out, "UNTEMPLATED", "Untemplated", &known.untemplated, |models| {
        let evidence = evidence(&models.source, &models.confirmed);
        Ok(format!("Untemplated {{ hubs: &{:?}, evidence: {evidence} }}", models.hubs))
    })?;
    table(&mut out, "ANSWERS", "Answer", &known.answer, |answer| {
        let evidence = evidence(&answer.source, &answer.confirmed);
        Ok(format!("Answer {{ prefixes: &{:?}, tokens: {}, evidence: {evidence} }}", answer.prefixes, answer.tokens))
    })?;
    table(&mut out, "CALLERS", "Caller", &known.caller, |caller| {
        let evidence = evidence(&caller.source, &caller.confirmed);
        Ok(format!("Caller {{ prefixes: &{:?}, trouble: {:?}, evidence: {evidence} }}", caller.prefixes, caller.trouble))
    })?;
    Ok(out.into_bytes())
}

fn table<T>(
    out: &mut String,
    name: &str,
    of: &str,
    entries: &[T],
    text: impl Fn(&T) -> Result<String, String>,
) -> Result<(), String> {
    // Writing to a `String` does not fail.
    let _ = write!(out, "\n#[rustfmt::skip]\npub(crate) static {name}: &[{of}] = &[\n");
    for entry in entries {
        let _ = writeln!(out, "    {},", text(entry)?);
    }
    out.push_str("];\n");
    Ok(())
}

fn architecture(architecture: &Architecture, behaviours: &[Behaviour]) -> Result<String, String> {
    let native = match &architecture.native {
        Some(name) => format!("Some({})", behaviour(name, behaviours)?),
        None => "None".to_owned(),
    };
    let evidence = evidence(&architecture.source, &architecture.confirmed);
    Ok(format!(
        "Architecture {{ name: {:?}, native: {native}, dense: {}, auto_ep: {}, spreads_experts: {}, linear: &{:?}, evidence: {evidence} }}",
        architecture.name, architecture.dense, architecture.auto_ep, architecture.spreads_experts, architecture.linear
    ))
}

fn blocker(blocker: &Blocker, behaviours: &[Behaviour]) -> Result<String, String> {
    let severity = match blocker.severity.as_str() {
        "error" => "Severity::Error",
        "warning" => "Severity::Warning",
        other => return Err(format!("a blocker is an error or a warning, not {other:?}")),
    };
    let holds = behaviour(&blocker.holds, behaviours)?;
    let evidence = evidence(&blocker.source, &blocker.confirmed);
    let is_unknown = blocker.architecture.is_some();
    Ok(format!(
        "Blocker {{ prefixes: &{:?}, is_unknown: {is_unknown}, symptom: {:?}, help: {:?}, severity: {severity}, holds: {holds}, evidence: {evidence} }}",
        blocker.prefixes, blocker.symptom, blocker.help
    ))
}

/// A behaviour as Rust code.
fn behaviour(name: &str, behaviours: &[Behaviour]) -> Result<String, String> {
    if behaviours.iter().all(|behaviour| behaviour.name != name) {
        return Err(format!("known.toml: `{name}` has no entry in {PATH}: add one, with the commits between which it holds"));
    }
    Ok(format!("Behaviour::{name}"))
}

fn evidence(source: &str, confirmed: &Datetime) -> String {
    format!("Evidence {{ source: {source:?}, confirmed: \"{confirmed}\" }}")
}

/// Checks that a model with a known shape has the same spelling in both tables.
fn check_name(name: &str) -> Result<(), String> {
    match cfg_memory::catalogue::model(name) {
        Ok(model) if model.id != name => Err(format!("schemas/models has {name} as {}", model.id)),
        _ => Ok(()),
    }
}

fn check_listing(listing: &Listing) -> Result<(), String> {
    let rates = listing.passed.iter().all(|passed| (0.0..=100.0).contains(&passed.percent) && passed.n > 0);
    let is_sound = listing.slug.contains('/') && listing.input <= listing.output && !listing.source.is_empty() && rates;
    if is_sound { Ok(()) } else { Err(format!("the listing of {} ({}) is odd", listing.slug, listing.confirmed)) }
}
