//! Configs that include others, and texts that are mostly faults.

use std::fmt::Write as _;

use crate::{
    sized::sized,
    victim::{Odd, Victim},
};

/// Replaces a file that `rl.toml` names in `toml_files`.
#[track_caller]
fn named_by_a_config(odd: Odd) {
    let victim = Victim::new(&[("rl.toml", "toml_files = [\"base.toml\"]\n[trainer]\n[orchestrator]\n")]);
    victim.put(odd, "base.toml");
    for words in ["check rl.toml", "check .", "compile rl.toml", "check -- uv run rl @ rl.toml"] {
        let ended = victim.look(words);
        let said = [&*ended.stdout, &*ended.stderr].concat();
        assert!(ended.status != Some(0) && said.contains("base.toml"), "{words}: {ended:?}");
    }
    victim.edit(&["rl.toml"]);
}

#[test]
fn a_base_that_is_a_device_is_not_read() {
    named_by_a_config(Odd::Device);
}

#[test]
fn a_base_that_is_a_pipe_is_not_waited_for() {
    named_by_a_config(Odd::Pipe);
}

#[test]
fn a_base_that_is_a_socket_is_not_opened() {
    named_by_a_config(Odd::Socket);
}

#[test]
fn a_base_that_is_a_folder_is_refused() {
    named_by_a_config(Odd::Folder);
}

#[test]
fn a_base_of_two_gib_is_not_read() {
    named_by_a_config(Odd::Huge);
}

#[test]
fn cyclic_links_are_reported() {
    let victim = Victim::new(&[("rl.toml", "toml_files = [\"a.toml\"]\n[trainer]\n")]);
    victim.link("a.toml", "b.toml");
    victim.link("b.toml", "a.toml");
    victim.link("folder/up", "..");
    for words in ["check .", "check rl.toml", "check a.toml", "compile rl.toml"] {
        victim.look(words);
    }
    victim.git("add -A");
    victim.look("hook run");
    victim.edit(&["rl.toml"]);
}

#[test]
fn configs_that_include_each_other_are_reported() {
    let victim = Victim::new(&[("rl.toml", "toml_files = [\"a.toml\"]\n"), ("a.toml", "toml_files = [\"rl.toml\"]\n")]);
    for words in ["check .", "compile rl.toml"] {
        assert_ne!(victim.look(words).status, Some(0), "{words}");
    }
    victim.edit(&["rl.toml", "a.toml"]);
}

#[test]
fn the_files_of_a_config_are_bounded_together() {
    let victim = Victim::new(&[]);
    let named: Vec<String> = (0..24).map(|at| format!("\"b{at}.toml\"")).collect();
    victim.write("rl.toml", &format!("toml_files = [{}]\n[trainer]\n[orchestrator]\n", named.join(", ")));
    for at in 0..24 {
        let keys = (0..5_000).map(|key| format!("k{at}_{key} = 1\n")).collect::<Vec<_>>().concat();
        victim.write(&format!("b{at}.toml"), &keys);
    }
    for words in ["check --format concise rl.toml", "compile rl.toml"] {
        let ended = victim.look(words);
        let said = [&*ended.stdout, &*ended.stderr].concat();
        assert!(said.contains("too many or too large together"), "{words}: {said}");
    }
}

#[test]
fn configs_that_all_include_each_other_are_bounded() {
    let victim = Victim::new(&[]);
    let names: Vec<String> = (0..120).map(|at| format!("\"b{at}.toml\"")).collect();
    let all = format!("toml_files = [{}]\n", names.join(", "));
    (0..120).for_each(|at| victim.write(&format!("b{at}.toml"), &all));
    assert!(victim.look("check --format concise b0.toml").stdout.contains("too many or too large together"));
    assert_ne!(victim.look("check -q --format concise .").status, Some(0));
}

#[test]
fn a_text_that_is_mostly_faults_is_not_read_to_its_end() {
    for (text, code) in [
        ("=\n".repeat(2_000_000), "PRL001"),
        ("\"\n".repeat(2_000_000), "PRL001"),
        ("a = 1\n".repeat(400_000), "PRL002"),
        (format!("{} = [{}]\n", "a".repeat(100_000), "=,".repeat(100_000)), "PRL001"),
        (format!("a = {}", "[".repeat(900_000)), "PRL001"),
        (format!("a = {}", "[".repeat(4_000_000)), "PRL007"),
    ] {
        let victim = Victim::new(&[("rl.toml", &text)]);
        let said = victim.look("check --format concise rl.toml").stdout;
        let findings = said.matches(&format!("[{code}]")).count();
        assert!((1..=10_000).contains(&findings), "{findings} of {code} in {:?}", &text[..10]);
    }
}

#[test]
fn a_key_of_millions_of_parts_is_bounded() {
    for (parts, code) in [(500_000, "PRL006"), (4_000_000, "PRL007")] {
        let text = format!("a{} = 1\n[trainer]\n[orchestrator]\n", ".a".repeat(parts));
        let victim = Victim::new(&[("rl.toml", &text)]);
        let said = victim.look("check --format concise rl.toml").stdout;
        assert!(said.contains(code), "{said}");
    }
}

#[test]
fn comments_are_bounded() {
    let mut lines = String::new();
    (0..100_000).for_each(|at| writeln!(lines, "# k{at} = 1").expect("a line"));
    let victim = Victim::new(&[("rl.toml", &format!("# /// config\n{lines}# ///\n[trainer]\n[orchestrator]\n"))]);
    let said = victim.look("check --format concise rl.toml").stdout;
    assert!(said.matches("[PRL015]").count() == 1 && said.contains("more than 2000 lines"), "{said}");
    let ignored = "# cfg: ignore[PRL101]\n".repeat(100_000);
    let victim = Victim::new(&[("rl.toml", &(ignored + "[trainer]\n[orchestrator]\n"))]);
    let said = victim.look("check --format concise rl.toml").stdout;
    assert_eq!(said.matches("[PRL017]").count(), 10_000);
}

/// Of a text with ever more launches, the first ones are known.
#[test]
fn launches_in_comments_and_scripts_are_bounded() {
    let end = "[trainer]\n[orchestrator]\n";
    for line in
        ["# uv run rl @ rl.toml --a b\n", "# uv run rl @ $X/rl.toml \\\n", "# A @ {{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{ .toml\n"]
    {
        let text = line.repeat(sized(40_000, 400_000)) + end;
        let victim = Victim::new(&[("rl.toml", &text)]);
        victim.look("check rl.toml");
        let script = line.trim_start_matches("# ").repeat(30_000);
        for number in 0..sized(4, 40) {
            victim.write(&format!("scripts/run{number}.sh"), &script);
        }
        victim.look("check .");
    }
}
