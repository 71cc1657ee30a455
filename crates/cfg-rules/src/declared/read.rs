//! Reads a declaration. Invalid parts are recorded in it and omitted.

use cfg_diag::{FileId, Severity};
use cfg_schema::ExtraType;
use cfg_syntax::{Dialect, Integer, Table, Value, ValueKind};

use super::{Conflict, Curriculum, Declared, DeclaredArg, Meaning, Others};

/// The errors in a declaration: the key, and the reason.
type Problems = Vec<(String, String)>;

impl Declared {
    /// Reads the TOML of a declaration.
    pub fn read(text: &str) -> Self {
        let (document, faults) = cfg_syntax::parse(FileId(0), text, Dialect::Toml11);
        let mut declared = Self::default();
        let mut problems: Problems = faults.into_iter().map(|fault| (String::new(), fault.message)).collect();
        for entry in &document.root.entries {
            let (key, value) = (&*entry.key.text, &entry.value);
            let wrong = match key {
                "args" => each(value, |name, table| declared.args.push(arg(name, table, &mut problems))),
                "other_args" => {
                    choice(value, &[("ignored", Others::Ignored), ("refused", Others::Refused)], &mut declared.others)
                }
                "curriculum" => {
                    let forms = [("samples", Curriculum::Samples), ("ignored", Curriculum::Ignored)];
                    choice(value, &forms, &mut declared.curriculum)
                }
                "tools" => store(value.as_bool().map(Some), &mut declared.tools, "`true` or `false`"),
                "input_tokens" => store(count(value).map(Some), &mut declared.input_tokens, "a number of tokens, at least 1"),
                "cut_answers" => store(count(value).map(Some), &mut declared.cut_answers, "a number of tokens, at least 1"),
                "passed_on" => store(texts(value), &mut declared.passed_on, "an array of names"),
                "difficulties" => store(texts(value), &mut declared.difficulties, "an array of names"),
                "broken" => store(pairs(value, string), &mut declared.broken, "a table of versions with reasons"),
                "never" => {
                    let conflicts = tables(value).map(|tables| tables.into_iter().filter_map(conflict).collect());
                    store(conflicts, &mut declared.conflicts, "an array of tables")
                }
                _ => Some("unknown key".to_owned()),
            };
            problems.extend(wrong.map(|wrong| (key.to_owned(), wrong)));
        }
        let incomplete = document.root.get("never").and_then(|entry| tables(&entry.value)).map_or(0, |tables| tables.len());
        if incomplete > declared.conflicts.len() {
            problems.push(("never".to_owned(), "each needs `when`, `says` and `instead`".to_owned()));
        }
        declared.problems = problems;
        declared
    }
}

fn arg(name: &str, table: &Table, problems: &mut Problems) -> DeclaredArg {
    let mut arg = DeclaredArg { name: name.to_owned(), ..DeclaredArg::default() };
    for entry in &table.entries {
        let (key, value) = (&*entry.key.text, &entry.value);
        let wrong = match key {
            "type" => match string(value).map(|text| text.parse::<ExtraType>()) {
                Some(Ok(type_)) => store(Some(Some(type_)), &mut arg.type_, ""),
                _ => Some("not a type; write for example `int`, `str?` or `literal(\"a\", \"b\")`".to_owned()),
            },
            "default" => store(plain(value).map(Some), &mut arg.default, "a plain value"),
            "min" => store(number(value).map(Some), &mut arg.min, "a number"),
            "above" => store(number(value).map(Some), &mut arg.above, "a number"),
            "refused" => store(value.as_bool(), &mut arg.refused, "`true` or `false`"),
            "required" => store(value.as_bool(), &mut arg.required, "`true` or `false`"),
            "ignored" => store(string(value).map(Some), &mut arg.ignored, "a reason"),
            "train" => store(texts(value), &mut arg.train, "an array of values"),
            "eval" => store(texts(value), &mut arg.eval, "an array of values"),
            "seconds" => store(pairs(value, number), &mut arg.seconds, "a table of values with seconds"),
            "means" => {
                let forms = [
                    ("examples", Meaning::Examples),
                    ("answer_tokens", Meaning::AnswerTokens),
                    ("tool_calls", Meaning::ToolCalls),
                ];
                choice(value, &forms, &mut arg.means)
            }
            _ => Some("an argument has no such key".to_owned()),
        };
        problems.extend(wrong.map(|wrong| (format!("args.{name}.{key}"), wrong)));
    }
    arg
}

fn conflict(table: &Table) -> Option<Conflict> {
    let of = |key: &str| table.get(key).map(|entry| &entry.value);
    let severity = match of("severity").and_then(string).as_deref() {
        Some("error") => Severity::Error,
        Some("info") => Severity::Info,
        _ => Severity::Warning,
    };
    Some(Conflict {
        when: pairs(of("when")?, |value| texts(value).or_else(|| Some(vec![plain(value)?])))?,
        unset: of("unset").and_then(texts).unwrap_or_default(),
        says: of("says").and_then(string)?,
        instead: of("instead").and_then(string)?,
        severity,
    })
}

/// Stores a value; if there is none, returns a message about what was expected.
fn store<T>(value: Option<T>, into: &mut T, wanted: &str) -> Option<String> {
    match value {
        Some(value) => {
            *into = value;
            None
        }
        None => Some(format!("it must be {wanted}")),
    }
}

fn choice<T: Copy>(value: &Value, forms: &[(&str, T)], into: &mut Option<T>) -> Option<String> {
    let text = string(value).unwrap_or_default();
    let found = forms.iter().find(|(name, _)| *name == text).map(|(_, form)| Some(*form));
    let names: Vec<String> = forms.iter().map(|(name, _)| format!("{name:?}")).collect();
    store(found, into, &names.join(" or "))
}

/// Calls `of` with the name and content of each table in a table.
fn each(value: &Value, mut of: impl FnMut(&str, &Table)) -> Option<String> {
    let ValueKind::Table(table) = &value.kind else { return Some("it must be a table".to_owned()) };
    let mut wrong = None;
    for entry in &table.entries {
        match &entry.value.kind {
            ValueKind::Table(table) => of(&entry.key.text, table),
            _ => wrong = Some(format!("`{}` must be a table", entry.key.text)),
        }
    }
    wrong
}

fn tables(value: &Value) -> Option<Vec<&Table>> {
    let ValueKind::Array(items) = &value.kind else { return None };
    let table = |item: &Value| if let ValueKind::Table(_) = item.kind { Some(()) } else { None };
    items.iter().all(|item| table(item).is_some()).then(|| {
        items.iter().filter_map(|item| if let ValueKind::Table(table) = &item.kind { Some(table) } else { None }).collect()
    })
}

fn pairs<T>(value: &Value, of: impl Fn(&Value) -> Option<T>) -> Option<Vec<(String, T)>> {
    let table = value.as_table()?;
    table.entries.iter().map(|entry| Some((entry.key.text.to_string(), of(&entry.value)?))).collect()
}

fn texts(value: &Value) -> Option<Vec<String>> {
    let ValueKind::Array(items) = &value.kind else { return None };
    items.iter().map(plain).collect()
}

fn string(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn count(value: &Value) -> Option<i64> {
    if let ValueKind::Integer(Integer::Small(count @ 1..)) = value.kind { Some(count) } else { None }
}

#[expect(clippy::cast_precision_loss, reason = "bounds are small numbers")]
fn number(value: &Value) -> Option<f64> {
    match value.kind {
        ValueKind::Integer(Integer::Small(number)) => Some(number as f64),
        ValueKind::Float(number) => Some(number),
        _ => None,
    }
}

/// A plain value as text, in the same form in which `text_of` writes those of a config.
fn plain(value: &Value) -> Option<String> {
    match &value.kind {
        ValueKind::String(text) => Some(text.to_string()),
        ValueKind::Boolean(boolean) => Some(boolean.to_string()),
        ValueKind::Integer(Integer::Small(number)) => Some(number.to_string()),
        ValueKind::Float(number) => Some(format!("{number:?}")),
        _ => None,
    }
}

/// A key in TOML notation.
pub(super) fn quoted(key: &str) -> String {
    let is_bare = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    if is_bare { key.to_owned() } else { format!("{key:?}") }
}

#[cfg(test)]
mod tests {
    use cfg_schema::ExtraType;

    use crate::declared::{Curriculum, Declared, Meaning, Others};

    #[test]
    fn every_declaration_of_this_program_is_right() {
        for id in Declared::known() {
            let declared = Declared::built_in(id).expect("it is known");
            assert_eq!(declared.problems, [], "{id}");
            assert!(!declared.args.is_empty(), "{id}");
            let names = declared.conflicts.iter().flat_map(|conflict| {
                conflict
                    .when
                    .iter()
                    .map(|(name, values)| (name, values.as_slice()))
                    .chain(conflict.unset.iter().map(|name| (name, &[][..])))
            });
            for (name, values) in names {
                let arg = declared.arg(name).unwrap_or_else(|| panic!("{id} has no `{name}`"));
                if let Some(ExtraType::Literal(choices)) = &arg.type_ {
                    assert!(values.iter().all(|value| choices.contains(value)), "{id}: {name} is never one of {values:?}");
                }
            }
        }
    }

    #[test]
    fn a_declaration_is_read() {
        let text = r#"
            other_args = "refused"
            curriculum = "samples"
            tools = false
            input_tokens = 1300
            cut_answers = 768
            broken = { "1.0" = "it crashes" }
            args = { split = { type = 'literal("a", "b")', default = "a", train = ["b"] }, n = { type = "int?", min = 1, means = "examples" } }
            never = [{ when = { split = "a", n = [1, 2] }, unset = ["m"], says = "no", instead = "yes", severity = "error" }]
        "#;
        let declared = Declared::read(text);
        assert_eq!(declared.problems, []);
        assert_eq!((declared.others, declared.curriculum), (Some(Others::Refused), Some(Curriculum::Samples)));
        assert_eq!((declared.tools, declared.input_tokens), (Some(false), Some(1300)));
        assert_eq!(declared.cut_answers, Some(768));
        assert_eq!(declared.meaning(Meaning::Examples).map(|arg| (&*arg.name, arg.min)), Some(("n", Some(1.0))));
        assert_eq!(declared.conflicts[0].when[1], ("n".to_owned(), vec!["1".to_owned(), "2".to_owned()]));
        assert_eq!(declared.broken, [("1.0".to_owned(), "it crashes".to_owned())]);
    }

    #[test]
    fn unusable_declarations_are_reported() {
        let text = "args.n = { type = \"integer\", least = 1 }\nother_args = 3\nfoo = 1\nnever = [{ says = \"x\" }]\nargs.m = 2\ninput_tokens = 0\n";
        let keys: Vec<String> = Declared::read(text).problems.into_iter().map(|(key, _)| key).collect();
        assert_eq!(keys, ["args.n.type", "args.n.least", "args", "other_args", "foo", "input_tokens", "never"]);
        assert!(!Declared::read("= [").problems.is_empty());
    }
}
