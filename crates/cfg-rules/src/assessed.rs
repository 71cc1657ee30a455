//! The memory model's results for a config: computed once, when the first rule needs them, and only if hardware or disk are stated.

use std::{cell::OnceCell, sync::Arc};

use cfg_diag::{Location, Order};
use cfg_memory::{
    Bytes, Recent,
    accuracy::growth,
    catalogue::UnknownModel,
    precision::Format,
    run::{Assessment, OnGpu, Run},
    solve,
    trainer::Checkpointing,
    verdict::{Reason, Verdict},
};
use cfg_plan::budget::{Inputs, Missing, budget};
use cfg_plan::{Inference, Plan};

use crate::{Context, MachineSource, engine};

/// The memory model's results for one config, computed when a rule first asks for them. Starts empty: `Memory::default()`.
#[derive(Debug, Default)]
pub struct Memory {
    assessed: OnceCell<Result<Box<Assessed>, Option<UnknownModel>>>,
}

/// A config, assessed by the memory model for the stated hardware.
#[derive(Debug)]
pub(crate) struct Assessed {
    /// The run as input of the model.
    pub(crate) run: Run,
    /// The model's result.
    pub(crate) assessment: Arc<Assessment>,
    /// Where the config states its hardware; `None` if the user, the registry or the project's settings state it.
    pub(crate) stated: Option<Location>,
    /// The name of the cards; empty if only the disk is stated.
    pub(crate) card: String,
    /// Whether the memory model supports the server's formats of weights and KV cache.
    pub(crate) follows_server: bool,
    /// The problems of each GPU; GPUs with the same contents are one entry.
    troubles: Vec<Trouble>,
}

/// A problem of a GPU.
#[derive(Clone, Debug)]
pub(crate) struct Trouble {
    /// Which rule reports it.
    pub(crate) kind: TroubleKind,
    /// The GPU.
    pub(crate) gpu: OnGpu,
    /// The model's reason.
    pub(crate) reason: Reason,
    /// Whether the run certainly fails.
    pub(crate) is_certain: bool,
}

/// The kinds of memory problems. Each is reported by one rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TroubleKind {
    /// The weights do not fit while they load.
    Load,
    /// Less memory is free than vLLM is configured to take.
    NotFree,
    /// Nothing is left for vLLM's KV cache.
    NoKvCache,
    /// The KV cache is smaller than one sequence.
    SmallKvCache,
    /// The peak exceeds the card, but would not with activation checkpointing.
    Checkpointing,
    /// The peak exceeds the card.
    Peak,
    /// The peak may exceed the card.
    Tight,
}

/// vLLM arguments that change the memory of its weights or its KV cache in ways that the memory model does not support.
const UNFOLLOWED: [&str; 6] =
    ["cpu_offload_gb", "hf_overrides", "kv_cache_memory_bytes", "load_format", "pipeline_parallel_size", "speculative_config"];

impl Assessed {
    /// The memory model's result for the config; `None` if hardware or model are unknown.
    pub(crate) fn of<'a>(cx: &Context<'a>) -> Option<&'a Self> {
        Self::result(cx).as_deref().ok()
    }

    /// The model of unknown shape because of which there is no result.
    pub(crate) fn unknown_model<'a>(cx: &Context<'a>) -> Option<&'a UnknownModel> {
        Self::result(cx).as_ref().err()?.as_ref()
    }

    fn result<'a>(cx: &Context<'a>) -> &'a Result<Box<Self>, Option<UnknownModel>> {
        cx.memory.assessed.get_or_init(|| assess(cx).map(Box::new))
    }

    /// The first problem of this kind, and the result that contains it.
    pub(crate) fn trouble<'a>(cx: &Context<'a>, kind: TroubleKind) -> Option<(&'a Self, &'a Trouble)> {
        let assessed = Self::of(cx)?;
        assessed.troubles.iter().find(|trouble| trouble.kind == kind).map(|trouble| (assessed, trouble))
    }

    /// The run, reduced to the processes on this GPU; those on other GPUs do not affect its memory.
    pub(crate) fn on(&self, gpu: &OnGpu) -> Run {
        let mut run = self.run.clone();
        if !gpu.trains {
            run.trainer = None;
            run.trainer_gpus.clear();
        }
        if !gpu.serves {
            run.inference = None;
            run.inference_gpus.clear();
        }
        run
    }

    /// Whether no GPU is certain to fail.
    pub(crate) fn has_no_error(&self) -> bool {
        !self.assessment.verdict().is_error()
    }

    /// The parts of the peak of a GPU, the largest first: `28.4 GiB of weights, 11.3 GiB of activations, ..`.
    pub(crate) fn parts(&self, gpu: &OnGpu) -> String {
        let mut parts: Vec<(&str, Bytes)> = Vec::new();
        if let Some(budget) = self.assessment.budget.as_ref().filter(|_| gpu.serves) {
            parts.push(("for vLLM", budget.held().1));
        }
        if let Some(peak) = self.assessment.peak.as_ref().filter(|_| gpu.trains) {
            parts.extend(peak.parts.iter().map(|part| (of(part.name), part.bytes)));
            parts.push(("of CUDA context", peak.context));
        }
        listed(parts, gpu.judgement.held.1)
    }

    /// What vLLM needs besides its KV cache, the largest first.
    pub(crate) fn parts_of_server(&self) -> Option<String> {
        let budget = self.assessment.budget.as_ref()?;
        let parts = budget.parts().into_iter().filter(|part| part.name != "kv-cache");
        let parts: Vec<_> = parts
            .filter(|part| budget.graphs_within || part.name != "cuda-graphs")
            .map(|part| (of(part.name), part.bytes))
            .collect();
        let sum = parts.iter().map(|(_, bytes)| *bytes).sum();
        Some(listed(parts, sum))
    }
}

/// The largest parts, and the rest of their sum.
fn listed(mut parts: Vec<(&str, Bytes)>, sum: Bytes) -> String {
    /// Smaller parts are not named separately.
    const LEAST: Bytes = Bytes::gib(0.3);
    parts.retain(|(_, bytes)| *bytes >= LEAST);
    parts.order_by(|a, b| b.1.as_f64().total_cmp(&a.1.as_f64()));
    let rest = sum - parts.iter().map(|(_, bytes)| *bytes).sum();
    let mut words: Vec<String> = parts.iter().map(|(what, bytes)| format!("{bytes} {what}")).collect();
    if rest >= Bytes::gib(0.05) {
        words.push(format!("{rest} for everything else"));
    }
    words.join(", ")
}

/// The words for a part of the model in messages.
fn of(part: &'static str) -> &'static str {
    match part {
        "weights" => "of weights",
        "gradients" => "of gradients",
        "optimizer" => "of optimizer states",
        "gathered-layer" => "for a gathered layer",
        "gathered-embedding" => "for the gathered embedding",
        "gathered-lm-head" => "for the gathered LM head",
        "activations" => "of activations",
        "layer-work" => "for the backward pass of a layer",
        "lm-head" | "lm-head-chunk" => "of logits",
        "optimizer-step" => "for the optimizer's step",
        "adapters" => "for adapters",
        "cuda-graphs" => "of CUDA graphs",
        _ => "for libraries",
    }
}

/// Computes the model's result for the run.
///
/// # Errors
/// If there is none: the model whose shape is unknown, if that is why.
fn assess(cx: &Context<'_>) -> Result<Assessed, Option<UnknownModel>> {
    let machine = cx.project.machine(cx.metadata).and_then(|(machine, stated)| Some((machine.ok()?, stated)));
    if machine.is_none() && cx.metadata.disk.is_none() && cx.project.disk.is_none() {
        return Err(None);
    }
    let (hardware, stated) = machine.unzip();
    let stated = match stated {
        Some(MachineSource::Config(location)) => Some(location),
        Some(MachineSource::CommandLine | MachineSource::Registry | MachineSource::Settings) | None => None,
    };
    if !is_known(cx.plan) {
        return Err(None);
    }
    let inputs = Inputs {
        target: cx.target,
        hardware: hardware.as_ref(),
        shape: &|name| cx.project.shapes.get(name).cloned(),
        local: &|name| cx.project.local_shape(name),
    };
    let budget = budget(cx.plan, &inputs).map_err(|missing| match missing {
        Missing::Shape(unknown) => Some(unknown),
        _ => None,
    })?;
    let mut run = budget.run;
    let mut assessment = assessment_of(&run);
    // The number of trainer GPUs was assumed from the machine. With one GPU the buffers are smaller, so a run that then fits is not reported.
    if !budget.assumed.is_empty()
        && assessment.verdict() != Verdict::Fits
        && let Some(alone) = alone(&run)
    {
        let other = assessment_of(&alone);
        if other.verdict() == Verdict::Fits || (assessment.verdict().is_error() && !other.verdict().is_error()) {
            (run, assessment) = (alone, other);
        }
    }
    let follows_server = cx.plan.inference.as_ref().is_none_or(|inference| follows(inference, cx));
    let troubles = troubles(cx.plan, &run, &assessment, follows_server);
    Ok(Assessed {
        run,
        assessment,
        stated,
        card: hardware.map(|hardware| hardware.gpu.name.to_string()).unwrap_or_default(),
        follows_server,
        troubles,
    })
}

/// The model's result for a run. Many configs of a project have the same run.
fn assessment_of(run: &Run) -> Arc<Assessment> {
    thread_local! {
        static OF_RUNS: Recent<Arc<Assessment>, Run> = const { Recent::new() };
    }
    OF_RUNS.with(|recent| recent.of(run, || Arc::new(run.assess())))
}

/// The same run with a trainer on one GPU.
fn alone(run: &Run) -> Option<Run> {
    let mut run = run.clone();
    let trainer = run.trainer.as_mut()?;
    (trainer.gpus, trainer.expert_parallel, trainer.replicas, trainer.context_parallel) = (1, 1, 1, 1);
    run.trainer_gpus.truncate(1);
    Some(run)
}

/// Whether all values that the model needs are valid. An invalid one has been reported, and the value that would replace it is unknown.
fn is_known(plan: &Plan) -> bool {
    let gpus = &plan.run.gpus;
    let of_gpus = [
        gpus.trainer_ids.is_known(),
        gpus.inference_ids.is_known(),
        gpus.num_train.is_known(),
        gpus.num_infer.is_known(),
        gpus.num_train_nodes.is_known(),
    ];
    let of_trainer = plan.trainer.as_ref().is_none_or(|own| {
        let model = &own.model;
        [
            model.name.is_known(),
            own.seq_len.is_known(),
            own.optim.kind.is_known(),
            own.data.micro_batch_size.is_known(),
            model.lora.is_known(),
            model.ac.is_known(),
            model.ac_offloading.is_known(),
            model.cp.is_known(),
            model.ep.is_known(),
            model.dp_replicate.is_known(),
            model.optimization_dtype.is_known(),
            model.optim_cpu_offload.is_known(),
            model.fsdp_cpu_offload.is_known(),
            model.full_offload.is_known(),
            model.lm_head_token_chunk.is_known(),
            model.lm_head_vocab_chunk.is_known(),
            // The memory model does not support the effect of these settings.
            model.tp.get().is_none_or(|tp| tp <= 1),
            !model.vlm.is_on(),
        ]
        .iter()
        .all(|known| *known)
    });
    let of_server = plan.inference.as_ref().is_none_or(|own| {
        [
            own.model_name.is_known(),
            own.gpu_memory_utilization.is_known(),
            own.max_model_len.is_known(),
            own.tp.is_known(),
            own.dp.is_known(),
            own.enforce_eager.is_known(),
            own.enable_lora.is_known(),
            own.max_loras.is_known(),
            own.max_lora_rank.is_known(),
        ]
        .iter()
        .all(|known| *known)
    });
    let of_orchestrator = plan.orchestrator.as_ref().is_none_or(|own| own.batch.micro_batch_size.is_known());
    of_gpus.iter().all(|known| *known) && of_trainer && of_server && of_orchestrator
}

/// Whether the memory model supports the server's formats of weights and KV cache.
fn follows(inference: &Inference, cx: &Context<'_>) -> bool {
    let is_plain = inference.dtype.text().is_none_or(|dtype| matches!(dtype, "auto" | "bfloat16" | "float16" | "half"));
    let is_format = inference.quantization.text().is_none_or(|method| Format::of_key(method).is_some());
    let spreads_experts = inference.enable_expert_parallel.is_on() && inference.dp.get().is_some_and(|dp| dp > 1);
    let derives_length = inference.max_model_len.get().is_some_and(|tokens| tokens <= 0);
    let is_unfollowed = || UNFOLLOWED.iter().any(|name| engine::argument(cx, name).is_some());
    is_format && is_plain && !spreads_experts && !derives_length && !is_unfollowed()
}

/// The problems of each GPU: the first error, or else all possible errors.
fn troubles(plan: &Plan, run: &Run, assessment: &Assessment, follows_server: bool) -> Vec<Trouble> {
    let mut troubles = Vec::new();
    let mut seen = [[false; 2]; 2];
    for gpu in &assessment.gpus {
        if std::mem::replace(&mut seen[usize::from(gpu.trains)][usize::from(gpu.serves)], true) {
            continue;
        }
        let is_of_cache = |reason: &Reason| matches!(reason, Reason::NoKvCache { .. } | Reason::SmallKvCache { .. });
        let reasons = || gpu.judgement.reasons.iter().copied().filter(|reason| follows_server || !is_of_cache(reason));
        let trouble = |reason: Reason| Trouble {
            kind: kind(plan, run, gpu, reason),
            gpu: gpu.clone(),
            reason,
            is_certain: is_certain(run, assessment, gpu, reason),
        };
        match reasons().find(|reason| reason.verdict().is_error()) {
            Some(error) => troubles.push(trouble(error)),
            None => {
                // A possible error is reported only if the upper bound was compared with measured runs.
                let is_measured = assessment.accuracy.as_ref().is_some_and(|accuracy| accuracy.validated);
                let is_worth_it =
                    |reason: &Reason| is_of_cache(reason) || is_measured && is_predicted(run, assessment, gpu, *reason);
                troubles.extend(reasons().filter(is_worth_it).map(trouble));
            }
        }
    }
    troubles
}

/// Which rule reports this.
fn kind(plan: &Plan, run: &Run, gpu: &OnGpu, reason: Reason) -> TroubleKind {
    match reason {
        Reason::Load { .. } => TroubleKind::Load,
        Reason::NotFree { .. } => TroubleKind::NotFree,
        Reason::NoKvCache { .. } => TroubleKind::NoKvCache,
        Reason::SmallKvCache { .. } => TroubleKind::SmallKvCache,
        Reason::Peak { certain: true, .. } if checkpointing_decides(plan, run, gpu) => TroubleKind::Checkpointing,
        Reason::Peak { certain: true, .. } => TroubleKind::Peak,
        Reason::Peak { .. } => TroubleKind::Tight,
    }
}

/// Whether activation checkpointing is off, and this GPU would have enough memory with it.
fn checkpointing_decides(plan: &Plan, run: &Run, gpu: &OnGpu) -> bool {
    let is_off = run.trainer.as_ref().is_some_and(|trainer| trainer.checkpointing == Checkpointing::None);
    let can_be_on = plan.trainer.as_ref().is_some_and(|trainer| trainer.model.ac.exists());
    let helps = || {
        let assessment = solve::Change::Checkpointing.applied(run)?.assess();
        assessment.gpus.into_iter().find(|other| other.index == gpu.index).map(|gpu| !gpu.judgement.verdict.is_error())
    };
    is_off && can_be_on && helps() == Some(true)
}

/// The lower and the upper bound of what a GPU holds at the peak, as the formulas predict it, without the range of measured errors.
fn predicted(run: &Run, assessment: &Assessment, gpu: &OnGpu, low: Bytes, high: Bytes) -> (Bytes, Bytes) {
    match (&run.trainer, &assessment.peak) {
        (Some(trainer), Some(peak)) if gpu.trains => {
            let own = trainer.peak(&run.model);
            let grown = own.high * growth(trainer, &run.model);
            (low - peak.low + own.low, high - peak.high + grown)
        }
        _ => (low, high),
    }
}

/// Whether a possible failure is worth a warning: the prediction itself exceeds the card, not only the range around it.
fn is_predicted(run: &Run, assessment: &Assessment, gpu: &OnGpu, reason: Reason) -> bool {
    match reason {
        Reason::Peak { low, high, total, .. } => predicted(run, assessment, gpu, low, high).1 > total,
        _ => true,
    }
}

/// Whether a run certainly fails: a lower bound counts only beyond the largest error that was measured for such runs, whatever their model.
fn is_certain(run: &Run, assessment: &Assessment, gpu: &OnGpu, reason: Reason) -> bool {
    match reason {
        Reason::Peak { low, high, total, certain: true } => {
            let doubt = assessment.accuracy.as_ref().map_or(0.0, |accuracy| accuracy.figures.worst);
            let of_trainer =
                run.trainer.as_ref().filter(|_| gpu.trains).map_or(Bytes::ZERO, |trainer| trainer.peak(&run.model).low);
            predicted(run, assessment, gpu, low, high).0 - of_trainer * doubt > total
        }
        other => other.verdict().is_error(),
    }
}
