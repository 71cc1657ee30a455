//! The rules as a whole: each is a file that is registered, and says of the fixtures and recorded configs what it said before.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs,
};

use cfg_diag::codes;
use cfg_rules::{ALL, FixKind};
use cfg_tests::{CLEAN, Checking, Recorded, workspace};

/// Compares with a file of `tests/fixtures/`; with `UPDATE=1` in the environment it is written instead.
fn snapshot(name: &str, text: &str) {
    let path = workspace().join("tests/fixtures").join(name);
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, text).expect("the snapshot can be written");
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(text, expected, "{name} differs; where that is meant, run this test with UPDATE=1");
}

/// A code is never renamed and never used again, so lines of this file only come, and none goes.
#[test]
fn the_set_of_codes() {
    let line = |code: &cfg_diag::Code| format!("{} {} {:?}\n", code.code, code.name, code.severity);
    snapshot("codes.txt", &codes::ALL.iter().map(line).collect::<String>());
}

/// Every rule runs over every recorded config: one that begins to speak where it was silent shows here.
#[test]
fn what_rules_say_of_recorded_configs() {
    let mut said: BTreeMap<&str, BTreeSet<String>> = ALL.iter().map(|rule| (rule.code.name, BTreeSet::new())).collect();
    let folder = fs::read_dir(workspace().join("tests/vectors")).expect("the folder");
    let files = folder.map(|entry| entry.expect("an entry").path());
    for file in files.filter(|file| file.extension().is_some_and(|extension| extension == "jsonl")) {
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
fn of_a_good_config_rules_say_nothing() {
    assert_eq!(Checking::for_target("0.4.0").found(CLEAN), []);
}

/// Folders beside those of the groups.
const NO_GROUPS: [&str; 1] = ["declared"];

/// The names of the rules' files: `context_overflow` for `crates/cfg-rules/src/context/context_overflow.rs`.
fn files() -> BTreeSet<String> {
    let entries = |path| fs::read_dir(path).expect("a folder").map(|entry| entry.expect("an entry").path()).collect::<Vec<_>>();
    let groups = entries(workspace().join("crates/cfg-rules/src"))
        .into_iter()
        .filter(|path| path.is_dir() && !NO_GROUPS.iter().any(|name| path.ends_with(name)));
    let stem = |path: std::path::PathBuf| path.file_stem().expect("a name").to_string_lossy().into_owned();
    groups.flat_map(entries).map(stem).collect()
}

#[test]
fn every_file_is_a_registered_rule() {
    let registered: BTreeSet<String> = ALL.iter().map(|rule| rule.code.name.replace('-', "_")).collect();
    let files = files();
    let astray: Vec<&String> = files.symmetric_difference(&registered).collect();
    assert!(astray.is_empty(), "files of no registered rule, or rules without a file named as their code is: {astray:?}");
    assert_eq!(registered.len(), ALL.len(), "a rule is registered twice");
}

#[test]
fn rules_stand_in_the_order_of_their_codes_and_say_what_prime_rl_does_not() {
    let order: Vec<&str> = ALL.iter().map(|rule| rule.code.code).collect();
    assert!(order.is_sorted(), "{order:?}");
    assert!(order.iter().all(|code| *code >= "PRL3"), "{order:?}");
    assert!(ALL.iter().all(|rule| !rule.kinds.is_empty()));
    let in_table: Vec<&str> = codes::ALL.iter().map(|info| info.code).collect();
    assert!(in_table.is_sorted(), "{in_table:?}");
}

#[test]
fn a_rule_without_fixes_says_so_on_its_page() {
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
    assert!(wrong.is_empty(), "`Fix` has to tell how sure the fix is, or that there is \"no automatic fix\": {wrong:?}");
}
