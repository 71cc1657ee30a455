//! What only a later prime-rl refuses, and what a card can't run: from which commit to which, and how bad it is.

use cfg_diag::Severity::{self, Error, Warning};
use cfg_schema::Kind;
use cfg_tests::Checking;

const OURS: [&str; 3] = ["unchecked-contradiction", "cpu-offload-with-nccl", "unsupported-by-card"];

/// The findings of these rules: their severities and keys.
#[track_caller]
fn found(target: &str, kind: Kind, text: &str) -> Vec<(Severity, String)> {
    let checked = Checking::for_target(target).of_kind(kind).check(text);
    let ours = checked.diagnostics.iter().filter(|found| OURS.contains(&found.code.name));
    ours.map(|found| (found.severity, found.key.clone().unwrap_or_default())).collect()
}

#[track_caller]
fn is_found(target: &str, kind: Kind, text: &str, expected: &[(Severity, &str)]) {
    let expected: Vec<(Severity, String)> = expected.iter().map(|(severity, key)| (*severity, (*key).to_owned())).collect();
    assert_eq!(found(target, kind, text), expected, "{target}: {text}");
}

#[test]
fn schedules_that_do_not_fit_end_the_trainer_until_they_are_checked() {
    let linear = "max_steps = 15\n[scheduler]\ntype = \"linear\"\nwarmup_steps = 10\ndecay_steps = 10\n";
    for target in ["0.3.0", "0.6.0", "0.8.0"] {
        is_found(target, Kind::Trainer, linear, &[(Error, "scheduler.decay_steps")]);
        is_found(target, Kind::Sft, linear, &[(Error, "scheduler.decay_steps")]);
    }
    // The validator refuses it.
    is_found("991b925e6", Kind::Trainer, linear, &[]);
    is_found("0.8.0", Kind::Trainer, &linear.replace("15", "20"), &[]);
    // By default the warmup and the decay have ten steps each.
    let in_rl = "max_steps = 15\n[trainer.scheduler]\ntype = \"linear\"\n[orchestrator]\n[inference]\n";
    is_found("0.4.0", Kind::Rl, in_rl, &[(Error, "trainer.max_steps")]);
}

#[test]
fn a_cosine_without_steps_is_worse_than_one_that_is_not_reached() {
    let cosine = |warmup: u32| format!("max_steps = 20\n[scheduler]\ntype = \"cosine\"\nwarmup_steps = {warmup}\n");
    is_found("0.8.0", Kind::Trainer, &cosine(20), &[(Error, "scheduler.warmup_steps")]);
    is_found("0.8.0", Kind::Trainer, &cosine(21), &[(Warning, "scheduler.warmup_steps")]);
    is_found("0.8.0", Kind::Trainer, &cosine(19), &[]);
    is_found("0.8.0", Kind::Trainer, "[scheduler]\ntype = \"cosine\"\n", &[(Error, "scheduler.type")]);
}

#[test]
fn a_decay_of_one_step_divides_by_zero_at_each_version() {
    let text = "max_steps = 20\n[scheduler]\ntype = \"linear\"\nwarmup_steps = 5\ndecay_steps = 1\n";
    for target in ["0.3.0", "main"] {
        is_found(target, Kind::Trainer, text, &[(Error, "scheduler.decay_steps")]);
        is_found(target, Kind::Trainer, &text.replace("= 1\n", "= 2\n"), &[]);
    }
}

#[test]
fn each_contradiction_ends_with_its_check() {
    let rl = "[trainer]\n[orchestrator]\n[inference]\n";
    let one_sided = format!("{}[trainer.wandb]\n", rl.replace("[trainer]\n", ""));
    is_found("0.3.0", Kind::Rl, &one_sided, &[(Warning, "trainer.wandb")]);
    is_found("0.4.0", Kind::Rl, &one_sided, &[]);
    let twice = "[[env]]\nid = \"a\"\n[[env]]\nid = \"a\"\n";
    is_found("0.4.0", Kind::Orchestrator, twice, &[(Error, "env")]);
    is_found("a7db21723", Kind::Orchestrator, twice, &[]);
    is_found("0.4.0", Kind::Orchestrator, &twice.replacen("\"a\"\n", "\"a\"\nname = \"b\"\n", 1), &[]);
    let transports = "[trainer.rollout_transport]\ntype = \"zmq\"\n[orchestrator]\n[inference]\n";
    is_found("0.6.0", Kind::Rl, transports, &[(Error, "trainer.rollout_transport.type")]);
    is_found("main", Kind::Rl, &transports.replace("zmq", "filesystem"), &[]);
    let ranks = "enable_lora = true\nmax_lora_rank = 20\n";
    is_found("91182b7d6", Kind::Inference, ranks, &[(Error, "max_lora_rank")]);
    is_found("f35f0141c", Kind::Inference, ranks, &[]);
    let attention = "[model]\nattn = \"flash_attention_3\"\nimpl = \"hf\"\n";
    is_found("3d2dbae5f", Kind::Trainer, attention, &[(Error, "model.impl")]);
    is_found("0.7.0", Kind::Trainer, attention, &[]);
}

#[test]
fn an_adapter_is_scaled_alike_by_trainer_and_server() {
    let rl =
        |orchestrator: &str| format!("[trainer.model.lora]\nrank = 16\nalpha = 64\n[orchestrator]\n{orchestrator}[inference]\n");
    for target in ["0.3.0", "0.4.0"] {
        // The orchestrator has an alpha of its own, 32, whatever the trainer's is.
        is_found(target, Kind::Rl, &rl(""), &[(Warning, "trainer.model.lora.alpha")]);
        is_found(target, Kind::Rl, &rl("[orchestrator.model.lora]\nalpha = 64\n"), &[]);
        let halved = rl("[orchestrator.model.lora]\nrank = 8\nalpha = 64\n");
        is_found(target, Kind::Rl, &halved, &[(Warning, "orchestrator.model.lora.alpha")]);
        let above = rl("[orchestrator.model.lora]\nrank = 32\nalpha = 64\n");
        is_found(target, Kind::Rl, &above, &[(Error, "orchestrator.model.lora.rank")]);
        is_found(target, Kind::Rl, "[trainer]\n[orchestrator]\n[inference]\n", &[]);
    }
    // Before, the orchestrator had none; since then, it has the trainer's.
    is_found("0.2", Kind::Rl, &rl(""), &[]);
    is_found("0.5.0", Kind::Rl, &rl(""), &[]);
}

#[test]
fn a_server_takes_the_weights_as_they_are_sent() {
    let rl = |sends: &str, takes: &str| {
        format!(
            "[trainer.weight_broadcast]\ntype = \"{sends}\"\n[orchestrator.weight_broadcast]\ntype = \"{sends}\"\n[inference{takes}]\n"
        )
    };
    let is_taken = ".weight_broadcast]\ntype = \"nccl\"\n[inference.server";
    for target in ["0.2", "0.4.0", "0.6.0"] {
        is_found(target, Kind::Rl, &rl("nccl", ""), &[(Error, "trainer.weight_broadcast")]);
        is_found(target, Kind::Rl, &rl("filesystem", is_taken), &[(Error, "trainer.weight_broadcast")]);
        is_found(target, Kind::Rl, &rl("nccl", is_taken), &[]);
        is_found(target, Kind::Rl, &rl("filesystem", ""), &[]);
        let shared = "[weight_broadcast]\ntype = \"nccl\"\n[trainer]\n[orchestrator]\n[inference]\n";
        is_found(target, Kind::Rl, shared, &[]);
    }
    is_found("0.7.0", Kind::Rl, &rl("nccl", ""), &[]);
}

#[test]
fn a_router_over_servers_of_one_rank_gets_requests_for_others() {
    let text = "output_dir = \"/shared/x\"\n[trainer]\n[orchestrator]\n[inference]\n[deployment]\ntype = \"multi_node\"\nnum_train_nodes = 1\n\
                num_infer_nodes = 1\n[slurm]\njob_name = \"x\"\n";
    is_found("2026-06-10", Kind::Rl, text, &[(Warning, "deployment")]);
    is_found("2026-05-28", Kind::Rl, text, &[]);
    is_found("main", Kind::Rl, text, &[]);
    let grouped = text.replace("[inference]\n", "[inference]\nenable_expert_parallel = true\n");
    is_found("2026-06-10", Kind::Rl, &grouped, &[]);
}

#[test]
fn offloaded_weights_are_not_sent_by_nccl() {
    let text = "[weight_broadcast]\ntype = \"nccl\"\n[trainer.model]\nfsdp_cpu_offload = true\n[orchestrator]\n[inference]\n[deployment]\n\
                num_train_gpus = 1\nnum_infer_gpus = 1\n";
    is_found("0.6.0", Kind::Rl, text, &[(Error, "trainer.model.fsdp_cpu_offload")]);
    is_found("0.6.0", Kind::Rl, &text.replace("nccl", "filesystem"), &[]);
    is_found("0.6.0", Kind::Rl, &text.replace("fsdp_cpu", "optim_cpu"), &[]);
    // NCCL is the default there.
    let by_default = text.replace("[weight_broadcast]\ntype = \"nccl\"\n", "");
    is_found("main", Kind::Rl, &by_default, &[(Error, "trainer.model.fsdp_cpu_offload")]);
    is_found("0.6.0", Kind::Rl, &by_default, &[]);
}

#[test]
fn a_card_must_be_of_the_generation_that_a_kernel_is_for() {
    let on = |hardware: &str, trainer: &str| format!("# /// config\n# hardware = \"{hardware}\"\n# ///\n[model]\n{trainer}\n");
    for (target, trainer, key, able, unable) in [
        ("0.7.0", "attn = \"flash_attention_3\"\nimpl = \"custom\"", "model.attn", "H100", "A100-80"),
        ("0.7.0", "attn = \"fa4\"\nimpl = \"custom\"", "model.attn", "B200", "A100-80"),
        ("0.7.0", "name = \"openai/gpt-oss-20b\"", "model.attn", "H200", "B200"),
        ("0.7.0", "fp8 = true\nimpl = \"custom\"", "model.fp8", "H100", "A100-80"),
        ("main", "quantization = { type = \"mxfp8\" }", "model.quantization", "B200", "H100"),
        ("main", "quantization = { type = \"fp8\" }", "model.quantization", "H100", "L40S"),
    ] {
        is_found(target, Kind::Trainer, &on(&format!("8x {able}"), trainer), &[]);
        is_found(target, Kind::Trainer, &on(&format!("8x {unable}"), trainer), &[(Error, key)]);
    }
    // A card without CUDA can't run anything of prime-rl.
    is_found("0.7.0", Kind::Trainer, &on("8x MI300X", "attn = \"sdpa\""), &[(Error, "")]);
    // Both sizes of a card compute the same.
    let attention = "attn = \"flash_attention_3\"\nimpl = \"custom\"";
    is_found("0.7.0", Kind::Trainer, &on("8x A100", attention), &[(Error, "model.attn")]);
    is_found("0.7.0", Kind::Trainer, &on("8x A100", "name = \"openai/gpt-oss-20b\"\nattn = \"eager\""), &[]);
    is_found("main", Kind::Trainer, &on("8x A100-80", "attn = \"auto\""), &[]);
}

#[test]
fn no_finding_rests_on_the_default_of_a_key_under_another_name() {
    let text = "[model]\nname = \"Qwen/Qwen3-30B-A3B\"\nep = 2\n[deployment]\nnum_train_gpus = 2\n";
    let codes = |text: &str| -> Vec<&'static str> {
        let checked = Checking::for_target("0.8.0").of_kind(Kind::Sft).check(text);
        checked.diagnostics.iter().map(|found| found.code.name).collect()
    };
    assert_eq!(codes(text), ["future-key"]);
    let counted = codes(&text.replace("num_train_gpus = 2", "num_gpus = 1"));
    assert_eq!(counted, ["uneven-expert-parallelism"]);
}

/// For a few commits, the processes that read the data of fine-tuning began before the checkpoint was loaded.
#[test]
fn a_resumed_fine_tuning_reads_its_data_anew_at_some_commits() {
    let text =
        |workers: u32| format!("max_steps = 20\n[data]\nname = \"org/data\"\nnum_workers = {workers}\n[resume]\nstep = 10\n");
    is_found("fe38722e8", Kind::Sft, &text(1), &[(Warning, "resume")]);
    is_found("fe38722e8", Kind::Sft, &text(2), &[(Error, "data.num_workers"), (Warning, "resume")]);
    is_found("fe38722e8", Kind::Sft, &text(0), &[]);
    is_found("967fbf25e", Kind::Sft, &text(2), &[]);
    is_found("fe38722e8", Kind::Sft, "max_steps = 20\n[data]\nname = \"org/data\"\n", &[]);
}

/// A ring of FlashAttention 3 came with prime-rl's own classes; the models of transformers went on without one.
#[test]
fn sequences_are_split_by_kernels_that_know_of_it() {
    let text = |attn: &str, implementation: &str| {
        format!("[model]\nname = \"org/x\"\ncp = 2\nattn = \"flash_attention_{attn}\"\nimpl = \"{implementation}\"\n")
    };
    is_found("0.3.0", Kind::Trainer, &text("3", "hf"), &[(Warning, "model.attn")]);
    is_found("0.3.0", Kind::Sft, &text("3", "hf"), &[(Warning, "model.attn")]);
    is_found("0.3.0", Kind::Trainer, &text("2", "hf"), &[]);
    is_found("0.3.0", Kind::Trainer, &text("3", "custom"), &[]);
    is_found("c87c19ba8", Kind::Trainer, &text("3", "hf"), &[]);
}

/// Until 2026-07-22 the trainer of reinforcement learning refused images where sequences are split, at the first batch.
#[test]
fn images_are_not_split_over_gpus() {
    let text = |degree: u32| {
        format!(
            "max_steps = 20\n[model]\nname = \"org/vision\"\ncp = {degree}\nimpl = \"custom\"\nattn = \"flash_attention_2\"\n\
             optimization_dtype = \"bfloat16\"\nreduce_dtype = \"bfloat16\"\n[model.vlm]\nvision_encoder_attr = \"model.visual\"\n\
             language_model_attr = \"model.language_model\"\n"
        )
    };
    is_found("0.6.0", Kind::Trainer, &text(2), &[(Error, "model.cp")]);
    is_found("0.6.0", Kind::Trainer, &text(1), &[]);
    is_found("55fc08db4", Kind::Trainer, &text(2), &[]);
}
