//! The completions after a key that has just been inserted.

use cfg_diag::Span;
use cfg_schema::{ExtraType, FieldType, TypeKind};

use super::{Item, Next, known, values};
use crate::{
    Analysis,
    intended_path::IntendedPath,
    place::{self, PathSegment},
};

/// Adds to the keys of a table the completions for their values.
pub(super) fn fill(analysis: &Analysis, table: &[PathSegment], items: &mut [Item]) {
    // A key that already has a value inserts only its name, and one that opens a table inserts a header.
    for item in items.iter_mut().filter(|item| item.insert.contains('=')) {
        let mut path = table.to_vec();
        path.push(PathSegment::Key(item.label.as_str().into()));
        item.next = match item.cursor.map(|cursor| &item.insert[..cursor]) {
            Some(before) if before.ends_with("{ ") => inside(analysis, &path),
            Some(before) => {
                if before.ends_with('[') {
                    path.push(PathSegment::Index(0));
                }
                let has_some = || !values::complete(analysis, &path, Span::empty(item.span.end)).is_empty();
                if !known::is_model(&path) && !has_some() { Next::Nothing } else { Next::Something }
            }
            None => {
                let (next, first) = value(analysis, &path, item.span.end);
                // A key without a value would be an error: it gets its default, which the user is led to.
                let start = item.insert.len();
                item.insert.push_str(&first);
                item.stops.push(start..item.insert.len());
                next
            }
        };
    }
}

/// The value to start with for the key at a path.
pub(crate) fn first_value(analysis: &Analysis, path: &[PathSegment], offset: u32) -> String {
    value(analysis, path, offset).1
}

/// The completions for the value of a key, and the value to start with: the default, or a valid one if it has none.
fn value(analysis: &Analysis, path: &[PathSegment], offset: u32) -> (Next, String) {
    let span = Span::empty(offset);
    let mut items = values::of_key(analysis, path, span);
    super::sort(&mut items);
    let of_type = || {
        let meant = IntendedPath::at(analysis, path);
        let types = place::types(meant.schema, &analysis.document.root, &meant.path);
        match types.first().filter(|ty| ty.kind() != TypeKind::Any) {
            Some(ty) => neutral(*ty),
            None => known::type_of(analysis, path).as_ref().map_or("\"\"", neutral_argument).to_owned(),
        }
    };
    let first = items.iter().find(|item| is_start(item, path)).map_or_else(of_type, |item| item.insert.clone());
    if values::are_all(analysis, path) {
        return (Next::OneOf(items.into_iter().map(|item| item.insert).collect()), first);
    }
    let has_some = !items.is_empty() || !values::complete(analysis, path, span).is_empty();
    (if has_some { Next::Something } else { Next::Nothing }, first)
}

/// The values to start with for a key of the table at a path, the best first.
pub(super) fn first_values(analysis: &Analysis, mut path: Vec<PathSegment>, key: &str, offset: u32) -> Vec<String> {
    path.push(PathSegment::Key(key.into()));
    let mut items = values::of_key(analysis, &path, Span::empty(offset));
    super::sort(&mut items);
    items.into_iter().filter(|item| is_start(item, &path)).map(|item| item.insert).collect()
}

/// Whether a value is one to start with: what has a place for more inside, such as `[]`, is none, and neither is a group of one.
fn is_start(item: &Item, path: &[PathSegment]) -> bool {
    item.cursor.is_none() && !(item.insert == "1" && is_group(path))
}

/// Whether a key is the size of the groups that a run trains on: the default, 1, is one from which nothing is learned.
fn is_group(path: &[PathSegment]) -> bool {
    let is = |step: &PathSegment, names: &[&str]| matches!(step, PathSegment::Key(key) if names.contains(&&**key));
    path.last().is_some_and(|last| is(last, &["group_size", "rollouts_per_example"]))
        && !path.iter().any(|step| is(step, &["eval"]))
}

/// A value of a type, the smallest one that its bounds allow.
fn neutral(ty: FieldType) -> String {
    let bounds = ty.bounds();
    match ty.kind() {
        TypeKind::Int => {
            let above = bounds.gt.as_ref().and_then(|gt| gt.to_string().parse::<i64>().ok()).map(|gt| gt.saturating_add(1));
            let least = bounds.ge.as_ref().and_then(|ge| ge.to_string().parse::<i64>().ok());
            least.or(above).unwrap_or(1).to_string()
        }
        TypeKind::Float => "1.0".to_owned(),
        TypeKind::Bool => "false".to_owned(),
        TypeKind::Literal => ty.literals().next().map_or("\"\"".to_owned(), |literal| format!("{literal:?}")),
        TypeKind::List => "[]".to_owned(),
        TypeKind::Dict | TypeKind::Table(_) => "{}".to_owned(),
        TypeKind::Union if ty.discriminator().is_some() => "{}".to_owned(),
        TypeKind::Union => ty.members().next().map_or("\"\"".to_owned(), neutral),
        TypeKind::Str | TypeKind::Path | TypeKind::Any => "\"\"".to_owned(),
    }
}

/// A value for an argument of an environment, or of vLLM.
fn neutral_argument(ty: &ExtraType) -> &'static str {
    match ty {
        ExtraType::Int => "1",
        ExtraType::Float => "1.0",
        ExtraType::Bool => "false",
        ExtraType::List(_) => "[]",
        ExtraType::Dict(_) => "{}",
        ExtraType::Optional(inner) => neutral_argument(inner),
        ExtraType::Union(members) => members.first().map_or("\"\"", neutral_argument),
        ExtraType::Any | ExtraType::Str | ExtraType::Path | ExtraType::Literal(_) => "\"\"",
    }
}

/// The completions in an empty table.
fn inside(analysis: &Analysis, path: &[PathSegment]) -> Next {
    let meant = IntendedPath::at(analysis, path);
    let tables = place::tables(meant.schema, &analysis.document.root, &meant.path);
    let has_keys = tables.iter().any(|table| table.fields(meant.schema.point).next().is_some());
    if has_keys || known::has_keys(analysis, path) { Next::Something } else { Next::Nothing }
}

#[cfg(test)]
mod tests {
    use crate::{Next, complete, testing::with_cursor};

    fn next(text: &str, label: &str) -> Next {
        let (analysis, offset) = with_cursor(text);
        let item = complete(&analysis, offset).into_iter().find(|item| item.label == label);
        item.unwrap_or_else(|| panic!("{label} is offered")).next
    }

    fn one_of(values: &[&str]) -> Next {
        Next::OneOf(values.iter().map(|value| (*value).to_owned()).collect())
    }

    #[test]
    fn a_key_with_few_values_has_them_the_default_first() {
        let text = "# /// config\n# prime_rl = \"0.8.0\"\n# ///\n[orchestrator]\n[trainer.model]\n^\n";
        assert_eq!(next(text, "trust_remote_code"), one_of(&["false", "true"]));
        let Next::OneOf(attentions) = next(text, "attn") else { panic!("it is one of a few") };
        assert!(attentions.contains(&"\"flash_attention_2\"".to_owned()), "{attentions:?}");
        assert_eq!(
            next("# /// config\n# ki^\n# ///\n[trainer]\n[orchestrator]\n", "kind"),
            one_of(&cfg_schema::Kind::NAMES.map(|name| format!("\"{name}\"")).each_ref().map(String::as_str))
        );
    }

    #[test]
    fn a_group_begins_with_more_than_one_rollout() {
        let inserted = |text: &str| {
            let (analysis, offset) = with_cursor(text);
            let item = complete(&analysis, offset).into_iter().find(|item| item.label == "group_size");
            item.map(|item| item.insert).unwrap_or_default()
        };
        assert_eq!(inserted("[trainer]\n[orchestrator]\ngro^\n"), "group_size = 16");
        assert_eq!(inserted("[trainer]\n[orchestrator]\n[orchestrator.eval]\ngro^\n"), "group_size = 1");
    }

    #[test]
    fn the_tag_of_a_table_is_one_of_its_variants() {
        let Next::OneOf(tags) = next("[orchestrator]\n[trainer.optim]\n^\n", "type") else { panic!("it is one of a few") };
        assert_eq!(tags.first().map(String::as_str), Some("\"adamw\""), "{tags:?}");
        assert!(tags.len() > 1, "{tags:?}");
    }

    #[test]
    fn a_key_of_free_choice_has_something_where_something_is_known() {
        assert_eq!(next("[trainer]\n[orchestrator]\n[model]\n^\n", "name"), Next::Something);
        assert_eq!(next("[orchestrator]\n[trainer.optim]\n^\n", "lr"), Next::Something, "its default");
        assert_eq!(next("[orchestrator]\n[trainer]\n^\n[trainer.optim]\n", "max_steps"), Next::Nothing);
        assert_eq!(next("[orchestrator]\n[trainer.model]\n^\nx = 1\n", "lora"), Next::Something, "keys of the table");
        assert_eq!(next("[orchestrator]\n[trainer.model.lora]\n^\n", "target_modules"), Next::Something, "items of the array");
    }

    #[test]
    fn an_existing_value_is_kept() {
        assert_eq!(next("[orchestrator]\n[trainer.model]\nat^ = \"sdpa\"\n", "attn"), Next::Nothing);
    }
}
