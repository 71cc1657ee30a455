//! The contents of a config's GPUs in an editor: the figures of `cfg memory`.

use cfg_check::{
    Verdict,
    memory::{self, MachineSource, MemoryOptions},
};
use cfg_memory::{Bytes, run::OnGpu, trainer::Part};
use cfg_report::{
    Style,
    memory::{Assessed, MemoryReport, write_table},
};
use cfg_schema::Kind;

use crate::{
    Analysis,
    place::{PathSegment, dotted},
};

/// The memory model's result for a config that prime-rl accepts.
#[derive(Debug)]
pub struct Memory {
    pub(crate) computed: memory::Memory,
    layout_errors: Vec<String>,
    target: String,
}

impl Memory {
    pub(crate) fn of(analysis: &Analysis) -> Option<Self> {
        if analysis.checked.verdict == Verdict::Rejected {
            return None;
        }
        let target = &analysis.checked.target;
        let computed =
            memory::memory(analysis.plan()?, target, &analysis.stated, &analysis.project, MemoryOptions::default()).ok()?;
        let layout_errors = memory::layout_errors(&analysis.checked, analysis.plan()?, &analysis.stated, &analysis.project);
        Some(Self { computed, layout_errors, target: target.name.clone() })
    }

    /// One line for each group of GPUs with the same contents: `GPU 0: 71.8 of 79.2 GiB`.
    pub fn lines(&self) -> Vec<String> {
        let alike = |one: &OnGpu, other: &OnGpu| (one.trains, one.serves) == (other.trains, other.serves);
        self.computed.assessment.gpus.chunk_by(alike).filter_map(|group| self.line(group)).collect()
    }

    /// The contents of the GPU that has the least room: `71.8 of 79.2 GiB`.
    pub(crate) fn fullest(&self) -> Option<String> {
        let card = self.computed.budget.run.gpu.as_ref()?;
        let held = |gpu: &&OnGpu| gpu.judgement.held.1.as_gib();
        let fullest = self.computed.assessment.gpus.iter().max_by(|one, other| held(one).total_cmp(&held(other)))?;
        Some(format!("{:.1} of {}", held(&fullest), card.total))
    }

    /// The line of the first GPUs with a role.
    pub(crate) fn line_of(&self, does: impl Fn(&OnGpu) -> bool) -> Option<String> {
        let group: Vec<OnGpu> = self.computed.assessment.gpus.iter().filter(|gpu| does(gpu)).cloned().collect();
        self.line(&group)
    }

    fn line(&self, group: &[OnGpu]) -> Option<String> {
        let (card, first) = (self.computed.budget.run.gpu.as_ref()?, group.first()?);
        let numbers = match group {
            [_, .., last] => format!("GPU {} to {}", first.index, last.index),
            _ => format!("GPU {}", first.index),
        };
        let verdict = first.judgement.verdict;
        let trouble = if verdict.is_error() { format!(", {}", verdict.as_str()) } else { String::new() };
        Some(format!("{numbers}: {:.1} of {}{trouble}", first.judgement.held.1.as_gib(), card.total))
    }

    /// The report of `cfg memory`, as plain text.
    pub fn report(&self) -> String {
        let mut text = Vec::new();
        let style = Style { unicode: true, ..Style::default() };
        // Writing to a vector can't fail.
        let _ = write_table(&mut text, style, &self.as_report());
        String::from_utf8(text).unwrap_or_default()
    }

    /// The report of `cfg memory`.
    pub(crate) fn as_report(&self) -> MemoryReport {
        let memory::Memory { budget, assessment, hardware, stated, free, .. } = &self.computed;
        let source = match stated {
            Some(MachineSource::Config(_)) => "metadata",
            Some(MachineSource::Registry) => "registry.json",
            Some(MachineSource::CommandLine | MachineSource::Settings) | None => "settings",
        };
        MemoryReport::new(Assessed {
            target: &self.target,
            run: &budget.run,
            assessment,
            hardware: hardware.as_ref(),
            source,
            free: *free,
            models: &budget.models,
            assumed: &budget.assumed,
            errors: &self.layout_errors,
        })
    }

    /// The effect of a key on memory: the parts of the peak that depend on it.
    pub(crate) fn share(&self, path: &[PathSegment]) -> Option<String> {
        self.share_of(&dotted(path))
    }

    fn share_of(&self, key: &str) -> Option<String> {
        if let Some((_, names)) = OF_TRAINER.iter().find(|(end, _)| is_at_end(key, end) && !key.starts_with("inference")) {
            let peak = self.computed.assessment.peak.as_ref()?;
            return shares(&peak.parts, names, "of the trainer's peak", peak.middle);
        }
        let budget = self.computed.assessment.budget.as_ref()?;
        match key {
            "inference.gpu_memory_utilization" | "gpu_memory_utilization" => Some(format!(
                "the server takes {}, {} of it for its KV cache",
                budget.requested,
                part(&budget.parts(), "kv-cache")?
            )),
            "inference.model.max_model_len" | "max_model_len" => {
                Some(format!("the KV cache holds {} tokens", budget.kv.expected()))
            }
            "inference.model.name" => shares(&budget.parts(), &["weights"], "of what the server takes", budget.requested),
            "inference.enable_lora" | "inference.max_lora_rank" | "inference.max_loras" => {
                shares(&budget.parts(), &["adapters"], "of what the server takes", budget.requested)
            }
            _ => None,
        }
    }
}

/// What a key costs on the GPUs: its parts of the peak as the config is, or their names if the peak is unknown.
pub(crate) fn cost(analysis: &Analysis, key: &str) -> Option<String> {
    let of_trainer = OF_TRAINER.iter().find(|(end, _)| is_at_end(key, end) && !key.starts_with("inference"));
    let of_server = OF_SERVER.iter().find(|(end, _)| is_at_end(key, end));
    let names = of_trainer.or(of_server).map(|(_, names)| names)?;
    // Other kinds have keys of the same names that are no settings of a model.
    if analysis.checked.kind.is_some_and(Kind::is_hosted) || analysis.is_of_other_program() {
        return None;
    }
    match analysis.memory().and_then(|memory| memory.share_of(key)) {
        Some(share) => Some(format!("GPU memory as the config is: {share}.")),
        None => Some(format!("It decides the GPU memory of {}.", names.join(", ").replace('-', " "))),
    }
}

/// Keys of the server, and the parts of its memory that depend on them.
const OF_SERVER: [(&str, &[&str]); 6] = [
    ("gpu_memory_utilization", &["the KV cache"]),
    ("max_model_len", &["the KV cache of one sequence"]),
    ("inference.model.name", &["weights"]),
    ("enable_lora", &["adapters"]),
    ("max_lora_rank", &["adapters"]),
    ("max_loras", &["adapters"]),
];

/// Keys of the trainer, by their suffixes, and the parts of its peak that depend on them.
const OF_TRAINER: [(&str, &[&str]); 12] = [
    ("model.name", &["weights"]),
    ("model.seq_len", &["activations", "layer-work", "lm-head", "lm-head-chunk"]),
    ("seq_len", &["activations", "layer-work", "lm-head", "lm-head-chunk"]),
    ("model.lora", &["adapters", "gradients", "optimizer"]),
    ("lora.rank", &["adapters", "gradients", "optimizer"]),
    ("trainer.optim", &["optimizer", "optimizer-step"]),
    ("optim.type", &["optimizer", "optimizer-step"]),
    ("model.ac", &["activations", "layer-work"]),
    ("model.optim_cpu_offload", &["optimizer"]),
    ("model.fsdp_cpu_offload", &["weights", "gradients", "optimizer"]),
    ("data.micro_batch_size", &["activations", "layer-work", "lm-head", "lm-head-chunk"]),
    ("model.optimization_dtype", &["weights", "optimizer"]),
];

fn is_at_end(key: &str, end: &str) -> bool {
    key.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with('.'))
}

fn part(parts: &[Part], name: &str) -> Option<Bytes> {
    parts.iter().find(|part| part.name == name).map(|part| part.bytes)
}

/// `30.6 GiB of weights, of the trainer's peak of 40.1 GiB`.
fn shares(parts: &[Part], names: &[&str], of: &str, whole: Bytes) -> Option<String> {
    let found = names.iter().filter_map(|name| Some(((*name).replace('-', " "), part(parts, name)?)));
    let words: Vec<String> =
        found.filter(|(_, bytes)| *bytes > Bytes::ZERO).map(|(name, bytes)| format!("{bytes} for {name}")).collect();
    (!words.is_empty()).then(|| format!("{}, {of}, which is {whole}", words.join(", ")))
}
