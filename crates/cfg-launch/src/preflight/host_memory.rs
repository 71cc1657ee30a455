//! Checks that this machine's main memory holds its part of what is offloaded from the GPUs.

use cfg_diag::{Diagnostic, codes};
use cfg_memory::Bytes;

use super::{Answer, Situation};

pub(super) fn check(situation: &Situation<'_>) -> Answer {
    let assessment = match situation.memory {
        Ok(assessment) => assessment,
        Err(why) => return Answer::Unknown(why.clone()),
    };
    if assessment.host_memory <= Bytes::ZERO {
        return Answer::NotNeeded("nothing is offloaded to main memory");
    }
    let Some(total) = situation.machine.host().main_memory() else {
        return Answer::Unknown("the size of the main memory is unknown".to_owned());
    };
    #[expect(clippy::cast_precision_loss, reason = "no machine has 2^53 bytes")]
    let total = Bytes::new(total as f64);
    // Each GPU of the trainer has an equal part, in the memory of its own machine.
    let training = assessment.gpus.iter().filter(|on| on.trains).count().max(1);
    let here = situation.gpus.all().len().clamp(1, training);
    #[expect(clippy::cast_precision_loss, reason = "numbers of GPUs are small")]
    let needed = assessment.host_memory * (here as f64 / training as f64);
    if needed <= total {
        return Answer::Fine(format!("{needed} of {total} needed for offloading"));
    }
    let message = format!("offloading takes {needed} of main memory, but this machine has {total}");
    let help = "use a machine with more memory, or more machines; or train adapters, whose optimizer states are small";
    Answer::found(Diagnostic::new(&codes::LITTLE_HOST_MEMORY, message).help(help))
}
