//! Checks the values of a config with the schema of its dialect: the findings of the walker, and the constraints beyond types.

use std::{
    collections::{HashMap, HashSet},
    path::PathBuf,
    rc::Rc,
};

use cfg_compose::Tree;
use cfg_diag::{Applicability, Diagnostic, Edit, Location, Span, codes, one_line};
use cfg_resolve::{Resolved, ResolvedTable, ResolvedValue};
use cfg_schema::Node;
use cfg_syntax::Integer;

use crate::{
    around::{Around, FileSearch},
    constraint::{Constraint, From},
    declared::Declared,
    words::{Words, key_of},
};

/// The maximum number of bytes that are searched for entries of lists, for one config. Further entries are not checked.
const MOST_SEARCHED: usize = 64 << 20;

/// The tolerance for the sum of shares, because they are decimal fractions.
const TOLERANCE: f64 = 1e-6;

/// The findings in the values of a config. `texts` are the places of plain YAML scalars that look like numbers but are strings, and `text` is the
/// config's own text, for quotations.
pub fn check(declared: &Declared, tree: Tree, (text, texts): (&str, &[Location]), around: &Around<'_>) -> Vec<Diagnostic> {
    let (resolved, found) = cfg_resolve::resolve(declared.schema, &declared.names, tree);
    let mut words = Words::new(declared.schema.root(), text);
    let mut all: Vec<Diagnostic> = found.into_iter().filter(|found| !found.is_echo).map(|found| words.own(found)).collect();
    let texts: HashSet<(u32, u32)> = texts.iter().map(|place| (place.span.start, place.span.end)).collect();
    let mut walk = Walk {
        declared,
        around,
        text,
        texts,
        files: HashMap::new(),
        lines: HashMap::new(),
        entries: HashMap::new(),
        searched: 0,
        found: Vec::new(),
    };
    walk.constraint(declared.schema.root(), "", &ResolvedValue::Table(Box::new(resolved.clone())), None);
    walk.table(&resolved, "");
    all.append(&mut walk.found);
    // For a block of YAML only the start is reported, because it ends at its last line.
    for place in all.iter_mut().filter_map(|found| found.location.as_mut()) {
        let written = text.get(place.span.range()).unwrap_or_default();
        if let Some(end) = written.find(['\n', '\r']) {
            let start = place.span.range().start;
            place.span = Span::from(start..start + written[..end].trim_end().len());
        }
    }
    all
}

struct Walk<'d> {
    declared: &'d Declared,
    around: &'d Around<'d>,
    text: &'d str,
    texts: HashSet<(u32, u32)>,
    /// The texts of the files that have been read.
    files: HashMap<PathBuf, Option<Rc<str>>>,
    /// The errors in the lines of these files.
    lines: HashMap<PathBuf, Option<String>>,
    /// Whether a file has an entry, for those that have been looked up.
    entries: HashMap<(PathBuf, String), bool>,
    /// The number of bytes that have been searched for entries.
    searched: usize,
    found: Vec<Diagnostic>,
}

impl Walk<'_> {
    fn table(&mut self, table: &ResolvedTable, path: &str) {
        for field in &table.fields {
            let Some(name) = key_of(field.node) else { continue };
            let path = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
            self.constraint(field.node, &path, &field.resolved.value, field.resolved.origin.place());
            self.value(&field.resolved, &path);
        }
    }

    fn value(&mut self, resolved: &Resolved, path: &str) {
        match &resolved.value {
            ResolvedValue::Table(table) => {
                // The constraints of an item or a variant are checked at its own node.
                self.constraint(table.node, path, &resolved.value, resolved.origin.place());
                self.table(table, path);
            }
            ResolvedValue::List(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.value(item, &format!("{path}[{index}]"));
                }
            }
            ResolvedValue::Map(entries) => {
                for (key, value) in entries {
                    self.value(value, &format!("{path}.{key}"));
                }
            }
            ResolvedValue::Float(_) | ResolvedValue::Int(_) => self.number(resolved, path),
            _ => {}
        }
    }

    /// The text of a file, which is read only once.
    fn content(&mut self, file: PathBuf) -> Option<Rc<str>> {
        let around = self.around;
        self.files.entry(file).or_insert_with_key(|file| around.text(file).map(Rc::from)).clone()
    }

    /// Reports a number that `PyYAML` reads as a string.
    fn number(&mut self, resolved: &Resolved, path: &str) {
        let Some(mut place) = resolved.origin.place().filter(|place| self.texts.contains(&(place.span.start, place.span.end)))
        else {
            return;
        };
        let written = self.text.get(place.span.range()).unwrap_or_default();
        // An anchor or a tag precedes the scalar.
        let written = written.rsplit(char::is_whitespace).next().unwrap_or_default();
        let end = place.span.range().end;
        place.span = Span::from(end - written.len()..end);
        let number = as_float(written);
        let message =
            format!("PyYAML reads `{}` as a string: a float needs a decimal point, and its exponent a sign", one_line(written));
        let edit = Edit { location: place, new_text: number.clone() };
        let found = Diagnostic::new(&codes::YAML_TEXT, message).key(path).at(place).label("a text");
        self.found.push(found.help(format!("write `{number}`")).fix(format!("write {number}"), Applicability::Safe, edit));
    }

    /// Checks the constraints of a node's value.
    fn constraint(&mut self, node: Node, path: &str, value: &ResolvedValue, place: Option<Location>) {
        let Some(constraint) = self.declared.constraints.get(&node) else { return };
        match value {
            ResolvedValue::Str(text) => self.text(constraint, path, text, place),
            ResolvedValue::List(items) => {
                for (index, item) in items.iter().enumerate() {
                    if let ResolvedValue::Str(text) = &item.value {
                        self.text(constraint, &format!("{path}[{index}]"), text, item.origin.place());
                    }
                }
                let tables = || items.iter().map(|item| &item.value);
                self.sums(constraint, (path, place), |key| tables().map(|table| of_key(table, key)).collect());
            }
            ResolvedValue::Map(entries) => {
                let values = || entries.iter().map(|(_, value)| &value.value);
                self.sums(constraint, (path, place), |key| match key {
                    "*" => values().map(number).collect(),
                    key => values().map(|table| of_key(table, key)).collect(),
                });
            }
            ResolvedValue::Table(table) => {
                let values = || table.fields.iter().map(|field| &field.resolved.value);
                self.sums(constraint, (path, place), |key| match key {
                    "*" => values().map(number).collect(),
                    key => values()
                        .filter(|value| matches!(value, ResolvedValue::Table(_)))
                        .map(|table| of_key(table, key))
                        .collect(),
                });
            }
            _ => {}
        }
    }

    fn report(&mut self, constraint: &Constraint, mut found: Diagnostic, path: &str, place: Option<Location>) {
        found.key = Some(path.to_owned()).filter(|path| !path.is_empty());
        found.location = place;
        if let Some(says) = &constraint.says {
            found.help = Some(match found.help.take() {
                Some(help) => format!("{}; {help}", one_line(says)),
                None => one_line(says).into_owned(),
            });
        }
        self.found.push(found);
    }

    fn text(&mut self, constraint: &Constraint, path: &str, text: &str, place: Option<Location>) {
        let shown = one_line(text);
        let wrong = |why: String| Diagnostic::new(&codes::DIALECT_NAME, format!("`{path}` is `{shown}`, {why}"));
        if let Some(pattern) = constraint.pattern.as_ref().filter(|pattern| !pattern.fits(text)) {
            self.report(
                constraint,
                wrong(format!("which does not match the pattern `{}`", one_line(&pattern.text))),
                path,
                place,
            );
        } else if let Some(pattern) = constraint.never.as_ref().filter(|pattern| pattern.fits(text)) {
            self.report(constraint, wrong(format!("which its dialect refuses: `{}`", one_line(&pattern.text))), path, place);
        }
        if let Some(longest) = constraint.longest
            && text.chars().count() > longest
        {
            self.report(constraint, wrong(format!("which has more than {longest} characters")), path, place);
        }
        if constraint.file.is_some() || constraint.has_distinct_lines {
            self.file(constraint, path, text, place);
        }
        if let Some(list) = &constraint.listed {
            self.listed(constraint, (path, list), text, place);
        }
    }

    fn file(&mut self, constraint: &Constraint, path: &str, text: &str, place: Option<Location>) {
        let wrong = |message: String| Diagnostic::new(&codes::DIALECT_FILE, message);
        let shown = one_line(text);
        match self.around.find(text, constraint.file.unwrap_or(From::Project)) {
            FileSearch::Nothing => {
                let folder = match constraint.file.unwrap_or(From::Project) {
                    From::Project => "the folder of the settings",
                    From::Beside => "the folder of the config",
                };
                let found = wrong(format!("`{path}` names the file `{shown}`, which does not exist"));
                self.report(constraint, found.help(format!("the path is relative to {folder}")), path, place);
            }
            FileSearch::File(file) if constraint.has_distinct_lines => {
                let Some(content) = self.content(file.clone()) else { return };
                let fault = self.lines.entry(file).or_insert_with(|| fault_of_lines(&content)).clone();
                if let Some(fault) = fault {
                    self.report(constraint, wrong(format!("`{shown}`, which `{path}` names, {fault}")), path, place);
                }
            }
            FileSearch::File(_) | FileSearch::Elsewhere => {}
        }
    }

    fn listed(&mut self, constraint: &Constraint, (path, list): (&str, &str), text: &str, place: Option<Location>) {
        let (file, content) = match self.around.find(list, From::Project) {
            FileSearch::File(file) => match self.content(file.clone()) {
                Some(content) => (file, content),
                None => return,
            },
            FileSearch::Nothing => (PathBuf::new(), Rc::from("")),
            FileSearch::Elsewhere => return,
        };
        let is_new = !self.entries.contains_key(&(file.clone(), text.to_owned()));
        if is_new && self.searched > MOST_SEARCHED {
            return;
        }
        self.searched += if is_new { content.len() } else { 0 };
        if !*self.entries.entry((file, text.to_owned())).or_insert_with(|| has_entry(&content, text)) {
            let message = format!("`{}`, which `{path}` names, has no entry in {}", one_line(text), one_line(list));
            self.report(constraint, Diagnostic::new(&codes::DIALECT_FILE, message), path, place);
        }
    }

    /// Checks sums; `numbers` returns the values of a key, where `None` is an unknown value.
    fn sums(
        &mut self,
        constraint: &Constraint,
        (path, place): (&str, Option<Location>),
        numbers: impl Fn(&str) -> Vec<Option<f64>>,
    ) {
        for (key, wanted) in &constraint.sums {
            let numbers = numbers(key);
            // If a value is unknown, so is the sum. If no value is given, the sum is not checked.
            let Some(numbers) = numbers.into_iter().collect::<Option<Vec<f64>>>().filter(|numbers| !numbers.is_empty()) else {
                continue;
            };
            let sum: f64 = numbers.iter().sum();
            if (sum - wanted).abs() > TOLERANCE {
                let what =
                    if key == "*" { format!("the values of `{path}`") } else { format!("`{key}` of the items of `{path}`") };
                // Rounded, so that 0.30000000000000004 is 0.3.
                let sum = (sum * 1e9).round() / 1e9;
                let message = format!("{what} sum to {sum}, not to {wanted}");
                self.report(constraint, Diagnostic::new(&codes::DIALECT_SUM, message), path, place);
            }
        }
    }
}

/// Whether a string is in a list as a whole word.
fn has_entry(content: &str, text: &str) -> bool {
    let is_part = |next: Option<char>| next.is_some_and(|next| next.is_alphanumeric() || matches!(next, '_' | '-'));
    let is_whole = |(at, _): (usize, &str)| {
        !is_part(content[..at].chars().next_back()) && !is_part(content[at + text.len()..].chars().next())
    };
    !text.is_empty() && content.match_indices(text).any(is_whole)
}

/// The error in a file whose lines must be distinct.
fn fault_of_lines(content: &str) -> Option<String> {
    let mut seen = HashMap::new();
    for (number, line) in (1..).zip(content.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        if let Some(first) = seen.insert(line.trim(), number) {
            return Some(format!("has the same line twice: lines {first} and {number}"));
        }
    }
    seen.is_empty().then(|| "is empty".to_owned())
}

/// The number at a key of a table, or its default if it is not given.
fn of_key(table: &ResolvedValue, key: &str) -> Option<f64> {
    let ResolvedValue::Table(table) = table else { return None };
    match table.given(key) {
        Some(field) => number(&field.resolved.value),
        None => table.node.field(key)?.at(cfg_schema::Point(0))?.default_json()?.parse().ok(),
    }
}

fn number(value: &ResolvedValue) -> Option<f64> {
    match value {
        ResolvedValue::Int(Integer::Small(number)) => number.to_string().parse().ok(),
        ResolvedValue::Int(Integer::Big(digits)) => digits.parse().ok(),
        ResolvedValue::Float(number) => Some(*number).filter(|number| number.is_finite()),
        _ => None,
    }
}

/// A number, written with the decimal point and the sign that make it a float in YAML 1.1: `1.0e-5` for `1e-5`.
fn as_float(written: &str) -> String {
    let Some((mantissa, exponent)) = written.split_once(['e', 'E']) else { return written.to_owned() };
    let mantissa = if mantissa.contains('.') { mantissa.to_owned() } else { format!("{mantissa}.0") };
    let exponent = if exponent.starts_with(['+', '-']) { exponent.to_owned() } else { format!("+{exponent}") };
    format!("{mantissa}e{exponent}")
}
