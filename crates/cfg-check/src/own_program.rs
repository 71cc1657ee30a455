//! Configs of a project's own programs, which are none of prime-rl's: compared with the class that the program loads, and with its checks. There are no
//! rules for them.

pub(crate) mod command;
mod reader;

use std::{path::Path, sync::Arc};

pub(crate) use reader::{ReadBy, reader, reader_of, say_why_unread};

use cfg_compose::{Input, Texts, Tree, Word, compose, loader};
use cfg_diag::{Diagnostic, FileId, codes, one_line};
use cfg_plan::Metadata;
use cfg_project::{Loader, OwnProgram, ScriptClass};
use cfg_schema::{Kind, Target};
use cfg_syntax::{Dialect, Document};
use cfg_system::System;

use crate::{
    Certainty, Checked, Request, Session, Verdict,
    command::{suppressed, words_of_files},
    finish::finish,
    hosted, suppress,
    values::{Values, resolve_for},
};

/// A program whose config was checked.
#[derive(Clone, Debug)]
pub struct OfScript {
    /// Its name, as the user wrote it: `train`, `src/zeroband/train.py`.
    pub name: Box<str>,
    /// Its config class, and where that is defined.
    pub class: Box<str>,
}

/// Checks a typed evaluation by the class of the verifiers at hand. Its arguments other than files depend on the environment that the files name.
pub(crate) fn of_evaluation(
    session: &Session,
    class: &ScriptClass,
    words: &[Word],
    texts: &mut Texts,
    system: &dyn System,
) -> (Checked, Vec<FileId>, Tree) {
    let mut checked = unchecked(session, "vf-eval", class);
    let files = words_of_files(words);
    let path = files.iter().find_map(|word| word.text.strip_prefix('@').filter(|path| !path.is_empty()).or(Some(&*word.text)));
    let path = path.filter(|path| *path != "@").unwrap_or("pyproject.toml");
    checked.packages = Some(session.projects().packages_and_patches(Path::new(path)).0);
    let (mut checked, read, tree) = composed(session, checked, class, &files, texts, system);
    if files.len() < words.len() && checked.verdict == Verdict::Ok {
        checked.verdict = Verdict::Depends;
    }
    (checked, read, tree)
}

/// The class of typed evaluations, if a file is one for the verifiers of a project that has no prime-rl.
pub(crate) fn evaluation_class(session: &Session, request: &Request<'_>, checked: &Checked) -> Option<Arc<ScriptClass>> {
    if !matches!(checked.certainty, Certainty::Assumed(_)) {
        return None;
    }
    session.projects().evaluation_class(Path::new(request.path))?.as_ref().as_ref().ok().map(Arc::clone)
}

/// Checks a file as a typed evaluation.
pub(crate) fn evaluation(
    session: &Session,
    class: &ScriptClass,
    path: &str,
    tree: Tree,
    is_text: bool,
) -> (Checked, Vec<Diagnostic>) {
    let mut checked = unchecked(session, "vf-eval", class);
    checked.packages = Some(session.projects().packages_and_patches(Path::new(path)).0);
    let mut found = Vec::new();
    resolve(session, &mut checked, Values { tree, ..Values::default() }, &mut found);
    found.iter_mut().filter(|_| !is_text).filter_map(|found| found.native.as_mut()).for_each(|native| native.masked = true);
    found.iter_mut().for_each(speak);
    (checked, found)
}

/// Checks the files and arguments of a program of which only the class is known.
fn composed(
    session: &Session,
    mut checked: Checked,
    class: &ScriptClass,
    words: &[Word],
    texts: &mut Texts,
    system: &dyn System,
) -> (Checked, Vec<FileId>, Tree) {
    let schema = checked.target.schema(checked.kind.unwrap_or(Kind::Script));
    let loader = if class.loader == Loader::Argv { &loader::PARSE_ARGV } else { loader::at(schema.point) };
    let composed = compose(texts, &Input { schema, words, variables: &[], system, loader });
    let cfg_compose::Composed { tree, overlay, late, files, is_partial, mut diagnostics } = composed;
    let mut whole = tree.clone();
    whole.root.lay_over(overlay.clone());
    let is_read = !diagnostics.iter().any(Diagnostic::is_refusal);
    if is_read {
        resolve(session, &mut checked, Values { tree, overlay, late }, &mut diagnostics);
    }
    diagnostics.iter_mut().for_each(speak);
    let mut checked = finish(checked, diagnostics, |diagnostics| suppressed(texts, &files, diagnostics));
    if is_partial && checked.verdict == Verdict::Ok {
        checked.verdict = Verdict::Depends;
    }
    (checked, files, whole)
}

/// Checks a file as the config of a program: a script that the user names, or one that reads the file. `read` receives its document.
pub(crate) fn check<T>(
    session: &Session,
    request: Request<'_>,
    program: &ReadBy,
    read: impl FnOnce(FileId, Document) -> (Tree, T),
) -> (Checked, T, Metadata) {
    let Request { file, text, .. } = request;
    let (document, found) = cfg_syntax::parse(file, text, Dialect::Toml11);
    let suppressions = cfg_syntax::suppressions(text, &document);
    let mut diagnostics = request.encoding;
    diagnostics.extend(found);
    let refusal = cfg_compose::too_many_values(&document, text);
    let is_read = refusal.is_none();
    diagnostics.extend(refusal);
    let (tree, kept) = read(file, document);
    let ReadBy { name, config } = program;
    let mut checked = Checked::unchecked(hosted::settle(session, None, None));
    match config.as_deref() {
        Some(Ok(OwnProgram::Own(class))) if is_read => {
            checked = unchecked(session, name, class);
            let is_text = !diagnostics.iter().any(Diagnostic::is_refusal);
            let mut found = Vec::new();
            resolve(session, &mut checked, Values { tree, ..Values::default() }, &mut found);
            found
                .iter_mut()
                .filter(|_| !is_text)
                .filter_map(|found| found.native.as_mut())
                .for_each(|native| native.masked = true);
            found.iter_mut().for_each(speak);
            diagnostics.extend(found);
        }
        Some(Err(why)) => {
            let message = format!("`cfg` does not check the config of `{}`: {}", one_line(name), one_line(why));
            diagnostics.push(Diagnostic::new(&codes::NOT_A_CONFIG, message));
            checked.is_config = false;
        }
        None => {
            let message = format!("the project of this file has no script `{}`", one_line(name));
            diagnostics.push(Diagnostic::new(&codes::NOT_A_CONFIG, message));
            checked.is_config = false;
        }
        Some(Ok(_)) => {}
    }
    let checked = finish(checked, diagnostics, |diagnostics| suppress::apply(file, text, &suppressions, diagnostics));
    (checked, kept, Metadata::default())
}

/// A result for a program, of which only the class is known.
fn unchecked(session: &Session, name: &str, class: &ScriptClass) -> Checked {
    let mut checked = Checked::unchecked(hosted::settle(session, None, None));
    checked.kind = Some(class.kind);
    checked.of_script = Some(OfScript { name: name.into(), class: format!("{} of {}", class.name, class.place).into() });
    checked.target = Target {
        point: session.history.newest(),
        name: name.to_owned(),
        history: class.history,
        is_beyond: false,
        own_checks: Some(class.checks.clone()),
    };
    checked
}

fn resolve(session: &Session, checked: &mut Checked, values: Values, diagnostics: &mut Vec<Diagnostic>) {
    let target = checked.target.clone();
    let (names, resolved, found) =
        resolve_for(session, checked, &target, target.schema(checked.kind.unwrap_or(Kind::Script)), values);
    checked.names = Some(names);
    checked.resolved = Some(resolved);
    diagnostics.extend(found);
}

/// Words a finding for a program that is not prime-rl.
fn speak(found: &mut Diagnostic) {
    found.message = of_program(&found.message);
    found.help = found.help.as_deref().map(of_program);
}

/// A sentence about prime-rl as one about the program. What is quoted stays.
fn of_program(sentence: &str) -> String {
    let mut parts = sentence.split('`').enumerate();
    let worded = parts.by_ref().map(|(number, part)| match number % 2 {
        0 if !part.contains('"') => part.replace("prime-rl's own", "its own").replace("prime-rl", "the program"),
        _ => part.to_owned(),
    });
    worded.collect::<Vec<_>>().join("`")
}

#[cfg(test)]
mod tests {
    use super::of_program;

    #[test]
    fn quoted_words_stay() {
        assert_eq!(of_program("prime-rl silently ignores `prime-rl`"), "the program silently ignores `prime-rl`");
        assert_eq!(of_program("must be \"prime-rl\""), "must be \"prime-rl\"");
    }
}
