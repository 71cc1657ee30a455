//! From settings to the text of a config.

use std::fmt::Write as _;

use cfg_schema::Kind;
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table};

use crate::{
    choice::Choice,
    in_words,
    inputs::Inputs,
    settings::{Setting, prompt_of},
};

/// The maximum length of a line with a reason after its value, in characters; a longer reason is on a line above it.
const WIDTH: usize = 110;

/// The text of a config with these settings, and with the metadata block by which `cfg` knows what it is for.
pub(crate) fn write(inputs: &Inputs<'_>, choice: &Choice, settings: &[Setting]) -> String {
    let mut document = DocumentMut::new();
    for setting in settings {
        insert(document.as_table_mut(), setting);
    }
    format!("{}{document}", head(inputs, choice))
}

/// The metadata block.
fn head(inputs: &Inputs<'_>, choice: &Choice) -> String {
    let mut head = "# /// config\n".to_owned();
    if let Some(name) = inputs.around.stated {
        let _ = writeln!(head, "# prime_rl = {}", quoted(name));
    }
    if inputs.wish.kind != Kind::Rl {
        let _ = writeln!(head, "# kind = \"{}\"", inputs.wish.kind);
    }
    let _ = writeln!(head, "# hardware = {}", quoted(&in_words(&inputs.wish.hardware)));
    if inputs.states_prompt {
        let _ = writeln!(head, "# input_tokens = {}", prompt_of(choice.seq_len));
    }
    head + "# ///\n\n"
}

fn quoted(text: &str) -> String {
    toml_edit::Value::from(text).to_string()
}

/// Puts a setting into its table, which is made where it isn't there yet.
fn insert(root: &mut Table, setting: &Setting) {
    let (above, key) = setting.path.rsplit_once('.').unwrap_or(("", &setting.path));
    let mut table = root;
    for name in above.split('.').filter(|name| !name.is_empty()) {
        table = below(table, name);
    }
    table.set_implicit(false);
    let mut value = setting.value.clone();
    let line = format!("{key} = {value}").chars().count();
    let why = setting.why.as_deref().map(|why| format!("# {why}"));
    let is_short = why.as_ref().is_none_or(|why| line + 2 + why.chars().count() <= WIDTH);
    if let Some(why) = why.as_ref().filter(|_| is_short) {
        value.decor_mut().set_suffix(format!("  {why}"));
    }
    table.insert(key, Item::Value(value));
    if let Some((why, mut key)) = why.filter(|_| !is_short).zip(table.key_mut(key)) {
        key.leaf_decor_mut().set_prefix(format!("{why}\n"));
    }
}

/// The table of this name; for an array of tables, its only one.
fn below<'t>(table: &'t mut Table, name: &str) -> &'t mut Table {
    let new = || {
        let mut table = Table::new();
        table.set_implicit(true);
        table
    };
    if let Some(name) = name.strip_suffix("[]") {
        let item = table.entry(name).or_insert_with(|| {
            let mut tables = ArrayOfTables::new();
            tables.push(Table::new());
            Item::ArrayOfTables(tables)
        });
        let tables = item.as_array_of_tables_mut().expect("every key of a name is one of an array of tables");
        return tables.get_mut(0).expect("it has one table");
    }
    table.entry(name).or_insert_with(|| Item::Table(new())).as_table_mut().expect("no value has the name of a table")
}
