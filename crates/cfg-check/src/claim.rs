//! A config that claims to train the same as another: `same_as = "arm-b.toml:v3"`, `except = ["orchestrator.env"]`.

use std::{fmt::Write as _, path::Path};

use cfg_compose::{Tree, keys_of};
use cfg_diag::{Diagnostic, FileId, Location, codes};
use cfg_meter::{Allowance, Meter, again::charge_again};
use cfg_plan::{Located, Metadata};
use cfg_registry::fingerprint::{Difference, Leaf, Meaning, untrue};
use cfg_resolve::{View, loader};
use cfg_schema::{Kind, Target};
use cfg_syntax::Dialect;

use crate::Session;

/// The maximum number of keys in the message.
const NAMED: usize = 3;

/// A checked config that claims to train the same as another.
pub(crate) struct Claim<'a> {
    /// Its path.
    pub(crate) path: &'a str,
    pub(crate) kind: Kind,
    pub(crate) target: &'a Target,
    pub(crate) metadata: &'a Metadata,
    /// Its meaning.
    pub(crate) meaning: &'a Meaning,
}

/// The errors of the claim; empty if there are none, or if the other config can't be read here.
pub(crate) fn findings(session: &Session, claim: &Claim<'_>) -> Vec<Diagnostic> {
    let (Some(same_as), Some(registries)) = (&claim.metadata.same_as, &session.registries) else { return Vec::new() };
    let unchecked = |why: &str| {
        let message = format!("can't compare training with `{}`: {why}", same_as.value);
        vec![Diagnostic::new(&codes::UNCHECKED_CLAIM, message).at(same_as.location)]
    };
    let other = match registries.other(claim.path, &same_as.value) {
        Ok(other) => other,
        Err(why) => return unchecked(&why),
    };
    let _meter = Meter::begin(Allowance::COMPOSED);
    let reading = charge_again(Path::new(&other.path));
    if reading.and_then(|reading| reading.done(keys_of(&other.bytes), other.bytes.len())).is_err() {
        return unchecked("the command has compared it with too many others");
    }
    let Some(there) = meaning(session, claim, other.bytes) else {
        return unchecked(&format!("{} has errors", other.path));
    };
    let except: Vec<&str> = claim.metadata.except.iter().map(|stated| &*stated.value).collect();
    let differences = untrue(claim.meaning, &there, &except);
    if differences.is_empty() { Vec::new() } else { vec![false_claim(same_as, &except, &differences)] }
}

/// The meaning of the other config, resolved with the same kind; `None` if prime-rl would refuse it.
fn meaning(session: &Session, claim: &Claim<'_>, bytes: Vec<u8>) -> Option<Meaning> {
    let file = FileId(0);
    let (text, _) = cfg_syntax::decode(file, bytes);
    let (document, _) = cfg_syntax::parse(file, &text, Dialect::Toml10);
    let (metadata, _) = session.metadata(file, claim.path, &text, &document);
    if metadata.target.is_none() && metadata.is_target_refused {
        return None;
    }
    let target = metadata.target.map_or_else(|| claim.target.clone(), |stated| stated.value);
    let schema = target.schema(claim.kind);
    let (document, faults) = cfg_syntax::parse(file, &text, loader::dialect(target.point));
    let mut tree = Tree::from_document(file, document);
    tree.root.remove("config");
    let packages = session.projects().packages(Path::new(claim.path));
    let (resolved, found) =
        cfg_resolve::resolve(schema, &session.names(schema, Some(&packages), target.own_checks.as_ref()), tree);
    let is_accepted = faults.is_empty() && !found.iter().any(Diagnostic::is_refusal);
    is_accepted.then(|| Meaning::new(&View::new(schema, &resolved)))
}

fn false_claim(same_as: &Located<Box<str>>, except: &[&str], differences: &[Difference<'_>]) -> Diagnostic {
    let mut message = format!("this does not train the same as `{}`", same_as.value);
    for (index, difference) in differences.iter().take(NAMED).enumerate() {
        // Writing to a string does not fail.
        let _ = write!(message, "{} `{}` is {}", if index == 0 { ":" } else { "," }, difference.key(), sides(difference));
    }
    if differences.len() > NAMED {
        let _ = write!(message, ", and {} more keys differ", differences.len() - NAMED);
    }
    let what = if except.is_empty() { "list them in `except`" } else { "add them to `except`" };
    let mut diagnostic = Diagnostic::new(&codes::FALSE_CLAIM, message)
        .at(same_as.location)
        .label("this claim")
        .help(format!("make the keys equal, {what}, or remove the claim"));
    if let [only] = differences {
        diagnostic = diagnostic.key(only.key());
    }
    for difference in differences.iter().take(NAMED) {
        if let Some((leaf, place)) = difference.one.and_then(|leaf| Some((leaf, written_at(leaf)?))) {
            diagnostic = diagnostic.related(place, format!("`{}` differs", leaf.key));
        }
    }
    diagnostic
}

fn written_at(leaf: &Leaf) -> Option<Location> {
    leaf.origin.place()
}

/// The values of a key on both sides: `1e-5 here and 2e-5 there`.
fn sides(difference: &Difference<'_>) -> String {
    let value = |leaf: Option<&Leaf>| leaf.map_or_else(|| "not set".to_owned(), |leaf| shortened(&leaf.text()));
    format!("{} here and {} there", value(difference.one), value(difference.other))
}

fn shortened(value: &str) -> String {
    const WIDTH: usize = 40;
    if value.chars().count() <= WIDTH { value.to_owned() } else { value.chars().take(WIDTH - 3).chain("...".chars()).collect() }
}
