//! Compares the server's part with start-ups of vLLM in public logs.

use cfg_memory::{
    Bytes, Tokens,
    accuracy::starts::{Start, starts},
    catalogue::named,
    hardware,
    inference::Inference,
    prime_rl::Vllm,
};

fn published() -> Vec<Start> {
    starts(include_str!("../../../tests/memory/starts.csv")).expect("start-ups")
}

/// The mean and the largest of some errors, without their signs.
fn figures(errors: impl Iterator<Item = f64>) -> (usize, f64, f64) {
    let errors: Vec<f64> = errors.map(f64::abs).collect();
    let count = u32::try_from(errors.len()).expect("few");
    (errors.len(), errors.iter().sum::<f64>() / f64::from(count.max(1)), errors.iter().copied().fold(0.0, f64::max))
}

#[test]
fn loaded_weights_are_those_of_logs() {
    let (count, mean, worst) = figures(published().iter().filter_map(Start::weights_error));
    assert!(count >= 20 && mean < 0.013 && worst < 0.08, "{count} {mean} {worst}");
}

#[test]
fn the_memory_that_is_left_holds_as_many_tokens_as_vllm_logs() {
    let starts = published();
    let (count, mean, worst) = figures(starts.iter().filter_map(Start::tokens_error));
    assert!(count >= 30 && mean < 0.001 && worst < 0.015, "{count} {mean} {worst}");
    for start in starts {
        let (Some(sequences), Some(room)) = (start.sequences, start.room) else { continue };
        let budget = start.budget();
        // The memory in the log is rounded to hundredths of a GiB.
        let around = |by: f64| budget.kv.sequences(room + Bytes::gib(by), budget.max_model_len);
        let whole = |count: u64| u32::try_from(count).map_or(f64::INFINITY, f64::from);
        let is_right = whole(around(-0.006)) <= sequences && sequences < whole(around(0.006)) + 1.0;
        assert!(is_right, "{}: {} to {}, not {sequences}", start.model, around(-0.006), around(0.006));
    }
}

#[test]
fn the_cache_is_as_large_as_in_logs() {
    let starts = published();
    // A small rest has a large relative error.
    let is_large = |start: &&Start| start.budget().kv.room.expected > Bytes::gib(10.0);
    let (count, mean, worst) = figures(starts.iter().filter(is_large).filter_map(Start::error));
    assert!(count >= 14 && mean < 0.02 && worst < 0.06, "{count} {mean} {worst}");
    let within: Vec<bool> = starts.iter().filter_map(Start::is_within).collect();
    let right = within.iter().filter(|is| **is).count();
    assert!(right + 1 >= within.len(), "{right} of {}", within.len());
}

#[test]
fn two_steps_in_flight_keep_more_of_a_window() {
    let gemma = named("google/gemma-4-31B-it").expect("known");
    let card = hardware::find("B200", &[]).expect("known");
    let of_log = published().remove(0).inference;
    let needed = |vllm| {
        let server = Inference { vllm, max_num_batched_tokens: Some(Tokens(32_768)), ..of_log.clone() };
        server.budget(gemma.model.architecture, &card).kv.needed(Tokens(262_144)).as_gib()
    };
    // vLLM's issue 49878: what its versions 0.25 and 0.26 ask for.
    assert!((needed(Vllm::new(0, 25)) - 45.79).abs() < 0.02, "{}", needed(Vllm::new(0, 25)));
    assert!((needed(Vllm::new(0, 26)) - 70.79).abs() < 0.02, "{}", needed(Vllm::new(0, 26)));
}
