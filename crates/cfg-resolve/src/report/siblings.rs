//! Settings of other trainers whose names say too little: what is beside them, or the path that is their name, says the rest.

use cfg_compose::{Entry, Value};
use cfg_diag::{Diagnostic, codes};
use cfg_schema::without_indices;

use super::foreign_table::Meaning;
use crate::{
    loc::below,
    suggest::{alike, nearest},
    synonyms::{self, Form, Suggestion},
    walk::Walker,
};

/// The shortest name that is compared with those of the tables to which the settings beside it go, in bytes.
const SHORTEST_GUESSED: usize = 6;

impl Walker<'_> {
    /// Gives the settings that are not known the key that their name resembles most, in the tables to which the settings beside them go.
    pub(super) fn guess_by_siblings(&self, meanings: &mut [(String, &Value, Meaning)]) {
        let table_of = |key: &str| key.rsplit_once('.').map(|(table, _)| table.to_owned()).unwrap_or_default();
        let mut homes: Vec<(String, String)> = Vec::new();
        for (key, value, meaning) in &*meanings {
            if let Meaning::Home(Suggestion { homes: found, form: Some(Form::Same), .. }) = meaning
                && let Some(home) = found.first()
            {
                homes.push((table_of(key), table_of(&self.choosing(home, value))));
            }
        }
        homes.sort();
        homes.dedup();
        for (key, _, meaning) in meanings.iter_mut().filter(|(_, _, meaning)| matches!(meaning, Meaning::Unknown)) {
            // What chooses a variant has another meaning in each table.
            let Some((table, word)) = key.rsplit_once('.').filter(|(_, word)| !matches!(*word, "type" | "name")) else {
                continue;
            };
            let beside = homes.iter().filter(|(own, _)| own == table).find_map(|(_, home)| {
                let keys = self.keys_of(home);
                let names = || keys.iter().copied().flatten();
                let near = || alike(word, names()).or_else(|| nearest(word, names())).filter(|_| word.len() >= SHORTEST_GUESSED);
                // Another word for a key of that table.
                let renamed = || synonyms::suggestion(self.names, home, word)?.rename;
                let name = names().find(|name| *name == word).or_else(near).map(str::to_owned).or_else(renamed)?;
                Some(below(home, &name))
            });
            if let Some(home) = beside {
                *meaning = Meaning::Home(Suggestion::same(home));
            }
        }
    }

    /// Reports a key whose name is the path of a setting of another trainer, or of one that is written elsewhere: `"generator.sampling_params.temperature"`.
    pub(super) fn dotted_word(&self, named: &str, owner: &str, entry: &Entry) -> Option<Diagnostic> {
        let written = entry.key.trim_start_matches('-').replace('-', "_");
        if !written.contains('.') || written.split('.').any(str::is_empty) {
            return None;
        }
        let path = if owner.is_empty() { written } else { format!("{}.{written}", without_indices(owner)) };
        let mut suggestion = match self.meaning(&path) {
            Meaning::Home(suggestion) => suggestion,
            Meaning::Nothing(why) => Suggestion::nothing(&why, None),
            Meaning::Unknown => return None,
        };
        if let (true, Some(home)) = (suggestion.help.is_empty(), suggestion.homes.first()) {
            suggestion.help = format!("in prime-rl it is `{home}`");
        }
        let message = format!("{named} has no key `{}`", entry.key);
        let diagnostic = Diagnostic::new(&codes::UNKNOWN_KEY, message).label("one key, not a path").help(&*suggestion.help);
        Some(self.propose_synonym(diagnostic, &suggestion, entry))
    }
}

#[cfg(test)]
mod tests {
    use cfg_schema::Kind;

    use crate::testing::found_in;

    /// The places that are named for the first refused key of a text.
    fn meant(target: &str, text: &str) -> Vec<String> {
        let found = found_in(Kind::Rl, target, text);
        found.into_iter().find(|found| found.code.code == "PRL101").map(|found| found.choices).unwrap_or_default()
    }

    #[test]
    fn a_path_in_quotes_is_looked_up_like_the_tables_it_names() {
        for (target, key, home) in [
            ("0.8.0", "generator.sampling_params.temperature", "orchestrator.train.sampling.temperature"),
            ("main", "actor_rollout_ref.actor.optim.lr", "trainer.optim.lr"),
        ] {
            assert_eq!(meant(target, &format!("\"{key}\" = 0.5\n")).first().map(String::as_str), Some(home), "{key}");
        }
        assert_eq!(meant("main", "\"favourite.colour\" = 1\n"), Vec::<String>::new());
    }

    #[test]
    fn a_name_is_compared_with_those_of_the_table_to_which_the_others_go() {
        let text = "[orchestrator.train.samplng]\ntemprature = 0.5\nmax_completion_token = 512\n";
        let homes = ["orchestrator.train.sampling.temperature", "orchestrator.train.sampling.max_completion_tokens"];
        assert_eq!(meant("0.8.0", text), homes);
    }

    #[test]
    fn the_tables_of_what_is_beside_it_say_what_a_short_name_means() {
        for beside in ["trust_remote_code = true", "model = \"a/b\""] {
            let found = found_in(Kind::Inference, "0.8.0", &format!("[engine]\n{beside}\nmax_len = 4096\n"));
            assert!(found[0].choices.iter().any(|home| home == "model.max_model_len"), "{beside}: {found:?}");
        }
    }
}
