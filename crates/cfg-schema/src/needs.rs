//! What settings and models need of a card, between which commits.

mod rows;

use crate::{Effect, Part, Point};

/// A value that not every card can run.
#[derive(Debug)]
pub struct Need {
    /// The tables that have the key.
    pub of: &'static [Part],
    /// The names of the key in these tables.
    pub keys: &'static [&'static str],
    /// The values that need this; empty for any but those of `not`.
    pub is: &'static [&'static str],
    /// The values that do not.
    pub not: &'static [&'static str],
    /// A part of the model's name, in lower case; empty for any model.
    pub model: &'static str,
    since: u16,
    /// The first point without it; the largest number if there is none.
    until: u16,
    /// The lowest compute capability.
    pub from: (u8, u8),
    /// The first compute capability that is too new.
    pub below: Option<(u8, u8)>,
    /// Whether the cards of a machine need `NVLink`.
    pub needs_nvlink: bool,
    /// What happens without it.
    pub effect: Effect,
    /// What needs it: "FlashAttention 3".
    pub says: &'static str,
    /// The cards that have it, in words.
    pub cards: &'static str,
    /// What to write instead, as an instruction.
    pub instead: &'static str,
}

impl Need {
    /// All of them, in the order of `schemas/needs.toml`.
    pub fn all() -> &'static [Self] {
        rows::ALL
    }

    /// Those of a point.
    pub fn at(point: Point) -> impl Iterator<Item = &'static Self> {
        rows::ALL.iter().filter(move |need| need.since <= point.0 && point.0 < need.until)
    }

    /// Whether it is met by a card of this compute capability, with or without `NVLink`.
    pub fn is_met(&self, compute: (u8, u8), has_nvlink: bool) -> bool {
        self.from <= compute && self.below.is_none_or(|below| compute < below) && (has_nvlink || !self.needs_nvlink)
    }

    /// Whether a value of the key, for a model of this name, has this need.
    pub fn is_of(&self, value: &str, model: &str) -> bool {
        let is_value = if self.is.is_empty() { !self.not.contains(&value) } else { self.is.contains(&value) };
        is_value && (self.model.is_empty() || model.to_ascii_lowercase().contains(self.model))
    }
}

#[cfg(test)]
mod tests {
    use super::Need;
    use crate::{Effect, History, Point};

    fn need(says: &str) -> &'static Need {
        Need::all().iter().find(|need| need.says == says).expect("the table has it")
    }

    #[test]
    fn cards_meet_needs_by_generation_and_links() {
        let attention = need("FlashAttention 3");
        let met = [(8, 0), (8, 9), (9, 0), (10, 0), (12, 0)].map(|compute| attention.is_met(compute, true));
        assert_eq!(met, [false, false, true, false, false]);
        assert!(need("DeepEP").is_met((9, 0), true) && !need("DeepEP").is_met((9, 0), false));
        assert!(attention.is_of("flash_attention_3", "Qwen/Qwen3-8B") && !attention.is_of("sdpa", "Qwen/Qwen3-8B"));
    }

    #[test]
    fn values_and_models_select_needs() {
        let gpt = need("the attention of gpt-oss");
        assert!(gpt.is_of("flash_attention_2", "openai/GPT-OSS-20b") && !gpt.is_of("eager", "openai/gpt-oss-20b"));
        assert!(!gpt.is_of("flash_attention_2", "Qwen/Qwen3-8B"));
    }

    #[test]
    fn each_need_has_a_key_of_the_history() {
        for need in Need::all() {
            assert!(need.effect == Effect::Fails || need.effect == Effect::Spoils);
            for part in need.of {
                let root = History::built_in().root(part.kind);
                let has = |key: &str| key.split('.').try_fold(root, crate::Node::field).is_some();
                assert!(need.keys.iter().any(|key| has(key)), "{}: no key of {:?} is in the history", need.says, need.keys);
            }
            assert!(need.since < need.until && need.since <= History::built_in().newest().0, "{}", need.says);
            assert!(Need::at(Point(need.since)).any(|other| other.says == need.says));
        }
    }
}
