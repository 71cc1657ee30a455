//! Families of models: shapes from their `config.json`, served weights and KV caches against public logs of vLLM.

use std::collections::BTreeSet;

use cfg_memory::{
    Bytes, Tokens,
    architecture::{Architecture, ConfigError, ModelConfig},
    catalogue::{model, models, named},
    hardware,
    inference::Inference,
    precision::{Format, Precision},
    prime_rl::Vllm,
};

fn inference(tensor_parallel: u32, format: Format) -> Inference {
    Inference {
        vllm: Vllm::new(0, 22),
        tensor_parallel,
        expert_parallel: 1,
        gpu_memory_utilization: 0.9,
        max_model_len: None,
        max_num_seqs: None,
        max_num_batched_tokens: None,
        enforce_eager: false,
        lora: None,
        kv_bytes: 2,
        prefix_caching: false,
        frees_windows: true,
        precision: Precision::of(format),
        draft_tokens: 0,
    }
}

/// The budget of a model by its name on a card.
#[track_caller]
fn budget(name: &str, card: &str, tensor_parallel: u32) -> cfg_memory::inference::Budget {
    let named = named(name).expect("a known model");
    let server = Inference { precision: named.precision, ..inference(tensor_parallel, Format::Half) };
    server.budget(named.model.architecture, &hardware::find(card, &[]).expect("a known card"))
}

#[test]
fn the_catalogue_has_the_models_that_people_use() {
    let shapes: BTreeSet<String> = models().iter().map(|model| format!("{:?}", model.architecture)).collect();
    assert!(shapes.len() >= 100 && models().len() >= 400, "{} shapes, {} names", shapes.len(), models().len());
    for model in models() {
        assert!(!model.source.is_empty() && model.published > 0, "{}", model.id);
        assert_eq!(model.of.is_some(), model.source.starts_with("taken for the shape of"), "{}", model.id);
    }
}

#[test]
fn served_weights_are_as_large_as_in_logs() {
    // The name, the GPUs of one copy, and the GiB that vLLM logs as loaded on each.
    let logs = [
        ("meta-llama/Llama-3.1-8B-Instruct", 1, 15.0),
        ("Qwen/Qwen2.5-7B-Instruct", 1, 14.25),
        ("Qwen/Qwen3-30B-A3B-Instruct-2507", 1, 56.93),
        ("mistralai/Mistral-7B-Instruct-v0.3", 1, 13.51),
        ("RedHatAI/Qwen2.5-7B-Instruct-FP8-dynamic", 1, 8.14),
        ("Qwen/Qwen2.5-7B-Instruct-AWQ", 1, 5.29),
        ("Qwen/Qwen3-235B-A22B-Instruct-2507-FP8", 8, 27.72),
        ("openai/gpt-oss-20b", 1, 13.72),
        ("ByteDance-Seed/Seed-OSS-36B-Instruct", 2, 33.79),
        ("google/gemma-3-27b-it", 1, 51.45),
    ];
    for (name, tensor_parallel, gib) in logs {
        let got = budget(name, "A100-80", tensor_parallel).weights.as_gib();
        assert!((got / gib - 1.0).abs() < 0.02, "{name}: {got}, not {gib}");
    }
}

#[test]
fn the_servers_own_quantisation_halves_bf16_weights() {
    let llama = model("meta-llama/Llama-3.1-8B-Instruct").expect("known").architecture;
    let bytes = |format| Precision::of(format).bytes(llama);
    assert!((bytes(Format::Fp8).as_gib() - 8.46).abs() < 0.05, "{}", bytes(Format::Fp8));
    assert!((bytes(Format::Half).as_gib() - 14.96).abs() < 0.01);
    assert_eq!(Format::of_key("fp8"), Some(Format::Fp8));
    assert_eq!(Format::of_key("gguf"), None);
    // Experts are shared by all GPUs, the rest by those of tensor parallelism.
    let glm = model("zai-org/GLM-5").expect("known").architecture;
    let spread = Inference { expert_parallel: 32, ..inference(1, Format::Fp8) };
    let card = hardware::find("H200", &[]).expect("known");
    assert!((30.0..50.0).contains(&spread.budget(glm, &card).weights.as_gib()), "{}", spread.budget(glm, &card).weights);
}

#[test]
fn windows_cap_what_a_sequence_needs_and_not_what_vllm_logs() {
    let kv = budget("openai/gpt-oss-20b", "RTX 4090", 1).kv;
    // vLLM: "3.1 GiB KV cache is needed" for 131,072 tokens.
    let needed = kv.needed(Tokens(131_072)).as_gib();
    assert!((needed - 3.1).abs() < 0.1, "{needed}");
    assert_eq!(kv.per_token.rounded(), 24 * 2 * 8 * 64 * 2);
    let longest = kv.longest(Bytes::gib(needed + 0.01));
    assert!(longest.0.abs_diff(131_072) < 600, "{longest}");
    assert!(kv.needed(kv.longest(Bytes::gib(2.0))) <= Bytes::gib(2.0));
    // Short sequences are within the window: all layers keep them, and those with a window one block more, because it may begin within one.
    assert_eq!(kv.needed(Tokens(64)).rounded(), (64 + 64 + 16) * 12 * 2 * 8 * 64 * 2);
    // Six of seven groups of Gemma 3 have a window.
    let gemma = budget("google/gemma-3-27b-it", "H200", 1).kv;
    assert_eq!(gemma.per_token.rounded(), 70 * 2 * 16 * 128 * 2);
    assert!(gemma.is_hybrid() && !budget("Qwen/Qwen3-8B", "H100", 1).kv.is_hybrid());
}

#[test]
fn recurrent_layers_have_a_state_of_one_size() {
    let kv = budget("nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-BF16", "B200", 4).kv;
    // Eight layers with one of two key and value heads each; 40 states of 1.07 MB in whole blocks.
    assert_eq!(kv.growth().rounded(), 8 * 2 * 128 * 2);
    let states = kv.needed(Tokens(0)).as_f64() / 1e6;
    assert!((42.0..46.0).contains(&states), "{states}");
    let latent = budget("zai-org/GLM-5", "H200", 8).kv;
    assert_eq!(latent.growth().rounded(), 78 * (576 * 2 + 132));
}

#[test]
fn a_config_json_of_each_family_has_the_shape_in_the_catalogue() {
    let cases = [
        (
            "deepseek-ai/DeepSeek-V3",
            r#"{"model_type": "deepseek_v3", "hidden_size": 7168, "num_hidden_layers": 61, "num_attention_heads": 128,
            "num_key_value_heads": 128, "head_dim": 128, "intermediate_size": 18432, "moe_intermediate_size": 2048, "vocab_size": 129280,
            "max_position_embeddings": 163840, "n_routed_experts": 256, "n_shared_experts": 1, "num_experts_per_tok": 8,
            "num_nextn_predict_layers": 1, "first_k_dense_replace": 3, "kv_lora_rank": 512, "q_lora_rank": 1536, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64,
            "v_head_dim": 128, "quantization_config": {"quant_method": "fp8"}}"#,
        ),
        (
            "Qwen/Qwen3-Next-80B-A3B-Instruct",
            r#"{"model_type": "qwen3_next", "hidden_size": 2048, "num_hidden_layers": 48, "num_attention_heads": 16, "num_key_value_heads": 2,
            "head_dim": 256, "intermediate_size": 5632, "moe_intermediate_size": 512, "shared_expert_intermediate_size": 512,
            "vocab_size": 151936, "max_position_embeddings": 262144, "num_experts": 512, "num_experts_per_tok": 10, "decoder_sparse_step": 1,
            "mlp_only_layers": [], "mtp_num_hidden_layers": 1, "full_attention_interval": 4, "linear_conv_kernel_dim": 4, "linear_key_head_dim": 128,
            "linear_value_head_dim": 128, "linear_num_key_heads": 16, "linear_num_value_heads": 32}"#,
        ),
        (
            "nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-BF16",
            r#"{"model_type": "nemotron_h", "hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 2, "head_dim": 128,
            "intermediate_size": 2688, "moe_intermediate_size": 2688, "moe_shared_expert_intermediate_size": 5376, "moe_latent_size": 1024,
            "n_routed_experts": 512, "n_shared_experts": 1, "num_experts_per_tok": 22, "vocab_size": 131072, "max_position_embeddings": 262144,
            "hybrid_override_pattern": "MEMEMEM*EMEMEMEM*EMEMEMEM*EMEMEMEMEM*EMEMEMEMEM*EMEMEMEMEM*EMEMEMEMEM*EMEMEMEM*EMEMEMEME",
            "mamba_num_heads": 128, "mamba_head_dim": 64, "n_groups": 8, "ssm_state_size": 128, "conv_kernel": 4, "num_nextn_predict_layers": 1}"#,
        ),
        (
            "zai-org/GLM-5",
            r#"{"model_type": "glm_moe_dsa", "hidden_size": 6144, "num_hidden_layers": 78, "num_attention_heads": 64, "num_key_value_heads": 64,
            "head_dim": 256, "intermediate_size": 12288, "moe_intermediate_size": 2048, "vocab_size": 154880, "max_position_embeddings": 202752,
            "n_routed_experts": 256, "n_shared_experts": 1, "num_experts_per_tok": 8, "first_k_dense_replace": 3, "kv_lora_rank": 512,
            "q_lora_rank": 2048, "qk_nope_head_dim": 192, "qk_rope_head_dim": 64, "v_head_dim": 256, "index_n_heads": 32, "index_head_dim": 128,
            "num_nextn_predict_layers": 1}"#,
        ),
        (
            "tiiuae/Falcon-H1-0.5B-Base",
            r#"{"model_type": "falcon_h1", "hidden_size": 1024, "num_hidden_layers": 36, "num_attention_heads": 8, "num_key_value_heads": 2,
            "head_dim": 64, "intermediate_size": 2048, "vocab_size": 32784, "max_position_embeddings": 16384, "tie_word_embeddings": false,
            "mamba_d_ssm": 1536, "mamba_d_head": "auto", "mamba_n_heads": 24, "mamba_n_groups": 1, "mamba_d_state": 128, "mamba_d_conv": 4,
            "mamba_rms_norm": false}"#,
        ),
        (
            "google/gemma-3-1b-it",
            r#"{"model_type": "gemma3_text", "hidden_size": 1152, "num_hidden_layers": 26, "num_attention_heads": 4, "num_key_value_heads": 1,
            "head_dim": 256, "intermediate_size": 6912, "vocab_size": 262144, "max_position_embeddings": 32768, "sliding_window": 512,
            "sliding_window_pattern": 6}"#,
        ),
        (
            "MiniMaxAI/MiniMax-M2",
            r#"{"model_type": "minimax_m2", "hidden_size": 3072, "num_hidden_layers": 62, "num_attention_heads": 48, "num_key_value_heads": 8,
            "head_dim": 128, "intermediate_size": 1536, "vocab_size": 200064, "max_position_embeddings": 196608, "num_local_experts": 256,
            "num_experts_per_tok": 8, "use_qk_norm": true, "quantization_config": {"quant_method": "fp8"}}"#,
        ),
        (
            "meta-llama/Llama-4-Scout-17B-16E",
            r#"{"text_config": {"model_type": "llama4_text", "hidden_size": 5120, "num_hidden_layers": 48, "num_attention_heads": 40,
            "num_key_value_heads": 8, "head_dim": 128, "intermediate_size": 8192, "intermediate_size_mlp": 16384, "vocab_size": 202048,
            "max_position_embeddings": 10485760, "num_local_experts": 16, "num_experts_per_tok": 1, "attention_chunk_size": 8192}}"#,
        ),
        (
            "LiquidAI/LFM2-1.2B",
            r#"{"model_type": "lfm2", "hidden_size": 2048, "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 8192,
            "vocab_size": 65536, "max_position_embeddings": 128000, "conv_L_cache": 3, "layer_types": ["conv", "conv", "full_attention",
            "conv", "conv", "full_attention", "conv", "conv", "full_attention", "conv", "full_attention", "conv", "full_attention", "conv",
            "full_attention", "conv"]}"#,
        ),
    ];
    for (name, text) in cases {
        let known = model(name).expect("known");
        let read = ModelConfig::read(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let towers = Architecture { towers: 0, ..known.architecture.clone() };
        assert_eq!(read.architecture, towers, "{name}");
        assert_eq!(read.format, known.precision.format, "{name}");
    }
}

#[test]
fn layers_for_multi_token_prediction_are_loaded_only_by_a_server_that_drafts() {
    // With and without these layers, as the models' pages and reports publish both.
    let published = [
        ("Qwen/Qwen3-Next-80B-A3B-Instruct", 79.7, 81.3),
        ("zai-org/GLM-5.3-Flash", 313.8, 321.0),
        ("deepseek-ai/DeepSeek-V3", 671.0, 682.6),
    ];
    for (name, without, with) in published {
        let shape = named(name).expect("known").model.architecture;
        let (own, all) = (shape.parameters(), shape.parameters() + shape.mtp_parameters());
        assert!((own / 1e9 / without - 1.0).abs() < 0.01 && (all / 1e9 / with - 1.0).abs() < 0.01, "{name}: {own} {all}");
        let of = |draft_tokens| {
            let server = Inference { draft_tokens, ..inference(8, Format::Half) };
            server.budget(shape, &hardware::find("B300", &[]).expect("known"))
        };
        let more = of(1).weights.as_f64() - of(0).weights.as_f64();
        assert!((more * 8.0 / 2.0 / shape.mtp_parameters() - 1.0).abs() < 1e-6, "{name}: {more}");
        assert!(of(1).kv.growth() > of(0).kv.growth(), "{name}");
    }
    let without = named("Qwen/Qwen3-8B").expect("known").model.architecture;
    assert!(without.mtp_parameters().abs() < f64::EPSILON);
}

#[test]
fn windows_that_are_not_freed_keep_all_tokens() {
    let gemma = named("google/gemma-3-27b-it").expect("known").model.architecture;
    let card = hardware::find("A100-80", &[]).expect("known");
    let needed = |frees_windows| {
        let budget = Inference { frees_windows, ..inference(1, Format::Half) }.budget(gemma, &card);
        (budget.kv.needed(Tokens(131_072)), budget.kv.room.high)
    };
    let (freed, room) = needed(true);
    assert!(freed < room, "{freed} of {room}");
    // All 62 layers keep 16 keys and values of 128 channels: 62 GiB.
    let (kept, room) = needed(false);
    assert_eq!(kept.rounded(), 62 * 131_072 * 2 * 16 * 128 * 2);
    assert!(kept > room, "{kept} of {room}");
}

#[test]
fn a_recurrence_beside_attention_is_in_the_same_layers() {
    let shape = named("tiiuae/Falcon-H1-7B-Instruct").expect("known").model.architecture;
    assert_eq!((shape.attention_layers(), shape.recurrent_layers(), shape.layers), (44, 44, 44));
    let kv = budget("tiiuae/Falcon-H1-7B-Instruct", "H100", 1).kv;
    // All layers keep keys and values, and one state of 1.6 MB in bf16 each.
    assert_eq!(kv.growth().rounded(), 44 * 2 * 2 * 128 * 2);
    let states = kv.needed(Tokens(0)).as_f64() / 1e6;
    assert!((69.0..72.0).contains(&states), "{states}");
}

#[test]
fn olmo_hybrid_attends_in_every_fourth_layer() {
    let shape = named("allenai/Olmo-Hybrid-7B").expect("known").model.architecture;
    assert_eq!((shape.attention_layers(), shape.recurrent_layers(), shape.layers), (8, 24, 32));
    assert!((shape.parameters() - 7_430_870_688.0).abs() < 1.0, "as transformers' classes have it: {}", shape.parameters());
}

#[test]
fn what_a_config_json_has_and_the_model_lacks_is_named() {
    let plain = r#""model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32, "intermediate_size": 14336, "vocab_size": 128256,
        "max_position_embeddings": 8192, "num_attention_heads": 32"#;
    let read = |more: &str| ModelConfig::read(&format!("{{{plain}{more}}}"));
    let unmodelled = |more: &str| read(more).expect("a shape").unmodelled;
    assert_eq!(unmodelled(""), Vec::<String>::new());
    assert!(unmodelled(r#", "num_mtp_modules": 1"#)[0].starts_with("`num_mtp_modules`"));
    assert!(unmodelled(r#", "quantization_config": {"quant_method": "aqlm"}"#)[0].contains("isn't known"));
    assert!(unmodelled(r#", "vision_config": {"depth": 2, "hidden_size": 8}"#)[0].contains("vision_config"));
    assert!(unmodelled(r#", "layer_types": ["full_attention", "magic"]"#)[0].starts_with("`layer_types`"));
    assert_eq!(
        read(r#", "num_key_value_heads": 7"#),
        Err(ConfigError::Indivisible("num_attention_heads", "num_key_value_heads"))
    );
    let parameters = |more: &str| read(more).expect("a shape").architecture.parameters();
    assert!((parameters(r#", "mlp_bias": true"#) - parameters("") - 32.0 * (4096.0 + 2.0 * 14336.0)).abs() < 1.0);
    let formats = [
        (r#"{"quant_method": "awq", "bits": 4}"#, Format::Int4),
        (r#"{"quant_method": "gptq", "bits": 8}"#, Format::Int8),
        (r#"{"quant_method": "modelopt", "quant_algo": "NVFP4"}"#, Format::Nvfp4),
        (r#"{"quant_method": "mxfp4"}"#, Format::Mxfp4),
        (r#"{"quant_method": "bitsandbytes", "load_in_4bit": true}"#, Format::Bnb4),
        (
            r#"{"quant_method": "compressed-tensors", "config_groups": {"group_0": {"weights": {"num_bits": 8, "type": "float"}}}}"#,
            Format::Fp8,
        ),
    ];
    for (config, format) in formats {
        assert_eq!(read(&format!(", \"quantization_config\": {config}")).expect("a shape").format, format, "{config}");
    }
}

#[test]
fn dense_layers_among_experts_are_counted() {
    let read = |more: &str| {
        let text = format!(
            r#"{{"model_type": "qwen3_moe", "hidden_size": 2048, "num_hidden_layers": 48, "num_attention_heads": 32, "num_key_value_heads": 4,
            "head_dim": 128, "intermediate_size": 6144, "moe_intermediate_size": 768, "vocab_size": 151936, "max_position_embeddings": 40960,
            "num_experts": 128, "num_experts_per_tok": 8{more}}}"#
        );
        ModelConfig::read(&text).expect("a shape").architecture.moe.expect("experts").dense_layers
    };
    assert_eq!(read(""), 0);
    assert_eq!(read(r#", "decoder_sparse_step": 2"#), 24);
    assert_eq!(read(r#", "mlp_only_layers": [0, 1, 47]"#), 3);
}

#[test]
fn models_that_are_published_in_8_bits_are_served_like_that() {
    for (name, gib) in [
        ("mistralai/Devstral-Small-2-24B-Instruct-2512", 24.0),
        ("mistralai/Ministral-3-8B-Instruct-2512", 9.6),
        ("mistralai/Devstral-2-123B-Instruct-2512", 119.0),
        ("mistralai/Mistral-Large-3-675B-Instruct-2512", 633.0),
    ] {
        let found = named(name).expect("a known model");
        assert_eq!(found.precision.format, Format::Fp8, "{name}");
        let weights = found.precision.bytes(found.model.architecture).as_gib();
        assert!((weights / gib - 1.0).abs() < 0.05, "{name}: {weights:.1}");
        assert!(found.model.architecture.context >= Tokens(262_144), "{name}");
    }
    assert_eq!(named("mistralai/Mistral-Large-3-675B-Base-2512").map(|named| named.precision.format), Ok(Format::Half));
}

#[test]
fn compressed_keys_and_values_take_little_room() {
    // The sizes of the files, and a tenth of the cache of DeepSeek-V3.2, which takes 49 KB for each token in its own format.
    for (name, gib, most) in [("deepseek-ai/DeepSeek-V4-Flash", 148.7, 4_500), ("deepseek-ai/DeepSeek-V4-Pro", 819.6, 6_000)] {
        let found = named(name).expect("a known model");
        let weights = found.precision.bytes(found.model.architecture).as_gib();
        assert!((weights / gib - 1.0).abs() < 0.01, "{name}: {weights:.1}");
        let kv = budget(name, "B200", 8).kv;
        assert!((3_000..=most).contains(&kv.growth().rounded()), "{name}: {}", kv.growth());
    }
    // 74 GiB on each of two GPUs, which leaves room for many long sequences.
    let flash = budget("deepseek-ai/DeepSeek-V4-Flash", "H200", 2);
    assert!((flash.weights.as_gib() - 74.5).abs() < 1.5, "{}", flash.weights);
    assert!(flash.kv.sequences(flash.kv.room.low, Tokens(32_768)) > 50, "{}", flash.kv.least().0);
}

/// Files of composite models as transformers writes them: what is the default of the class is left out.
#[test]
fn what_a_part_leaves_out_is_the_default_of_its_class() {
    let gemma = r#"{"model_type": "gemma3", "text_config": {"hidden_size": 2560, "intermediate_size": 10240, "model_type": "gemma3_text",
        "num_hidden_layers": 34, "sliding_window": 1024}}"#;
    let config = ModelConfig::read(gemma).expect("a shape");
    let Architecture { heads, kv_heads, head_dim, vocab, context, .. } = config.architecture;
    assert_eq!((heads, kv_heads, head_dim, vocab, context.0), (8, 4, 256, 262_208, 131_072));
    assert!(
        config.unmodelled.iter().any(|what| what.contains("no `vocab_size`, `num_attention_heads`")),
        "{:?}",
        config.unmodelled
    );
    // A file of its own that says nothing of its size has no shape.
    assert!(ModelConfig::read(r#"{"model_type": "gemma3_text"}"#).is_err());
    assert!(ModelConfig::read(r#"{"text_config": {"model_type": "gemma3_text", "num_attention_heads": "x"}}"#).is_err());
}
