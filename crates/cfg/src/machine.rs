//! The machine that the command line names.

use std::path::Path;

use cfg_diag::Diagnostic;
use cfg_memory::{
    Bytes,
    catalogue::Gpu,
    hardware::{self, Hardware, HardwareError, Named},
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
        let hardware = hardware::parse(text, own).map_err(|error| {
            let refused = if let HardwareError::Unknown { name, .. } = &error { refused(cx, name) } else { None };
            refused.unwrap_or_else(|| error.to_string())
        })?;
        Ok(Self { text: text.to_owned(), hardware, source: "--gpu", notes: Vec::new() })
    }
}

/// Why the settings around the working folder do not have a card that they declare.
fn refused(cx: &Context, name: &str) -> Option<String> {
    let session = cx.session();
    session.projects().settings(Path::new("rl.toml"));
    let is_of_card = |found: &Diagnostic| {
        let card = found.key.as_deref().and_then(|key| key.strip_prefix("gpus.")).unwrap_or_default().to_lowercase();
        let rest = card.trim_start_matches('"').strip_prefix(&name.to_lowercase());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['"', '.']))
    };
    let files = session.projects().diagnostics();
    let found = files.iter().find_map(|file| Some((file, file.diagnostics.iter().find(|found| is_of_card(found))?)));
    let (file, found) = found?;
    let help = found.help.as_ref().map_or_else(String::new, |help| format!(": {help}"));
    Some(format!("the card `{name}` that {} declares is invalid: {}{help}", file.path.display(), found.message))
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
