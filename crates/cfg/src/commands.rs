//! One file for each command.

pub(crate) mod check;
pub(crate) mod compile;
pub(crate) mod explain;
pub(crate) mod lsp;
pub(crate) mod schema;

use cfg_schema::{History, Target};

use crate::{args::Common, terminal};

/// The target that the command line states, if it states one; complains where it names nothing.
fn stated_target(common: &Common) -> Result<Option<Target>, ()> {
    let parsed = common.target.as_deref().map(|text| Target::parse(History::built_in(), text)).transpose();
    parsed.map_err(|error| terminal::complain(&error.to_string()))
}
