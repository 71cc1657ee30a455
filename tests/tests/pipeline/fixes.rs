//! Fixes never make a config worse, and applying them twice equals applying them once: tested on the sample of recorded configs, the fixtures, and
//! the corpus if it exists.

use std::{collections::BTreeMap, fs, path::Path, thread};

use cfg_diag::{Applicability, Diagnostic, FileId, Severity, codes};
use cfg_repair::{Repaired, repair_all};
use cfg_rules::FixKind;
use cfg_syntax::{Dialect, parse};
use cfg_tests::{CLEAN, Checking, Recorded, shared, spread, workspace};

/// Which fixes are applied.
#[derive(Clone, Copy)]
enum Wanted {
    /// The fixes of `--fix`.
    Safe,
    /// The fixes of `--fix --unsafe-fixes`.
    All,
}

impl Wanted {
    fn fixed(self, checking: &Checking, text: &str) -> Repaired {
        let allows = |_, applicability| matches!(self, Self::All) || applicability == Applicability::Safe;
        repair_all(FileId(0), text, checking.check(text), &allows, &|text| checking.check(text))
    }
}

fn counts(diagnostics: &[Diagnostic]) -> BTreeMap<(&'static str, Option<String>, Severity), usize> {
    let mut counts = BTreeMap::new();
    for diagnostic in diagnostics.iter().flat_map(spread) {
        *counts.entry((diagnostic.code.code, diagnostic.key.clone(), diagnostic.severity)).or_default() += 1;
    }
    counts
}

fn comments(text: &str) -> Vec<String> {
    let (document, _) = parse(FileId(0), text, Dialect::Toml11);
    let mut comments: Vec<String> = document.comments.iter().map(|span| text[span.range()].trim_end().to_owned()).collect();
    comments.sort();
    comments
}

/// Whether the fix of a finding writes the metadata block.
fn becomes_metadata(diagnostic: &Diagnostic) -> bool {
    diagnostic.code == &codes::METADATA_IN_COMMENT || (diagnostic.key.as_deref() == Some("config") && diagnostic.fix.is_some())
}

/// Applies the safe fixes and all fixes to a text; returns the number of all fixes.
fn never_worse(checking: &Checking, text: &str) -> usize {
    let before = checking.check(text).diagnostics;
    let fixable = |diagnostic: &Diagnostic| diagnostic.fix.as_ref().map(|fix| fix.applicability);
    let has = |wanted| before.iter().any(|diagnostic| fixable(diagnostic) == Some(wanted));
    if !has(Applicability::Safe) && !has(Applicability::Unsafe) {
        return 0;
    }
    let all = makes_it_better(checking, text, &before, Wanted::All);
    // If no fix is unsafe, the safe ones are all.
    if has(Applicability::Safe) && (has(Applicability::Unsafe) || all > 1) {
        makes_it_better(checking, text, &before, Wanted::Safe);
    }
    all
}

fn makes_it_better(checking: &Checking, text: &str, before: &[Diagnostic], wanted: Wanted) -> usize {
    let fixed = |checking: &Checking, text: &str| wanted.fixed(checking, text);
    let after = fixed(checking, text);
    // Below a key that prime-rl refuses nothing was checked before: less severe findings may appear.
    let known = counts(before);
    for (name, count) in counts(&after.checked.diagnostics).into_iter().filter(|(name, _)| name.2 == Severity::Error) {
        assert!(known.get(&name).is_some_and(|&known| count <= known), "{name:?} is new\n{text}\nbecame\n{}", after.text);
    }
    // The fix of an unused `ignore` comment removes the comment.
    if !text.contains("cfg: ignore") {
        let (mut lost, mut new) = (comments(text), comments(&after.text));
        if before.iter().any(becomes_metadata) {
            // A comment that states metadata is moved to the metadata block; all others are kept.
            lost.retain(|comment| {
                !new.contains(comment)
                    && !["# Config version:", "# Based on:", "# Notes:"].iter().any(|label| comment.starts_with(label))
            });
            new.clear();
        }
        assert_eq!(lost, new, "{text}\nbecame\n{}", after.text);
    }
    // A text whose only line is removed is empty.
    let keeps_its_end = after.text.is_empty() || text.ends_with('\n') == after.text.ends_with('\n');
    assert!(keeps_its_end, "{text}\nbecame\n{}", after.text);
    let again = fixed(checking, &after.text);
    assert_eq!((again.count, &again.text), (0, &after.text), "a second run changes something");
    if after.count > 0 && !text.contains('\r') {
        let dos = fixed(checking, &text.replace('\n', "\r\n"));
        assert_eq!(dos.text, after.text.replace('\n', "\r\n"), "line ends are part of the author's text");
    }
    after.count
}

/// Applies fixes to all vectors of a folder, file by file in parallel; returns their number.
fn of_folder(folder: &Path) -> usize {
    let files = Recorded::files(folder);
    thread::scope(|scope| {
        let running: Vec<_> = files.iter().map(|file| scope.spawn(|| of_vectors(file))).collect();
        running.into_iter().map(|thread| thread.join().expect("never worse")).sum()
    })
}

#[test]
fn fixes_of_recorded_configs() {
    assert!(of_folder(&workspace().join("tests/vectors")) > 0, "no finding was fixed");
}

#[test]
#[ignore = "reads ../shared/vectors"]
fn fixes_of_all_recorded_configs() {
    assert!(of_folder(&shared("vectors")) > 1000, "few findings were fixed");
}

fn of_vectors(file: &Path) -> usize {
    let text = fs::read_to_string(file).expect("a text");
    let vectors: Vec<Recorded> = text.lines().filter_map(Recorded::parse).collect();
    let Some(Recorded { version, kind, .. }) = vectors.first() else { return 0 };
    let checking = Checking::for_target(version).of_kind(*kind);
    vectors.iter().map(|vector| never_worse(&checking, &vector.toml)).sum()
}

#[test]
fn fixes_of_fixtures() {
    let checking = Checking::for_target("0.4.0");
    assert_eq!(never_worse(&checking, CLEAN), 0);
    // Misspells each key of the fixture in turn.
    for (at, line) in CLEAN.match_indices('\n').map(|(at, _)| (at + 1, CLEAN[at + 1..].lines().next().unwrap_or_default())) {
        if let Some((key, _)) = line.split_once(" =").filter(|(key, _)| key.len() > 4 && !key.starts_with('#')) {
            let misspelt = format!("{}{}x{}", &CLEAN[..at], &key[..key.len() - 1], &CLEAN[at + key.len()..]);
            never_worse(&checking, &misspelt);
        }
    }
}

/// The examples of a page, with the target in their first line.
fn examples(page: &str) -> Vec<(&str, Checking)> {
    let blocks = page.split("\n```toml\n").skip(1).filter_map(|rest| rest.split_once("\n```"));
    let targeted = |(text, _)| {
        let (path, target) = str::lines(text).next()?.strip_prefix("# ")?.split_once(", for ")?;
        Some((text, Checking::for_target(target).named(path)))
    };
    blocks.filter_map(targeted).collect()
}

#[test]
fn fixes_of_the_pages() {
    for code in codes::ALL {
        let mut removed = 0;
        for (text, checking) in examples(code.page) {
            never_worse(&checking, text);
            let own = |diagnostics: &[Diagnostic]| diagnostics.iter().filter(|found| found.code.code == code.code).count();
            removed += own(&checking.check(text).diagnostics) - own(&Wanted::All.fixed(&checking, text).checked.diagnostics);
        }
        let offers = cfg_rules::ALL.iter().any(|rule| rule.code == *code && rule.fix != FixKind::None);
        assert!(removed > 0 || !offers, "{} offers a fix, but no example of its page is fixed", code.name);
    }
}

#[test]
#[ignore = "reads ../shared/corpus"]
fn fixes_of_the_corpus() {
    for entry in fs::read_dir(shared("corpus")).expect("the folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            let text = fs::read_to_string(&path).expect("a config");
            for target in ["d564195ca", "0.4.0", "0.8.0"] {
                never_worse(&Checking::for_target(target), &text);
            }
        }
    }
}
