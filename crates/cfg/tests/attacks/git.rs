//! git opens nothing but the files of the repository itself, and waits for none of them: where it would, it is not started.

use std::{fs, os::unix::fs::symlink, path::Path, process::Command};

use crate::{
    running::Ended,
    sized::sized,
    victim::{CLEAN, Odd, SECRET, Victim},
};

/// A clone with two commits.
fn committed() -> Victim {
    let victim = Victim::registered();
    victim.write("rl.toml", &format!("{CLEAN}\n# more\n"));
    victim.commit();
    victim
}

/// Runs `cfg` with a `git` that leaves a trace of each start; returns how often it was started.
#[track_caller]
fn starts(victim: &Victim, words: &str) -> (usize, Ended) {
    let trace = victim.at("trace");
    let _ = fs::remove_file(&trace);
    let find = "command -v git";
    let real = victim.within(Command::new("/bin/sh")).args(["-c", find]).output().expect("git is there");
    let real = String::from_utf8_lossy(&real.stdout).trim().to_owned();
    let script = format!("#!/bin/sh\necho >>'{}'\nexec '{real}' \"$@\"\n", trace.display());
    victim.program("tools/git", &script);
    let mut command = victim.command(words);
    command.env("PATH", format!("{}:{}", victim.at("tools").display(), std::env::var("PATH").unwrap_or_default()));
    let ended = victim.finish(&mut command, b"");
    (fs::read_to_string(trace).unwrap_or_default().lines().count(), ended)
}

/// Asserts that git is not started, whatever it is needed for.
#[track_caller]
fn is_not_started(victim: &Victim, what: &str) {
    for words in &["diff HEAD:rl.toml rl.toml", "registry adopt --dry-run", "hook run", "check ."][..sized(2, 4)] {
        let (count, ended) = starts(victim, words);
        assert_eq!(count, 0, "{what}: {words}: {ended:?}");
    }
}

/// Puts a pipe in the place of one of git's files.
fn with_pipe(name: &str) -> Victim {
    let victim = committed();
    let _ = fs::remove_file(victim.path(name));
    victim.put(Odd::Pipe, name);
    victim
}

#[test]
fn git_answers_in_a_repository_as_it_creates_it() {
    let victim = committed();
    let (count, ended) = starts(&victim, "diff HEAD~1:rl.toml HEAD:rl.toml");
    assert!(count > 0 && ended.status != Some(2), "{ended:?}");
}

#[test]
fn pipes_among_the_objects_of_git_are_not_waited_for() {
    let victim = committed();
    let blob = victim.git("rev-parse HEAD:rl.toml");
    let (folder, rest) = blob.trim().split_at(2);
    let of_a_pack = ".git/objects/pack/pack-0000000000000000000000000000000000000000.idx";
    for name in [
        &format!(".git/objects/{folder}/{rest}"),
        of_a_pack,
        ".git/objects/pack/multi-pack-index",
        ".git/objects/info/commit-graph",
        ".git/objects/info/commit-graphs/commit-graph-chain",
    ] {
        let victim = with_pipe(name);
        is_not_started(&victim, name);
    }
}

#[test]
fn pipes_among_the_references_of_git_are_not_waited_for() {
    for name in [".git/refs/heads/x/y", ".git/refs/replace/x", ".git/reftable/tables.list", ".git/logs/HEAD"] {
        is_not_started(&with_pipe(name), name);
    }
}

#[test]
fn a_reference_that_leads_to_a_pipe_is_not_followed() {
    let victim = with_pipe(".git/hooks/pipe");
    victim.write(".git/refs/heads/main", "ref: hooks/pipe\n");
    is_not_started(&victim, "HEAD");
    let victim = with_pipe(".git/hooks/pipe");
    victim.write(".git/refs/heads/other", "ref: hooks/pipe\n");
    let (count, ended) = starts(&victim, "diff other:rl.toml rl.toml");
    assert!(ended.status == Some(2), "{count}: {ended:?}");
}

#[test]
fn settings_that_include_a_pipe_are_not_read() {
    for section in ["include", "includeIf \"gitdir:/\"", "IncludeIf \"onbranch:main\""] {
        let victim = with_pipe("pipe");
        let settings = victim.read(".git/config");
        victim.write(".git/config", &format!("{settings}[{section}] path = ../pi\\\npe ; no comment\n"));
        is_not_started(&victim, section);
    }
    let victim = with_pipe("pipe");
    victim.git("config include.path ../pipe");
    victim.edit(&["rl.toml"]);
}

#[test]
fn a_pipe_that_an_alternate_names_is_not_waited_for() {
    let victim = committed();
    victim.put(Odd::Pipe, ".git/more/info/alternates");
    victim.write(".git/objects/info/alternates", "../more\n");
    is_not_started(&victim, "an alternate");
}

/// Another repository of the user with a secret, at whose commit the branch of the clone is; `point` makes the clone use its files.
#[track_caller]
fn pointed(point: impl FnOnce(&Victim, &Path)) -> Victim {
    let victim = committed();
    let other = victim.at("outside/other");
    fs::create_dir(&other).expect("a folder");
    fs::write(other.join("rl.toml"), format!("[orchestrator]\n{SECRET} = 1\n[trainer]\n")).expect("a file");
    let git = |words: &[&str]| {
        let output = victim.within(Command::new("git")).arg("-C").arg(&other).args(words).output().expect("git runs");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    git(&["init", "-q", "-b", "main"]);
    git(&["add", "."]);
    git(&["commit", "-qm", SECRET]);
    victim.write(".git/refs/heads/main", &git(&["rev-parse", "HEAD"]));
    point(&victim, &other.join(".git"));
    // That no output has the secret is checked for each run.
    for words in ["diff HEAD:rl.toml rl.toml", "log rl.toml", "registry adopt --dry-run", "check ."] {
        victim.look(words);
    }
    victim.run("registry adopt");
    let has_secret = |bytes: &[u8]| bytes.windows(SECRET.len()).any(|window| window == SECRET.as_bytes());
    assert!(!victim.files().values().any(|(_, _, bytes)| has_secret(bytes)), "a secret is written");
    victim
}

#[test]
fn objects_that_alternates_name_are_not_quoted() {
    let named = |victim: &Victim, line: &str| victim.write(".git/objects/info/alternates", &format!("{line}\n"));
    pointed(|victim, other| named(victim, &other.join("objects").display().to_string()));
    pointed(|victim, other| named(victim, &format!("\"{}\"", other.join("objects").display())));
    pointed(|victim, _| named(victim, "../../../outside/other/.git/objects"));
    pointed(|victim, other| {
        named(victim, "../more");
        victim.write(".git/more/info/alternates", &other.join("objects").display().to_string());
    });
}

#[test]
fn folders_of_objects_and_references_that_are_links_are_not_quoted() {
    pointed(|victim, other| {
        for entry in fs::read_dir(other.join("objects")).expect("a folder") {
            let (from, name) = entry.map(|entry| (entry.path(), entry.file_name())).expect("an entry");
            let place = victim.path(".git/objects").join(name);
            let _ = fs::remove_dir_all(&place);
            symlink(from, place).expect("a link");
        }
    });
    pointed(|victim, other| {
        for folder in fs::read_dir(other.join("objects")).expect("a folder").flatten() {
            let own = victim.path(".git/objects").join(folder.file_name());
            fs::create_dir_all(&own).expect("a folder");
            for object in fs::read_dir(folder.path()).expect("a folder").flatten() {
                let _ = symlink(object.path(), own.join(object.file_name()));
            }
        }
    });
    pointed(|victim, other| {
        fs::remove_dir_all(victim.path(".git/refs/heads")).expect("removed");
        symlink(other.join("refs/heads"), victim.path(".git/refs/heads")).expect("a link");
        victim.write(".git/objects/info/alternates", &other.join("objects").display().to_string());
    });
}

#[test]
fn a_model_that_asks_gets_nothing_of_another_repository() {
    let victim = pointed(|victim, other| {
        victim.write(".git/objects/info/alternates", &other.join("objects").display().to_string());
    });
    let asked = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"diff\",\
                 \"arguments\":{\"one\":\"main:rl.toml\",\"other\":\"rl.toml\"}}}\n";
    let ended = victim.finish(&mut victim.command_with(["mcp".into(), victim.path("")]), asked.as_bytes());
    assert!(ended.stdout.contains("\"id\":1"), "{ended:?}");
}

#[test]
fn a_repository_around_one_that_git_does_not_accept_is_not_read() {
    let victim = Victim::registered();
    let root = victim.at("");
    fs::write(root.join("rl.toml"), format!("[orchestrator]\n{SECRET} = 1\n[trainer]\n")).expect("a file");
    for words in [&["init", "-q"][..], &["add", "rl.toml"], &["commit", "-qm", SECRET]] {
        let output = victim.within(Command::new("git")).arg("-C").arg(&root).args(words).output().expect("git runs");
        assert!(output.status.success(), "{output:?}");
    }
    fs::remove_dir_all(victim.path(".git")).expect("removed");
    fs::create_dir(victim.path(".git")).expect("a folder");
    for words in ["diff HEAD:rl.toml rl.toml", "log rl.toml", "registry adopt --dry-run", "hook run", "check ."] {
        victim.look(words);
    }
}
