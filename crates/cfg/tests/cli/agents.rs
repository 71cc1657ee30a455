//! What a program can achieve with a report alone, by repeatedly applying the first safe fix or the first safe command that is suggested.

use std::{fs, thread};

use cfg_diag::codes;
use serde_json::Value;

use super::{CLEAN, Folder, finish, sized::sized};

/// The maximum number of rounds.
const MAX_ROUNDS: usize = 5;

/// The percentage of faults with one right fix that must be fixed in this way.
const REPAIRED: usize = 90;

/// A fault with one right fix.
struct Fault {
    what: String,
    options: String,
    text: String,
    repaired: String,
    /// The finding that must be reported for the fault to count.
    is_told_as: Option<&'static str>,
}

/// A misspelling of each name in the clean config that is long enough to be recognized: in turn, two letters swapped, one missing, or one doubled.
fn misspelt() -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut start = 0;
    for line in CLEAN.split_inclusive('\n') {
        let name = match line.trim_end().trim_start_matches('[') {
            header if line.starts_with('[') => header.trim_end_matches(']').rsplit('.').next(),
            pair => pair.split_once(" = ").map(|(key, _)| key),
        };
        let name = name.filter(|name| !line.starts_with('#') && name.len() >= 4);
        if let Some((name, at)) = name.and_then(|name| Some((name, line.find(name)? + start))) {
            let at = if line.starts_with('[') { start + line.rfind(name).expect("it is there") } else { at };
            // The first two neighbouring letters that differ, from the middle on.
            let letters = name.as_bytes();
            let middle = (name.len() / 2..name.len()).find(|&at| letters[at] != letters[at - 1]).expect("it has two letters");
            let (before, behind) = name.split_at(middle);
            let (kept, first) = before.split_at(middle - 1);
            let (second, rest) = behind.split_at(1);
            let slip = match faults.len() % 3 {
                kind if kind == 0 || name.len() == 4 => format!("{kept}{second}{first}{rest}"),
                1 => format!("{before}{rest}"),
                _ => format!("{before}{second}{behind}"),
            };
            faults.push(Fault {
                what: format!("`{slip}` for `{name}`"),
                options: "--target 0.4.0".to_owned(),
                text: format!("{}{slip}{}", &CLEAN[..at], &CLEAN[at + name.len()..]),
                repaired: CLEAN.to_owned(),
                is_told_as: None,
            });
        }
        start += line.len();
    }
    faults
}

/// Other mistakes in the clean config: the wrong text, and the right one.
const WRITTEN: [(&str, &str); 14] = [
    ("online_difficulty_filtering = True", "online_difficulty_filtering = true"),
    ("online_difficulty_filtering = yes", "online_difficulty_filtering = true"),
    ("max_steps: 100", "max_steps = 100"),
    ("[trainer.optim\n", "[trainer.optim]\n"),
    ("project = “planted-faults”", "project = \"planted-faults\""),
    ("batch_size = 0512", "batch_size = 512"),
    ("temperature = .7", "temperature = 0.7"),
    ("type = adamw", "type = \"adamw\""),
    ("type = \"adamww\"", "type = \"adamw\""),
    ("attn = \"flash_attenton_2\"", "attn = \"flash_attention_2\""),
    ("batch-size = 512", "batch_size = 512"),
    ("Batch_Size = 512", "batch_size = 512"),
    ("lr = 1e-5;", "lr = 1e-5"),
    ("inference_gpu_ids = [0", "inference_gpu_ids = [0]"),
];

fn written() -> impl Iterator<Item = Fault> {
    WRITTEN.into_iter().map(|(slip, right)| Fault {
        what: format!("`{slip}` for `{right}`"),
        options: "--target 0.4.0".to_owned(),
        text: CLEAN.replacen(right, slip, 1),
        repaired: CLEAN.to_owned(),
        is_told_as: None,
    })
}

/// Keys that have another place in a later prime-rl: the texts before and after each move that preserves the meaning.
fn moved() -> Vec<Fault> {
    let moves = include_str!("../../../../tests/migrations/moves.jsonl");
    let moves = moves.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let fault = |case: Value| {
        let text = |member: &str| case[member].as_str().map(str::to_owned);
        let is_sure = case["automatic"] == "safe" && case["outcome"] == "rewritten";
        let (kind, to) = (text("kind").filter(|_| is_sure)?, text("to")?);
        Some(Fault {
            what: format!("`{}` at {to}", text("key")?),
            options: format!("--target {to} --kind {kind}"),
            text: text("before")?,
            repaired: text("after")?,
            is_told_as: Some("PRL110"),
        })
    };
    // In some cases the text does not change.
    moves.filter_map(fault).filter(|fault| fault.text != fault.repaired).collect()
}

/// The text after edits, which don't overlap.
fn edited(text: &str, fix: &Value) -> String {
    let edits = fix["edits"].as_array().expect("edits");
    let offset =
        |edit: &Value, end: &str| usize::try_from(edit["range"][end]["offset"].as_u64().expect("an offset")).expect("small");
    edits.iter().rev().fold(text.to_owned(), |mut text, edit| {
        text.replace_range(offset(edit, "start")..offset(edit, "end"), edit["new_text"].as_str().expect("a text"));
        text
    })
}

/// Whether the fault is fixed when no safe fix or command is left; `None` if the fault is not reported as expected.
fn is_repaired(fault: &Fault) -> Option<bool> {
    let folder = Folder::new(&[("rl.toml", &fault.text), ("repaired/rl.toml", &fault.repaired)]);
    let text = || fs::read_to_string(folder.path().join("rl.toml")).expect("a text");
    for round in 0..MAX_ROUNDS {
        let ended = folder.run(&format!("check rl.toml --format json {}", fault.options));
        let report: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
        let found: Vec<&Value> = report["files"][0]["diagnostics"].as_array().expect("findings").iter().collect();
        if round == 0 && !found.iter().any(|found| fault.is_told_as.is_none_or(|code| found["code"] == code)) {
            return None;
        }
        let each = |member: &'static str| found.iter().flat_map(move |found| found[member].as_array().into_iter().flatten());
        if let Some(fix) = each("fixes").find(|fix| fix["applicability"] == "safe") {
            folder.write("rl.toml", edited(&text(), fix).as_bytes());
        } else if let Some(next) = each("next").find(|next| next["safe"] == true) {
            let command = next["command"].as_str().expect("a command").strip_prefix("cfg ").expect("one of cfg").to_owned();
            folder.run(&command);
        } else {
            break;
        }
    }
    // The same tables can be written in several ways.
    let compiled = |path: &str| folder.run(&format!("compile {path} --format json {}", fault.options));
    let is_same = || {
        let (now, right) = (compiled("rl.toml"), compiled("repaired/rl.toml"));
        now.status == Some(0) && right.status == Some(0) && now.stdout == right.stdout
    };
    Some(without_spaces(&text()) == without_spaces(&fault.repaired) || is_same())
}

fn without_spaces(text: &str) -> String {
    text.chars().filter(|character| !character.is_whitespace()).collect()
}

#[test]
fn nine_of_ten_errors_with_one_right_fix_are_fixed_automatically() {
    let faults: Vec<Fault> = misspelt().into_iter().chain(written()).chain(moved()).step_by(sized(4, 1)).collect();
    for fault in &faults {
        assert_ne!(fault.text, fault.repaired, "{}", fault.what);
    }
    let ended: Vec<(String, bool)> = thread::scope(|scope| {
        let loops: Vec<_> = faults
            .chunks(faults.len().div_ceil(4))
            .map(|faults| {
                let end = |fault: &Fault| Some((fault.what.clone(), is_repaired(fault)?));
                scope.spawn(move || faults.iter().filter_map(end).collect::<Vec<_>>())
            })
            .collect();
        loops.into_iter().flat_map(|faults| faults.join().expect("no panic")).collect()
    });
    let left: Vec<&str> = ended.iter().filter(|(_, is_repaired)| !is_repaired).map(|(what, _)| &**what).collect();
    let (count, repaired) = (ended.len(), ended.len() - left.len());
    assert!(count >= sized(10, 40), "{count}");
    assert!(repaired * 100 >= count * REPAIRED, "{repaired} of {count}, without {left:#?}");
    if sized(true, false) {
        return;
    }
    // The percentage is the one in docs/formats.md.
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/formats.md")).expect("a page");
    let figure = format!("{repaired} of {count} ");
    assert!(page.contains(&figure), "docs/formats.md does not say {figure}; left are {left:#?}");
}

/// The first example on each rule's page that is a single file, with its target; one of three in an ordinary run.
fn examples() -> Vec<(&'static str, String, String)> {
    let example = |code: &cfg_diag::Code| {
        let (_, text) = code.page.split_once("```toml\n")?;
        let (text, _) = text.split_once("```")?;
        let head = text.lines().next()?;
        let (name, target) = head.strip_prefix("# ")?.split_once(", for ")?;
        let is_name = name.strip_suffix(".toml").is_some() && !target.contains(char::is_whitespace);
        is_name.then(|| (code.name, name.to_owned(), format!("{target}\n{text}")))
    };
    codes::ALL.iter().filter_map(example).step_by(sized(3, 1)).collect()
}

#[test]
fn every_command_that_is_proposed_runs() {
    let examples = examples();
    assert!(examples.len() > sized(20, 60), "{}", examples.len());
    let run = |(code, name, text): &(&str, String, String)| {
        let (target, text) = text.split_once('\n').expect("two parts");
        let folder = Folder::new(&[(name, text)]);
        let ended = folder.run(&format!("check {name} --format json --target {target}"));
        let report: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
        let mut faults = Vec::new();
        for found in report["files"][0]["diagnostics"].as_array().into_iter().flatten() {
            if found["echo"] == true {
                continue;
            }
            let next = found["next"].as_array().expect("commands");
            let last = next.last().and_then(|next| next["command"].as_str());
            assert_eq!(last, found["code"].as_str().map(|code| format!("cfg explain {code}")).as_deref());
            for next in &next[..next.len() - 1] {
                let command = next["command"].as_str().expect("a command");
                if next["safe"] != true || command.contains("--fix") {
                    continue;
                }
                let mut shell = folder.program("sh");
                let path = std::path::Path::new(env!("CARGO_BIN_EXE_cfg")).parent().expect("a folder");
                let paths = std::env::join_paths([path, "/usr/bin".as_ref(), "/bin".as_ref()]).expect("a path");
                let ended = finish(shell.env("PATH", paths).args(["-c", command]), b"");
                if !matches!(ended.status, Some(0 | 1)) {
                    faults.push(format!("{code}: {command}: {}", ended.stderr));
                }
            }
        }
        faults
    };
    let faults: Vec<String> = thread::scope(|scope| {
        let all: Vec<_> = examples
            .chunks(examples.len().div_ceil(4))
            .map(|examples| scope.spawn(move || examples.iter().flat_map(run).collect::<Vec<_>>()))
            .collect();
        all.into_iter().flat_map(|faults| faults.join().expect("no panic")).collect()
    });
    assert_eq!(faults, [""; 0]);
}

/// A line about a finding has at most 80 tokens of four letters, because an agent reads every line.
#[test]
fn a_line_of_the_concise_format_is_short() {
    const MAX_LINE_CHARS: usize = 320;
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let configs = finish(
        Folder::new(&[])
            .program(env!("CARGO_BIN_EXE_cfg"))
            .current_dir(root)
            .args(["check", "-v", "--format", "concise", "configs"]),
        b"",
    );
    let mut lines: Vec<String> = configs.stdout.lines().map(str::to_owned).collect();
    for (_, name, text) in examples() {
        let (target, text) = text.split_once('\n').expect("two parts");
        let folder = Folder::new(&[(&name, text)]);
        lines
            .extend(folder.run(&format!("check -v {name} --format concise --target {target}")).stdout.lines().map(str::to_owned));
    }
    let long: Vec<&String> = lines.iter().filter(|line| line.chars().count() > MAX_LINE_CHARS).collect();
    assert!(lines.len() > sized(40, 100) && long.is_empty(), "{}: {long:#?}", lines.len());
}
