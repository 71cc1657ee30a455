//! The order of the findings of a file: what prime-rl meets first comes first.

use cfg_diag::{Diagnostic, FileId, Span, codes};

/// When prime-rl meets a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Turn {
    /// Before there is a config: the text can't be read, or something is said of the file as a whole.
    Text,
    /// In the first report of its errors.
    First,
    /// In a later report, once the errors before it are corrected.
    Later,
    /// Never: cfg alone reports it.
    Never,
}

/// The key by which findings are sorted, with a stable sort: errors of prime-rl stay in the order in which it reports them, the others are in the
/// order of the file.
pub(crate) fn of(found: &Diagnostic) -> (impl Ord + use<>, Option<(FileId, Span)>) {
    let turn = turn(found);
    let is_by_place = matches!(turn, Turn::Text | Turn::Never);
    (turn, found.location.filter(|_| is_by_place).map(|location| (location.file, location.span)))
}

fn turn(found: &Diagnostic) -> Turn {
    // What the file is, and for which prime-rl it was judged.
    let is_about_file = found.native.is_none() && found.location.is_none() && found.code.code < codes::UNKNOWN_KEY.code;
    match &found.native {
        _ if found.code.code < codes::UNSUPPORTED_FILE.code || is_about_file => Turn::Text,
        Some(native) if !native.masked => Turn::First,
        Some(_) => Turn::Later,
        None => Turn::Never,
    }
}

#[cfg(test)]
mod tests {
    use cfg_schema::{Kind, Target};

    use crate::{Request, Session, check};

    /// The keys and codes of the findings of a text, in order.
    fn found(target: &str, text: &str) -> Vec<String> {
        let session = Session::default();
        let request = Request {
            kind: Some(Kind::Rl),
            target: Target::parse(session.history, target).ok(),
            ..Request::new("rl.toml", text)
        };
        let name = |code: &str, key: Option<&str>| format!("{code} {}", key.unwrap_or("-"));
        check(&session, request).diagnostics.iter().map(|found| name(found.code.code, found.key.as_deref())).collect()
    }

    #[test]
    fn what_prime_rl_meets_first_comes_first() {
        // It looks at unknown keys of a table after its fields, at missing ones before, and at warnings of cfg never.
        let text = "typo = 1\nseq_len = 2048\n[trainer]\nmore = 1\n[trainer.optim]\nmomentum = 0.9\nlr = \"x\"\n";
        assert_eq!(
            found("0.4.0", text),
            [
                "PRL103 orchestrator",
                "PRL105 trainer.optim.lr",
                "PRL101 trainer.more",
                "PRL101 typo",
                "PRL102 trainer.optim.momentum"
            ]
        );
    }

    #[test]
    fn what_it_meets_only_later_comes_later() {
        // prime-rl ends with an exception before it looks at the length.
        let text = "[trainer]\n[orchestrator]\nbatch_size = \"x\"\n[[orchestrator.train.source]]\nenv = 3\n";
        let all = found("0.8.0", text);
        assert_eq!((&*all[0], &*all[1]), ("PRL203 -", "PRL105 orchestrator.batch_size"), "{all:?}");
        // A text that can't be read is never looked at.
        assert!(found("0.4.0", "[trainer]\nfoo = 1\n[orchestrator]\nbatch_size = 0\na = [\n")[0].starts_with("PRL00"));
    }
}
