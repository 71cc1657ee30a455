//! The arguments of the commands about machines: memory, estimates, preflight.

use std::path::PathBuf;

use clap::Args;

#[derive(Args)]
pub(crate) struct Gpu {
    /// Show only this card, or the card of this machine
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,
}

#[derive(Args)]
#[expect(clippy::struct_field_names, reason = "fields are named like their options")]
pub(crate) struct Model {
    /// The model, by its name on the Hugging Face hub: `Qwen/Qwen3-8B`
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// Show only this card
    #[arg(long, alias = "hardware", value_name = "GPU")]
    pub(crate) gpu: Option<String>,
    /// The model's config.json, for an unknown model
    #[arg(long, value_name = "FILE")]
    pub(crate) model_config: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct Memory {
    /// The config, or the split files of one run; `-` is standard input
    #[arg(value_name = "FILE", required_unless_present = "gpu")]
    pub(crate) paths: Vec<PathBuf>,
    /// The machine: "2x H100", `all` cards, `local`, or `list` for the names
    #[arg(long, alias = "hardware", value_name = "GPU")]
    pub(crate) gpu: Option<String>,
    /// The free disk space ("500 GB"), or `local` to measure it
    #[arg(long, value_name = "SIZE")]
    pub(crate) disk: Option<String>,
    /// The model's config.json, for an unknown model
    #[arg(long, value_name = "FILE")]
    pub(crate) model_config: Option<PathBuf>,
    /// Try values of a setting or a key: `seq_len=1024..16384`, `gpu_memory_utilization=0.3..0.6:0.02`, `trainer.model.lora.rank=8,16`
    #[arg(long, value_name = "KEY=VALUES")]
    pub(crate) sweep: Option<String>,
}

#[derive(Args)]
pub(crate) struct Plan {
    /// The config, or the split files of one run; `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// Draw only at which training step each phase of a curriculum starts, or the range of steps if that is uncertain
    #[arg(long)]
    pub(crate) curriculum: bool,
}

#[derive(Args)]
pub(crate) struct Estimate {
    /// The config, or the split files of one run; `-` is standard input
    #[arg(value_name = "FILE", required_unless_present = "gpu")]
    pub(crate) paths: Vec<PathBuf>,
    /// The machine or card: "2x H100", `local`, `list`; by default `all`
    #[arg(long, alias = "hardware", value_name = "GPU")]
    pub(crate) gpu: Option<String>,
    /// The price of a GPU per hour; by default `[prices]` of the settings
    #[arg(long, value_name = "DOLLARS", value_parser = parse_amount)]
    pub(crate) price: Option<f64>,
    /// The output folder of a similar run, whose step times correct this
    #[arg(long, value_name = "RUN_DIR")]
    pub(crate) from: Option<PathBuf>,
    /// Seconds per step in the environment: tools, scoring
    #[arg(long, value_name = "SECONDS", value_parser = parse_amount, default_value_t = 0.0, hide_default_value = true)]
    pub(crate) env_seconds: f64,
    /// The model's config.json, for an unknown model
    #[arg(long, value_name = "FILE")]
    pub(crate) model_config: Option<PathBuf>,
}

/// Parses an amount of dollars or seconds; it must not be negative.
fn parse_amount(text: &str) -> Result<f64, String> {
    let amount = text.trim_start_matches('$').parse().ok().filter(|amount: &f64| amount.is_finite() && *amount >= 0.0);
    amount.ok_or_else(|| "expected a number of at least 0, such as 2.5".to_owned())
}
