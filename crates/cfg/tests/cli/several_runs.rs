//! Several runs below one folder, and several launches beside each other: each is read on its own.

use super::Folder;

fn trainer(steps: u32, kl: &str, end: &str) -> String {
    let step = |step: u32| {
        format!(
            "09:{step:02}:00 SUCCESS Step {step} | Time: 60.00s | Loss: 0.1000 | Entropy: 0.4200 | Mismatch KL: {kl} | Grad. Norm: 0.3000 | LR: 1.00e-06\n"
        )
    };
    let steps: String = (1..=steps).map(step).collect();
    format!("09:00:00    INFO Starting RL trainer in World(world_size=2, rank=0, local_rank=0)\n{steps}{end}")
}

fn orchestrator(steps: u32, reward: &str) -> String {
    let step = |step: u32| {
        format!(
            "09:{step:02}:02 SUCCESS Step {step} | Time: 60.00s | Reward: {reward} | Async Level: 1 | Max. Off-Policy Level: 1\n"
        )
    };
    let steps: String = (1..=steps).map(step).collect();
    format!("09:00:00    INFO Starting orchestrator\n{steps}")
}

const END: &str = "09:30:00   ERROR Fatal error in train\nTraceback (most recent call last):\n  \
                   File \"/app/src/prime_rl/trainer/rl/train.py\", line 300, in train\n    f()\nValueError: the ninth head is missing\n";

/// Two runs below `outputs`: the first failed, the second goes on.
fn two_runs() -> Folder {
    Folder::new(&[
        ("outputs/a/logs/trainer.log", &trainer(8, "9.9000", END)),
        ("outputs/a/logs/orchestrator.log", &orchestrator(8, "0.1000")),
        ("outputs/b/logs/attempt_1/trainer.log", &trainer(12, "0.0012", "")),
        ("outputs/b/logs/attempt_1/orchestrator.log", &orchestrator(12, "0.5000")),
        ("outputs/b/checkpoints/step_10/trainer/.metadata", "X__0_0.distcp"),
        ("outputs/b/checkpoints/step_10/trainer/__0_0.distcp", "1"),
        ("outputs/b/checkpoints/step_10/orchestrator/progress.pt", "x"),
    ])
}

#[test]
fn the_newest_run_below_a_folder_is_watched_and_resumed() {
    let folder = two_runs();
    let ended = folder.run("run watch outputs --once");
    assert_eq!(ended.status, Some(0), "{ended:?}");
    assert!(ended.stdout.contains("reward 0.5000") && ended.stdout.contains("KL 0.0012"), "{ended:?}");
    assert!(ended.stderr.contains("outputs has 2 runs: this is the newest, outputs/b; the others are a"), "{ended:?}");
    let ended = folder.run("run resume outputs");
    assert!(ended.stdout.contains("resumes from step 10"), "{ended:?}");
    let ended = folder.run("run compare outputs/a outputs");
    assert!(ended.stdout.contains("last step 8") && ended.stdout.contains("last step 12"), "{ended:?}");
}

#[test]
fn each_run_below_a_folder_is_diagnosed_on_its_own() {
    let folder = two_runs();
    let ended = folder.run("run diagnose outputs");
    assert_eq!(ended.status, Some(1), "{ended:?}");
    assert!(ended.stdout.contains("outputs/a/logs/trainer.log:14"), "{ended:?}");
    assert!(ended.stderr.contains("outputs has 2 runs, each read on its own: b, a"), "{ended:?}");
    assert_eq!(folder.run("run diagnose outputs/b").status, Some(0));
}

/// SLURM writes a file for each job, W&B one for each run.
#[test]
fn the_newest_of_launches_beside_each_other_speaks() {
    let (failed, good) = (trainer(8, "9.9000", END), trainer(12, "0.0012", ""));
    for (first, second) in [
        ("x/slurm-99.out", "x/slurm-100.out"),
        ("x/job_99.log", "x/job_100.log"),
        ("x/wandb/run-20260810_090000-a/files/output.log", "x/wandb/run-20260810_110000-b/files/output.log"),
    ] {
        let folder = Folder::new(&[(first, &failed), (second, &good)]);
        let ended = folder.run("run watch x --once");
        assert_eq!(ended.status, Some(0), "{ended:?}");
        assert!(ended.stdout.contains("step 12") && ended.stdout.contains("KL 0.0012"), "{ended:?}");
        assert_eq!(folder.run("run diagnose x").status, Some(0), "{first}");
        // Its own name asks for it.
        assert_eq!(folder.run(&format!("run diagnose {first} {second}")).status, Some(1), "{first}");
    }
}

/// The trainer's checkpoints can be on another disk.
#[test]
fn checkpoints_elsewhere_are_resumed_from() {
    let folder = Folder::new(&[
        (
            "rl.toml",
            "# /// config\n# prime_rl = \"0.6.0\"\n# ///\nmax_steps = 40\n[ckpt]\ninterval = 5\noutput_dir = \"disk\"\n[trainer]\n[orchestrator]\nbatch_size = 64\nrollouts_per_example = 8\n[[orchestrator.train.env]]\nid = \"reverse-text\"\n[inference]\n",
        ),
        ("outputs/logs/trainer.log", &trainer(8, "0.0012", "")),
        ("disk/checkpoints/step_5/trainer/.metadata", "X__0_0.distcp"),
        ("disk/checkpoints/step_5/trainer/__0_0.distcp", "1"),
        ("outputs/run_default/checkpoints/step_5/orchestrator/progress.pt", "x"),
    ]);
    let ended = folder.run("run resume outputs rl.toml");
    assert!(ended.stdout.contains("resumes from step 5"), "{ended:?}");
    assert!(!ended.stdout.contains("which does not exist here"), "{ended:?}");
}
