//! Runs `cfg lsp` with its standard streams, as an editor does.

#![expect(clippy::print_stderr, reason = "a long run tells how it went")]

mod accepting;
mod agreement;
mod basics;
mod client;
mod clients;
mod completion;
mod composition;
mod editor;
mod editor_files;
mod ending;
mod other_files;
mod others;
mod project_sequences;
mod robustness;
mod sequences;
#[path = "../../../../tests/src/sized.rs"]
mod sized;
mod soak;
mod steps;
mod versions;
mod workspace;
mod writing;
