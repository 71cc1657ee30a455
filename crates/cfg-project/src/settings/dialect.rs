//! Reads `[[dialect]]`: which files are configs of another program, and their schema.

use std::path::{Path, PathBuf};

use cfg_system::without_dots;

use super::{
    description::names_in,
    reader::{Entry, Reader, joined},
};
use crate::{
    Sourced,
    pattern_set::{PatternBelow, PatternError},
};

/// A declared dialect.
#[derive(Clone, Debug)]
pub struct DeclaredDialect {
    /// Its name, for messages.
    pub name: String,
    /// The absolute path of its schema.
    pub schema: PathBuf,
    /// The patterns of its files, relative to the folder of the settings.
    files: Vec<PatternBelow>,
}

impl DeclaredDialect {
    /// Whether `file`, an absolute path, is one of its files; `folder` is that of the settings.
    pub fn has(&self, file: &Path, folder: &Path) -> bool {
        file.extension().is_some_and(|ending| ["toml", "yaml", "yml"].iter().any(|known| ending == *known))
            && self.files.iter().any(|pattern| pattern.matches(file, folder))
    }
}

pub(super) fn dialects<'t>(reader: &mut Reader<'t>, entry: Entry<'_, 't>) -> Vec<Sourced<DeclaredDialect>> {
    let mut dialects = Vec::new();
    for value in reader.array(entry, "an array of tables: `[[dialect]]`").into_iter().flatten() {
        let Some(table) = reader.table(Entry { key: entry.key, value }) else { continue };
        let (mut name, mut schema, mut files, before) = (None, None, Vec::new(), reader.diagnostics.len());
        for (key, value) in table {
            let path = joined(entry.key, key.get_ref());
            let own = Entry { key: &path, value };
            match key.get_ref().as_ref() {
                "name" => name = reader.string(own).map(str::to_owned),
                "schema" => {
                    let folder = reader.folder().to_owned();
                    schema = reader.parsed(own, |text| {
                        let is_path = !text.trim().is_empty() && !text.contains('\0');
                        let why = || {
                            (format!("`{path}` is not a path"), "write the path of a schema, relative to this file".to_owned())
                        };
                        if is_path { Ok(without_dots(&folder.join(text))) } else { Err(why()) }
                    });
                }
                "files" => files = patterns(reader, own),
                _ => reader.unknown(key, entry.key, &names_in("dialect")),
            }
        }
        match schema {
            Some(schema) if !files.is_empty() => {
                let of_schema = || schema.value.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                let name = name.unwrap_or_else(of_schema);
                dialects.push(reader.sourced(DeclaredDialect { name, schema: schema.value, files }, value.span()));
            }
            _ if reader.diagnostics.len() == before => {
                let help = "write `files = [\"configs/*.yaml\"]` and `schema = \"configs.schema\"`".to_owned();
                reader.refuse(Entry { key: entry.key, value }, "a dialect needs `files` and a `schema`".to_owned(), Some(help));
            }
            _ => {}
        }
    }
    dialects
}

fn patterns<'t>(reader: &mut Reader<'t>, entry: Entry<'_, 't>) -> Vec<PatternBelow> {
    let mut patterns = Vec::new();
    for value in reader.array(entry, "an array of file patterns").into_iter().flatten() {
        let own = Entry { key: entry.key, value };
        let Some(text) = reader.string(own) else { continue };
        match reader.pattern(value.span(), entry.key, text.trim_start_matches("./")) {
            Ok(pattern) => patterns.push(pattern),
            Err(Some(PatternError::BeyondBounds(message))) => reader.refuse(own, message, None),
            Err(Some(PatternError::Invalid(error))) => {
                let help = "write a path or a glob, such as `configs/**/*.yaml`".to_owned();
                reader.refuse(own, format!("`{text}` is not a valid file pattern: {}", error.kind()), Some(help));
            }
            Err(None | Some(PatternError::TooMany)) => {}
        }
    }
    patterns
}
