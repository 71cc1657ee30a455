//! Whole runs: measured out-of-memory errors, vLLM's figures in public logs, disk space, and inverse questions.

use cfg_memory::{
    Bytes, Tokens,
    accuracy::{Accuracy, Spread},
    architecture::{ConfigError, from_config_json},
    catalogue::{Gpu, model},
    disk::{Checkpoints, Writes, disk},
    hardware,
    inference::Inference,
    precision::Precision,
    prime_rl::{Date, Vllm},
    run::Run,
    solve::{self, Change},
    trainer::{Allocator, Checkpointing, Dtype, LmHead, Lora, Offload, Optimizer, Trainer},
    verdict::{Reason, Verdict, judge},
};

fn card(name: &str) -> Gpu {
    hardware::find(name, &[]).expect("a known card")
}

fn trainer(gpus: u32, seq_len: u64, lora: Option<u32>) -> Trainer {
    Trainer {
        prime_rl: Date::new(2026, 1, 15),
        seq_len: Tokens(seq_len),
        micro_batch: 1,
        packs: 1,
        gpus,
        replicas: 1,
        context_parallel: 1,
        expert_parallel: 1,
        lora: lora.map(Lora::of_rank),
        dtype: Dtype::Float32,
        optimizer: Optimizer::AdamW,
        offload: Offload::None,
        checkpointing: Checkpointing::Full { every: 1, offloaded: false },
        lm_head: LmHead::Whole,
        compile: false,
        allocator: Allocator::Expandable,
    }
}

/// Nemotron 3 Super on two machines with H200s: prime-rl's pull request 3052 and its commit eb7df70a6, July 2026. Each GPU has an eighth of the sequence.
#[test]
fn latent_experts_take_what_runs_took() {
    let model = model("nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-BF16").expect("known").architecture;
    let peak = |seq_len: u64, offload: Offload| {
        let own = Trainer {
            prime_rl: Date::new(2026, 7, 16),
            context_parallel: 8,
            expert_parallel: 8,
            offload,
            checkpointing: Checkpointing::Full { every: 1, offloaded: true },
            lm_head: LmHead::TokenChunks(Tokens(8192)),
            compile: true,
            ..trainer(16, seq_len, None)
        };
        own.peak(model)
    };
    let runs = [(131_072, Offload::Fsdp, 79.8), (196_608, Offload::Fsdp, 114.8), (131_072, Offload::Optimizer, 126.5)];
    for (seq_len, offload, measured) in runs {
        let peak = peak(seq_len, offload);
        let error = peak.middle.as_gib() / measured - 1.0;
        assert!(error.abs() < 0.08, "{seq_len}: {error}");
    }
    // Without any offload the run was out of memory: 142 GiB and more.
    assert!(peak(131_072, Offload::None).high.as_gib() > 142.0);
}

fn inference(utilization: f64, max_model_len: u64) -> Inference {
    Inference {
        vllm: Vllm::new(0, 12),
        tensor_parallel: 1,
        expert_parallel: 1,
        gpu_memory_utilization: utilization,
        max_model_len: Some(Tokens(max_model_len)),
        max_num_seqs: None,
        max_num_batched_tokens: None,
        enforce_eager: true,
        lora: None,
        kv_bytes: 2,
        prefix_caching: false,
        frees_windows: true,
        precision: Precision::HALF,
        draft_tokens: 0,
    }
}

/// A trainer and a server on one card.
fn shared(name: &str, trainer: Trainer, inference: Inference, gpu: &str) -> Run {
    let model = model(name).expect("a known model");
    Run {
        model: model.architecture.clone(),
        served: None,
        confirmed: model.confirmed,
        gpu: Some(card(gpu)),
        trainer: Some(trainer),
        trainer_gpus: vec![0],
        inference: Some(inference),
        inference_gpus: vec![0],
        writes: None,
    }
}

#[test]
fn measured_out_of_memory_errors_are_predicted_as_certain() {
    let adapters = |lora: &mut Option<Lora>| lora.as_mut().expect("LoRA").adapters = 4;
    let mut big = Trainer { lm_head: LmHead::VocabChunks(2048), optimizer: Optimizer::Never, ..trainer(8, 65536, Some(16)) };
    adapters(&mut big.lora);
    let offloaded = Trainer { checkpointing: Checkpointing::Full { every: 1, offloaded: true }, ..big.clone() };
    let cases = [
        ("Qwen/Qwen3-0.6B", trainer(1, 65536, None), "H100", 161.0, Verdict::OutOfMemory),
        ("Qwen/Qwen3-235B-A22B-Instruct-2507", big, "B200", 239.0, Verdict::OutOfMemory),
        ("Qwen/Qwen3-235B-A22B-Instruct-2507", offloaded, "B200", 193.0, Verdict::OutOfMemory),
        ("Qwen/Qwen3-4B-Instruct-2507", trainer(8, 65536, None), "B200", 168.9, Verdict::Tight),
    ];
    for (name, trainer, gpu, low, verdict) in cases {
        let peak = trainer.peak(model(name).expect("known").architecture);
        assert!((peak.low.as_gib() - low).abs() < 1.0, "{name}: {}", peak.low);
        assert_eq!(judge(card(gpu).total, Some(&peak), None).verdict, verdict, "{name}");
    }
}

#[test]
fn kv_caches_are_those_of_public_logs() {
    // The model, the GiB that the log leaves for the cache, the GPUs of one copy, the tokens in the log, and the uncertainty from its rounding.
    let logs = [("meta-llama/Llama-3.1-8B-Instruct", 4.6016, 1, 37_696, 16), ("Qwen/Qwen2.5-1.5B", 2.36, 1, 88_304, 80)];
    for (name, gib, tensor_parallel, tokens, open) in logs {
        let inference = Inference { tensor_parallel, ..inference(0.9, 4096) };
        let kv = inference.budget(model(name).expect("known").architecture, &card("L4")).kv;
        assert!(kv.tokens(Bytes::gib(gib)).0.abs_diff(tokens) <= open, "{name}: {}", kv.tokens(Bytes::gib(gib)));
    }
    let latent =
        inference(0.9, 4096).budget(model("moonshotai/Moonlight-16B-A3B-Instruct").expect("known").architecture, &card("H100"));
    assert_eq!(latent.kv.per_token.rounded(), 31_104);
}

#[test]
fn vllm_refuses_a_cache_below_one_sequence() {
    let on = |gpu: &str, utilization: f64, max_model_len: u64| {
        let budget =
            inference(utilization, max_model_len).budget(model("Qwen/Qwen3-8B").expect("known").architecture, &card(gpu));
        judge(card(gpu).total, None, Some(&budget))
    };
    assert_eq!(on("H100", 0.9, 40960).verdict, Verdict::Fits);
    let small = on("RTX 4090", 0.9, 4_000_000);
    assert!(matches!(small.reasons[..], [Reason::SmallKvCache { certain: true, .. }]), "{small:?}");
    assert_eq!(small.verdict, Verdict::StartUpFailure);
    let none = on("RTX 4090", 0.45, 4096);
    assert!(matches!(none.reasons[..], [Reason::NoKvCache { certain: true, .. }]), "{none:?}");
    assert_eq!(none.verdict, Verdict::StartUpFailure);
}

#[test]
fn checkpoints_are_as_large_as_observed() {
    let writes = |keep_last| Writes {
        checkpoints: Some(Checkpoints {
            interval: Some(5),
            max_steps: Some(1000),
            keep_last,
            keep_interval: None,
            weights: true,
            adapters: false,
        }),
        broadcast: None,
    };
    let of = |name: &str, writes| disk(&trainer(1, 4096, Some(8)), model(name).expect("known").architecture, &writes);
    let eight = of("Qwen/Qwen3-8B", writes(Some(2)));
    assert!((eight.checkpoint.as_gib() - 30.8).abs() < 0.1, "{eight:?}");
    assert!((eight.weights.as_gib() - 15.3).abs() < 0.1, "{eight:?}");
    assert_eq!(eight.kept, Some(2));
    // While the third is written, the first still exists.
    assert!((eight.peak.as_gib() - 3.0 * 46.0).abs() < 0.3, "{eight:?}");
    assert!((of("Qwen/Qwen2.5-3B", writes(Some(1))).checkpoint.as_gib() - 11.7).abs() < 0.1);
    assert!((of("meta-llama/Llama-3.2-3B-Instruct", writes(Some(1))).checkpoint.as_gib() - 12.1).abs() < 0.1);
    assert_eq!(of("Qwen/Qwen3-8B", writes(None)).kept, Some(201));
}

#[test]
fn the_largest_utilization_leaves_room_for_the_trainer() {
    let run = shared("Qwen/Qwen2.5-7B-Instruct", trainer(1, 2048, Some(8)), inference(0.9, 4096), "H100");
    assert_eq!(run.assess().verdict(), Verdict::StartUpFailure);
    let utilization = solve::largest_utilization(&run).expect("there is one");
    assert!((utilization - 0.49).abs() < 1e-9, "{utilization}");
    let remedies = solve::remedies(&run);
    assert!(remedies.iter().any(|remedy| remedy.change == Change::Utilization(utilization) && remedy.verdict == Verdict::Fits));
}

#[test]
fn checkpointing_is_proposed_if_it_suffices() {
    let without = Trainer { checkpointing: Checkpointing::None, ..trainer(1, 2048, Some(8)) };
    let run = shared("Qwen/Qwen2.5-7B-Instruct", without, inference(0.45, 4096), "H100");
    assert_eq!(run.assess().verdict(), Verdict::OutOfMemory);
    let remedies = solve::remedies(&run);
    let checkpointing = remedies.iter().find(|remedy| remedy.change == Change::Checkpointing).expect("proposed");
    assert_eq!(checkpointing.verdict, Verdict::Fits);
    for remedy in &remedies {
        let changed = remedy.change.applied(&run).expect("a change").assess();
        assert_eq!(changed.verdict(), remedy.verdict, "{:?}", remedy.change);
    }
}

#[test]
fn the_longest_sequence_is_the_last_that_fits() {
    let mut run = shared("Qwen/Qwen3-4B", trainer(1, 2048, None), inference(0.9, 4096), "H100");
    run.inference = None;
    let Tokens(longest) = solve::largest_seq_len(&run).expect("one fits");
    let at = |tokens| Change::SeqLen(Tokens(tokens)).applied(&run).expect("it trains").assess();
    assert_eq!(at(longest).verdict(), Verdict::Fits);
    assert_ne!(at(longest + 256).verdict(), Verdict::Fits);
    assert_eq!(solve::limits(&run).seq_len, Some(Tokens(longest)));
}

#[test]
fn other_cards_are_judged_by_their_own_memory() {
    let run = shared("Qwen/Qwen2.5-7B-Instruct", trainer(1, 2048, Some(8)), inference(0.45, 4096), "H100");
    let fitting: Vec<&str> = solve::fitting(&run).into_iter().map(|gpu| &*gpu.name).collect();
    assert!(fitting.starts_with(&["A100-80"]) && fitting.contains(&"H200"), "{fitting:?}");
    assert!(!fitting.contains(&"RTX 4090") && !fitting.contains(&"MI300X"), "{fitting:?}");
    let nowhere = Run { gpu: None, ..run };
    assert_eq!(nowhere.assess().verdict(), Verdict::Unknown);
    assert!(nowhere.assess().peak.is_some());
}

#[test]
fn unmeasured_combinations_are_marked() {
    let model = model("Qwen/Qwen3-8B").expect("known");
    let plain = Accuracy::of(&trainer(1, 2048, Some(8)), model.architecture, true);
    assert!(plain.validated && plain.unvalidated.is_empty(), "{plain:?}");
    let without = Trainer { checkpointing: Checkpointing::None, ..trainer(1, 2048, Some(8)) };
    let without = Accuracy::of(&without, model.architecture, true);
    assert_eq!((without.validated, &without.unvalidated[..]), (false, &["no activation checkpointing"][..]));
    let spring = Trainer { prime_rl: Date::new(2026, 3, 30), ..trainer(1, 2048, Some(8)) };
    assert!(!Accuracy::of(&spring, model.architecture, true).validated);
}

#[test]
fn a_config_json_has_the_shape_in_the_catalogue() {
    let qwen3 = r#"{"architectures": ["Qwen3ForCausalLM"], "attention_bias": false, "head_dim": 128, "hidden_size": 4096,
        "intermediate_size": 12288, "max_position_embeddings": 40960, "model_type": "qwen3", "num_attention_heads": 32,
        "num_hidden_layers": 36, "num_key_value_heads": 8, "tie_word_embeddings": false, "vocab_size": 151936}"#;
    assert_eq!(from_config_json(qwen3).as_ref(), Ok(model("Qwen/Qwen3-8B").expect("known").architecture));
    let qwen2 = r#"{"hidden_size": 3584, "intermediate_size": 18944, "max_position_embeddings": 32768, "model_type": "qwen2",
        "num_attention_heads": 28, "num_hidden_layers": 28, "num_key_value_heads": 4, "vocab_size": 152064}"#;
    assert_eq!(from_config_json(qwen2).as_ref(), Ok(model("Qwen/Qwen2.5-7B-Instruct").expect("known").architecture));
    let gpt_oss = r#"{"model_type": "gpt_oss", "hidden_size": 2880, "intermediate_size": 2880, "max_position_embeddings": 131072,
        "num_attention_heads": 64, "num_hidden_layers": 24, "num_key_value_heads": 8, "head_dim": 64, "vocab_size": 201088,
        "num_local_experts": 32, "num_experts_per_tok": 4, "attention_bias": true, "sliding_window": 128}"#;
    assert_eq!(from_config_json(gpt_oss).as_ref(), Ok(model("openai/gpt-oss-20b").expect("known").architecture));
}

#[test]
fn a_config_json_without_a_shape_has_a_reason() {
    assert_eq!(from_config_json("[]"), Err(ConfigError::NoObject));
    assert_eq!(from_config_json("{"), Err(ConfigError::NoObject));
    assert_eq!(from_config_json("{\"model_type\": \"mamba\"}"), Err(ConfigError::UnknownKind("mamba".to_owned())));
    assert_eq!(from_config_json("{\"model_type\": \"llama\"}"), Err(ConfigError::Number("hidden_size")));
    let zero = "{\"model_type\": \"llama\", \"hidden_size\": 8, \"num_attention_heads\": 0}";
    assert_eq!(from_config_json(zero), Err(ConfigError::Number("num_attention_heads")));
}

#[test]
fn no_number_is_too_large() {
    let huge = Trainer {
        seq_len: Tokens(u64::MAX),
        micro_batch: u32::MAX,
        gpus: 0,
        replicas: u32::MAX,
        ..trainer(1, 1, Some(u32::MAX))
    };
    let run = shared("Qwen/Qwen3-8B", huge, inference(f64::NAN, u64::MAX), "H100");
    assert!(run.assess().verdict().is_error());
    assert_eq!(solve::largest_seq_len(&run), None);
}

#[test]
fn a_peak_is_never_below_what_is_loaded() {
    let peak = trainer(1, 512, Some(16)).peak(model("Qwen/Qwen3-8B").expect("it is known").architecture);
    let (loaded, low) = (peak.loaded, peak.low);
    assert!(loaded < low, "{loaded} of {low}");
    assert_eq!(peak.within(&Spread { low: 0.5, high: 1.1, runs: 8 }).low, loaded);
}
