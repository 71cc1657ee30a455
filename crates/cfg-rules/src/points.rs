//! The points of prime-rl's history at which what rules say begins or ceases to be true. Where the commit itself touched no config class, the
//! point is the last one before it, at which both answers are possible: a rule is silent there.

use cfg_schema::Point;

/// Defines the points, and lists them for the test.
macro_rules! points {
    ($($(#[$doc:meta])* $name:ident = $index:literal, $commit:literal;)*) => {
        $($(#[$doc])* pub(crate) const $name: Point = Point($index);)*

        #[cfg(test)]
        const ALL: &[(&str, Point, &str)] = &[$((stringify!($name), $name, $commit)),*];
    };
}

points! {
    /// The launcher removes broadcast weights, unless the shared table says that the run is resumed; before, it went by the trainer's.
    CLEAN_REMOVES_BROADCASTS = 85, "8518c157c";
    /// `keep` is called `keep_last`, and there is `keep_interval`.
    KEEP_INTERVAL = 125, "e3dbf2ad8";
    /// Checkpoints of an earlier process are counted soon after (be0e3d131).
    OLD_CHECKPOINTS_COUNT = 127, "f870bc91d";
    /// Deployments take the place of lists of GPU ids.
    DEPLOYMENTS = 187, "1826b1892";
    /// The launcher refuses a folder that holds checkpoints, unless the shared table says that the run is resumed, or it may delete it.
    FOLDER_IS_GUARDED = 188, "82652c739";
    /// Runs of Weights & Biases have no `id` in the config.
    NO_WANDB_ID = 210, "2c5c69da8";
}

#[cfg(test)]
mod tests {
    use cfg_schema::{Commit, History};

    use super::ALL;

    #[test]
    fn the_points_are_the_commits_that_are_meant() {
        for &(name, point, commit) in ALL {
            let is = History::built_in().commit_of(point).map(Commit::short_sha);
            assert_eq!(is.as_deref(), Some(commit), "{name}");
        }
    }

    #[test]
    fn each_point_has_one_name() {
        assert!(ALL.is_sorted_by(|(_, one, _), (_, other, _)| one < other));
    }
}
