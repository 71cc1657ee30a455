//! One config from text to diagnostics: which kind it is, for which prime-rl, and what is wrong with it.
//!
//! [`check`] is the whole way from text to findings, without reading or writing anything: the command line and the editor both call it.

mod check;
mod fit;
mod kind;
mod rules;
mod session;
mod suppress;

pub use cfg_rules::Project;
pub use check::{Checked, Request, Verdict, check};
pub use kind::{KindGuess, guess_kind};
pub use session::Session;
