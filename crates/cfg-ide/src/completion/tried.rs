//! Values that prime-rl refuses in this config are not offered first: each is tried on a copy of the text.

use cfg_check::Session;
use cfg_diag::{Severity, Span};

use super::{Item, ItemKind, Next, RANKS, next, sort};
use crate::{
    Analysis,
    context::{Context, context},
};

/// The longest text of which copies are checked: a check takes about a millisecond for it.
const MAX_TRIED_BYTES: usize = 16 << 10;

/// The most values that are tried for one key.
const MAX_TRIED: usize = 6;

/// The most keys of a table whose values are tried.
const MAX_TRIED_KEYS: usize = 2;

/// Puts those values behind the others that lead to more errors than another one, if that concerns the first: in the list of values, and in those of
/// keys that are required, which have no default to begin with, or that are being typed.
pub fn prefer_accepted(session: &Session, analysis: &Analysis, items: &mut [Item]) {
    if analysis.text.len() > MAX_TRIED_BYTES || !analysis.checked.is_config {
        return;
    }
    let now = refusals(&analysis.checked);
    let tried = |span: Span, insert: &str| {
        let text = &analysis.text;
        let copy = [&text[..span.start as usize], insert, &text[span.end as usize..]].concat();
        refusals(&analysis.check_again(session, &copy))
    };
    let is_value = |item: &Item| matches!(item.kind, ItemKind::Value | ItemKind::Variant) && item.cursor.is_none();
    if items.first().is_some_and(is_value) {
        let first = items[0].rank;
        // A single value has no other before which it could be.
        if items.len() == 1 {
            return;
        }
        let same = items.iter().take(MAX_TRIED).take_while(|item| is_value(item) && item.rank < first.saturating_add(RANKS / 2));
        let counts = counted(same.map(|item| tried(item.span, &item.insert)), now);
        let Some(least) = counts.iter().min().copied() else { return };
        // Behind what has not been tried, too.
        for (item, _) in items.iter_mut().zip(&counts).filter(|(_, count)| **count > least) {
            item.rank = item.rank.saturating_add(RANKS / 4);
        }
        sort(items);
        return;
    }
    let is_required = |item: &Item| item.rank.is_multiple_of(RANKS / 2);
    let is_typed = |item: &Item| item.kind == ItemKind::Key && !item.span.is_empty() && item.rank < RANKS / 2;
    let is_wanted = |item: &&mut Item| item.stops.len() == 1 && (is_required(item) || is_typed(item));
    for item in items.iter_mut().filter(is_wanted).take(MAX_TRIED_KEYS) {
        let (stop, span) = (item.stops[0].clone(), item.span);
        let mut values = values_of(analysis, item);
        if values.len() < 2 {
            continue;
        }
        let with = |value: &String| [&item.insert[..stop.start], value, &item.insert[stop.end..]].concat();
        let counts = counted(values.iter().take(MAX_TRIED).map(|value| tried(span, &with(value))), now);
        let Some(best) = counts.iter().zip(0..).min().map(|(_, at)| at).filter(|at| *at > 0) else { continue };
        let value = values.remove(best);
        item.insert.replace_range(stop.clone(), &value);
        item.stops.clear();
        item.stops.push(stop.start..stop.start + value.len());
        values.insert(0, value);
        if let Next::OneOf(all) = &mut item.next {
            *all = values;
        }
    }
}

/// The values with which a key can begin, in their order; the first one is that of the item.
fn values_of(analysis: &Analysis, item: &Item) -> Vec<String> {
    match &item.next {
        Next::OneOf(values) => values.clone(),
        Next::Nothing => Vec::new(),
        Next::Something => match context(&analysis.document, &analysis.text, item.span.end) {
            Some(Context::Key { path, .. }) => next::first_values(analysis, path, &item.label, item.span.end),
            _ => Vec::new(),
        },
    }
}

/// The number of errors for each value. If the first one adds none to those that are there, no other is tried.
fn counted(mut counts: impl Iterator<Item = usize>, now: usize) -> Vec<usize> {
    match counts.next() {
        Some(first) if first > now => std::iter::once(first).chain(counts).collect(),
        first => first.into_iter().collect(),
    }
}

/// The errors in what is written, apart from those of its syntax, which the value itself ends.
fn refusals(checked: &cfg_check::Checked) -> usize {
    let is_refusal = |found: &&cfg_diag::Diagnostic| {
        found.severity == Severity::Error && !found.is_echo && !found.code.code.starts_with("PRL0")
    };
    checked.diagnostics.iter().filter(is_refusal).count()
}

#[cfg(test)]
mod tests {
    use cfg_check::Session;

    use super::prefer_accepted;
    use crate::{Item, complete, testing::with_cursor};

    fn offered(text: &str) -> Vec<Item> {
        let (analysis, offset) =
            with_cursor(&format!("# /// config\n# prime_rl = \"main\"\n# ///\n[trainer]\n[orchestrator]\n{text}"));
        let mut items = complete(&analysis, offset);
        prefer_accepted(&Session::default(), &analysis, &mut items);
        items
    }

    #[test]
    fn a_value_that_is_refused_here_is_not_the_first() {
        let labels = |text: &str| -> Vec<String> { offered(text).into_iter().map(|item| item.label).collect() };
        let table = "[inference.kv_cache_offload]\ntype = \"^\"\n";
        assert_eq!(labels(table), ["\"native\"", "\"mooncake\""]);
        // With a cluster, nothing is refused.
        let on_cluster = format!("{table}cpu = {{ num_bytes = 1000000000 }}\n[slurm]\njob_name = \"x\"\n");
        assert_eq!(labels(&on_cluster), ["\"mooncake\"", "\"native\""]);
    }

    #[test]
    fn a_key_that_is_typed_begins_with_an_accepted_value() {
        let inserted = |model: &str| {
            let items = offered(&format!("[inference.vllm]\nmodel = \"{model}\"\nmax_model_^\n"));
            items.into_iter().find(|item| item.label == "max_model_len").map(|item| item.insert)
        };
        // The most used length is beyond the context of this model.
        assert_eq!(inserted("Qwen/Qwen3-0.6B").as_deref(), Some("max_model_len = 8192"));
        assert_eq!(inserted("Qwen/Qwen3-4B-Instruct-2507").as_deref(), Some("max_model_len = 131072"));
    }

    #[test]
    fn a_required_key_begins_with_an_accepted_value() {
        let items = offered("[inference.kv_cache_offload]\n^\n");
        let tag = items.iter().find(|item| item.label == "type").expect("it is offered");
        assert_eq!(tag.insert, "type = \"native\"");
        assert_eq!(&tag.insert[tag.stops[0].clone()], "\"native\"");
    }
}
