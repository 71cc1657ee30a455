//! One config from text to diagnostics: which kind it is, for which prime-rl, and what is wrong with it.
//!
//! [`check`] is the whole way from text to findings, without reading or writing anything: the command line and the editor both call it.

mod add_ignore;
mod check;
mod fit;
mod fix;
mod kind;
mod rules;
mod session;
mod suppress;

pub use add_ignore::{Ignoring, add_ignores};
pub use cfg_rules::Project;
pub use check::{Checked, Request, Verdict, check};
pub use fix::{Fixed, apply, fix};
pub use kind::{KindGuess, guess_kind};
pub use session::Session;
