//! One line per finding: `path:line:column: error[PRL101] message (help)`.

use std::{
    borrow::Cow,
    io::{self, Write},
};

use cfg_diag::{Diagnostic, Severity};

use crate::layout::ForPeople;
use crate::paint::{BOLD, DIM};
use crate::summary::count;
use crate::{FileReport, Sources, Style};
use cfg_diag::one_line;

/// Each finding on one line.
pub(crate) static CONCISE: ForPeople = ForPeople(write);

fn write(out: &mut Vec<u8>, style: &Style, shown: Severity, file: &FileReport<'_>, sources: &Sources<'_>) -> io::Result<()> {
    let shown = || file.diagnostics.iter().filter(|diagnostic| !diagnostic.is_echo && diagnostic.severity >= shown);
    let detail = match shown().count() {
        0..=MAX_FINDINGS_WITH_HELP => Detail::Notes,
        count if count <= MAX_FINDINGS_IN_WORDS => Detail::What,
        _ => Detail::Key,
    };
    let start = out.len();
    let levels = [Detail::Notes, Detail::What, Detail::Key, Detail::Least];
    // What would be too long for a program that pays for each word is said in fewer.
    for level in levels.into_iter().filter(|level| *level >= detail) {
        out.truncate(start);
        shown().try_for_each(|diagnostic| write_line(out, style, file, sources, diagnostic, level))?;
        if out.len() - start <= MAX_SAID || shown().count() > MAX_FINDINGS_SHORTENED {
            break;
        }
    }
    Ok(())
}

/// How much of a help is written.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Detail {
    /// All of it.
    Notes,
    /// What to write.
    What,
    /// As [`Self::What`], in few words.
    Key,
    /// As [`Self::Key`], without the table of a key, which its place shows, and without a help that a message about syntax has in it.
    Least,
}

/// The findings of a file should take up at most this many bytes.
const MAX_SAID: usize = 1400;

/// Of more findings than this, no more than usual is left out.
const MAX_FINDINGS_SHORTENED: usize = 40;

/// Up to this many findings of a file have all of their help. Of more, a program reads what to write first; the rest shows when fewer are left.
const MAX_FINDINGS_WITH_HELP: usize = 6;

/// Up to this many findings of a file say in full words what to write.
const MAX_FINDINGS_IN_WORDS: usize = 12;

/// The maximum number of characters of a line, for programs that pay for each: 80 tokens of a language model.
const MAX_LINE_CHARS: usize = 320;

/// At least this many characters are left for the text, however long the path is.
const FEWEST: usize = 200;

fn write_line(
    out: &mut Vec<u8>,
    style: &Style,
    file: &FileReport<'_>,
    sources: &Sources<'_>,
    diagnostic: &Diagnostic,
    detail: Detail,
) -> io::Result<()> {
    let (path, place) = match diagnostic.location.and_then(|location| sources.place(location)) {
        Some((path, at)) => (one_line(path), format!(":{}:{}: ", at.line, at.column)),
        None => (one_line(file.path), ": ".to_owned()),
    };
    write!(out, "{}{place}{} ", style.paint(BOLD, &path), style.tag(diagnostic.severity, diagnostic.code))?;
    let behind = match diagnostic.folded.len() {
        0 => String::new(),
        more => format!(" [{}]", count(more, "further finding")),
    };
    let tag = "warning[PRL000] ".len();
    let taken = path.chars().count() + place.len() + tag + behind.len();
    let left = MAX_LINE_CHARS.saturating_sub(taken).max(FEWEST);
    let message = one_line(&diagnostic.message);
    let message = match detail {
        Detail::Notes => message,
        Detail::What | Detail::Key => Cow::Owned(without_owner(&message)),
        Detail::Least => Cow::Owned(without_commit(&without_table(&without_owner(&message))).to_owned()),
    };
    let message = shortened(&message, left);
    write!(out, "{message}")?;
    let left = left.saturating_sub(message.chars().count() + " ()".len());
    let help = match (&diagnostic.help, &diagnostic.fix) {
        (Some(help), _) => one_line(help).into_owned(),
        (None, Some(fix)) => format!("fix: {}", one_line(&fix.title)),
        (None, None) => String::new(),
    };
    let is_syntax = diagnostic.code.code.starts_with("PRL00") && diagnostic.fix.is_some();
    let help = match detail {
        Detail::Least if is_syntax && message.contains("instead of") => Cow::Borrowed(""),
        Detail::Notes => Cow::Borrowed(&*help),
        Detail::What => Cow::Borrowed(what_to_write(&help)),
        Detail::Least | Detail::Key => in_few_words(what_to_write(&help)),
    };
    let help = shortened(&help, left);
    if !help.is_empty() {
        write!(out, " ({help})")?;
    }
    if !behind.is_empty() {
        write!(out, "{}", style.paint(DIM, behind))?;
    }
    writeln!(out)
}

/// The message about a key at the top of a file without the kind of the config, which is the same for all findings.
fn without_owner(message: &str) -> String {
    let rest =
        message.strip_prefix("an ").or_else(|| message.strip_prefix("a ")).and_then(|rest| rest.split_once(" config has no "));
    rest.filter(|(kind, _)| !kind.contains(' ')).map_or_else(|| message.to_owned(), |(_, what)| format!("no {what}"))
}

/// The message about a key without the table in which it is.
fn without_table(message: &str) -> String {
    let rest = message.strip_prefix('`').and_then(|rest| rest.split_once("` has no "));
    rest.filter(|(table, _)| !table.contains('`')).map_or_else(|| message.to_owned(), |(_, what)| format!("no {what}"))
}

/// The message about a removed key without when that was, and by which change.
fn without_commit(message: &str) -> &str {
    message.find("` was removed ").map_or(message, |at| &message[..at + "` was removed".len()])
}

/// The part of a help that says what to write, without notes behind a semicolon or a full stop.
fn what_to_write(help: &str) -> &str {
    let is_list = help.match_indices("; `").any(|(at, _)| !help[at..].starts_with("; `cfg "));
    let is_reason = help.starts_with("prime-rl has no such setting: ");
    let end = [("; ", !is_list), (". ", true), (": ", is_reason)]
        .into_iter()
        .filter(|(_, ends)| *ends)
        .filter_map(|(mark, _)| help.find(mark))
        .min();
    end.map_or(help, |end| &help[..end])
}

/// What to write, without the words that most findings of a long list share.
fn in_few_words(help: &str) -> Cow<'_, str> {
    match help.strip_prefix("in prime-rl it is ").or_else(|| help.strip_prefix("the target has ")) {
        Some(key) if !key.contains(' ') => Cow::Owned(format!("it is {key}")),
        _ if help == "prime-rl has no such setting" => Cow::Borrowed("remove it"),
        _ => Cow::Borrowed(help),
    }
}

/// As many words of a text as fit; `...` marks those that are left out. `cfg explain` and the other formats have the full text.
fn shortened(text: &str, room: usize) -> Cow<'_, str> {
    const CUT: &str = " ...";
    if text.chars().count() <= room {
        return Cow::Borrowed(text);
    }
    let end = text.char_indices().nth(room.saturating_sub(CUT.len())).map_or(0, |(at, _)| at);
    let words = text[..end].rfind(' ').map_or("", |at| text[..at].trim_end_matches([',', ';', ':', '(']));
    if words.is_empty() { Cow::Borrowed("") } else { Cow::Owned(format!("{words}{CUT}")) }
}

#[cfg(test)]
mod tests {
    use super::{in_few_words, shortened, what_to_write, without_owner, without_table};

    #[test]
    fn notes_are_left_out_but_no_keys() {
        for (help, short) in [
            ("in prime-rl it is `ckpt.interval`; it counts steps", "in prime-rl it is `ckpt.interval`"),
            ("write `clean` instead. It clears the run's own folder", "write `clean` instead"),
            ("in prime-rl `a` is `b`; `c` is `d`", "in prime-rl `a` is `b`; `c` is `d`"),
            ("did you mean `a.b`?", "did you mean `a.b`?"),
            ("prime-rl has no such setting: each step is logged", "prime-rl has no such setting"),
            ("remove it; `cfg schema show` lists its 20 keys", "remove it"),
        ] {
            assert_eq!(what_to_write(help), short);
        }
    }

    #[test]
    fn a_long_list_says_the_same_in_few_words() {
        for (text, few) in [
            ("in prime-rl it is `model.name`", "it is `model.name`"),
            ("in prime-rl it is `a`, but as the config is now", "in prime-rl it is `a`, but as the config is now"),
            ("prime-rl has no such setting", "remove it"),
        ] {
            assert_eq!(in_few_words(text), few);
        }
        assert_eq!(without_owner("an rl config has no key `lr`"), "no key `lr`");
        assert_eq!(without_owner("`optim` has no key `lr`"), "`optim` has no key `lr`");
        assert_eq!(without_table("`optim` has no key `lr`"), "no key `lr`");
    }

    #[test]
    fn words_beyond_the_width_are_omitted() {
        for (room, text) in [(13, "one; two four"), (12, "one ..."), (9, "one ..."), (8, ""), (0, "")] {
            assert_eq!(shortened("one; two four", room), text, "{room}");
        }
    }
}
