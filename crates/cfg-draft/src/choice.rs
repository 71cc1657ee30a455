//! The possible choices, in order of preference.

use cfg_schema::Kind;

use crate::{Goal, Method, Refusal, inputs::Inputs};

/// The most GPUs that a machine of prime-rl's `single_node` deployment has.
const GPUS_OF_A_MACHINE: u32 = 8;

/// The shares of a GPU for vLLM if the trainer is on the same GPU.
const SHARES: [f64; 6] = [0.5, 0.4, 0.35, 0.3, 0.25, 0.2];

/// The share of a GPU for vLLM if nothing else is on it: the default of prime-rl and vLLM.
const ALONE: f64 = 0.9;

/// The settings that determine the memory.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Choice {
    /// Tokens of the longest sequence.
    pub(crate) seq_len: u64,
    pub(crate) method: Method,
    /// Whether activations are recomputed in the backward pass.
    pub(crate) recomputes: bool,
    pub(crate) layout: Layout,
}

/// The distribution of the GPUs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Layout {
    /// GPUs of the trainer.
    pub(crate) train: u32,
    /// GPUs of the inference server.
    pub(crate) infer: u32,
    /// The number of these GPUs that share one copy of the model.
    pub(crate) tensor_parallel: u32,
    /// The share of a GPU's memory that vLLM takes.
    pub(crate) utilization: f64,
    /// Whether both are on the same GPU.
    pub(crate) is_shared: bool,
}

impl Choice {
    /// Whether `other` is this choice, except for the distribution of the GPUs.
    pub(crate) fn is_but_for_layout(&self, other: &Self) -> bool {
        *self == Self { layout: self.layout, ..other.clone() }
    }

    /// Whether `other` is this choice, except for the length of sequences.
    pub(crate) fn is_but_for_length(&self, other: &Self) -> bool {
        *self == Self { seq_len: self.seq_len, ..other.clone() }
    }
}

/// All choices, the best first. Longer sequences have priority over full fine-tuning: a truncated rollout teaches nothing.
pub(crate) fn choices(inputs: &Inputs<'_>) -> Result<Vec<Choice>, Refusal> {
    if inputs.wish.trains() && inputs.wish.method == Some(Method::Lora) && !inputs.has_lora() {
        return Err(Refusal::NoneIsRight { why: format!("prime-rl {} can't train adapters", inputs.around.target.name) });
    }
    let layouts = layouts(inputs)?;
    let mut choices = Vec::new();
    for seq_len in lengths(inputs) {
        for method in methods(inputs) {
            for recomputes in recomputation(inputs) {
                choices.extend(layouts.iter().map(|layout| Choice { seq_len, method, recomputes: *recomputes, layout: *layout }));
            }
        }
    }
    Ok(choices)
}

/// The lengths that are tried, in tokens.
fn lengths(inputs: &Inputs<'_>) -> Vec<u64> {
    if let Some(seq_len) = inputs.wish.seq_len.or_else(|| inputs.length_beside()) {
        return vec![seq_len];
    }
    let longest = match inputs.wish.goal {
        Goal::Balanced => 8192,
        Goal::Fast | Goal::Cheap => 4096,
        Goal::LongContext => 131_072,
    };
    let context = inputs.shape.architecture.context.0;
    // Half of a rollout is for the answer, and the other half must hold the prompt.
    let shortest = if inputs.wish.rolls_out() { 12 } else { 10 };
    (shortest..=17).rev().map(|power| 1 << power).filter(|length| *length <= longest.min(context)).collect()
}

fn methods(inputs: &Inputs<'_>) -> Vec<Method> {
    match (inputs.wish.method, inputs.wish.goal) {
        (Some(method), _) => vec![method],
        // Nothing is trained: an adapter is served only if it is requested, or the trainer beside makes one.
        (None, _) if !inputs.wish.trains() => {
            vec![if inputs.rank_beside().is_some() { Method::Lora } else { Method::Full }]
        }
        (None, _) if !inputs.has_lora() => vec![Method::Full],
        (None, Goal::Cheap) => vec![Method::Lora],
        (None, _) => vec![Method::Full, Method::Lora],
    }
}

/// Recomputing costs a third of the time; short sequences may do without.
fn recomputation(inputs: &Inputs<'_>) -> &'static [bool] {
    match inputs.wish.goal {
        _ if !inputs.wish.trains() => &[false],
        Goal::Fast => &[false, true],
        _ => &[true],
    }
}

fn layouts(inputs: &Inputs<'_>) -> Result<Vec<Layout>, Refusal> {
    let count = inputs.wish.hardware.count;
    if count > GPUS_OF_A_MACHINE {
        return Err(Refusal::Machine(format!(
            "`cfg new` plans for one machine with at most {GPUS_OF_A_MACHINE} GPUs, not {count}; set up runs on several machines \
             (`deployment.type = \"multi_node\"`) by hand"
        )));
    }
    let apart = |infer: u32, train: u32| {
        let degrees = [1, 2, 4, 8].into_iter().filter(move |degree| infer.max(1).is_multiple_of(*degree));
        degrees.map(move |tensor_parallel| Layout { train, infer, tensor_parallel, utilization: ALONE, is_shared: false })
    };
    Ok(match inputs.wish.kind {
        Kind::Inference if inputs.trainer_on_gpu().is_some() => {
            let shared = |utilization| Layout { train: 0, infer: 1, tensor_parallel: 1, utilization, is_shared: true };
            SHARES.into_iter().map(shared).collect()
        }
        Kind::Inference => apart(count, 0).collect(),
        Kind::Rl if count == 1 => {
            if !inputs.can_share() {
                return Err(Refusal::Machine(format!(
                    "with prime-rl {}, `rl` needs two GPUs, one each for the trainer and vLLM. With one GPU, use `--kind sft`, \
                     or start the processes one by one: `--kind trainer`, `orchestrator` and `inference` in this order, each with `-o` in the same \
                     folder",
                    inputs.around.target.name
                )));
            }
            let shared = |utilization| Layout { train: 1, infer: 1, tensor_parallel: 1, utilization, is_shared: true };
            SHARES.into_iter().map(shared).collect()
        }
        Kind::Rl => {
            // Half and half first, for where the speed is unknown; then a quarter and one GPU for either side.
            let mut splits: Vec<u32> = Vec::new();
            for infer in [count / 2, count / 4, count - count / 4, count - 1, 1] {
                if infer > 0 && infer < count && !splits.contains(&infer) {
                    splits.push(infer);
                }
            }
            splits.into_iter().flat_map(|infer| apart(infer, count - infer)).collect()
        }
        _ => apart(0, count).take(1).collect(),
    })
}
