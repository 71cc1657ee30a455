//! Members of the metadata block, and their values.

use cfg_diag::Span;
use cfg_plan::{MEMBERS, member_of};
use cfg_schema::Kind;

use super::{Behind, Item, ItemKind, Next};
use crate::Analysis;

/// The members that configs state most often.
const FIRST: [&str; 4] = ["prime_rl", "hardware", "kind", "version"];

/// Machines to choose from, the most common first.
pub(crate) const MACHINES: [&str; 7] = ["2x H100", "8x H100", "8x H200", "1x H100", "1x A100", "2x RTX 4090", "1x RTX 5090"];

/// The block, in place of a comment that is its beginning.
pub(super) fn block(analysis: &Analysis, span: Span) -> Item {
    let newest = newest(analysis);
    let text = format!("# /// config\n# prime_rl = {newest}\n# ///");
    let start = "# /// config\n# prime_rl = \"".len();
    let detail = "states which prime-rl and which machine the config is for".to_owned();
    let mut item = Item { detail, ..Item::new(ItemKind::Key, "# /// config", span, text) };
    item.stops.push(start..start + newest.len() - 2);
    item
}

/// The newest release, as a string.
fn newest(analysis: &Analysis) -> String {
    let release = analysis.history().releases().next_back();
    format!("\"{}\"", release.map_or("main", |release| release.name()))
}

/// The members, or the values of one. A line that is `is_bare` gets the mark of a comment, too.
pub(super) fn complete(analysis: &Analysis, member: Option<&str>, span: Span, is_bare: bool) -> Vec<Item> {
    let item = |label: &str, insert: String, detail: &str, kind| Item {
        detail: detail.to_owned(),
        ..Item::new(kind, label, span, insert)
    };
    let has_value = Behind::of(&analysis.text, span.end) == Behind::Value;
    let text = |value: &str, detail: &str| item(&format!("\"{value}\""), format!("\"{value}\""), detail, ItemKind::Value);
    match member.map(member_of) {
        None => {
            let written = analysis.metadata.iter().flat_map(|block| &block.lines);
            let written: Vec<&str> = written
                .filter(|line| !line.touches(span.end))
                .filter_map(|line| analysis.text[line.range()].trim_start_matches('#').split_once('='))
                .map(|(member, _)| member_of(member.trim()))
                .collect();
            let free = MEMBERS.iter().filter(|(name, _)| !written.contains(name));
            let first = |name: &str| FIRST.iter().position(|first| *first == name).unwrap_or(FIRST.len()) as u8;
            let mark = if is_bare { "# " } else { "" };
            let member = |(name, detail): &(&str, &str)| {
                let known = Item { rank: first(name), ..item(name, format!("{mark}{name}"), detail, ItemKind::Key) };
                if has_value { known } else { with_value(analysis, name, known) }
            };
            free.map(member).collect()
        }
        Some("prime_rl") => {
            // The newest first, because most users want it.
            let releases = analysis.history().releases().rev().zip(0..);
            let releases = releases.map(|(release, rank)| Item { rank, ..text(release.name(), release.day()) });
            releases.chain([Item { rank: u8::MAX, ..text("main", "the newest known commit") }]).collect()
        }
        Some("kind") => Kind::NAMES.iter().map(|name| text(name, "")).collect(),
        Some("hardware") => MACHINES.iter().zip(0..).map(|(hardware, rank)| Item { rank, ..text(hardware, "") }).collect(),
        Some(_) => Vec::new(),
    }
}

/// A member with its most likely value, which the user is led to; its cursor is inside an empty string if nothing is likely.
fn with_value(analysis: &Analysis, member: &str, mut item: Item) -> Item {
    let kinds = || Kind::NAMES.iter().map(|name| format!("\"{name}\""));
    let own = analysis.checked.kind.map(|kind| format!("\"{kind}\""));
    let (value, next) = match member {
        "prime_rl" => (newest(analysis), Next::Something),
        "hardware" => (format!("\"{}\"", MACHINES[0]), Next::Something),
        "kind" => {
            let first = own.filter(|own| kinds().any(|kind| kind == *own)).or_else(|| kinds().next()).unwrap_or_default();
            let others = kinds().filter(|kind| *kind != first);
            (first.clone(), Next::OneOf([first.clone()].into_iter().chain(others).collect()))
        }
        "version" => ("\"v1\"".to_owned(), Next::Nothing),
        "input_tokens" => ("1024".to_owned(), Next::Nothing),
        _ => (String::new(), Next::Nothing),
    };
    item.insert.push_str(" = ");
    if value.is_empty() {
        let (opening, closing) = if member == "except" { ("[\"", "\"]") } else { ("\"", "\"") };
        item.insert.push_str(opening);
        item.cursor = Some(item.insert.len());
        item.insert.push_str(closing);
    } else {
        let start = item.insert.len();
        item.stops.push(start..start + value.len());
        item.insert.push_str(&value);
    }
    Item { next, ..item }
}

#[cfg(test)]
mod tests {
    use crate::{complete, testing::with_cursor};

    #[test]
    fn a_member_has_its_values_and_the_whole_string_is_replaced() {
        let (analysis, offset) = with_cursor("# /// config\n# prime_rl = \"0.^\"\n# ///\n[trainer]\n[orchestrator]\n");
        let items = complete(&analysis, offset);
        assert_eq!(items[0].label, format!("\"{}\"", analysis.history().releases().next_back().expect("a release").name()));
        assert_eq!(&analysis.text[items[0].span.range()], "\"0.\"");
        assert_eq!(items.last().expect("some").label, "\"main\"");
    }
}
