//! The words of a command that name files.

use cfg_compose::Word;

/// The words that name files, without all others.
pub(crate) fn words_of_files(words: &[Word]) -> Vec<Word> {
    file_words(words).into_iter().flatten().cloned().collect()
}

/// The arguments that name files, each with the flag before it, if there is one.
pub(super) fn file_words(words: &[Word]) -> Vec<&[Word]> {
    let is_sign = |index: usize| words[index].text.starts_with('@');
    let is_flag = |index: usize| words[index].text.starts_with("--");
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let start = if is_flag(at) && at + 1 < words.len() && is_sign(at + 1) { at + 1 } else { at };
        if !is_sign(start) {
            at += 1;
            continue;
        }
        let end = if words[start].text.len() > 1 { start + 1 } else { (start + 2).min(words.len()) };
        found.push(&words[at..end]);
        at = end;
    }
    found
}
