//! `docs/incidents.md` lists all incidents, and `tests/incidents.md` has the configs that show them. A block there begins with the file's name, its
//! target and the findings: `# rl.toml, for 0.4.0: error [unknown-key]`, or `nothing`.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs,
};

use cfg_diag::{Diagnostic, Severity, codes};
use cfg_tests::{Checking, is_split, workspace};

/// The number of incidents.
const ROWS: u32 = 181;

/// A config, and the row of the page that it shows.
struct Case {
    row: u32,
    text: String,
}

impl Case {
    /// The file's name, the target, and the findings.
    fn head(&self) -> (&str, &str, BTreeSet<String>) {
        let first = self.text.lines().next().unwrap_or_default();
        let head = first.strip_prefix("# ").and_then(|head| head.split_once(": "));
        let Some((file, found)) = head else { panic!("row {} begins with `{first}`", self.row) };
        let Some((path, target)) = file.split_once(", for ") else { panic!("row {} is for no target", self.row) };
        let found = found.split(", ").filter(|found| *found != "nothing").map(str::to_owned).collect();
        (path, target, found)
    }
}

fn read(path: &str) -> String {
    fs::read_to_string(workspace().join(path)).expect("the page is there")
}

/// The rows of all tables: the number, and the rest.
fn rows(page: &str) -> Vec<(u32, &str)> {
    let row = |line| {
        let (number, rest) = str::strip_prefix(line, "| ")?.split_once(" | ")?;
        Some((number.parse().ok()?, rest))
    };
    page.lines().filter_map(row).collect()
}

fn cases(page: &str) -> Vec<Case> {
    let mut cases = Vec::new();
    let mut row = 0;
    let mut open: Option<Case> = None;
    for line in page.lines() {
        if let Some(case) = &mut open {
            if line == "```" {
                cases.extend(open.take());
            } else {
                case.text.push_str(line);
                case.text.push('\n');
            }
        } else if line == "```toml" {
            open = Some(Case { row, text: String::new() });
        } else if let Some(heading) = line.strip_prefix("## ") {
            row = heading.parse().expect("a heading is the number of a row");
        }
    }
    assert!(open.is_none(), "a block is never closed");
    cases
}

/// A finding in the form `error [unknown-key]`.
fn named(diagnostic: &Diagnostic) -> String {
    let severity = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "info",
    };
    format!("{severity} [{}]", diagnostic.code.name)
}

#[test]
fn every_row_is_listed_once() {
    let page = read("docs/incidents.md");
    let mut numbers: Vec<u32> = rows(&page).into_iter().map(|(number, _)| number).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=ROWS).collect::<Vec<u32>>());
}

#[test]
fn every_finding_that_a_row_names_is_one() {
    let page = read("docs/incidents.md");
    for (number, rest) in rows(&page) {
        for link in rest.split("](rules/").skip(1) {
            let (name, behind) = link.split_once(".md)").unwrap_or_default();
            let code = codes::ALL.iter().find(|code| code.name == name);
            let is_named = code.is_some_and(|code| behind.starts_with(&format!(" {}", code.code)));
            assert!(is_named, "row {number}: {name} is no finding, or has another code");
        }
    }
}

#[test]
fn every_link_has_a_target() {
    let (page, configs) = (read("docs/incidents.md"), read("tests/incidents.md"));
    let shown: BTreeSet<u32> = cases(&configs).iter().map(|case| case.row).collect();
    let mut linked = BTreeSet::new();
    for link in page.split("](").skip(1) {
        let target = link.split(')').next().unwrap_or_default();
        let (path, heading) = target.split_once('#').unwrap_or((target, ""));
        assert!(workspace().join("docs").join(path).exists(), "{target} leads nowhere");
        linked.extend(heading.parse::<u32>().ok());
    }
    assert_eq!(linked, shown, "rows that link a config, and rows that have one");
}

#[test]
fn the_configs_have_the_stated_findings() {
    let page = read("tests/incidents.md");
    let cases = cases(&page);
    let mut checkings: BTreeMap<(&str, &str), Checking> = BTreeMap::new();
    let mut faults = String::new();
    for case in &cases {
        let (path, target, stated) = case.head();
        let checking = checkings.entry((path, target)).or_insert_with(|| Checking::for_target(target).named(path));
        let diagnostics =
            if is_split(&case.text) { checking.check_split(path, &case.text) } else { checking.check(&case.text).diagnostics };
        // Infos about other subjects are left out.
        let mut found: BTreeSet<String> = diagnostics.iter().map(named).collect();
        found.retain(|found| !found.starts_with("info") || stated.contains(found));
        if found != stated {
            let _ = writeln!(faults, "row {}, {path} for {target}: {stated:?} is stated, {found:?} is found", case.row);
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}
