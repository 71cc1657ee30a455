//! Runs with recorded outcomes, as configs: the findings of the memory rules in each.

use cfg_diag::{Diagnostic, Severity};
use cfg_tests::Checking;

/// prime-rl in the first days of January 2026, when these runs were made.
const JANUARY: &str = "d564195ca";

/// A trainer with LoRA and an inference server, on the same GPU or on separate ones.
#[derive(Clone, Copy)]
struct Story {
    hardware: &'static str,
    model: &'static str,
    trainer_gpu: u32,
    rank: u32,
    seq_len: u32,
    checkpointing: bool,
    utilization: Option<f64>,
    max_model_len: u32,
}

/// A 7B model next to its server on one H100.
const SHARED: Story = Story {
    hardware: "1x H100",
    model: "Qwen/Qwen2.5-7B-Instruct",
    trainer_gpu: 0,
    rank: 8,
    seq_len: 2048,
    checkpointing: true,
    utilization: Some(0.5),
    max_model_len: 4096,
};

impl Story {
    fn text(&self) -> String {
        let ac = if self.checkpointing { "[trainer.model.ac]\nfreq = 1\n" } else { "" };
        let utilization = self.utilization.map(|share| format!("gpu_memory_utilization = {share}\n")).unwrap_or_default();
        let head = if self.hardware.is_empty() { String::new() } else { format!("# hardware = \"{}\"\n", self.hardware) };
        format!(
            "# /// config\n{head}# version = \"v1\"\n# ///\ninference_gpu_ids = [0]\ntrainer_gpu_ids = [{}]\n[model]\nname = \"{}\"\n\
             [trainer.model]\nseq_len = {}\n{ac}[trainer.model.lora]\nrank = {}\n[orchestrator]\nseq_len = {}\nbatch_size = 8\n\
             rollouts_per_example = 2\n[orchestrator.sampling]\nmax_tokens = 1000\n[inference]\n{utilization}[inference.model]\n\
             max_model_len = {}\nenforce_eager = true\n",
            self.trainer_gpu, self.model, self.seq_len, self.rank, self.seq_len, self.max_model_len
        )
    }

    /// The findings of the memory rules.
    fn findings(&self) -> Vec<Diagnostic> {
        let found = Checking::for_target(JANUARY).check(&self.text()).diagnostics;
        found.into_iter().filter(|diagnostic| diagnostic.code.code.starts_with("PRL4")).collect()
    }

    /// The names of these findings, with their severities.
    fn names(&self) -> Vec<(&'static str, Severity)> {
        self.findings().iter().map(|diagnostic| (diagnostic.code.name, diagnostic.severity)).collect()
    }
}

/// The text after the fix of its only finding.
fn fixed(text: &str, finding: &Diagnostic) -> String {
    let fix = finding.fix.as_ref().expect("there is a fix");
    let mut edits = fix.edits.clone();
    edits.sort_by_key(|edit| std::cmp::Reverse(edit.location.span.start));
    edits.iter().fold(text.to_owned(), |mut text, edit| {
        text.replace_range(edit.location.span.range(), &edit.new_text);
        text
    })
}

fn names_in(text: &str) -> Vec<&'static str> {
    let found = Checking::for_target(JANUARY).check(text).diagnostics;
    found.iter().filter(|diagnostic| diagnostic.code.code.starts_with("PRL4")).map(|diagnostic| diagnostic.code.name).collect()
}

#[test]
fn a_7b_model_on_one_h100_out_of_memory_then_no_start_then_it_runs() {
    let first = Story { checkpointing: false, utilization: Some(0.45), ..SHARED };
    assert_eq!(first.names(), [("missing-checkpointing", Severity::Error)]);
    let second = Story { utilization: None, ..SHARED };
    assert_eq!(second.names(), [("no-memory-to-start", Severity::Error)]);
    assert_eq!(SHARED.names(), [], "it ran at 72 to 74 of 81 GB");
}

#[test]
fn the_share_that_fits_is_the_one_that_ran() {
    let story = Story { utilization: Some(0.9), ..SHARED };
    let findings = story.findings();
    let [finding] = findings.as_slice() else { panic!("{findings:?}") };
    assert!(finding.message.contains("vLLM requests 71.3 GiB") && finding.message.contains("49.0 GiB are free"), "{finding:?}");
    let text = fixed(&story.text(), finding);
    assert!(text.contains("gpu_memory_utilization = 0.49\n"), "{text}");
    assert_eq!(names_in(&text), [""; 0]);
}

#[test]
fn checkpointing_is_the_fix_where_it_decides() {
    let story = Story { checkpointing: false, utilization: Some(0.45), ..SHARED };
    let findings = story.findings();
    let [finding] = findings.as_slice() else { panic!("{findings:?}") };
    let text = fixed(&story.text(), finding);
    assert!(text.contains("[trainer.model.ac]\nfreq = 1") || text.contains("ac.freq = 1"), "{text}");
    assert_eq!(names_in(&text), [""; 0]);
}

#[test]
fn without_hardware_the_default_beside_a_trainer_is_reported() {
    let story = Story { hardware: "", utilization: None, ..SHARED };
    assert_eq!(story.names(), [("shared-gpu-default", Severity::Warning)]);
    let apart = Story { hardware: "", utilization: None, trainer_gpu: 1, ..SHARED };
    assert_eq!(apart.names(), []);
}

#[test]
fn an_8b_model_on_one_a100_runs() {
    let story = Story { hardware: "1x A100 80GB", model: "Qwen/Qwen3-8B", rank: 4, seq_len: 1024, max_model_len: 1024, ..SHARED };
    assert_eq!(story.names(), []);
}

#[test]
fn twenty_billion_parameters_in_float32_do_not_load_on_48_gb() {
    let story = Story { hardware: "2x A6000", model: "openai/gpt-oss-20b", trainer_gpu: 1, utilization: Some(0.9), ..SHARED };
    let findings = story.findings();
    let [finding] = findings.as_slice() else { panic!("{findings:?}") };
    assert_eq!((finding.code.name, finding.severity), ("no-memory-to-load", Severity::Error));
    let help = finding.help.as_deref().unwrap_or_default();
    assert!(help.contains("whatever the batch size"), "{help}");
}

#[test]
fn two_cards_of_24_gb_are_not_one_of_48() {
    let story = Story {
        hardware: "2x RTX 4090",
        model: "Qwen/Qwen3-8B",
        trainer_gpu: 1,
        seq_len: 4096,
        utilization: Some(0.45),
        ..SHARED
    };
    assert_eq!(story.names(), [("no-memory-to-load", Severity::Error), ("no-kv-cache", Severity::Error)]);
    let smaller = Story { model: "Qwen/Qwen2.5-3B-Instruct", utilization: Some(0.9), ..story };
    // Its outcome was not recorded, and within the largest measured error it could have fit.
    assert_eq!(smaller.names(), [("out-of-memory", Severity::Warning)]);
    assert_eq!(Story { seq_len: 6144, ..smaller }.names(), [("out-of-memory", Severity::Error)]);
    assert_eq!(Story { hardware: "2x RTX 5090", ..smaller }.names(), []);
}

#[test]
fn sequences_without_checkpointing_on_48_gb() {
    let story =
        Story { hardware: "2x A6000", trainer_gpu: 1, checkpointing: false, seq_len: 8192, utilization: Some(0.9), ..SHARED };
    assert_eq!(story.names(), [("out-of-memory", Severity::Error)], "a 7B model at 8,192 tokens needs twice the card");
    let large = Story { hardware: "2x H100", model: "Qwen/Qwen3-8B", seq_len: 4096, ..story };
    assert_eq!(large.names(), [], "it ran for more than 80 steps");
}

#[test]
fn neither_rank_nor_batch_is_ever_proposed() {
    let stories = [
        Story { checkpointing: false, utilization: Some(0.45), ..SHARED },
        Story {
            hardware: "2x RTX 4090",
            model: "Qwen/Qwen2.5-3B-Instruct",
            trainer_gpu: 1,
            seq_len: 4096,
            utilization: Some(0.9),
            ..SHARED
        },
        Story { hardware: "2x A6000", trainer_gpu: 1, checkpointing: false, seq_len: 8192, utilization: Some(0.9), ..SHARED },
    ];
    for story in stories {
        for finding in story.findings() {
            let help = finding.help.unwrap_or_default();
            assert!(!help.contains("rank") && !help.contains("batch_size") && help.contains("seq_len"), "{help}");
        }
    }
}

#[test]
fn a_tight_card_is_told_what_fits() {
    let text = Story { utilization: Some(0.5), ..SHARED }.text().replace("enforce_eager = true", "enforce_eager = false");
    let found = Checking::for_target(JANUARY).check(&text).diagnostics;
    let [finding] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(finding.code.name, "tight-memory");
    assert_eq!(names_in(&fixed(&text, finding)), [""; 0]);
}

#[test]
fn two_kept_checkpoints_need_room_for_three() {
    let story = Story { hardware: "2x H100", model: "Qwen/Qwen3-8B", trainer_gpu: 1, ..SHARED };
    let with = |disk: &str, ckpt: &str| {
        let text = story.text().replace("# version", &format!("# disk = \"{disk}\"\n# version"));
        text.replace("inference_gpu_ids", "max_steps = 1000\ninference_gpu_ids") + "[ckpt]\n" + ckpt
    };
    assert_eq!(names_in(&with("65 GB", "interval = 5\nkeep_last = 2\n")), ["disk-full"]);
    assert_eq!(names_in(&with("200 GB", "interval = 5\nkeep_last = 2\n")), [""; 0]);
    assert_eq!(names_in(&with("2 TB", "interval = 5\n")), ["disk-full"]);
    assert_eq!(names_in(&with("2 TB", "interval = 100\n")), [""; 0]);
}

#[test]
fn unknown_models_have_no_findings() {
    // That memory was not checked for a known card is said.
    let unchecked: &[(&str, Severity)] = &[("unchecked-memory", Severity::Info)];
    for (hardware, model, found) in [("1x H1000", SHARED.model, &[][..]), ("1x H100", "nobody/nothing-at-all", unchecked)] {
        let story = Story { hardware, model, utilization: Some(0.85), checkpointing: false, ..SHARED };
        assert_eq!(story.names(), found);
    }
}
