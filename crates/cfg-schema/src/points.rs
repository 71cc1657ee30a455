//! Names for points of the history.

/// Gives points their names, in the order of the history, and tests that each is the commit that is meant:
///
/// ```
/// cfg_schema::points! {
///     /// The orchestrator's model has a table `lora`.
///     pub(crate) ORCHESTRATOR_LORA = 129, "e75677fcb";
/// }
/// assert!(ORCHESTRATOR_LORA < cfg_schema::History::built_in().newest());
/// ```
#[macro_export]
macro_rules! points {
    ($($(#[$doc:meta])* $visible:vis $name:ident = $index:literal, $commit:literal;)*) => {
        $($(#[$doc])* $visible const $name: $crate::Point = $crate::Point($index);)*

        #[cfg(test)]
        mod named_points {
            const ALL: &[(&str, $crate::Point, &str)] = &[$((stringify!($name), super::$name, $commit)),*];

            #[test]
            fn the_points_are_the_commits_that_are_meant() {
                for &(name, point, commit) in ALL {
                    let is = $crate::History::built_in().commit_of(point).map($crate::Commit::short_sha);
                    assert_eq!(is.as_deref(), Some(commit), "{name}");
                }
            }

            #[test]
            fn each_point_has_one_name() {
                assert!(ALL.is_sorted_by(|(_, one, _), (_, other, _)| one < other));
            }
        }
    };
}
