//! Curricula that an environment walks by itself: phases of weights, and the clock that leads from one to the next.

/// The arguments of a curriculum.
pub(crate) const KEYS: [&str; 3] = ["curriculum_enabled", "curriculum_phases", "samples_per_step"];
