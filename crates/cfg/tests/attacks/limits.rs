//! A repository can't exhaust threads, memory or time of the machine. With less of these than desired, the work takes longer.

use std::process::Command;

use crate::{
    sized::sized,
    victim::{CLEAN, Victim},
};

/// Runs `cfg` after these shell commands.
#[track_caller]
fn behind(victim: &Victim, limits: &str, words: &str) -> Option<i32> {
    victim.finish(&mut victim.limited(limits, words.split_whitespace()), b"").status
}

/// A repository with many configs in many folders.
fn many() -> Victim {
    let victim = Victim::registered();
    for number in 0..sized(120, 400) {
        victim.write(&format!("configs/{}/{number}.toml", number % 40), CLEAN);
    }
    victim
}

/// root is exempt from the limit on processes, so the test runs as another user.
#[test]
fn without_permission_for_threads_all_is_checked_by_one() {
    let victim = many();
    let open = Command::new("chmod").args(["-R", "a+rwX"]).arg(victim.at("")).status();
    assert!(open.is_ok_and(|status| status.success()));
    // No other process has this user id, so only this command counts.
    let nobody = ["--reuid=65123", "--regid=65123", "--clear-groups"];
    let program = env!("CARGO_BIN_EXE_cfg");
    let can = Command::new("setpriv").args(nobody).args([program, "--version"]).output();
    if !can.is_ok_and(|output| output.status.success()) {
        return victim.skip("another user");
    }
    for (processes, words) in
        [(1, "check ."), (1, "check rl.toml"), (1, "compile rl.toml"), (2, "check ."), (1, "registry verify"), (1, "log")]
    {
        let script = format!("ulimit -u {processes}; exec \"$0\" \"$@\"");
        let mut command = Command::new("setpriv");
        command.args(nobody).args(["/bin/sh", "-c", &script, program]).args(words.split_whitespace());
        let ended = victim.finish(&mut victim.within(command), b"");
        assert_eq!(ended.status, Some(0), "{words}: {ended:?}");
        assert!(!ended.stderr.contains("panicked"), "{words}: {ended:?}");
    }
}

#[test]
fn a_small_stack_is_enough() {
    let victim = Victim::registered();
    victim.write("deep.toml", &format!("[trainer]\n[orchestrator]\nx = {}{}\n", "[".repeat(60_000), "]".repeat(60_000)));
    victim.write("open.toml", &format!("[trainer]\n[orchestrator]\nx = {}\n", "{a=".repeat(60_000)));
    victim.write("long.toml", &format!("[trainer]\n[orchestrator]\nx{} = 1\n[a{}]\n", ".x".repeat(60_000), ".a".repeat(60_000)));
    for words in ["check .", "compile deep.toml", "check open.toml", "memory long.toml"] {
        // If the command ends with one of its own exit statuses, the stack was large enough.
        behind(&victim, "ulimit -s 1024; ulimit -v 2097152", words);
    }
}

#[test]
fn few_open_files_are_enough() {
    let victim = many();
    for words in ["check .", "registry verify", "hook run --all-files"] {
        assert_eq!(behind(&victim, "ulimit -n 24; ulimit -v 2097152", words), Some(0), "{words}");
    }
}

#[test]
fn many_configs_take_little_memory() {
    let victim = many();
    assert_eq!(behind(&victim, "ulimit -v 1048576", "check ."), Some(0));
}

#[test]
fn a_deeply_nested_registry_is_refused() {
    let victim = Victim::registered();
    for text in [
        "[".repeat(200_000),
        "{\"a\":".repeat(200_000),
        format!("{{\"configs\": {}{}}}", "[".repeat(100_000), "]".repeat(100_000)),
    ] {
        victim.write("registry.json", &text);
        for words in ["registry verify", "log", "registry list", "check .", "run list"] {
            victim.look(words);
        }
    }
    victim.write("registry.json", "{}");
    victim.write(".cfg/journal", &"[".repeat(200_000));
    victim.look("registry verify");
}

#[test]
fn deeply_nested_settings_are_reported() {
    let victim = Victim::registered();
    // Even the smaller number would exhaust the stack, if each level needed some of it.
    let depth = sized(40_000, 200_000);
    for text in
        [format!("x = {}", "[".repeat(depth)), format!("x{} = 1", ".x".repeat(depth)), format!("[{}a]", "a.".repeat(depth))]
    {
        for name in ["cfg.toml", "pyproject.toml", "uv.lock"] {
            let before = victim.files();
            victim.write(name, &text);
            for words in &["check .", "check rl.toml", "run preflight rl.toml"][..sized(1, 3)] {
                victim.look(words);
            }
            for path in victim.files().into_keys().filter(|path| !before.contains_key(path)) {
                std::fs::remove_file(path).expect("it is removed");
            }
        }
    }
}

#[test]
fn cyclic_versions_are_reported() {
    let victim = Victim::registered();
    let version = |from: &str| format!("{{\"created\": \"2026-01-05\", \"notes\": \"x\", \"based_on\": \"{from}\"}}");
    let circle =
        format!("\"v1\": {}, \"v2\": {}, \"v3\": {}", version("rl.toml:v2"), version("rl.toml:v1"), version("rl.toml:v3"));
    victim.write(
        "registry.json",
        &format!("{{\"configs\": {{\"rl.toml\": {{\"current_version\": \"v1\", \"versions\": {{{circle}}}}}}}}}"),
    );
    victim.look_at_all();
    for format in ["text", "mermaid", "dot", "svg", "json"] {
        let asked = if format == "text" { "log --graph".to_owned() } else { format!("log --graph --format {format}") };
        victim.look(&asked);
    }
}

#[test]
fn bases_that_multiply_are_bounded() {
    let victim = Victim::new(&[]);
    for level in 0..24 {
        let next = format!("\"l{}.toml\"", level + 1);
        victim.write(&format!("l{level}.toml"), &format!("toml_files = [{next}, {next}]\n[trainer]\n[orchestrator]\n"));
    }
    victim.write("l24.toml", "[trainer]\n[orchestrator]\n");
    for words in ["check l0.toml", "compile l0.toml"] {
        victim.look(words);
    }
    victim.edit(&["l0.toml"]);
}

#[test]
fn concurrent_commands_do_not_wait_forever() {
    let victim = Victim::registered();
    let lock = std::fs::File::options().write(true).open(victim.path(".cfg/lock")).expect("the lock");
    lock.lock_shared().expect("it is free");
    for words in ["registry verify", "log", "registry show rl.toml:v1", "check .", "run list"] {
        assert_eq!(victim.look(words).status, Some(0), "{words}");
    }
}

#[test]
fn ignore_patterns_are_bounded() {
    let victim = many();
    for line in ["**/a*b*c*d*e*f*g*h\n", "*a*a*a*a*a*a*a*a*a*a*a*b\n", "{a,b}{a,b}[!a-z]**/**/**\n", "[\n", "\\\n"] {
        victim.write(".gitignore", &line.repeat(sized(1_000, 20_000)));
        assert_eq!(victim.run("check .").status, Some(0));
    }
}

#[test]
fn a_name_that_is_slow_to_match_is_bounded() {
    let victim = Victim::new(&[]);
    victim.write(&format!("{}.toml", "a".repeat(200)), CLEAN);
    let glob = "*a".repeat(90);
    victim.write(
        "cfg.toml",
        &format!("target = \"0.4.0\"\n[lint.per-file-ignores]\n\"{glob}b\" = [\"PRL101\"]\n\"**/{glob}/**\" = [\"PRL101\"]\n"),
    );
    victim.write(".gitignore", &format!("{glob}b\n"));
    victim.look("check .");
    victim.edit(&["rl.toml"]);
}

#[test]
fn an_imported_schema_with_deep_tables_is_refused() {
    let victim = Victim::new(&[("cfg.toml", "target = \"local:x\"\n")]);
    let key = |depth: usize| format!("{}\n  ..  int = 1\n", vec!["a"; depth].join("."));
    let table = |level: usize| {
        format!("n{level}\n  ..  table(forbid)\nn{level}.a\n  ..  table(forbid)\n  fields of trainer:n{}\n", level + 1)
    };
    let tables = (0..sized(5_000, 50_000)).map(table).collect::<String>();
    for lines in [key(100_000), format!("{tables}n{}\n  ..  table(forbid)\n", sized(5_000, 50_000))] {
        let mut schema = "nearest f12e2f2ee82f717583c3e63579f42c1eb70437ad\n".to_owned();
        for kind in ["rl", "trainer", "orchestrator", "inference", "sft"] {
            schema.push_str(&format!("\n== {kind} ==\n(root)\n  ..  root(ignore)\n"));
            if kind == "trainer" {
                schema.push_str(&lines);
            }
        }
        victim.write(".cfg/schemas/x.schema", &schema);
        let ended = victim.look("check rl.toml");
        assert!(ended.status == Some(2) || ended.stdout.contains("nested more than"), "{ended:?}");
        victim.edit(&["rl.toml"]);
    }
}

#[test]
fn configs_in_deep_folders_are_checked() {
    let victim = Victim::new(&[]);
    let folder = "a/".repeat(sized(400, 1_900));
    victim.write(&format!("{folder}rl.toml"), &CLEAN.replacen("max_steps", "max_step", 1));
    assert!(behind(&victim, "ulimit -t 20; ulimit -v 2097152", "check .").is_some());
}
