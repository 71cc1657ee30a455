//! The whole way from text to findings, over recorded configs and verdicts.

mod claims;
mod composition;
mod corpus;
mod differential;
mod drafts;
mod emit;
mod evaluations;
mod faults;
mod fixes;
mod half_typed;
mod history;
mod hosted;
mod huge_numbers;
mod incidents;
mod json_schemas;
mod layouts;
mod meaning;
mod memory_incidents;
mod migrations;
mod native_checks;
mod properties;
mod repairs;
mod replaced_values;
mod suppression;
mod training_rules;
mod vectors;
