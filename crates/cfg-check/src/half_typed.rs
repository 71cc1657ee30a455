//! Headers that are still being typed.

use cfg_diag::{Diagnostic, FileId, Span, codes};
use cfg_syntax::Document;

/// The unclosed headers with nothing below them. Their last name may be unfinished, so nothing but the syntax error is known about it.
pub(crate) fn headers(text: &str, document: &Document, faults: &[Diagnostic]) -> Vec<Span> {
    if faults.is_empty() {
        return Vec::new();
    }
    let is_faulty = |span: Span| {
        let own = |found: &Diagnostic| found.location.is_some_and(|at| span.touches(at.span.start));
        faults.iter().any(|found| found.code == &codes::INVALID_TOML && own(found))
    };
    let ends = document.headers.iter().skip(1).map(|next| next.span.start as usize).chain([text.len()]);
    let with_ends = document.headers.iter().zip(ends);
    let unclosed = with_ends.filter(|(header, end)| {
        let is_closed = text[header.span.range()].ends_with(if header.array { "]]" } else { "]" });
        let is_blank = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('#');
        !is_closed && text[header.span.end as usize..*end].lines().all(is_blank) && is_faulty(header.span)
    });
    unclosed.map(|(header, _)| header.span).collect()
}

/// Removes the findings about such headers that are no syntax errors.
pub(crate) fn remove_findings(headers: &[Span], file: FileId, diagnostics: &mut Vec<Diagnostic>) {
    let is_about = |found: &Diagnostic| {
        let place = found.location.filter(|at| at.file == file).map(|at| at.span);
        place.is_some_and(|place| headers.iter().any(|header| header.start <= place.start && place.end <= header.end))
    };
    diagnostics.retain(|found| found.code == &codes::INVALID_TOML || headers.is_empty() || !is_about(found));
}

#[cfg(test)]
mod tests {
    use cfg_diag::Severity;
    use cfg_schema::Kind;

    use crate::{Request, Session, check};

    /// The codes of the findings in an rl config that ends in this text.
    fn found(text: &str) -> Vec<String> {
        let text = format!("# /// config\n# prime_rl = \"0.8.0\"\n# ///\n[trainer]\n[orchestrator]\n{text}");
        let request = Request { kind: Some(Kind::Rl), ..Request::new("rl.toml", &text) };
        let errors =
            check(&Session::default(), request).diagnostics.into_iter().filter(|found| found.severity == Severity::Error);
        errors.map(|found| found.code.name.to_owned()).collect()
    }

    #[test]
    fn a_header_that_is_being_typed_has_one_error() {
        for half in
            ["[infe", "[trainer.mod\n", "[[orchestrator.tra", "[infe\n\n# more\n[wandb]\n", "[[orchestrator.eval.sourc]\n"]
        {
            assert_eq!(found(half), ["invalid-toml"], "{half}");
        }
    }

    #[test]
    fn a_header_with_keys_or_brackets_is_checked() {
        assert_eq!(found("[infe]\n"), ["unknown-key"]);
        assert!(found("[infe\ngpu_memory_utilization = 0.9\n").contains(&"unknown-key".to_owned()));
        assert!(found("[infe\n[modle]\n").contains(&"unknown-key".to_owned()));
    }
}
