//! Parses the lines of a `.schema` file, which `schemas/README.md` describes.

use crate::compiler::types::{self, Type};

/// Finds the index of a schema commit by its first nine digits.
type IndexOf<'f> = &'f dyn Fn(&str) -> Result<u16, String>;

/// A field: its path and its properties over time.
#[derive(Clone, Debug, Default)]
pub struct Field {
    /// Its path: `optim<type=adamw>.lr`.
    pub path: String,
    /// Its properties over time, oldest first.
    pub intervals: Vec<Interval>,
    /// The `KIND:PATH` of the field whose children it shares.
    pub like: Option<(String, String)>,
    /// Its line in the source.
    pub line: usize,
}

/// The properties of a field over a range of schema commits.
#[derive(Clone, Debug)]
pub struct Interval {
    /// The first schema commit to which it applies.
    pub since: u16,
    /// The first schema commit to which it no longer applies; `None` if it still applies.
    pub until: Option<u16>,
    /// The type of its value.
    pub ty: Type,
    /// The default as JSON.
    pub default: Option<String>,
    /// Whether a config must set the field.
    pub required: bool,
    /// Whether the default is computed by a function at each load.
    pub factory: bool,
    /// Whether the field is left out of the resolved config.
    pub hidden: bool,
    /// The variant of the default: a JSON string, or a list of them.
    pub variant: Option<String>,
    /// The keys that a config may use for the field, in order of preference.
    pub aliases: Vec<String>,
    /// The prefix of the environment variables that the class reads.
    pub settings: Option<String>,
    /// The mode and name of each validator: `("before field", "empty_str_to_none(*)")`.
    pub validators: Vec<(String, String)>,
}

impl Interval {
    /// An interval that applies to all points and has only a type.
    pub const fn plain(ty: Type) -> Self {
        Self {
            since: 0,
            until: None,
            ty,
            default: None,
            required: false,
            factory: false,
            hidden: false,
            variant: None,
            aliases: Vec::new(),
            settings: None,
            validators: Vec::new(),
        }
    }
}

/// The maximum number of fields in a text. prime-rl has some thousand.
const MAX_FIELDS: usize = 50_000;

/// Parses all fields. An error begins with the number of the line.
pub fn parse(source: &str, index_of: IndexOf<'_>) -> Result<Vec<Field>, String> {
    let mut fields: Vec<Field> = Vec::new();
    for (index, line) in source.lines().enumerate() {
        let number = index + 1;
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let outcome = match line.len() - line.trim_start().len() {
            0 if fields.len() >= MAX_FIELDS => Err(format!("more than {MAX_FIELDS} fields")),
            0 => {
                let path = if line == "(root)" { "" } else { line };
                fields.push(Field { path: path.to_owned(), line: number, ..Field::default() });
                Ok(())
            }
            _ => fields
                .last_mut()
                .ok_or("an interval must follow the path of a field".to_owned())
                .and_then(|field| detail(field, line, index_of)),
        };
        outcome.map_err(|message| format!("{number}: {message}"))?;
    }
    Ok(fields)
}

fn detail(field: &mut Field, line: &str, index_of: IndexOf<'_>) -> Result<(), String> {
    if let Some(like) = line.strip_prefix("  fields of ") {
        let (kind, path) = like.split_once(':').ok_or("write `fields of KIND:PATH`")?;
        let path = if path == "(root)" { "" } else { path };
        field.like = Some((kind.to_owned(), path.to_owned()));
        return Ok(());
    }
    if let Some(validators) = line.strip_prefix("    ") {
        let (mode, names) = validators.split_once(": ").ok_or("write `MODE: names`")?;
        let last = field.intervals.last_mut().ok_or("validators must follow an interval")?;
        last.validators.extend(names.split(", ").map(|name| (mode.to_owned(), name.to_owned())));
        return Ok(());
    }
    let interval = interval(line.trim_start(), index_of)?;
    if let Some(before) = field.intervals.last()
        && before.until.is_none_or(|until| until > interval.since)
    {
        return Err("it begins before the previous interval ends".to_owned());
    }
    field.intervals.push(interval);
    Ok(())
}

fn interval(line: &str, index_of: IndexOf<'_>) -> Result<Interval, String> {
    let (range, rest) = line.split_once("  ").ok_or("write two spaces between the commits and the type")?;
    let (since, until) = range.split_once("..").ok_or("write `SINCE..UNTIL`")?;
    let (ty, rest) = types::parse(rest.trim_start())?;
    let mut interval = Interval {
        since: if since.is_empty() { 0 } else { index_of(since)? },
        until: if until.is_empty() { None } else { Some(index_of(until)?) },
        ..Interval::plain(ty)
    };
    let mut rest = rest;
    if let Some(value) = rest.strip_prefix(" = ") {
        let mut stream = serde_json::Deserializer::from_str(value).into_iter::<serde_json::Value>();
        stream.next().ok_or("the default is missing")?.map_err(|error| format!("the default: {error}"))?;
        let (json, after) = value.split_at(stream.byte_offset());
        interval.default = Some(json.to_owned());
        rest = after;
    }
    let Some(attributes) = rest.strip_prefix("  ; ") else {
        return if rest.is_empty() { Ok(interval) } else { Err(format!("can't parse `{rest}`")) };
    };
    for attribute in attributes.split("; ") {
        match attribute.split_once(' ') {
            None if attribute == "required" => interval.required = true,
            None if attribute == "factory" => interval.factory = true,
            None if attribute == "hidden" => interval.hidden = true,
            Some(("variant", json)) => interval.variant = Some(json.to_owned()),
            Some(("alias", keys)) => interval.aliases = keys.split('|').map(str::to_owned).collect(),
            Some(("settings", prefix)) => interval.settings = Some(prefix.to_owned()),
            _ => return Err(format!("unknown attribute `{attribute}`")),
        }
    }
    Ok(interval)
}
