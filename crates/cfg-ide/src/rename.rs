//! Renames an environment.

use cfg_diag::Span;
use cfg_syntax::Document;

use crate::{
    Analysis,
    environments::{Naming, Word, base, declarations, environment_at, environments, places},
};

/// An environment and its new name or id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renaming {
    word: Word,
    new: String,
}

/// What can be renamed at `offset`: the bytes of an environment's name or id, without its quotes.
pub fn renameable(analysis: &Analysis, offset: u32) -> Option<Span> {
    let (word, span) = environment_at(&analysis.document, offset)?;
    let written = &analysis.text[span.range()];
    // Strings over several lines, or with escapes, are not supported.
    match written.len().checked_sub(word.text.len())? {
        0 => Some(span),
        2 => Some(Span::new(span.start + 1, span.end - 1)),
        _ => None,
    }
}

impl Renaming {
    /// Renames the environment that is named at `offset`, or changes its id.
    ///
    /// # Errors
    ///
    /// A sentence that says why that is not possible: there is none, the new name is empty or has line breaks, or another one of the config has it.
    pub fn new(analysis: &Analysis, offset: u32, new: &str) -> Result<Self, String> {
        let word = environment_at(&analysis.document, offset).filter(|_| renameable(analysis, offset).is_some());
        let Some((word, _)) = word else { return Err("only the name or id of an environment can be renamed".to_owned()) };
        if new.trim().is_empty() || new.contains(['\n', '\r']) {
            return Err("the new name must be a single non-empty line".to_owned());
        }
        let renaming = Self { word, new: new.to_owned() };
        let documents = std::iter::once(&analysis.document).chain(analysis.parts.iter().map(crate::Part::document));
        match renaming.holder(&documents.collect::<Vec<_>>()) {
            Some(list) => Err(format!("`{new}` is already another environment of `{list}`")),
            None => Ok(renaming),
        }
    }

    /// The old name or id.
    pub const fn word(&self) -> &Word {
        &self.word
    }

    /// The array in which another environment already has the new name or id, in one of these texts; `None` if there is none.
    pub fn holder(&self, documents: &[&Document]) -> Option<String> {
        let all = || documents.iter().flat_map(|document| environments(document));
        match self.word.naming {
            Naming::Id if base(&self.word.text) == base(&self.new) => None,
            Naming::Id => {
                let has_it = |ids: &[(&str, Span)]| ids.iter().any(|(id, _)| base(id) == base(&self.new));
                all().find(|environment| has_it(&environment.ids)).map(|environment| environment.list)
            }
            Naming::Name if self.word.text == self.new => None,
            Naming::Name => {
                let is_renamed = |name: Option<(&str, Span)>| name.is_some_and(|(name, _)| name == self.word.text);
                let lists: Vec<String> = all().filter(|one| is_renamed(one.name)).map(|one| one.list).collect();
                // An environment without a name is named by its id.
                let called = |ids: &[(&str, Span)]| ids.iter().map(|(id, _)| base(id)).collect::<Vec<_>>().join("+");
                let mut others = all().filter(|one| !is_renamed(one.name) && lists.contains(&one.list));
                others
                    .find(|one| one.name.map_or_else(|| called(&one.ids), |(name, _)| name.to_owned()) == self.new)
                    .map(|one| one.list)
            }
        }
    }

    /// The replacements in a config.
    pub fn edits(&self, document: &Document, text: &str) -> Vec<(Span, String)> {
        let edit = |(span, is_key): (Span, bool)| (span, self.written(&text[span.range()], is_key));
        places(document, &self.word).into_iter().map(edit).collect()
    }

    /// The replacements in a settings file, which declares the environment's arguments.
    pub fn edits_of_settings(&self, document: &Document, text: &str) -> Vec<(Span, String)> {
        let spans = declarations(document, &self.word).into_iter();
        spans.map(|span| (span, self.written(&text[span.range()], true))).collect()
    }

    /// The text that replaces a word. A version that differs from that of the renamed word stays.
    fn written(&self, old: &str, is_key: bool) -> String {
        let version = |id: &str| id.trim_end_matches(['"', '\'']).split_once('@').map(|(_, version)| version.to_owned());
        let new = match version(old) {
            own if self.word.naming == Naming::Name || own == version(&self.word.text) => self.new.clone(),
            None => base(&self.new).to_owned(),
            Some(version) => format!("{}@{version}", base(&self.new)),
        };
        let is_bare = new.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
        if is_key && is_bare { new } else { format!("\"{}\"", new.replace('\\', "\\\\").replace('"', "\\\"")) }
    }
}

#[cfg(test)]
mod tests {
    use super::{Renaming, renameable};
    use crate::testing::with_cursor;

    fn renamed(text: &str, new: &str) -> Result<String, String> {
        let (analysis, offset) = with_cursor(text);
        let edits = Renaming::new(&analysis, offset, new)?.edits(&analysis.document, &analysis.text);
        let mut text = analysis.text.clone();
        edits.iter().rev().for_each(|(span, new)| text.replace_range(span.range(), new));
        Ok(text)
    }

    #[test]
    fn all_references_to_a_name_are_renamed() {
        let text = "[model]\nname = \"math\"\n[[orchestrator.env]]\nid = \"org/math\"\nname = \"ma^th\"\n[orchestrator.env.args]\nenv_type = \"math\"\n\
                    [orchestrator.eval]\nenv_names = [\"math\", \"b\"]\n[[orchestrator.eval.env]]\nname = \"math\"\n[orchestrator.env_ratios]\nmath = 0.5\n";
        let new = "[model]\nname = \"math\"\n[[orchestrator.env]]\nid = \"org/math\"\nname = \"sums\"\n[orchestrator.env.args]\nenv_type = \"math\"\n\
                   [orchestrator.eval]\nenv_names = [\"sums\", \"b\"]\n[[orchestrator.eval.env]]\nname = \"sums\"\n[orchestrator.env_ratios]\nsums = 0.5\n";
        assert_eq!(renamed(text, "sums").as_deref(), Ok(new));
        // Also from a place that only refers to it.
        let from_reference = text.replace('^', "").replace("[\"math\"", "[\"ma^th\"");
        assert_eq!(renamed(&from_reference, "sums").as_deref(), Ok(new));
    }

    #[test]
    fn an_id_changes_in_each_spelling_and_keeps_its_version() {
        let text = "[[orchestrator.train.source]]\nlegacy.id = \"org/ma^th@1.0\"\n[[orchestrator.eval.source]]\nenv.taskset.id = \"org/math\"\n\
                    [[orchestrator.env]]\nid = \"org/math@2.0\"\n";
        let new = text.replace('^', "").replace("org/math", "org/sums");
        assert_eq!(renamed(text, "org/sums@1.0"), Ok(new));
    }

    #[test]
    fn renaming_to_an_existing_name_is_refused() {
        let two = "[[orchestrator.train.source]]\nname = \"o^ne\"\nlegacy.id = \"a\"\n[[orchestrator.train.source]]\nlegacy.id = \"b@1\"\n\
                   [[orchestrator.eval.source]]\nname = \"two\"\nlegacy.id = \"a\"\n";
        assert_eq!(renamed(two, "b"), Err("`b` is already another environment of `orchestrator.train.source`".to_owned()));
        assert!(renamed(two, "two").is_ok(), "evaluation has names of its own");
        let id = two.replace('^', "").replace("\"a\"\n[[orchestrator.train", "\"^a\"\n[[orchestrator.train");
        assert!(renamed(&id, "b").is_err_and(|why| why.contains("already")));
        assert!(renamed(&id, "c").is_ok());
    }

    #[test]
    fn other_names_are_left_alone() {
        let (analysis, offset) = with_cursor("[model]\nname = \"ma^th\"\n");
        assert_eq!(renameable(&analysis, offset), None);
        let text = "[[orchestrator.env]]\nname = \"ma^th\"\n";
        assert!(renamed(text, "sums").is_ok());
        assert!(renamed(text, " ").is_err() && renamed(text, "a\nb").is_err());
    }
}
