//! The entrypoints of prime-rl: reads the scripts that each commit installs, and the class that each loads, into `schemas/entrypoints.tsv`; and compiles
//! that file into the table of `cfg-schema`.

use std::{collections::BTreeMap, fmt::Write as _, fs};

use cfg_python::{Program, kind_of_class};
use cfg_schema::{History, Kind, Point};

use crate::{
    commits::Commits,
    generate::root,
    mirror::Mirror,
    revisions::{before, read, save},
};

const FILE: &str = "entrypoints.tsv";

const HEAD: &str = "# The entrypoints of prime-rl's main line: the name of the script, its function, the class that it loads (empty if that is unknown), and from\n# which commit on, up to which. `cargo xtask history revisions` writes it.\n";

/// Writes the entrypoints of the commits of the main line from the one with the index `first` on. Returns lines for a person to review.
pub(crate) fn write(mirror: &mut Mirror, first: usize) -> Result<Vec<String>, String> {
    let commits = Commits::read()?;
    let shas: Vec<String> = commits.main_line.iter().map(|commit| commit.sha[..9].to_owned()).collect();
    let mut held = before(&read(FILE, &shas)?, u16::try_from(first).ok());
    let (mut last, mut lines): (Option<BTreeMap<String, Program>>, Vec<String>) = (None, Vec::new());
    let mut news = Vec::new();
    for (index, commit) in (0..).zip(&commits.main_line).skip(first) {
        let programs = scripts(&mirror.file(&commit.sha, "pyproject.toml")?);
        if commit.touches_schema || last.as_ref() != Some(&programs) {
            let classes =
                mirror.program_classes(&commit.sha, &programs, Point(commit.schema).min(History::built_in().newest()))?;
            let line = |((name, program), class): ((&String, &Program), &Result<String, String>)| {
                let class = class.as_deref().unwrap_or_default();
                format!("{name}\t{}:{}\t{class}", program.module, program.function.as_deref().unwrap_or_default())
            };
            let now: Vec<String> = programs.iter().zip(&classes).map(line).collect();
            for (name, class) in programs.keys().zip(&classes) {
                if let Err(why) = class
                    && last.as_ref().is_none_or(|last| !last.contains_key(name))
                {
                    news.push(format!("{}: the class of `{name}` is not known: {why}", &commit.sha[..9]));
                }
            }
            if last.is_some() {
                let gone = lines.iter().filter(|line| !now.contains(line)).map(|line| ("is gone", line));
                let new = now.iter().filter(|line| !lines.contains(line)).map(|line| ("is new", line));
                news.extend(gone.chain(new).map(|(what, line)| {
                    format!("{}: the entrypoint {} {what}", &commit.sha[..9], line.trim_end().replace('\t', " "))
                }));
            }
            (last, lines) = (Some(programs), now);
        }
        lines.iter().for_each(|line| held.entry(line.clone()).or_default().push(index));
    }
    save(FILE, HEAD, held.iter().map(|(line, indices)| (line.clone(), indices)), &shas)?;
    Ok(news)
}

/// The scripts of a `pyproject.toml`.
fn scripts(pyproject: &str) -> BTreeMap<String, Program> {
    let root: toml::Table = toml::from_str(pyproject).unwrap_or_default();
    let scripts = root.get("project").and_then(|project| project.get("scripts")).and_then(toml::Value::as_table);
    let script = |(name, value): (&String, &toml::Value)| {
        let (module, function) = value.as_str()?.split_once(':')?;
        Some((name.clone(), Program { module: module.trim().into(), function: Some(function.trim().into()) }))
    };
    scripts.into_iter().flatten().filter_map(script).collect()
}

/// The text of the generated file.
pub(crate) fn compile() -> Result<Vec<u8>, String> {
    let path = format!("schemas/{FILE}");
    let text = fs::read_to_string(root().join(&path)).map_err(|error| format!("{path}: {error}"))?;
    table(&text, &Commits::read()?).map(String::into_bytes).map_err(|error| format!("{path}: {error}"))
}

/// A row: the name, the class, and the index of the first commit and of the first without it.
type Row<'t> = (&'t str, &'t str, usize, Option<usize>);

fn table(text: &str, commits: &Commits) -> Result<String, String> {
    let index = |sha: &str| commits.main_line.iter().position(|commit| sha.len() == 9 && commit.sha.starts_with(sha));
    let mut rows: Vec<Row<'_>> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let [name, _, class, range] = *line.split('\t').collect::<Vec<_>>() else {
            return Err(format!("`{line}` has not four cells"));
        };
        let (since, until) = range.split_once("..").ok_or_else(|| format!("`{range}` is no range"))?;
        let place = |sha: &str| index(sha).ok_or_else(|| format!("{sha} is not a commit of commits.tsv"));
        let until = if until.is_empty() { None } else { Some(place(until)?) };
        rows.push((name, class, place(since)?, until));
    }
    rows.sort_by_key(|(name, _, since, _)| (*name, *since));
    // A function that moved, and loads the same class, is the same entrypoint.
    rows.dedup_by(|next, row| {
        let is_same = (row.0, row.1, row.3) == (next.0, next.1, Some(next.2));
        if is_same {
            row.3 = next.3;
        }
        is_same
    });
    let mut out = format!(
        "//! The entrypoints of prime-rl. Generated from `schemas/{FILE}` by `cargo xtask generate`.\n\nuse super::{{Boundary, Entrypoint}};\n\
         use crate::{{Kind, Point}};\n\n#[rustfmt::skip]\npub(super) static ALL: &[Entrypoint] = &[\n"
    );
    for (name, class, since, until) in rows {
        let boundary = |index: usize, is_end: bool| {
            let commit = &commits.main_line[index];
            // At the last point before a commit that changed no class, there are commits with it and commits without it.
            let point = commit.schema + u16::from(is_end && !commit.touches_schema);
            format!("Boundary {{ commit: {:?}, day: {:?}, point: Point({point}) }}", &commit.sha[..9], commit.day)
        };
        let until = until.map_or_else(|| "None".to_owned(), |until| format!("Some({})", boundary(until, true)));
        let kind = name.parse().ok().or_else(|| kind_of_class(class));
        let kind = kind.map_or_else(|| "None".to_owned(), |kind: Kind| format!("Some(Kind::{kind:?})"));
        // Writing to a `String` does not fail.
        let _ = writeln!(
            out,
            "    Entrypoint {{ name: {name:?}, class: {class:?}, kind: {kind}, since: {}, until: {until} }},",
            boundary(since, false)
        );
    }
    out.push_str("];\n");
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::{scripts, table};
    use crate::commits::Commits;

    #[test]
    fn scripts_are_those_of_the_project() {
        let found = scripts("[project.scripts]\nrl = \"prime_rl.rl:main\"\nother = 3\n");
        let found: Vec<_> =
            found.iter().map(|(name, program)| (&**name, &*program.module, program.function.as_deref())).collect();
        assert_eq!(found, [("rl", "prime_rl.rl", Some("main"))]);
        assert!(scripts("[project").is_empty());
    }

    #[test]
    fn a_class_has_a_row_and_a_moved_function_none() {
        let commits = Commits::read().expect("the history is well formed");
        let sha = |index: usize| commits.main_line[index].sha[..9].to_owned();
        let (one, two, three) = (sha(0), sha(10), sha(20));
        let text = format!("# c\nrl\ta:main\tA\t{one}..{two}\nrl\tb:main\tA\t{two}..{three}\nrl\tb:main\tB\t{three}..\n");
        let made = table(&text, &commits).expect("it is well formed");
        assert_eq!(made.matches("name: \"rl\"").count(), 2, "{made}");
        assert!(made.contains("class: \"B\", kind: Some(Kind::Rl)") && made.contains("until: None"), "{made}");
        for wrong in ["rl\ta:main\tA\n", "rl\ta:main\tA\t123456789..\n", "rl\ta:main\tA\tnothing\n"] {
            assert!(table(wrong, &commits).is_err(), "{wrong}");
        }
    }
}
