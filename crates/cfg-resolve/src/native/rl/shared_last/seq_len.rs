//! The shared length is copied to trainer and orchestrator; since `f9b7856ee` only if they do not set it. The trainer must accept sequences at
//! least as long as those of the orchestrator.

use cfg_schema::Behaviour;

use crate::native::{Failure, ValidatorCtx};

pub(super) fn check(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if cx.has("seq_len") {
        for place in ["trainer.model.seq_len", "orchestrator.seq_len"] {
            if cx.point.lacks(Behaviour::GivenSeqLenStays) || !cx.is_set(place) {
                cx.copy("seq_len", place);
            }
        }
    }
    let (Some(trainer), Some(orchestrator)) = (cx.int("trainer.model.seq_len"), cx.int("orchestrator.seq_len")) else {
        return Ok(());
    };
    if trainer >= orchestrator {
        return Ok(());
    }
    let message = format!(
        "`trainer.model.seq_len` is {trainer}, but `orchestrator.seq_len` is {orchestrator}: the trainer must accept sequences \
         at least as long"
    );
    Err(Failure::value(message, &["trainer.model.seq_len", "orchestrator.seq_len"]).help("set `seq_len` for both"))
}
