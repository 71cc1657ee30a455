//! On several nodes a router is in front of the engines.

use crate::native::{Failure, ValidatorCtx};

pub(super) fn run(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if cx.tag("deployment") != Some("multi_node") || !cx.has("inference") || cx.has("inference.router") {
        return Ok(());
    }
    Err(Failure::value(
        "`deployment.type` is \"multi_node\", but `inference.router` is null: several nodes need a router",
        &["inference.router", "deployment.type"],
    )
    .help("remove `inference.router`, or write a router there"))
}
