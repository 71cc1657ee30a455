//! Whether the GPUs that the config uses are free.

use cfg_diag::{Diagnostic, codes};

use super::{Answer, Gpu, Situation};

/// An idle card holds some megabytes of the driver.
const IDLE_MIB: u64 = 1000;

pub(super) fn check(situation: &Situation<'_>) -> Answer {
    if let Some(why) = situation.gpus.why_unknown() {
        return Answer::Unknown(why);
    }
    let used: Vec<&Gpu> = situation.uses.iter().filter_map(|used| situation.gpus.get(used.physical?)).collect();
    let looked_at: Vec<&Gpu> = if used.is_empty() { situation.gpus.all().iter().collect() } else { used };
    let busy = looked_at.iter().filter(|gpu| gpu.used_mib > IDLE_MIB || !gpu.processes.is_empty());
    Answer::of(busy.map(|gpu| finding(gpu)).collect(), || "nothing runs on them".to_owned())
}

fn finding(gpu: &Gpu) -> Diagnostic {
    let names: Vec<String> = gpu.processes.iter().take(8).map(|(id, name)| format!("{id} ({name})")).collect();
    let by = if names.is_empty() { String::new() } else { format!(", by process {}", names.join(", ")) };
    let message = format!("GPU {} is in use: {} of {}{by}", gpu.index, gib(gpu.used_mib), gib(gpu.total_mib));
    let ids: Vec<String> = gpu.processes.iter().take(8).map(|(id, _)| id.to_string()).collect();
    let help = if ids.is_empty() {
        "no process is listed, so it belongs to another container or user: find it with `nvidia-smi` or `fuser -v /dev/nvidia*` on the host".to_owned()
    } else {
        format!(
            "if they are left over from an earlier run: `kill {}`; then see that `nvidia-smi` shows about 1 MiB",
            ids.join(" ")
        )
    };
    Diagnostic::new(&codes::GPU_IN_USE, message).help(help)
}

/// An amount as nvidia-smi counts, in GiB.
pub(super) fn gib(mib: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "memory of a card")]
    let gib = mib as f64 / 1024.0;
    format!("{gib:.1} GiB")
}
