//! Turns a choice into the settings of a config: each value with its reason, and the keys of the targets.

use cfg_memory::{between, run::Assessment};
use cfg_plan::last_part;
use cfg_schema::Kind;
use toml_edit::Value;

use crate::{
    Goal, Method,
    choice::Choice,
    images,
    inputs::{Inputs, Need, Spelling},
};

/// The rank of adapters.
const RANK: i64 = 16;

/// A value, its key and its reason.
pub(crate) struct Setting {
    /// The dotted key in the config, with `[]` after the name of an array of tables.
    pub(crate) path: String,
    pub(crate) value: Value,
    pub(crate) why: Option<String>,
}

/// The settings of a config, as they are collected.
pub(crate) struct Settings<'a> {
    pub(crate) inputs: &'a Inputs<'a>,
    all: Vec<Setting>,
}

impl Settings<'_> {
    /// Adds the first spelling that the target has; the reason is written at its first key.
    pub(crate) fn add(&mut self, spellings: Vec<Spelling<'_>>, why: impl Into<String>) {
        let why = why.into();
        let mut why = (!why.is_empty()).then_some(why);
        for (path, value) in self.inputs.spelled(spellings) {
            self.all.push(Setting { path, value, why: why.take() });
        }
    }

    /// Adds a value that has the same key at all targets.
    pub(crate) fn set(&mut self, path: &str, value: impl Into<Value>, why: impl Into<String>) {
        self.add(vec![vec![(path, value.into())]], why);
    }
}

/// The settings of a choice. With an assessment, the reasons have its numbers.
pub(crate) fn settings(inputs: &Inputs<'_>, choice: &Choice, assessment: Option<&Assessment>) -> Vec<Setting> {
    let mut settings = Settings { inputs, all: Vec::new() };
    run_settings(&mut settings, choice, assessment);
    train(&mut settings, choice, assessment);
    roll_out(&mut settings, choice);
    render(&mut settings);
    add_inference_settings(&mut settings, choice, assessment);
    settings.all
}

/// The settings of the whole run.
fn run_settings(settings: &mut Settings<'_>, choice: &Choice, assessment: Option<&Assessment>) {
    let wish = settings.inputs.wish;
    let length = integer(choice.seq_len);
    if wish.kind != Kind::Inference {
        let steps = if wish.goal == Goal::Fast { 100 } else { 200 };
        settings.set("max_steps", steps, "enough to see whether it learns; then raise it");
    }
    if wish.kind != Kind::Inference && wish.kind != Kind::Sft {
        let longest = settings.inputs.shape.architecture.context.0;
        settings.add(
            vec![
                vec![("seq_len", length.into())],
                vec![("trainer.model.seq_len", length.into()), ("orchestrator.seq_len", length.into())],
            ],
            format!("tokens per rollout: prompt, answers and tool output; the model supports {longest}"),
        );
    }
    settings.add(
        vec![
            vec![("model.name", wish.model.into())],
            vec![("orchestrator.student.model.name", wish.model.into())],
            vec![("inference.vllm.model", wish.model.into())],
        ],
        shape_in_words(settings.inputs),
    );
    if wish.images {
        images::parts(settings);
    }
    gpus(settings, choice);
    // A run resumes only if both its trainer and its orchestrator have saved.
    if wish.trains() || wish.kind == Kind::Orchestrator {
        let disk = assessment.and_then(|assessment| assessment.disk.as_ref());
        let why =
            disk.map_or_else(String::new, |disk| format!("a third exists while it is written: up to {} of disk", disk.peak));
        let interval = if wish.goal == Goal::Fast { 25 } else { 50 };
        settings.set("ckpt.interval", interval, "steps between checkpoints; without this table nothing is saved");
        settings.set("ckpt.keep_last", 2, why);
    }
}

/// The distribution of the GPUs, if the config contains it.
fn gpus(settings: &mut Settings<'_>, choice: &Choice) {
    let layout = choice.layout;
    let (train, infer) = (layout.train, layout.infer);
    match settings.inputs.wish.kind {
        Kind::Rl => {
            let first = if layout.is_shared { 0 } else { infer };
            let ids = |from: u32, count: u32| Value::from((from..from + count).map(i64::from).collect::<toml_edit::Array>());
            let why = match (layout.is_shared, infer, train) {
                (true, ..) => "vLLM and the trainer share the GPU".to_owned(),
                (false, 1, 1) => "vLLM has the first GPU, the trainer the second".to_owned(),
                (false, 1, _) => format!("vLLM has the first GPU, the trainer the other {train}"),
                (false, _, 1) => format!("vLLM has the first {infer} GPUs, the trainer the last"),
                (false, ..) => format!("vLLM has the first {infer} GPUs, the trainer the other {train}"),
            };
            settings.add(
                vec![
                    vec![("inference_gpu_ids", ids(0, infer)), ("trainer_gpu_ids", ids(first, train))],
                    vec![("deployment.num_infer_gpus", count(infer)), ("deployment.num_train_gpus", count(train))],
                ],
                why,
            );
        }
        Kind::Sft => {
            settings
                .add(vec![vec![("deployment.num_train_gpus", count(train))], vec![("deployment.num_gpus", count(train))]], "");
        }
        _ => {}
    }
}

/// The trainer.
fn train(settings: &mut Settings<'_>, choice: &Choice, assessment: Option<&Assessment>) {
    let wish = settings.inputs.wish;
    if !wish.trains() {
        return;
    }
    let is_lora = choice.method == Method::Lora;
    let length = integer(choice.seq_len);
    if wish.kind == Kind::Sft {
        settings.set("data.name", wish.source.unwrap_or_default(), "");
        settings.set("data.seq_len", length, "longer examples are truncated");
        settings.set("data.batch_size", 32, format!("packed sequences: {} tokens per step", 32 * choice.seq_len));
        settings.set("trainer.model.seq_len", length, "at least that of the data");
    }
    let (lr, why) = match (wish.kind, is_lora) {
        (Kind::Sft, true) => ("1e-4", "ten times the rate of full fine-tuning, as usual for adapters"),
        (Kind::Sft, false) => ("1e-5", "usual for full fine-tuning"),
        (_, true) => ("1e-5", "ten times the rate of full fine-tuning, as usual for adapters; 5e-5 if the reward hardly moves"),
        (_, false) => ("1e-6", "usual for full fine-tuning with RL"),
    };
    settings.set("trainer.optim.lr", written(lr), why);
    if choice.recomputes {
        settings.set("trainer.model.ac.freq", 1, "recompute every layer's activations: a third slower, a fraction of the memory");
    }
    images::precision(settings);
    if settings.inputs.has_need(Need::CommonKernel) {
        let why = "the newer kernels of this card need a class of prime-rl's own, which it does not have for this model";
        settings.set("trainer.model.attn", "flash_attention_2", why);
    }
    if wish.kind != Kind::Sft {
        let why = "compute logits in chunks: at once, they would need more memory than all activations";
        settings.add(
            vec![
                vec![("trainer.model.fused_lm_head_token_chunk_size", "auto".into())],
                vec![("trainer.model.fused_lm_head_chunk_size", 2048.into())],
            ],
            why,
        );
    }
    if is_lora {
        let peak = assessment.and_then(|assessment| assessment.peak.as_ref());
        let why = match (wish.method, wish.goal, peak) {
            (Some(_), ..) => "as requested".to_owned(),
            (None, Goal::Cheap, _) => "small checkpoints, and no optimizer state for the full model".to_owned(),
            (None, _, Some(peak)) => {
                format!("the trainer's peak is {}; full fine-tuning does not fit", between(peak.low, peak.high))
            }
            (None, _, None) => String::new(),
        };
        settings.add(lora(), why);
    }
}

/// The orchestrator.
fn roll_out(settings: &mut Settings<'_>, choice: &Choice) {
    let wish = settings.inputs.wish;
    if !wish.rolls_out() {
        return;
    }
    let (batch, group) = if matches!(wish.goal, Goal::Fast | Goal::Cheap) { (64, 8) } else { (128, 8) };
    settings.set(
        "orchestrator.batch_size",
        batch,
        format!(
            "rollouts per step: {} problems, {group} attempts \
        each",
            batch / group
        ),
    );
    settings.add(
        vec![vec![("orchestrator.group_size", group.into())], vec![("orchestrator.rollouts_per_example", group.into())]],
        "",
    );
    settings.set("orchestrator.oversampling_factor", 2.0, "spares for dropped groups");
    if choice.method == Method::Lora && wish.kind == Kind::Orchestrator {
        let name = "adapter";
        settings.add(
            vec![
                vec![("orchestrator.student.model.lora.name", name.into())],
                vec![("orchestrator.model.lora.name", name.into())],
                vec![("orchestrator.lora_name", name.into())],
            ],
            "the adapter's name on the inference server",
        );
    }
    let (answer, why) = answer_of(choice.seq_len);
    let answer = integer(answer);
    settings.add(
        vec![
            vec![("orchestrator.train.sampling.max_completion_tokens", answer.into())],
            vec![("orchestrator.sampling.max_tokens", answer.into())],
        ],
        why,
    );
    settings.add(
        vec![
            vec![
                ("orchestrator.pre_batch_filters[].type", "zero_advantage".into()),
                ("orchestrator.pre_batch_filters[].enforce", true.into()),
            ],
            vec![("orchestrator.buffer.online_difficulty_filtering", true.into())],
        ],
        "a group of equal rewards teaches nothing",
    );
    let source = wish.source.unwrap_or_default();
    settings.add(environment(source, wish.images), "");
}

/// Tokens of one answer in a sequence, and why: half of it, or what the prompt leaves of a short one. They never fall as the sequence grows.
fn answer_of(seq_len: u64) -> (u64, &'static str) {
    /// Tokens that prompts usually need.
    const PROMPT: u64 = 1536;
    /// Tokens in which most tasks can be answered.
    const LEAST: u64 = 256;
    let (rest, half) = (seq_len.saturating_sub(PROMPT).max(LEAST), seq_len / 2);
    if rest < half {
        return (rest, "for one answer; prompts and tool output of a short sequence need the larger part");
    }
    (half, "for one answer; the other half of the sequence is left for the prompt and tool output")
}

/// Tokens of a sequence that are left for the prompt.
pub(crate) fn prompt_of(seq_len: u64) -> u64 {
    seq_len - answer_of(seq_len).0
}

/// The spellings of a training environment. An id of the hub gets a name without a slash where the launcher makes a file of the name.
/// One with images is no classic environment where there are others: its images reach the trainer only as a taskset.
pub(crate) fn environment(id: &str, has_images: bool) -> Vec<Spelling<'static>> {
    let mut launched = ["orchestrator.train.source[].legacy.id", "orchestrator.train.source[].env.taskset.id"];
    if has_images {
        launched.reverse();
    }
    let keys = [launched.as_slice(), &["orchestrator.train.env[].id", "orchestrator.env[].id", "orchestrator.environment.id"]];
    let mut spellings: Vec<Spelling<'static>> = keys.concat().into_iter().map(|key| vec![(key, id.into())]).collect();
    if let Some(name) = name_of(id) {
        for spelling in &mut spellings[..launched.len()] {
            spelling.insert(0, ("orchestrator.train.source[].name", name.into()));
        }
    }
    spellings
}

/// The name of an environment of the hub: the last part of its id, without version. `None` for an id that is a name itself.
pub(crate) fn name_of(id: &str) -> Option<&str> {
    id.contains('/').then(|| last_part(id)).filter(|name| !name.is_empty())
}

/// The spellings of adapters.
pub(crate) fn lora() -> Vec<Spelling<'static>> {
    let spelling = |rank, alpha| vec![(rank, RANK.into()), (alpha, (2 * RANK).into())];
    vec![
        spelling("trainer.model.lora.rank", "trainer.model.lora.alpha"),
        spelling("trainer.model.experimental.lora.rank", "trainer.model.experimental.lora.alpha"),
    ]
}

/// How conversations are turned into tokens.
fn render(settings: &mut Settings<'_>) {
    if settings.inputs.has_need(Need::Template) {
        settings.add(
            vec![vec![("orchestrator.renderer.name", "default".into())], vec![("renderer.name", "default".into())]],
            "prime-rl has no renderer for this model: use its chat template",
        );
    }
}

/// The inference server.
fn add_inference_settings(settings: &mut Settings<'_>, choice: &Choice, assessment: Option<&Assessment>) {
    let wish = settings.inputs.wish;
    if !wish.serves() {
        return;
    }
    let layout = choice.layout;
    let cache = assessment.and_then(|assessment| assessment.budget.as_ref()).map(|budget| {
        let least = budget.kv.least().0;
        format!("; its KV cache holds at least {least} tokens: {} rollouts of full length", least / choice.seq_len.max(1))
    });
    let cache = cache.unwrap_or_default();
    let why = if layout.is_shared { "the trainer needs the rest" } else { "vLLM has the GPU to itself" };
    let utilization = Value::from(layout.utilization);
    // vLLM's own names come first: a target that accepts them passes them on.
    settings.add(
        vec![
            vec![("inference.vllm.gpu_memory_utilization", utilization.clone())],
            vec![("inference.gpu_memory_utilization", utilization)],
        ],
        format!("{why}{cache}"),
    );
    let length = integer(choice.seq_len);
    settings.add(
        vec![vec![("inference.vllm.max_model_len", length.into())], vec![("inference.model.max_model_len", length.into())]],
        "no rollout is longer than seq_len",
    );
    if layout.is_shared {
        settings.add(
            vec![vec![("inference.vllm.enforce_eager", true.into())], vec![("inference.model.enforce_eager", true.into())]],
            "no CUDA graphs: the trainer needs the memory",
        );
    }
    if layout.infer > 1 {
        let (copies, degree) = (layout.infer / layout.tensor_parallel, layout.tensor_parallel);
        let why = match (copies, degree) {
            (1, _) => format!("one copy of the model on {degree} GPUs"),
            (_, 1) => format!("{copies} copies of the model, one per GPU"),
            _ => format!("{copies} copies of the model, each on {degree} GPUs"),
        };
        let (copies, degree) = (count(copies), count(degree));
        settings.add(
            vec![
                vec![
                    ("inference.vllm.data_parallel_size", copies.clone()),
                    ("inference.vllm.tensor_parallel_size", degree.clone()),
                ],
                vec![("inference.parallel.dp", copies), ("inference.parallel.tp", degree)],
            ],
            why,
        );
    }
    if choice.method == Method::Lora && wish.kind == Kind::Inference {
        let rank = settings.inputs.rank_beside().unwrap_or(RANK);
        settings.add(
            vec![
                vec![("inference.vllm.enable_lora", true.into()), ("inference.vllm.max_lora_rank", rank.into())],
                vec![("inference.enable_lora", true.into()), ("inference.max_lora_rank", rank.into())],
            ],
            "it loads the trainer's adapters while serving; the rank is at least theirs",
        );
    }
}

/// The conditions that can't be checked here, and the decisions left to the user.
pub(crate) fn unknown(inputs: &Inputs<'_>, choice: &Choice) -> Vec<String> {
    let wish = inputs.wish;
    let mut unknown = Vec::new();
    let prompt = format!(
        "prompts are assumed to have at most {} tokens, fewer than many environments send: correct `input_tokens` in the metadata",
        prompt_of(choice.seq_len)
    );
    if wish.rolls_out() {
        unknown.push(if inputs.states_prompt {
            &prompt
        } else {
            "the length of prompts and tool output is unknown: set `input_tokens` in the metadata so that `cfg check` \
            uses it"
        });
        unknown.push(
            "cfg can't know whether the model solves some problems but not all; it learns nothing if every reward is 0, or every \
             reward is 1",
        );
        unknown.push(
            "environment arguments are left at their defaults: `cfg env ID` lists them if the package is \
            installed",
        );
    }
    if wish.kind == Kind::Sft {
        unknown.push("it is unknown whether the data has the columns that sft reads (`messages`, or `prompt` and `completion`)");
    }
    if wish.trains() {
        unknown.push("nothing is logged to W&B: that needs a `[wandb]` table with `project` and `name`");
        unknown.push("host memory and free disk are unknown: `cfg run preflight` checks the machine");
    }
    unknown.into_iter().map(str::to_owned).collect()
}

fn shape_in_words(inputs: &Inputs<'_>) -> String {
    let architecture = &inputs.shape.architecture;
    let billions = architecture.parameters() / 1e9;
    let kind = if architecture.moe.is_some() { "mixture of experts" } else { "dense" };
    format!("{billions:.1}B parameters, {kind}")
}

/// A value with its spelling: `1e-5`, which would otherwise be printed as 0.00001.
fn written(text: &str) -> Value {
    text.parse().unwrap_or_else(|_| Value::from(text))
}

fn count(count: u32) -> Value {
    i64::from(count).into()
}

fn integer(tokens: u64) -> i64 {
    i64::try_from(tokens).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::answer_of;

    #[test]
    fn a_longer_sequence_has_no_shorter_answer_nor_prompt() {
        let of = |seq_len: u64| {
            let (answer, _) = answer_of(seq_len);
            (answer, seq_len - answer)
        };
        let mut last = of(1);
        for seq_len in 2..=8192 {
            let now = of(seq_len);
            assert!(now.0 >= last.0 && now.1 >= last.1 && now.0 <= now.1, "{seq_len}: {last:?}, then {now:?}");
            last = now;
        }
        assert_eq!([256, 512, 1536, 1792, 2048, 3072, 8192].map(|seq_len| of(seq_len).0), [128, 256, 256, 256, 512, 1536, 4096]);
    }
}
