//! `cfg memory`: the report of a run's GPUs, for programs and for people.

use serde_json::Value;

use super::{Ended, Folder};

/// A 7B model that trains with adapters beside its server, on one card.
const SHARED: &str = "inference_gpu_ids = [0]\ntrainer_gpu_ids = [0]\nseq_len = 2048\n[model]\nname = \"Qwen/Qwen2.5-7B-Instruct\"\n\
    [trainer.model.lora]\nrank = 8\n[orchestrator]\n[[orchestrator.env]]\nid = \"reverse-text\"\n\
    [inference.model]\nmax_model_len = 4096\nenforce_eager = true\n[inference]\ngpu_memory_utilization = 0.45\n";

fn memory(arguments: &str, text: &str) -> Ended {
    Folder::new(&[("rl.toml", text)]).run(&format!("memory rl.toml --target d564195ca {arguments}"))
}

/// The document, which its schema accepts.
#[track_caller]
fn document(ended: &Ended) -> Value {
    let document: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
    let validator = jsonschema::validator_for(&cfg_report::memory::schema().to_value()).expect("the schema is one");
    let errors: Vec<String> = validator.iter_errors(&document).map(|error| error.to_string()).collect();
    assert_eq!(errors, [""; 0], "{document:#}");
    document
}

#[test]
fn a_card_that_is_too_small_ends_with_1() {
    let ended = memory("--gpu H100 --format json", SHARED);
    assert_eq!(ended.status, Some(1), "{ended:?}");
    let document = document(&ended);
    let gpu = &document["gpus"][0];
    assert_eq!((&gpu["verdict"], &gpu["name"]), (&"out-of-memory".into(), &"H100".into()));
    assert_eq!(gpu["roles"], serde_json::json!(["trainer", "inference"]));
    let parts = gpu["trainer"]["parts"].as_array().expect("parts");
    let sum: u64 = parts.iter().filter_map(|part| part["bytes"].as_u64()).sum();
    let peak = gpu["trainer"]["peak_high_bytes"].as_u64().expect("a peak");
    assert!(sum.abs_diff(peak) < 100, "{sum} of {peak}");
    assert_eq!(document["accuracy"]["not_validated"], serde_json::json!(["no activation checkpointing"]));
}

#[test]
fn checkpointing_makes_it_fit() {
    let ended = memory("--gpu H100 --format json", &SHARED.replace("[orchestrator]", "[trainer.model.ac]\n[orchestrator]"));
    assert_eq!(ended.status, Some(0), "{ended:?}");
    assert_eq!(document(&ended)["gpus"][0]["verdict"], "fits");
}

#[test]
fn an_unknown_card_is_not_judged() {
    let ended = memory("--format json", SHARED);
    assert_eq!(ended.status, Some(0), "{ended:?}");
    let document = document(&ended);
    let gpu = &document["gpus"][0];
    assert_eq!((&gpu["verdict"], &gpu["inference"]), (&"unknown".into(), &Value::Null));
    let refused = memory("--gpu H1000", SHARED);
    assert_eq!((refused.status, refused.stdout.as_str()), (Some(2), ""));
    assert!(refused.stderr.contains("did you mean `H100`?"), "{refused:?}");
}

#[test]
fn metadata_states_the_card() {
    let text = format!("# /// config\n# hardware = \"1x RTX 4090 (Vast.ai)\"\n# ///\n{SHARED}");
    let ended = memory("--format json", &text);
    assert_eq!(document(&ended)["gpus"][0]["name"], "RTX 4090", "{ended:?}");
}

#[test]
fn all_cards_and_all_lengths_are_listed() {
    let cards = memory("--gpu all", SHARED);
    assert!(cards.stdout.lines().any(|line| line.starts_with("H200") && line.ends_with("fits")), "{cards:?}");
    let sweep = memory("--gpu H100 --sweep", SHARED);
    assert_eq!(sweep.stdout.lines().count(), 8, "{sweep:?}");
}

/// The shape of Qwen2.5-7B, as its own file has it.
const CONFIG_JSON: &str = r#"{"model_type": "qwen2", "hidden_size": 3584, "intermediate_size": 18944, "num_hidden_layers": 28,
    "num_attention_heads": 28, "num_key_value_heads": 4, "vocab_size": 152064, "max_position_embeddings": 32768,
    "tie_word_embeddings": false}"#;

#[test]
fn a_models_own_config_gives_its_shape() {
    let text = SHARED.replace("Qwen/Qwen2.5-7B-Instruct", "mine/tuned");
    let folder = Folder::new(&[("rl.toml", &text), ("shape.json", CONFIG_JSON), ("none.json", "{}")]);
    let run = |arguments: &str| folder.run(&format!("memory rl.toml --target d564195ca --gpu H100 --format json {arguments}"));
    let unknown = run("");
    assert_eq!(unknown.status, Some(2), "{unknown:?}");
    assert!(unknown.stderr.contains("--model-config"), "{unknown:?}");
    let of_file = run("--model-config shape.json");
    let by_name = memory("--gpu H100 --format json", SHARED);
    assert_eq!(document(&of_file)["gpus"], document(&by_name)["gpus"]);
    for (name, why) in [("none.json", "models of the kind ``"), ("nothing.json", "nothing.json: ")] {
        let refused = run(&format!("--model-config {name}"));
        assert_eq!((refused.status, refused.stdout.as_str()), (Some(2), ""), "{refused:?}");
        assert!(refused.stderr.contains(why), "{refused:?}");
    }
    folder.write("mine/tuned/config.json", CONFIG_JSON.as_bytes());
    assert_eq!(document(&run(""))["gpus"], document(&by_name)["gpus"], "a folder of that name");
}
