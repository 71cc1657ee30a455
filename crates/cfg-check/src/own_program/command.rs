//! Commands that start a program of the project.

use std::path::Path;

use cfg_compose::{CommandLine, Launch, Texts, Tree, Word, may_be_program};
use cfg_diag::{Diagnostic, FileId, codes, one_line};
use cfg_project::{Loader, OwnProgram, ProgramName, ProgramResult, ScriptClass};
use cfg_schema::Kind;
use cfg_system::System;

use super::{ReadBy, composed, reader, unchecked};
use crate::{
    Checked, Request, Session, Verdict,
    command::{Command, help_with_flags},
    finish::finish,
    hosted,
};

/// The maximum number of words before which a program is searched for.
const MAX_WORDS: usize = 64;

/// The program that a command starts.
pub(crate) struct Started {
    /// Its name, as it is written.
    name: String,
    /// The index of its first argument.
    arguments: usize,
    config: ProgramResult,
}

impl Started {
    /// The class of its own that it loads.
    pub(crate) fn class(&self) -> Option<&ScriptClass> {
        if let Ok(OwnProgram::Own(class)) = &*self.config { Some(class) } else { None }
    }

    /// The kind of prime-rl's that it reads.
    pub(crate) fn known(&self) -> Option<Kind> {
        if let Ok(OwnProgram::Known(kind)) = &*self.config { Some(*kind) } else { None }
    }

    /// The same as what reads a file.
    pub(super) fn into_reader(self) -> ReadBy {
        ReadBy { name: self.name, config: Some(self.config) }
    }
}

/// The program of the project that reads the files of a command: the one that it starts with a config after `@`, or the one that reads its first file.
pub(crate) fn of_files(
    session: &Session,
    command: &Command<'_>,
    line: &CommandLine,
    texts: &mut Texts,
    system: &dyn System,
) -> Option<Started> {
    match command {
        Command::Words(_) if has_sign(&line.words) => started(session, &line.words),
        Command::Files(files) => {
            let file = texts.file(files.first()?, system).ok()?;
            let text = texts.get(file)?;
            let by = reader(session, &Request { file, ..Request::new(&text.path, &text.text) })?;
            Some(Started { name: by.name, arguments: 0, config: by.config? })
        }
        _ => None,
    }
}

/// The program of the project that a command starts without a config after `@`; `None` if it starts an entrypoint of prime-rl.
pub(crate) fn of_words(session: &Session, words: &[Word]) -> Option<Started> {
    let is_known = has_sign(words) || Launch::read(words).kind.is_some() || hosted::command::started(words).is_some();
    if is_known { None } else { started(session, words) }
}

fn has_sign(words: &[Word]) -> bool {
    words.iter().any(|word| word.text.starts_with('@'))
}

/// The program of the project that a command starts; `None` if it starts none.
pub(super) fn started(session: &Session, words: &[Word]) -> Option<Started> {
    let sign = words.iter().position(|word| word.text.starts_with('@'));
    let file = match sign {
        Some(sign) => match words[sign].text.strip_prefix('@') {
            Some("") | None => words.get(sign + 1).map(|word| &*word.text),
            path => path,
        },
        None => words.iter().find_map(file_of_toml),
    };
    // `uv run` takes the project of the working folder.
    let around = [Path::new("pyproject.toml"), Path::new(file.unwrap_or_default())];
    (0..sign.unwrap_or(words.len()).min(MAX_WORDS)).find_map(|index| {
        let text = &*words[index].text;
        let is_module = index > 0 && &*words[index - 1].text == "-m";
        let installed = Path::new(text).parent().filter(|folder| folder.ends_with("bin")).and(text.rsplit('/').next());
        let name = match () {
            () if is_module => ProgramName::Module(text),
            () if Path::new(text).extension().is_some_and(|ending| ending == "py") => ProgramName::File(text),
            () if let Some(name) = installed => ProgramName::Script(name),
            () if text.starts_with('-') || text.contains(['/', '=', '$']) => return None,
            () => ProgramName::Script(text),
        };
        let config = around.iter().find_map(|around| session.projects().own_program(around, name))?;
        if !may_be_program(words[..index].iter().map(|word| &*word.text)) {
            return None;
        }
        Some(Started { name: text.to_owned(), arguments: index + 1, config })
    })
}

/// Checks what a program with a class of its own would read.
pub(crate) fn check(
    session: &Session,
    started: &Started,
    class: &ScriptClass,
    line: &CommandLine,
    texts: &mut Texts,
    system: &dyn System,
) -> (Checked, Vec<FileId>, Tree) {
    let words = &line.words[started.arguments..];
    let mut composed = |words: &[Word]| composed(session, unchecked(session, &started.name, class), class, words, texts, system);
    if has_sign(words) || !matches!(class.loader, Loader::File | Loader::Settings(_)) {
        let mut result = composed(words);
        help_with_flags(line, &mut result.0.diagnostics);
        return result;
    }
    match opened(started, class, line, system) {
        Ok(Opened { file, others }) => {
            let sign = Word { text: "@".into(), ..file.clone() };
            let mut result = composed(&[sign, file]);
            if others > 0 && result.0.verdict == Verdict::Ok {
                result.0.verdict = Verdict::Depends;
            }
            result
        }
        Err(files) => unread(session, started, class, files),
    }
}

/// The file of TOML that a program opens itself.
struct Opened {
    file: Word,
    /// The number of the arguments that do not name it.
    others: usize,
}

/// The file that a program opens itself: the only one that its arguments name, or else the one that its class names.
///
/// # Errors
/// If a command does not show it: the number of files that its arguments name.
fn opened(started: &Started, class: &ScriptClass, line: &CommandLine, system: &dyn System) -> Result<Opened, usize> {
    let words = &line.words[started.arguments..];
    let named: Vec<(usize, &str)> =
        words.iter().enumerate().filter_map(|(index, word)| Some((index, file_of_toml(word)?))).collect();
    // What the arguments mean that name no file is up to the program.
    match (named.as_slice(), &class.loader) {
        (&[(index, path)], _) => {
            let is_value = index > 0 && path == &*words[index].text && words[index - 1].text.starts_with('-');
            let file = Word { text: path.into(), ..words[index].clone() };
            Ok(Opened { file, others: words.len() - 1 - usize::from(is_value) })
        }
        ([], Loader::Settings(Some(path))) if system.stays_inside(Path::new(path)) && system.is_file(Path::new(path)) => {
            let program = started.arguments.checked_sub(1).and_then(|program| line.words.get(program)).ok_or(0_usize)?;
            let file = Word { text: path.as_str().into(), is_verbatim: false, ..program.clone() };
            Ok(Opened { file, others: words.len() })
        }
        (files, _) => Err(files.len()),
    }
}

/// The file of TOML that an argument names: `a.toml`, `--config=a.toml`.
fn file_of_toml(word: &Word) -> Option<&str> {
    let path = if word.text.starts_with('-') { word.text.split_once('=')?.1 } else { &*word.text };
    path.strip_suffix(".toml").map(|_| path)
}

/// The result for a command that does not show the file that its program opens.
fn unread(session: &Session, started: &Started, class: &ScriptClass, files: usize) -> (Checked, Vec<FileId>, Tree) {
    let (name, place) = (one_line(&started.name), one_line(&class.loaded_at));
    let names = if files == 0 { "no file of TOML".to_owned() } else { format!("{files} files of TOML") };
    let message = format!("nothing is checked: `{name}` opens its config itself, at {place}, and this command names {names}");
    let found = Diagnostic::new(&codes::NOT_A_CONFIG, message).help("check the file that it opens: `cfg check FILE.toml`");
    let mut checked = Checked::unchecked(hosted::settle(session, None, None));
    checked.is_config = false;
    (finish(checked, vec![found], |_| 0), Vec::new(), Tree::default())
}

/// Says of a command whose program is not understood, and whose files are no configs of prime-rl, why nothing is checked.
pub(crate) fn explain(started: &Started, checked: &mut Checked, tree: &Tree) {
    let Err(why) = &*started.config else { return };
    let entries = tree.root.entries();
    // Half of the keys may be misspelt, not more.
    let has_most = checked.kind.is_none_or(|kind| {
        let (root, point) = (checked.target.history.root(kind), checked.target.point);
        let is_there = |key: &str| root.field(key).is_some_and(|field| field.at(point).is_some());
        2 * entries.iter().filter(|entry| is_there(&entry.key)).count() > entries.len()
    });
    let is_unread = checked.diagnostics.iter().any(|found| found.code == &codes::UNREADABLE_FILE);
    // What may be of several kinds shows none of prime-rl's either.
    if is_unread || !entries.is_empty() && checked.is_config && checked.kinds.is_empty() && has_most {
        return;
    }
    checked.is_config = false;
    checked.kinds.clear();
    checked.verdict = Verdict::Rejected;
    let message = format!("`cfg` does not check the config of `{}`: {}", one_line(&started.name), one_line(why));
    checked.diagnostics = vec![Diagnostic::new(&codes::NOT_A_CONFIG, message)];
}
