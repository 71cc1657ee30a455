//! What is made of the schema history beside findings: JSON Schemas for editors that know no prime-rl.

mod json_schema;

pub use json_schema::{json_schema, to_text};
