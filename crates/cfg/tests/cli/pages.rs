//! The commands that README and the pages show: each one runs, in a folder that has what it names.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    path::{Path, PathBuf},
};

use super::{CLEAN, Folder, running::finish};

/// Commands that rightly end with 2 there, and why.
const CANT: [(&str, &str); 10] = [
    ("cfg check confgis/rl.toml", "the page is about a path that does not exist"),
    ("cfg check -- uv run rl @ rl.conf", "the page is about a file that is not TOML"),
    ("cfg check --kind train", "no project has such a script there"),
    ("cfg check --update-baseline", "the settings name no baseline there"),
    ("cfg check rl.toml --target local:prime-rl", "nothing was imported"),
    ("cfg estimate rl.toml --from outputs", "the run has no step times"),
    ("cfg new --model Qwen/Qwen3-8B --gpu \"2x H100\" --env org/name -o", "the file exists, and is not replaced"),
    ("cfg registry init", "the registry exists already"),
    ("cfg run close 2026-01-05-1", "the run has the name of another day"),
    ("cfg schema import ../prime-rl", "there is no checkout of prime-rl"),
];

/// Commands that need more than a folder, and the test that runs them.
const ELSEWHERE: [(&str, &str); 4] = [
    ("cfg run compare", "run.rs"),
    ("cfg new --like", "new.rs"),
    ("cfg registry mv", "registry.rs"),
    ("cfg memory first.toml", "tutorial.rs and memory.rs"),
];

/// README, and the pages of documentation.
fn pages() -> Vec<PathBuf> {
    fn below(folder: &Path, pages: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            if entry.is_dir() && !entry.ends_with("node_modules") {
                below(&entry, pages);
            } else if entry.extension().is_some_and(|ending| ending == "md") {
                pages.push(entry);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pages = vec![root.join("README.md"), root.join("CONTRIBUTING.md")];
    ["docs", "editors", "configs"].iter().for_each(|folder| below(&root.join(folder), &mut pages));
    pages.sort();
    // Each of its blocks runs in the order of the page: tutorial.rs.
    pages.retain(|page| !page.ends_with("docs/tutorial.md"));
    pages
}

/// The commands of a page: those in blocks for a shell, and those between backticks.
fn commands(page: &str) -> (Vec<String>, Vec<String>) {
    let (mut run, mut named) = (Vec::new(), Vec::new());
    let mut block = None;
    for line in page.lines() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            block = block.is_none().then(|| language.trim().to_owned());
        } else if let Some(language) = &block {
            let line = line.trim_start();
            let line = if language == "yaml" { of_job(line) } else { line.strip_prefix("$ ").unwrap_or(line) };
            let line = line.strip_prefix("uvx --from cfg-prime-rl ").unwrap_or(line);
            let line = line.strip_prefix("cargo run -- ").map_or_else(|| line.to_owned(), |words| format!("cfg {words}"));
            // What is piped into a command is not that of a page.
            let line = line.split_once(" | cfg ").map_or(line.clone(), |(_, piped)| format!("cfg {piped}"));
            if matches!(&**language, "sh" | "console" | "bash" | "yaml") && line.starts_with("cfg ") {
                let line = line.split(" # ").next().unwrap_or_default();
                let line = line.split_once(" > ").map_or(line, |(line, _)| line);
                run.push(line.trim_end().to_owned());
            }
        } else {
            named.extend(line.split('`').skip(1).step_by(2).filter(|code| code.starts_with("cfg ")).map(str::to_owned));
        }
    }
    (run, named)
}

/// The command of a line of a CI file or of pre-commit's settings.
fn of_job(line: &str) -> &str {
    let line = line.trim_start_matches("- ");
    ["run: ", "script: ", "entry: "].iter().find_map(|key| line.strip_prefix(key)).unwrap_or_default()
}

/// Pages whose blocks show what a command prints about `rl.toml`, which `cfg new` has written.
const SHOWN: [&str; 2] = ["docs/new.md", "docs/sweep.md"];

/// If `CFG_UPDATE_PAGES` is set, the pages are written instead of compared.
#[test]
#[cfg(unix)]
fn the_shown_output_is_what_is_printed() {
    for name in SHOWN {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
        let page = fs::read_to_string(&path).expect("the page");
        let folder = Folder::new(&[]);
        let made = shell(&folder, "cfg new --model Qwen/Qwen3-8B --gpu '2x H100' --env reverse-text --target 0.8.0 -o rl.toml");
        assert_eq!(made.0, Some(0), "{made:?}");
        let (mut written, mut shown) = (page.clone(), 0);
        for block in page.split("```console\n").skip(1).filter_map(|part| part.split_once("```").map(|(block, _)| block)) {
            let Some((command, output)) = block.strip_prefix("$ ").and_then(|block| block.split_once('\n')) else { continue };
            let printed = shell(&folder, &format!("{command} 2>&1")).1;
            written = written.replacen(&format!("$ {command}\n{output}```"), &format!("$ {command}\n{printed}```"), 1);
            shown += 1;
        }
        assert!(shown > 0, "{name}");
        if env::var_os("CFG_UPDATE_PAGES").is_some() {
            fs::write(&path, written).expect("the page is written");
        } else {
            assert_eq!(written, page, "{name}: `CFG_UPDATE_PAGES=1 cargo test --test cli pages` writes it");
        }
    }
}

/// A command line without a placeholder: `...`, `[...]`.
fn is_whole(command: &str) -> bool {
    !command.contains("...") && !command.contains('…') && !command.contains("COMMAND")
}

#[test]
fn every_command_between_backticks_is_one() {
    let folder = Folder::new(&[]);
    let mut all: BTreeMap<String, PathBuf> = BTreeMap::new();
    for page in pages() {
        let (_, named) = commands(&fs::read_to_string(&page).expect("a page"));
        all.extend(named.into_iter().filter(|command| is_whole(command)).map(|command| (command, page.clone())));
    }
    assert!(all.len() > 100, "{}", all.len());
    let mut wrong = Vec::new();
    for (command, page) in &all {
        // The help ends a command line whose words are right so far.
        let words = command.strip_prefix("cfg ").expect("a command");
        // What becomes of its output is the shell's.
        let words = [" || ", " | ", " > "].iter().fold(words, |words, end| words.split(end).next().unwrap_or_default());
        let (own, launch) = words.split_once(" -- ").unwrap_or((words.trim_end_matches(" --"), ""));
        let asked = format!("cfg {own} --help{}{launch}", if launch.is_empty() { "" } else { " -- " });
        let ended = shell(&folder, &asked);
        // An option may be named without its value.
        if ended.0 != Some(0) && !ended.1.contains("error: a value is required for") {
            wrong.push(format!("{}: {command}: {}", page.display(), ended.1));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Runs a line with `sh`; returns the exit status and what was printed.
fn shell(folder: &Folder, line: &str) -> (Option<i32>, String) {
    let programs = Path::new(env!("CARGO_BIN_EXE_cfg")).parent().expect("a folder");
    let paths = env::split_paths(&env::var_os("PATH").unwrap_or_default()).collect::<Vec<_>>();
    let paths = env::join_paths([programs.to_owned()].into_iter().chain(paths)).expect("paths");
    let mut shell = folder.program("sh");
    shell.args(["-c", line]).env("PATH", paths).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    let ended = finish(&mut shell, b"");
    (ended.status, ended.stdout + &ended.stderr)
}

/// A repository with what the pages name: configs, registered versions, logs.
fn prepared(commands: &BTreeSet<String>) -> Folder {
    let folder = Folder::repository(&[
        ("outputs/logs/trainer.log", "12:00:00    INFO Step 1\n"),
        ("outputs/my-run/logs/trainer.log", "12:00:00    INFO Step 1\n"),
        ("environments/reverse_text/reverse_text.py", "def load_environment(num_examples: int = 10): ...\n"),
        ("src/small/train.py", "print()\n"),
        ("configs/mixed.yaml", "steps: 5\n"),
        ("configs/eval/gsm8k.toml", "model = \"Qwen/Qwen3-8B\"\nenv_id = \"gsm8k\"\n"),
    ]);
    let on_machine = format!("# /// config\n# prime_rl = \"0.4.0\"\n# hardware = \"2x H100\"\n# ///\n{CLEAN}");
    for word in commands.iter().flat_map(|command| command.split(' ')) {
        let name = word.split([':', '@']).next().unwrap_or_default().trim_matches(['"', '\'']);
        let is_there = folder.path().join(name).exists() || name.contains("confgis");
        let is_file = Path::new(name).extension().is_some_and(|ending| ending == "toml") && !name.contains(['*', '=']);
        if is_file && !is_there {
            folder.write(name, on_machine.as_bytes());
        }
    }
    folder.write("qwen3-2xh100.toml", on_machine.as_bytes());
    folder.write(
        "sft.toml",
        b"[model]\nname = \"Qwen/Qwen3-0.6B\"\n[data]\nname = \"org/dataset\"\nbatch_size = 8\nseq_len = 1024\n",
    );
    for (status, printed) in ["cfg registry init", "cfg bump rl.toml -m first"].map(|line| shell(&folder, line)) {
        assert_eq!(status, Some(0), "{printed}");
    }
    for (name, versions) in
        [("rl.toml", 2..4), ("configs/qwen3.toml", 1..4), ("configs/rl.toml", 1..4), ("qwen3-2xh100.toml", 1..4)]
    {
        for version in versions {
            let text = fs::read_to_string(folder.path().join(name)).expect("a config");
            // A bump writes the version into the metadata.
            let text = text
                .lines()
                .filter(|line| !line.starts_with("seq_len"))
                .map(|line| format!("{line}\n"))
                .collect::<Vec<String>>()
                .concat();
            let text = text.replacen("# ///\n\n", "# ///\n", 1).replacen("\n[", &format!("\nmax_steps = {version}\n["), 1);
            let steps = text.matches("max_steps").count();
            let text = if steps > 1 { text.replacen(&format!("max_steps = {version}\n"), "", 1) } else { text };
            folder.write(name, text.as_bytes());
            shell(&folder, &format!("cfg bump {name} -m \"a reason\" --force"));
        }
    }
    folder
}

/// The commands in the blocks of all pages.
#[cfg(unix)]
fn in_blocks() -> BTreeSet<String> {
    pages().iter().flat_map(|page| commands(&fs::read_to_string(page).expect("a page")).0).collect()
}

#[test]
#[cfg(unix)]
fn every_command_of_a_block_runs() {
    let all = in_blocks();
    assert!(all.len() > 80, "{}", all.len());
    run_all(&prepared(&all), &all);
}

/// README's commands are what a reader tries first, those of its sentences and tables too.
#[test]
#[cfg(unix)]
fn every_command_of_readme_runs() {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).expect("README");
    let (run, named) = commands(&page);
    let all: BTreeSet<String> = run.into_iter().chain(named).collect();
    assert!(all.len() > 15, "{all:?}");
    run_all(&prepared(&in_blocks().union(&all).cloned().collect()), &all);
}

/// Runs commands in a folder that has what they name.
#[cfg(unix)]
fn run_all(folder: &Folder, all: &BTreeSet<String>) {
    let mut wrong = Vec::new();
    for command in all.iter().filter(|command| is_whole(command) && !command.ends_with('\\')) {
        // It ends with the run: watch.rs.
        let waits = command == "cfg run watch outputs";
        if waits || ELSEWHERE.iter().any(|(beginning, _)| command.starts_with(beginning)) {
            continue;
        }
        let (status, printed) = shell(folder, command);
        let can_not = CANT.iter().any(|(beginning, _)| command.starts_with(beginning));
        let is_understood = status != Some(2) || !printed.contains("Usage: ") && !printed.contains("unrecognized");
        if !matches!((status, can_not), (Some(0 | 1), false) | (Some(2), true)) || !is_understood {
            wrong.push(format!("{command}: {status:?}: {printed}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
