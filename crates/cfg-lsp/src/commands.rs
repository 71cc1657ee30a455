//! What a client can have done by name.
//!
//! A command answers with a document: `{"title", "language", "text"}`. A client that shows files when it is asked to, and has not said that
//! it shows such documents itself, is also asked to show it, as a file of the folder for temporary ones.

use std::{io, path::PathBuf};

use cfg_check::Session;
use cfg_ide::{Analysis, Shows};
use serde_json::{Value, json};
use tower_lsp_server::ls_types as lsp;

use crate::{convert, scratch::Scratch};

/// A command about one document.
struct Command {
    name: &'static str,
    /// What it is about, as the end of the document's name.
    ending: &'static str,
    language: &'static str,
    /// The document; or why there is none.
    run: fn(&Session, &Analysis) -> Result<String, String>,
}

/// The commands about one document. A further one is a further line.
const COMMANDS: [Command; 3] = [
    Command { name: "cfg.compile", ending: "compiled.toml", language: "toml", run: cfg_ide::compiled },
    Command { name: "cfg.memory", ending: "memory.txt", language: "plaintext", run: memory },
    Command { name: "cfg.curriculum", ending: "curriculum.txt", language: "plaintext", run: curriculum },
];

/// Checks all files of the workspace and sends what is found.
pub(crate) const CHECK_WORKSPACE: &str = "cfg.checkWorkspace";

/// Shows which version comes from which.
pub(crate) const LINEAGE: &str = "cfg.lineage";

/// Makes a version: of the document that the first argument names, for the reason that the second one tells. Without one, what the block of
/// metadata notes is the reason, if that is not what the version before was made for.
pub(crate) const BUMP: &str = "cfg.bump";

/// The kind of action that leads to it.
pub(crate) const KIND_OF_BUMP: lsp::CodeActionKind = lsp::CodeActionKind::new("source.bump");

/// A document that a command made.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Shown {
    pub(crate) title: String,
    pub(crate) language: &'static str,
    pub(crate) text: String,
}

/// The names of all commands.
pub(crate) fn names() -> Vec<String> {
    COMMANDS.iter().map(|command| command.name).chain([CHECK_WORKSPACE, LINEAGE, BUMP]).map(str::to_owned).collect()
}

/// The command behind a lens.
pub(crate) const fn of_lens(shows: Shows) -> &'static str {
    match shows {
        Shows::Compiled => COMMANDS[0].name,
        Shows::Memory => COMMANDS[1].name,
        Shows::Curriculum => COMMANDS[2].name,
        Shows::Lineage => LINEAGE,
    }
}

/// Does what a command says; `None` if there is no such command.
pub(crate) fn run(name: &str, session: &Session, analysis: &Analysis, path: &str) -> Option<Result<Shown, String>> {
    let command = COMMANDS.iter().find(|command| command.name == name)?;
    Some((command.run)(session, analysis).map(|text| Shown::new(path, command.ending, command.language, text)))
}

/// What is in the place of a document that can't be made any more: the reason. `None` if there is no such command.
pub(crate) fn reason(name: &str, path: &str, why: &str) -> Option<Shown> {
    let why = convert::harmless(why.to_owned());
    if name == LINEAGE {
        return Some(lineage(path, format!("{why}\n")));
    }
    let command = COMMANDS.iter().find(|command| command.name == name)?;
    let text = if command.language == "toml" { format!("# {why}\n") } else { format!("{why}\n") };
    Some(Shown::new(path, command.ending, command.language, text))
}

/// The document of [`LINEAGE`].
pub(crate) fn lineage(path: &str, text: String) -> Shown {
    Shown::new(path, "lineage.txt", "plaintext", text)
}

fn memory(_: &Session, analysis: &Analysis) -> Result<String, String> {
    let why = "memory can't be estimated: prime-rl must accept the config, and its model must be known";
    analysis.memory().map(cfg_ide::Memory::report).ok_or_else(|| why.to_owned())
}

fn curriculum(_: &Session, analysis: &Analysis) -> Result<String, String> {
    cfg_ide::curriculum(analysis).ok_or_else(|| "no environment of this config has `curriculum_phases`".to_owned())
}

impl Shown {
    fn new(of: &str, ending: &str, language: &'static str, text: String) -> Self {
        let file = of.rsplit(['/', '\\']).next().unwrap_or_default();
        let stem = file.strip_suffix(".toml").unwrap_or(file);
        Self { title: convert::harmless(format!("{stem}.{ending}")), language, text }
    }

    pub(crate) fn to_json(&self) -> Value {
        json!({ "title": self.title, "language": self.language, "text": self.text })
    }

    /// Puts it into a file that a client can be asked to show.
    pub(crate) fn to_file(&self, scratch: &Scratch) -> io::Result<PathBuf> {
        let name: String = self.title.chars().map(|c| if matches!(c, '/' | '\\' | ':') { '_' } else { c }).collect();
        scratch.put("", &name, &self.text)
    }
}
