//! The constraints of a declared schema beyond types.

use std::borrow::Cow;

use cfg_diag::one_line;
use cfg_meter::{
    Spent,
    patterns::{Patterns, Refused, States},
};
use cfg_schema::compiler::Type;

use crate::consistency::has;

/// The constraints of one field.
#[derive(Debug, Default)]
pub(crate) struct Constraint {
    /// A pattern that the whole string must match.
    pub(crate) pattern: Option<Pattern>,
    /// A pattern that the whole string must not match.
    pub(crate) never: Option<Pattern>,
    /// The maximum number of characters of a string.
    pub(crate) longest: Option<usize>,
    /// The string is the path of a file that must exist, relative to this folder.
    pub(crate) file: Option<From>,
    /// The file must have at least one line and no duplicate lines.
    pub(crate) has_distinct_lines: bool,
    /// The file in which the string must be listed.
    pub(crate) listed: Option<String>,
    /// Keys whose values, in all items, must have this sum; `*` stands for all keys.
    pub(crate) sums: Vec<(String, f64)>,
    /// The message of the schema for a violation.
    pub(crate) says: Option<String>,
}

/// The folder to which a path is relative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum From {
    /// The folder of the settings that declare the dialect.
    Project,
    /// The folder of the config.
    Beside,
}

/// A regular expression, with its text.
#[derive(Debug)]
pub(crate) struct Pattern {
    pub(crate) text: String,
    compiled: Patterns,
}

/// The sizes of compiled patterns in bytes: of one, and of all patterns of a schema.
const MAX_PATTERN_BYTES: usize = 1 << 20;
const MAX_PATTERNS_BYTES: usize = 4 << 20;

/// What the patterns of a schema may still take, in bytes.
#[derive(Debug)]
pub(crate) struct PatternSpace(usize);

impl Default for PatternSpace {
    fn default() -> Self {
        Self(MAX_PATTERNS_BYTES)
    }
}

impl Pattern {
    fn read(text: &str, space: &mut PatternSpace) -> Result<Self, String> {
        let is_alone = space.0 >= MAX_PATTERN_BYTES;
        let compiled = Patterns::compile(&[text], space.0.min(MAX_PATTERN_BYTES)).map_err(|refused| match refused {
            Refused::TooLarge if !is_alone => "the patterns of this schema are too large together".to_owned(),
            Refused::Spent(spent) => format!("its patterns can't be compiled: {spent}"),
            Refused::TooLarge | Refused::Invalid => format!("`{}` is not a pattern that cfg supports", shortened(text)),
        })?;
        space.0 = space.0.saturating_sub(compiled.bytes());
        Ok(Self { text: text.to_owned(), compiled })
    }
}

/// The states of the pattern that was used last: only one pattern at a time has some.
#[derive(Debug, Default)]
pub(crate) struct LastUsed<'p>(Option<(&'p Pattern, States)>);

impl<'p> LastUsed<'p> {
    /// Whether the whole string matches a pattern.
    pub(crate) fn fits(&mut self, pattern: &'p Pattern, text: &str) -> Result<bool, Spent> {
        let states = match self.0.take() {
            Some((last, states)) if std::ptr::eq(last, pattern) => states,
            Some((_, mut states)) => {
                pattern.compiled.reset(&mut states);
                states
            }
            None => pattern.compiled.states(),
        };
        let (_, states) = self.0.insert((pattern, states));
        pattern.compiled.is_match(states, text.as_bytes())
    }
}

/// The maximum length of a text of a config in a message, in characters.
const LONGEST_SHOWN: usize = 200;

/// A text in one line, truncated for a message.
pub(crate) fn shortened(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(LONGEST_SHOWN) {
        Some((end, _)) => Cow::Owned(format!("{}...", one_line(&text[..end]))),
        None => one_line(text),
    }
}

/// The names of the constraints in a schema.
pub(crate) const NAMES: [&str; 8] = ["pattern", "never", "longest", "file", "lines", "listed", "sum", "says"];

impl Constraint {
    /// Checks that a value of a type can violate it.
    pub(crate) fn fits(&self, ty: &Type) -> Result<(), String> {
        let has_text = |ty: &Type| has(ty, &["str", "path", "any", "literal"]);
        let items = ty.base == "list" && ty.members.iter().any(has_text);
        let of_text = [
            ("pattern", self.pattern.is_some()),
            ("never", self.never.is_some()),
            ("longest", self.longest.is_some()),
            ("file", self.file.is_some()),
            ("lines", self.has_distinct_lines),
            ("listed", self.listed.is_some()),
        ];
        if let Some((name, _)) = of_text.into_iter().find(|(_, is_given)| *is_given && !has_text(ty) && !items) {
            return Err(format!("`{name}` applies only to strings, but the type is `{}`", ty.base));
        }
        if self.has_distinct_lines && self.file.is_none() {
            return Err("`lines: distinct` applies only to files: add `file: project` or `file: beside`".to_owned());
        }
        if !self.sums.is_empty() && !has(ty, &["list", "dict", "table", "root", "variant", "any"]) {
            return Err(format!("`sum` applies only to lists, dicts and tables, but the type is `{}`", ty.base));
        }
        match self.sums.iter().find(|(_, sum)| !sum.is_finite()) {
            Some((key, _)) => Err(format!("the sum of `{key}` must be a finite number")),
            None => Ok(()),
        }
    }

    /// Adds a line of the schema: `pattern: [a-z]+`.
    pub(crate) fn add(&mut self, name: &str, text: &str, space: &mut PatternSpace) -> Result<(), String> {
        match name {
            "pattern" => self.pattern = Some(Pattern::read(text, space)?),
            "never" => self.never = Some(Pattern::read(text, space)?),
            "longest" => self.longest = Some(text.parse().map_err(|_| format!("`{text}` is not a number of characters"))?),
            "file" => {
                self.file = Some(match text {
                    "project" => From::Project,
                    "beside" => From::Beside,
                    _ => return Err("write `file: project` or `file: beside`".to_owned()),
                });
            }
            "lines" if text == "distinct" => self.has_distinct_lines = true,
            "lines" => return Err("write `lines: distinct`".to_owned()),
            "listed" => self.listed = Some(text.to_owned()),
            "sum" => {
                let sum = text.rsplit_once(' ').and_then(|(key, sum)| Some((key.trim().to_owned(), sum.parse().ok()?)));
                self.sums.push(sum.ok_or("write `sum: KEY NUMBER`, such as `sum: weight 1`")?);
            }
            "says" => self.says = Some(text.to_owned()),
            _ => return Err(format!("unknown check `{name}`: expected one of {}", NAMES.join(", "))),
        }
        Ok(())
    }
}
