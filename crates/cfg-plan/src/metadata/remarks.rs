//! Metadata that comments at the top of a config state in words: `# Config version: v3 (2026-01-05)`, `# Based on: qwen3-8b-2xh100.toml:v3`.

use cfg_diag::{FileId, Location, Span};
use cfg_syntax::Document;

use super::Located;

/// The maximum number of comments that are read.
const MAX_COMMENTS: usize = 200;

/// A member of the metadata that a comment states in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// The name of the member: `version`.
    pub member: &'static str,
    /// The stated value, and its place in the comment.
    pub stated: Located<Box<str>>,
    /// The whole comment.
    pub comment: Location,
    /// Whether the comment contains nothing else.
    pub is_all: bool,
}

/// What precedes the parent in a comment that lists changes.
const CHANGES: &str = "changes from ";

/// The labels that users write, and the members that they state.
const LABELS: [(&str, &str); 12] = [
    ("config version", "version"),
    ("version", "version"),
    ("created", "created"),
    ("date", "created"),
    ("env version", "env_version"),
    ("env_version", "env_version"),
    ("environment version", "env_version"),
    ("based on", "based_on"),
    ("based_on", "based_on"),
    ("hardware", "hardware"),
    ("notes", "notes"),
    ("note", "notes"),
];

/// Reads the comments above the first key and the first table, without those of the metadata block. If several state the same
/// member, the first is used.
pub(super) fn read(file: FileId, text: &str, document: &Document, block: Option<Span>) -> Vec<Remark> {
    let first_key = document.root.entries.iter().map(|entry| entry.key.span.start).min();
    let first_header = document.headers.first().map(|header| header.span.start);
    let top = first_key.into_iter().chain(first_header).min().unwrap_or(u32::MAX);
    let comments = document.comments.iter().copied().take_while(|comment| comment.end <= top).take(MAX_COMMENTS);
    let mut remarks: Vec<Remark> = Vec::new();
    for comment in comments.filter(|comment| block.is_none_or(|block| !block.touches(comment.start))) {
        for remark in remarks_of(file, text, comment) {
            if remarks.iter().all(|known| known.member != remark.member) {
                remarks.push(remark);
            }
        }
    }
    remarks
}

/// The members that one comment states: usually none; two if a date follows a version.
fn remarks_of(file: FileId, text: &str, comment: Span) -> Vec<Remark> {
    let line = &text[comment.range()];
    let Some((label, said)) = line.trim_start_matches('#').split_once(':') else { return Vec::new() };
    let label = label.trim();
    let at = comment.start as usize + (line.len() - said.len());
    let stated = |from: usize, value: &str| {
        let start = (at + from) as u32;
        Located { value: value.into(), location: Location::new(file, Span::new(start, start + value.len() as u32)) }
    };
    let remark = |member, from: usize, value: &str, is_all| Remark {
        member,
        stated: stated(from, value),
        comment: Location::new(file, comment),
        is_all,
    };
    let value = said.trim();
    let from = said.len() - said.trim_start().len();
    // `# Changes from v1:` states the parent; the changes follow it.
    let after = label.get(CHANGES.len()..).filter(|_| label[..CHANGES.len()].eq_ignore_ascii_case(CHANGES));
    if let Some(parent) = after.map(|parent| parent.trim().to_ascii_lowercase()).filter(|parent| is_version(parent)) {
        let start = line.to_ascii_lowercase().find(&parent).unwrap_or_default();
        let place = Span::new(comment.start + start as u32, comment.start + (start + parent.len()) as u32);
        let stated = Located { value: text[place.range()].into(), location: Location::new(file, place) };
        return vec![Remark { member: "based_on", stated, comment: Location::new(file, comment), is_all: false }];
    }
    let Some((_, member)) = LABELS.iter().find(|(known, _)| known.eq_ignore_ascii_case(label)) else { return Vec::new() };
    let (first, rest) = value.split_once(char::is_whitespace).unwrap_or((value, ""));
    match *member {
        "version" if is_version(first) => {
            let day = rest.trim().strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).filter(|day| is_day(day));
            let is_all = rest.trim().is_empty() || day.is_some();
            let created = day.and_then(|day| Some(remark("created", said.find(day)?, day, is_all)));
            std::iter::once(remark("version", from, first, is_all)).chain(created).collect()
        }
        "created" if is_day(first) => vec![remark("created", from, first, rest.trim().is_empty())],
        "env_version" if first.starts_with(|character: char| character.is_ascii_digit()) => {
            vec![remark("env_version", from, first, rest.trim().is_empty())]
        }
        "based_on" if is_version(first) || first.contains(".toml") => {
            vec![remark("based_on", from, first, rest.trim().is_empty())]
        }
        "hardware" => {
            let machine = value.split('(').next().unwrap_or_default().trim_end();
            let is_machine = machine.split_once('x').is_some_and(|(count, name)| {
                count.trim().parse::<u32>().is_ok()
                    && name.trim().starts_with(|character: char| character.is_ascii_alphanumeric())
            });
            if is_machine { vec![remark("hardware", from, machine, machine == value)] } else { Vec::new() }
        }
        "notes" if !value.is_empty() => vec![remark("notes", from, value, true)],
        _ => Vec::new(),
    }
}

/// Whether the name of a parent includes its version: `v3`, `qwen.toml:v3`.
pub(super) fn names_version(word: &str) -> bool {
    is_version(word.rsplit_once(':').map_or(word, |(_, version)| version))
}

/// Whether a word is a version: `v3`, or numbers with dots.
fn is_version(word: &str) -> bool {
    let digits = word.strip_prefix(['v', 'V']).unwrap_or(word);
    let is_dotted = digits.split('.').all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
    is_dotted && (word.len() > digits.len() || digits.contains('.'))
}

/// Whether a word is a day: `2026-01-05`.
fn is_day(word: &str) -> bool {
    let parts: Vec<&str> = word.split('-').collect();
    let is_number = |part: &&str| part.bytes().all(|byte| byte.is_ascii_digit());
    matches!(parts.as_slice(), [year, month, day] if year.len() == 4 && month.len() == 2 && day.len() == 2)
        && parts.iter().all(is_number)
}
