//! What a rule page shows of a terminal is what the program says.
//!
//! Most pages have an example that a test checks as `cfg check` does. The others, of findings that only a machine, a registry or a command line has, show
//! a message: it has to be one of the program's texts, with something in place of each `{}`.

use std::fs;

use cfg_tests::{Package, packages, workspace};

use crate::terms::literals;

/// A text of the program, as what stands between its placeholders.
struct Said(Vec<String>);

impl Said {
    fn of(literal: &str) -> Self {
        let literal = literal.replace("\\\"", "\"").replace("{{", "\u{1}").replace("}}", "\u{2}");
        let mut parts = literal.split('{');
        let first = parts.next().unwrap_or_default().to_owned();
        let rest = parts.map(|part| part.split_once('}').map_or(part, |(_, behind)| behind).to_owned());
        Self([first].into_iter().chain(rest).map(|part| part.replace('\u{1}', "{").replace('\u{2}', "}")).collect())
    }

    /// Whether this is what a text says, which then has the words of the program and not only values.
    fn is(&self, text: &str) -> bool {
        let [first, between @ .., last] = self.0.as_slice() else { return self.0 == [text] };
        let words: usize = self.0.iter().map(|part| part.split_whitespace().count()).sum();
        let Some(rest) = text.strip_prefix(first.as_str()).and_then(|rest| rest.strip_suffix(last.as_str())) else {
            return false;
        };
        let found = between.iter().try_fold(rest, |rest, part| rest.split_once(part.as_str()).map(|(_, behind)| behind));
        words > 2 && found.is_some()
    }
}

/// The message of a line such as `error[PRL830] the config uses ...`.
fn message(line: &str) -> Option<&str> {
    let (head, message) = line.split_once("] ")?;
    let (severity, code) = head.split_once('[')?;
    (matches!(severity, "error" | "warning" | "info") && code.starts_with("PRL")).then_some(message)
}

#[test]
fn rule_pages_show_what_the_program_says() {
    let programs = packages().into_iter().filter(Package::is_of_program);
    let sources = programs.flat_map(|package| package.sources()).map(|path| fs::read_to_string(path).expect("a text"));
    let said: Vec<Said> = sources.flat_map(|text| literals(&text)).map(|literal| Said::of(&literal)).collect();
    let (mut shown, mut wrong) = (0, Vec::new());
    for entry in fs::read_dir(workspace().join("docs/rules")).expect("a folder") {
        let path = entry.expect("an entry").path();
        let page = fs::read_to_string(&path).expect("a page");
        for message in page.lines().filter_map(message) {
            shown += 1;
            if !said.iter().any(|said| said.is(message)) {
                wrong.push(format!("{}: {message}", path.file_name().unwrap_or_default().display()));
            }
        }
    }
    assert!(shown > 50, "{shown}");
    assert!(wrong.is_empty(), "no text of the program: {wrong:#?}");
}

#[test]
fn a_text_is_said_only_with_all_of_its_words() {
    let said = Said::of("the config uses GPU {needed}, but {here}");
    assert!(said.is("the config uses GPU 1, but the machine has 1 GPU"));
    assert!(!said.is("the config uses GPUs 0 and 1, and the machine has only GPU 0"));
    assert!(!Said::of("{severity}: {message}").is("error: something"));
}
