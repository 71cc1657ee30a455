//! Links out of the text: included files, models, datasets, environments, pull requests.

use cfg_diag::{Order, Span, markdown::inert};
use cfg_syntax::{Table, Value, ValueKind};

use crate::Analysis;

/// A link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Its place, without quotes.
    pub span: Span,
    /// Its target.
    pub leads_to: LeadsTo,
}

/// Where a link leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeadsTo {
    /// A web page: its address, and what it is.
    Page(String, &'static str),
    /// A file, by a path relative to the folder of the text.
    File(String),
    /// A file, by a path relative to the folder of the text or to one above it.
    FileOfProject(String),
}

const PULL_REQUESTS: &str = "https://github.com/PrimeIntellect-ai/prime-rl/pull/";

/// All links of a text, in its order.
pub fn document_links(analysis: &Analysis) -> Vec<Link> {
    let mut links = Vec::new();
    table(&analysis.document.root, &mut Vec::new(), &mut links);
    if let Some(stated) = &analysis.stated.based_on
        && let Some(span) = analysis.own(stated.location)
    {
        links.push(Link { span: inside(span), leads_to: LeadsTo::FileOfProject(path_of(&stated.value).to_owned()) });
    }
    for comment in &analysis.document.comments {
        pull_requests(&analysis.text[comment.range()], comment.start, &mut links);
    }
    links.order_by_key(|link| link.span);
    links
}

/// The path of `path:version`.
pub fn path_of(based_on: &str) -> &str {
    match based_on.rsplit_once(':') {
        Some((path, version)) if !version.contains(['/', '\\']) && !path.is_empty() => path,
        _ => based_on,
    }
}

/// The bytes between the quotes of a string.
const fn inside(span: Span) -> Span {
    if span.end - span.start < 2 { span } else { Span::new(span.start + 1, span.end - 1) }
}

fn table<'t>(of: &'t Table, keys: &mut Vec<&'t str>, links: &mut Vec<Link>) {
    for entry in &of.entries {
        keys.push(&entry.key.text);
        value(&entry.value, keys, links);
        keys.pop();
    }
}

fn value<'t>(of: &'t Value, keys: &mut Vec<&'t str>, links: &mut Vec<Link>) {
    match &of.kind {
        ValueKind::Table(inner) => table(inner, keys, links),
        ValueKind::Array(items) => items.iter().for_each(|item| value(item, keys, links)),
        ValueKind::String(text) => {
            if let Some(leads_to) = string(text, keys) {
                links.push(Link { span: inside(of.span), leads_to });
            }
        }
        _ => {}
    }
}

/// The target of the string at these keys.
fn string(text: &str, keys: &[&str]) -> Option<LeadsTo> {
    if let ["toml_files"] = keys {
        return Some(LeadsTo::File(text.to_owned()));
    }
    let (last, above) = keys.split_last()?;
    let table = above.last().copied().unwrap_or_default();
    let name = text.split_once('@').map_or(text, |(name, _)| name);
    if !is_of_organisation(name) {
        return None;
    }
    let page = |address: String, what| Some(LeadsTo::Page(address, what));
    match (table, *last) {
        ("model" | "tokenizer" | "teacher" | "student", "name") => {
            page(format!("https://huggingface.co/{name}"), "the model's page")
        }
        ("data" | "dataset" | "train_data" | "val_data", "name") => {
            page(format!("https://huggingface.co/datasets/{name}"), "the dataset's page")
        }
        (table, "id")
            if table == "env" || table == "taskset" || above.iter().any(|key| matches!(*key, "env" | "environments")) =>
        {
            page(format!("https://app.primeintellect.ai/dashboard/environments/{name}"), "the environment's page")
        }
        _ => None,
    }
}

/// Whether a name has the form `organisation/name`.
fn is_of_organisation(name: &str) -> bool {
    let is_word = |word: &str| {
        word.starts_with(|first: char| first.is_ascii_alphanumeric())
            && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
    };
    name.split_once('/').is_some_and(|(organisation, name)| is_word(organisation) && is_word(name))
}

/// Pull requests of prime-rl that a comment names: `PR #123`, `prime-rl#123`, `prime-rl #123`.
fn pull_requests(comment: &str, start: u32, links: &mut Vec<Link>) {
    for (at, _) in comment.match_indices('#') {
        let digits = comment[at + 1..].bytes().take_while(u8::is_ascii_digit).count();
        let before = comment[..at].trim_end();
        if (1..=6).contains(&digits) && (before.ends_with("PR") || before.ends_with("prime-rl")) {
            let end = at + 1 + digits;
            let address = format!("{PULL_REQUESTS}{}", &comment[at + 1..end]);
            let span = Span::new(start + at as u32, start + end as u32);
            links.push(Link { span, leads_to: LeadsTo::Page(address, "the pull request") });
        }
    }
}

/// Markdown in which each `#123` for a pull request of prime-rl is a link.
pub(crate) fn linked(markdown: &str) -> String {
    // A text of the project's own prime-rl may be in it.
    let markdown = &*inert(markdown);
    let mut out = String::with_capacity(markdown.len());
    let mut rest = markdown;
    while let Some(at) = rest.find('#') {
        let digits = rest[at + 1..].bytes().take_while(u8::is_ascii_digit).count();
        let is_word = rest[..at].ends_with(|before: char| before.is_alphanumeric() || before == '[' || before == '/');
        out.push_str(&rest[..at]);
        let end = at + 1 + digits;
        if (2..=6).contains(&digits) && !is_word {
            out.push_str(&format!("[{}]({PULL_REQUESTS}{})", &rest[at..end], &rest[at + 1..end]));
        } else {
            out.push_str(&rest[at..end]);
        }
        rest = &rest[end..];
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::{LeadsTo, document_links, linked, path_of};
    use crate::testing::analysis;

    #[test]
    fn models_environments_and_files_are_links() {
        let text = "# /// config\n# based_on = \"configs/a.toml:v2\"\n# ///\ntoml_files = [\"../b.toml\"]\n# as in PR #1234, not #5\n\
                    [model]\nname = \"Qwen/Qwen3-8B\"\n[[orchestrator.env]]\nid = \"org/env@0.1.0\"\nname = \"x\"\n";
        let analysis = analysis(text);
        let links = document_links(&analysis);
        let found: Vec<(&str, &LeadsTo)> = links.iter().map(|link| (&text[link.span.range()], &link.leads_to)).collect();
        let page = |address: &str, what| LeadsTo::Page(address.to_owned(), what);
        assert_eq!(
            found,
            [
                ("configs/a.toml:v2", &LeadsTo::FileOfProject("configs/a.toml".to_owned())),
                ("../b.toml", &LeadsTo::File("../b.toml".to_owned())),
                ("#1234", &page("https://github.com/PrimeIntellect-ai/prime-rl/pull/1234", "the pull request")),
                ("Qwen/Qwen3-8B", &page("https://huggingface.co/Qwen/Qwen3-8B", "the model's page")),
                (
                    "org/env@0.1.0",
                    &page("https://app.primeintellect.ai/dashboard/environments/org/env", "the environment's page")
                ),
            ]
        );
    }

    #[test]
    fn a_version_is_not_part_of_a_path() {
        assert_eq!(path_of("a/b.toml:v2"), "a/b.toml");
        assert_eq!(path_of("C:/b.toml"), "C:/b.toml");
        assert_eq!(path_of("b.toml"), "b.toml");
    }

    #[test]
    fn pull_requests_are_linked_once() {
        assert_eq!(linked("removed by #123."), "removed by [#123](https://github.com/PrimeIntellect-ai/prime-rl/pull/123).");
        // A link of a text that may be of the repository is none.
        assert_eq!(linked("[#123](x) # title, a#12, #1"), "[#123] (x) # title, a#12, #1");
    }
}
