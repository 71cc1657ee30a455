//! Reads a schema that a project declares.

use std::collections::{HashMap, HashSet};

use cfg_meter::{Allowance, Meter};
use cfg_resolve::Names;
use cfg_schema::{Kind, Node, Point, Schema, compiler::Field};

use crate::{
    consistency,
    constraint::{Constraint, PatternSpace},
};

/// A declared schema.
#[derive(Debug)]
pub struct Declared {
    pub(crate) schema: Schema,
    pub(crate) names: Names,
    pub(crate) constraints: HashMap<Node, Constraint>,
}

/// An error in a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Its line, counted from 1.
    pub line: Option<usize>,
    /// The message.
    pub message: String,
}

/// The maximum number of fields in a schema.
const MAX_FIELDS: usize = 2_000;

/// The maximum size of a schema in bytes: it is written by hand.
const MAX_BYTES: usize = 1 << 20;

/// The name by which a schema shares its own fields: `fields of dialect:data`.
const OWN: &str = "dialect";

impl Declared {
    /// Reads the text of a schema: fields in the notation of the schema history, with `..` for all intervals, and the lines of
    /// their constraints.
    ///
    /// # Errors
    /// The first error.
    pub fn read(text: &str) -> Result<Self, Fault> {
        if text.len() > MAX_BYTES {
            return Err(Fault { line: None, message: "it is larger than 1 MiB".to_owned() });
        }
        let _meter = Meter::begin(Allowance::CONFIG);
        let no_commit = |sha: &str| Err(format!("`{sha}`: the interval of a field in a dialect must be `..`"));
        let mut fields = cfg_schema::compiler::parse(text, &no_commit).map_err(|error| Fault::numbered(&error))?;
        if fields.len() > MAX_FIELDS {
            return Err(Fault { line: None, message: format!("it has more than {MAX_FIELDS} fields") });
        }
        if let Some((line, name)) = twice(text) {
            return Err(Fault {
                line: Some(line),
                message: format!("duplicate `{name}`: of the checks, only `sum` can be used several times"),
            });
        }
        let mut checks: HashMap<String, Constraint> = HashMap::new();
        let mut space = PatternSpace::default();
        for field in &mut fields {
            if let Some(constraint) =
                take_checks(field, &mut space).map_err(|message| Fault { line: Some(field.line), message })?
            {
                checks.insert(field.path.clone(), constraint);
            }
        }
        consistency::fault(&fields, &checks).map_err(|(line, message)| Fault { line: Some(line), message })?;
        let root = cfg_schema::compiler::compile_class(&fields, &[]).map_err(|error| Fault::numbered(&error))?;
        let schema = Schema { history: root.history(), kind: Kind::ALL[0], point: Point(0) };
        let at = |(path, constraint): (String, Constraint)| Some((cfg_schema::compiler::node_at(root, &path)?, constraint));
        Ok(Self { schema, names: Names::new(schema), constraints: checks.into_iter().filter_map(at).collect() })
    }
}

impl Fault {
    /// Splits the line number from a message: `12: duplicate`, or `12:duplicate`.
    fn numbered(error: &str) -> Self {
        let numbered = error.split_once(':').and_then(|(line, message)| Some((line.parse().ok()?, message.trim_start())));
        match numbered {
            Some((line, message)) => Self { line: Some(line), message: message.to_owned() },
            None => Self { line: None, message: error.to_owned() },
        }
    }
}

/// The first constraint that a field has twice, with its line. The notation treats two lines of the same name as one.
fn twice(text: &str) -> Option<(usize, &str)> {
    let mut seen: HashSet<&str> = HashSet::new();
    for (index, line) in text.lines().enumerate() {
        match line.strip_prefix("    ").and_then(|line| line.split_once(": ")) {
            Some(("sum", _)) => {}
            Some((name, _)) if !seen.insert(name) => return Some((index + 1, name)),
            Some(_) => {}
            None if line.starts_with(' ') => {}
            None => seen.clear(),
        }
    }
    None
}

/// Takes the constraints out of a field. The history has prime-rl's validators in their place.
fn take_checks(field: &mut Field, space: &mut PatternSpace) -> Result<Option<Constraint>, String> {
    if let Some((kind, _)) = &mut field.like {
        if kind != OWN {
            return Err(format!("write `fields of {OWN}:PATH`"));
        }
        cfg_schema::compiler::KINDS[0].clone_into(kind);
    }
    let [interval] = field.intervals.as_mut_slice() else {
        return if field.intervals.is_empty() { Ok(None) } else { Err("a field must have exactly one type".to_owned()) };
    };
    let mut lines: Vec<(String, String)> = Vec::new();
    for (name, text) in std::mem::take(&mut interval.validators) {
        match lines.last_mut() {
            // The notation splits lines at commas, which a pattern may contain.
            Some((last, whole)) if *last == name && name != "sum" => {
                whole.push_str(", ");
                whole.push_str(&text);
            }
            _ => lines.push((name, text)),
        }
    }
    if lines.is_empty() {
        return Ok(None);
    }
    let mut constraint = Constraint::default();
    for (name, text) in &lines {
        constraint.add(name, text, space)?;
    }
    Ok(Some(constraint))
}

#[cfg(test)]
mod tests {
    use super::Declared;

    fn fault(text: &str) -> (Option<usize>, String) {
        let fault = Declared::read(text).map(|_| ()).expect_err(text);
        (fault.line, fault.message)
    }

    #[test]
    fn a_schema_has_types_bounds_sharing_and_checks() {
        let text = "(root)\n  ..  root(forbid)\n\na\n  ..  table(forbid)\n\na.name\n  ..  str(min_length 1)  ; required\n    pattern: [a-z]{1,3}(, [a-z]{1,3})?\n\nb\n  ..  table(forbid)\n  fields of dialect:a\n";
        let declared = Declared::read(text).expect("it is well formed");
        assert_eq!(declared.constraints.len(), 1);
        let constraint = declared.constraints.values().next().expect("one");
        let pattern = constraint.pattern.as_ref().expect("a pattern");
        let mut last_used = crate::constraint::LastUsed::default();
        let fits = ["abc, d", "abcd", "abc\n"].map(|text| last_used.fits(pattern, text));
        assert_eq!(fits, [Ok(true), Ok(false), Ok(false)]);
    }

    #[test]
    fn errors_in_a_schema_have_their_line() {
        assert_eq!(fault("a\n  ..  strr\n").0, Some(2));
        assert_eq!(fault("(root)\n  ..  root(forbid)\n\na\n  ..  str\n    patern: x\n").0, Some(4));
        assert_eq!(fault("(root)\n  ..  root(forbid)\n\na\n  ..  str\n    pattern: (\n").0, Some(4));
        assert_eq!(fault("(root)\n  ..  root(forbid)\n\na\n  ..  str\n\na\n  ..  int\n").0, Some(7));
        assert_eq!(fault("a\n  ..  str\n"), (None, "`(root)` is missing".to_owned()));
        assert_eq!(fault("a\n  559b44772..  str\n").0, Some(2));
        assert_eq!(fault("(root)\n  ..  root(forbid)\n\na\n  ..  table(forbid)\n  fields of rl:trainer\n").0, Some(4));
        // A table that contains itself.
        let endless = "(root)\n  ..  root(forbid)\n\na\n  ..  table(forbid)\n\na.b\n  ..  table(forbid)\n  fields of dialect:a\n";
        assert_eq!(fault(endless), (None, "a table contains itself".to_owned()));
    }
}
