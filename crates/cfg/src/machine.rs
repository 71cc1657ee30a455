//! The machine that the command line asks for.

use cfg_memory::{
    Bytes,
    catalogue::Gpu,
    hardware::{self, Hardware, Named},
};
use cfg_project::{LocalGpu, local_gpus, local_hardware, visible_gpus};

use crate::context::Context;

/// What `--gpu` takes for the machine itself.
pub(crate) const LOCAL: &str = "local";

/// The GPU memory in use by others from which on it is reported.
const IN_USE: Bytes = Bytes::gib(0.5);

/// A machine that is asked for.
pub(crate) struct Asked {
    /// As it was written; for the machine itself, how many of what there are.
    pub(crate) text: String,
    /// What that is.
    pub(crate) hardware: Hardware,
    /// Who says so, in a report.
    pub(crate) source: &'static str,
    /// What is good to know of it.
    pub(crate) notes: Vec<String>,
}

impl Asked {
    /// What `--gpu` names, or why that is nothing that is known. `own` are the cards of the settings.
    pub(crate) fn read(cx: &Context, text: &str, own: &[Gpu]) -> Result<Self, String> {
        if text == LOCAL {
            return local(cx, own);
        }
        let hardware = hardware::parse(text, own).map_err(|error| error.to_string())?;
        Ok(Self { text: text.to_owned(), hardware, source: "--gpu", notes: Vec::new() })
    }
}

/// The machine itself.
fn local(cx: &Context, own: &[Gpu]) -> Result<Asked, String> {
    let all = local_gpus(cx.host()).map_err(|error| error.to_string())?;
    let shown = cx.host().variable("CUDA_VISIBLE_DEVICES").and_then(|shown| shown.into_string().ok());
    let gpus: Vec<LocalGpu> = visible_gpus(&all, shown.as_deref()).into_iter().cloned().collect();
    let hardware = local_hardware(&gpus, own).map_err(|error| error.to_string())?;
    let in_use = gpus.iter().filter(|gpu| gpu.used >= IN_USE);
    let note = |gpu: &LocalGpu| format!("the {} used by other processes on GPU {} are free by then", gpu.used, gpu.index);
    let named = Named { count: hardware.count, is_counted: true, name: hardware.gpu.name.to_string() };
    Ok(Asked { text: named.to_string(), hardware, source: "nvidia-smi", notes: in_use.map(note).collect() })
}
