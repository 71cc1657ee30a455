//! What `cfg new` chooses beside prime-rl's own examples, for the model, the cards and the length of each. docs/new.md has the table (`UPDATE=1` writes
//! it), with a reason for each difference.

use std::fmt::Write as _;

use cfg_check::{Project, Session};
use cfg_draft::{Draft, Goal, Method, Surroundings, Wish, draft};
use cfg_memory::hardware;
use cfg_schema::{Kind, Target};
use cfg_tests::compare_part;

/// An example of prime-rl, as of the last known commit of its main line.
struct Example {
    name: &'static str,
    model: &'static str,
    /// The GPUs that it names, on cards of 80 GB.
    gpus: u32,
    seq_len: u64,
    method: Method,
    /// GPUs of the trainer and of inference.
    split: (u32, u32),
    /// Why `cfg new` chooses another distribution; empty if it chooses this one.
    why: &'static str,
}

const fn example(
    name: &'static str,
    model: &'static str,
    (gpus, seq_len, method): (u32, u64, Method),
    split: (u32, u32),
    why: &'static str,
) -> Example {
    Example { name, model, gpus, seq_len, method, split, why }
}

/// Those that run on one machine.
const EXAMPLES: [Example; 5] = [
    example("alphabet-sort", "Qwen/Qwen3-4B-Instruct-2507", (2, 2048, Method::Lora), (1, 1), ""),
    example("hendrycks-sanity", "deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B", (8, 8192, Method::Full), (4, 4), ""),
    example("reverse-text", "PrimeIntellect/Qwen3-0.6B-Reverse-Text-SFT", (2, 2048, Method::Full), (1, 1), ""),
    example(
        "wiki-search",
        "Qwen/Qwen3-4B-Instruct-2507",
        (8, 4096, Method::Lora),
        (2, 6),
        "its rollouts search in several turns, with 512 of them for a step; an estimate counts no time for tools, and 128",
    ),
    example("wordle", "PrimeIntellect/Qwen3-1.7B-Wordle-SFT", (8, 8192, Method::Full), (2, 6), ""),
];

fn drafted(session: &Session, example: &Example) -> Draft {
    let target = Target::parse(session.history, "0.8.0").expect("it is known");
    let project = Project::default();
    let around = Surroundings { session, project: &project, path: "new.toml", target: &target, stated: Some("0.8.0") };
    let wish = Wish {
        kind: Kind::Rl,
        model: example.model,
        hardware: hardware::parse(&format!("{}x H100", example.gpus), &[]).expect("a machine"),
        source: Some(example.name),
        images: false,
        goal: Goal::Balanced,
        method: Some(example.method),
        seq_len: Some(example.seq_len),
    };
    draft(around, &wish).unwrap_or_else(|refusal| panic!("{}: {refusal}", example.name))
}

/// GPUs of the trainer and of inference.
fn split(draft: &Draft) -> (u32, u32) {
    match draft.considered.first() {
        Some(chosen) => (chosen.train, chosen.infer),
        None => (1, 1),
    }
}

#[test]
fn new_chooses_as_prime_rl_does_or_there_is_a_reason() {
    let session = Session::default();
    let mut table =
        "| example | model | machine | sequence | method | prime-rl, trainer + inference | `cfg new` | why they differ |\n\
                     |---|---|---|---:|---|---:|---:|---|\n"
            .to_owned();
    for example in &EXAMPLES {
        let (own, chosen) = (example.split, split(&drafted(&session, example)));
        assert_eq!(own == chosen, example.why.is_empty(), "{}: {own:?}, {chosen:?}", example.name);
        let method = if example.method == Method::Lora { "LoRA" } else { "full" };
        let Example { name, model, gpus, seq_len, why, .. } = example;
        let _ = writeln!(
            table,
            "| {name} | {model} | {gpus}x H100 | {seq_len} | {method} | {} + {} | {} + {} | {why} |",
            own.0, own.1, chosen.0, chosen.1
        );
    }
    compare_part("docs/new.md", "own examples", &table, "cargo test -p cfg-tests --test pipeline own_examples");
}
