//! The points of prime-rl's history at which something begins or ends that a rule speaks of.

use cfg_schema::Point;

/// 613b40891, of November 2025: the buffer puts problems aside by thresholds, and filters by difficulty.
pub(crate) const DIFFICULTY_THRESHOLDS: Point = Point(80);

/// 40da51a23, of March 2026: `extra_body` goes into a request as it is; before, `top_k` and `min_p` in it were overwritten.
pub(crate) const EXTRA_BODY_IS_KEPT: Point = Point(229);

/// fa191e589, of May 2026: the root of an `rl` config no longer has the `max_model_len` that nothing read.
pub(crate) const ROOT_MAX_MODEL_LEN_GONE: Point = Point(317);

/// f6563ff0e, of June 2026: there is no buffer any more.
pub(crate) const BUFFER_GONE: Point = Point(338);

/// 7089ba1e4, of June 2026: environments of the newer kind are no longer told the orchestrator's sequence length.
pub(crate) const ENVIRONMENTS_NOT_TOLD_SEQ_LEN: Point = Point(357);

/// cb74ae2be, of July 2026: one rollout may have several agents, whose rewards are compared with one another.
pub(crate) const SEVERAL_AGENTS: Point = Point(395);

/// 289562d2e, of August 2026: the orchestrator cuts and packs the samples; before, the trainer did.
pub(crate) const ORCHESTRATOR_PACKS: Point = Point(414);

#[cfg(test)]
mod tests {
    use cfg_schema::{Commit, History};

    use super::*;

    #[test]
    fn the_points_are_the_commits_that_are_meant() {
        let sha = |point| History::built_in().commit_of(point).map(Commit::short_sha).unwrap_or_default();
        assert_eq!(sha(DIFFICULTY_THRESHOLDS), "613b40891");
        assert_eq!(sha(EXTRA_BODY_IS_KEPT), "40da51a23");
        assert_eq!(sha(ROOT_MAX_MODEL_LEN_GONE), "fa191e589");
        assert_eq!(sha(BUFFER_GONE), "f6563ff0e");
        assert_eq!(sha(ENVIRONMENTS_NOT_TOLD_SEQ_LEN), "7089ba1e4");
        assert_eq!(sha(SEVERAL_AGENTS), "cb74ae2be");
        assert_eq!(sha(ORCHESTRATOR_PACKS), "289562d2e");
    }
}
