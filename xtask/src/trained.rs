//! What the shipped program does most: a profile of it at typical work, with which the compiler makes that work fast, and everything else small.
//!
//! The program is built twice: once with counters, which checks configs with and without faults and answers an editor, and then with what was counted.
//! What checks of one config reach is put side by side in the program, so that it takes few pages of memory: most of its time is that of loading it.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::json;

use crate::{
    dist,
    playground::{files_below, read},
    say,
    server::Server,
    tools,
};

/// The profile of a program, for the compiler.
#[derive(Debug)]
pub(crate) struct Profile {
    path: PathBuf,
    /// What the linker puts side by side, as a script for it.
    layout: PathBuf,
    triple: String,
}

/// The variable that says where the counts go: a file for each program, in which all of its runs are added up.
const COUNTS: &str = "LLVM_PROFILE_FILE";

/// The folders of the counts: of checks of one config each, which is what most runs do, and of everything else.
const FIRST: &str = "first";
const FURTHER: &str = "further";

/// Copies of the configs that are checked, so that files outweigh what is done once.
const COPIES: usize = 6;

/// Versions of prime-rl for which they are checked; most files are full of faults for most of them.
const TARGETS: [&str; 5] = ["0.3.0", "0.5.0", "0.6.0", "0.8.0", "main"];

/// A key that each third file misspells, and how.
const SLIP: (&str, &str) = ("batch_size", "bacth_size");

/// Up to which costs, as LLVM counts them, code is copied to where it is called; an instruction counts 5. What the work reaches often may cost less than
/// by itself (3,000), which makes the program a fiftieth smaller and takes 0.7 % more instructions; of what it does not reach only that is copied which
/// takes no more space than a call.
const MAX_COSTS_COPIED: [(&str, u32); 5] = [
    ("hot-callsite-threshold", 600),
    ("inline-threshold", 150),
    ("inlinehint-threshold", 150),
    ("inline-cold-callsite-threshold", 5),
    ("inlinecold-threshold", 5),
];

/// Edits of each of the documents that an editor opens.
const EDITS: usize = 40;

impl Profile {
    /// The profile of the program that is built of sources in a folder, in a build folder of its own, with further variables for cargo. `None`, which is said,
    /// where it can't be had.
    ///
    /// # Errors
    /// A sentence, if the program can't be built, or doesn't do its work.
    pub(crate) fn of(source: &Path, built: &Path, further: &[(&str, &str)]) -> Result<Option<Self>, String> {
        let tools = match tools::of_llvm() {
            Ok(tools) => tools,
            Err(why) => {
                say(&format!("the program is built without a profile, so it is larger and slower: {why}"));
                return Ok(None);
            }
        };
        let counts = built.join("counts");
        let program = dist::build(source, built, &[format!("-Cprofile-generate={}", counts.display())], further)?;
        let profile = Self { path: built.join("cfg.profdata"), layout: built.join("layout.ld"), triple: tools::own_triple()? };
        // Counted again only if the program is another one.
        let changed = |path: &Path| fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
        if changed(&profile.layout).is_some_and(|counted| Some(counted) > changed(&program)) {
            return Ok(Some(profile));
        }
        drop(fs::remove_dir_all(&counts));
        let folder = built.join("work");
        drop(fs::remove_dir_all(&folder));
        Work { program, folder, counts: counts.clone() }.done(source)?;
        let first = built.join("first.profdata");
        for (counts, path) in [(counts.join(FIRST), &first), (counts, &profile.path)] {
            tools::run(Command::new(tools.join("llvm-profdata")).arg("merge").arg("--output").arg(path).arg(counts))?;
        }
        fs::write(&profile.layout, layout(&tools, &first)?).map_err(|error| format!("{}: {error}", profile.layout.display()))?;
        Ok(Some(profile))
    }

    /// The target of the program: the names in it are those of no other.
    pub(crate) fn triple(&self) -> &str {
        &self.triple
    }

    /// The compiler's flags for it.
    pub(crate) fn flags(&self) -> Vec<String> {
        let mut flags = vec![format!("-Cprofile-use={}", self.path.display())];
        flags.extend(MAX_COSTS_COPIED.map(|(name, cost)| format!("-Cllvm-args=-{name}={cost}")));
        if cfg!(target_os = "linux") {
            flags.push(format!("-Clink-arg=-Wl,-T,{}", self.layout.display()));
        }
        flags
    }
}

/// What is not compiled here, and so is not counted: the functions of the standard library and of the allocator, which every run needs.
const UNCOUNTED: [&str; 4] = [".text._R*", ".text.unlikely._R*", ".text.mi_*", ".text._mi_*"];

/// A script for the linker, by which the functions that a profile has seen stand in a section of their own, in front of all others. Those that are copied to
/// where they are called have none.
fn layout(tools: &Path, seen: &Path) -> Result<String, String> {
    let reached = tools::run(Command::new(tools.join("llvm-profdata")).args(["show", "--covered"]).arg(seen))?;
    // The name of a function that is not the only one of its name comes after that of its unit; one that is used across units is given an ending.
    let names: BTreeSet<&str> = reached.lines().filter_map(|line| line.rsplit(';').next()).collect();
    let counted = names.iter().flat_map(|name| ["", "hot.", "unlikely."].map(|part| format!(".text.{part}{name}*")));
    let sections: Vec<String> = counted.chain(UNCOUNTED.map(str::to_owned)).collect();
    Ok(format!("SECTIONS {{\n.text.first : {{\n*({})\n}}\n}} INSERT BEFORE .text;\n", sections.join(")\n*(")))
}

/// Typical work in a folder.
struct Work {
    program: PathBuf,
    folder: PathBuf,
    counts: PathBuf,
}

impl Work {
    fn done(&self, source: &Path) -> Result<(), String> {
        let texts: Vec<(String, String)> = files_below(&source.join("configs"), "toml")?
            .iter()
            .map(|path| Ok((path.file_name().unwrap_or_default().to_string_lossy().into_owned(), read(path)?)))
            .collect::<Result<_, String>>()?;
        let mut files: Vec<PathBuf> = Vec::new();
        for copy in 0..COPIES {
            for (number, (name, text)) in texts.iter().enumerate() {
                let file = self.folder.join(format!("group-{copy}")).join(format!("run-{number}")).join(name);
                let text = if (number + copy) % 3 == 0 { text.replace(SLIP.0, SLIP.1) } else { text.clone() };
                fs::create_dir_all(file.with_file_name(""))
                    .and_then(|()| fs::write(&file, text))
                    .map_err(|error| error.to_string())?;
                files.push(file);
            }
        }
        for words in
            [&["check", "."][..], &["check", "--format", "json", "."], &["check", "--quiet", "."], &["fmt", "--check", "."]]
        {
            self.run(words)?;
        }
        for target in TARGETS {
            self.run(&["check", "--target", target, "."])?;
            self.run(&["migrate", "--to", target, "--diff", "group-0"])?;
        }
        for file in &files[..texts.len()] {
            let file = file.to_string_lossy();
            self.run_counted(FIRST, &["check", &file])?;
            for command in ["memory", "plan", "compile", "estimate"] {
                self.run(&[command, &file])?;
            }
        }
        self.run(&["--help"])?;
        self.edit(&files[..texts.len()])
    }

    /// The program, whose counts go to a folder.
    fn command(&self, counts: &str) -> Command {
        let mut command = Command::new(&self.program);
        command.env(COUNTS, self.counts.join(counts).join("cfg-%m.profraw")).current_dir(&self.folder);
        command
    }

    fn run(&self, words: &[&str]) -> Result<(), String> {
        self.run_counted(FURTHER, words)
    }

    /// Runs the program, which may find faults, but may not fail otherwise.
    fn run_counted(&self, counts: &str, words: &[&str]) -> Result<(), String> {
        let output = self.command(counts).args(words).output().map_err(|error| format!("{}: {error}", self.program.display()))?;
        if output.status.code().is_some() {
            return Ok(());
        }
        Err(format!("cfg {}: {}\n{}", words.join(" "), output.status, String::from_utf8_lossy(&output.stderr)))
    }

    /// Writes in some of the files as in an editor: a letter too much, and away again, with what an editor asks in between.
    fn edit(&self, files: &[PathBuf]) -> Result<(), String> {
        let mut server = Server::start(self.command(FURTHER))?;
        for file in files {
            let text = read(file)?;
            let path = file.to_string_lossy().replace('\\', "/");
            let uri = format!("file:///{}", path.trim_start_matches('/'));
            let document = json!({ "uri": uri });
            let opened = json!({ "uri": uri, "languageId": "toml", "version": 0, "text": text });
            server.tell("textDocument/didOpen", &json!({ "textDocument": opened }))?;
            let lines = text.lines().count().max(1);
            for edit in 0..EDITS {
                let (line, end) = (edit * 7 % lines, usize::from(edit % 2 == 1));
                let letter = if end == 0 { "x" } else { "" };
                let place = |character: usize| json!({ "line": (edit - end) * 7 % lines, "character": character });
                let change = json!({ "range": { "start": place(0), "end": place(end) }, "text": letter });
                let version = json!({ "uri": uri, "version": edit + 1 });
                server.tell("textDocument/didChange", &json!({ "textDocument": version, "contentChanges": [change] }))?;
                let asked = json!({ "textDocument": document, "position": { "line": line, "character": 2 } });
                server.ask("textDocument/completion", &asked)?;
                server.ask("textDocument/hover", &asked)?;
            }
            let whole = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": lines, "character": 0 } });
            let asked = json!({ "textDocument": document, "range": whole, "context": { "diagnostics": [] } });
            for method in ["documentSymbol", "codeLens", "inlayHint", "codeAction", "documentLink"] {
                server.ask(&format!("textDocument/{method}"), &asked)?;
            }
        }
        server.end()
    }
}
