//! The arguments of the servers for editors and coding assistants.

use std::path::PathBuf;

use clap::Args;

#[derive(Args)]
pub(crate) struct Lsp {
    /// The machine ("2x H100"), overriding the configs; `local` asks nvidia-smi
    #[arg(long, value_name = "GPU")]
    pub(crate) gpu: Option<String>,
}

#[derive(Args)]
pub(crate) struct Mcp {
    /// The folders in which configs, logs and sources are read; relative paths of a call start at the first
    #[arg(value_name = "ROOT", default_value = ".")]
    pub(crate) roots: Vec<PathBuf>,
}
