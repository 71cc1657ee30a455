//! docs/security.md says of each command what it costs at most. Here each of them runs in a clone in which everything is as large as it may be, with the
//! limits that the page has for its row. The time is a multiple of it, because the tested program is not optimized; the memory is that of all addresses, so
//! the program and the stacks of its threads are added.

use std::{collections::BTreeSet, fmt::Write as _, fs, path::Path};

use serde_json::{Value, json};

use crate::{
    sized::sized,
    victim::{CLEAN, Victim},
};

/// For each row of the table: what is run in the clone of [`hostile`]. Nothing has to succeed.
const LINES: [(&str, &[&str]); 52] = [
    ("cfg init", &["init --yes"]),
    ("cfg new", &["new --model Qwen/Qwen3-0.6B --gpu H100 --env reverse-text -o new.toml"]),
    ("cfg sweep", &["sweep many.toml max_steps=1,2,3 -o variants", "sweep own/trainer.toml n=1,2 --kind trainer"]),
    ("cfg migrate", &["migrate many.toml --from 0.4.0 --to 0.8.0 --diff", "migrate keys.toml --from 0.4.0 --to 0.5.0 --write"]),
    ("cfg fmt", &["fmt --diff many.toml", "fmt keys.toml"]),
    (
        "cfg check",
        &["check .", "check --format json many.toml", "check --fix --diff keys.toml", "check --kind trainer own/trainer.toml"],
    ),
    (
        "cfg compile",
        &["compile many.toml", "compile --explain many.toml", "compile many.toml -o files", "compile own/trainer.toml"],
    ),
    (
        "cfg diff",
        &["diff many.toml rl.toml", "diff own/trainer.toml own/trainer.toml --kind trainer", "diff rl.toml:v1 many.toml"],
    ),
    ("cfg memory", &["memory many.toml --gpu H100", "memory large.toml --gpu H100"]),
    ("cfg estimate", &["estimate many.toml", "estimate large.toml"]),
    ("cfg plan", &["plan many.toml", "plan large.toml"]),
    ("cfg run preflight", &["run preflight many.toml"]),
    ("cfg run launch", &["run launch many.toml", "run launch large.toml"]),
    ("cfg run watch", &["run watch out many.toml --once"]),
    ("cfg run resume", &["run resume out", "run resume many.toml"]),
    ("cfg run diagnose", &["run diagnose out", "run diagnose out/logs/trainer.log --format json"]),
    ("cfg run report", &["run report many.toml -o many.html", "run report out -o out.html", "run report rl.toml -o rl.html"]),
    ("cfg run add", &["run add rl.toml:v1 --id another"]),
    ("cfg run list", &["run list", "run list --markdown"]),
    ("cfg run compare", &["run compare r1 r2"]),
    ("cfg run close", &["run close r3"]),
    ("cfg bump", &["bump many.toml -m x --force"]),
    ("cfg log", &["log", "log rl.toml", "log --graph"]),
    ("cfg registry init", &["registry init"]),
    ("cfg registry verify", &["registry verify"]),
    ("cfg registry list", &["registry list"]),
    ("cfg registry adopt", &["registry adopt --dry-run"]),
    ("cfg registry merge", &["registry merge"]),
    ("cfg registry mv", &["registry mv rl.toml moved/rl.toml"]),
    ("cfg registry show", &["registry show rl.toml:v1"]),
    ("cfg registry restore", &["registry restore rl.toml:v1 --force"]),
    ("cfg registry gc", &["registry gc"]),
    ("cfg hook install", &["hook install"]),
    ("cfg hook uninstall", &["hook uninstall"]),
    ("cfg hook run", &["hook run --all-files"]),
    ("cfg explain", &["explain PRL101"]),
    ("cfg schema show", &["schema show --kind trainer", "schema show"]),
    ("cfg schema history", &["schema history max_steps"]),
    ("cfg schema diff", &["schema diff 0.4.0 0.8.0"]),
    ("cfg schema versions", &["schema versions"]),
    ("cfg schema import", &["schema import own/fork --name own"]),
    ("cfg schema export", &["schema export --kind rl"]),
    ("cfg env", &["env reverse-text"]),
    ("cfg gpu", &["gpu", "gpu H100"]),
    ("cfg model", &["model Qwen/Qwen3-0.6B"]),
    ("cfg lsp", &["lsp"]),
    ("cfg mcp", &["mcp"]),
    ("cfg generate completions", &["generate completions bash"]),
    ("cfg generate man", &["generate man"]),
    ("cfg generate skill show", &["generate skill show"]),
    ("cfg generate skill install", &["generate skill install --dry-run"]),
    ("action.yml", &["check --format github .", "registry verify --format json", "diff --since HEAD --markdown"]),
];

/// The rows of a table of docs/security.md.
fn rows(head: &str) -> Vec<String> {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/security.md")).expect("the page");
    let (_, table) = page.split_once(head).expect("the table");
    table.lines().skip(2).take_while(|line| line.starts_with('|')).map(str::to_owned).collect()
}

/// The commands without commands of their own, in the groups that `--help` shows.
fn commands(victim: &Victim, group: &str, found: &mut BTreeSet<String>) {
    let help = victim.run(&format!("{group} --help")).stdout;
    let (list, _) = help.split_once("Options:").expect("options");
    let is_group = list.contains("Commands:") || group.is_empty();
    if !is_group {
        found.insert(format!("cfg {}", group.trim()));
        return;
    }
    let (_, list) = list.split_once("<COMMAND>").expect("commands");
    let names = list.lines().filter_map(|line| line.strip_prefix("  ").filter(|line| !line.starts_with(' '))?.split(' ').next());
    for name in names.filter(|name| *name != "help") {
        commands(victim, format!("{group} {name}").trim(), found);
    }
}

#[test]
fn each_command_has_a_row_and_is_run() {
    let mut listed = BTreeSet::from(["action.yml".to_owned()]);
    commands(&Victim::with_clone(&[]), "", &mut listed);
    let table = rows("| command | reads | costs |");
    let named: BTreeSet<String> = table.iter().map(|row| row.split('`').nth(1).expect("a command").to_owned()).collect();
    assert_eq!(named, listed);
    let run: BTreeSet<String> = LINES.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(run, listed);
    let words = rows("| word | what it adds |");
    let words: Vec<&str> = words.iter().map(|row| row.split('|').nth(1).expect("a word").trim()).collect();
    for row in &table {
        let costs = row.split('|').nth(3).expect("costs").trim();
        let of_row = costs.split([',', ';']).map(str::trim);
        assert!(of_row.clone().next().is_some_and(|word| words.contains(&word)), "{row}");
    }
}

/// How much longer the unoptimized program takes.
const UNOPTIMIZED: f64 = 12.0;

/// What the program and the stacks of its threads take of its addresses, in KiB.
const OF_PROGRAM: f64 = 786_432.0;

/// The sizes of the clone, as the formula of the page has them.
struct Sizes {
    keys: f64,
    values: f64,
    bytes: f64,
    /// The versions, configs and runs of the registry.
    registered: f64,
    configs: f64,
    logs: f64,
}

impl Sizes {
    /// The formula: seconds and KiB.
    fn formula(&self) -> (f64, f64) {
        let seconds = 2.0 + 1e-4 * self.keys + 3e-6 * self.values + 1e-7 * self.bytes;
        (seconds, 300.0 * 1024.0 + 0.5 * self.values + 32.0 * self.bytes / 1024.0)
    }

    /// What a row may cost: seconds and KiB.
    fn limits(&self, costs: &str) -> (f64, f64) {
        let (of_configs, memory) = self.formula();
        let words: Vec<&str> = costs.split([',', ';']).map(str::trim).collect();
        let times = if words.iter().any(|word| matches!(*word, "three times" | "for each variant")) { 3.0 } else { 1.0 };
        let of_word = |word: &&str| match *word {
            "configs" => times * of_configs,
            "trials" => 4.0 * of_configs,
            "registry" => 3e-4 * self.registered + of_configs,
            "history for each config that git has or had" => 0.02 * self.configs,
            "logs" => of_configs + 2.5e-9 * self.bytes + 3e-4 * self.logs,
            // What git itself takes is limited by time.
            "git" => of_configs + 10.0,
            // Three documents, or three calls.
            "requests" => 3.0 * of_configs,
            _ => 0.0,
        };
        (words.iter().map(of_word).sum::<f64>().max(2.0), memory)
    }
}

/// A clone in which everything is large.
fn hostile() -> (Victim, Sizes) {
    let victim = Victim::registered();
    let environments = sized(300, 6_000);
    let many: String = (0..environments)
        .map(|at| format!("[[orchestrator.env]]\nid = \"reverse-text\"\nname = \"e{at}\"\n"))
        .collect::<Vec<String>>()
        .concat();
    victim.write("many.toml", &CLEAN.replace("[[orchestrator.env]]\nid = \"reverse-text\"\n", &many));
    let keys: String = (0..sized(1_000, 40_000)).map(|at| format!("weight_deca{at} = 1\n")).collect::<Vec<String>>().concat();
    victim.write("keys.toml", &CLEAN.replace("[trainer.optim]\n", &format!("[trainer.optim]\n{keys}")));
    victim.write("large.toml", &CLEAN.replace("baseline", &"a".repeat(sized(200_000, 8_000_000))));
    declared(&victim);
    run_folder(&victim);
    registry(&victim);
    victim.commit();
    let items = sized(300, 9_000);
    let bytes: u64 = victim.files().values().map(|(_, _, bytes)| size(bytes)).sum();
    let sizes = Sizes {
        keys: f64::from(2 * environments + sized(1_000, 40_000) + 2 * items + 100),
        values: f64::from((60 * environments).max((items * sized(60, 800)).min(1_000_000))),
        bytes: u32::try_from(bytes).map_or(f64::MAX, f64::from),
        registered: f64::from(2 * sized(300, 8_000) + 2 * sized(20, 200)),
        configs: f64::from(sized(30, 210)),
        logs: 2.0,
    };
    (victim, sizes)
}

/// The size of a file; of a large one, its text is that number.
fn size(bytes: &[u8]) -> u64 {
    let number = std::str::from_utf8(bytes).ok().and_then(|text| text.parse().ok());
    number.unwrap_or(bytes.len() as u64)
}

/// A prime-rl whose classes make much of little.
fn declared(victim: &Victim) {
    victim.write("own/fork/pyproject.toml", "[project]\nname = \"prime-rl\"\nversion = \"0.8.0\"\n");
    victim.write("own/cfg.toml", "target = \"path:fork\"\n");
    victim.write("own/fork/src/prime_rl/configs/__init__.py", "");
    for (module, class) in
        [("rl", "RLConfig"), ("orchestrator", "OrchestratorConfig"), ("inference", "InferenceConfig"), ("sft", "SFTConfig")]
    {
        let text = format!("from pydantic import BaseModel\nclass {class}(BaseModel):\n    warp: int = 1\n");
        victim.write(&format!("own/fork/src/prime_rl/configs/{module}.py"), &text);
    }
    let count = sized(60, 800);
    let mut text =
        "from typing import Annotated, Literal, Union\nfrom pydantic import BaseModel, Field\nclass A(BaseModel):\n".to_owned();
    for at in 0..count {
        // Writing to a string does not fail.
        let _ = writeln!(text, "    a{at}: str = '{}'", "x".repeat(200));
    }
    let members: Vec<String> = (0..count).map(|at| format!("Annotated[int, Field(gt={at})]")).collect();
    let _ = writeln!(
        text,
        "class TrainerConfig(BaseModel):\n    n: int = 1\n    tables: list[A] = []\n    values: list[Union[{}]] = []",
        members.join(", ")
    );
    victim.write("own/fork/src/prime_rl/configs/trainer.py", &text);
    let items = |item: &str| vec![item; sized(300, 9_000)].join(", ");
    victim.write("own/trainer.toml", &format!("n = 2\ntables = [{}]\nvalues = [{}]\n", items("{}"), items("\"a\"")));
}

fn run_folder(victim: &Victim) {
    let line =
        |at: usize| format!("12:00:{:02}    INFO Step {at} | Time: 1.00s | Loss: 0.1000 | Throughput: 1000 tokens/s\n", at % 60);
    let steps: String = (0..sized(5_000, 200_000)).map(line).collect();
    victim.write("out/logs/trainer.log", &(steps + &"x".repeat(sized(1_000_000, 20_000_000))));
    let traces =
        |at: usize| format!("Traceback (most recent call last):\n  File \"a.py\", line {at}, in f\nRuntimeError: failed {at}\n");
    victim.write("out/logs/orchestrator.log", &(0..sized(1_000, 50_000)).map(traces).collect::<String>());
    for step in 0..sized(100, 3_000) {
        fs::create_dir_all(victim.path(&format!("out/checkpoints/step_{step}"))).expect("a folder");
    }
}

fn registry(victim: &Victim) {
    assert_eq!(victim.run("run add rl.toml:v1 --id r0").status, Some(0));
    let mut registry: Value = serde_json::from_str(&victim.read("registry.json")).expect("a document");
    let count = sized(300, 8_000);
    let config = registry["configs"]["rl.toml"].clone();
    for at in 2..count {
        let mut version = config["versions"]["v1"].clone();
        version["based_on"] = json!(format!("rl.toml:v{}", at - 1));
        registry["configs"]["rl.toml"]["versions"][format!("v{at}")] = version;
    }
    for at in 0..sized(20, 200) {
        registry["configs"][format!("other/{at}.toml")] = config.clone();
    }
    let run = registry["runs"]["r0"].clone();
    assert!(run.is_object(), "{}", registry["runs"]);
    for at in 1..count {
        let mut run = run.clone();
        run["pod"] = json!(format!("p{at}"));
        registry["runs"][format!("r{at}")] = run;
    }
    victim.write("registry.json", &registry.to_string());
}

#[test]
fn each_command_ends_within_its_limits() {
    let (victim, sizes) = hostile();
    let table = rows("| command | reads | costs |");
    for (name, lines) in LINES {
        let row = table.iter().find(|row| row.split('`').nth(1) == Some(name)).expect("a row");
        let (seconds, memory) = sizes.limits(row.split('|').nth(3).expect("costs"));
        let seconds = if cfg!(debug_assertions) { UNOPTIMIZED * seconds } else { seconds };
        let limited = |words: &str| {
            let limits = format!("ulimit -t {}; ulimit -v {}", seconds.ceil(), (memory + OF_PROGRAM).ceil());
            victim.limited(&limits, words.split_whitespace())
        };
        for words in lines {
            match name {
                "cfg lsp" => drop(victim.edit(&["many.toml", "keys.toml", "own/trainer.toml"])),
                "cfg mcp" => {
                    let call = |id: u64, tool: &str, paths: &[&str]| json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": tool, "arguments": { "paths": paths } } });
                    let calls = [call(1, "check", &["."]), call(2, "compile", &["many.toml"]), call(3, "plan", &["many.toml"])];
                    let input: String = calls.iter().map(|call| format!("{call}\n")).collect::<Vec<String>>().concat();
                    let ended = victim.finish(&mut limited(words), input.as_bytes());
                    assert_eq!(ended.stdout.lines().count(), calls.len(), "{ended:?}");
                }
                _ => drop(victim.finish(&mut limited(words), b"")),
            }
        }
    }
}
