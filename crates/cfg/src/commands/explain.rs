//! `cfg explain`: the documentation of a code.

use std::io::{self, Write as _};

use cfg_diag::{Code, Severity, codes};
use cfg_report::listed::FindingPage;

use super::Listing;
use crate::{CommandResult, Outcome, args::Explain, context::Context, terminal};

/// The page of a code, as JSON.
fn page(info: Code) -> FindingPage {
    let severity = match info.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "info",
    };
    let cfg_diag::CodeInfo { code, name, summary, page, .. } = *info;
    FindingPage { code, name, severity, summary, url: info.url(), page }
}

pub(crate) fn run(cx: &Context, explain: &Explain) -> CommandResult {
    let listing = Listing::of(cx);
    let wanted = match explain.code.as_deref().map(|code| (code, codes::find(code))) {
        None => codes::ALL,
        Some((_, Some(info))) => &[info],
        Some((code, None)) => {
            let meant = codes::find(&format!("PRL{code}")).or_else(|| codes::find(&code.replace('_', "-")));
            let meant = meant.map(|info| format!("did you mean `{}`? Otherwise ", info.code)).unwrap_or_default();
            cx.complain(&format!("unknown code `{code}`; {meant}run `cfg explain` to list all"));
            return Ok(Outcome::Failed);
        }
    };
    let style = terminal::style(cx);
    let mut out = if explain.code.is_none() { cx.out() } else { cx.out_of_lines() };
    match listing {
        Listing::Text if explain.code.is_none() => {
            let width = wanted.iter().map(|info| info.name.len()).max().unwrap_or_default();
            for info in wanted {
                writeln!(out, "{}  {:width$}  {}", info.code, info.name, info.summary)?;
            }
        }
        Listing::Text => {
            for info in wanted {
                // The page begins with a heading, the name, which is printed separately.
                let text = info.page.split_once('\n').map_or("", |(_, text)| text);
                let mut text = without_links(text.trim_end());
                if let Some(columns) = terminal::columns(cx, &io::stdout()) {
                    text = wrapped(&with_long_lines(&text), columns);
                }
                writeln!(out, "{}", terminal::paint(style, "1", &format!("{} {}", info.code, info.name)))?;
                for line in text.lines() {
                    let is_heading = line.starts_with("## ");
                    writeln!(out, "{}", if is_heading { terminal::paint(style, "1", line) } else { line.to_owned() })?;
                }
            }
        }
        Listing::Json | Listing::JsonLines => {
            let entries: Vec<FindingPage> = wanted.iter().map(|info| page(info)).collect();
            listing.write(&mut out, &entries)?;
        }
    }
    Ok(Outcome::Clean)
}

/// A page for a terminal: a link to another finding is replaced by its name and code, any other link by its text.
fn without_links(page: &str) -> String {
    let mut text = String::with_capacity(page.len());
    let mut rest = page;
    while let Some((before, words, target, behind)) = next_link(rest) {
        text.push_str(before);
        text.push_str(words);
        let code =
            target.strip_suffix(".md").and_then(codes::find).filter(|info| !behind.starts_with(&format!(" {}", info.code)));
        if let Some(info) = code {
            text.push_str(&format!(" ({})", info.code));
        }
        rest = behind;
    }
    text.push_str(rest);
    text
}

/// A page in which each paragraph is one line, for a terminal that breaks it at its own width. Code, lists and tables keep their lines.
fn with_long_lines(page: &str) -> String {
    let mut text = String::with_capacity(page.len());
    let (mut is_code, mut goes_on) = (false, false);
    for line in page.lines() {
        let is_fence = line.starts_with("```");
        let is_own = is_code || is_fence || line.is_empty() || line.starts_with(['#', '|', ' ']);
        let begins = is_own || line.starts_with("- ") || is_numbered(line);
        if !text.is_empty() {
            text.push(if goes_on && !begins { ' ' } else { '\n' });
        }
        text.push_str(line);
        is_code ^= is_fence;
        goes_on = !is_own;
    }
    text
}

/// Whether a line is an item of a numbered list, and not text that begins with a number.
fn is_numbered(line: &str) -> bool {
    line.trim_start_matches(|first: char| first.is_ascii_digit()).starts_with(". ")
        && line.starts_with(|first: char| first.is_ascii_digit())
}

/// A page with lines of at most this many columns; code keeps its own.
fn wrapped(page: &str, columns: usize) -> String {
    let mut is_code = false;
    let lines = page.lines().map(|line| {
        let is_fence = line.starts_with("```");
        is_code ^= is_fence;
        let indent = if line.starts_with("- ") { 2 } else { 0 };
        let text = if is_code || is_fence { line.to_owned() } else { cfg_report::fold_paragraph(line, columns, indent) };
        text + "\n"
    });
    lines.collect()
}

/// The text before the next link, the text of the link, its destination, and the rest. Brackets that are not links are skipped.
fn next_link(text: &str) -> Option<(&str, &str, &str, &str)> {
    let middle = text.find("](")?;
    let (head, tail) = (&text[..middle], &text[middle + 2..]);
    let (start, end) = (head.rfind('[')?, tail.find(')')?);
    Some((&head[..start], &head[start + 1..], &tail[..end], &tail[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::{with_long_lines, without_links};

    #[test]
    fn a_paragraph_is_one_line_and_code_keeps_its_lines() {
        let page = "## A\n\none\ntwo\n\n- three\nfour\n- five\n\n```toml\na = 1\nb = 2\n```\nsix";
        assert_eq!(with_long_lines(page), "## A\n\none two\n\n- three four\n- five\n\n```toml\na = 1\nb = 2\n```\nsix");
    }

    #[test]
    fn links_are_replaced_by_their_text() {
        let page = "as [shared-conflict](shared-conflict.md) does, and [this](https://example.org) too";
        assert_eq!(without_links(page), "as shared-conflict (PRL201) does, and this too");
        assert_eq!(without_links("[trainer.model] and a (word)"), "[trainer.model] and a (word)");
        assert_eq!(without_links("[contradiction](contradiction.md) PRL202"), "contradiction PRL202");
    }
}
