//! The commands that start evaluations from a file: `vf-eval FILE.toml`, `prime eval run FILE.toml`.

use std::path::Path;

use cfg_compose::{Texts, Tree, Word, program_of};
use cfg_diag::{Diagnostic, FileId, Severity, codes};
use cfg_schema::Version;
use cfg_syntax::Dialect;

use super::{OfVerifiers, VerifiersFile, used::Used};
use crate::{Checked, CommandRequest, Session, Verdict, command::suppressed, finish::finish, hosted, own_program};

/// Flags whose value may be the path of another TOML file, which is not the file with the evaluations.
const WITH_PATH: [&str; 2] = ["-e", "--endpoints-path"];

/// The evaluation that such a command starts.
#[derive(Debug)]
enum Started<'w> {
    /// One that a file describes.
    File {
        file: &'w Word,
        /// Whether the platform runs them.
        is_hosted: bool,
    },
    /// One that a typed config describes, behind `@`; with the index of the first argument, if `vf-eval` reads it.
    Typed(Option<usize>),
    /// One that only the words of the command describe.
    Words,
}

/// The evaluation that a command starts; `None` if it is not a command of verifiers.
fn started(words: &[Word]) -> Option<Started<'_>> {
    let platform = || {
        let at = program_of(words, &["prime"])? + 1;
        words.get(at).is_some_and(|word| &*word.text == "eval").then_some(at)
    };
    let is_run = |at: usize| words.get(at + 1).is_some_and(|word| &*word.text == "run");
    let own = program_of(words, &["vf-eval"]);
    let at = own.or_else(platform)?;
    let mut rest = words[at + 1..].iter();
    while let Some(word) = rest.next() {
        if WITH_PATH.contains(&&*word.text) {
            rest.next();
        } else if word.text.starts_with('@') {
            // Before verifiers 0.4.0, this word was taken for the name of an environment.
            return (own.is_some() || is_run(at)).then_some(Started::Typed(own.map(|own| own + 1)));
        } else if word.text.ends_with(".toml") && !word.text.starts_with('-') {
            let is_hosted = own.is_none() && words.iter().any(|word| &*word.text == "--hosted");
            return Some(Started::File { file: word, is_hosted });
        }
    }
    (own.is_some() || is_run(at)).then_some(Started::Words)
}

/// The findings for the file of such a command, with that file and its values. `None` if the command does not start an evaluation of verifiers.
pub(crate) fn check(
    session: &Session,
    words: &[Word],
    texts: &mut Texts,
    request: &CommandRequest<'_>,
) -> Option<(Checked, Vec<FileId>, Tree)> {
    let mut checked = Checked::unchecked(hosted::settle(session, None, None));
    let (named, is_hosted) = match started(words)? {
        Started::File { file, is_hosted } => (file, is_hosted),
        Started::Typed(Some(first)) => {
            let (why, help) = match typed(session, &words[first..], texts, request) {
                Ok(checked) => return Some(checked),
                Err(why) => why,
            };
            return Some(unread(checked, &format!("`cfg` does not check this command: {why}"), help));
        }
        Started::Typed(None) => {
            let message = format!("{NOT_LOCALLY}, and with `--hosted` it reads no typed config");
            return Some(unread(checked, &message, "run it with `uv run vf-eval @ FILE.toml`"));
        }
        Started::Words => {
            let message = "`cfg` does not check this command: it evaluates without a file";
            let help = "`cfg` checks the file of a command such as `vf-eval FILE.toml` or `prime eval run FILE.toml --hosted`";
            return Some(unread(checked, message, help));
        }
    };
    let file = match texts.file(&named.text, request.system) {
        Ok(file) => file,
        Err(error) => {
            let message = format!("{} can't be read: {}", named.text, error.reason());
            let found = Diagnostic::new(&codes::UNREADABLE_FILE, message).at(named.location);
            checked.of_verifiers = Some(OfVerifiers::new(VerifiersFile::Evaluations, &Used::around(session, &named.text)));
            checked.verdict = Verdict::Depends;
            return Some((finish(checked, vec![found], |_| 0), Vec::new(), Tree::default()));
        }
    };
    let (document, mut diagnostics) = texts.get(file)?.parse(Dialect::Toml11);
    let kind = VerifiersFile::Evaluations;
    let (found, of_verifiers) = super::check(session, request.system, file, &named.text, kind, &document, is_hosted);
    checked.of_verifiers = Some(of_verifiers);
    diagnostics.extend(found);
    if !is_hosted && program_of(words, &["vf-eval"]).is_none() {
        diagnostics.extend(nothing_locally(session, named));
    }
    let tree = Tree::from_document(file, document);
    let checked = finish(checked, diagnostics, |diagnostics| suppressed(texts, &[file], diagnostics));
    Some((checked, vec![file], tree))
}

/// What `prime eval run` says without `--hosted`.
const NOT_LOCALLY: &str = "since prime 0.8.0 `prime eval run` evaluates nothing locally";

/// The finding for a command of the platform's program that would evaluate on this machine, unless the project has one that still does so.
fn nothing_locally(session: &Session, named: &Word) -> Option<Diagnostic> {
    let known = session.projects().version_of(Path::new(&*named.text), "prime");
    let first = Version::parse("0.8.0")?;
    if known.is_some_and(|(known, _)| known < first) {
        return None;
    }
    let mut found = Diagnostic::new(&codes::UNUSABLE_ARGUMENT, NOT_LOCALLY).at(named.location);
    found.severity = Severity::Warning;
    Some(found.help(
        "add `--hosted` to run it on the platform; `uv run vf-eval FILE.toml` runs a list of evaluations until verifiers 0.3.1",
    ))
}

/// Checks a typed evaluation by the class of the verifiers that the project has.
///
/// # Errors
/// Why it can't be checked, and what to do.
fn typed(
    session: &Session,
    words: &[Word],
    texts: &mut Texts,
    request: &CommandRequest<'_>,
) -> Result<(Checked, Vec<FileId>, Tree), (String, &'static str)> {
    // `uv run` takes the project of the working folder.
    let around = Path::new("pyproject.toml");
    if let Some((version, locked)) = session.projects().version_of(around, "verifiers")
        && Version::parse("0.3.2.dev101").is_some_and(|first| version < first)
    {
        let why = format!("`vf-eval` of verifiers {locked} takes `@` for the name of an environment");
        return Err((why, "its typed evaluations are run with `uv run eval @ FILE.toml`, which `cfg` checks"));
    }
    match session.projects().evaluation_class(around).as_deref() {
        Some(Ok(class)) => Ok(own_program::of_evaluation(session, class, words, texts, request.system)),
        Some(Err(why)) => {
            Err((why.clone(), "check the file as a config of prime-rl's `eval`: `cfg check --kind eval FILE.toml`"))
        }
        None => Err((
            "the sources of the project's verifiers, whose classes read it, are not here".to_owned(),
            "install them (`uv sync`) and check again, or check the file as a config of prime-rl's `eval`: `cfg check --kind eval FILE.toml`",
        )),
    }
}

/// The result for a command that is not checked.
fn unread(mut checked: Checked, message: &str, help: &str) -> (Checked, Vec<FileId>, Tree) {
    checked.is_config = false;
    let found = Diagnostic::new(&codes::NOT_A_CONFIG, message).help(help);
    (finish(checked, vec![found], |_| 0), Vec::new(), Tree::default())
}

#[cfg(test)]
mod tests {
    use cfg_compose::CommandLine;
    use cfg_diag::FileId;

    use super::{Started, started};

    #[test]
    fn the_config_file_is_the_argument_that_the_program_reads() {
        let file = |line: &str| {
            let line = CommandLine::new(FileId(0), line.split(' '));
            match started(&line.words) {
                Some(Started::File { file, is_hosted }) => format!("{}{}", file.text, if is_hosted { ", hosted" } else { "" }),
                Some(Started::Typed(_)) => "typed".to_owned(),
                Some(Started::Words) => "words".to_owned(),
                None => "another program".to_owned(),
            }
        };
        for line in [
            "uv run vf-eval a.toml",
            "A=1 vf-eval -e endpoints.toml a.toml --verbose",
            ".venv/bin/vf-eval a.toml",
            "prime eval run a.toml",
            "prime eval a.toml",
        ] {
            assert_eq!(file(line), "a.toml", "{line}");
        }
        assert_eq!(file("prime eval run a.toml --hosted"), "a.toml, hosted");
        assert_eq!(file("uv run vf-eval gsm8k -n 5"), "words");
        assert_eq!(file("uv run vf-eval @ a.toml"), "typed");
        assert_eq!(file("prime eval run a/b -n 5"), "words");
        for other in [
            "uv run trainer --output-dir runs/vf-eval",
            "cat notes/vf-eval a.toml",
            "prime eval list",
            "uv run eval @ a.toml",
            "uv run rl @ a.toml",
            "prime train a.toml",
        ] {
            assert_eq!(file(other), "another program", "{other}");
        }
    }
}
