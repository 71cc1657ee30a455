//! The set of all rules: each is a registered file, and has the recorded findings in fixtures and configs.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs,
};

use cfg_diag::codes;
use cfg_rules::{ALL, FixKind};
use cfg_tests::{CLEAN, Checking, Recorded, workspace};

/// Compares a text with a file of `tests/fixtures/`; with `UPDATE=1` in the environment, writes it instead.
fn snapshot(name: &str, text: &str) {
    let path = workspace().join("tests/fixtures").join(name);
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, text).expect("the snapshot can be written");
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    let lines_beyond = |text: &str, other: &str, sign: char| -> Vec<String> {
        let other: BTreeSet<&str> = other.lines().collect();
        text.lines().filter(|line| !other.contains(line)).map(|line| format!("\n{sign} {line}")).collect()
    };
    let difference = [lines_beyond(&expected, text, '-'), lines_beyond(text, &expected, '+')].concat().concat();
    assert!(
        text == expected,
        "tests/fixtures/{name} differs:{difference}\nif this is intended, run `UPDATE=1 cargo test -p cfg-tests --test repository rules` and review the change"
    );
}

/// A code is never renamed or reused, so lines are added to this file but never removed.
#[test]
fn the_set_of_codes() {
    let line = |code: &cfg_diag::Code| format!("{} {} {:?}\n", code.code, code.name, code.severity);
    snapshot("codes.txt", &codes::ALL.iter().map(line).collect::<String>());
}

#[test]
fn a_code_and_its_name_are_used_once() {
    let mut seen = BTreeSet::new();
    let again: Vec<&str> = codes::ALL.iter().flat_map(|code| [code.code, code.name]).filter(|word| !seen.insert(*word)).collect();
    assert!(
        again.is_empty(),
        "used twice in crates/cfg-diag/src/codes.rs: {again:?}; take a number that tests/fixtures/codes.txt never had"
    );
}

/// Every rule runs on every recorded config, so a new finding of an old rule shows here.
#[test]
fn findings_of_rules_in_recorded_configs() {
    let mut said: BTreeMap<&str, BTreeSet<String>> = ALL.iter().map(|rule| (rule.code.name, BTreeSet::new())).collect();
    for file in Recorded::files(&workspace().join("tests/vectors")) {
        let text = fs::read_to_string(file).expect("a text");
        let vectors: Vec<Recorded> = text.lines().filter_map(Recorded::parse).collect();
        let Some(Recorded { version, kind, .. }) = vectors.first() else { continue };
        let checking = Checking::for_target(version).of_kind(*kind);
        for vector in &vectors {
            for diagnostic in checking.check(&vector.toml).diagnostics {
                if let Some(ids) = said.get_mut(diagnostic.code.name) {
                    ids.insert(format!("{version} {kind} {}", vector.id));
                }
            }
        }
    }
    let mut out = String::new();
    for (name, ids) in said {
        writeln!(out, "{name}: {}", ids.len()).expect("writing to a string");
        for id in ids {
            writeln!(out, "  {id}").expect("writing to a string");
        }
    }
    snapshot("rule-findings.txt", &out);
}

#[test]
fn a_good_config_has_no_findings() {
    assert_eq!(Checking::for_target("0.4.0").found(CLEAN), []);
}

/// Folders that are not groups.
const NO_GROUPS: [&str; 1] = ["declared"];

/// The rules' files by name: `tokens/context_overflow` for `crates/cfg-rules/src/tokens/context_overflow.rs`.
fn files() -> BTreeMap<String, String> {
    let entries = |path| fs::read_dir(path).expect("a folder").map(|entry| entry.expect("an entry").path()).collect::<Vec<_>>();
    let groups = entries(workspace().join("crates/cfg-rules/src"))
        .into_iter()
        .filter(|path| path.is_dir() && !NO_GROUPS.iter().any(|name| path.ends_with(name)));
    let stem = |path: &std::path::Path| path.file_stem().expect("a name").to_string_lossy().into_owned();
    let file = |path: std::path::PathBuf| {
        let group = stem(path.parent().expect("a folder"));
        (stem(&path), format!("{group}/{}", stem(&path)))
    };
    groups.flat_map(entries).map(file).collect()
}

#[test]
fn every_file_is_a_registered_rule() {
    let registered: BTreeSet<String> = ALL.iter().map(|rule| rule.code.name.replace('-', "_")).collect();
    let mut files = files();
    let without_file = registered.iter().filter(|name| files.remove(*name).is_none()).map(|name| {
        format!(
            "\na rule has the code `{}`, but no file is called `{name}.rs`: a file has the name of its code",
            name.replace('_', "-")
        )
    });
    let without_file: String = without_file.collect();
    let unregistered = files.values().map(|file| {
        let (group, module) = file.split_once('/').unwrap_or_default();
        format!(
            "\ncrates/cfg-rules/src/{file}.rs is not registered: add `pub(crate) mod {module};` to crates/cfg-rules/src/{group}.rs, \
             and `&{group}::{module}::RULE` to `ALL` in crates/cfg-rules/src/lib.rs"
        )
    });
    let unregistered: String = unregistered.collect();
    assert!(without_file.is_empty() && unregistered.is_empty(), "{without_file}{unregistered}");
    assert_eq!(registered.len(), ALL.len(), "a rule is registered twice");
}

#[test]
fn rules_are_in_the_order_of_their_codes_beyond_those_of_prime_rl() {
    let order: Vec<&str> = ALL.iter().map(|rule| rule.code.code).collect();
    let misplaced = |codes: &[&'static str]| codes.windows(2).find(|pair| pair[0] > pair[1]).map(|pair| pair[1]);
    assert_eq!(misplaced(&order), None, "`ALL` in crates/cfg-rules/src/lib.rs is in the order of the codes");
    let early: Vec<&&str> = order.iter().filter(|code| **code < "PRL3").collect();
    assert!(early.is_empty(), "{early:?}: codes below PRL300 are of what prime-rl itself refuses");
    assert!(ALL.iter().all(|rule| !rule.kinds.is_empty()));
    let in_table: Vec<&str> = codes::ALL.iter().map(|info| info.code).collect();
    assert_eq!(misplaced(&in_table), None, "crates/cfg-diag/src/codes.rs is in the order of the codes");
}

#[test]
fn the_page_of_a_rule_without_fixes_states_it() {
    let mut wrong = BTreeMap::new();
    for rule in ALL {
        let fix = rule.code.page.split("\n## Fix\n").nth(1).and_then(|below| below.split("\n## ").next()).unwrap_or_default();
        let says = match rule.fix {
            FixKind::None => fix.contains("no automatic fix"),
            FixKind::Safe => fix.contains("safe"),
            FixKind::Unsafe => fix.contains("unsafe"),
            FixKind::Mixed => fix.contains("safe") && fix.contains("unsafe"),
        };
        if !says {
            wrong.insert(rule.code.name, rule.fix);
        }
    }
    assert!(
        wrong.is_empty(),
        "the section `Fix` of these pages must say \"safe\" or \"unsafe\" as the rule does, or \"no automatic fix\": {wrong:?}"
    );
}
