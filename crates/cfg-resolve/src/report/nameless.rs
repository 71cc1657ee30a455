//! An entry of the environments with an `id` that it has no key for: one finding says where that belongs, not two that differ.

use std::collections::{HashMap, HashSet};

use cfg_compose::Entry;
use cfg_diag::{Applicability, Diagnostic, Fix, LocPart, codes};
use cfg_schema::{Behaviour, Point, Segment};

use super::unknown_key::with_name;
use crate::{
    ResolvedTable,
    native::{UNKNOWN_ID, how_to_name},
    synonyms,
    walk::Walker,
};

/// What others call the key that names a package, in the table of what it provides.
const WORDS_FOR_ID: [&str; 6] = ["name", "type", "kind", "package", "taskset", "harness"];

impl Walker<'_> {
    /// Whether the package that provides the class of a table is named by its `id`, which it does not have.
    pub(super) fn is_unnamed(&self, table: &ResolvedTable) -> bool {
        let is_provided = self.plugins.last().is_some_and(|(place, _)| *place == table.node);
        let is_named = || table.given("id").is_some();
        // A harness has an `id` by default.
        is_provided && table.node.segment() == Segment::Field("taskset") && !is_named()
    }
}

/// Completes what is said of a key in a table that does not name its package: it is another word for `id`, or one of the package's own keys.
pub(super) fn without_id(diagnostic: Diagnostic, entry: &Entry) -> Diagnostic {
    let is_text = entry.node.value.as_str().is_some_and(|text| !text.is_empty());
    let is_word = || {
        let of_environments = synonyms::setting("env", &entry.key).is_some_and(|(setting, _)| setting.is_key("env.id"));
        of_environments || WORDS_FOR_ID.contains(&&*entry.key)
    };
    if is_text && is_word() {
        let named = Diagnostic { code: &codes::UNKNOWN_KEY, fix: None, proposals: Vec::new(), ..diagnostic };
        let named = named.label("unknown key").help("did you mean `id`? It names the package").choices(["id"]);
        return with_name(named, entry, "id", Applicability::Unsafe);
    }
    let is_open = diagnostic.code == &codes::UNKNOWN_KEY && diagnostic.choices.is_empty() && diagnostic.fix.is_none();
    if !is_open {
        return diagnostic;
    }
    let help = "name the package with `id`: it decides which other keys there are";
    Diagnostic { proposals: Vec::new(), ..diagnostic }.help(help)
}

/// Folds the finding that an entry names no environment into the one that refuses its `id`, which gets the advice of both. `tasksets` are the keys `id` that
/// name environments of the new kind.
pub(crate) fn fold(diagnostics: &mut Vec<Diagnostic>, tasksets: &HashSet<String>, point: Point) {
    let nameless: HashMap<Vec<LocPart>, usize> = diagnostics.iter().enumerate().filter_map(nameless).collect();
    let mut folded = HashSet::new();
    for index in 0..diagnostics.len() {
        let Some(&at) = entry_of_id(&diagnostics[index]).and_then(|entry| nameless.get(entry)) else { continue };
        let (check, id) = (diagnostics[at].clone(), &mut diagnostics[index]);
        let is_taskset = id.key.as_ref().is_some_and(|key| tasksets.contains(key));
        let has_old_kind = point.has(Behaviour::Sources) && point.lacks(Behaviour::NoLegacy);
        let key = match () {
            // As where a list of such entries moves here.
            () if has_old_kind && !is_taskset => "legacy.id",
            () if point.has(Behaviour::NestedEnvs) => "env.taskset.id",
            // Entries of the oldest kind have no table `env` between them and the taskset.
            () => "taskset.id",
        };
        id.fix = id.location.map(|location| Fix::rename(key, Applicability::Unsafe, location));
        // The check may have taken the name of the entry for its id, but the entry has one.
        let of_old_kind = check.help.as_ref().is_some_and(|help| help.starts_with("write `legacy"));
        id.help = Some(how_to_name(point, UNKNOWN_ID, of_old_kind));
        id.proposals.clear();
        id.choices = vec![key.to_owned()];
        id.folded.push(check);
        folded.insert(at);
    }
    // A refused key that carries the environment to its place names it as well.
    for index in 0..diagnostics.len() {
        let at = carrying(&diagnostics[index]).and_then(|entry| nameless.get(entry)).filter(|at| !folded.contains(*at));
        if let Some(&at) = at {
            let check = diagnostics[at].clone();
            diagnostics[index].folded.push(check);
            folded.insert(at);
        }
    }
    let mut index = 0;
    diagnostics.retain(|_| {
        index += 1;
        !folded.contains(&(index - 1))
    });
}

/// The entry that names no environment, and the index of the finding.
fn nameless((index, found): (usize, &Diagnostic)) -> Option<(Vec<LocPart>, usize)> {
    let native = found.native.as_ref().filter(|native| native.check.as_deref() == Some("validate_env"))?;
    found.help.as_ref().filter(|help| help.contains("taskset"))?;
    Some((native.loc.clone(), index))
}

/// The entry in which a finding refuses the key `id`.
fn entry_of_id(found: &Diagnostic) -> Option<&[LocPart]> {
    let is_refused = found.code == &codes::UNKNOWN_KEY || found.code == &codes::MISPLACED_KEY;
    let (last, entry) = found.native.as_ref().filter(|_| is_refused)?.loc.split_last()?;
    matches!(last, LocPart::Key(key) if key == "id").then_some(entry)
}

/// The entry in which a finding refuses a key whose place is where an environment is named.
fn carrying(found: &Diagnostic) -> Option<&[LocPart]> {
    let is_refused = [&codes::UNKNOWN_KEY, &codes::MISPLACED_KEY, &codes::REMOVED_KEY].contains(&found.code);
    let names = |home: &String| [".taskset", ".taskset.id", ".legacy.id", ".env.id"].iter().any(|end| home.ends_with(end));
    let (_, entry) =
        found.native.as_ref().filter(|_| is_refused && found.choices.first().is_some_and(names))?.loc.split_last()?;
    Some(entry)
}

#[cfg(test)]
mod tests {
    use cfg_schema::Kind;

    use crate::testing::found_in;

    /// A harness without an `id` has the one by default.
    #[test]
    fn another_word_names_a_taskset_but_no_harness() {
        let is_id = |table: &str| {
            let text = format!("[[train.source]]\n[train.source.env.{table}]\ntype = \"docker\"\n");
            found_in(Kind::Orchestrator, "main", &text).iter().any(|found| found.choices == ["id"])
        };
        assert!(is_id("taskset") && !is_id("agent.harness"));
    }

    #[test]
    fn an_id_in_a_source_has_one_advice() {
        // The names of the new kind end in a version.
        for (id, key) in [("gsm8k", "legacy.id"), ("gsm8k-v1", "env.taskset.id")] {
            let text = format!("[trainer]\n[orchestrator]\n[[orchestrator.train.source]]\nid = \"{id}\"\n");
            let found = found_in(Kind::Rl, "0.8.0", &text);
            let told: Vec<(&str, usize)> = found.iter().map(|found| (found.code.code, found.folded.len())).collect();
            assert_eq!(told, [("PRL101", 1)]);
            assert!(found[0].help.as_ref().is_some_and(|help| help.contains("env = { taskset")), "{found:?}");
            let new = found[0].fix.as_ref().map(|fix| &*fix.edits[0].new_text);
            assert_eq!(new, Some(key), "{id}");
            // Another name of the entry is not its id, whatever is in it.
            let named = found_in(Kind::Rl, "0.8.0", &format!("{text}name = \"a\\\" }} b\"\n"));
            let help = named[0].help.as_deref().unwrap_or_default();
            assert!(help.contains("legacy = { id = \"...\" }`") && !help.contains(" b"), "{help}");
        }
    }
}
