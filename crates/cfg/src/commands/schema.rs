//! `cfg schema`: the schema history, to look things up.

use std::io;

use crate::{
    Outcome,
    args::{Common, Schema},
};

pub(crate) fn run(_: &Common, _: &Schema) -> io::Result<Outcome> {
    Ok(Outcome::Failed)
}
