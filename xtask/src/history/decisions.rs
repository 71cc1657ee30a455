//! `cargo xtask history decisions [SINCE]`: the one list of what a person must decide after commits were added. It is made of the files of `schemas/`
//! alone, so that it can be had without building the program with them.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use cfg_schema::{Ahead, AheadChange, AheadRelease, History, Kind, Node, Point, Segment, find_fields};

use super::{
    main_line::{Line, MainLine, Numbers},
    schema_file::{self, relative},
    sharing::named,
};
use crate::{classes, commits::Commits, generate::root, mirror::Mirror, moves};

/// What has to be decided: what it is and where, and each case.
pub(crate) struct Decision {
    title: String,
    cases: Vec<String>,
}

/// The list.
#[derive(Default)]
pub(crate) struct Decisions(Vec<Decision>);

impl Decisions {
    /// Adds what has cases.
    pub(crate) fn add(&mut self, title: impl Into<String>, cases: Vec<String>) {
        if !cases.is_empty() {
            self.0.push(Decision { title: title.into(), cases });
        }
    }

    /// Adds another list.
    pub(crate) fn append(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Its lines, numbered.
    pub(crate) fn lines(&self) -> Vec<String> {
        if self.0.is_empty() {
            return vec!["Nothing is left for a person to decide.".to_owned()];
        }
        let mut lines = vec!["What a person must decide:".to_owned()];
        for (number, Decision { title, cases }) in (1..).zip(&self.0) {
            lines.push(format!("{number}. {title}"));
            lines.extend(cases.iter().map(|case| format!("   - {case}")));
        }
        lines
    }
}

/// What the files of `schemas/` leave to a person. What concerns single commits is listed for those from `since` on, an index into the main line;
/// without it, keys are listed that went at any commit.
pub(crate) fn open(mirror: &mut Mirror, since: Option<usize>) -> Result<Decisions, String> {
    let schemas = root().join("schemas");
    let main_line = MainLine::read(&schemas)?;
    let (any, since) = (since, since.unwrap_or(main_line.lines.len()));
    let mut list = Decisions::default();
    list.add(
        "What became of keys that are gone: an entry in schemas/moves.toml, with `change = \"remove\"` if nothing took their place; and a line in \
         tests/migrations/moves.jsonl",
        unmoved(&schemas, &main_line, any)?,
    );
    match super::compile() {
        Ok(table) => of_table(table, &main_line, &mut list)?,
        Err(why) => list.add(
            "Lines of schemas/docs or schemas/moves.toml that contradict the new commits: until they are changed, the rest can't be listed",
            why.lines().map(str::to_owned).collect(),
        ),
    }
    list.add(
        "New, gone and changed validators: write or change the body where there is one; and say in schemas/unchecked.toml what a run did before a new \
         one, or before what a changed one refuses now",
        validators(&schemas, &main_line, since, mirror)?,
    );
    let read = main_line.lines.iter().skip(since).filter(|line| line.is_schema_commit());
    let with_subject =
        |line: &Line| -> Result<String, String> { Ok(format!("{}: {}", in_words(line), mirror.subject(&line.sha)?)) };
    list.add(
        "Commits to read, for what nothing reports: schemas/behaviours.toml, schemas/shares.toml, schemas/needs.toml, schemas/sockets.toml, \
         schemas/lines.toml, schemas/synonyms.toml, crates/cfg-resolve/src/launcher.rs, crates/cfg-draft/src/settings.rs",
        read.map(with_subject).collect::<Result<_, String>>()?,
    );
    Ok(list)
}

/// What depends on the compiled table.
fn of_table(table: Vec<u8>, main_line: &MainLine, list: &mut Decisions) -> Result<(), String> {
    let history = History::of_bytes(table).ok_or("the table of the history can't be read")?;
    let numbers = main_line.numbers();
    let (mut undescribed, mut unported) = (BTreeMap::new(), BTreeSet::new());
    for kind in Kind::ALL {
        let mut seen = BTreeSet::new();
        collect(history.root(kind), &format!("{kind}:"), &mut seen, &mut |path, node| {
            if let Some(bare) = node.intervals().find(|interval| node.doc(interval.since()).is_none())
                && matches!(node.segment(), Segment::Field(_) | Segment::Variant(_) | Segment::Class(_))
            {
                undescribed.entry(node.id()).or_insert_with(|| format!("{path}, since {}", numbers.commit(bare.since().0)));
            }
            for interval in node.intervals() {
                unported
                    .extend(cfg_resolve::unported(interval).map(|(mode, name)| {
                        format!("`{name}` ({mode}) of {path}, since {}", numbers.commit(interval.since().0))
                    }));
            }
        });
    }
    list.add("What new keys are for: a sentence in schemas/docs", undescribed.into_values().collect());
    let classes = classes::missing(history)?;
    list.add("Whether new keys are of training, resources or operations: a word in schemas/classes", classes);
    list.add(
        "Validators without a body: one in crates/cfg-resolve/src/before or native, or a word in `WITHOUT_BODY` there; until then they are run from \
         their source if that is at hand",
        unported.into_iter().collect(),
    );
    list.add("Entries of schemas/ahead.toml that the history has now: remove them", known_ahead(history));
    Ok(())
}

/// Calls a function with each node below one, and its path; a shared one once.
fn collect(node: Node, path: &str, seen: &mut BTreeSet<u32>, each: &mut dyn FnMut(&str, Node)) {
    for child in node.children() {
        let below = match child.segment() {
            Segment::Field(name) if path.ends_with(':') => format!("{path}{name}"),
            Segment::Field(name) => format!("{path}.{name}"),
            Segment::Item => format!("{path}[]"),
            Segment::MapValue => format!("{path}.*"),
            Segment::Variant(tag) => format!("{path}<{tag}>"),
            Segment::Class(name) => format!("{path}<{name}>"),
        };
        if seen.insert(child.id()) {
            each(&below, child);
            collect(child, &below, seen, each);
        }
    }
}

/// The keys that are gone without an entry in `moves.toml`, each with its last commit, from the commit with the index `since` on.
fn unmoved(schemas: &Path, main_line: &MainLine, since: Option<usize>) -> Result<Vec<String>, String> {
    let numbers = main_line.numbers();
    let is_before = |line: &&Line| line.is_schema_commit();
    let first = since.map_or(0, |since| main_line.lines.iter().take(since).filter(is_before).count());
    let files = schema_file::read(schemas, &numbers)?;
    let moved = moves::places(schemas)?;
    let mut found = Vec::new();
    for (kind, file) in files.iter().enumerate() {
        // Without the table around it, a key needs no entry of its own.
        let mut gone: Vec<(u16, &str)> = Vec::new();
        for (path, entry) in &file.entries {
            let Some(until) = entry.intervals.last().and_then(|last| last.until) else { continue };
            let is_part = gone.iter().any(|(at, above)| *at == until && relative(path, above).is_some());
            gone.push((until, path));
            let is_moved = || {
                let above = path.match_indices(['.', '<', '[']).map(|(at, _)| &path[..at]).chain([&**path]);
                above.into_iter().any(|path| moved.contains(&named(&(kind, path.to_owned()))))
            };
            if !is_part && usize::from(until) >= first && !is_moved() {
                found.push(format!("{}, gone at {}", named(&(kind, path.clone())), of(main_line, &numbers, until)));
            }
        }
    }
    Ok(found)
}

/// A schema commit in words.
fn of(main_line: &MainLine, numbers: &Numbers, number: u16) -> String {
    let sha = numbers.commit(number);
    main_line.lines.iter().find(|line| line.sha.starts_with(sha)).map_or_else(|| sha.to_owned(), in_words)
}

fn in_words(line: &Line) -> String {
    let number = if line.pull_request.is_empty() { String::new() } else { format!("#{} ", line.pull_request) };
    format!("{} ({number}of {})", &line.sha[..9], line.date.get(..10).unwrap_or_default())
}

/// A class and a function of it, each with the hash of its code.
type Revisions = BTreeMap<(String, String), String>;

/// The functions of `revisions.tsv` that differ between the last commit before an index of the main line and the last one.
fn validators(schemas: &Path, main_line: &MainLine, since: usize, mirror: &mut Mirror) -> Result<Vec<String>, String> {
    let commits: Vec<&Line> = main_line.lines.iter().filter(|line| line.is_schema_commit()).collect();
    let before = main_line.lines.iter().take(since).filter(|line| line.is_schema_commit()).count();
    let (Some(first), Some(last)) = (before.checked_sub(1), commits.len().checked_sub(1)) else { return Ok(Vec::new()) };
    if first == last {
        return Ok(Vec::new());
    }
    let text = fs::read_to_string(schemas.join("revisions.tsv")).map_err(|error| format!("revisions.tsv: {error}"))?;
    let place = |sha: &str| commits.iter().position(|line| line.sha.starts_with(sha));
    let at = |index: usize| -> Revisions {
        let rows = text.lines().filter(|line| !line.starts_with('#'));
        let held = rows.filter_map(|row| {
            let [class, name, revision, range] = *row.split('\t').collect::<Vec<_>>() else { return None };
            let (since, until) = range.split_once("..")?;
            let until = if until.is_empty() { commits.len() } else { place(until)? };
            (place(since)? <= index && index < until).then(|| ((class.to_owned(), name.to_owned()), revision.to_owned()))
        });
        held.collect()
    };
    let (old, new) = (at(first), at(last));
    let mut found = Vec::new();
    for ((class, name), revision) in &new {
        let what = match old.get(&(class.clone(), name.clone())) {
            None => "new",
            Some(known) if known != revision => "changed",
            Some(_) => continue,
        };
        let place = mirror.definition(&commits[last].sha, class, name)?.map(|place| format!(", {place}")).unwrap_or_default();
        let point = Point(u16::try_from(last).unwrap_or(u16::MAX));
        let body = if cfg_resolve::has_body(point, name) { "there is a body" } else { "there is no body" };
        found.push(format!("`{name}` of {} is {what}{place}; {body}", class_name(class)));
    }
    let gone = old.keys().filter(|key| !new.contains_key(key));
    found.extend(gone.map(|(class, name)| format!("`{name}` of {} is gone", class_name(class))));
    Ok(found)
}

fn class_name(class: &str) -> String {
    if class.is_empty() { "types".to_owned() } else { format!("`{class}`") }
}

/// The entries of `ahead.toml` that a history has.
fn known_ahead(history: History) -> Vec<String> {
    let newest = history.newest();
    let exists = |entry: &Ahead| find_fields(history, entry.kind, entry.path).iter().any(|field| field.exists_at(newest));
    let is_known = |entry: &&Ahead| match entry.change {
        AheadChange::Added { .. } => is_in_each_variant(history, entry) && exists(entry),
        AheadChange::Removed(_) => !exists(entry),
        _ => false,
    };
    let known = Ahead::all().iter().filter(is_known);
    let keys = known.map(|entry| format!("{}:{} ({})", entry.kind, entry.path, entry.since()));
    let releases = AheadRelease::all().iter().filter(|release| history.tag(release.name).is_some());
    keys.chain(releases.map(|release| format!("the release {}", release.name))).collect()
}

/// Whether each variant of the table of a new key has it.
fn is_in_each_variant(history: History, entry: &Ahead) -> bool {
    let newest = history.newest();
    let (table, key) = entry.path.rsplit_once('.').unwrap_or(("", entry.path));
    let lacks = |variant: Node| variant.field(key).is_none_or(|field| field.at(newest).is_none());
    !find_fields(history, entry.kind, table).iter().any(|table| table.node.variants(newest).any(lacks))
}

/// The index of a commit of the main line, by the beginning of its hash.
pub(crate) fn index_of(since: &str) -> Result<usize, String> {
    let main_line = Commits::read()?.main_line;
    let is_it = |sha: &str| since.len() >= 7 && sha.starts_with(since);
    main_line.iter().position(|commit| is_it(&commit.sha)).ok_or_else(|| format!("{since} is not a commit in commits.tsv"))
}

#[cfg(test)]
mod tests {
    use super::Decisions;

    #[test]
    fn the_list_is_numbered_and_leaves_out_what_has_no_cases() {
        let mut list = Decisions::default();
        assert_eq!(list.lines(), ["Nothing is left for a person to decide."]);
        list.add("A", vec!["a".to_owned()]);
        list.add("B", Vec::new());
        list.add("C", vec!["c".to_owned(), "d".to_owned()]);
        assert_eq!(list.lines(), ["What a person must decide:", "1. A", "   - a", "2. C", "   - c", "   - d"]);
    }
}
