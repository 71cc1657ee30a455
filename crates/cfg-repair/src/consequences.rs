//! Side effects of a repair on the resolved config.

use std::collections::BTreeSet;

use cfg_check::{Checked, Verdict};
use cfg_diag::{Applicability, Edit, Fix};
use cfg_resolve::{ResolvedTable, changed_keys};

use crate::trial::State;

/// The largest number of keys that are named.
const MAX_NAMED: usize = 2;

/// Adds to a fix which other values it changes: a fix with such changes is not safe. Nothing is added if prime-rl refuses the config before
/// or after the fix, because there are no values then. The keys that the fix writes, and those that prime-rl copies them to, do not count.
pub(crate) fn say(fix: &mut Fix, before: &Checked, after: &Checked) {
    let others = others(&[fix], before, after);
    if others.is_empty() {
        return;
    }
    fix.applicability = Applicability::Unsafe;
    fix.title = format!("{}; also changes {}", fix.title, first_of(others.iter().map(|key| format!("`{key}`"))));
}

/// Adds to a fix which faults of the text show after it. A fix that shows others as severe as its own finding is not safe: a person has to correct these.
pub(crate) fn say_revealed(fix: &mut Fix, after: &State) {
    if !after.revealed.is_empty() {
        fix.applicability = Applicability::Unsafe;
    }
    let mut named = after.revealed.iter().chain(&after.lighter).map(|(code, key)| match key {
        Some(key) => format!("{code} at `{key}`"),
        None => (*code).to_owned(),
    });
    if let Some(first) = named.next() {
        let named = first_of(std::iter::once(first).chain(named));
        fix.title = format!("{}; then correct {named}, which it brings to light", fix.title);
    }
}

/// The first of some names, and how many more there are.
fn first_of(mut names: impl Iterator<Item = String>) -> String {
    let first: Vec<String> = names.by_ref().take(MAX_NAMED).collect();
    match names.count() {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// The keys with changed values that the fixes neither write nor name.
pub(crate) fn others(fixes: &[&Fix], before: &Checked, after: &Checked) -> Vec<String> {
    let (Some(old), Some(new)) = (values(before), values(after)) else { return Vec::new() };
    let changed = changed_keys(old, before.target.point, new, after.target.point);
    let meant: BTreeSet<&str> = fixes.iter().flat_map(|fix| written(&fix.edits, &fix.title)).collect();
    changed.into_iter().filter(|key| !key.split('.').any(|part| meant.contains(part))).collect()
}

fn values(checked: &Checked) -> Option<&ResolvedTable> {
    // If a text is not TOML, some values may be known that prime-rl never sees.
    checked.resolved.as_ref().filter(|resolved| resolved.is_valid && checked.verdict != Verdict::Rejected)
}

/// The words that a fix writes or names, with the keys among them.
fn written<'f>(edits: &'f [Edit], title: &'f str) -> BTreeSet<&'f str> {
    let is_of_key = |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-');
    let texts = edits.iter().map(|edit| edit.new_text.as_str()).chain([title]);
    texts.flat_map(|text| text.split(move |character| !is_of_key(character))).filter(|word| !word.is_empty()).collect()
}
