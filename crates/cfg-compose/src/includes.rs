//! `toml_files`: files that a file includes, each by a path relative to its own folder.

use std::collections::HashSet;

use cfg_diag::{Diagnostic, Location, Severity, codes};
use cfg_meter::charge;

use crate::{
    Table, Value,
    compose::{OF_A_LINK, State},
    merge::wrapped,
};

/// The longest path that a system supports.
const LONGEST_PATH: usize = 4095;

/// The files that are loaded so far.
#[derive(Default)]
pub(crate) struct Inclusion {
    seen: HashSet<String>,
    /// Whether the loader has failed in a way after which continuing could take forever.
    pub(crate) is_over: bool,
}

impl State<'_, '_> {
    /// Loads a file and those that it includes, depth first. Returns whether the file itself includes any.
    pub(crate) fn include(&mut self, inclusion: &mut Inclusion, path: &str, prefix: Option<&str>, at: Location) -> bool {
        let first = normal(path);
        if inclusion.is_over || inclusion.seen.contains(&first) {
            return false;
        }
        let links = self.include_one(inclusion, &first, prefix, at);
        let names_any = links.iter().any(|(path, _)| is_toml(path));
        // Files may include each other hundreds of levels deep, so those that remain to be loaded are in a list: the next one is the last.
        let mut waiting: Vec<(String, Location)> = links.into_iter().rev().collect();
        while let Some((path, at)) = waiting.pop().filter(|_| !inclusion.is_over && !self.is_full) {
            if charge(OF_A_LINK).is_err() {
                self.refuse_more(at);
                break;
            }
            if !is_toml(&path) {
                let message = format!("{path} does not end in .toml, so prime-rl skips it");
                let mut diagnostic = Diagnostic::new(&codes::UNSUPPORTED_FILE, message).at(at);
                diagnostic.severity = Severity::Warning;
                self.composed.diagnostics.push(diagnostic);
            } else if inclusion.seen.contains(&path) {
                let message = format!("{path} is already part of this config, so it is not read again");
                self.composed.diagnostics.push(Diagnostic::new(&codes::INCLUDE_CYCLE, message).at(at));
            } else {
                waiting.extend(self.include_one(inclusion, &path, None, at).into_iter().rev());
            }
        }
        names_any
    }

    /// Loads a file. Returns the files that it includes, by their paths from here.
    fn include_one(
        &mut self,
        inclusion: &mut Inclusion,
        path: &str,
        prefix: Option<&str>,
        at: Location,
    ) -> Vec<(String, Location)> {
        if path.len() > LONGEST_PATH {
            let message = "include cycle: these files include each other through ever longer paths".to_owned();
            let mut diagnostic = Diagnostic::new(&codes::INCLUDE_CYCLE, message).at(at).native("OSError", Vec::new());
            diagnostic.severity = Severity::Error;
            self.composed.diagnostics.push(diagnostic);
            inclusion.is_over = true;
            return Vec::new();
        }
        let Some((file, node)) = self.load(path, at) else { return Vec::new() };
        let Value::Table(mut table) = node.value else { return Vec::new() };
        if let Some(prefix) = prefix {
            // Each key is wrapped around the previous ones: of a dotted prefix, the last becomes the outermost.
            for key in prefix.split('.').take(cfg_syntax::MAX_DEPTH) {
                let inner = crate::Node { value: Value::Table(table), origin: node.origin };
                table = Table::default();
                table.insert(wrapped(key, inner, crate::Origin::CommandLine(at)));
            }
        } else {
            inclusion.seen.insert(path.to_owned());
        }
        let names = self.names(&table);
        self.lay_over(file, table);
        names.into_iter().map(|(name, at)| (normal(&join(parent(path), &name)), at)).collect()
    }

    /// The files that a table includes, and where.
    fn names(&mut self, table: &Table) -> Vec<(String, Location)> {
        let Some(entry) = table.get("toml_files") else { return Vec::new() };
        let Some(at) = entry.node.origin.location() else { return Vec::new() };
        let mut refuse = |at: Location| {
            let message = "`toml_files` must be an array of paths";
            let diagnostic = Diagnostic::new(&codes::WRONG_TYPE, message).at(at).key("toml_files");
            self.composed.diagnostics.push(diagnostic.native("TypeError", Vec::new()));
        };
        let mut names = Vec::new();
        match &entry.node.value {
            Value::List(items) => {
                for item in items {
                    match &item.value {
                        Value::Str(name) => names.push((name.to_string(), item.origin.location().unwrap_or(at))),
                        Value::Unknown => {}
                        _ => refuse(item.origin.location().unwrap_or(at)),
                    }
                }
            }
            // A string is iterated by letters, a table by keys: neither names an intended file. Their type is wrong anyway.
            Value::Str(_) | Value::Table(_) | Value::Unknown => {}
            _ => refuse(at),
        }
        names
    }
}

/// Whether the loader accepts a path as a config; case matters.
#[expect(clippy::case_sensitive_file_extension_comparisons, reason = "prime-rl compares so")]
fn is_toml(path: &str) -> bool {
    path.ends_with(".toml")
}

/// A path in the form of pathlib.
fn normal(path: &str) -> String {
    let steps: Vec<&str> = path.split('/').filter(|step| !matches!(*step, "" | ".")).collect();
    let root = if path.starts_with('/') { "/" } else { "" };
    let path = format!("{root}{}", steps.join("/"));
    if path.is_empty() { ".".to_owned() } else { path }
}

fn parent(path: &str) -> &str {
    match path.rfind('/') {
        Some(0) => "/",
        Some(end) => &path[..end],
        None => "",
    }
}

fn join(folder: &str, path: &str) -> String {
    if path.starts_with('/') || folder.is_empty() { path.to_owned() } else { format!("{}/{path}", folder.trim_end_matches('/')) }
}

#[cfg(test)]
mod tests {
    use super::{join, normal, parent};

    #[test]
    fn paths_are_joined_as_pathlib_joins_them() {
        assert_eq!(normal("./a//b/./c.toml"), "a/b/c.toml");
        assert_eq!(normal("/a/../b"), "/a/../b");
        assert_eq!(normal(""), ".");
        assert_eq!(join(parent("a/b.toml"), "c.toml"), "a/c.toml");
        assert_eq!(join(parent("b.toml"), "../c.toml"), "../c.toml");
        assert_eq!(join(parent("/b.toml"), "c.toml"), "/c.toml");
        assert_eq!(join(parent("a/b.toml"), "/c.toml"), "/c.toml");
    }
}
