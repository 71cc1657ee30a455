//! A config that is written in YAML: one finding, with the same values as TOML.

use std::fmt::Write as _;

use cfg_compose::{Integer, Node, Table, Value};
use cfg_diag::{Applicability, Diagnostic, Edit, FileId, Fix, Location, Span, codes};
use cfg_syntax::rewrite::KeyPath;

use crate::Request;

/// The finding for a text that is YAML, and the text as TOML. `None` for any other text, and for YAML that has no such form.
pub(crate) fn as_toml(request: &Request<'_>) -> Option<(Diagnostic, String)> {
    let Request { file, text, .. } = *request;
    if !looks_like_yaml(text) {
        return None;
    }
    let yaml = cfg_dialect::read_yaml(file, text);
    let tree = yaml.tree.filter(|tree| yaml.diagnostics.is_empty() && !tree.root.entries().is_empty())?;
    let mut toml = String::new();
    write_table(&mut toml, &mut Vec::new(), &tree.root)?;
    let toml = toml.trim_start().to_owned();
    let location = Location::new(file, Span::from(0..text.len()));
    let first = Location::new(file, Span::from(0..text.lines().next().map_or(0, str::len)));
    let found = Diagnostic::new(&codes::UNSUPPORTED_FILE, "the config is written in YAML, and prime-rl reads TOML")
        .at(first)
        .label("YAML")
        .native("TOMLDecodeError", Vec::new())
        .help("write it as TOML: `key = value`, and `[table]` in place of indentation")
        .fix("write the same values as TOML", Applicability::Safe, Edit { location, new_text: toml.clone() });
    Some((found, toml))
}

/// Gives each list that is written as YAML within TOML a fix that writes it as TOML.
pub(crate) fn mend_blocks(file: FileId, text: &str, diagnostics: &mut [Diagnostic]) {
    for found in diagnostics.iter_mut().filter(|found| found.code == &codes::INVALID_TOML && found.fix.is_none()) {
        let Some(location) = found.location else { continue };
        let Some(block) = text.get(location.span.range()).filter(|block| block.contains('\n')) else { continue };
        let Some((key, toml)) = block_as_toml(file, text, location.span, block) else { continue };
        let fix = Fix::new(format!("write `{key}` as TOML"), Applicability::Unsafe, vec![Edit { location, new_text: toml }]);
        found.fix = Some(fix);
    }
}

/// The key of a block of YAML, and the block as TOML with its comments before it. `span` is its place, from its key on.
fn block_as_toml(file: FileId, text: &str, span: Span, block: &str) -> Option<(String, String)> {
    let start = cfg_diag::line_start(text, span.start as usize);
    let indentation = &text[start..span.start as usize];
    let yaml = cfg_dialect::read_yaml(file, &format!("{indentation}{block}\n"));
    let tree = yaml.tree.filter(|_| yaml.diagnostics.is_empty())?;
    let [entry] = tree.root.entries() else { return None };
    let newline = if block.contains("\r\n") { "\r\n" } else { "\n" };
    let mut toml = String::new();
    for comment in block.lines().map(str::trim).filter(|line| line.starts_with('#')) {
        toml += &format!("{comment}{newline}{indentation}");
    }
    toml += &format!("{} = {}", KeyPath::new([&*entry.key]), inline(&entry.node.value)??);
    Some((entry.key.to_string(), toml))
}

/// Whether each line with content is one of a block of YAML, of which there are at least two keys. A line of TOML is none.
fn looks_like_yaml(text: &str) -> bool {
    let mut keys = 0;
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let line = line.trim_start_matches("- ");
        let name = line.split(':').next().unwrap_or_default();
        let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.\"'".contains(&byte));
        if is_name && line[name.len()..].starts_with(':') {
            keys += 1;
        } else if line.starts_with('[') || line.contains(" = ") {
            return false;
        }
    }
    keys >= 2
}

/// Writes the values of a table, then the tables in it. `None` if a value has no form in TOML.
fn write_table(out: &mut String, path: &mut Vec<Box<str>>, table: &Table) -> Option<()> {
    let is_header = |value: &Value| match value {
        Value::Table(_) => true,
        Value::List(items) => !items.is_empty() && items.iter().all(|item| matches!(item.value, Value::Table(_))),
        _ => false,
    };
    for entry in table.entries().iter().filter(|entry| !is_header(&entry.node.value)) {
        // Null is a key that is left out.
        if let Some(value) = inline(&entry.node.value)? {
            let _ = writeln!(out, "{} = {value}", KeyPath::new([&*entry.key]));
        }
    }
    for entry in table.entries() {
        path.push(entry.key.clone());
        match &entry.node.value {
            Value::Table(inner) => {
                let _ = writeln!(out, "\n[{}]", KeyPath::new(path.iter().map(|key| &**key)));
                write_table(out, path, inner)?;
            }
            value @ Value::List(items) if is_header(value) => {
                for item in items.iter().filter_map(|item: &Node| item.value.as_table()) {
                    let _ = writeln!(out, "\n[[{}]]", KeyPath::new(path.iter().map(|key| &**key)));
                    write_table(out, path, item)?;
                }
            }
            _ => {}
        }
        path.pop();
    }
    Some(())
}

/// A value on one line; `Some(None)` for null.
#[expect(clippy::option_option, reason = "null, and what has no form, are different")]
fn inline(value: &Value) -> Option<Option<String>> {
    Some(Some(match value {
        Value::Null => return Some(None),
        Value::Bool(boolean) => boolean.to_string(),
        Value::Int(Integer::Small(small)) => small.to_string(),
        Value::Int(Integer::Big(_)) | Value::Unknown => return None,
        Value::Float(float) if float.is_nan() => "nan".to_owned(),
        Value::Float(float) if float.is_infinite() => if *float > 0.0 { "inf" } else { "-inf" }.to_owned(),
        Value::Float(float) => format!("{float:?}"),
        Value::Str(text) => cfg_syntax::rewrite::Literal::text(text).to_string(),
        Value::Datetime(datetime) => datetime.to_string(),
        Value::List(items) => {
            let items: Option<Vec<String>> = items.iter().map(|item| inline(&item.value)?).collect();
            format!("[{}]", items?.join(", "))
        }
        Value::Table(table) => {
            let mut pairs = Vec::new();
            for entry in table.entries() {
                if let Some(value) = inline(&entry.node.value)? {
                    pairs.push(format!("{} = {value}", KeyPath::new([&*entry.key])));
                }
            }
            format!("{{ {} }}", pairs.join(", "))
        }
    }))
}

#[cfg(test)]
mod tests {
    use cfg_diag::codes;

    use crate::{Request, Session, Verdict, apply, check};

    fn request(text: &str) -> Request<'_> {
        Request::new("rl.toml", text)
    }

    #[test]
    fn a_list_of_yaml_within_toml_is_written_as_toml() {
        let text = "[orchestrator]\nenv:\n  # first\n  - id: a\n    args:\n      n: 1\n  - id: b\nbatch_size = 8\n[trainer]\n";
        let offered = |text: &str| -> Vec<Option<cfg_diag::Fix>> {
            let found = check(&Session::default(), request(text)).diagnostics.into_iter();
            found.filter(|found| found.code == &codes::INVALID_TOML).map(|found| found.fix).collect()
        };
        let found = offered(text);
        let [Some(fix)] = &*found else { panic!("{found:?}") };
        let fixed = apply(text, &fix.edits).expect("it fits");
        let list = "# first\nenv = [{ id = \"a\", args = { n = 1 } }, { id = \"b\" }]";
        assert_eq!(fixed, format!("[orchestrator]\n{list}\nbatch_size = 8\n[trainer]\n"));
        let broken = "[orchestrator]\nenv:\n  - id: [a\n  - b\n[trainer]\n";
        let found = offered(broken);
        assert!(!found.is_empty() && found.iter().all(Option::is_none), "{found:?}");
    }

    #[test]
    fn yaml_is_one_finding_with_the_same_values_as_toml() {
        let text = "# a run\nmax_steps: 100\nmodel:\n  name: \"Qwen/Qwen3-0.6B\"\ntrainer:\n  optim:\n    lr: 1.0e-6\norchestrator:\n  env:\n    - id: a/b\n";
        let checked = check(&Session::default(), request(text));
        assert_eq!(checked.verdict, Verdict::Rejected);
        let [found] = &*checked.diagnostics else { panic!("{:?}", checked.diagnostics) };
        assert_eq!(found.code, &codes::UNSUPPORTED_FILE);
        let fixed = apply(text, &found.fix.as_ref().expect("a fix").edits).expect("it fits");
        assert_eq!(
            fixed,
            "max_steps = 100\n\n[model]\nname = \"Qwen/Qwen3-0.6B\"\n\n[trainer]\n\n[trainer.optim]\nlr = 1e-6\n\n[orchestrator]\n\n[[orchestrator.env]]\nid = \"a/b\"\n"
        );
        for toml in ["max_steps = 1\n[trainer]\n[orchestrator]\n", "a: 1\nb = 2\n", "max_steps: 100\n[trainer]\n[orchestrator]\n"]
        {
            let checked = check(&Session::default(), request(toml));
            assert!(checked.diagnostics.iter().all(|found| found.code != &codes::UNSUPPORTED_FILE), "{toml}");
        }
    }
}
