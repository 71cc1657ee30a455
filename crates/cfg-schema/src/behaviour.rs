//! Whether prime-rl has a behaviour at a point.

use crate::{Behaviour, Point};

/// The end of a behaviour that the newest prime-rl still has.
pub(crate) const END: u16 = u16::MAX;

/// Declares the behaviours, each with its first point and the first point without it.
macro_rules! behaviours {
    ($($(#[$doc:meta])* $name:ident = $since:literal..$until:expr;)*) => {
        use $crate::behaviour::END;

        /// Something that prime-rl does over a range of its history. To add a behaviour, write an entry in
        /// `schemas/behaviours.toml` and run `cargo xtask generate`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u16)]
        pub enum Behaviour {
            $($(#[$doc])* $name,)*
        }

        impl Behaviour {
            /// All behaviours, ordered by their first points.
            pub const ALL: &[Self] = &[$(Self::$name),*];
        }

        /// For each behaviour: its first point, and the first point without it.
        pub(crate) const STRETCHES: [(u16, u16); Behaviour::ALL.len()] = [$(($since, $until)),*];
    };
}
pub(crate) use behaviours;

impl Behaviour {
    /// The first point at which prime-rl has the behaviour.
    #[inline]
    pub const fn since(self) -> Point {
        Point(crate::behaviours::STRETCHES[self as usize].0)
    }
}

impl Point {
    /// Whether prime-rl has this behaviour at this point.
    #[inline]
    pub const fn has(self, behaviour: Behaviour) -> bool {
        let (since, until) = crate::behaviours::STRETCHES[behaviour as usize];
        since <= self.0 && (until == END || self.0 < until)
    }

    /// Whether prime-rl does not have this behaviour at this point: not yet, or no longer.
    #[inline]
    pub const fn lacks(self, behaviour: Behaviour) -> bool {
        !self.has(behaviour)
    }
}

#[cfg(test)]
mod tests {
    use super::END;
    use crate::{Behaviour, History, Point, behaviours::STRETCHES};

    #[test]
    fn each_behaviour_holds_over_a_stretch_of_the_history() {
        let newest = History::built_in().newest();
        assert!(Behaviour::ALL.is_sorted_by_key(|behaviour| behaviour.since()));
        for (behaviour, &(since, until)) in Behaviour::ALL.iter().zip(&STRETCHES) {
            assert!(since <= newest.0 && (until == END || (since < until && until <= newest.0)), "{behaviour:?}");
            assert!(Point(since).has(*behaviour), "{behaviour:?}");
            assert!(since == 0 || Point(since - 1).lacks(*behaviour), "{behaviour:?}");
            assert!(until == END || (Point(until - 1).has(*behaviour) && Point(until).lacks(*behaviour)), "{behaviour:?}");
        }
    }
}
