//! `cfg lsp`, driven over its standard streams as an editor drives it.

mod basics;
mod client;
mod composition;
mod robustness;
mod soak;
mod workspace;
