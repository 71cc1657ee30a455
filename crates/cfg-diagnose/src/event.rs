//! The texts by which lines about the course of a run are found.

/// A line about the course of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// A process begins.
    Begins,
    /// The trainer begins its loop.
    LoopBegins,
    /// A component resumes from a checkpoint.
    Resumes,
    /// The orchestrator waits for new weights.
    Waits,
    /// The orchestrator has received the weights.
    GoesOn,
    /// A line about rollouts, perhaps a progress bar.
    Rollouts,
    /// A rollout failed.
    RolloutFails,
    /// A batch without anything to train on.
    EmptyBatch,
    /// The orchestrator finished a step.
    Reward,
    /// The trainer finished a step.
    Loss,
    /// An evaluation begins.
    Evaluates,
    /// An evaluation is finished.
    Evaluated,
    /// A validation is finished.
    Validated,
    /// A process is done.
    Finished,
    /// A process ended with a code.
    Exits,
    /// A server is being stopped.
    ShutsDown,
    /// The launcher was interrupted by its user.
    Interrupted,
    /// The orchestrator's loop was left by an exception or a signal.
    Stops,
    /// The orchestrator ends although the trainer has not sent its last weights.
    GivesUp,
    /// An inference server reports how fast it generates.
    Serves,
    /// The share of a step's time that rollouts took.
    Share,
    /// The weights of a curriculum.
    Weights,
    /// The first line of a traceback.
    Traceback,
    /// Perhaps the last words of a process.
    Fatal,
}

/// The texts by which events are found, in lower case. A text of fewer than eight bytes would slow down the search.
pub(crate) const TEXTS: [(&str, Event); 75] = [
    ("starting rl run", Event::Begins),
    ("starting rl trainer", Event::Begins),
    ("starting sft trainer", Event::Begins),
    ("starting orchestrator", Event::Begins),
    ("starting evals (", Event::Begins),
    ("starting evals for ", Event::Begins),
    ("starting training loop", Event::LoopBegins),
    ("resuming training from checkpoint step", Event::Resumes),
    ("resuming orchestrator from checkpoint step", Event::Resumes),
    ("resuming from step", Event::Resumes),
    ("hit async barrier", Event::Waits),
    ("orchestrator paused: waiting for trainer", Event::Waits),
    ("pausing dispatcher to prevent", Event::Waits),
    ("until the trainer publishes policy", Event::Waits),
    ("until inference applies policy", Event::Waits),
    ("waiting for the trainer's final broadcast", Event::Waits),
    ("waiting for inference to apply policy", Event::Waits),
    ("got new policy with step", Event::GoesOn),
    ("updated weights to step", Event::GoesOn),
    ("updated inference weights to policy", Event::GoesOn),
    ("updating policy in-flight", Event::GoesOn),
    ("waited for checkpoint", Event::GoesOn),
    ("orchestrator resumed: checkpoint", Event::GoesOn),
    ("resuming dispatcher", Event::GoesOn),
    ("rollouts", Event::Rollouts),
    ("train batch ", Event::Rollouts),
    ("rollout failed", Event::RolloutFails),
    ("rollout task failed in group", Event::RolloutFails),
    ("rollout error in group", Event::RolloutFails),
    ("rollout lost due to", Event::RolloutFails),
    ("episode task failed in group", Event::RolloutFails),
    ("trace failed in group", Event::RolloutFails),
    ("environment request failed in group", Event::RolloutFails),
    ("empty trajectory in group", Event::RolloutFails),
    ("empty train batch", Event::EmptyBatch),
    ("produced 0 training samples", Event::EmptyBatch),
    ("filters dropped all ", Event::EmptyBatch),
    ("filtered out all ", Event::EmptyBatch),
    ("no admitted train payload", Event::EmptyBatch),
    ("| reward", Event::Reward),
    ("| loss: ", Event::Loss),
    ("| loss 0", Event::Loss),
    ("| loss -", Event::Loss),
    // A loss that is not a number: the step counts before the symptom in its line.
    ("| loss n", Event::Loss),
    ("| loss i", Event::Loss),
    ("| entropy", Event::Loss),
    ("| grad. norm", Event::Loss),
    ("| peak mem", Event::Loss),
    ("running evals for ", Event::Evaluates),
    ("evaluated ", Event::Evaluated),
    ("all rollouts failed for ", Event::Evaluated),
    ("eval @ step=", Event::Evaluated),
    ("validation | step", Event::Validated),
    ("trainer finished", Event::Finished),
    ("orchestrator finished", Event::Finished),
    ("orchestrator shutdown did not complete", Event::Finished),
    ("training finished!", Event::Finished),
    ("evals finished!", Event::Finished),
    ("eval finished!", Event::Finished),
    ("failed with exit code", Event::Exits),
    ("exited with code", Event::Exits),
    ("shutting down", Event::ShutsDown),
    ("received interrupt signal, terminating", Event::Interrupted),
    ("received sigterm, terminating", Event::Interrupted),
    ("orchestrator interrupted after", Event::Stops),
    ("orchestrator cleanup complete (forced)", Event::Stops),
    ("trainer did not broadcast v", Event::GivesUp),
    ("inference did not apply policy", Event::GivesUp),
    ("avg generation throughput:", Event::Serves),
    ("rollout generation", Event::Share),
    ("generate_completions", Event::Share),
    ("difficulty_weights", Event::Weights),
    ("curriculum", Event::Weights),
    ("curriculum_weights", Event::Weights),
    ("traceback (most recent call last)", Event::Traceback),
];
