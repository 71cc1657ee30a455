//! What the thing under the cursor is.

use cfg_diag::Span;
use cfg_resolve::Resolved;
use cfg_schema::{Found, History, Interval, Point, Segment, find_fields, interval_in_words};

use crate::{
    Analysis,
    analysis::shown,
    document_links::linked,
    links::copies,
    place::{self, dotted},
    spot,
};

/// An explanation, in Markdown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// What it explains.
    pub span: Span,
    /// The words.
    pub markdown: String,
}

/// Explains what stands at a byte offset.
pub fn hover(analysis: &Analysis, offset: u32) -> Option<Hover> {
    let Some(spot) = spot(&analysis.document, offset) else { return hover_metadata(analysis, offset) };
    let schema = analysis.schema();
    let path = spot.path();
    let key = dotted(path);
    let fields = place::fields(schema, &analysis.document.root, path);
    let mut markdown = format!("`{key}`");
    let Some(field) = fields.first() else {
        // The key of a free table, such as the arguments of an environment, has nothing to tell; an unknown key has its history.
        let history = history(analysis.history(), schema.kind, &key, schema.point)?;
        markdown.push_str(&format!(" is not known to prime-rl {}\n\n{history}\n", analysis.checked.target));
        findings(analysis, spot.span(), &mut markdown);
        markdown.push_str(&format!("\n*{}*", analysis.target_in_words()));
        return Some(Hover { span: spot.span(), markdown: linked(&markdown) });
    };
    markdown.push_str(&format!(": {}\n", interval_in_words(field.interval)));
    if let Some(documentation) = analysis.documentation(field.node) {
        markdown.push_str(&format!("\n{documentation}\n"));
    }
    let variants = variants(field.interval, field.node, schema.point);
    if !variants.is_empty() {
        markdown.push_str(&format!("\nvariants: {}\n", variants.join(", ")));
    }
    if let Some(effective) = analysis.effective(path) {
        markdown.push_str(&format!("\n{effective}\n"));
    } else if let Some(value) = analysis.resolved_at(path).and_then(|resolved| origin(analysis, resolved)) {
        markdown.push_str(&format!("\n{value}\n"));
    }
    let copies = copies(analysis, path);
    if !copies.is_empty() {
        let keys: Vec<String> = copies.iter().map(|key| format!("`{key}`")).collect();
        markdown.push_str(&format!("\nprime-rl copies it to {}\n", keys.join(", ")));
    }
    if let Some(share) = analysis.memory().and_then(|memory| memory.share(path)) {
        markdown.push_str(&format!("\nmemory: {share}\n"));
    }
    if let Some(history) = history(analysis.history(), schema.kind, &key, schema.point) {
        markdown.push_str(&format!("\n{history}\n"));
    }
    findings(analysis, spot.span(), &mut markdown);
    markdown.push_str(&format!("\n*{} config, {}*", schema.kind, analysis.target_in_words()));
    Some(Hover { span: spot.span(), markdown: linked(&markdown) })
}

/// What is wrong at a place, for the pull requests that it names.
fn findings(analysis: &Analysis, span: Span, markdown: &mut String) {
    let found = analysis.checked.diagnostics.iter().filter(|found| !found.is_echo);
    let here = found.filter(|found| found.location.and_then(|location| analysis.own(location)) == Some(span));
    for found in here.filter(|found| found.message.contains('#') || found.help.as_ref().is_some_and(|help| help.contains('#'))) {
        let help = found.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
        markdown.push_str(&format!("\n{}: {}{help}\n", found.code.code, found.message));
    }
}

/// Where a value comes from that another file of the config decides.
fn origin(analysis: &Analysis, resolved: &Resolved) -> Option<String> {
    let part = analysis.part(resolved.origin.place()?)?;
    let value = shown(&resolved.value)?;
    Some(format!("prime-rl takes `{value}`, from {}", part.path))
}

/// What the members of the block of metadata come to.
fn hover_metadata(analysis: &Analysis, offset: u32) -> Option<Hover> {
    let hardware = analysis.stated.hardware.as_ref()?;
    let span = analysis.own(hardware.location)?;
    let line = analysis.metadata.as_ref()?.lines.iter().find(|line| line.touches(span.start) && line.touches(offset))?;
    let report = analysis.memory()?.report();
    Some(Hover { span: *line, markdown: format!("```text\n{}\n```", report.trim_end()) })
}

fn variants(interval: Interval, node: cfg_schema::Node, point: Point) -> Vec<String> {
    if interval.field_type().discriminator().is_none() {
        return Vec::new();
    }
    let tag = |variant: cfg_schema::Node| match variant.segment() {
        Segment::Variant(tag) => Some(format!("`{tag}`")),
        _ => None,
    };
    node.variants(point).filter_map(tag).collect()
}

/// Since when a key is known, how it changed last, and where it went or came from.
fn history(history: History, kind: cfg_schema::Kind, key: &str, point: Point) -> Option<String> {
    let found = find_fields(history, kind, key);
    let since = found.iter().filter_map(Found::since).min()?;
    let mut words = match name(history, since) {
        Some(name) => format!("since {name}"),
        None => "as long as the history knows".to_owned(),
    };
    let exists = found.iter().any(|found| found.exists_at(point) && found.node.at(point).is_some());
    let changes: Vec<Point> = found.iter().flat_map(|found| found.node.intervals()).map(Interval::since).collect();
    let last = changes.iter().filter(|&&change| change > since && change <= point).max();
    if let Some(name) = last.and_then(|&last| name(history, last)) {
        words.push_str(&format!(", changed in {name}"));
    }
    for step in history.moves_of(kind, key) {
        let when = step.point().and_then(|point| name(history, point)).or_else(|| step.date().map(str::to_owned));
        let when = when.unwrap_or_default();
        let pull_request = step.pull_request().map(|number| format!(" (#{number})")).unwrap_or_default();
        match step.to() {
            Some((_, to)) if to != key => words.push_str(&format!("; became `{to}` in {when}{pull_request}")),
            None => words.push_str(&format!("; removed in {when}{pull_request}")),
            _ => {}
        }
        if let Some(note) = step.note().filter(|_| !exists) {
            words.push_str(&format!(". {note}"));
        }
    }
    Some(words)
}

/// A point in a user's words: the first release that has it.
fn name(history: History, point: Point) -> Option<String> {
    if point == Point(0) {
        return None;
    }
    Some(match history.first_release_with(point) {
        Some(release) => release.name().to_owned(),
        None => history.commit_of(point).map(|commit| format!("main, {}", commit.day()))?,
    })
}

#[cfg(test)]
mod tests {
    use super::hover;
    use crate::testing::with_cursor;

    fn at(text: &str) -> Option<String> {
        let (analysis, offset) = with_cursor(text);
        hover(&analysis, offset).map(|hover| hover.markdown)
    }

    #[test]
    fn a_known_key_tells_type_and_default() {
        let words = at("[trainer]\n[orchestrator]\nseq_l^en = 4096\n").expect("known");
        assert!(words.starts_with("`orchestrator.seq_len`: an integer"), "{words}");
        assert!(words.contains("default 2048"), "{words}");
    }

    #[test]
    fn a_key_that_went_away_tells_where() {
        let words = at("[trainer]\n[orchestrator]\nlora_na^me = \"x\"\n").expect("it was known");
        assert!(words.contains("not known") && words.contains("model.lora.name"), "{words}");
        assert_eq!(at("[trainer]\n[orchestrator]\nnons^ense = 1\n"), None);
    }

    #[test]
    fn a_header_is_explained_part_by_part() {
        let words = at("[trainer]\n[trainer.op^tim]\ntype = \"muon\"\n[orchestrator]\n").expect("known");
        assert!(words.contains("variants: `adamw`"), "{words}");
    }

    #[test]
    fn a_shared_key_tells_where_it_is_copied_to_and_what_it_costs() {
        let words = at("# /// config\n# prime_rl = \"0.8.0\"\n# hardware = \"2x H100\"\n# ///\nseq_l^en = 4096\n[model]\nname = \"Qwen/Qwen3-8B\"\n[trainer]\n[trainer.model.lora]\nrank = 16\n[orchestrator]\nbatch_size = 64\ngroup_size = 8\n[orchestrator.train.sampling]\nmax_completion_tokens = 1024\n[inference]\n").expect("known");
        assert!(words.contains("prime-rl copies it to `"), "{words}");
        assert!(words.contains("memory: ") && words.contains("for activations"), "{words}");
    }

    #[test]
    fn stated_hardware_shows_what_it_holds() {
        let words = at("# /// config\n# prime_rl = \"0.8.0\"\n# hardware = \"2x H^100\"\n# ///\nseq_len = 4096\n[model]\nname = \"Qwen/Qwen3-8B\"\n[trainer]\n[trainer.model.lora]\nrank = 16\n[orchestrator]\nbatch_size = 64\ngroup_size = 8\n[orchestrator.train.sampling]\nmax_completion_tokens = 1024\n[inference]\n").expect("known");
        assert!(words.contains("GPU 0 (H100"), "{words}");
    }
}
