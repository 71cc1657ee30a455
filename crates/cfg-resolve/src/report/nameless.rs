//! An entry of the environments with an `id` that it has no key for: one finding says where that belongs, not two that differ.

use std::collections::HashMap;

use cfg_diag::{Applicability, Diagnostic, Edit, Fix, LocPart, codes};

/// Folds the finding that an entry names no environment into the one that refuses its `id`, which gets the advice of both. `tasksets` are the keys `id` that
/// name environments of the new kind.
pub(crate) fn fold(diagnostics: &mut Vec<Diagnostic>, tasksets: &[String]) {
    let nameless: HashMap<Vec<LocPart>, usize> = diagnostics.iter().enumerate().filter_map(nameless).collect();
    let mut folded = Vec::new();
    for index in 0..diagnostics.len() {
        let Some(&at) = entry_of_id(&diagnostics[index]).and_then(|entry| nameless.get(entry)) else { continue };
        let (check, id) = (diagnostics[at].clone(), &mut diagnostics[index]);
        // Entries of the oldest kind have no table `env` between them and the taskset.
        let says = |text: &str| check.help.as_ref().is_some_and(|help| help.contains(text));
        let is_taskset = id.key.as_ref().is_some_and(|key| tasksets.contains(key));
        let key = match says("`env = {") {
            // As where a list of such entries moves here.
            true if says("`legacy = {") && !is_taskset => "legacy.id",
            true => "env.taskset.id",
            false => "taskset.id",
        };
        id.fix = id.location.map(|location| Fix {
            title: format!("rename to `{key}`"),
            applicability: Applicability::Unsafe,
            edits: vec![Edit { location, new_text: key.to_owned() }],
        });
        id.help = check.help.as_deref().map(without_names);
        id.proposals.clear();
        id.choices = vec![key.to_owned()];
        id.folded.push(check);
        folded.push(at);
    }
    let mut index = 0;
    diagnostics.retain(|_| {
        index += 1;
        !folded.contains(&(index - 1))
    });
}

/// Advice that names an environment by the name of its entry, without that: the entry has an `id`.
fn without_names(help: &str) -> String {
    const ID: &str = "id = \"";
    let mut parts = help.split(ID);
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.split_once("\" }").map_or("", |(_, rest)| rest);
        text = format!("{text}{ID}...\" }}{rest}");
    }
    text
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

#[cfg(test)]
mod tests {
    use cfg_compose::Tree;
    use cfg_diag::FileId;
    use cfg_schema::{History, Kind, Target};

    use crate::{Names, resolve};

    #[test]
    fn an_id_in_a_source_has_one_advice() {
        let history = History::built_in();
        let schema = history.schema(Kind::Rl, Target::parse(history, "0.8.0").expect("a target").point);
        // The names of the new kind end in a version.
        for (id, key) in [("gsm8k", "legacy.id"), ("gsm8k-v1", "env.taskset.id")] {
            let text = format!("[trainer]\n[orchestrator]\n[[orchestrator.train.source]]\nid = \"{id}\"\n");
            let (document, _) = cfg_syntax::parse(FileId(0), &text, cfg_syntax::Dialect::Toml10);
            let (_, found) = resolve(schema, &Names::new(schema), Tree::from_document(FileId(0), document));
            let told: Vec<(&str, usize)> = found.iter().map(|found| (found.code.code, found.folded.len())).collect();
            assert_eq!(told, [("PRL101", 1)]);
            assert!(found[0].help.as_ref().is_some_and(|help| help.contains("env = { taskset")), "{found:?}");
            let new = found[0].fix.as_ref().map(|fix| &*fix.edits[0].new_text);
            assert_eq!(new, Some(key), "{id}");
        }
    }
}
