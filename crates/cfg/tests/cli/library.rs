//! The library and the Python module return the same as the command prints.

use std::{
    env, fs,
    io::{self, Write as _},
    path::Path,
    process::{Command, Stdio},
};

use cfg_prime_rl::{Checker, Config, Error};
use serde_json::Value;

use super::{CLEAN, Folder, MISSPELT, running::finish, sized::sized};

/// The TOML blocks in the pages of rules.
fn examples() -> Vec<String> {
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/rules");
    let mut paths: Vec<_> = fs::read_dir(pages).expect("the pages").map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let texts = paths.iter().map(|path| fs::read_to_string(path).expect("a page"));
    let blocks = texts.flat_map(|text| {
        let blocks = text.split("```toml\n").skip(1).filter_map(|rest| rest.split("```\n").next());
        blocks.map(str::to_owned).collect::<Vec<_>>()
    });
    blocks.collect()
}

/// The name and target in the first line of an example.
fn head(example: &str) -> Option<(&str, Option<&str>)> {
    let head = example.lines().next()?.strip_prefix("# ")?;
    let (path, target) = head.split_once(", for ").map_or((head, None), |(path, target)| (path, Some(target)));
    // Settings begin with `# file: cfg.toml`.
    let is_config = Path::new(path).extension().is_some_and(|ending| ending == "toml") && !path.contains(' ');
    is_config.then_some((path, target))
}

#[test]
fn the_library_and_the_command_agree_on_each_example() {
    let mut seen = 0;
    // Each example starts the program, so only some are used, and none with several files.
    // The library has no registries, to which a claim refers.
    let is_alone = |example: &&String| !example.contains(", of the same run\n") && !example.contains("# same_as");
    for example in examples().iter().filter(is_alone).step_by(sized(12, 4)) {
        let Some((path, target)) = head(example) else { continue };
        let folder = Folder::new(&[(path, example)]);
        let words = target.map_or_else(String::new, |target| format!("--target {target}"));
        let printed = folder.run(&format!("check {words} --format json {path}"));
        let mut config = Config::new(example).path(path);
        if let Some(target) = target {
            config = config.target(target);
        }
        let report = Checker::with_files([(path, &**example)]).check(&config).expect("the target is known");
        let (said, printed): (Value, Value) =
            (serde_json::from_str(report.json()).expect("JSON"), serde_json::from_str(&printed.stdout).expect("JSON"));
        // What is said of the command itself is not about a config.
        if printed.get("diagnostics").is_some() {
            continue;
        }
        assert_eq!(said, printed, "{example}");
        seen += 1;
    }
    assert!(seen > sized(15, 50), "{seen} examples");
}

#[test]
fn the_library_reads_the_files_around_a_config() {
    let files = [
        ("cfg.toml", "target = \"0.4.0\"\n[lint]\nignore = [\"PRL3\"]\n"),
        ("base.toml", CLEAN),
        ("run.toml", "toml_files = [\"base.toml\"]\n[orchestrator]\nrollouts_per_exmaple = 8\n"),
        ("part.toml", "[orchestrator]\nrollouts_per_exmaple = 8\n"),
    ];
    let (folder, checker) = (Folder::new(&files), Checker::with_files(files));
    for (path, text) in &files[1..] {
        let printed = folder.run(&format!("check --format json {path}")).stdout;
        let report = checker.check(&Config::new(text).path(path)).expect("a report");
        let json = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
        assert_eq!(json(report.json()), json(&printed), "{path}");
    }
}

#[test]
fn the_library_compiles_and_fits_as_the_commands_do() {
    let folder = Folder::new(&[("rl.toml", CLEAN)]);
    let config = Config::new(CLEAN).path("rl.toml").target("0.4.0").gpu("2x H100");
    let checker = Checker::with_files([("rl.toml", CLEAN)]);
    let compiled = checker.compile(&config).expect("nothing is wrong with it");
    let printed = folder.run("compile rl.toml --target 0.4.0 --format json");
    let json = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
    assert_eq!(json(&compiled.json), json(&printed.stdout));
    let printed = folder.run("memory rl.toml --target 0.4.0 --gpu 2xH100 --format json");
    let mut said = serde_json::to_value(checker.memory(&config).expect("the model is known")).expect("JSON");
    said["hardware"]["source"] = "--gpu".into();
    let mut printed = json(&printed.stdout);
    // The command adds the disk space for the checkpoints that `cfg run launch` turns on.
    let assumed = printed["assumed"].as_array_mut().expect("a list");
    assumed.retain(|line| !line.as_str().is_some_and(|line| line.contains("cfg run launch")));
    // The report of the check has it in the library.
    assert_eq!(printed["identity"]["certainty"], "stated");
    printed.as_object_mut().expect("a document").remove("identity");
    assert_eq!(said, printed);
}

#[test]
fn the_library_gives_a_reason_if_there_is_no_answer() {
    let ask = |config: Config<'_>| Checker::default().memory(&config).map(drop);
    assert!(matches!(ask(Config::new(CLEAN).target("0.4.99")), Err(Error::Target(_))));
    assert!(matches!(ask(Config::new(CLEAN).target("0.4.0").gpu("2x H999")), Err(Error::Gpu(_))));
    let Err(Error::Refused(report)) = ask(Config::new(MISSPELT).target("0.4.0")) else { panic!("prime-rl refuses it") };
    assert_eq!(report.findings[0].code, "PRL101");
}

#[test]
fn the_python_module_passes_its_tests() {
    let python = if cfg!(windows) { "python" } else { "python3" };
    let runs = Command::new(python).args(["-c", "import sys; assert sys.version_info >= (3, 9)"]).stderr(Stdio::null()).status();
    if !runs.is_ok_and(|status| status.success()) {
        let _ = writeln!(io::stderr(), "skipped: there is no Python 3.9 here");
        return;
    }
    let module = Path::new(env!("CARGO_MANIFEST_DIR")).join("python");
    let folder = Folder::new(&[]);
    let mut tests = folder.program(python);
    tests.args(["-B", "-m", "unittest", "discover", "--start-directory"]).arg(module.join("tests"));
    tests.env("PYTHONPATH", &module).env("CFG_PRIME_RL_PROGRAM", env!("CARGO_BIN_EXE_cfg"));
    tests.env("PATH", env::var_os("PATH").unwrap_or_default());
    let ended = finish(&mut tests, b"");
    assert_eq!(ended.status, Some(0), "{}", ended.stderr);
}

/// The numbers and names in what a person reads of a finding: its text and its labels, without the lines of the file and the summary.
fn numbers_and_names(full: &str) -> Vec<String> {
    let is_source = |line: &str| {
        let rest = line.trim_start().trim_start_matches(|letter: char| letter.is_ascii_digit());
        rest.len() < line.trim_start().len() && rest.trim_start().starts_with(['│', '|'])
    };
    let lines = full.lines().take_while(|line| !line.starts_with("Found ")).filter(|line| !is_source(line));
    let words = lines
        .filter(|line| !line.contains("prime-rl check"))
        .flat_map(|line| line.split([' ', '`', '"', ':', '(', ')', '[', ']', ',', ';']));
    let is_name = |word: &&str| word.contains(|letter: char| letter.is_ascii_digit() || letter == '_') || word.contains('.');
    let trimmed = words.map(|word| word.trim_matches(|letter: char| !letter.is_alphanumeric() && !"_$<>{}*/".contains(letter)));
    trimmed.filter(|word| word.len() > 1 || word.parse::<u8>().is_ok()).filter(is_name).map(str::to_owned).collect()
}

/// All texts and numbers of a document.
fn content(value: &Value, all: &mut String) {
    match value {
        Value::String(text) => *all += text,
        Value::Array(items) => items.iter().for_each(|item| content(item, all)),
        Value::Object(members) => members.iter().for_each(|(name, member)| {
            *all += name;
            *all += " ";
            if let Some(place) = member.as_array().filter(|_| name == "loc") {
                // A person reads the place of prime-rl's error with dots.
                let steps = place.iter().map(|step| step.as_str().map_or_else(|| step.to_string(), str::to_owned));
                *all += &steps.collect::<Vec<String>>().join(".");
            }
            content(member, all);
        }),
        other => *all += &other.to_string(),
    }
    *all += " ";
}

/// The mistakes of agents are of more kinds than the examples, and have several findings at once.
#[test]
fn what_a_person_reads_of_mistakes_is_in_json() {
    let (mut seen, mut lacking) = (0, Vec::new());
    for case in super::mistakes::cases().iter().skip(2).step_by(sized(16, 1)) {
        let folder = Folder::new(&[("rl.toml", &case.text)]);
        let full = folder.run(&format!("check -v {} --format full rl.toml", case.options)).stdout;
        let printed = folder.run(&format!("check {} --format json rl.toml", case.options)).stdout;
        let mut text = String::new();
        content(&serde_json::from_str(&printed).expect("JSON"), &mut text);
        let names = numbers_and_names(&full);
        seen += names.len();
        lacking
            .extend(names.iter().filter(|name| !text.contains(&***name)).map(|name| format!("{}: {name} of\n{full}", case.name)));
    }
    assert!(lacking.is_empty(), "{}:\n{}", lacking.len(), lacking[..lacking.len().min(8)].join("\n"));
    assert!(seen > sized(200, 3000), "{seen}");
}

#[test]
fn what_a_person_reads_is_in_json_and_in_the_library() {
    let (mut seen, mut lacking) = (0, Vec::new());
    for example in examples().iter().step_by(sized(8, 1)) {
        let Some((path, target)) = head(example) else { continue };
        let folder = Folder::new(&[(path, example)]);
        let words = target.map_or_else(String::new, |target| format!("--target {target}"));
        let full = folder.run(&format!("check -v {words} --format full {path}")).stdout;
        let printed = folder.run(&format!("check {words} --format json {path}")).stdout;
        let document: Value = serde_json::from_str(&printed).expect("JSON");
        let mut text = String::new();
        content(&document, &mut text);
        let names = numbers_and_names(&full);
        seen += names.len();
        lacking.extend(
            names.iter().filter(|name| !text.contains(&***name)).map(|name| format!("{path}: {name} in JSON, of\n{full}")),
        );
        let mut config = Config::new(example).path(path);
        if let Some(target) = target {
            config = config.target(target);
        }
        let is_alone = !example.contains(", of the same run\n") && !example.contains("# same_as");
        let Ok(report) = Checker::with_files([(path, &**example)]).check(&config) else { continue };
        if is_alone && document.get("diagnostics").is_none() && !report.findings.is_empty() {
            let said = format!("{path} {:?} {:?}", report.target, report.findings).replace("\\\"", "\"");
            lacking.extend(
                names
                    .iter()
                    .filter(|name| !said.contains(&***name))
                    .map(|name| format!("{path}: {name} in the library, of\n{full}")),
            );
        }
    }
    assert!(lacking.is_empty(), "{}:\n{}", lacking.len(), lacking[..lacking.len().min(12)].join("\n"));
    assert!(seen > sized(100, 1000), "{seen}");
}
