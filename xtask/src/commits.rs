//! Reads `schemas/commits.tsv` and `schemas/tags.tsv`.

use std::{collections::HashMap, fs};

use cfg_schema::compiler::chronicle::{Commit, Tag};

use crate::generate::root;

/// What finds the point of a commit.
pub(crate) type PointAt<'p> = &'p dyn Fn(&str) -> Result<u16, String>;

/// The main line, with its tags.
pub(crate) struct Commits {
    pub(crate) main_line: Vec<Commit>,
    pub(crate) tags: Vec<Tag>,
    by_short_sha: HashMap<String, u16>,
}

impl Commits {
    pub(crate) fn read() -> Result<Self, String> {
        let mut main_line = Vec::new();
        let mut by_short_sha = HashMap::new();
        for [sha, date, schema, pull_request] in rows("schemas/commits.tsv")? {
            let touches_schema = !schema.is_empty();
            if touches_schema {
                by_short_sha.insert(sha[..9].to_owned(), by_short_sha.len() as u16);
            }
            let schema = (by_short_sha.len() as u16).checked_sub(1).ok_or("commits.tsv must begin with a schema commit")?;
            let pull_request = pull_request.parse().ok();
            main_line.push(Commit { date: utc(&date)?, day: date[..10].to_owned(), sha, schema, touches_schema, pull_request });
        }
        let mut commits = Self { main_line, tags: Vec::new(), by_short_sha };
        for [name, sha, date, schema] in rows("schemas/tags.tsv")? {
            let schema = commits.schema_index(&schema)?;
            commits.tags.push(Tag { name, sha, date: utc(&date)?, day: date[..10].to_owned(), schema });
        }
        Ok(commits)
    }

    /// The index of a schema commit, by its first nine digits.
    pub(crate) fn schema_index(&self, short_sha: &str) -> Result<u16, String> {
        self.by_short_sha.get(short_sha).copied().ok_or_else(|| format!("{short_sha} is not a schema commit in commits.tsv"))
    }

    /// A table of `schemas/` as the text of a generated file: what `parse` makes of it, with the points of the commits that it names.
    ///
    /// # Errors
    /// If the table or the commits can't be read, or the table has a fault.
    pub(crate) fn compile(path: &str, parse: fn(&str, PointAt<'_>) -> Result<String, String>) -> Result<Vec<u8>, String> {
        let text = fs::read_to_string(root().join(path)).map_err(|error| format!("{path}: {error}"))?;
        let commits = Self::read()?;
        parse(&text, &|commit| commits.point_at(commit)).map(String::into_bytes).map_err(|error| format!("{path}: {error}"))
    }

    /// The index of the schema at a commit, by its first nine digits.
    pub(crate) fn point_at(&self, short_sha: &str) -> Result<u16, String> {
        self.named(short_sha).map(|commit| commit.schema)
    }

    /// A commit, by its first nine digits.
    pub(crate) fn named(&self, short_sha: &str) -> Result<&Commit, String> {
        let named = self.main_line.iter().find(|commit| short_sha.len() >= 9 && commit.sha.starts_with(short_sha));
        named.ok_or_else(|| format!("{short_sha} are not nine digits of a commit of commits.tsv"))
    }
}

fn rows(path: &str) -> Result<Vec<[String; 4]>, String> {
    let text = fs::read_to_string(root().join(path)).map_err(|error| format!("{path}: {error}"))?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.starts_with('#')).skip(1);
    lines
        .map(|(number, line)| {
            let cells: Vec<String> = line.split('\t').map(str::to_owned).collect();
            cells.try_into().map_err(|_| format!("{path}:{}: a line has four cells", number + 1))
        })
        .collect()
}

fn utc(date: &str) -> Result<String, String> {
    let timestamp: jiff::Timestamp = date.parse().map_err(|error| format!("{date}: {error}"))?;
    Ok(timestamp.to_string())
}
