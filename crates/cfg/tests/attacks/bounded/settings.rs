//! Settings, and the rules of git for what is skipped: how many there are, and what their patterns cost.

use super::letters;
use crate::victim::Victim;

/// Patterns that all match nearly as far as they can.
fn patterns(count: usize) -> Vec<String> {
    (0..count).map(|at| format!("\"c/**/*{{a,b,c,d}}{{a,b,c}}*{at}*.yaml\"")).collect()
}

fn dialect(patterns: &[String]) -> String {
    format!("[[dialect]]\nname = \"d\"\nfiles = [{}]\nschema = \"d.schema\"\n", patterns.join(", "))
}

#[test]
fn settings_have_few_values() {
    let selectors = vec!["\"PRL4\""; 100_000].join(", ");
    let ignores = patterns(12_000).join(" = [\"PRL4\"]\n");
    for settings in [
        dialect(&patterns(12_000)),
        format!("[lint]\nignore = [{selectors}]\n"),
        format!("[lint.per-file-ignores]\n{ignores} = [\"PRL4\"]\n"),
        (0..15_000).map(|at| format!("[gpus.\"My card {at}\"]\nmemory = \"48 GiB\"\n")).collect::<Vec<_>>().concat(),
        (0..20_000).map(|at| format!("[[group]]\ntrainer = \"c/{at}.toml\"\n")).collect::<Vec<_>>().concat(),
    ] {
        let victim = Victim::new(&[("cfg.toml", &settings)]);
        let said = victim.look("check --format concise .").stdout;
        assert!(said.contains("PRL014") && said.contains("more than 5000 keys and items"), "{said}");
    }
}

#[test]
fn the_patterns_of_settings_are_bounded_together() {
    let settings = dialect(&patterns(2_000));
    let victim = Victim::new(&[("cfg.toml", &settings), ("d.schema", "(root)\n  ..  root(allow)\n")]);
    (0..50).for_each(|at| victim.write(&format!("c/{}{at}.yaml", "a".repeat(100)), "a: 1\n"));
    let said = victim.look("check --format concise .").stdout;
    assert_eq!(said.matches("have more than 16 KiB").count(), 1, "{said}");
}

#[test]
fn comparing_files_with_patterns_is_bounded() {
    let pattern = |at: usize| format!("\"c/**/{}{at}*.yaml\"", "*{a,b}?".repeat(12));
    let settings = dialect(&(0..150).map(pattern).collect::<Vec<_>>());
    let victim = Victim::new(&[("cfg.toml", &settings), ("d.schema", "(root)\n  ..  root(allow)\n")]);
    let mut letters = letters();
    for at in 0..60 {
        let name: String = letters.by_ref().take(200).collect();
        victim.write(&format!("c/{name}{at}.yaml"), "a: 1\n");
    }
    let said = victim.look("check --format concise .").stdout;
    assert!(said.contains("of 61 files"), "{said}");
}

#[test]
fn settings_that_thousands_of_folders_inherit_are_bounded() {
    let outer = (0..1_600).map(|at| format!("[gpus.\"My card {at}\"]\nmemory = \"48 GiB\"\n")).collect::<Vec<_>>().concat();
    let victim = Victim::new(&[("cfg.toml", &outer)]);
    for at in 0..500 {
        victim.write(&format!("s{at}/cfg.toml"), "disk = \"1 TB\"\n");
        victim.write(&format!("s{at}/rl.toml"), "[trainer]\n");
    }
    let said = victim.look("check --format concise .").stdout;
    assert!(said.contains("those of the folders above it are not used"), "{said}");
}

#[test]
fn rules_for_what_is_skipped_are_bounded() {
    let wild = (0..20_000).map(|at| format!("c/**/*{{a,b,c,d}}?*{at}*.toml\n")).collect::<Vec<_>>().concat();
    for rules in [wild, "*".repeat(1_000_000)] {
        let victim = Victim::new(&[(".gitignore", &rules)]);
        (0..20).for_each(|at| victim.write(&format!("c/{}{at}.toml", "a".repeat(100)), "a = 1\n"));
        let ended = victim.look("check --format concise .");
        let said = [&*ended.stdout, &*ended.stderr].concat();
        assert!(said.contains(".gitignore") && said.contains("more rules than cfg reads"), "{said}");
    }
}
