//! The points of prime-rl's history at which something begins or ends that a rule speaks of.

use cfg_schema::Point;

/// 84e4b9665, of October 2025: the trainer has adapters.
pub(crate) const ADAPTERS: Point = Point(30);

/// 2aa47ae6b, of November 2025: the inference server gets the adapter alone; before, it got merged weights.
pub(crate) const ADAPTERS_ARE_SERVED: Point = Point(86);

/// 49d7999ca, of November 2025: samples are made of turns in another way, which does not need positions that only grow.
pub(crate) const TURNS_MAY_BRANCH: Point = Point(89);

/// 91182b7d6, of December 2025: `rl` names the adapter.
pub(crate) const ADAPTER_IS_NAMED: Point = Point(99);

/// e75677fcb, of January 2026: the adapter's name stands in the orchestrator's `model.lora`.
pub(crate) const ADAPTER_IN_MODEL: Point = Point(129);

/// d0f2eb43d, of January 2026: the last commit of a config class before 82a8241f0, which makes weights on the CPU where they are offloaded.
pub(crate) const OFFLOADED_WEIGHTS_ON_CPU: Point = Point(146);

/// a57550349, of January 2026: the last commit of a config class before 36959cbba, from which the first models that see images can be trained.
pub(crate) const QWEN3_VL: Point = Point(152);

/// 8dbd955a0, of February 2026: turns become one sample where one's tokens begin the next's, and several where not.
pub(crate) const BEST_EFFORT_INTERLEAVING: Point = Point(163);

/// bf0f903b8, of February 2026: the parser of tool calls follows from the model's name, and turns the tool choice on.
pub(crate) const PARSER_BY_MODEL: Point = Point(182);

/// 5b15e54e8, of February 2026: a parser alone means that tools may be called; without one, or `auto`, they may not.
pub(crate) const PARSER_IS_TOOL_CHOICE: Point = Point(194);

/// d80306520, of March 2026: a model that sees images is known by its own config.
pub(crate) const VISION_BY_CONFIG: Point = Point(232);

/// 0b8c35e9b, of April 2026: prompts may be made of messages on the client's side, where tool calls are then found as well.
pub(crate) const RENDERERS: Point = Point(291);

#[cfg(test)]
mod tests {
    use cfg_schema::{Commit, History};

    use super::*;

    #[test]
    fn the_points_are_the_commits_that_are_meant() {
        let sha = |point| History::built_in().commit_of(point).map(Commit::short_sha).unwrap_or_default();
        assert_eq!(sha(ADAPTERS), "84e4b9665");
        assert_eq!(sha(ADAPTERS_ARE_SERVED), "2aa47ae6b");
        assert_eq!(sha(TURNS_MAY_BRANCH), "49d7999ca");
        assert_eq!(sha(ADAPTER_IS_NAMED), "91182b7d6");
        assert_eq!(sha(ADAPTER_IN_MODEL), "e75677fcb");
        assert_eq!(sha(OFFLOADED_WEIGHTS_ON_CPU), "d0f2eb43d");
        assert_eq!(sha(QWEN3_VL), "a57550349");
        assert_eq!(sha(BEST_EFFORT_INTERLEAVING), "8dbd955a0");
        assert_eq!(sha(PARSER_BY_MODEL), "bf0f903b8");
        assert_eq!(sha(PARSER_IS_TOOL_CHOICE), "5b15e54e8");
        assert_eq!(sha(VISION_BY_CONFIG), "d80306520");
        assert_eq!(sha(RENDERERS), "0b8c35e9b");
    }
}
