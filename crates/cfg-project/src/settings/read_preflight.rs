//! Reads `[preflight]`: what a project requires of each machine beyond what prime-rl needs.

use toml::de::DeTable;

use super::{
    Preflight,
    description::names_in,
    reader::{Entry, Reader, joined},
};
use crate::Sourced;

pub(super) fn preflight<'t>(reader: &mut Reader<'t>, table: &DeTable<'t>, name: &str, preflight: &mut Preflight) {
    for (key, value) in table {
        let name = joined(name, key.get_ref());
        let entry = Entry { key: &name, value };
        match key.get_ref().as_ref() {
            "variables" => preflight.variables = names(reader, entry, "names of variables", &is_variable),
            "programs" => preflight.programs = names(reader, entry, "names of programs", &|name| !name.contains(['/', '\\'])),
            "files" => preflight.files = names(reader, entry, "paths", &|_| true),
            _ => reader.unknown(key, "preflight", &names_in("preflight")),
        }
    }
}

fn names<'t>(reader: &mut Reader<'t>, entry: Entry<'_, 't>, of: &str, is_one: &dyn Fn(&str) -> bool) -> Vec<Sourced<Box<str>>> {
    let mut names = Vec::new();
    for value in reader.array(entry, &format!("an array of {of}")).into_iter().flatten() {
        names.extend(reader.parsed(Entry { key: entry.key, value }, |text| {
            let text = text.trim();
            if text.is_empty() || text.contains('\0') || !is_one(text) {
                return Err((format!("`{}` takes {of}, not `{text}`", entry.key), String::new()));
            }
            Ok(text.into())
        }));
    }
    names
}

fn is_variable(name: &str) -> bool {
    !name.starts_with(|first: char| first.is_ascii_digit())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
