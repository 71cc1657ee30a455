//! Keys that a table does not know: was it misspelt, moved away, not there yet, or written into the wrong table?

use cfg_compose::Entry;
use cfg_diag::{Applicability, Diagnostic, Edit, codes};
use cfg_schema::{Node, Point, Segment};

use crate::{loc::Step, suggest::nearest, walk::Walker};

/// A key with this many homes belongs to none of them in particular.
const MAX_HOMES: usize = 3;

impl Walker<'_> {
    /// A key that `table` refuses.
    pub(crate) fn unknown(&mut self, table: Node, entry: &Entry) {
        let owner = self.path.key();
        self.path.push(Step::Key(entry.key.clone()));
        let mut diagnostic = self.explain(table, &owner, entry).native("extra_forbidden", self.path.loc()).key(self.path.key());
        diagnostic.location = entry.key_origin.location();
        self.path.pop();
        self.diagnostics.push(diagnostic);
    }

    /// A key that `table` drops without a word.
    pub(crate) fn ignored(&mut self, table: Node, entry: &Entry) {
        // What the loader itself put there is not the user's mistake.
        let Some(location) = entry.key_origin.location() else { return };
        let owner = self.path.key();
        self.path.push(Step::Key(entry.key.clone()));
        let why = self.explain(table, &owner, entry);
        let named = if owner.is_empty() { "this config".to_owned() } else { format!("`{owner}`") };
        let message = format!("prime-rl drops `{}` without a word: {named} has no such key", entry.key);
        let mut diagnostic =
            Diagnostic::new(&codes::IGNORED_KEY, message).at(location).key(self.path.key()).label("has no effect");
        diagnostic.help = why.help.or(Some("remove it, or correct its name".to_owned()));
        diagnostic.fix = why.fix;
        self.path.pop();
        self.diagnostics.push(diagnostic);
    }

    fn explain(&self, table: Node, owner: &str, entry: &Entry) -> Diagnostic {
        let key = &*entry.key;
        let point = self.schema.point;
        let named = if owner.is_empty() { format!("an {} config", self.schema.kind) } else { format!("`{owner}`") };
        if let Some(diagnostic) = self.other_time(table, owner, key) {
            return diagnostic;
        }
        if let Some(diagnostic) = self.other_table(owner, &named, key) {
            return diagnostic;
        }
        let diagnostic = Diagnostic::new(&codes::UNKNOWN_KEY, format!("{named} has no key `{key}`")).label("unknown key");
        if owner.is_empty() && key == "config" {
            return diagnostic
                .help("prime-rl refuses a `[config]` table; keep metadata in a comment block that begins with `# /// config`");
        }
        let fields = table.fields(point).flat_map(|(field, interval)| {
            let own = if let Segment::Field(name) = field.segment() { Some(name) } else { None };
            let aliases: Vec<&str> = interval.aliases().collect();
            if aliases.is_empty() { own.into_iter().collect() } else { aliases }
        });
        let fields: Vec<&str> = fields.collect();
        match (nearest(key, fields.iter().copied()), entry.key_origin.location()) {
            (Some(meant), Some(location)) => diagnostic.help(format!("did you mean `{meant}`?")).fix(
                format!("rename to `{meant}`"),
                Applicability::Unsafe,
                Edit { location, new_text: meant.to_owned() },
            ),
            (Some(meant), None) => diagnostic.help(format!("did you mean `{meant}`?")),
            (None, _) => diagnostic.help(known_keys(&fields)),
        }
    }

    /// The key was known here at another time.
    fn other_time(&self, table: Node, owner: &str, key: &str) -> Option<Diagnostic> {
        let (history, point) = (self.schema.history, self.schema.point);
        let field = table.field(key)?;
        let label_of = |point: Point| {
            let pull_request = history.commit_of(point).and_then(cfg_schema::Commit::pull_request);
            let pull_request = pull_request.map(|number| format!(" by #{number}")).unwrap_or_default();
            match history.first_release_with(point) {
                Some(release) => format!("in {}{pull_request}", release.name()),
                None => {
                    let day = history.commit_of(point).map(cfg_schema::Commit::day).unwrap_or_default();
                    format!("on main on {day}{pull_request}")
                }
            }
        };
        let path = if owner.is_empty() { key.to_owned() } else { format!("{owner}.{key}") };
        let removed = field.intervals().filter_map(cfg_schema::Interval::until).filter(|&until| until <= point).max();
        let accepted_as_alias =
            table.children().flat_map(Node::intervals).filter(|interval| interval.aliases().any(|alias| alias == key));
        let removed =
            removed.max(accepted_as_alias.filter_map(cfg_schema::Interval::until).filter(|&until| until <= point).max());
        if let Some(until) = removed {
            let message = format!("`{path}` was removed {}", label_of(until));
            let homes = self.names.paths(key);
            let diagnostic = Diagnostic::new(&codes::REMOVED_KEY, message).label("removed");
            return Some(if homes.is_empty() || homes.len() > MAX_HOMES {
                diagnostic.help("remove it; the target has no key of this name")
            } else {
                diagnostic.help(format!("the target has {}", list(homes)))
            });
        }
        let added = field.intervals().map(cfg_schema::Interval::since).filter(|&since| since > point).min()?;
        let message = format!("`{path}` is not known yet: it was added {}", label_of(added));
        Some(
            Diagnostic::new(&codes::FUTURE_KEY, message)
                .label("added later")
                .help("remove it, or move to a prime-rl that has it"),
        )
    }

    /// The key is known in another table.
    fn other_table(&self, owner: &str, named: &str, key: &str) -> Option<Diagnostic> {
        let homes = self.names.paths(key);
        let prefix = if owner.is_empty() { String::new() } else { format!("{owner}.") };
        // The same table in another variant is not another place.
        let homes: Vec<&String> = homes.iter().filter(|home| **home != format!("{prefix}{key}")).collect();
        let below: Vec<&&String> =
            homes.iter().filter(|home| home.strip_prefix(&prefix).is_some_and(|rest| rest.matches('.').count() == 1)).collect();
        let home = match (below.as_slice(), homes.as_slice()) {
            ([home], _) => (**home).clone(),
            (_, []) => return self.other_variant(&prefix, named, key),
            (_, several) if several.len() <= MAX_HOMES => {
                let several: Vec<String> = several.iter().map(|home| (*home).clone()).collect();
                list(&several)
            }
            _ => return None,
        };
        let message = format!("{named} has no key `{key}`");
        let home = if home.starts_with('`') { home } else { format!("`{home}`") };
        Some(
            Diagnostic::new(&codes::MISPLACED_KEY, message)
                .label("belongs to another table")
                .help(format!("the target has {home}")),
        )
    }

    /// The key is known here, if another variant were chosen.
    fn other_variant(&self, prefix: &str, named: &str, key: &str) -> Option<Diagnostic> {
        let home = format!("{prefix}{key}");
        self.names.paths(key).contains(&home).then(|| {
            Diagnostic::new(&codes::MISPLACED_KEY, format!("{named} has no key `{key}` in this variant"))
                .label("belongs to another variant")
                .help("choose the variant that has it, or remove it")
        })
    }
}

fn list(paths: &[String]) -> String {
    let quoted: Vec<String> = paths.iter().map(|path| format!("`{path}`")).collect();
    quoted.join(" and ")
}

/// The keys that a table knows, where there are few.
fn known_keys(keys: &[&str]) -> String {
    match keys {
        [] => "this table takes no keys".to_owned(),
        few if few.len() <= 8 => format!("its keys are {}", few.join(", ")),
        many => format!("it has {} keys; `cfg schema show` lists them", many.len()),
    }
}
