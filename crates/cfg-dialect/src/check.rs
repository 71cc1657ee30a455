//! Checks the values of a config with the schema of its dialect: the findings of the walker, and the constraints beyond types.

use std::{
    collections::{HashMap, HashSet},
    path::PathBuf,
    rc::Rc,
};

use cfg_compose::Tree;
use cfg_diag::{Applicability, Diagnostic, Edit, Location, Span, codes, one_line};
use cfg_meter::{Allowance, Meter, Spent, charge, charge_bytes, charge_each};
use cfg_resolve::{Resolved, ResolvedTable, ResolvedValue};
use cfg_schema::Node;
use cfg_syntax::Integer;

use crate::{
    around::{Around, FileSearch},
    constraint::{Constraint, From, LastUsed, shortened},
    declared::Declared,
    words::{Words, key_of},
};

/// The units for looking up a file, and for remembering a line.
const OF_A_FILE: u64 = 1000;
const OF_A_LINE: u64 = 8;

/// The tolerance for the sum of shares, because they are decimal fractions.
const TOLERANCE: f64 = 1e-6;

/// The findings in the values of a config. `texts` are the places of plain YAML scalars that look like numbers but are strings, and `text` is the
/// config's own text, for quotations.
///
/// The schema and the config are texts of the repository, which can ask for any amount of work: what is beyond the allowance is not checked, and a
/// finding says so.
pub fn check(declared: &Declared, tree: Tree, text: &str, texts: &[Location], around: &Around<'_>) -> Vec<Diagnostic> {
    let (resolved, found) = cfg_resolve::resolve(declared.schema, &declared.names, tree);
    let mut words = Words::new(declared.schema.root(), text);
    let mut all: Vec<Diagnostic> = found.into_iter().filter(|found| !found.is_echo).map(|found| words.own(found)).collect();
    let texts: HashSet<(u32, u32)> = texts.iter().map(|place| (place.span.start, place.span.end)).collect();
    let _meter = Meter::begin(Allowance::CONFIG);
    let mut walk = Walk {
        declared,
        around,
        text,
        texts,
        files: HashMap::new(),
        lines: HashMap::new(),
        entries: HashMap::new(),
        named: HashMap::new(),
        last_used: LastUsed::default(),
        found: Vec::new(),
    };
    let whole = ResolvedValue::Table(Box::new(resolved));
    let walked = walk.constraint(declared.schema.root(), "", &whole, None).and_then(|()| match &whole {
        ResolvedValue::Table(table) => walk.table(table, ""),
        _ => Ok(()),
    });
    all.append(&mut walk.found);
    if let Err(spent) = walked {
        let message = format!("not all values are compared with the schema of the dialect: {spent}");
        let help = "use shorter texts, simpler patterns, or smaller files";
        all.push(Diagnostic::new(&codes::INVALID_DIALECT, message).help(help));
    }
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
    /// The files that paths name.
    named: HashMap<(String, From), FileSearch>,
    last_used: LastUsed<'d>,
    found: Vec<Diagnostic>,
}

impl<'d> Walk<'d> {
    fn table(&mut self, table: &ResolvedTable, path: &str) -> Result<(), Spent> {
        for field in &table.fields {
            let Some(name) = key_of(field.node) else { continue };
            let path = below(path, name)?;
            self.constraint(field.node, &path, &field.resolved.value, field.resolved.origin.place())?;
            self.value(&field.resolved, &path)?;
        }
        Ok(())
    }

    fn value(&mut self, resolved: &Resolved, path: &str) -> Result<(), Spent> {
        match &resolved.value {
            ResolvedValue::Table(table) => {
                // The constraints of an item or a variant are checked at its own node.
                self.constraint(table.node, path, &resolved.value, resolved.origin.place())?;
                self.table(table, path)?;
            }
            ResolvedValue::List(items) => {
                for (index, item) in items.iter().enumerate() {
                    charge_bytes(path.len())?;
                    self.value(item, &format!("{path}[{index}]"))?;
                }
            }
            ResolvedValue::Map(entries) => {
                for (key, value) in entries {
                    self.value(value, &below(path, key)?)?;
                }
            }
            ResolvedValue::Float(_) | ResolvedValue::Int(_) => self.number(resolved, path),
            _ => {}
        }
        Ok(())
    }

    /// The file that a path names, which is looked up only once.
    fn named(&mut self, path: &str, from: From) -> Result<FileSearch, Spent> {
        let key = (path.to_owned(), from);
        if let Some(known) = self.named.get(&key) {
            return Ok(known.clone());
        }
        charge(OF_A_FILE)?;
        let found = self.around.find(path, from);
        Ok(self.named.entry(key).or_insert(found).clone())
    }

    /// The text of a file, which is read only once.
    fn content(&mut self, file: PathBuf) -> Result<Option<Rc<str>>, Spent> {
        if let Some(known) = self.files.get(&file) {
            return Ok(known.clone());
        }
        let content: Option<Rc<str>> = self.around.text(&file).map(Rc::from);
        self.files.insert(file, content.clone());
        charge_bytes(content.as_deref().map_or(0, str::len))?;
        Ok(content)
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
    fn constraint(&mut self, node: Node, path: &str, value: &ResolvedValue, place: Option<Location>) -> Result<(), Spent> {
        let declared = self.declared;
        let Some(constraint) = declared.constraints.get(&node) else { return Ok(()) };
        match value {
            ResolvedValue::Str(text) => self.text(constraint, path, text, place),
            ResolvedValue::List(items) => {
                for (index, item) in items.iter().enumerate() {
                    if let ResolvedValue::Str(text) = &item.value {
                        charge_bytes(path.len())?;
                        self.text(constraint, &format!("{path}[{index}]"), text, item.origin.place())?;
                    }
                }
                let tables = || items.iter().map(|item| &item.value);
                self.sums(constraint, path, place, items.len(), |key| tables().map(|table| of_key(table, key)).collect())
            }
            ResolvedValue::Map(entries) => {
                let values = || entries.iter().map(|(_, value)| &value.value);
                self.sums(constraint, path, place, entries.len(), |key| match key {
                    "*" => values().map(number).collect(),
                    key => values().map(|table| of_key(table, key)).collect(),
                })
            }
            ResolvedValue::Table(table) => {
                let values = || table.fields.iter().map(|field| &field.resolved.value);
                self.sums(constraint, path, place, table.fields.len(), |key| match key {
                    "*" => values().map(number).collect(),
                    key => values()
                        .filter(|value| matches!(value, ResolvedValue::Table(_)))
                        .map(|table| of_key(table, key))
                        .collect(),
                })
            }
            _ => Ok(()),
        }
    }

    fn report(
        &mut self,
        constraint: &Constraint,
        mut found: Diagnostic,
        path: &str,
        place: Option<Location>,
    ) -> Result<(), Spent> {
        found.key = Some(path.to_owned()).filter(|path| !path.is_empty());
        found.location = place;
        if let Some(says) = &constraint.says {
            found.help = Some(match found.help.take() {
                Some(help) => format!("{}; {help}", one_line(says)),
                None => one_line(says).into_owned(),
            });
        }
        // A finding is kept until the command ends, and is written several times.
        charge_each(found.message.len() + path.len() + found.help.as_ref().map_or(0, String::len))?;
        self.found.push(found);
        Ok(())
    }

    fn text(&mut self, constraint: &'d Constraint, path: &str, text: &str, place: Option<Location>) -> Result<(), Spent> {
        charge_bytes(path.len() + text.len())?;
        let shown = shortened(text);
        let wrong = |why: String| Diagnostic::new(&codes::DIALECT_NAME, format!("`{path}` is `{shown}`, {why}"));
        let fits = |walk: &mut Self, pattern| walk.last_used.fits(pattern, text);
        if let Some(pattern) = &constraint.pattern
            && !fits(self, pattern)?
        {
            let found = wrong(format!("which does not match the pattern `{}`", one_line(&pattern.text)));
            self.report(constraint, found, path, place)?;
        } else if let Some(pattern) = &constraint.never
            && fits(self, pattern)?
        {
            self.report(constraint, wrong(format!("which its dialect refuses: `{}`", one_line(&pattern.text))), path, place)?;
        }
        if let Some(longest) = constraint.longest
            && text.chars().count() > longest
        {
            self.report(constraint, wrong(format!("which has more than {longest} characters")), path, place)?;
        }
        if constraint.file.is_some() || constraint.has_distinct_lines {
            self.file(constraint, path, text, place)?;
        }
        if let Some(list) = &constraint.listed {
            self.listed(constraint, path, list, text, place)?;
        }
        Ok(())
    }

    fn file(&mut self, constraint: &Constraint, path: &str, text: &str, place: Option<Location>) -> Result<(), Spent> {
        let wrong = |message: String| Diagnostic::new(&codes::DIALECT_FILE, message);
        let shown = shortened(text);
        match self.named(text, constraint.file.unwrap_or(From::Project))? {
            FileSearch::Nothing => {
                let folder = match constraint.file.unwrap_or(From::Project) {
                    From::Project => "the folder of the settings",
                    From::Beside => "the folder of the config",
                };
                let found = wrong(format!("`{path}` names the file `{shown}`, which does not exist"));
                self.report(constraint, found.help(format!("the path is relative to {folder}")), path, place)
            }
            FileSearch::File(file) if constraint.has_distinct_lines => {
                let fault = match self.lines.get(&file) {
                    Some(known) => known.clone(),
                    None => {
                        let Some(content) = self.content(file.clone())? else { return Ok(()) };
                        let fault = fault_of_lines(&content)?;
                        self.lines.entry(file).or_insert(fault).clone()
                    }
                };
                match fault {
                    Some(fault) => {
                        self.report(constraint, wrong(format!("`{shown}`, which `{path}` names, {fault}")), path, place)
                    }
                    None => Ok(()),
                }
            }
            FileSearch::File(_) | FileSearch::Elsewhere => Ok(()),
        }
    }

    fn listed(
        &mut self,
        constraint: &Constraint,
        path: &str,
        list: &str,
        text: &str,
        place: Option<Location>,
    ) -> Result<(), Spent> {
        let (file, content) = match self.named(list, From::Project)? {
            FileSearch::File(file) => match self.content(file.clone())? {
                Some(content) => (file, content),
                None => return Ok(()),
            },
            FileSearch::Nothing => (PathBuf::new(), Rc::from("")),
            FileSearch::Elsewhere => return Ok(()),
        };
        let entry = (file, text.to_owned());
        let is_listed = match self.entries.get(&entry) {
            Some(known) => *known,
            None => {
                let is_listed = has_entry(&content, text)?;
                *self.entries.entry(entry).or_insert(is_listed)
            }
        };
        if is_listed {
            return Ok(());
        }
        let message = format!("`{}`, which `{path}` names, has no entry in {}", shortened(text), one_line(list));
        self.report(constraint, Diagnostic::new(&codes::DIALECT_FILE, message), path, place)
    }

    /// Checks sums of `count` values; `numbers` returns those of a key, where `None` is an unknown value.
    fn sums(
        &mut self,
        constraint: &Constraint,
        path: &str,
        place: Option<Location>,
        count: usize,
        numbers: impl Fn(&str) -> Vec<Option<f64>>,
    ) -> Result<(), Spent> {
        for (key, wanted) in &constraint.sums {
            charge_each(count.saturating_mul(4))?;
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
                self.report(constraint, Diagnostic::new(&codes::DIALECT_SUM, message), path, place)?;
            }
        }
        Ok(())
    }
}

/// The path of a key.
fn below(path: &str, key: &str) -> Result<String, Spent> {
    charge_bytes(path.len() + key.len())?;
    Ok(if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") })
}

/// Whether a string is in a list as a whole word.
fn has_entry(content: &str, text: &str) -> Result<bool, Spent> {
    charge_bytes(content.len())?;
    let is_part = |next: Option<char>| next.is_some_and(|next| next.is_alphanumeric() || matches!(next, '_' | '-'));
    let is_whole = |at: usize| !is_part(content[..at].chars().next_back()) && !is_part(content[at + text.len()..].chars().next());
    if !text.is_empty() {
        for (at, _) in content.match_indices(text) {
            charge(2)?;
            if is_whole(at) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// The error in a file whose lines must be distinct.
fn fault_of_lines(content: &str) -> Result<Option<String>, Spent> {
    let mut seen = HashMap::new();
    for (number, line) in (1..).zip(content.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        charge(OF_A_LINE)?;
        if let Some(first) = seen.insert(line.trim(), number) {
            return Ok(Some(format!("has the same line twice: lines {first} and {number}")));
        }
    }
    Ok(seen.is_empty().then(|| "is empty".to_owned()))
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
