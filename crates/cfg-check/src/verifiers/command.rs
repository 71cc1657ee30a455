//! The commands that start evaluations from a file: `vf-eval FILE.toml`, `prime eval run FILE.toml`.

use cfg_compose::{Texts, Tree, Word, program_of};
use cfg_diag::{Diagnostic, FileId, codes};
use cfg_syntax::Dialect;

use super::{OfVerifiers, VerifiersFile, used::Used};
use crate::{Checked, CommandRequest, Session, Verdict, check::finish, command::suppressed, hosted};

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
    /// One that a typed config describes, behind `@`.
    Typed,
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
            return (own.is_some() || is_run(at)).then_some(Started::Typed);
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
        started @ (Started::Words | Started::Typed) => {
            checked.is_config = false;
            let message = if matches!(started, Started::Typed) {
                "`cfg` does not check this command: verifiers reads its typed config by the classes of its environment"
            } else {
                "`cfg` does not check this command: it evaluates without a file"
            };
            let found = Diagnostic::new(&codes::NOT_A_CONFIG, message)
                .help("`cfg` checks the file of a command such as `vf-eval FILE.toml` or `prime eval run FILE.toml`");
            return Some((finish(checked, vec![found], |_| 0), Vec::new(), Tree::default()));
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
    let subject = (file, &*named.text);
    let (found, of_verifiers) = super::check(session, request.system, subject, VerifiersFile::Evaluations, &document, is_hosted);
    checked.of_verifiers = Some(of_verifiers);
    diagnostics.extend(found);
    let tree = Tree::from_document(file, document);
    let checked = finish(checked, diagnostics, |diagnostics| suppressed(texts, &[file], diagnostics));
    Some((checked, vec![file], tree))
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
                Some(Started::Typed) => "typed".to_owned(),
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
