//! A kind of filter reports its dropped rollouts under its own name, so each kind is allowed only once.

use crate::native::{Failure, ValidatorCtx};

/// No kind of filter may occur twice in a list.
pub(super) fn unique(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    for path in ["filters", "pre_batch_filters", "post_batch_filters"] {
        let kinds: Vec<String> = cx.each(path).iter().filter_map(|filter| filter.str("type").map(String::from)).collect();
        let twice = kinds.iter().enumerate().find(|(index, kind)| kinds[..*index].contains(kind));
        if let Some((_, kind)) = twice {
            return Err(
                Failure::value(format!("`{path}` has two filters of the type \"{kind}\""), &[path]).help("keep one of them")
            );
        }
    }
    Ok(())
}
