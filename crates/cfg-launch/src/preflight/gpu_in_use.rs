//! Checks that the GPUs of the config are free.

use cfg_diag::{Diagnostic, codes};
use cfg_memory::Bytes;
use cfg_project::LocalGpu;

use super::{Answer, Situation};

/// The maximum memory in use on an idle GPU. The driver alone uses some megabytes.
const IDLE: Bytes = Bytes::gib(1000.0 / 1024.0);

pub(super) fn check(situation: &Situation<'_>) -> Answer {
    if let Some(why) = situation.gpus.why_unknown() {
        return Answer::Unknown(why);
    }
    let used: Vec<&LocalGpu> = situation.uses.iter().filter_map(|used| situation.gpus.get(used.physical?)).collect();
    let looked_at: Vec<&LocalGpu> = if used.is_empty() { situation.gpus.all().iter().collect() } else { used };
    let busy = looked_at.iter().filter(|gpu| gpu.used > IDLE || !gpu.processes.is_empty());
    Answer::of(busy.map(|gpu| finding(gpu)).collect(), || "nothing runs on them".to_owned())
}

fn finding(gpu: &LocalGpu) -> Diagnostic {
    let names: Vec<String> = gpu.processes.iter().take(8).map(|(id, name)| format!("{id} ({name})")).collect();
    let by = if names.is_empty() { String::new() } else { format!(", by process {}", names.join(", ")) };
    let message = format!("GPU {} is in use: {} of {}{by}", gpu.index, gpu.used, gpu.total);
    let ids: Vec<String> = gpu.processes.iter().take(8).map(|(id, _)| id.to_string()).collect();
    let help = if ids.is_empty() {
        "no process is listed, so it belongs to another container or user: find it with `nvidia-smi` or `fuser -v /dev/nvidia*` on the host".to_owned()
    } else {
        format!(
            "if they are left over from an earlier run: `kill {}`; then check that `nvidia-smi` shows about 1 MiB",
            ids.join(" ")
        )
    };
    Diagnostic::new(&codes::GPU_IN_USE, message).help(help)
}
