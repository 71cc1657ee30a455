//! Members of the metadata block, and their values.

use cfg_diag::Span;
use cfg_plan::{MEMBERS, member_of};
use cfg_schema::Kind;

use super::{Behind, Item, ItemKind, Next};
use crate::Analysis;

pub(super) fn complete(analysis: &Analysis, member: Option<&str>, span: Span) -> Vec<Item> {
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
            let member = |(name, detail): &(&str, &str)| Item {
                next: if has_value { Next::Nothing } else { next(name) },
                ..item(name, if has_value { (*name).to_owned() } else { format!("{name} = ") }, detail, ItemKind::Key)
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
        Some("hardware") => ["1x H100", "2x H100", "8x H100", "1x A100", "8x H200", "2x RTX 4090", "1x RTX 5090"]
            .iter()
            .map(|hardware| text(hardware, ""))
            .collect(),
        Some(_) => Vec::new(),
    }
}

/// The completions for the value of a member.
fn next(member: &str) -> Next {
    match member {
        "kind" => Next::OneOf(Kind::NAMES.iter().map(|name| format!("\"{name}\"")).collect()),
        "prime_rl" | "hardware" => Next::Something,
        _ => Next::Nothing,
    }
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
