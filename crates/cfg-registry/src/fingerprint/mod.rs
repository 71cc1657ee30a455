//! The resolved meaning of a config, hashed by class: training, resources, operations.
