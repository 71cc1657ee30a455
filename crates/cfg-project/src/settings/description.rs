//! The one description of all settings: their names, types and meanings. The reader, the JSON Schema, the page of documentation and the editor use it.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::Level;

/// The type of a setting's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingType {
    /// A table whose keys are settings, too.
    Table,
    /// An array of such tables.
    Tables,
    /// A string.
    Text,
    /// An array of strings.
    Texts,
    /// A number that is at least 0.
    Number,
    /// A version of prime-rl.
    Target,
    /// A number of cards: `2x H100`.
    Machine,
    /// An amount of bytes: `48 GiB`.
    Amount,
    /// An array of codes or names of rules.
    Codes,
    /// A severity, or `off`.
    Severity,
    /// The type of a key: `int?`.
    KeyType,
    /// Any value.
    Any,
}

/// A setting.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Its dotted path; `*` is a key that the user chooses.
    pub path: &'static str,
    /// The type of its value.
    pub ty: SettingType,
    /// What it is for, as a sentence.
    pub meaning: &'static str,
    /// A value, in TOML; empty for tables.
    pub example: &'static str,
}

const fn setting(path: &'static str, ty: SettingType, example: &'static str, meaning: &'static str) -> Setting {
    Setting { path, ty, meaning, example }
}

use SettingType::{Amount, Any, Codes, KeyType, Machine, Number, Severity, Table, Tables, Target, Text, Texts};

/// All settings, each table before what is in it.
pub static SETTINGS: [Setting; 54] = [
    setting(
        "target",
        Target,
        "\"main\"",
        "The prime-rl that the configs are for: a release, a commit, a day, `main`, or a checkout (`path:`).",
    ),
    setting("required-version", Text, "\">=0.1\"", "The versions of `cfg` for which the settings are written."),
    setting("exclude", Texts, "[\"archive\"]", "Files and folders in which no configs are searched for."),
    setting("extend-include", Texts, "[\"deps/configs\"]", "Folders of other projects whose configs are checked all the same."),
    setting("baseline", Text, "\"cfg-baseline.json\"", "The file of accepted findings, relative to the settings file."),
    setting("gpu", Machine, "\"8x H100\"", "The machine of configs that state none."),
    setting("hardware", Machine, "\"8x H100\"", "Another name for `gpu`."),
    setting("gpus", Table, "", "Cards that `cfg` does not know, by name."),
    setting("gpus.*", Table, "", "A card that `cfg` does not know."),
    setting("gpus.*.name", Text, "\"My card\"", "The name of the card, in an array of tables `[[gpus]]`."),
    setting("gpus.*.memory", Amount, "\"48 GiB\"", "The memory of the card, as PyTorch reports it."),
    setting("prices", Table, "", "Dollars per hour of cards, by name, for `cfg estimate`."),
    setting("prices.*", Number, "2.5", "Dollars per hour of a card."),
    setting("disk", Amount, "\"2 TB\"", "The disk space that is free for a run."),
    setting("lint", Table, "", "Which findings are reported, and how severe they are."),
    setting("lint.select", Codes, "[\"ALL\"]", "The codes that are reported: `PRL301`, a name, a prefix, or `ALL`."),
    setting("lint.ignore", Codes, "[\"PRL801\"]", "The codes that are not reported."),
    setting("lint.extend-select", Codes, "[\"PRL402\"]", "Codes that are reported in addition to those of `select`."),
    setting("lint.extend-ignore", Codes, "[\"PRL402\"]", "Codes that are ignored in addition to those of `ignore`."),
    setting("lint.per-file-ignores", Table, "", "Codes that are ignored in files that match a pattern."),
    setting("lint.per-file-ignores.*", Codes, "[\"PRL4\"]", "The codes that are ignored in these files."),
    setting(
        "lint.per-file-selects",
        Table,
        "",
        "Codes that are reported in files that match a pattern, although they are ignored elsewhere.",
    ),
    setting("lint.per-file-selects.*", Codes, "[\"PRL801\"]", "The codes that are reported in these files."),
    setting("lint.per-file-severities", Table, "", "Severities in files that match a pattern."),
    setting("lint.per-file-severities.*", Table, "", "The severities in these files, by code."),
    setting("lint.per-file-severities.*.*", Severity, "\"error\"", "The severity of a code in these files."),
    setting("lint.severities", Table, "", "Severities by code."),
    setting("lint.severities.*", Severity, "\"error\"", "The severity of a code."),
    setting("group", Tables, "", "Files that are started separately as one run."),
    setting("group.trainer", Text, "\"train.toml\"", "The trainer's file."),
    setting("group.orchestrator", Text, "\"orch.toml\"", "The orchestrator's file."),
    setting("group.inference", Text, "\"infer.toml\"", "The server's file."),
    setting("dialect", Tables, "", "Configs of another program, with a schema of the project's own."),
    setting("dialect.name", Text, "\"ours\"", "Its name in messages; without it, that of the schema."),
    setting("dialect.files", Texts, "[\"ours/*.yaml\"]", "Patterns of its files."),
    setting("dialect.schema", Text, "\"ours.schema\"", "The path of its schema, relative to the settings file."),
    setting("extend", Table, "", "Keys that a fork adds to those of prime-rl, each with its type."),
    setting("extend.*", KeyType, "\"int?\"", "The type of a key of the fork."),
    setting("environments", Table, "", "Environments whose packages are not available, by name."),
    setting("environments.*", Table, "", "The arguments of an environment, and the lengths of its prompts and answers."),
    setting("environments.*.*", Any, "", "A key of a declaration of an environment."),
    setting("preflight", Table, "", "What each machine must have in addition to what prime-rl needs, for `cfg run preflight`."),
    setting("preflight.variables", Texts, "[\"HF_TOKEN\"]", "Variables that must be set."),
    setting("preflight.programs", Texts, "[\"ninja\"]", "Programs that must be found."),
    setting("preflight.files", Texts, "[\"~/.netrc\"]", "Files that must exist."),
    setting("watch", Table, "", "The bounds of the metrics of a run, for `cfg run watch`."),
    setting("watch.entropy", Number, "0.05", "The least entropy."),
    setting("watch.kl", Number, "0.5", "The largest KL divergence."),
    setting("watch.gradient_norm", Number, "5.0", "The largest norm of the gradient."),
    setting("watch.flat_steps", Number, "300", "The number of steps without progress of the reward."),
    setting("watch.truncated", Number, "0.5", "The largest share of answers that are cut."),
    setting("watch.no_signal", Number, "0.9", "The largest share of groups whose rewards are all the same."),
    setting("watch.errors", Number, "0.5", "The largest share of rollouts that fail."),
    setting("watch.silent_minutes", Number, "30", "The minutes without a line of output after which a run is silent."),
];

impl Setting {
    /// Its own key: the last part of its path.
    pub fn name(&self) -> &'static str {
        self.path.rsplit('.').next().unwrap_or(self.path)
    }

    /// Whether keys are its path; `*` is any key.
    pub fn is_at(&self, keys: &[&str]) -> bool {
        let mut own = self.path.split('.');
        keys.iter().all(|key| own.next().is_some_and(|name| name == *key || name == "*")) && own.next().is_none()
    }
}

impl SettingType {
    /// The type in words.
    pub const fn in_words(self) -> &'static str {
        match self {
            Table => "a table",
            Tables => "an array of tables",
            Text => "a string",
            Texts => "an array of strings",
            Number => "a number, at least 0",
            Target => "a version of prime-rl",
            Machine => "a number of cards",
            Amount => "an amount of memory",
            Codes => "an array of codes or names of rules",
            Severity => "a severity, or `off`",
            KeyType => "a type",
            Any => "any value",
        }
    }

    fn json(self) -> Value {
        match self {
            Table => json!({ "type": "object" }),
            Tables => json!({ "type": "array", "items": { "type": "object" } }),
            Text | Target | Machine | Amount | KeyType => json!({ "type": "string" }),
            Texts | Codes => json!({ "type": "array", "items": { "type": "string" } }),
            Number => json!({ "type": "number", "minimum": 0 }),
            Severity => json!({ "enum": Level::NAMES }),
            Any => json!({}),
        }
    }
}

/// The setting with these keys; one that is named takes precedence over one with a key of the user's choice.
pub fn setting_at(keys: &[&str]) -> Option<&'static Setting> {
    SETTINGS.iter().filter(|setting| setting.is_at(keys)).min_by_key(|setting| setting.path.matches('*').count())
}

/// The settings directly in the table with these keys; none for the top level.
pub fn settings_in(keys: &[&str]) -> impl Iterator<Item = &'static Setting> {
    SETTINGS.iter().filter(move |setting| match setting.path.rsplit_once('.') {
        Some((above, _)) => Setting { path: above, ..**setting }.is_at(keys),
        None => keys.is_empty(),
    })
}

/// The names of the settings in a table, without keys of the user's choice; `""` is the top level.
pub(super) fn names_in(table: &str) -> Vec<&'static str> {
    let keys: Vec<&str> = table.split('.').filter(|key| !key.is_empty()).collect();
    settings_in(&keys).map(Setting::name).filter(|name| *name != "*").collect()
}

/// The JSON Schema of `cfg.toml`.
pub fn settings_schema() -> Value {
    let mut schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "cfg.toml",
        "description": "The settings of cfg for the configs in the folder of this file and below.",
    });
    fill(&mut schema, &[]);
    schema
}

/// Adds the settings of a table to its schema.
fn fill(schema: &mut Value, keys: &[&str]) {
    let mut properties = Map::new();
    for setting in settings_in(keys) {
        let mut own = setting.ty.json();
        own["description"] = json!(setting.meaning);
        let path: Vec<&str> = setting.path.split('.').collect();
        match setting.ty {
            Table => fill(&mut own, &path),
            Tables => fill(&mut own["items"], &path),
            _ => {}
        }
        // Cards can be an array of tables, and a card can be its memory alone.
        if setting.path == "gpus" {
            let mut item = json!({ "type": "object" });
            fill(&mut item, &["gpus", "*"]);
            own = json!({ "description": setting.meaning, "anyOf": [own, { "type": "array", "items": item }] });
        } else if setting.path == "gpus.*" {
            own = json!({ "anyOf": [own, { "type": "string" }] });
        } else if setting.path == "extend.*" {
            own["type"] = json!(["string", "object"]);
        }
        if setting.name() == "*" {
            schema["additionalProperties"] = own;
        } else {
            properties.insert(setting.name().to_owned(), own);
        }
    }
    if !properties.is_empty() {
        schema["properties"] = Value::Object(properties);
    }
    schema["type"] = json!("object");
    if schema.get("additionalProperties").is_none() {
        schema["additionalProperties"] = json!(false);
    }
}

/// The table of all settings, in Markdown.
pub fn settings_table() -> String {
    let mut table = "| setting | type | meaning |\n|---|---|---|\n".to_owned();
    for setting in SETTINGS.iter().filter(|setting| setting.ty != Any) {
        let path = setting.path.replace(".*", ".NAME");
        // Writing to a string can't fail.
        let _ = writeln!(table, "| `{path}` | {} | {} |", setting.ty.in_words(), setting.meaning);
    }
    table
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use cfg_system::MemorySystem;

    use super::{SETTINGS, SettingType, names_in, setting_at, settings_schema};
    use crate::read_settings;

    #[test]
    fn each_example_is_a_valid_setting() {
        for setting in SETTINGS.iter().filter(|setting| !setting.example.is_empty()) {
            let mut keys: Vec<&str> = setting.path.split('.').collect();
            let name = keys.pop().expect("a name");
            let array = keys.first().is_some_and(|first| setting_at(&[first]).is_some_and(|top| top.ty == SettingType::Tables));
            let header = keys.join(".").replace('*', if keys.first() == Some(&"gpus") { "card" } else { "PRL402" });
            let name = if name == "*" { if header == "prices" { "H100" } else { "PRL402" } } else { name };
            let header = match (header.as_str(), array) {
                ("", _) => String::new(),
                (header, true) => format!("[[{header}]]\n"),
                (header, false) => format!("[{header}]\n"),
            };
            let text = format!("{header}{name} = {}\n", setting.example);
            let (_, found) = read_settings(&MemorySystem::default(), &text, Path::new("/p/cfg.toml"));
            // What else a table needs is another matter.
            let is_own = |message: &str| message.contains(&format!("`{name}`")) || message.contains("unknown");
            let own = found.iter().filter(|found| is_own(&found.message) && !found.message.contains(" needs "));
            let own: Vec<&String> = own.map(|found| &found.message).collect();
            assert!(own.is_empty(), "{text}: {own:?}");
        }
    }

    #[test]
    fn the_settings_of_a_table_are_named() {
        assert_eq!(names_in("preflight"), ["variables", "programs", "files"]);
        assert!(names_in("").contains(&"target") && !names_in("lint").contains(&"*"));
        assert_eq!(setting_at(&["lint", "severities", "PRL402"]).map(|found| found.ty), Some(SettingType::Severity));
        let schema = settings_schema();
        assert_eq!(schema["properties"]["lint"]["properties"]["severities"]["additionalProperties"]["enum"][3], "off");
        assert_eq!(schema["additionalProperties"], false);
    }
}
