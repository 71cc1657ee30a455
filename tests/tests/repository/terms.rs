//! The words of messages, help and documentation: `tests/terms.md`.

use std::{fs, path::Path};

use cfg_tests::workspace;

/// A text that users read, with the place where it is written.
struct Shown {
    place: String,
    text: String,
}

/// The texts of string literals in a file of Rust, without its tests. Literals of one word are names.
pub(crate) fn literals(source: &str) -> Vec<String> {
    let source = source.split_once("#[cfg(test)]\nmod ").map_or(source, |(before, _)| before);
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(next) = source[at..].find(['"', '/', '\'']).map(|next| at + next) {
        let rest = &source[next..];
        at = next + 1;
        if rest.starts_with("//") {
            at = rest.find('\n').map_or(source.len(), |end| next + end);
        } else if let Some(behind) = rest.strip_prefix('"') {
            let is_raw = source[..next].ends_with("r#");
            let mut is_escaped = false;
            let end = if is_raw {
                behind.find("\"#")
            } else {
                behind.find(|character| {
                    let ends = character == '"' && !is_escaped;
                    is_escaped = character == '\\' && !is_escaped;
                    ends
                })
            };
            let end = end.map_or(source.len(), |end| next + 1 + end);
            let literal = &source[at.min(end)..end];
            found.extend(literal.contains(' ').then(|| literal.replace("\\\n", " ").replace("\\n", " ")));
            at = (end + 1).min(source.len());
        } else if let Some(text) = rest.strip_prefix('\'') {
            // A character, or a lifetime.
            let mut characters = text.char_indices();
            at += match characters.next() {
                Some((_, '\\')) => text[2..].find('\'').map_or(0, |end| end + 3),
                _ => characters.next().filter(|(_, next)| *next == '\'').map_or(0, |(at, _)| at + 1),
            };
        }
    }
    found
}

/// The comments of arguments, which are their help.
fn help(source: &str) -> String {
    source
        .lines()
        .filter_map(|line| line.trim().strip_prefix("///"))
        .map(|line| format!("{line}\n"))
        .collect::<Vec<String>>()
        .concat()
}

/// Markdown, or lines of a table, without code and comments.
fn prose(text: &str, comment: &str) -> String {
    let mut is_code = false;
    let kept = text.lines().filter(|line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence && (comment.is_empty() || !line.trim_start().starts_with(comment))
    });
    kept.map(|line| format!("{line}\n")).collect::<Vec<String>>().concat()
}

/// A text on one line, without what is between backticks.
fn plain(text: &str) -> String {
    let outside = text.split('`').step_by(2).collect::<Vec<_>>().join("`");
    outside.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn collect(folder: &Path, shown: &mut Vec<Shown>) {
    let mut entries: Vec<_> = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if path.is_dir() {
            if !matches!(&*name, "target" | "node_modules" | "tests" | "testing" | "fixtures" | "snapshots" | "json") {
                collect(&path, shown);
            }
            continue;
        }
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        if !matches!(ending, "rs" | "md" | "toml" | "docs") || matches!(&*name, "tests.rs" | "Cargo.toml") {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a text");
        let place = path.strip_prefix(workspace()).unwrap_or(&path).to_string_lossy().into_owned();
        let texts = match ending {
            "rs" if place.starts_with("crates/cfg/src/args") || place.ends_with("cfg/src/control.rs") => {
                literals(&text).into_iter().chain([help(&text)]).collect()
            }
            "rs" => literals(&text),
            "toml" => vec![prose(&text, "#")],
            _ => vec![prose(&text, "")],
        };
        shown.extend(texts.into_iter().map(|text| Shown { place: place.clone(), text: plain(&text) }));
    }
}

/// What stands for one to three words in a term.
const ANY: &str = " … ";

fn is_in_word(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '-' | '/' | '{' | '}')
}

/// Whether a text has these words, whatever their case.
fn find<'a>(text: &'a str, words: &str) -> Option<&'a str> {
    let lower = text.to_ascii_lowercase();
    let (first, last) = words.split_once(ANY).unwrap_or((words, ""));
    let at = lower.match_indices(first).map(|(at, _)| at).find(|at| {
        let rest = &lower[at + first.len()..];
        let begins_within = lower[..*at].chars().next_back().is_some_and(is_in_word);
        let ends_within = !first.ends_with('.') && rest.starts_with(is_in_word);
        let is_no_longer = first.ends_with(" no") && rest.starts_with(" longer");
        !begins_within && !ends_within && !is_no_longer && (last.is_empty() || follows(rest, last))
    })?;
    let from = (0..=at.saturating_sub(50)).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let to = (at + words.len() + 50..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    Some(&text[from..to])
}

/// Whether one to three words are before these.
fn follows(mut rest: &str, last: &str) -> bool {
    (1..=3).any(|_| {
        let Some((word, behind)) = rest.strip_prefix(' ').and_then(|rest| rest.split_once(' ')) else {
            rest = "";
            return false;
        };
        // A sentence or a part of it ends here.
        let is_whole = word.chars().all(|character| is_in_word(character) || character == '`');
        rest = if is_whole { &rest[1 + word.len()..] } else { "" };
        is_whole && behind.strip_prefix(last).is_some_and(|end| !end.starts_with(is_in_word))
    })
}

#[test]
fn texts_for_users_use_the_terms_of_the_table() {
    let table = fs::read_to_string(workspace().join("tests/terms.md")).expect("the table");
    let rows = table.lines().filter_map(|line| line.strip_prefix("| ")?.split_once(" |").map(|(words, _)| words));
    let terms: Vec<&str> = rows.filter(|words| !matches!(*words, "instead of")).collect();
    assert!(terms.len() > 20, "{terms:?}");
    let mut shown = Vec::new();
    for folder in ["crates", "docs", "editors", "schemas/symptoms"] {
        collect(&workspace().join(folder), &mut shown);
    }
    for page in ["README.md", "CONTRIBUTING.md"] {
        let text = fs::read_to_string(workspace().join(page)).expect("a page");
        shown.push(Shown { place: page.to_owned(), text: plain(&prose(&text, "")) });
    }
    assert!(shown.len() > 5_000, "{}", shown.len());
    let mut found = Vec::new();
    for Shown { place, text } in &shown {
        found.extend(terms.iter().filter_map(|term| Some(format!("{place}: \"{term}\" in \"{}\"", find(text, term)?))));
    }
    assert!(found.is_empty(), "write it as tests/terms.md says:\n{}", found.join("\n"));
}

#[test]
fn literals_are_found_outside_of_comments_and_characters() {
    let source = "// \"no text\"\nlet a = '\"'; let b: &'a str = \"one \\\" two\"; let c = '\\''; f(\"three four\")\n#[cfg(test)]\nmod tests { \"not this\" }";
    assert_eq!(literals(source), ["one \\\" two", "three four"]);
    assert_eq!(plain("write `beside` or\n  not"), "write ` or not");
    assert_eq!(find("it goes beside them", "beside"), Some("it goes beside them"));
    assert_eq!(find("includes-beside-files", "beside"), None);
    assert_eq!(find("a key that is no longer there", "that is no"), None);
    assert_eq!(find("on another port than that", "another … than"), Some("on another port than that"));
    assert!(find("another port of the server than that", "another … than").is_none());
    assert!(find("another port. Rather than that", "another … than").is_none());
}
