//! Commands of the LM evaluation harness, `lm_eval ...`, with which the checkpoints of a run are compared.

mod weights;
mod words;

use std::path::Path;

use cfg_compose::Word;
use cfg_diag::{Code, Diagnostic, Location, Severity, codes};
use cfg_rules::models::{self, Model};

use self::words::{Pairs, Words};
use crate::{Checked, Session, finish::finish, hosted};

/// The name of the program.
pub(crate) const NAME: &str = "lm_eval";

/// The number of tokens of an answer if it is not stated: the default of `max_gen_toks`.
const ANSWER: i64 = 256;

/// Up to this length in tokens, the memory of a context is negligible.
const SHORT_CONTEXT: i64 = 8192;

/// Tasks, by the prefix of their names, each with the minimum number of tokens of an example with its solution.
const EXAMPLES: [(&str, i64); 4] = [("gsm8k", 60), ("minerva_math", 60), ("hendrycks_math", 60), ("mbpp", 60)];

/// Tasks in which the model generates its answers, by the prefix of their names.
const GENERATED: [&str; 7] = ["gsm8k", "minerva_math", "hendrycks_math", "mbpp", "humaneval", "ifeval", "bbh"];

/// The findings for such a command; `None` if the command is another one.
pub(crate) fn check(session: &Session, words: &[Word]) -> Option<Checked> {
    let words = Words::read(words)?;
    let mut checked = Checked::unchecked(hosted::settle(session, None, None));
    checked.of_other = Some(NAME);
    Some(finish(checked, findings(session, &words), |_| 0))
}

fn findings(session: &Session, words: &Words<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    if words.asks_for_help {
        return found;
    }
    // A settings file may set what the arguments do not.
    let is_whole = words.settings.is_none();
    match words.model {
        Some(("vllm", _)) => with_vllm(session, words, is_whole, &mut found),
        Some(("hf" | "huggingface" | "hf-auto", at)) => found.push(slow(words, at)),
        None if is_whole => found.push(slow(words, words.program)),
        _ => {}
    }
    if is_whole && words.seed.is_none() {
        let message = "no `--seed`: results depend on the defaults of this `lm_eval`";
        let help = "state the seed, as in `--seed 42`, in each evaluation whose results are compared";
        found.push(Diagnostic::new(&codes::UNSEEDED_LM_EVAL, message).at(words.program).help(help));
    }
    found
}

/// Reports the slow transformers backend.
fn slow(words: &Words<'_>, at: Location) -> Diagnostic {
    let message = "the backend `hf` generates with transformers, 50 to 100 times slower than vLLM";
    let mut found = Diagnostic::new(&codes::LM_EVAL_TROUBLE, message);
    // Many tasks compare the likelihoods of given answers, and generate none.
    if !words.tasks.iter().any(|task| GENERATED.iter().any(|name| task.starts_with(name))) {
        found.severity = Severity::Info;
    }
    found
        .at(at)
        .help("write `--model vllm`, with `tensor_parallel_size`, `gpu_memory_utilization` and `max_model_len` in `--model_args`")
}

fn with_vllm(session: &Session, words: &Words<'_>, is_whole: bool, found: &mut Vec<Diagnostic>) {
    let (model, generation) = (&words.model_args, &words.gen_kwargs);
    let mut add = |code: Code, at: Location, message: String, help: String| {
        found.push(Diagnostic::new(code, message).at(at).help(help));
    };
    if let Some((_, at)) = generation.get("max_tokens") {
        let message = "until `lm_eval` 0.4.9 `max_tokens` is given to vLLM twice: \
                       `SamplingParams() got multiple values for keyword argument 'max_tokens'`";
        add(&codes::LM_EVAL_TROUBLE, at, message.to_owned(), "write `max_gen_toks`, which every version accepts".to_owned());
    }
    if let (Some(_), Some((_, at))) = (model.get("max_model_len"), model.get("max_length")) {
        let message = "`max_length` and `max_model_len` are both set: `lm_eval` refuses that with an `AssertionError`";
        add(&codes::REFUSED_LM_EVAL, at, message.to_owned(), "keep `max_model_len`".to_owned());
    }
    let pretrained = model.get("pretrained");
    let known = pretrained.and_then(|(name, _)| Some((name, model_of(session, name)?)));
    if let (Some((tp, at)), Some((name, known))) = (model.number("tensor_parallel_size"), known)
        && tp > 0
        && known.heads % tp != 0
    {
        let message = format!(
            "`tensor_parallel_size={tp}` does not divide the {} attention heads of {name}: vLLM does not start",
            known.heads
        );
        let most = (1..=tp.min(known.heads)).rev().find(|fewer| known.heads % fewer == 0).unwrap_or(1);
        add(
            &codes::REFUSED_LM_EVAL,
            at,
            message,
            format!("write `tensor_parallel_size={most}`, and use further GPUs with `data_parallel_size`"),
        );
    }
    context(words, known, is_whole, &mut add);
    if let Some((name, at)) = pretrained
        && let Some((missing, there)) = weights::missing(&**session.projects().system(), Path::new(name))
    {
        let message = format!("the index of the weights names `{missing}`, which is not in {name}: vLLM does not load it");
        let help = match there {
            Some(there) => format!("rename `{there}` to `{missing}`, or remove the index"),
            None => "save the checkpoint again, or download the missing file".to_owned(),
        };
        add(&codes::REFUSED_LM_EVAL, at, message, help);
    }
}

/// Reports a context that is unnecessarily long, beyond the model's, or too short for the prompt.
fn context(
    words: &Words<'_>,
    known: Option<(&str, Model)>,
    is_whole: bool,
    add: &mut impl FnMut(Code, Location, String, String),
) {
    let (model, generation) = (&words.model_args, &words.gen_kwargs);
    let length = model.number("max_model_len").or_else(|| model.number("max_length"));
    let Some((length, at)) = length else {
        let is_written = model.get("max_model_len").or_else(|| model.get("max_length")).is_some();
        let is_short = known.is_some_and(|(_, known)| known.context <= SHORT_CONTEXT);
        if is_whole && model.is_known && !is_written && !is_short {
            let whole = known.map_or_else(String::new, |(_, known)| format!(" of {} tokens", known.context));
            let message = format!("no `max_model_len`: vLLM reserves memory for the model's whole context{whole}");
            let help = "write `max_model_len=4096` into `--model_args`, or what prompt and answer need".to_owned();
            add(&codes::LM_EVAL_TROUBLE, model.at.unwrap_or(words.program), message, help);
        }
        return;
    };
    let is_stretched = ["hf_overrides", "rope_scaling"].iter().any(|name| model.get(name).is_some());
    // The settings in a model's folder may extend its context, and so may vLLM's variable.
    let known = known.filter(|(name, _)| models::find(name).is_some() && !is_stretched && !words.is_long_allowed);
    if let Some((name, known)) = known.filter(|(_, known)| length > known.context) {
        let message = format!("`max_model_len` is {length}, but {name} supports {} tokens: vLLM does not start", known.context);
        add(&codes::REFUSED_LM_EVAL, at, message, format!("write at most {}", known.context));
        return;
    }
    if !generation.is_known || !model.is_known {
        return;
    }
    let answer = generation.number("max_gen_toks").or_else(|| model.number("max_gen_toks"));
    let answer = answer.map_or(ANSWER, |(tokens, _)| tokens);
    let prompt = length.saturating_sub(answer);
    if prompt <= 0 {
        let message = format!("an answer may have {answer} tokens, so {length} tokens of context leave none for the prompt");
        add(&codes::LM_EVAL_TROUBLE, at, message, "raise `max_model_len`, or lower `max_gen_toks`".to_owned());
        return;
    }
    let example = words.tasks.iter().filter_map(|task| EXAMPLES.iter().find(|(name, _)| task.starts_with(name)));
    let example = example.map(|(_, tokens)| *tokens).max();
    if let (Some(example), Some(examples)) = (example, words.fewshot)
        && let least = examples.saturating_mul(example)
        && least > prompt
    {
        let message = format!(
            "{examples} examples need at least {least} tokens, but {length} tokens of context minus {answer} for the answer leave {prompt}: prompts are \
             truncated, and lose examples"
        );
        add(
            &codes::LM_EVAL_TROUBLE,
            at,
            message,
            format!("raise `max_model_len` to {} or more", least.saturating_mul(2).saturating_add(answer)),
        );
    }
}

/// The facts about a model: one from the hub, or a folder.
fn model_of(session: &Session, name: &str) -> Option<Model> {
    models::find(name).or_else(|| {
        let local = session.projects().model(name, Path::new("."))?;
        local.config.as_ref().ok().and_then(|config| models::of_architecture(&config.architecture))
    })
}

impl Pairs<'_> {
    /// An integer argument, with its place.
    fn number(&self, key: &str) -> Option<(i64, Location)> {
        let (value, at) = self.get(key)?;
        Some((value.parse().ok()?, at))
    }
}
