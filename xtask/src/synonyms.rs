//! Compiles `schemas/synonyms.toml` into the table of the names that other trainers have for the settings of prime-rl.

use std::{collections::BTreeMap, fmt::Write as _, fs};

use serde::Deserialize;

use crate::generate::root;

const PATH: &str = "schemas/synonyms.toml";

/// How many words a line of the table has.
const OF_A_LINE: usize = 12;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    setting: Vec<Setting>,
    value: Vec<Choice>,
    #[serde(default)]
    alike: Vec<Alike>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Setting {
    words: Vec<String>,
    #[serde(default)]
    keys: Vec<String>,
    #[serde(default)]
    same: bool,
    /// The name of a form of `cfg-resolve`, in small letters: the generated file does not compile with another one.
    #[serde(rename = "as")]
    form: Option<String>,
    /// What `true` is written as, for the form `on`.
    on: Option<String>,
    #[serde(default)]
    first: bool,
    same_at: Option<String>,
    #[serde(default)]
    not_at: Vec<String>,
    note: Option<String>,
    nothing: Option<String>,
}

/// Words of names that say the same; without `word`, that say nothing.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Alike {
    #[serde(default)]
    word: String,
    words: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Choice {
    keys: Vec<String>,
    words: Vec<String>,
    value: String,
}

/// The text of the generated file.
pub(crate) fn compile() -> Result<Vec<u8>, String> {
    let text = fs::read_to_string(root().join(PATH)).map_err(|error| format!("{PATH}: {error}"))?;
    let file = toml::from_str(&text).map_err(|error| format!("{PATH}: {error}"))?;
    source(&file).map(String::into_bytes).map_err(|error| format!("{PATH}: {error}"))
}

fn source(file: &File) -> Result<String, String> {
    let mut words: BTreeMap<&str, usize> = BTreeMap::new();
    for (at, setting) in file.setting.iter().enumerate() {
        if let Some(twice) = setting.words.iter().find(|word| words.insert(word, at).is_some()) {
            return Err(format!("`{twice}` occurs twice"));
        }
    }
    let mut out = format!(
        "//! The names that other trainers have for the settings of prime-rl. Generated from `{PATH}` by `cargo xtask generate`.\n\n\
         use super::{{Choice, Form, Setting}};\n\n#[rustfmt::skip]\npub(super) static SETTINGS: &[Setting] = &[\n"
    );
    // Writing to a `String` does not fail.
    for Setting { keys, same, form, on, first, same_at, not_at, note, nothing, .. } in &file.setting {
        let form = match (form.as_deref().or_else(|| same.then_some("same")), on) {
            (None, None) => "None".to_owned(),
            (Some("on"), Some(on)) => format!("Some(Form::On({on:?}))"),
            (Some("on"), None) | (_, Some(_)) => return Err(format!("{keys:?}: `on` is for the form `on`")),
            (Some(form), None) => format!("Some(Form::{})", cfg_diag::capitalized(form)),
        };
        let _ = writeln!(
            out,
            "    Setting {{ keys: &{keys:?}, form: {form}, first: {first}, same_at: {same_at:?}, not_at: &{not_at:?}, note: {note:?}, nothing: {nothing:?} }},"
        );
    }
    out.push_str("];\n\n/// The words in their order, each with the place of its setting.\n#[rustfmt::skip]\npub(super) static WORDS: &[(&str, u16)] = &[\n");
    let words: Vec<String> = words.into_iter().map(|(word, at)| format!("({word:?}, {at}),")).collect();
    for line in words.chunks(OF_A_LINE) {
        let _ = writeln!(out, "    {}", line.join(" "));
    }
    out.push_str("];\n\n#[rustfmt::skip]\npub(super) static CHOICES: &[Choice] = &[\n");
    for Choice { keys, words, value } in &file.value {
        let _ = writeln!(out, "    Choice {{ keys: &{keys:?}, words: &{words:?}, value: {value:?} }},");
    }
    out.push_str("];\n\n/// Words and phrases in their order, each with the word that stands for it.\n#[rustfmt::skip]\npub(super) static ALIKE: &[(&str, &str)] = &[\n");
    let mut alike: BTreeMap<&str, &str> = BTreeMap::new();
    for Alike { word, words } in &file.alike {
        for one in words.iter().chain(Some(word).filter(|word| !word.is_empty())) {
            if alike.insert(one, word).is_some() {
                return Err(format!("`{one}` is alike twice"));
            }
        }
    }
    let alike: Vec<String> = alike.into_iter().map(|pair| format!("{pair:?},")).collect();
    for line in alike.chunks(OF_A_LINE) {
        let _ = writeln!(out, "    {}", line.join(" "));
    }
    out.push_str("];\n");
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::source;

    #[test]
    fn each_word_has_one_setting() {
        let text = |second: &str| {
            let settings =
                format!("[[setting]]\nwords = [\"a\"]\nas = \"pair\"\n[[setting]]\nwords = [\"{second}\"]\nsame = true\n");
            let file = toml::from_str(&format!("{settings}[[value]]\nkeys = [\"k\"]\nwords = []\nvalue = \"v\"\n"));
            source(&file.expect("entries"))
        };
        let rows = text("b").expect("they differ");
        assert!(rows.contains("Some(Form::Pair)") && rows.contains("(\"a\", 0), (\"b\", 1),"), "{rows}");
        assert_eq!(text("a"), Err("`a` occurs twice".to_owned()));
    }

    #[test]
    fn what_true_becomes_has_its_form() {
        let rows = |keys: &str| {
            let file = format!("[[setting]]\nwords = [\"a\"]\n{keys}\n[[value]]\nkeys = []\nwords = []\nvalue = \"v\"\n");
            source(&toml::from_str(&file).expect("entries"))
        };
        assert!(rows("as = \"on\"\non = \"1\"").is_ok_and(|rows| rows.contains("Form::On(\"1\")")));
        for wrong in ["on = \"1\"", "as = \"on\"", "as = \"pair\"\non = \"1\""] {
            assert!(rows(wrong).is_err(), "{wrong}");
        }
    }
}
