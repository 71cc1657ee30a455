//! The machine that the command line names.

use cfg_memory::{
    Bytes,
    catalogue::Gpu,
    hardware::{self, Hardware, Named},
};
use cfg_project::{LocalGpu, local_gpus, local_hardware, visible_gpus};

use crate::context::Context;

/// The value of `--gpu` for this machine.
pub(crate) const LOCAL: &str = "local";

/// The amount of memory in use by other processes from which it is reported.
const IN_USE: Bytes = Bytes::gib(0.5);

/// A machine that the user requests.
pub(crate) struct RequestedMachine {
    /// The value of the option; for this machine, the number and name of its GPUs.
    pub(crate) text: String,
    /// The machine.
    pub(crate) hardware: Hardware,
    /// Where it is stated, as text for a report.
    pub(crate) source: &'static str,
    /// Notes on the machine.
    pub(crate) notes: Vec<String>,
}

impl RequestedMachine {
    /// Reads the machine that `--gpu` names; the error is the reason why it is unknown. `own` are the cards that the settings declare.
    pub(crate) fn read(cx: &Context, text: &str, own: &[Gpu]) -> Result<Self, String> {
        if text == LOCAL {
            return local(cx, own);
        }
        let hardware = hardware::parse(text, own).map_err(|error| error.to_string())?;
        Ok(Self { text: text.to_owned(), hardware, source: "--gpu", notes: Vec::new() })
    }
}

/// This machine.
fn local(cx: &Context, own: &[Gpu]) -> Result<RequestedMachine, String> {
    let all = local_gpus(cx.host()).map_err(|error| error.to_string())?;
    let shown = cx.host().variable("CUDA_VISIBLE_DEVICES").and_then(|shown| shown.into_string().ok());
    let gpus: Vec<LocalGpu> = visible_gpus(&all, shown.as_deref()).into_iter().cloned().collect();
    let hardware = local_hardware(&gpus, own).map_err(|error| error.to_string())?;
    let in_use = gpus.iter().filter(|gpu| gpu.used >= IN_USE);
    let note = |gpu: &LocalGpu| format!("the {} used by other processes on GPU {} are free by then", gpu.used, gpu.index);
    let named = Named { count: hardware.count, is_counted: true, name: hardware.gpu.name.to_string() };
    Ok(RequestedMachine { text: named.to_string(), hardware, source: "nvidia-smi", notes: in_use.map(note).collect() })
}
