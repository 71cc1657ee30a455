//! The repository itself: its structure, rules, pages, dependencies and workflows.

mod dependencies;
mod field_docs;
mod invariants;
mod network;
mod rule_pages;
mod rules;
mod shown_output;
mod site;
mod terms;
mod test_programs;
mod unchecked;
mod workflows;
