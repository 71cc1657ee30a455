//! prime-rl in the sentences of a project's documentation pages: "we use prime-rl v0.7.0", "prime-rl at commit `aeaf4c44f`". Where nothing else says it.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

use super::{Detection, TargetSource, reference, scripts};
use crate::folder::Folder;

/// The known prime-rl that the pages of `folder` name. A checkout says the version of the last release until the next one, so a commit in the same paragraph
/// as a version says more exactly which prime-rl is meant by it, also where the version stands alone.
pub(super) fn detect(folder: &Folder) -> Option<Detection> {
    let is_page = |path: &Path| path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("md"));
    let pages: Vec<(PathBuf, String)> = scripts::texts(folder).filter(|(path, _)| is_page(path)).collect();
    let mentions: Vec<Mention<'_>> = pages.iter().flat_map(|(path, text)| named(path, text)).collect();
    let known = |mention: &Mention<'_>| {
        let source = TargetSource::Script { path: mention.page.to_owned(), line: mention.line };
        // Any other number in a page may be of something else.
        reference::of_revision(mention.word, source).filter(Result::is_ok)
    };
    let (version, first) = mentions.iter().find_map(|mention| Some((mention.word, known(mention)?)))?;
    if !is_version(version) {
        return Some(first);
    }
    let of_version = mentions.iter().filter(|mention| is_same_version(mention.word, version));
    let paragraphs: HashSet<(&Path, u32)> = of_version.map(Mention::paragraph).collect();
    let is_beside = |mention: &&Mention<'_>| is_hash(mention.word) && paragraphs.contains(&mention.paragraph());
    mentions.iter().filter(is_beside).find_map(known).or(Some(first))
}

/// A word of a page that may say which prime-rl is meant.
#[derive(Clone, Copy, Debug)]
struct Mention<'t> {
    page: &'t Path,
    /// From 1.
    line: u32,
    /// The line above its paragraph.
    above: u32,
    /// A commit, abbreviated or not, or a version.
    word: &'t str,
}

impl<'t> Mention<'t> {
    const fn paragraph(&self) -> (&'t Path, u32) {
        (self.page, self.above)
    }
}

/// The words in paragraphs about prime-rl that may be its commit, and those behind its name that may be its version.
fn named<'t>(page: &'t Path, text: &'t str) -> Vec<Mention<'t>> {
    let mut found = Vec::new();
    let mut above = 0;
    let mut is_about_it = false;
    for (number, line) in (1u32..).zip(text.lines()) {
        if line.trim().is_empty() {
            (is_about_it, above) = (false, number);
            continue;
        }
        is_about_it |= reference::mentions_prime_rl(line);
        let mut is_behind_name = false;
        for word in line.split([' ', '\t', '`', '(', ')', '*', '[', ']', '"', ',', '@', '=', ':', '|', '/', ';']) {
            let word = word.trim_matches('.');
            if word.is_empty() || matches!(word, "version" | "release" | "tag") {
                continue;
            }
            if is_about_it && is_hash(word) || is_behind_name && is_version(word) {
                found.push(Mention { page, line: number, above, word });
            }
            is_behind_name = reference::is_prime_rl(word);
        }
    }
    found
}

fn is_same_version(one: &str, other: &str) -> bool {
    one.trim_start_matches('v') == other.trim_start_matches('v')
}

fn is_hash(word: &str) -> bool {
    let has = |is_it: fn(&u8) -> bool| word.as_bytes().iter().any(is_it);
    (7..=40).contains(&word.len())
        && word.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_alphabetic)
}

fn is_version(word: &str) -> bool {
    let digits = word.strip_prefix('v').unwrap_or(word);
    digits.split('.').count() == 3
        && digits.split('.').all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::named;

    #[test]
    fn commits_and_versions_of_prime_rl_are_found_in_sentences() {
        for (text, wanted) in [
            ("We use commit `aeaf4c44f` of prime-rl.", &["aeaf4c44f"][..]),
            ("prime-rl: https://example.org/prime-rl\nHEAD: `aeaf4c44`\n", &["aeaf4c44"]),
            ("Tested with prime-rl v0.7.0 (and vLLM 0.9.1).", &["v0.7.0"]),
            ("prime-rl==0.4.0", &["0.4.0"]),
            ("About prime-rl.\n\nThe commit aeaf4c44f is of verifiers.", &[]),
            ("prime-rl has 12345678 tokens, facades and 0.7.0 of them", &[]),
        ] {
            assert_eq!(
                named(Path::new("a.md"), text).into_iter().map(|mention| mention.word).collect::<Vec<_>>(),
                wanted,
                "{text}"
            );
        }
    }
}
