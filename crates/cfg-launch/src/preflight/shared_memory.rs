//! Checks that processes that work together on several GPUs have enough shared memory: containers have 64 MiB unless they are started with more.

use std::path::Path;

use cfg_diag::{Diagnostic, codes};
use cfg_memory::Bytes;

use super::{Answer, Situation};

/// Where the system keeps shared memory.
const FOLDER: &str = "/dev/shm";

/// Half of what NVIDIA's guide to NCCL in containers asks for (`--shm-size=1g`): some of it is in use.
const WANTED: Bytes = Bytes::gib(0.5);

pub(super) fn check(situation: &Situation<'_>) -> Answer {
    if situation.run.plan.run.slurm.fact().is_some() {
        return Answer::NotNeeded("SLURM starts the run on other machines");
    }
    let count = |of: fn(&super::Use) -> bool| situation.uses.iter().filter(|used| of(used)).count();
    if count(|used| used.trains).max(count(|used| used.serves)) < 2 {
        return Answer::NotNeeded("no process uses several GPUs");
    }
    if !situation.machine.exists(Path::new(FOLDER)) {
        return Answer::Unknown(format!("this system has no {FOLDER}"));
    }
    #[expect(clippy::cast_precision_loss, reason = "no machine has 2^53 bytes")]
    let free = situation.machine.host().free_disk(Path::new(FOLDER)).map(|free| Bytes::new(free as f64));
    judged(free)
}

fn judged(free: Option<Bytes>) -> Answer {
    let Some(free) = free else { return Answer::Unknown(format!("the free space of {FOLDER} is unknown")) };
    if free >= WANTED {
        return Answer::Fine(format!("{free} free in {FOLDER}"));
    }
    let message = format!("only {free} are free in {FOLDER}, through which NCCL and vLLM exchange data between GPUs");
    let help = "start the container with `--ipc=host` or `--shm-size=16g` (in Kubernetes an `emptyDir` with `medium: Memory`), \
        or remove what earlier runs left there";
    Answer::found(Diagnostic::new(&codes::SMALL_SHARED_MEMORY, message).help(help))
}

#[cfg(test)]
mod tests {
    use cfg_memory::Bytes;

    use super::{Answer, judged};

    #[test]
    fn what_a_container_has_by_default_is_too_small() {
        assert!(matches!(judged(Some(Bytes::gib(0.0625))), Answer::Found(found) if found.len() == 1));
        assert!(matches!(judged(Some(Bytes::gib(1.0))), Answer::Fine(_)));
        assert!(matches!(judged(None), Answer::Unknown(_)));
    }
}
