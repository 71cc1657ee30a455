//! A schema that a project declares, from its text.

use std::collections::HashMap;

use cfg_history::Field;
use cfg_resolve::Names;
use cfg_schema::{Kind, Node, Point, Schema};

use crate::constraint::Constraint;

/// A declared schema.
#[derive(Debug)]
pub struct Declared {
    pub(crate) schema: Schema,
    pub(crate) names: Names,
    pub(crate) constraints: HashMap<Node, Constraint>,
}

/// What is wrong in a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// In which line, counted from 1.
    pub line: Option<usize>,
    /// What, in a sentence.
    pub message: String,
}

/// Longer schemas are not read.
const MOST_FIELDS: usize = 10_000;

/// How a schema names itself where it shares fields: `fields of dialect:data`.
const OWN: &str = "dialect";

impl Declared {
    /// Reads the text of a schema: fields in the notation of the schema history, whose intervals all are `..`, with the lines of
    /// their checks.
    ///
    /// # Errors
    /// The first fault.
    pub fn read(text: &str) -> Result<Self, Fault> {
        let no_commit = |sha: &str| Err(format!("`{sha}`: a field of a dialect holds over `..`"));
        let mut fields = cfg_history::parse(text, &no_commit).map_err(|error| Fault::numbered(&error))?;
        if fields.len() > MOST_FIELDS {
            return Err(Fault { line: None, message: format!("it has more than {MOST_FIELDS} fields") });
        }
        let mut checks: Vec<(String, Constraint)> = Vec::new();
        for field in &mut fields {
            if let Some(constraint) = take_checks(field).map_err(|message| Fault { line: Some(field.line), message })? {
                checks.push((field.path.clone(), constraint));
            }
        }
        let root = cfg_history::compile_class(fields, &[]).map_err(|error| Fault::numbered(&error))?;
        let schema = Schema { history: root.history(), kind: Kind::ALL[0], point: Point(0) };
        let at = |(path, constraint): (String, Constraint)| Some((cfg_history::node_at(root, &path)?, constraint));
        Ok(Self { schema, names: Names::new(schema), constraints: checks.into_iter().filter_map(at).collect() })
    }
}

impl Fault {
    /// The line stands before the message: `12: duplicate`, or `12:duplicate`.
    fn numbered(error: &str) -> Self {
        let numbered = error.split_once(':').and_then(|(line, message)| Some((line.parse().ok()?, message.trim_start())));
        match numbered {
            Some((line, message)) => Self { line: Some(line), message: message.to_owned() },
            None => Self { line: None, message: error.to_owned() },
        }
    }
}

/// Takes the checks of a field out of it, where the history has prime-rl's validators.
fn take_checks(field: &mut Field) -> Result<Option<Constraint>, String> {
    if let Some((kind, _)) = &mut field.like {
        if kind != OWN {
            return Err(format!("write `fields of {OWN}:PATH`"));
        }
        cfg_history::KINDS[0].clone_into(kind);
    }
    let [interval] = field.intervals.as_mut_slice() else {
        return if field.intervals.is_empty() { Ok(None) } else { Err("a field has one type".to_owned()) };
    };
    if interval.settings.is_some() {
        return Err("a dialect reads no environment".to_owned());
    }
    let mut lines: Vec<(String, String)> = Vec::new();
    for (name, text) in std::mem::take(&mut interval.validators) {
        match lines.last_mut() {
            // The notation splits at commas, which may be part of a pattern.
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
        constraint.add(name, text)?;
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
        assert!(pattern.fits("abc, d") && !pattern.fits("abcd") && !pattern.fits("abc\n"));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
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
