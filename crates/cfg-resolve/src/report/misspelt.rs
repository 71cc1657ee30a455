//! Misspelt keys that no key of their table resembles: another trainer's word, or a key of another table or version, with one typing error.

use std::collections::HashMap;

use cfg_compose::Entry;
use cfg_diag::{Applicability, Diagnostic, KeyChange, Proposal, capitalized, codes};
use cfg_schema::Node;

use super::foreign_table::{MAX_SETTINGS, collect};
use crate::{
    loc::{LocSegment, below},
    suggest::respelt,
    walk::Walker,
};

impl Walker<'_> {
    /// Reports the table that comes of flags in a file: `--trainer.optim.lr = 1e-6`.
    pub(super) fn flags(&self, table: Node, named: &str, owner: &str, entry: &Entry) -> Option<Diagnostic> {
        let inner = entry.node.value.as_table().filter(|_| entry.key.starts_with("--"))?;
        let name = respelt(&entry.key).filter(|name| table.field_for_key(name, self.schema.point).is_some())?;
        let own = self.path.key();
        let mut leaves = Vec::new();
        collect(&own, inner, &mut leaves);
        if leaves.len() > MAX_SETTINGS {
            return None;
        }
        let home = below(owner, &name);
        let to = |from: &str| format!("{home}{}", from[own.len()..].replace('-', "_"));
        let moves = leaves.iter().map(|(from, _)| KeyChange::Move { from: from.clone(), to: to(from) });
        let changes = moves.chain([KeyChange::Remove { key: own.clone() }]).collect();
        let help = format!("write `{home}.KEY`: a file has keys, not flags");
        let message = format!("{named} has no key `{}`", entry.key);
        let diagnostic = Diagnostic::new(&codes::UNKNOWN_KEY, message).label("a flag").help(help).choices([&*home]);
        Some(diagnostic.propose(Proposal { changes, ..Proposal::relocate(&own, &home) }))
    }

    /// The finding for a key that differs from a known name by one typing error, or that says the same in other words: what is said of that name, if it has a
    /// place or a reason.
    pub(super) fn misspelt(&mut self, table: Node, named: &str, owner: &str, entry: &Entry) -> Option<Diagnostic> {
        // A name that is already a correction is not corrected.
        if entry.written.as_deref().is_some_and(|written| respelt(written).as_deref() != Some(&*entry.key)) {
            return None;
        }
        let key = &*entry.key;
        let name = self.names.without_slip(key).or_else(|| self.names.in_other_words(key))?;
        let written = entry.written.clone().or_else(|| Some(entry.key.clone()));
        let meant = Entry { key: name.into(), written, ..entry.clone() };
        let own = self.path.pop();
        self.path.push(LocSegment::key(&meant));
        let found = self.explain(table, owner, &meant);
        self.path.pop();
        self.path.extend(own);
        let help = found.help?;
        if found.choices.is_empty() && !help.starts_with("prime-rl has no such setting") {
            return None;
        }
        let asked = |help: &str| format!("did you mean `{name}`? {}", capitalized(help));
        let mut diagnostic =
            Diagnostic::new(&codes::UNKNOWN_KEY, format!("{named} has no key `{key}`")).label("unknown key").help(asked(&help));
        diagnostic.choices = found.choices;
        diagnostic.fix = found.fix;
        diagnostic.proposals = found.proposals;
        let applicabilities = diagnostic.proposals.iter_mut().map(|proposal| {
            proposal.help = proposal.help.as_deref().map(asked);
            &mut proposal.applicability
        });
        let of_fix = diagnostic.fix.iter_mut().map(|fix| &mut fix.applicability);
        of_fix.chain(applicabilities).for_each(|applicability| *applicability = Applicability::Unsafe);
        Some(diagnostic)
    }
}

/// Makes the advice about a key that is missing name the unknown key that was meant to be it: another one beside that would leave it an error.
pub(crate) fn name_for_missing(diagnostics: &mut [Diagnostic]) {
    if !diagnostics.iter().any(|found| found.code == &codes::MISSING_KEY) {
        return;
    }
    // The first unknown key that means each key, which its name says from the root or within its table.
    let mut meant: HashMap<String, String> = HashMap::new();
    for unknown in diagnostics.iter().filter(|found| found.code == &codes::UNKNOWN_KEY) {
        let (Some(own), Some(name)) = (&unknown.key, unknown.choices.first()) else { continue };
        let beside = own.rsplit_once('.').map(|(table, _)| format!("{table}.{name}"));
        for key in beside.into_iter().chain([name.clone()]) {
            meant.entry(key).or_insert_with(|| own.clone());
        }
    }
    name_within_table(diagnostics);
    for missing in diagnostics.iter_mut().filter(|found| found.code == &codes::MISSING_KEY) {
        if let Some(unknown) = meant.get(missing.key.as_deref().unwrap_or_default()) {
            missing.help = Some(format!("correct `{unknown}`, which probably is meant to be it"));
            missing.proposals.clear();
        }
    }
}

/// Proposes the name of a missing key for the only unknown one of its table that has all its words, and more: `teacher_model` where `teacher` is missing.
fn name_within_table(diagnostics: &mut [Diagnostic]) {
    fn split(key: &str) -> (&str, &str) {
        key.rsplit_once('.').unwrap_or(("", key))
    }
    let missing = diagnostics.iter().filter(|found| found.code == &codes::MISSING_KEY).filter_map(|found| found.key.clone());
    for missing in missing.take(MAX_MISSING).collect::<Vec<String>>() {
        let (table, name) = split(&missing);
        let has_words = |found: &&mut Diagnostic| {
            let (own, unknown) = split(found.key.as_deref().unwrap_or_default());
            own == table && unknown != name && name.split('_').all(|word| unknown.split('_').any(|other| other == word))
        };
        let is_refused = |found: &&mut Diagnostic| [&codes::UNKNOWN_KEY, &codes::REMOVED_KEY].contains(&found.code);
        let mut having = diagnostics.iter_mut().filter(is_refused).filter(has_words);
        if let (Some(found), None) = (having.next(), having.next()) {
            let rename = Proposal::relocate(found.key.as_deref().unwrap_or_default(), &missing);
            let help = format!("did you mean `{name}`?");
            found.proposals.insert(0, Proposal { applicability: Applicability::Unsafe, ..rename }.help(&*help));
            found.choices = vec![missing.clone()];
            (found.help, found.fix) = (Some(help), None);
        }
    }
}

/// The most missing keys for which that is done.
const MAX_MISSING: usize = 16;

#[cfg(test)]
mod tests {
    use cfg_diag::{Diagnostic, Severity};
    use cfg_schema::Kind;

    use crate::testing::found_in;

    #[test]
    fn a_missing_table_is_the_misspelt_one() {
        let text = "[trainer]\n[orchestrater]\nbatch_size = 64\n";
        let found = found_in(Kind::Rl, "0.8.0", text);
        let missing =
            found.iter().find(|found| found.key.as_deref() == Some("orchestrator")).and_then(|found| found.help.as_deref());
        assert!(missing.is_some_and(|help| help.contains("`orchestrater`")), "{found:?}");
    }

    #[test]
    fn a_typing_error_beside_the_keys_of_a_package_is_seen() {
        let text = |key: &str| format!("[[orchestrator.train.source]]\nenv.taskset.id = \"x\"\nenv.{key} = 3\n");
        let found = |key: &str| {
            let found = found_in(Kind::Rl, "main", &text(key));
            let of_key = |found: &Diagnostic| found.key.as_deref().is_some_and(|other| other.ends_with(&format!("env.{key}")));
            found.into_iter().find(of_key).map(|found| (found.severity, found.choices))
        };
        assert_eq!(found("tiemout"), Some((Severity::Warning, vec!["timeout".to_owned()])));
        // The class of the package may have any of these.
        for key in ["difficulty", "agents", "timeouts", "time_out_seconds", "max_turns", "tasks"] {
            assert_eq!(found(key), Some((Severity::Info, Vec::new())), "{key}");
        }
        // But hardly a table that its agent has.
        for (key, home) in [("runtime", "env.agent.runtime"), ("client", "env.agent.client")] {
            let home = format!("orchestrator.train.source[0].{home}");
            assert_eq!(found(key), Some((Severity::Warning, vec![home])), "{key}");
        }
    }

    /// The first place that is named for the last key of a text, and whether the help asks for a name.
    fn meant(target: &str, kind: Kind, text: &str) -> Option<String> {
        let found = found_in(kind, target, text);
        let last = text.trim_end().rsplit('\n').next()?.split(' ').next()?;
        let found = found.into_iter().find(|found| found.key.as_deref().is_some_and(|key| key.ends_with(last)))?;
        found.help.as_ref()?.starts_with("did you mean").then(|| found.choices.first().cloned())?
    }

    #[test]
    fn a_typing_error_in_a_word_of_another_table_or_trainer_is_seen() {
        for (target, kind, text, expected) in [
            ("main", Kind::Rl, "[trainer.optim]\nlearing_rate = 1e-6\n", Some("trainer.optim.lr")),
            ("main", Kind::Rl, "[orchestrator]\nnum_generatons = 8\n", Some("orchestrator.group_size")),
            ("main", Kind::Rl, "batchsize = 64\n", Some("orchestrator.batch_size")),
            ("main", Kind::Rl, "[trainer]\nweight_decya = 0.1\n", Some("trainer.optim.weight_decay")),
            // A key of an earlier prime-rl.
            ("main", Kind::Rl, "[orchestrator]\nrollouts_per_exmaple = 8\n", Some("orchestrator.group_size")),
            ("main", Kind::Rl, "[orchestrator]\nfavourite_colour = 1\n", None),
            // No word is a switch.
            ("main", Kind::Rl, "[trainer.model]\nmoe_kernel = \"fused\"\n", None),
            ("main", Kind::Rl, "[trainer.optim]\nlearning_tate_of_all = 1\n", None),
            ("main", Kind::Sft, "learning_raet = 1e-6\n", Some("optim.lr")),
        ] {
            assert_eq!(meant(target, kind, text).as_deref(), expected, "{text}");
        }
    }
}
