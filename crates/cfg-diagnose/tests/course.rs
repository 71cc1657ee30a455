//! What no single line shows: a run that hangs, learns nothing, or diverges.

use std::fmt::Write as _;

use cfg_diagnose::{Log, Matcher, RunContext, conclude};
use cfg_schema::{History, Target};

/// The names of the findings in logs of one run.
fn found(logs: &[&str], target: Option<&str>) -> Vec<String> {
    let matcher = Matcher::new();
    let seen = logs.iter().map(|text| {
        let mut log = Log::new(&matcher);
        log.feed(text.as_bytes());
        log.finish()
    });
    let seen: Vec<_> = seen.collect();
    let point = target.map(|target| Target::parse(History::built_in(), target).expect("a target").point);
    conclude(&seen, &RunContext { point, ..RunContext::default() })
        .iter()
        .map(|finding| finding.symptom.name.to_string())
        .collect()
}

fn trainer_steps(range: std::ops::Range<u32>, rest: &str) -> String {
    range.fold(String::new(), |mut log, step| {
        let _ = writeln!(log, "12:00:00 SUCCESS Step {step} | Time: 200.10s | {rest}");
        log
    })
}

fn rewards(steps: u32, reward: impl Fn(u32) -> f64) -> String {
    (0..steps).fold(String::new(), |mut log, step| {
        let _ =
            writeln!(log, "12:00:00 SUCCESS Step {step} | Time: 220.10s | Reward: {:.4} | Throughput: 5 tokens/s", reward(step));
        log
    })
}

const BARRIER: &str = "12:00:00    INFO Hit async barrier because we are >1 step(s) async. Waiting for checkpoint 16\n";
const TRAINER: &str = "11:50:00    INFO Starting training loop (max_steps=1000)\n";
const LOSS: &str = "Loss: 0.1 | Entropy: 0.1 | Mismatch KL: 0.001 | Grad. Norm: 0.3";

#[test]
fn a_progress_bar_at_zero_is_stalled() {
    let bar = "Generating rollouts (train):   0%|          | 0/8 [00:00<?, ?it/s]";
    assert_eq!(found(&[bar], None), ["rollouts-at-zero"]);
    // A batch that has just begun, however often it is shown, and one that continued.
    assert_eq!(found(&[&format!("{}{bar}\r{bar}\r{bar}", rewards(5, f64::from))], None), [""; 0]);
    assert_eq!(found(&[&format!("{}{bar}", rewards(5, f64::from))], None), [""; 0]);
    let later = bar.replace("0/8 [00:00<", "2/8 [05:00<");
    assert_eq!(found(&[&format!("{bar}\r{bar}\r{bar}\r{later}\n")], None), [""; 0]);
    let long = bar.replace("[00:00<", "[1:05:12<");
    assert_eq!(found(&[&format!("{}{long}", rewards(5, f64::from))], None), ["rollouts-at-zero"]);
    assert_eq!(found(&[&format!("0/8 rollouts\n{}", "waiting\n".repeat(3000))], None), ["rollouts-at-zero"]);
}

#[test]
fn the_process_that_others_wait_for_is_the_cause() {
    // Only the orchestrator's log.
    assert_eq!(found(&[BARRIER], None), ["async-barrier"]);
    assert_eq!(found(&["Hit async barrier waiting for checkpoint 16"], None), ["async-barrier"]);
    // The trainer never finished a step.
    assert_eq!(found(&[BARRIER, TRAINER], None), ["stale-folders"]);
    // It resumed, and finished a step.
    let resumed = "11:50:00    INFO Resuming training from checkpoint step 10\n";
    let one = format!("{resumed}{TRAINER}{}", trainer_steps(10..11, LOSS));
    assert_eq!(found(&[BARRIER, &one], Some("d564195ca")), ["step-desync"]);
    assert_eq!(found(&[BARRIER, &one], Some("0.4.0")), ["step-desync"]);
    assert_eq!(found(&[BARRIER, &one], None), ["step-desync"]);
    // Earlier and later versions don't have this fault.
    assert_eq!(found(&[BARRIER, &one], Some("2025-12-14")), ["async-barrier"]);
    assert_eq!(found(&[BARRIER, &one], Some("2025-12-16")), ["step-desync"]);
    assert_eq!(found(&[BARRIER, &one], Some("2026-02-10")), ["async-barrier"]);
    assert_eq!(found(&[BARRIER, &one], Some("0.5.0")), ["async-barrier"]);
    // It continued.
    let many = format!("{resumed}{TRAINER}{}", trainer_steps(10..15, LOSS));
    assert_eq!(found(&[BARRIER, &many], Some("0.4.0")), [""; 0]);
    // Until the trainer stands still for far longer than its steps take.
    assert_eq!(found(&[&format!("{BARRIER}13:40:00    INFO x\n"), &many], Some("0.4.0")), ["async-barrier"]);
    let resolved = format!("{BARRIER}{}", rewards(30, f64::from));
    assert_eq!(found(&[&resolved], None), [""; 0]);
}

#[test]
fn a_trainer_without_steps_is_stalled_after_a_while() {
    assert_eq!(found(&[TRAINER], None), [""; 0]);
    assert_eq!(found(&[&format!("{TRAINER}11:55:00 x\n")], None), [""; 0]);
    assert_eq!(found(&[&format!("{TRAINER}13:05:00 x\n")], None), ["stale-folders"]);
    // The orchestrator is ahead of the trainer at every start.
    assert_eq!(found(&[TRAINER, &rewards(3, f64::from)], None), [""; 0]);
    assert_eq!(found(&[TRAINER, &format!("{}13:05:00 x\n", rewards(3, f64::from))], None), ["stale-folders"]);
    assert_eq!(found(&[&format!("{TRAINER}{}", trainer_steps(0..2, LOSS)), &rewards(3, f64::from)], None), [""; 0]);
}

#[test]
fn a_reward_that_collapses_is_reported_as_long_as_it_is_low() {
    let until = |end: u32, low: f64| rewards(end, |step| if (30..90).contains(&step) { low } else { 0.6 });
    assert_eq!(found(&[&until(80, 0.05)], None), ["reward-collapsed"]);
    // It may be an accident, or harder tasks; and it recovered.
    assert_eq!(found(&[&until(40, 0.05)], None), [""; 0]);
    assert_eq!(found(&[&until(80, 0.3)], None), [""; 0]);
    assert_eq!(found(&[&until(120, 0.05)], None), [""; 0]);
    // Penalties have no share.
    assert_eq!(found(&[&rewards(80, |step| if step < 30 { -1.0 } else { -1.3 })], None), [""; 0]);
    // Small rewards go up and down.
    assert_eq!(found(&[&rewards(80, |step| if step < 30 { 0.08 } else { 0.01 })], None), [""; 0]);
}

#[test]
fn rewards_without_a_training_signal() {
    assert_eq!(found(&[&rewards(30, |_| 0.0)], None), ["reward-zero"]);
    assert_eq!(found(&[&rewards(5, |_| 0.0)], None), [""; 0]);
    let wavy = |step: u32| 0.4 + f64::from(step % 7) / 100.0;
    assert_eq!(found(&[&rewards(500, wavy)], None), ["reward-flat"]);
    assert_eq!(found(&[&rewards(500, |step| wavy(step) + f64::from(step) / 1000.0)], None), [""; 0]);
    assert_eq!(found(&[&rewards(200, wavy)], None), [""; 0]);
}

#[test]
fn measures_out_of_bounds() {
    let steps = |rest: &str| trainer_steps(0..12, rest);
    assert_eq!(
        found(&[&steps("Loss: 0.1 | Entropy: 0.0100 | Mismatch KL: 0.01 | Grad. Norm: 0.3")], None),
        ["entropy-collapsed"]
    );
    assert_eq!(found(&[&steps("Loss: 0.1 | Entropy: 0.1 | Mismatch KL: 0.9 | Grad. Norm: 0.3")], None), ["kl-explosion"]);
    assert_eq!(found(&[&steps("Loss 0.1 | Entropy 0.1 | Mismatch KL 0.01 | Grad. Norm 9.5")], None), ["gradient-explosion"]);
    assert_eq!(found(&[&trainer_steps(0..5, "Loss: 0.1 | Entropy: 0.0100")], None), [""; 0]);
    assert_eq!(found(&[&steps("Loss: NaN | Entropy: 0.1")], None), ["loss-nan"]);
}

#[test]
fn a_curriculum_that_does_not_advance() {
    let line = |step: u32, easy: f64| format!("INFO curriculum at step {step}: weights {{'primer': 0.8, 'easy': {easy}}}\n");
    let same: String = (0..100).map(|step| line(step, 0.2)).collect();
    assert_eq!(found(&[&same], None), ["curriculum-stands-still"]);
    let moving: String = (0..100).map(|step| line(step, if step < 60 { 0.2 } else { 0.6 })).collect();
    assert_eq!(found(&[&moving], None), [""; 0]);
}

#[test]
fn weak_symptoms_are_reported_only_alone() {
    let alone = "torch.distributed: Signal 15 (SIGTERM) received by PID 42\n";
    assert_eq!(found(&[alone], None), ["ended-by-signal"]);
    assert_eq!(found(&[&format!("CUDA out of memory\n{alone}")], None), ["cuda-out-of-memory"]);
}

/// While an evaluation runs, nothing else may be completed; the next one may take longer than the last.
#[test]
fn a_batch_waits_for_an_evaluation() {
    let log = |minutes: u32| {
        let mut log = "09:00:00    INFO Starting orchestrator (algorithm: grpo)\n\
            09:59:00 SUCCESS Evaluated gsm8k (Step 0) | Policy v0 | 59m 0s | Reward 0.9100 | Turns 1.0\n\
            10:00:00 SUCCESS Step 1 |   1m 0s | Reward 0.3100 | Trainable 48/64 (75.0%)\n\
            10:01:00 SUCCESS Step 2 |   1m 0s | Reward 0.3200 | Trainable 48/64 (75.0%)\n"
            .to_owned();
        for minute in 62..62 + minutes {
            let _ = writeln!(
                log,
                "{:02}:{:02}:00    INFO Train batch 8/64 (12.5%); 9 inflight episodes (train=0, eval=9)",
                9 + minute / 60,
                minute % 60
            );
        }
        log
    };
    assert_eq!(found(&[&log(100)], None), [""; 0]);
    assert_eq!(found(&[&log(130)], None), ["rollouts-stalled"]);
}

/// The trainer is done, and the orchestrator has not taken its weights yet.
#[test]
fn weights_that_were_made_are_on_their_way() {
    let trainer = "09:00:00    INFO Starting training loop (max_steps=4)\n09:10:00 SUCCESS Step 4 | 1m 2s | Loss 0.0010 | Entropy 0.3801\n\
        09:10:01 SUCCESS RL trainer finished!\n";
    let orchestrator = |step| {
        format!(
            "09:00:00    INFO Starting orchestrator (algorithm: grpo)\n09:10:02    INFO Holding batch 5 until the trainer publishes policy v{step} (currently v3)\n"
        )
    };
    assert_eq!(found(&[trainer, &orchestrator(4)], None), [""; 0]);
    assert_eq!(found(&[trainer, &orchestrator(5)], None), ["hangs-at-end"]);
}

/// A loss that is not a number is no step that the run has left behind, in the format of any version.
#[test]
fn a_loss_that_is_not_a_number_is_told() {
    for step in [
        "09:30:00 SUCCESS Step 7 | Time: 12.00s | Loss: nan | Entropy: nan | Grad. Norm: nan | LR: 3.00e-06",
        "09:30:00 SUCCESS Step 7 | 12.00s | Loss nan | Entropy nan | Mismatch KL nan | Grad. Norm nan | LR 3.00e-06",
        "09:30:00 SUCCESS Step 7 | 12.00s | Loss 0.0010 | Entropy 0.5000 | Mismatch KL 0.0010 | Grad. Norm nan | LR 3.00e-06",
        "{\"timestamp\": \"2026-11-20T09:30:00Z\", \"level\": \"SUCCESS\", \"message\": \"Step 7 | 12.00s | Loss nan | Entropy nan | Grad. Norm nan\"}",
    ] {
        let log = format!("09:00:00    INFO Starting training loop (max_steps=20)\n{step}\n");
        assert_eq!(found(&[&log], None), ["loss-nan"], "{step}");
    }
}
