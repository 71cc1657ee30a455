//! `cfg model`: what is reported about a model.

use serde_json::Value;

use super::{Folder, document_of};

#[track_caller]
fn check(folder: &Folder, words: &str, status: i32) -> Value {
    let ended = folder.run(&format!("model {words} --format json"));
    assert_eq!(ended.status, Some(status), "{ended:?}");
    document_of(&ended, &cfg_report::model::schema().to_value())
}

#[test]
fn a_known_model_is_described_and_fitted() {
    let folder = Folder::new(&[]);
    let report = check(&folder, "Qwen/Qwen3-8B --target 0.8.0", 0);
    let shape = &report["shape"];
    assert_eq!((&shape["layers"], &shape["heads"], &shape["kv_heads"]), (&36.into(), &32.into(), &8.into()));
    assert_eq!(report["tensor_parallel"], serde_json::json!([1, 2, 4, 8]));
    assert_eq!(report["tool_parsers"][0], "hermes");
    assert_eq!(report["has_renderer"], true);
    let card = |name: &str| {
        report["cards"].as_array().expect("cards").iter().find(|card| card["name"] == name).cloned().expect("the card")
    };
    let h100 = card("H100");
    assert_eq!(h100["lora"], 2, "{h100}");
    assert!(h100["full"].as_u64() > h100["lora"].as_u64(), "{h100}");
    // `cfg new` writes a config for each reported number of GPUs.
    let draft = |words: &str| {
        folder.run(&format!("new --model Qwen/Qwen3-8B --env reverse-text --goal cheap --target 0.8.0 {words}")).status
    };
    assert_eq!((draft("--gpu 2xH100 --method lora"), draft("--gpu 1xH100 --method lora")), (Some(0), Some(1)));
    // 0.4.0 has no renderers, and can run trainer and server on one card.
    let old = check(&folder, "Qwen/Qwen3-0.6B --target 0.4.0 --gpu H100", 0);
    assert!(old["has_renderer"].is_null(), "{old:#}");
    assert_eq!(old["cards"], serde_json::json!([{ "name": "H100", "lora": 1, "full": 1 }]));
}

#[test]
fn obstacles_to_a_model_are_listed() {
    let folder = Folder::new(&[]);
    let unknown = check(&folder, "Qwen/Qwen3-9B", 1);
    assert_eq!(unknown["cards"], Value::Array(Vec::new()), "{unknown:#}");
    let thinks = check(&folder, "Qwen/Qwen3-4B --gpu H100", 0);
    assert_eq!(thinks["drops_thoughts"], true, "{thinks:#}");
    insta::assert_snapshot!("problems_of_models", format!("{:#}\n{:#}", unknown["problems"], thinks["problems"]));
}

#[test]
fn the_shape_is_read_from_a_config_json() {
    let config = "{\"architectures\": [\"Qwen3ForCausalLM\"], \"model_type\": \"qwen3\", \"num_hidden_layers\": 36, \"hidden_size\": 4096, \
                  \"num_attention_heads\": 24, \"num_key_value_heads\": 8, \"head_dim\": 128, \"intermediate_size\": 12288, \"vocab_size\": 151936, \
                  \"max_position_embeddings\": 40960, \"tie_word_embeddings\": false, \"rms_norm_eps\": 1e-6}";
    let folder = Folder::new(&[("model/config.json", config)]);
    for flag in ["--model-config", "--config"] {
        let report = check(&folder, &format!("my/own-8B --gpu H200 {flag} model/config.json"), 0);
        assert_eq!(report["shape"]["heads"], 24);
        // 24 heads can be divided by 3 and 6, but the number of key-value heads can't.
        assert_eq!(report["tensor_parallel"], serde_json::json!([1, 2, 4, 8]));
    }
    assert_eq!(folder.run("model my/own-8B --model-config nowhere.json").status, Some(2));
    let text = folder.run("model Qwen/Qwen3-8B --gpu H100 --target 0.8.0");
    insta::assert_snapshot!("a_known_model_as_text", text.stdout);
}

#[test]
fn a_name_is_taken_for_the_shape_that_it_states_and_the_report_says_so() {
    let folder = Folder::new(&[]);
    let cases = [
        ("unsloth/Qwen3-8B", 8_190_735_360_u64, "bf16", "by its name, it has the shape of Qwen/Qwen3-8B"),
        ("Qwen/Qwen3-8B-FP8", 8_190_735_360, "fp8", "by its name, it has the shape of Qwen/Qwen3-8B"),
        ("someone/Qwen2.5-0.5B-Wordle", 494_032_768, "bf16", "assumed from its name to have the shape of Qwen/Qwen2.5-0.5B"),
        ("openai/gpt-oss-20b", 20_914_757_184, "mxfp4", "the catalogue: "),
    ];
    for (name, parameters, precision, source) in cases {
        let ended = folder.run(&format!("model {name} --gpu H200 --format json"));
        let report = document_of(&ended, &cfg_report::model::schema().to_value());
        let shape = &report["shape"];
        assert_eq!((&shape["parameters"], &shape["precision"]), (&parameters.into(), &precision.into()), "{name}");
        assert!(shape["source"].as_str().expect("a source").contains(source), "{name}: {shape}");
    }
}

#[test]
fn a_quantised_server_is_counted_alike_by_memory_and_check() {
    let config = |quantisation: &str, name: &str| format!("{quantisation}[model]\nname = \"{name}\"\nmax_model_len = 8192\n");
    let cases = [
        (config("", "Qwen/Qwen3-30B-A3B"), Some(1), 56.9),
        (config("quantization = \"fp8\"\n", "Qwen/Qwen3-30B-A3B"), Some(0), 29.1),
        (config("", "Qwen/Qwen3-30B-A3B-FP8"), Some(0), 29.1),
    ];
    for (text, status, gib) in cases {
        let folder = Folder::new(&[("inference.toml", &text)]);
        let ended = folder.run("memory inference.toml --gpu L40S --target 2026-08-01 --format json");
        assert_eq!(ended.status, status, "{text}: {ended:?}");
        let report: Value = serde_json::from_str(&ended.stdout).expect("JSON");
        let weights = report["gpus"][0]["inference"]["weights_bytes"].as_f64().expect("weights") / f64::from(1 << 30);
        assert!((weights - gib).abs() < 0.1, "{text}: {weights}");
        let checked = folder.run("check inference.toml --gpu L40S --target 2026-08-01 --format concise --select PRL4");
        assert_eq!(checked.status, status, "{text}: {checked:?}");
    }
}

#[test]
fn an_architecture_that_is_not_modelled_is_named() {
    let config = "{\"model_type\": \"zamba2\", \"hidden_size\": 2560, \"num_hidden_layers\": 54}";
    let folder = Folder::new(&[("base/config.json", config)]);
    let report = check(&folder, "./base --gpu H100", 1);
    assert!(report["shape"].is_null(), "{report:#}");
    let says = report["problems"].to_string();
    assert!(says.contains("does not support models of type `zamba2`") && !says.contains("--model-config"), "{says}");
    // Nor is a file asked for that would be refused.
    for name in ["Zyphra/Zamba2-7B-Instruct", "Qwen/Qwen3-Omni-30B-A3B-Instruct", "nvidia/Llama-3_3-Nemotron-Super-49B-v1_5"] {
        let says = check(&folder, &format!("{name} --gpu H100"), 1)["problems"].to_string();
        assert!(says.contains("its family") && !says.contains("--model-config"), "{says}");
    }
    let says = check(&folder, "acme/own-70B --gpu H100", 1)["problems"].to_string();
    assert!(says.contains("--model-config, which is enough for most architectures"), "{says}");
}
