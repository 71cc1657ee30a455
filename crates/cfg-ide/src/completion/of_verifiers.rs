//! Keys of verifiers' own evaluations, and of their endpoints.

use cfg_check::OfVerifiers;
use cfg_syntax::ValueKind;

use super::{Behind, Item, ItemKind, whole_key};
use crate::{
    Analysis,
    context::Context,
    place::{self, PathSegment},
};

/// The keys that a table of such a file can have and does not have yet.
pub(super) fn complete(analysis: &Analysis, of: &OfVerifiers, context: Context) -> Vec<Item> {
    let Context::Key { path, span, .. } = context else { return Vec::new() };
    let span = whole_key(&analysis.text, span);
    let keys = match path.as_slice() {
        [] => &of.root_keys,
        [PathSegment::Key(_), PathSegment::Index(_)] => &of.entry_keys,
        [PathSegment::Key(_), PathSegment::Index(_), PathSegment::Key(sweep)] if **sweep == *"sweep" => &of.entry_keys,
        _ => return Vec::new(),
    };
    let written = place::table(&analysis.document.root, &path);
    // The key under the cursor exists only because it is being typed.
    let is_set = |name: &str| {
        let entry = written.and_then(|table| table.get(name));
        entry.is_some_and(|entry| !entry.key.span.touches(span.end) || !matches!(entry.value.kind, ValueKind::Missing))
    };
    let has_value = match Behind::of(&analysis.text, span.end) {
        Behind::Nothing => false,
        Behind::Value => true,
        Behind::Other => return Vec::new(),
    };
    let item = |name: &&str| {
        let insert = if has_value { (*name).to_owned() } else { format!("{name} = ") };
        Item { detail: format!("a key of {}", of.verifiers), ..Item::new(ItemKind::Key, *name, span, insert) }
    };
    keys.iter().filter(|name| !is_set(name)).map(item).collect()
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
        assert_eq!(offered("[[eval]]\nenv_id = 'gsm8k'\n[eval.env_args]\n^\n"), [""; 0]);
    }

    #[test]
    fn keys_of_prime_rl_with_the_same_name_are_not_shown() {
        let (analysis, offset) = with_cursor("model = 'x'\nmax_conc^urrent = 5\n[[eval]]\nenv_id = 'gsm8k'\n");
        assert_eq!(hover(&analysis, offset).map(|hover| hover.markdown), None);
        assert!(tokens(&analysis).is_empty());
    }
}
