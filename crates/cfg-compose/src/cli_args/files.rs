//! Separates the arguments that name files from the others.

use cfg_diag::{Diagnostic, codes};

use super::Words;
use crate::{Word, loader::Loader, loader::Nested};

/// A file that the words name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Named<'w> {
    /// The word that contains its path.
    pub(crate) word: &'w Word,
    /// The path, without the sign.
    pub(crate) path: &'w str,
    /// The flag with the key for its content.
    pub(crate) below: Option<&'w Word>,
}

impl Named<'_> {
    /// The dotted key for its content.
    pub(crate) fn prefix(&self, loader: &Loader) -> Option<String> {
        let flag = &self.below?.text;
        Some(match loader.nested {
            // Every pair of hyphens is removed, wherever it is.
            Nested::InPlace => flag.replace("--", ""),
            Nested::BehindTheRoot => flag.strip_prefix("--").unwrap_or(flag).to_owned(),
        })
    }
}

/// The files that the arguments name, in their order, and the other arguments.
pub(crate) fn split<'w>(loader: &Loader, words: &'w [Word], diagnostics: &mut Vec<Diagnostic>) -> (Vec<Named<'w>>, Words<'w>) {
    let words: Words<'w> = words.iter().collect();
    match loader.nested {
        Nested::InPlace => in_place(loader, &words, diagnostics),
        Nested::BehindTheRoot => behind_the_root(loader, &words, diagnostics),
    }
}

fn nothing_behind(word: &Word, loader: &Loader) -> Diagnostic {
    Diagnostic::new(&codes::UNUSABLE_ARGUMENT, "`@` must be followed by the path of a config")
        .at(word.location)
        .native(loader.nothing_behind_at, Vec::new())
}

/// Every `@` names the word after it; a flag before it is the key for the file. These words are then removed by their spelling: the first word with
/// that spelling is removed.
fn in_place<'w>(loader: &Loader, words: &Words<'w>, diagnostics: &mut Vec<Diagnostic>) -> (Vec<Named<'w>>, Words<'w>) {
    let mut files = Vec::new();
    let mut gone = vec![false; words.len()];
    let mut remove = |text: &str| {
        if let Some(index) = (0..words.len()).find(|&index| !gone[index] && *words[index].text == *text) {
            gone[index] = true;
        }
    };
    for (index, &word) in words.iter().enumerate().filter(|(_, word)| &*word.text == "@") {
        let Some(&path) = words.get(index + 1) else {
            diagnostics.push(nothing_behind(word, loader));
            remove("@");
            continue;
        };
        remove("@");
        remove(&path.text);
        let below = index.checked_sub(1).map(|index| words[index]).filter(|word| word.text.starts_with("--"));
        if let Some(flag) = below {
            remove(&flag.text);
        }
        files.push(Named { word: path, path: &path.text, below });
    }
    let left = words.iter().zip(&gone).filter(|(_, gone)| !**gone).map(|(word, _)| *word).collect();
    (files, left)
}

fn behind_the_root<'w>(loader: &Loader, words: &Words<'w>, diagnostics: &mut Vec<Diagnostic>) -> (Vec<Named<'w>>, Words<'w>) {
    let (mut files, mut left) = (Vec::new(), Vec::new());
    let mut at = 0;
    while let Some(&word) = words.get(at) {
        let next = words.get(at + 1).copied();
        let (below, sign) = if &*word.text == "@" {
            (None, Some(at))
        } else if word.text.starts_with("--") {
            (Some(word), next.filter(|next| next.text.starts_with('@')).map(|_| at + 1))
        } else if loader.glued_root && word.text.starts_with('@') {
            (None, Some(at))
        } else {
            (None, None)
        };
        let Some(sign) = sign else {
            left.push(word);
            at += 1;
            continue;
        };
        let is_glued = words[sign].text.len() > 1;
        if is_glued {
            files.push(Named { word: words[sign], path: &words[sign].text[1..], below });
            at = sign + 1;
        } else if let Some(&path) = words.get(sign + 1) {
            files.push(Named { word: path, path: &path.text, below });
            at = sign + 2;
        } else {
            diagnostics.push(nothing_behind(words[sign], loader));
            at = sign + 1;
        }
    }
    (files, left)
}
