//! Keys, values and headers of verifiers' own evaluations, and of their endpoints.

use cfg_check::OfVerifiers;
use cfg_diag::Span;
use cfg_rules::declared::in_words;
use cfg_schema::ExtraType;
use cfg_syntax::{Table, Value, ValueKind};

use super::{Behind, Item, ItemKind, Next, free, headers, known, whole_key};
use crate::{
    Analysis, Hover, Spot,
    place::{self, PathSegment, dotted},
};

/// The table of an ablation with the values that it combines.
const SWEEP: &str = "sweep";

/// The rank of tables, after all keys.
const LAST: u8 = 5;

/// The keys that a table of such a file can have and does not have yet, and the headers that can follow it.
pub(super) fn keys(analysis: &Analysis, of: &OfVerifiers, path: &[PathSegment], span: Span, behind: Behind) -> Vec<Item> {
    let written = place::table(&analysis.document.root, path);
    // The key under the cursor exists only because it is being typed.
    let is_set = |name: &str| {
        let entry = written.and_then(|table| table.get(name));
        entry.is_some_and(|entry| !entry.key.span.touches(span.end) || !matches!(entry.value.kind, ValueKind::Missing))
    };
    let in_sweep = is_sweep(path);
    let names = keys_of(of, path).iter().filter(|name| !is_set(name));
    let mut items: Vec<Item> = names.map(|name| key(of, name, span, behind == Behind::Value, in_sweep)).collect();
    if behind == Behind::Nothing && headers::can_open(analysis, path, span) {
        items.extend(of.lists().iter().map(|list| {
            let header = format!("[[{list}]]");
            let filter = Some((*list).to_owned());
            Item { filter, rank: LAST, ..Item::new(ItemKind::Table, &*header, span, format!("{header}\n")) }
        }));
    }
    items
}

/// The values of a key that has only some, and the known environments.
pub(super) fn values(analysis: &Analysis, of: &OfVerifiers, path: &[PathSegment], span: Span) -> Vec<Item> {
    // The items of a sweep are values of its keys.
    let path = match path {
        [above @ .., PathSegment::Index(_)] if above.split_last().is_some_and(|(_, table)| is_sweep(table)) => above,
        path => path,
    };
    let Some((PathSegment::Key(name), above)) = path.split_last() else { return Vec::new() };
    if !keys_of(of, above).contains(&&**name) {
        return Vec::new();
    }
    if matches!(&**name, "env_id" | "id") {
        let mut items = known::environments_by_use(analysis, span);
        let others = OfVerifiers::environments().map(|id| format!("\"{id}\""));
        let others: Vec<String> = others.filter(|id| items.iter().all(|item| item.insert != *id)).collect();
        let item = |id: String| Item {
            detail: "an environment of verifiers".to_owned(),
            ..Item::new(ItemKind::Value, id.as_str(), span, id.as_str())
        };
        items.extend(others.into_iter().map(item));
        return items;
    }
    let value = |text: &str| Item::new(ItemKind::Value, text, span, text);
    choices(of, name).iter().map(|text| value(text)).collect()
}

/// The tables that a header at the cursor can name: `path` are the parts before it, and `span` is the written part before the cursor.
pub(super) fn headers(analysis: &Analysis, of: &OfVerifiers, path: &[PathSegment], span: Span, array: bool) -> Vec<Item> {
    let whole = whole_key(&analysis.text, span);
    let Some((close, true)) = headers::closing(analysis, whole, array) else { return Vec::new() };
    let item = |name: &str, rank: u8, filter: Option<String>| {
        let insert = format!("{name}{close}");
        Item { filter, rank, ..Item::new(ItemKind::Table, name, whole, insert) }
    };
    if array {
        let lists = if path.is_empty() { of.lists() } else { &[] };
        return lists.iter().map(|list| item(list, 0, None)).collect();
    }
    let root = &analysis.document.root;
    let mut items: Vec<Item> =
        tables_of(of, path, place::table(root, path), whole).into_iter().map(|name| item(name, 0, None)).collect();
    if path.is_empty() {
        for list in of.lists() {
            // A header below an array means the last item before it.
            let entries = root.value(list).map_or(&[][..], Value::items).iter();
            let Some((index, last)) = entries.take_while(|entry| entry.span.start < whole.start).enumerate().last() else {
                continue;
            };
            let inside = [PathSegment::Key((*list).into()), PathSegment::Index(index)];
            let names = tables_of(of, &inside, last.as_table(), whole);
            items.extend(names.into_iter().map(|name| item(&format!("{list}.{name}"), 1, Some(format!("{name} {list}.{name}")))));
        }
    }
    items
}

/// Explains a key at a place of such a file.
pub(crate) fn hover(of: &OfVerifiers, spot: &Spot) -> Option<Hover> {
    let (PathSegment::Key(name), above) = spot.path().split_last()? else { return None };
    let says = of.says(name).filter(|_| keys_of(of, above).contains(&&**name))?;
    let ty = of.type_of(name).filter(|ty| *ty != ExtraType::Any).map(|ty| format!(": {}", in_words(&ty))).unwrap_or_default();
    let since = of.since(name).map(|since| format!("\nsince verifiers {since}\n")).unwrap_or_default();
    let markdown = format!("`{}`{ty}\n\n{says}\n{since}\n*{}*", dotted(spot.path()), of.verifiers);
    Some(Hover { span: spot.span(), markdown })
}

/// The keys that a table has at any time: at the root, in an entry, or in the `sweep` of an ablation.
fn keys_of<'o>(of: &'o OfVerifiers, path: &[PathSegment]) -> &'o [&'static str] {
    match path {
        [] => &of.root_keys,
        [PathSegment::Key(_), PathSegment::Index(_)] => &of.entry_keys,
        path if is_sweep(path) => &of.entry_keys,
        _ => &[],
    }
}

fn is_sweep(path: &[PathSegment]) -> bool {
    matches!(path, [PathSegment::Key(list), PathSegment::Index(_), PathSegment::Key(sweep)] if **list == *"ablation" && **sweep == *SWEEP)
}

/// The keys of a place whose values are tables that the text does not have yet, apart from the one at the cursor.
fn tables_of(of: &OfVerifiers, path: &[PathSegment], written: Option<&Table>, at: Span) -> Vec<&'static str> {
    let is_free = |name: &&&'static str| {
        let entry = written.and_then(|table| table.get(name));
        entry.is_none_or(|entry| entry.key.span.touches(at.start))
    };
    let is_table = |name: &&&'static str| matches!(of.type_of(name), Some(ExtraType::Dict(_)));
    let has_sweep = matches!(path, [PathSegment::Key(list), PathSegment::Index(_)] if **list == *"ablation");
    let sweep = if has_sweep { &[SWEEP][..] } else { &[] };
    sweep.iter().chain(keys_of(of, path).iter().filter(is_table)).filter(is_free).copied().collect()
}

/// All values of a key that has only some.
fn choices(of: &OfVerifiers, name: &str) -> Vec<String> {
    match of.type_of(name).as_ref().map(free::unwrapped) {
        Some(ExtraType::Bool) => ["true", "false"].map(str::to_owned).into(),
        Some(ExtraType::Literal(words)) => words.iter().map(|word| format!("\"{word}\"")).collect(),
        _ => Vec::new(),
    }
}

/// A key with a value to start with; one of a sweep has a list of them.
fn key(of: &OfVerifiers, name: &str, span: Span, has_value: bool, in_sweep: bool) -> Item {
    let ty = of.type_of(name).unwrap_or(ExtraType::Any);
    let what = if ty == ExtraType::Any { String::new() } else { format!(": {}", in_words(&ty)) };
    let detail = format!("a key of {}{what}", of.verifiers);
    let documentation = of.says(name);
    if has_value {
        return Item { detail, documentation, ..Item::new(ItemKind::Key, name, span, name) };
    }
    let choices = choices(of, name);
    let (value, inside) = match (choices.first(), free::unwrapped(&ty)) {
        _ if in_sweep => ("[]", Some(1)),
        (Some(first), _) => (&**first, None),
        (None, ExtraType::Str | ExtraType::Path) => ("\"\"", Some(1)),
        (None, ExtraType::List(_)) => ("[]", Some(1)),
        (None, ExtraType::Dict(_)) => ("{  }", Some(2)),
        (None, ExtraType::Float) => ("1.0", None),
        (None, ExtraType::Int | ExtraType::Union(_)) => ("1", None),
        (None, _) => ("", None),
    };
    let insert = format!("{name} = {value}");
    let start = insert.len() - value.len();
    let is_known = matches!(name, "env_id" | "id");
    Item {
        detail,
        documentation,
        cursor: inside.map(|inside| start + inside),
        stops: (inside.is_none() && !value.is_empty()).then_some(start..insert.len()).into_iter().collect(),
        next: match (in_sweep, choices.is_empty()) {
            (false, false) => Next::OneOf(choices),
            (true, false) => Next::Something,
            _ if is_known => Next::Something,
            _ => Next::Nothing,
        },
        ..Item::new(ItemKind::Key, name, span, insert)
    }
}

#[cfg(test)]
mod tests {
    use crate::{complete, hover, testing::with_cursor, tokens};

    fn offered(text: &str) -> Vec<String> {
        let (analysis, offset) = with_cursor(text);
        complete(&analysis, offset).into_iter().map(|item| item.label).collect()
    }

    #[test]
    fn the_keys_are_those_of_the_place() {
        let of_root = offered("num_examples = 5\n^\n[[eval]]\nenv_id = 'gsm8k'\n");
        let has = |keys: &[String], key: &str| keys.iter().any(|own| own == key);
        assert!(has(&of_root, "rollouts_per_example") && has(&of_root, "sampling"), "{of_root:?}");
        assert!(!has(&of_root, "num_examples") && !has(&of_root, "name") && !has(&of_root, "trainer"), "{of_root:?}");
        let of_entry = offered("[[eval]]\nenv_id = 'gsm8k'\n^\n");
        assert!(has(&of_entry, "name") && has(&of_entry, "env_args") && !has(&of_entry, "env_id"), "{of_entry:?}");
        let of_sweep = offered("[[ablation]]\nenv_id = 'a'\n[ablation.sweep]\n^\n");
        assert!(has(&of_sweep, "temperature"), "{of_sweep:?}");
        let endpoint = "[[endpoint]]\nendpoint_id = 'a'\nmodel = 'b'\nurl = 'c'\n^\n";
        assert!(has(&offered(endpoint), "key") && !has(&offered(endpoint), "num_examples"));
        assert_eq!(offered("[[eval]]\nenv_id = 'gsm8k'\n[eval.env_args]\n^\n"), ["[[ablation]]", "[[eval]]"]);
    }

    /// The text after the item with a label was accepted.
    fn accepted(text: &str, label: &str) -> String {
        let (analysis, offset) = with_cursor(text);
        let items = complete(&analysis, offset);
        let item = items.iter().find(|item| item.label == label).unwrap_or_else(|| panic!("{label} is offered: {items:?}"));
        let mut text = text.replacen('^', "", 1);
        text.replace_range(item.span.range(), &item.insert);
        text
    }

    #[test]
    fn keys_have_a_value_to_start_with() {
        let eval = "[[eval]]\nenv_id = 'gsm8k'\n";
        for (typed, label, after) in [
            ("roll^\n", "rollouts_per_example", "rollouts_per_example = 1\n"),
            ("sa^\n", "save_results", "save_results = true\n"),
            ("mo^\n", "model", "model = \"\"\n"),
            ("env_a^\n", "env_args", "env_args = {  }\n"),
            ("te^\n", "temperature", "temperature = 1.0\n"),
            ("api^\n", "api_client_type", "api_client_type = \"openai_completions\"\n"),
            ("mod^el = 'x'\n", "output_dir", "output_dir = 'x'\n"),
            ("ev^\n", "[[eval]]", "[[eval]]\n\n"),
        ] {
            assert_eq!(accepted(&format!("{eval}{typed}"), label), format!("{eval}{after}"));
        }
        let sweep = "[[ablation]]\nenv_id = 'a'\n[ablation.sweep]\n";
        assert_eq!(accepted(&format!("{sweep}temp^\n"), "temperature"), format!("{sweep}temperature = []\n"));
        assert_eq!(
            accepted("[[endpoint]]\nendpoint_id = 'a'\nmodel = 'b'\nkey = 'c'\nu^\n", "url").lines().last(),
            Some("url = \"\"")
        );
    }

    #[test]
    fn values_are_those_of_the_key() {
        let eval = "[[eval]]\nenv_id = 'gsm8k'\n";
        let found = offered(&format!("{eval}api_client_type = \"^\"\n"));
        assert!(found.contains(&"\"anthropic_messages\"".to_owned()), "{found:?}");
        assert_eq!(accepted(&format!("{eval}verbose =^\n"), "true"), format!("{eval}verbose = true\n"));
        let environments = offered("[[eval]]\nenv_id = \"^\"\nnum_examples = 1\n");
        for id in ["\"reverse-text\"", "\"gsm8k\""] {
            assert_eq!(environments.iter().filter(|label| *label == id).count(), 1, "{environments:?}");
        }
        let sweep = "[[ablation]]\nenv_id = 'a'\n[ablation.sweep]\n";
        assert!(offered(&format!("{sweep}verbose = [^]\n")).contains(&"true".to_owned()));
        assert_eq!(offered(&format!("{eval}num_examples = ^\n")), [""; 0]);
    }

    #[test]
    fn headers_are_those_of_the_file() {
        let eval = "[[eval]]\nenv_id = 'gsm8k'\n";
        assert_eq!(accepted(&format!("{eval}[[ev^\n"), "eval"), format!("{eval}[[eval]]\n"));
        assert_eq!(accepted(&format!("{eval}[[^]]\n"), "ablation"), format!("{eval}[[ablation]]\n"));
        assert_eq!(accepted(&format!("{eval}[eval.^\n"), "env_args"), format!("{eval}[eval.env_args]\n"));
        assert_eq!(accepted(&format!("{eval}[sampling^]\n"), "eval.sampling"), format!("{eval}[eval.sampling]\n"));
        assert!(!offered(&format!("{eval}[eval.^]\n")).contains(&"num_examples".to_owned()));
        let ablation = "[[ablation]]\nenv_id = 'a'\n";
        assert_eq!(accepted(&format!("{ablation}[ablation.sw^\n"), "sweep"), format!("{ablation}[ablation.sweep]\n"));
    }

    #[test]
    fn keys_of_prime_rl_with_the_same_name_are_not_shown() {
        let (analysis, offset) = with_cursor("model = 'x'\nmax_conc^urrent = 5\n[[eval]]\nenv_id = 'gsm8k'\n");
        let words = hover(&analysis, offset).map(|hover| hover.markdown).unwrap_or_default();
        assert!(words.starts_with("`max_concurrent`: an integer\n\nThe maximum number of requests"), "{words}");
        assert!(tokens(&analysis).is_empty());
    }
}
