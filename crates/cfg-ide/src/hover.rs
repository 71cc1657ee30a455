//! Explains the word under the cursor.

use cfg_diag::Span;
use cfg_plan::{MEMBERS, member_of};
use cfg_resolve::Resolved;
use cfg_rules::declared::{DeclaredArg, in_words};
use cfg_schema::{Interval, Point, Segment, interval_in_words};

use crate::{
    Analysis, Spot,
    analysis::shown,
    arguments::{declared, free_table},
    completion::hover_of_verifiers,
    document_links::linked,
    hints,
    intended_path::IntendedPath,
    links::copies,
    past::past,
    place::{self, PathSegment, dotted},
    spot,
};

/// An explanation, in Markdown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// The explained range.
    pub span: Span,
    /// The text.
    pub markdown: String,
}

/// Explains the word at a byte offset. In the first line, and where the metadata block begins, it also has the facts that the lens above has no room
/// for.
pub fn hover(analysis: &Analysis, offset: u32) -> Option<Hover> {
    let word = hover_word(analysis, offset);
    let line_at = |start: u32| {
        let length = analysis.text[start as usize..].lines().next().map_or(0, str::len) as u32;
        Some(Span::new(start, start + length)).filter(|line| line.touches(offset))
    };
    let opening = analysis.metadata.as_ref().and_then(|block| line_at(block.span.start));
    let Some(around) = opening.or_else(|| line_at(0)) else { return word };
    let facts: Vec<String> = hints::facts(analysis).into_iter().map(|fact| format!("- {fact}\n")).collect();
    if facts.is_empty() {
        return word;
    }
    let facts = facts.concat();
    Some(match word {
        Some(Hover { span, markdown }) => Hover { span, markdown: format!("{markdown}\n\n{facts}") },
        None => Hover { span: around, markdown: facts },
    })
}

fn hover_word(analysis: &Analysis, offset: u32) -> Option<Hover> {
    let Some(spot) = spot(&analysis.document, offset) else { return hover_metadata(analysis, offset) };
    if let Some(of) = &analysis.checked.of_verifiers {
        return hover_of_verifiers(of, &spot);
    }
    // What prime-rl knows under such a name is another thing.
    if analysis.is_of_other_program() {
        return None;
    }
    let schema = analysis.schema();
    let path = spot.path();
    let key = dotted(path);
    let fields = place::fields(schema, &analysis.document.root, path);
    let mut markdown = format!("`{key}`");
    let Some(field) = fields.first() else {
        // A key of a free table, such as the arguments of an environment, has no documentation; an unknown key has a history.
        if let Some(arg) = of_argument(analysis, &spot, &key).or_else(|| of_free_key(analysis, &spot, &key)) {
            return Some(arg);
        }
        // A key of another version, or a similar one, has the documentation of the meant key.
        let meant = IntendedPath::at(analysis, path);
        let field = place::fields(meant.schema, &analysis.document.root, &meant.path).into_iter().next();
        let history = past(schema, &key);
        if field.is_none() && history.is_none() {
            return None;
        }
        markdown.push_str(&format!(" is unknown to prime-rl {}\n", analysis.checked.target));
        if let Some(field) = field {
            let name = dotted(&meant.path);
            if name != key {
                markdown.push_str(&format!("\n`{name}`: {}\n", interval_in_words(field.interval)));
            }
            if let Some(documentation) = field.node.doc(meant.schema.point) {
                markdown.push_str(&format!("\n{documentation}\n"));
            }
        }
        if let Some(history) = history {
            markdown.push_str(&format!("\n{history}\n"));
        }
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
    if let Some(arithmetic) = crate::course::arithmetic(analysis, &key) {
        markdown.push_str(&format!("\n{arithmetic}\n"));
    }
    let copies = copies(analysis, path);
    if !copies.is_empty() {
        let keys: Vec<String> = copies.iter().map(|key| format!("`{key}`")).collect();
        markdown.push_str(&format!("\nprime-rl copies it to {}\n", keys.join(", ")));
    }
    if let Some(share) = analysis.memory().and_then(|memory| memory.share(path)) {
        markdown.push_str(&format!("\nmemory: {share}\n"));
    }
    if let Some(history) = past(schema, &key) {
        markdown.push_str(&format!("\n{history}\n"));
    }
    findings(analysis, spot.span(), &mut markdown);
    markdown.push_str(&format!("\n*{} config, {}*", schema.kind, analysis.target_in_words()));
    Some(Hover { span: spot.span(), markdown: linked(&markdown) })
}

/// The errors at a place, for the pull requests that they name.
fn findings(analysis: &Analysis, span: Span, markdown: &mut String) {
    let found = analysis.checked.diagnostics.iter().filter(|found| !found.is_echo);
    let here = found.filter(|found| found.location.and_then(|location| analysis.own(location)) == Some(span));
    for found in here.filter(|found| found.message.contains('#') || found.help.as_ref().is_some_and(|help| help.contains('#'))) {
        let help = found.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
        markdown.push_str(&format!("\n{}: {}{help}\n", found.code.code, found.message));
    }
}

/// The origin of a value that another file of the config decides.
fn origin(analysis: &Analysis, resolved: &Resolved) -> Option<String> {
    let part = analysis.part(resolved.origin.place()?)?;
    let value = shown(&resolved.value)?;
    Some(format!("prime-rl uses `{value}`, from {}", part.path))
}

/// The declaration of an argument of an environment.
fn of_argument(analysis: &Analysis, spot: &Spot, key: &str) -> Option<Hover> {
    let (last, above) = spot.path().split_last()?;
    let PathSegment::Key(name) = last else { return None };
    let declared = declared(analysis, above)?;
    let DeclaredArg { type_, default, ignored, train, eval, .. } = declared.arg(name)?;
    let mut markdown = format!("`{key}`: an argument of the environment");
    if let Some(ty) = type_ {
        markdown.push_str(&format!(", {}", in_words(ty)));
    }
    if let Some(default) = default {
        markdown.push_str(&format!("; default {default}"));
    }
    markdown.push('\n');
    for (values, what) in [(train, "training"), (eval, "measuring")] {
        if !values.is_empty() {
            markdown.push_str(&format!("\nfor {what}: {}\n", values.join(", ")));
        }
    }
    if let Some(why) = ignored {
        markdown.push_str(&format!("\nno effect: {why}\n"));
    }
    findings(analysis, spot.span(), &mut markdown);
    Some(Hover { span: spot.span(), markdown: linked(&markdown) })
}

/// What reads a key of a table that takes any.
fn of_free_key(analysis: &Analysis, spot: &Spot, key: &str) -> Option<Hover> {
    let (last, above) = spot.path().split_last()?;
    let PathSegment::Key(name) = last else { return None };
    let table = free_table(analysis, above)?;
    let ty = table.type_of(name)?;
    let mut markdown = format!("`{key}`: {}, {}\n", table.in_words(), in_words(&ty));
    findings(analysis, spot.span(), &mut markdown);
    markdown.push_str(&format!("\n*{} config, {}*", analysis.schema().kind, analysis.target_in_words()));
    Some(Hover { span: spot.span(), markdown: linked(&markdown) })
}

/// The meaning and the effect of a member of the metadata block.
fn hover_metadata(analysis: &Analysis, offset: u32) -> Option<Hover> {
    let line = analysis.metadata.as_ref()?.lines.iter().find(|line| line.touches(offset))?;
    let (member, _) = analysis.text[line.range()].trim_start_matches('#').split_once('=')?;
    let (name, meaning) = MEMBERS.iter().find(|(name, _)| *name == member_of(member.trim()))?;
    let mut markdown = format!("`{name}`: {meaning}\n");
    let stated = &analysis.stated;
    let place = match *name {
        "prime_rl" => {
            if let Some(target) = &stated.target {
                let commit = target.value.history.commit_of(target.value.point);
                let commit = commit.map(|commit| format!(", of {} (commit {})", commit.day(), commit.short_sha()));
                markdown.push_str(&format!("\nprime-rl {}{}\n", target.value, commit.unwrap_or_default()));
            }
            None
        }
        "hardware" => stated.hardware.as_ref().map(|hardware| hardware.location),
        _ => None,
    };
    if place.is_some()
        && let Some(memory) = analysis.memory()
    {
        markdown.push_str(&format!("\n```text\n{}\n```\n", memory.report().trim_end()));
    }
    Some(Hover { span: *line, markdown })
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

#[cfg(test)]
mod tests {
    use super::hover;
    use crate::testing::with_cursor;

    fn at(text: &str) -> Option<String> {
        let (analysis, offset) = with_cursor(text);
        hover(&analysis, offset).map(|hover| hover.markdown)
    }

    #[test]
    fn the_hover_of_a_key_has_type_and_default() {
        let words = at("[trainer]\n[orchestrator]\nseq_l^en = 4096\n").expect("known");
        assert!(words.starts_with("`orchestrator.seq_len`: an integer"), "{words}");
        assert!(words.contains("default 2048"), "{words}");
    }

    #[test]
    fn the_hover_of_a_removed_key_names_its_successor() {
        let words = at("[trainer]\n[orchestrator]\nlora_na^me = \"x\"\n").expect("it was known");
        assert!(words.contains("is unknown") && words.contains("model.lora.name"), "{words}");
        assert_eq!(at("[trainer]\n[orchestrator]\nnons^ense = 1\n"), None);
    }

    #[test]
    fn the_hover_of_a_misspelt_key_describes_the_intended_key() {
        let words = at("[trainer]\n[orchestrator]\nbatch_si^ez = 64\n").expect("it is near one");
        assert!(words.contains("is unknown") && words.contains("\n`orchestrator.batch_size`: an integer"), "{words}");
    }

    #[test]
    fn a_header_is_explained_part_by_part() {
        let words = at("[trainer]\n[trainer.op^tim]\ntype = \"muon\"\n[orchestrator]\n").expect("known");
        assert!(words.contains("variants: `adamw`"), "{words}");
    }

    #[test]
    fn the_hover_of_a_shared_key_has_its_copies_and_memory() {
        let words = at("# /// config\n# prime_rl = \"0.8.0\"\n# hardware = \"2x H100\"\n# ///\nseq_l^en = 4096\n[model]\nname = \"Qwen/Qwen3-8B\"\n[trainer]\n[trainer.model.lora]\nrank = 16\n[orchestrator]\nbatch_size = 64\ngroup_size = 8\n[orchestrator.train.sampling]\nmax_completion_tokens = 1024\n[inference]\n").expect("known");
        assert!(words.contains("prime-rl copies it to `"), "{words}");
        assert!(words.contains("memory: ") && words.contains("for activations"), "{words}");
    }

    #[test]
    fn the_hover_of_a_step_key_has_its_arithmetic() {
        let text = "# /// config\n# prime_rl = \"0.4.0\"\n# ///\nmax_steps = 200\nseq_len = 4096\n[ckpt]\ninterval = 50\n[trainer]\n[orchestrator]\nbatch_size = 128\nrollouts_per_example = 8\n\
                    [orchestrator.sampling]\nmax_tokens = 1024\n[inference]\n";
        let words = |at: &str| super::tests::at(&text.replacen(at, &format!("^{at}"), 1)).unwrap_or_default();
        let (step, run) = (
            "each step: 128 rollouts = 16 problems x 8, 128 in flight at a time",
            "the run: 200 steps: 3,200 problems, 25,600 rollouts",
        );
        assert!(words("max_steps").contains(run) && !words("max_steps").contains(step), "{}", words("max_steps"));
        for key in ["batch_size", "rollouts_per_example"] {
            assert!(words(key).contains(step) && words(key).contains(run), "{}", words(key));
        }
        assert!(words("max_tokens").contains("what is cut: an answer is cut at 1,024 tokens"), "{}", words("max_tokens"));
        assert!(words("interval").contains("checkpoints: at 50, 100, 150, 200"), "{}", words("interval"));
    }

    #[test]
    fn arguments_and_metadata_are_explained() {
        let text = "# /// config\n# prime_rl = \"0.4.0\"\n# notes = \"x\"\n# ///\n[trainer]\n[orchestrator]\n[[orchestrator.env]]\n\
                    id = \"seconds-0/beautiful-soup-env\"\n[orchestrator.env.args]\nsplit = \"train\"\n";
        let words = |at: &str| super::tests::at(&text.replacen(at, &format!("^{at}"), 1)).unwrap_or_default();
        assert!(
            words("split").starts_with("`orchestrator.env.args.split`: an argument of the environment"),
            "{}",
            words("split")
        );
        assert!(words("notes").starts_with("`notes`: why this version was made"), "{}", words("notes"));
        assert!(words("prime_rl").contains("prime-rl 0.4.0, of 2026-"), "{}", words("prime_rl"));
    }

    #[test]
    fn stated_hardware_has_a_memory_hint() {
        let words = at("# /// config\n# prime_rl = \"0.8.0\"\n# hardware = \"2x H^100\"\n# ///\nseq_len = 4096\n[model]\nname = \"Qwen/Qwen3-8B\"\n[trainer]\n[trainer.model.lora]\nrank = 16\n[orchestrator]\nbatch_size = 64\ngroup_size = 8\n[orchestrator.train.sampling]\nmax_completion_tokens = 1024\n[inference]\n").expect("known");
        assert!(words.contains("GPU 0 (H100"), "{words}");
    }
}
