//! How rollouts are sampled.

pub(crate) mod biased_sampling;
pub(crate) mod zero_temperature;
