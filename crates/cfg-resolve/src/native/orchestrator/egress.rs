//! The hosts that an agent's sandbox may reach.

use crate::native::{Failure, ValidatorCtx};

/// Only one of the two lists may be given: allowed or blocked hosts. An empty list of allowed hosts blocks all.
pub(super) fn one_list(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let (Some(allow), Some(block)) = (cx.strs("allow"), cx.strs("block")) else { return Ok(()) };
    if allow.is_empty() || block.contains(&"*") {
        cx.set_strs("allow", &[]);
        cx.set_strs("block", &["*".to_owned()]);
    } else if allow != ["*"] && !block.is_empty() {
        return Err(Failure::value("`allow` and `block` both list hosts", &["allow", "block"])
            .help("remove `block`: hosts not in `allow` are blocked anyway"));
    }
    Ok(())
}

/// Only a virtual machine can restrict which hosts are reached.
pub(super) fn needs_vm(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let (Some(allow), Some(block)) = (cx.strs("allow"), cx.strs("block")) else { return Ok(()) };
    if (!allow.contains(&"*") || !block.is_empty()) && !cx.bool("vm") {
        return Err(Failure::value("a network that `allow` or `block` restricts needs `vm = true`", &["allow", "block", "vm"])
            .help("write `vm = true`, or let the sandbox reach all hosts"));
    }
    Ok(())
}
