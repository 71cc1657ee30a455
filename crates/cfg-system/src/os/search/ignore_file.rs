//! Reads the rules of `.gitignore` and the like, within bounds: a file of a megabyte can have rules that take minutes to apply to each path.

use std::{
    collections::HashSet,
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
};

use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// The maximum length of a line in bytes.
const LONGEST_LINE: usize = 1024;

/// The maximum number of bytes in patterns with wildcards: of one file, and of all files of a search. They are compiled to an automaton, which takes
/// some hundred bytes for each, and a path is compared with all of them at once.
const MAX_FILE_PATTERN_BYTES: usize = 16 << 10;
const MAX_PATTERN_BYTES: usize = 128 << 10;

/// The maximum number of lines in all files of a search.
const MAX_LINES: usize = 100_000;

/// What the rules of a search have taken so far.
#[derive(Debug, Default)]
pub(super) struct Space {
    wild: AtomicUsize,
    lines: AtomicUsize,
}

/// The rules in the text of a file, and whether these are all.
pub(super) fn rules(text: &str, (folder, path): (&Path, &Path), space: &Space) -> (Option<Gitignore>, bool) {
    let mut builder = GitignoreBuilder::new(folder);
    let (mut wild, mut is_complete) = (0, true);
    for line in lines(text) {
        let of_line = wild_bytes(line);
        let is_within = line.len() <= LONGEST_LINE
            && wild + of_line <= MAX_FILE_PATTERN_BYTES
            && space.wild.fetch_add(of_line, Ordering::Relaxed) + of_line <= MAX_PATTERN_BYTES
            && space.lines.fetch_add(1, Ordering::Relaxed) < MAX_LINES;
        if !is_within {
            is_complete = false;
            continue;
        }
        wild += of_line;
        // A line that is not understood is ignored.
        let _ = builder.add_line(Some(path.to_owned()), line);
    }
    (builder.build().ok().filter(|rules| !rules.is_empty()), is_complete)
}

/// The lines with rules. The last rule that matches a path decides: of equal ones, only the last counts.
fn lines(text: &str) -> Vec<&str> {
    let mut seen = HashSet::new();
    let is_rule = |line: &&str| !line.trim().is_empty() && !line.starts_with('#');
    let all = text.strip_prefix('\u{feff}').unwrap_or(text).lines();
    let mut lines: Vec<&str> = all.rev().filter(is_rule).filter(|line| seen.insert(*line)).collect();
    lines.reverse();
    lines
}

/// The length of a pattern whose wildcards need an automaton. Names, paths and endings (`*.log`) are looked up.
fn wild_bytes(line: &str) -> usize {
    let plain = line.trim_start_matches(['!', '/']);
    let plain = plain.strip_prefix("**/").unwrap_or(plain);
    let plain = plain.strip_prefix("*.").unwrap_or(plain);
    if plain.contains(['*', '?', '[', '{', '\\']) { line.len() } else { 0 }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{MAX_FILE_PATTERN_BYTES, Space, rules};

    #[test]
    fn usual_rules_are_all_read_and_others_within_bounds() {
        let at = (Path::new("/project"), Path::new("/project/.gitignore"));
        let space = Space::default();
        let usual = "# a comment\n\n__pycache__/\n*.py[cod]\n/build\n**/cache\n!keep.toml\n*.log\nwandb\n";
        let (read, is_complete) = rules(usual, at, &space);
        assert!(is_complete && read.is_some_and(|read| read.matched("/project/c/x.pyc", false).is_ignore()));
        let many = (0..10_000).map(|number| format!("c/*{{a,b}}?{number}\n")).collect::<Vec<_>>().concat();
        let (read, is_complete) = rules(&(many + "a.toml\n"), at, &space);
        let read = read.expect("rules");
        assert!(!is_complete && (500..MAX_FILE_PATTERN_BYTES).contains(&read.len()), "{}", read.len());
        assert!(read.matched("/project/a.toml", false).is_ignore(), "a name needs no automaton");
        assert!(!rules(&"*".repeat(2000), at, &space).1);
        let wild = (0..1000).map(|number| format!("a*b*c{number}\n")).collect::<Vec<_>>().concat();
        let complete = (0..20).filter(|_| rules(&wild, at, &space).1).count();
        assert!((8..15).contains(&complete), "all files together: {complete}");
    }
}
