//! Histories that two people could make: branches that register, merge, rebase, pick, squash, revert, stash and rename in any order. After each step
//! every registered text is stored under its own name, what was registered with a reason still is that text, and who does what the findings
//! say ends with a registry in which no fault is found.

use std::{collections::BTreeMap, fs};

use cfg_registry::fingerprint::Digest;

use super::{
    branches::{git, git_or_not, repository},
    read,
};
use crate::{Folder, sized};

/// The values that an edit changes.
const VALUES: [(&str, &str); 3] = [("max_steps = ", ""), ("lr = ", "e-6"), ("batch_size = ", "")];

/// A repository, and the names of its branches.
struct History {
    folder: Folder,
    random: u64,
    branches: Vec<String>,
    step: usize,
    /// What was done in each step.
    done: Vec<String>,
    /// The digest of the text that was registered with each reason; no reason is given twice.
    texts: BTreeMap<String, String>,
    /// Whether a commit was reverted, which takes its versions back: a text that still states one of them is then adopted as that version.
    has_reverted: bool,
}

impl History {
    fn new(seed: u64) -> Self {
        Self {
            folder: repository(),
            random: (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15),
            branches: vec!["main".to_owned()],
            step: 0,
            done: Vec::new(),
            texts: BTreeMap::new(),
            has_reverted: false,
        }
    }

    fn pick(&mut self, below: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        usize::try_from(self.random >> 33).expect("a small number") % below
    }

    /// The configs, by the registry.
    fn configs(&self) -> Vec<String> {
        let all: serde_json::Value = serde_json::from_str(&read(&self.folder, "registry.json")).expect("JSON");
        let configs = all["configs"].as_object().expect("configs");
        configs.keys().filter(|path| self.folder.path().join(path).is_file()).cloned().collect()
    }

    fn commit(&self) {
        git(&self.folder, "add -A");
        git_or_not(&self.folder, &format!("commit -qnm step{}", self.step));
    }

    fn other(&mut self) -> Option<String> {
        let current = String::from_utf8(git_or_not(&self.folder, "branch --show-current").stdout).expect("a name");
        let others: Vec<String> = self.branches.iter().filter(|branch| **branch != current.trim()).cloned().collect();
        if others.is_empty() { None } else { Some(others[self.pick(others.len())].clone()) }
    }

    /// Changes a value of a config, and registers it.
    fn bumps(&mut self) {
        let configs = self.configs();
        if configs.is_empty() {
            return;
        }
        let config = configs[self.pick(configs.len())].clone();
        let (key, end) = VALUES[self.pick(VALUES.len())];
        let number = 16 * (4 + self.pick(90));
        let line = |line: &str| if line.starts_with(key) { format!("{key}{number}{end}\n") } else { format!("{line}\n") };
        let text: String = read(&self.folder, &config).lines().map(line).collect();
        self.folder.write(&config, text.as_bytes());
        self.folder.run(&format!("bump {config} -m step{}", self.step));
    }

    /// Resolves what git left unmerged, as a person does, and goes on as long as git has commits left.
    fn resolves(&mut self, go_on: &str) {
        for _ in 0..60 {
            let ended = self.folder.run("registry merge");
            self.done.push(format!("{}: registry merge: {ended:?}", self.step));
            for path in self.configs() {
                let text = read(&self.folder, &path);
                if text.contains("<<<<<<<") {
                    let is_ours = self.pick(2) == 0;
                    self.folder.write(&path, one_side(&text, is_ours).as_bytes());
                }
            }
            git(&self.folder, "add -A");
            if go_on.is_empty() || git_or_not(&self.folder, &format!("{go_on} --continue")).status.success() {
                break;
            }
            let is_empty = git_or_not(&self.folder, "diff --cached --quiet").status.success();
            if is_empty && git_or_not(&self.folder, &format!("{go_on} --skip")).status.success() {
                break;
            }
        }
        self.commit();
        // What the findings advise.
        let ended = self.folder.run("registry adopt");
        self.done.push(format!("{}: registry adopt: {ended:?}", self.step));
        for path in self.configs() {
            let ended = self.folder.run(&format!("bump {path} -m merged{}-{path}", self.step));
            if let Some((_, rest)) = ended.stderr.split_once("`cfg registry restore ") {
                let version = rest.split_once('`').expect("a command").0;
                assert_eq!(self.folder.run(&format!("registry restore {version}")).status, Some(0), "{version}");
            }
        }
        self.commit();
    }

    /// An octopus, which git gives up if two branches changed the same lines.
    fn merges_two(&mut self) {
        let (Some(one), Some(other)) = (self.other(), self.other()) else { return };
        let words = format!("merge -q -m octopus {one} {other}");
        let ended = git_or_not(&self.folder, &words);
        let is_done = ended.status.success();
        self.done.push(format!("{}: {words}: {ended:?}", self.step));
        if is_done {
            self.resolves("");
        } else {
            git(&self.folder, "reset -q --hard");
        }
    }

    fn step(&mut self) {
        self.step += 1;
        match self.pick(11) {
            0 if self.branches.len() < 4 => {
                let name = format!("branch{}", self.step);
                git(&self.folder, &format!("checkout -qb {name}"));
                self.branches.push(name);
            }
            1 => {
                let Some(other) = self.other() else { return };
                git(&self.folder, &format!("checkout -q {other}"));
            }
            kind @ 2..=5 => {
                let Some(other) = self.other() else { return };
                let (words, go_on) = match kind {
                    2 => (format!("merge -q --no-ff -m merge {other}"), ""),
                    3 => (format!("merge -q --squash {other}"), ""),
                    4 => (format!("rebase -q {other}"), "rebase"),
                    _ => (format!("cherry-pick {other}"), "cherry-pick"),
                };
                let ended = git_or_not(&self.folder, &words);
                let is_done = ended.status.success();
                self.done.push(format!("{}: {words}: {ended:?}", self.step));
                self.resolves(if is_done { "" } else { go_on });
            }
            6 => {
                let back = self.pick(2);
                // The first commit makes the registry.
                if !git_or_not(&self.folder, &format!("rev-parse -q --verify HEAD~{}", back + 1)).status.success() {
                    return;
                }
                let words = format!("revert --no-edit HEAD~{back}");
                let ended = git_or_not(&self.folder, &words);
                let is_done = ended.status.success();
                self.has_reverted = true;
                self.done.push(format!("{}: {words}: {ended:?}", self.step));
                // A merge isn't reverted without a word on which side stays.
                if is_done || git_or_not(&self.folder, "rev-parse -q --verify REVERT_HEAD").status.success() {
                    self.resolves(if is_done { "" } else { "revert" });
                }
            }
            7 => self.merges_two(),
            8 => {
                self.bumps();
                git(&self.folder, "add -A");
                if git_or_not(&self.folder, "stash").stdout.starts_with(b"No local") {
                    return;
                }
                if let Some(other) = self.other() {
                    git(&self.folder, &format!("checkout -q {other}"));
                }
                let ended = git_or_not(&self.folder, "stash pop");
                self.done.push(format!("{}: stash pop: {ended:?}", self.step));
                self.resolves("");
                git_or_not(&self.folder, "stash clear");
            }
            9 => {
                let configs = self.configs();
                if !configs.is_empty() {
                    let old = configs[self.pick(configs.len())].clone();
                    let new = format!("renamed{}.toml", self.step);
                    assert_eq!(self.folder.run(&format!("registry mv {old} {new}")).status, Some(0), "{old}");
                    self.commit();
                }
            }
            _ => {
                self.bumps();
                self.commit();
            }
        }
    }

    /// Each registered text is stored, and each stored text has its own name.
    fn is_whole(&mut self, seed: u64) {
        let last: Vec<&String> = self.done.iter().filter(|done| done.starts_with(&format!("{}:", self.step))).collect();
        let context = format!("history {seed}, step {}: {last:#?}", self.step);
        let stored: Vec<String> = fs::read_dir(self.folder.path().join(".cfg/objects"))
            .expect("stored texts")
            .map_while(Result::ok)
            .map(|file| {
                let digest = Digest::of(&fs::read(file.path()).expect("a text")).to_string();
                assert_eq!(file.file_name().to_string_lossy(), digest, "{context}");
                digest
            })
            .collect();
        let all: serde_json::Value = serde_json::from_str(&read(&self.folder, "registry.json")).expect("JSON");
        for (path, config) in all["configs"].as_object().expect("configs") {
            for (label, entry) in config["versions"].as_object().into_iter().flatten() {
                // Nobody has the text of a version that only a later one names as its parent.
                let Some(sha256) = entry["sha256"].as_str() else { continue };
                assert!(stored.iter().any(|stored| stored == sha256), "{context}: the text of {path}:{label} is lost: {entry}");
                let reason = entry["notes"].as_str().unwrap_or_default().to_owned();
                if !self.has_reverted && (reason.starts_with("step") || reason.starts_with("merged")) {
                    let first = self.texts.entry(reason).or_insert_with(|| sha256.to_owned());
                    assert_eq!(first, sha256, "{context}: {path}:{label} was another text: {entry}");
                }
            }
        }
    }
}

/// Each finding of a state says what to do, and who does it ends with no fault.
fn has_advice(history: &mut History, seed: u64) {
    let mut done = Vec::new();
    for _ in 0..20 {
        let ended = history.folder.run("registry verify --format json");
        let found: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|_| panic!("{ended:?}"));
        let files = found["files"].as_array().into_iter().flatten();
        let all = files.flat_map(|file| file["diagnostics"].as_array().into_iter().flatten());
        // That nobody has the text of a version is an info.
        let findings: Vec<&serde_json::Value> = all.filter(|one| one["severity"] != "info").collect();
        let last: Vec<&String> = history.done.iter().filter(|done| done.starts_with(&format!("{}:", history.step))).collect();
        let context = format!("history {seed}, step {}: {last:#?}\n{findings:#?}\n{done:#?}", history.step);
        let Some(one) = findings.first() else {
            history.commit();
            return;
        };
        let help = one["help"].as_str().unwrap_or_default();
        let command = help.split('`').skip(1).step_by(2).find_map(|words| words.strip_prefix("cfg "));
        let command = command.unwrap_or_else(|| panic!("no command: {context}")).replace("FILE", "rl.toml");
        let command =
            if command.starts_with("bump") { format!("{command} -m merged{}-{}", history.step, done.len()) } else { command };
        let ended = history.folder.run(&command);
        done.push((one["message"].to_string(), command, ended.status, ended.stdout, ended.stderr));
    }
    panic!("history {seed}, step {}: advice that doesn't help: {done:#?}", history.step);
}

/// A text with one side of each conflict.
fn one_side(text: &str, is_ours: bool) -> String {
    let mut side = None;
    let mut out = String::new();
    for line in text.lines() {
        match line {
            _ if line.starts_with("<<<<<<<") => side = Some(true),
            _ if line.starts_with("=======") && side.is_some() => side = Some(false),
            _ if line.starts_with(">>>>>>>") => side = None,
            _ if side.is_none_or(|side| side == is_ours) => out += &format!("{line}\n"),
            _ => {}
        }
    }
    out
}

#[test]
fn no_history_loses_a_text_or_mixes_it_with_another() {
    // In the last one, a rebase once left a config that contradicts its registry.
    for seed in (0..sized::sized(2, 40)).chain([3010]) {
        let mut history = History::new(seed);
        for _ in 0..25 {
            history.step();
            history.is_whole(seed);
            has_advice(&mut history, seed);
        }
    }
}
