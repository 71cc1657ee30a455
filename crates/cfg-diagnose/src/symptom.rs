//! The symptoms, read from `schemas/symptoms/`.

use std::sync::LazyLock;

use cfg_diag::{Code, FileId, Severity, codes};
use cfg_syntax::{Dialect, Table, Value};

use crate::pattern::Pattern;

/// The files, in the order in which their symptoms are reported.
const FILES: [(&str, &str); 9] = [
    ("config.toml", include_str!("../../../schemas/symptoms/config.toml")),
    ("memory.toml", include_str!("../../../schemas/symptoms/memory.toml")),
    ("model.toml", include_str!("../../../schemas/symptoms/model.toml")),
    ("context.toml", include_str!("../../../schemas/symptoms/context.toml")),
    ("machine.toml", include_str!("../../../schemas/symptoms/machine.toml")),
    ("training.toml", include_str!("../../../schemas/symptoms/training.toml")),
    ("processes.toml", include_str!("../../../schemas/symptoms/processes.toml")),
    ("software.toml", include_str!("../../../schemas/symptoms/software.toml")),
    ("hub.toml", include_str!("../../../schemas/symptoms/hub.toml")),
];

/// A known trace of a failure in logs.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "the flags of an entry of the table")]
pub struct Symptom {
    /// Its name, in kebab case; stable.
    pub name: Box<str>,
    /// The program that writes it.
    pub by: Box<str>,
    /// How bad it is.
    pub severity: Severity,
    /// The rules that would have warned before the run, the most likely first.
    pub rules: Vec<Code>,
    /// The settings that are involved, as paths of the plan, the most likely first.
    pub keys: Vec<Box<str>>,
    /// What happened.
    pub cause: Box<str>,
    /// What to do about it.
    pub repair: Box<str>,
    /// The versions in which it occurs; `None` for all.
    pub versions: Option<Box<str>>,
    /// Whether it is reported only if nothing else was found.
    pub weak: bool,
    /// Whether it counts only near signs of training.
    pub generic: bool,
    /// Whether a line next to it names the key.
    pub names_key: bool,
    /// Whether a run survives it, as it does a failed rollout: then it counts if it is frequent.
    pub is_survivable: bool,
    /// Whether it ends the whole run: what a log shows after it had been buffered.
    pub ends: bool,
    /// Whether a process usually shows it because another one ended before.
    pub follows: bool,
    /// The symptom that it is if a server for inference wrote the line.
    pub at_server: Option<Box<str>>,
    /// The symptom whose line says more of the same fault: where the same log has that, this one is not reported.
    pub yields_to: Option<Box<str>>,
    /// The texts as they are written, for `docs/symptoms.md`.
    pub lines: Vec<Box<str>>,
    pub(crate) patterns: Vec<Pattern>,
    pub(crate) unless: Vec<Pattern>,
}

/// All symptoms.
pub fn all() -> &'static [Symptom] {
    static ALL: LazyLock<Vec<Symptom>> = LazyLock::new(|| read().0);
    &ALL
}

pub(crate) fn named(name: &str) -> Option<&'static Symptom> {
    all().iter().find(|symptom| &*symptom.name == name)
}

/// Reads all files. Entries that can't be used are reported and left out.
fn read() -> (Vec<Symptom>, Vec<String>) {
    let (mut symptoms, mut problems) = (Vec::new(), Vec::new());
    for (file, text) in FILES {
        let (document, faults) = cfg_syntax::parse(FileId(0), text, Dialect::Toml10);
        problems.extend(faults.iter().map(|fault| format!("{file}: {}", fault.message)));
        for entry in &document.root.entries {
            match entry.value.as_table() {
                Some(table) => symptoms.push(symptom(&entry.key.text, table, &mut problems)),
                None => problems.push(format!("{file}: `{}` is not a table", entry.key.text)),
            }
        }
    }
    (symptoms, problems)
}

fn symptom(name: &str, table: &Table, problems: &mut Vec<String>) -> Symptom {
    let mut problem = |what: String| problems.push(format!("{name}: {what}"));
    let text = |key: &str| table.value(key).and_then(Value::as_str).map(Box::<str>::from);
    let texts = |key: &str| -> Vec<Box<str>> {
        table.value(key).map_or(&[][..], Value::items).iter().filter_map(Value::as_str).map(Into::into).collect()
    };
    let flag = |key: &str| table.value(key).and_then(Value::as_bool) == Some(true);
    let severity = match text("severity").as_deref() {
        None | Some("error") => Severity::Error,
        Some("warning") => Severity::Warning,
        Some(other) => {
            problem(format!("unknown severity `{other}`"));
            Severity::Error
        }
    };
    for entry in &table.entries {
        if !KEYS.contains(&&*entry.key.text) {
            problem(format!("unknown key `{}` in a symptom", entry.key.text));
        }
    }
    let mut code = |name: &str| {
        let code = codes::find(name);
        if code.is_none() {
            problem(format!("unknown code `{name}`"));
        }
        code
    };
    let rules = texts("rules").iter().filter_map(|name| code(name)).collect();
    let patterns = |key: &str| texts(key).iter().filter_map(|line| Pattern::read(line)).collect::<Vec<_>>();
    let symptom = Symptom {
        name: name.into(),
        by: text("by").unwrap_or_default(),
        severity,
        rules,
        keys: texts("keys"),
        cause: text("cause").unwrap_or_default(),
        repair: text("repair").unwrap_or_default(),
        versions: text("versions"),
        weak: flag("weak"),
        generic: flag("generic"),
        names_key: flag("names_key"),
        is_survivable: flag("survivable"),
        ends: flag("ends"),
        follows: flag("follows"),
        at_server: text("at_server"),
        yields_to: text("yields_to"),
        patterns: patterns("lines"),
        unless: patterns("unless"),
        lines: texts("lines"),
    };
    if flag("state") != symptom.patterns.is_empty() || symptom.patterns.len() != symptom.lines.len() {
        problem("it needs `lines` with text, or `state`".to_owned());
    }
    if symptom.cause.is_empty() || symptom.repair.is_empty() || symptom.by.is_empty() {
        problem("it needs `by`, `cause` and `repair`".to_owned());
    }
    symptom
}

/// The keys of a symptom's table.
const KEYS: [&str; 18] = [
    "lines",
    "unless",
    "by",
    "severity",
    "rules",
    "keys",
    "cause",
    "repair",
    "versions",
    "weak",
    "generic",
    "names_key",
    "survivable",
    "ends",
    "follows",
    "at_server",
    "yields_to",
    "state",
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use cfg_plan::Plan;
    use cfg_schema::{History, Kind, Target};

    use super::{all, read};

    #[test]
    fn every_file_can_be_read() {
        assert_eq!(read().1, [""; 0]);
        assert!(all().len() > 50, "{}", all().len());
    }

    #[test]
    fn names_are_unique() {
        let names: BTreeSet<&str> = all().iter().map(|symptom| &*symptom.name).collect();
        assert_eq!(names.len(), all().len());
    }

    #[test]
    fn symptoms_that_others_name_exist() {
        let others = |symptom: &'static super::Symptom| [symptom.at_server.as_deref(), symptom.yields_to.as_deref()];
        for other in all().iter().flat_map(others).flatten() {
            assert!(super::named(other).is_some(), "{other}");
        }
    }

    /// A key that is not in the plan would never be found in a config.
    #[test]
    fn keys_are_those_of_the_plan() {
        let history = History::built_in();
        let mut fields = BTreeSet::new();
        let config = "[ckpt]\n[slurm]\n[wandb]\n[weight_broadcast]\n[trainer.model.ac]\n[trainer.model.lora]\n[trainer]\n[orchestrator.buffer]\n\
            [orchestrator]\n[[orchestrator.env]]\nid = \"x\"\n[inference]\n";
        for target in ["6b01ba5ae", "0.3.0", "0.5.0", "main"] {
            let target = Target::parse(history, target).expect("a target");
            let schema = history.schema(Kind::Rl, target.point);
            let (document, _) = cfg_syntax::parse(cfg_diag::FileId(0), config, cfg_syntax::Dialect::Toml10);
            let tree = cfg_compose::Tree::from_document(cfg_diag::FileId(0), document);
            let (resolved, _) = cfg_resolve::resolve(schema, &cfg_resolve::Names::new(schema), tree);
            fields.extend(Plan::new(schema, &resolved).rows().into_iter().map(|row| row.field));
        }
        let unknown: Vec<&str> = all()
            .iter()
            .flat_map(|symptom| symptom.keys.iter().map(|key| &**key))
            .filter(|key| !key.starts_with("environments[0].args.") && !fields.contains(*key))
            .collect();
        assert_eq!(unknown, [""; 0]);
    }
}
