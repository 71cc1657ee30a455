//! What vLLM reads in the tables that take any key: its arguments, the fields of a request, and environment variables.

use cfg_diag::Span;
use cfg_rules::declared::in_words;
use cfg_schema::{ExtraType, FieldType, Kind, TypeKind};
use cfg_syntax::Table;

use super::{Item, ItemKind, known, usage};
use crate::{
    Analysis,
    arguments::free_table,
    place::{self, PathSegment, dotted},
};

/// The keys that are not written yet.
pub(super) fn keys(analysis: &Analysis, path: &[PathSegment], written: Option<&Table>, span: Span, has_value: bool) -> Vec<Item> {
    let Some(table) = free_table(analysis, path) else { return Vec::new() };
    let (kind, what, above) = (analysis.schema().kind, table.in_words(), dotted(path));
    let item = |(name, ty): (&'static str, ExtraType)| {
        let (insert, cursor) = if has_value { (name.to_owned(), None) } else { opened(name, &ty) };
        let uses = usage::of_key(kind, &format!("{above}.{name}"));
        // Behind the keys that prime-rl itself has, of which there are few.
        let rank = 2 + u8::from(uses == 0);
        Item { detail: format!("{what}: {}", in_words(&ty)), cursor, uses, rank, ..Item::new(ItemKind::Key, name, span, insert) }
    };
    table.keys().filter(|(name, _)| !known::is_set(name, written, span)).map(item).collect()
}

/// The text of a key with what its value begins with, and the cursor in it; none for a value that is written at the end.
fn opened(name: &str, ty: &ExtraType) -> (String, Option<usize>) {
    let (value, inside) = match unwrapped(ty) {
        ExtraType::Str | ExtraType::Path => ("\"\"", 1),
        ExtraType::List(_) => ("[]", 1),
        ExtraType::Dict(_) => ("{  }", 2),
        _ => return (format!("{name} = "), None),
    };
    (format!("{name} = {value}"), Some(name.len() + 3 + inside))
}

/// The values of a key that has only some.
pub(super) fn values(analysis: &Analysis, path: &[PathSegment], span: Span) -> Vec<Item> {
    let value = |text: String| Item::new(ItemKind::Value, text.clone(), span, text);
    match type_of(analysis, path).as_ref().map(unwrapped) {
        Some(ExtraType::Bool) => ["true", "false"].map(|text| value(text.to_owned())).into(),
        Some(ExtraType::Literal(words)) => words.iter().map(|word| value(format!("\"{word}\""))).collect(),
        _ => handed_over(analysis, path).into_iter().map(value).collect(),
    }
}

/// The values that vLLM has for a string that prime-rl hands over to it: a key of the server, or of its model, that is named as vLLM's argument.
fn handed_over(analysis: &Analysis, path: &[PathSegment]) -> Vec<String> {
    let schema = analysis.schema();
    let keys: Vec<&str> =
        path.iter().filter_map(|step| if let PathSegment::Key(key) = step { Some(&**key) } else { None }).collect();
    let ((Kind::Inference, own) | (Kind::Rl, ["inference", own @ ..])) = (schema.kind, &keys[..]) else { return Vec::new() };
    let ([name] | ["model" | "vllm" | "vllm_extra", name]) = own else { return Vec::new() };
    let in_table_of_vllm = matches!(own, ["vllm" | "vllm_extra", _]);
    let is_text = |ty: &FieldType| {
        ty.kind() == TypeKind::Str || ty.kind() == TypeKind::Union && ty.members().any(|own| own.kind() == TypeKind::Str)
    };
    if !in_table_of_vllm && !place::types(schema, &analysis.document.root, path).iter().any(is_text) {
        return Vec::new();
    }
    let choices = cfg_resolve::vllm_choices(schema.history, schema.point, name);
    let words = choices.map_or_else(|| cfg_resolve::vllm_last_choices(name), |choices| choices.values.clone());
    words.into_iter().map(|word| format!("\"{word}\"")).collect()
}

/// The type of the value at a path.
pub(super) fn type_of(analysis: &Analysis, path: &[PathSegment]) -> Option<ExtraType> {
    let Some((PathSegment::Key(last), above)) = path.split_last() else { return None };
    free_table(analysis, above)?.type_of(last)
}

/// A type without null.
pub(super) fn unwrapped(ty: &ExtraType) -> &ExtraType {
    if let ExtraType::Optional(inner) = ty { inner } else { ty }
}

#[cfg(test)]
mod tests {
    use crate::{Item, Next, complete, hover, testing::with_cursor};

    fn offered(target: &str, text: &str) -> Vec<Item> {
        let (analysis, offset) =
            with_cursor(&format!("# /// config\n# prime_rl = \"{target}\"\n# ///\n[trainer]\n[orchestrator]\n{text}"));
        complete(&analysis, offset)
    }

    fn find<'a>(items: &'a [Item], label: &str) -> &'a Item {
        items.iter().find(|item| item.label == label).unwrap_or_else(|| panic!("{label} is offered"))
    }

    #[test]
    fn the_arguments_of_vllm_are_offered_behind_the_keys_of_prime_rl() {
        let items = offered("main", "[inference.vllm]\n^\n");
        let at = |label: &str| items.iter().position(|item| item.label == label);
        assert!(at("gpu_memory_utilization") < at("max_num_seqs") && at("max_num_seqs") < at("[model]"));
        assert_eq!(find(&items, "max_num_seqs").detail, "an argument of vLLM 0.26: an integer");
        assert_eq!(find(&items, "max_num_seqs").insert, "max_num_seqs = 1");
        assert_eq!(find(&items, "disable_log_stats").next, Next::OneOf(vec!["false".to_owned(), "true".to_owned()]));
        assert_eq!(items.iter().filter(|item| item.label == "tensor_parallel_size").count(), 1, "prime-rl's own");
        let of_table = offered("0.8.0", "[inference.vllm_extra]\nmax_num^\n");
        assert_eq!(find(&of_table, "max_num_seqs").insert, "max_num_seqs = 1", "its table takes any value");
        let set = offered("main", "[inference.vllm]\nmax_num_seqs = 8\n^\n");
        assert!(set.iter().all(|item| item.label != "max_num_seqs"));
    }

    #[test]
    fn a_key_that_is_handed_over_has_the_values_of_vllm() {
        for key in ["reasoning_parser", "tool_call_parser"] {
            let items = offered("0.8.0", &format!("[inference.model]\n{key} = \"^\"\n"));
            let found: Vec<&str> = items.iter().map(|item| &*item.label).collect();
            assert!(found.contains(&"\"kimi_k2\"") && found.contains(&"\"auto\""), "{found:?}");
        }
        assert!(offered("0.8.0", "[inference.model]\nchat_template = \"^\"\n").is_empty());
        // Its vLLM takes any text here, and the one before it named them.
        for text in ["[inference]\nquantization = \"^\"\n", "[inference]\nvllm_extra = { quantization = \"^\" }\n"] {
            let items = offered("0.8.0", text);
            assert!(items.iter().any(|item| item.label == "\"fp8\""), "{text}: {items:?}");
        }
    }

    #[test]
    fn each_version_has_the_arguments_of_its_vllm() {
        let labels = |target: &str| -> Vec<String> {
            let items = offered(target, "[inference.vllm_extra]\n^\n");
            items.into_iter().filter(|item| item.detail.starts_with("an argument of vLLM")).map(|item| item.label).collect()
        };
        assert!(labels("0.8.0").contains(&"max_num_seqs".to_owned()));
        // That prime-rl has no such table.
        assert_eq!(labels("0.4.0"), [""; 0]);
        let inline = offered("0.8.0", "[inference]\nvllm_extra = { kv_cache^ }\n");
        assert_eq!(find(&inline, "kv_cache_dtype").insert, "kv_cache_dtype = \"auto\"");
    }

    #[test]
    fn fields_of_requests_and_variables_are_offered_where_they_belong() {
        let of_request = offered("0.8.0", "[orchestrator.train.sampling.extra_body]\n^\n");
        assert!(find(&of_request, "repetition_penalty").detail.starts_with("a field of a request to vLLM 0.2"));
        assert!(of_request.iter().all(|item| item.label != "max_num_seqs"));
        let variables = offered("main", "[inference]\nenv_vars = { VLLM_LOG^ }\n");
        assert_eq!(find(&variables, "VLLM_LOGGING_LEVEL").insert, "VLLM_LOGGING_LEVEL = \"\"");
    }

    #[test]
    fn their_values_and_types_are_shown() {
        let values = offered("main", "[inference.vllm]\nkv_cache_dtype = \"^\"\n");
        assert!(values.iter().any(|item| item.label == "\"fp8\""), "{values:?}");
        let words = |text: &str| {
            let text = format!("# /// config\n# prime_rl = \"main\"\n# ///\n[trainer]\n[orchestrator]\n{text}");
            let (analysis, offset) = with_cursor(&text);
            hover(&analysis, offset).map(|hover| hover.markdown).unwrap_or_default()
        };
        let found = words("[inference.vllm]\nmax_num_s^eqs = 8\n");
        assert!(found.starts_with("`inference.vllm.max_num_seqs`: an argument of vLLM 0.26, an integer"), "{found}");
        assert!(
            words("[inference.vllm]\ntensor_parallel^_size = 8\n").starts_with("`inference.vllm.tensor_parallel_size`: an int")
        );
    }
}
