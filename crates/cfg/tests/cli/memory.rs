//! `cfg memory`: the report on a run's GPUs, as JSON and as text.

use serde_json::Value;

use super::{Ended, Folder, document_of, finish, outcome};

/// A 7B model that is trained with LoRA on the same card as its server.
const SHARED: &str = "inference_gpu_ids = [0]\ntrainer_gpu_ids = [0]\nseq_len = 2048\n[model]\nname = \"Qwen/Qwen2.5-7B-Instruct\"\n\
    [trainer.model.lora]\nrank = 8\n[orchestrator]\n[[orchestrator.env]]\nid = \"reverse-text\"\n\
    [inference.model]\nmax_model_len = 4096\nenforce_eager = true\n[inference]\ngpu_memory_utilization = 0.45\n";

fn memory(arguments: &str, text: &str) -> Ended {
    Folder::new(&[("rl.toml", text)]).run(&format!("memory rl.toml --target d564195ca {arguments}"))
}

/// The document, after validating it with its schema.
#[track_caller]
fn document(ended: &Ended) -> Value {
    document_of(ended, &cfg_report::memory::schema().to_value())
}

#[test]
fn gpus_that_a_run_can_t_start_on_end_with_1() {
    let errors = |arguments: &str, text: &str| {
        let ended = memory(&format!("{arguments} --format json"), text);
        let document = document(&ended);
        let errors = document["layout_errors"].as_array().expect("a list").len();
        assert_eq!(ended.status, Some(i32::from(errors > 0)), "{ended:?}");
        errors
    };
    let two = SHARED.replace("trainer_gpu_ids = [0]", "trainer_gpu_ids = [1]").replace("-7B-", "-0.5B-");
    assert_eq!(errors("--gpu 2xH100", &two), 0);
    assert_eq!(errors("--gpu 1xH100", &two), 1);
    assert_eq!(errors("--gpu H100", &two), 0, "a kind alone says nothing of how many there are");
    let stated = |gpus: u32| format!("# /// config\n# hardware = \"{gpus}x H100\"\n# ///\n{two}");
    assert_eq!((errors("", &stated(1)), errors("", &stated(2)), errors("--gpu 1xH100", &stated(2))), (1, 0, 1));
    let three = two.replace("[trainer.model.lora]", "[trainer.model]\ncp = 3\n[trainer.model.lora]");
    assert_eq!(errors("--gpu 8xH100", &three), 1);
    let table = memory("--gpu 8xH100", &three);
    insta::assert_snapshot!("gpus_that_a_run_can_t_start_on", table.stdout);
    let four = two.replace("trainer_gpu_ids = [1]", "trainer_gpu_ids = [1, 2, 3]");
    let first = |gpu: &str| memory(&format!("--gpu {gpu}"), &four).stdout.lines().next().unwrap_or_default().to_owned();
    assert_eq!(
        first("2xH100"),
        "Can't start on 2x H100 with prime-rl d564195ca: the run uses 4 GPUs",
        "the machine that was given"
    );
    assert_eq!(first("1xH100"), "Can't start on H100 with prime-rl d564195ca: the run uses 4 GPUs");
    assert!(memory("--gpu 2xH100", &four).stdout.contains("\nWith 4x H100:\nGPU 0 (H100, 79.2 GiB)"));
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
    let peak = gpu["trainer"]["peak_bytes"].as_u64().expect("a peak");
    assert!(sum.abs_diff(peak) < 100, "{sum} of {peak}");
    assert_eq!(document["accuracy"]["not_validated"], serde_json::json!(["no activation checkpointing"]));
}

#[test]
fn checkpointing_reduces_the_memory_enough() {
    let ended = memory("--gpu H100 --format json", &SHARED.replace("[orchestrator]", "[trainer.model.ac]\n[orchestrator]"));
    assert_eq!(ended.status, Some(0), "{ended:?}");
    assert_eq!(document(&ended)["gpus"][0]["verdict"], "fits");
}

#[test]
fn an_unknown_gpu_has_no_verdict() {
    let ended = memory("--format json", SHARED);
    assert_eq!(ended.status, Some(0), "{ended:?}");
    let document = document(&ended);
    let gpu = &document["gpus"][0];
    assert_eq!((&gpu["verdict"], &gpu["inference"]), (&"unknown".into(), &Value::Null));
    let refused = memory("--gpu H1000", SHARED);
    assert_eq!((refused.status, refused.stdout.as_str()), (Some(2), ""));
    insta::assert_snapshot!("the_memory_of_an_unknown_gpu", refused.stderr);
}

#[test]
fn metadata_states_the_card() {
    let text = format!("# /// config\n# hardware = \"1x RTX 4090 (Vast.ai)\"\n# ///\n{SHARED}");
    let ended = memory("--format json", &text);
    assert_eq!(document(&ended)["gpus"][0]["name"], "RTX 4090", "{ended:?}");
}

/// The rows of a document, after validating them with their schema.
#[track_caller]
fn rows(ended: &Ended) -> Vec<Value> {
    let document: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
    let validator = jsonschema::validator_for(&cfg_report::memory::rows_schema().to_value()).expect("the schema is one");
    assert!(validator.is_valid(&document), "{document:#}");
    document["rows"].as_array().expect("rows").clone()
}

/// The value and verdict of each row.
#[track_caller]
fn verdicts(ended: &Ended) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    rows(ended).iter().map(|row| (text(&row["value"]), text(&row["verdict"]))).collect()
}

#[test]
fn all_cards_are_listed_the_smallest_first() {
    let cards = memory("--gpu all", SHARED);
    assert!(cards.stdout.lines().any(|line| line.starts_with("H200") && line.ends_with("fits")), "{cards:?}");
    let rows = rows(&memory("--gpu all --format json", SHARED));
    let totals: Vec<u64> = rows.iter().map(|row| row["total_bytes"].as_u64().expect("a number")).collect();
    assert!(totals.is_sorted() && totals.len() > 10, "{totals:?}");
    let refused = memory("--gpu all --sweep seq_len", SHARED);
    assert_eq!((refused.status, refused.stdout.as_str()), (Some(2), ""), "{refused:?}");
}

#[test]
fn settings_are_swept() {
    let lengths = memory("--gpu H100 --sweep seq_len", SHARED);
    assert_eq!(lengths.stdout.lines().count(), 10, "{lengths:?}");
    let shares = verdicts(&memory("--gpu H100 --format json --sweep gpu_memory_utilization=0.3..0.45", SHARED));
    let expected = [("0.3", "fits"), ("0.35", "fits"), ("0.4", "out-of-memory"), ("0.45", "out-of-memory")];
    assert_eq!(shares, expected.map(|(value, verdict)| (value.to_owned(), verdict.to_owned())));
    let sequences = verdicts(&memory("--gpu H100 --format json-lines --sweep micro_batch=1..2", SHARED));
    assert_eq!(sequences.len(), 2);
    let longest = verdicts(&memory("--gpu H100 --format json --sweep max_model_len=4096..32768", SHARED));
    assert_eq!(longest.len(), 4);
}

#[test]
fn any_key_of_the_config_is_swept() {
    let run = |words: &str| memory(&format!("--gpu H100 --format json --sweep {words}"), SHARED);
    let ranks = rows(&run("trainer.model.lora.rank=8,64"));
    assert!(ranks[0]["trainer_peak_high_bytes"].as_u64() < ranks[1]["trainer_peak_high_bytes"].as_u64(), "{ranks:?}");
    let same = rows(&run("seq_len=2048..2048"));
    assert_eq!(same[0]["held_high_bytes"], ranks[0]["held_high_bytes"], "what the config has already");
    let own = SHARED.replace("seq_len = 2048\n", "");
    let refused = rows(&memory("--gpu H100 --format json --sweep trainer.model.seq_len=1024..2048", &own));
    assert_eq!((&refused[0]["verdict"], &refused[1]["verdict"]), (&"rejected".into(), &"out-of-memory".into()));
    for words in
        ["trainer.model.nonsense=1..4", "seq_len=a..b", "trainer.model.lora.rank", "gpu_memory_utilization=2..3", "seq_len=0..1"]
    {
        let ended = run(words);
        assert_eq!((ended.status, &outcome(&ended)["outcome"]), (Some(2), &"failed".into()), "{words}: {ended:?}");
    }
}

#[test]
fn pictures_are_documents() {
    for arguments in ["--gpu H100", "", "--gpu all", "--gpu H100 --sweep seq_len"] {
        let ended = memory(&format!("--format svg {arguments}"), SHARED);
        assert!(ended.stdout.starts_with("<svg ") && ended.stdout.ends_with("</svg>\n"), "{arguments}: {ended:?}");
        assert_eq!(ended.stdout.matches("<svg").count(), 1);
    }
    assert!(memory("--format svg --gpu H100", SHARED).stdout.contains("vLLM: KV cache 15.9 GiB"));
}

#[test]
fn the_story_of_one_card_fits_on_one_screen() {
    let lines = |ended: &Ended| ended.stdout.lines().map(str::to_owned).collect::<Vec<_>>();
    let checkpointed = SHARED.replace("[orchestrator]", "[trainer.model.ac]\n[orchestrator]");
    let first = memory("--gpu H100", SHARED);
    let default = memory("--gpu H100", &SHARED.replace("gpu_memory_utilization = 0.45\n", ""));
    let fifth = memory("--gpu H100", &checkpointed.replace("0.45", "0.5"));
    for ended in [&first, &default, &fifth] {
        let lines = lines(ended);
        assert!(lines.len() <= 28 && lines.iter().all(|line| line.chars().count() <= 90), "{lines:#?}");
    }
    insta::assert_snapshot!("a_card_that_is_too_small", first.stdout);
    insta::assert_snapshot!("a_server_that_cannot_start", default.stdout);
    insta::assert_snapshot!("a_card_that_is_large_enough", fifth.stdout);
}

#[test]
fn the_registry_states_the_card_before_the_settings_and_after_the_config() {
    let folder = Folder::new(&[
        ("configs/rl.toml", SHARED),
        ("cfg.toml", "gpu = \"H200\"\n"),
        (
            "registry.json",
            r#"{"active_configs": {}, "configs": {"configs/rl.toml": {"hardware": "2x A100-80", "versions": {}}}}"#,
        ),
    ]);
    let card = |arguments: &str| {
        let ended = folder.run(&format!("memory configs/rl.toml --target d564195ca --format json {arguments}"));
        let hardware = document(&ended)["hardware"].clone();
        (hardware["name"].as_str().unwrap_or_default().to_owned(), hardware["source"].as_str().unwrap_or_default().to_owned())
    };
    let pair = |name: &str, source: &str| (name.to_owned(), source.to_owned());
    assert_eq!(card(""), pair("A100-80", "registry.json"));
    assert_eq!(card("--gpu H100"), pair("H100", "--gpu"));
    let found = folder.run("check configs/rl.toml --target d564195ca --format concise --select PRL4");
    assert!(found.stdout.contains("A100-80"), "{found:?}");
    folder.write("registry.json", b"{\"configs\": {\"other.toml\": {\"hardware\": \"T4\"}}}");
    assert_eq!(card("").0, "H200");
    folder.write("registry.json", b"nonsense");
    assert_eq!(card("").0, "H200");
    folder.write("configs/rl.toml", format!("# /// config\n# hardware = \"B200\"\n# ///\n{SHARED}").as_bytes());
    assert_eq!(card(""), pair("B200", "metadata"));
}

#[test]
fn own_cards_are_known_everywhere() {
    let folder =
        Folder::new(&[("rl.toml", SHARED), ("cfg.toml", "gpu = \"1x Zeta 9000\"\n[gpus.\"Zeta 9000\"]\nmemory = \"60 GiB\"\n")]);
    let run = |words: &str| folder.run(&format!("{words} --target d564195ca"));
    let report = document(&run("memory rl.toml --format json"));
    assert_eq!((&report["gpus"][0]["name"], &report["gpus"][0]["total_bytes"]), (&"Zeta 9000".into(), &(60_u64 << 30).into()));
    assert_eq!(document(&run("memory rl.toml --format json --gpu zeta-9000"))["hardware"]["source"], "--gpu");
    assert!(run("memory rl.toml --gpu all").stdout.contains("Zeta 9000"));
    let found = run("check rl.toml --format concise --select PRL4");
    assert!(found.stdout.contains("Zeta 9000") && found.stdout.contains("60.0 GiB"), "{found:?}");
}

#[test]
fn an_invalid_card_of_the_settings_is_named() {
    let settings = "[gpus.Big]\nmemory = \"20000 GiB\"\n[gpus.Odd-48]\nmemory = 48\n";
    let folder = Folder::new(&[("rl.toml", SHARED), ("cfg.toml", settings)]);
    for card in ["Big", "Odd-48"] {
        let refused = folder.run(&format!("memory rl.toml --target d564195ca --gpu 1x{card}"));
        assert_eq!(refused.status, Some(2), "{refused:?}");
        assert!(
            refused.stderr.contains(&format!("the card `{card}` that")) && refused.stderr.contains("is invalid"),
            "{refused:?}"
        );
    }
}

#[test]
fn the_disk_is_stated_or_measured() {
    let text = SHARED.replace("seq_len = 2048", "seq_len = 2048\nmax_steps = 50\n[ckpt]\ninterval = 10\nkeep_last = 1");
    let folder = Folder::new(&[("rl.toml", &text), ("cfg.toml", "disk = \"40 GB\"\n")]);
    let run = |words: &str| folder.run(&format!("{words} --target d564195ca"));
    let disk = |words: &str| document(&run(&format!("memory rl.toml --gpu H200 --format json {words}")))["disk"].clone();
    assert_eq!((&disk("")["verdict"], &disk("")["free_bytes"]), (&"full".into(), &40_000_000_000_u64.into()));
    assert_eq!(disk("--disk 2TB")["verdict"], "fits");
    let asked = disk("--disk local");
    assert!(asked["free_bytes"].is_u64() && asked["verdict"] != "unknown", "{asked:?}");
    let found = run("check rl.toml --format concise --select PRL410");
    assert!(found.stdout.contains("PRL410"), "{found:?}");
    assert_eq!(run("memory rl.toml --gpu H200 --disk much").status, Some(2));
}

/// The shape of Qwen2.5-7B, from its `config.json`.
const CONFIG_JSON: &str = r#"{"model_type": "qwen2", "hidden_size": 3584, "intermediate_size": 18944, "num_hidden_layers": 28,
    "num_attention_heads": 28, "num_key_value_heads": 4, "vocab_size": 152064, "max_position_embeddings": 32768,
    "tie_word_embeddings": false}"#;

#[test]
fn the_shape_is_read_from_the_models_own_config() {
    let text = SHARED.replace("Qwen/Qwen2.5-7B-Instruct", "mine/tuned");
    let folder = Folder::new(&[("rl.toml", &text), ("shape.json", CONFIG_JSON), ("none.json", "{}")]);
    let run = |arguments: &str| folder.run(&format!("memory rl.toml --target d564195ca --gpu H100 --format json {arguments}"));
    let unknown = run("");
    assert_eq!(unknown.status, Some(2), "{unknown:?}");
    assert!(unknown.stderr.contains("--model-config"), "{unknown:?}");
    let of_file = run("--model-config shape.json");
    let by_name = memory("--gpu H100 --format json", SHARED);
    assert_eq!(document(&of_file)["gpus"], document(&by_name)["gpus"]);
    let mut reasons = String::new();
    for name in ["none.json", "nothing.json"] {
        let refused = run(&format!("--model-config {name}"));
        assert_eq!((refused.status, &outcome(&refused)["outcome"]), (Some(2), &"failed".into()), "{refused:?}");
        reasons += &format!("{}{}\n", refused.stderr, outcome(&refused)["errors"]);
    }
    folder.write("mine/tuned/config.json", b"{\"model_type\": \"mamba\"}");
    let strange = run("");
    reasons += &strange.stderr.replace(&folder.path().display().to_string(), "FOLDER");
    insta::assert_snapshot!("shapes_that_are_not_read", reasons);
    folder.write("mine/tuned/config.json", CONFIG_JSON.as_bytes());
    assert_eq!(document(&run(""))["gpus"], document(&by_name)["gpus"], "a folder of that name");
    let found = folder.run("check rl.toml --target d564195ca --format concise --select PRL4");
    assert!(!found.stdout.contains("PRL40"), "no card is stated: {found:?}");
    folder.write("cfg.toml", b"gpu = \"H100\"\n");
    let found = folder.run("check rl.toml --target d564195ca --format concise --select PRL4");
    assert!(found.stdout.contains("PRL406"), "{found:?}");
}

#[test]
fn the_shape_is_read_from_a_copy_of_the_hub() {
    let text = SHARED.replace("Qwen/Qwen2.5-7B-Instruct", "mine/tuned");
    let folder = Folder::new(&[("rl.toml", &text), ("cfg.toml", "gpu = \"H100\"\n")]);
    let copies = "hub/models--mine--tuned";
    folder.write(&format!("{copies}/snapshots/abc/config.json"), CONFIG_JSON.as_bytes());
    folder.write(&format!("{copies}/snapshots/def/config.json"), b"{\"model_type\": \"mamba\"}");
    folder.write(&format!("{copies}/refs/main"), b"abc\n");
    let run = |words: &str, name: &str, value: &str| {
        let mut command = folder.command(&format!("{words} --target d564195ca"));
        finish(command.env(name, folder.path().join(value)), b"")
    };
    let by_name = document(&memory("--gpu H100 --format json", SHARED))["gpus"].clone();
    for (name, value) in [("HF_HUB_CACHE", "hub"), ("HUGGINGFACE_HUB_CACHE", "hub"), ("HF_HOME", "")] {
        assert_eq!(document(&run("memory rl.toml --format json", name, value))["gpus"], by_name, "{name}");
    }
    let found = run("check rl.toml --format concise --select PRL4", "HF_HUB_CACHE", "hub");
    assert!(found.stdout.contains("PRL406"), "{found:?}");
    folder.write(&format!("{copies}/refs/main"), b"def");
    let strange = run("memory rl.toml", "HF_HUB_CACHE", "hub");
    assert!(strange.status == Some(2) && strange.stderr.contains("`mamba`"), "{strange:?}");
    folder.write("rl.toml", SHARED.replace("Qwen/Qwen2.5-7B-Instruct", "../../hub/models--mine--tuned").as_bytes());
    assert_eq!(run("memory rl.toml", "HF_HUB_CACHE", "hub/x/y").status, Some(2), "a name leads nowhere else");
}

/// Runs a command with a fake program that has this name and runs this script.
#[cfg(unix)]
fn with_program(folder: &Folder, words: &str, name: &str, script: &str) -> Ended {
    use std::os::unix::fs::PermissionsExt as _;
    let programs = Folder::new(&[(name, &format!("#!/bin/sh\n{script}\n"))]);
    let path = programs.path().join(name);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("a mode");
    finish(folder.command(words).env("PATH", format!("{}:/bin:/usr/bin", programs.path().display())), b"")
}

#[cfg(unix)]
#[test]
fn the_local_machine_is_queried_on_request() {
    let folder = Folder::new(&[("rl.toml", SHARED)]);
    let run =
        |script: &str| with_program(&folder, "memory rl.toml --target d564195ca --gpu local --format json", "nvidia-smi", script);
    let two = "echo 0, GPU-1, NVIDIA H100 80GB HBM3, 81559, 30000, 551\necho 1, GPU-2, NVIDIA H100 80GB HBM3, 81559, 4, 551";
    let report = document(&run(two));
    assert_eq!(
        report["hardware"],
        serde_json::json!({"count": 2, "name": "H100", "total_bytes": 85_018_877_624_u64, "source": "nvidia-smi"})
    );
    assert!(report["assumed"][0].as_str().expect("a note").contains("29.3 GiB"), "{report:#}");
    let old = "case \"$1\" in *reserved*) exit 2;; esac\necho 0, GPU-1, Tesla T4, 15109, 0";
    assert_eq!(document(&run(old))["gpus"][0]["name"], "T4");
    let mut reasons = String::new();
    for script in ["exit 9", "echo No devices", "true"] {
        let refused = run(script);
        assert_eq!(refused.status, Some(2), "{script}: {refused:?}");
        reasons += &refused.stderr;
    }
    insta::assert_snapshot!("answers_of_nvidia_smi_without_gpus", reasons);
    let absent = folder.run("memory rl.toml --target d564195ca --gpu local");
    assert!(absent.status == Some(2) && absent.stderr.contains("nvidia-smi"), "{absent:?}");
}

#[test]
fn files_that_a_config_names_count() {
    let base = SHARED.replace("seq_len = 2048\n", "");
    let folder = Folder::new(&[
        ("base.toml", &base),
        ("rl.toml", "toml_files = [\"base.toml\"]\nseq_len = 2048\n"),
        ("alone.toml", SHARED),
    ]);
    let run = |words: &str| folder.run(&format!("memory {words} --target d564195ca --gpu H100"));
    assert_eq!(document(&run("rl.toml --format json"))["gpus"], document(&run("alone.toml --format json"))["gpus"]);
    let refused = run("rl.toml --sweep trainer.model.lora.rank=8,16");
    assert!(refused.status == Some(2) && refused.stderr.contains("toml_files"), "{refused:?}");
}

#[test]
fn split_files_are_one_run() {
    let folder = Folder::new(&[
        ("train.toml", "[model]\nname = \"Qwen/Qwen3-8B\"\nseq_len = 1024\n[model.ac]\n[model.lora]\nrank = 4\n"),
        ("orch.toml", "seq_len = 1024\nbatch_size = 4\n[model]\nname = \"Qwen/Qwen3-8B\"\n[[env]]\nid = \"reverse-text\"\n"),
        (
            "infer.toml",
            "gpu_memory_utilization = 0.5\n[model]\nname = \"Qwen/Qwen3-8B\"\nmax_model_len = 2048\nenforce_eager = true\n",
        ),
    ]);
    let ended = folder.run("memory train.toml orch.toml infer.toml --target d564195ca --gpu A100-80 --format json");
    let report = document(&ended);
    assert_eq!(report["gpus"][0]["roles"], serde_json::json!(["trainer", "inference"]), "{ended:?}");
    assert!(report["assumed"].as_array().is_some_and(|assumed| assumed.len() > 1), "{report:#}");
    let swept = folder
        .run("memory train.toml orch.toml infer.toml --target d564195ca --gpu A100-80 --format json --sweep max_num_seqs=1,2");
    assert_eq!(swept.status, Some(2), "no file has the key: {swept:?}");
}

#[test]
fn an_unmeasured_or_limited_gpu_has_a_note() {
    let text = SHARED.replace("[orchestrator]", "[trainer.model.ac]\n[orchestrator]");
    let report = |gpu: &str| document(&memory(&format!("--gpu {gpu} --format json"), &text));
    let measured = report("H100");
    assert_eq!(
        (&measured["accuracy"]["validated"], &measured["accuracy"]["not_validated"]),
        (&true.into(), &serde_json::json!([]))
    );
    let never = report("H20");
    assert_eq!(never["accuracy"]["validated"], false);
    assert_eq!(never["accuracy"]["not_validated"], serde_json::json!(["runs on H20"]));
    let lacking = report("V100-32");
    insta::assert_snapshot!("a_card_without_bfloat16", lacking["assumed"][0].as_str().expect("a note"));
    let advised = measured["fits_on"].as_array().expect("a list");
    assert!(advised.contains(&"H20".into()) && !advised.contains(&"MI300X".into()), "{advised:?}");
    assert!(!memory("--gpu all", SHARED).stdout.contains("T4"));
}

#[test]
fn cards_and_machines_are_listed() {
    let listed = Folder::new(&[]).run("gpu --format json");
    let document = document_of(&listed, &cfg_report::gpus::schema().to_value());
    let card = |name: &str| {
        let cards = document["cards"].as_array().expect("a list");
        cards.iter().find(|card| card["name"] == name).unwrap_or_else(|| panic!("{name}: {document:#}")).clone()
    };
    assert_eq!((&card("H100")["validated"], &card("H100")["has_speed"]), (&true.into(), &true.into()));
    for name in ["A10G", "V100-16", "V100-32", "GH200", "B300", "H20", "MI300X"] {
        assert_eq!((&card(name)["validated"], &card(name)["has_speed"]), (&false.into(), &false.into()), "{name}");
    }
    assert_eq!(card("GH200")["lacks"], Value::Null);
    let plain = Folder::new(&[("cfg.toml", "[gpus.\"My Card\"]\nmemory = \"40 GiB\"\n")]).run("gpu").stdout;
    assert!(plain.lines().any(|line| line.starts_with("My Card ") && line.contains("40.0 GiB")), "{plain}");
    for command in ["memory --gpu list", "estimate --gpu list", "check --gpu list"] {
        assert_eq!(Folder::new(&[]).run(&format!("{command} --format json")).stdout, listed.stdout, "{command}");
    }
    let without = Folder::new(&[]).run("memory --gpu H100");
    assert_eq!((without.status, &*without.stderr), (Some(2), "cfg: missing config: pass its file\n"));
}

#[test]
fn the_machine_has_the_same_name_from_every_source() {
    let two = SHARED.replace("trainer_gpu_ids = [0]", "trainer_gpu_ids = [1]").replace("-7B-", "-0.5B-");
    let check = |arguments: &str, metadata: &str, settings: &str| {
        let folder = Folder::new(&[("rl.toml", &format!("{metadata}{two}")), ("cfg.toml", settings)]);
        folder.run(&format!("check rl.toml --target d564195ca --format concise --select PRL816 {arguments}"))
    };
    let beyond =
        |ended: &Ended| ended.stdout.lines().filter(|line| line.starts_with("rl.toml:") && line.contains("PRL816")).count();
    assert_eq!(beyond(&check("", "", "")), 0);
    for arguments in ["--gpu 1xH100", "--hardware 1xH100", "--gpu H100:1"] {
        let ended = check(arguments, "", "");
        assert_eq!((beyond(&ended), ended.status), (1, Some(1)), "{ended:?}");
    }
    for key in ["hardware", "gpu"] {
        assert_eq!(beyond(&check("", &format!("# /// config\n# {key} = \"1x H100\"\n# ///\n"), "")), 1, "{key}");
        assert_eq!(beyond(&check("", "", &format!("{key} = \"1x H100\"\n"))), 1, "{key}");
    }
    let stated = "# /// config\n# hardware = \"1x H100\"\n# ///\n";
    assert_eq!(beyond(&check("--gpu 2xH100", stated, "")), 0, "what is asked for counts first");
    assert_eq!(beyond(&check("--gpu H100", stated, "")), 0, "a kind alone says nothing of how many there are");
    let unknown = check("--gpu H1000", "", "");
    assert_eq!(unknown.status, Some(2));
    insta::assert_snapshot!("a_check_for_an_unknown_gpu", unknown.stderr);
}

/// The page about this command, whose examples must show the real output.
const PAGE: &str = include_str!("../../../../docs/memory.md");

#[test]
fn the_page_shows_what_is_printed() {
    let blocks = |kind: &str| {
        let fence = format!("```{kind}\n");
        let parts = PAGE.split(&fence).skip(1);
        parts.filter_map(|part| part.split_once("```").map(|(block, _)| block.to_owned())).collect::<Vec<_>>()
    };
    let folder = Folder::new(&[]);
    for file in blocks("toml") {
        let name = file.lines().next().and_then(|line| line.strip_prefix("# file: ")).expect("a name").to_owned();
        folder.write(&name, file.as_bytes());
    }
    let mut page = PAGE.to_owned();
    let shown = blocks("console");
    assert!(shown.len() > 5);
    for block in shown {
        let (command, output) = block.strip_prefix("$ cfg ").and_then(|block| block.split_once('\n')).expect("a command");
        let printed = folder.run(command).stdout;
        if std::env::var_os("CFG_UPDATE_PAGES").is_none() {
            assert_eq!(printed, output, "{command}");
        }
        page = page.replace(&format!("$ cfg {command}\n{output}```"), &format!("$ cfg {command}\n{printed}```"));
    }
    if std::env::var_os("CFG_UPDATE_PAGES").is_some() {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/memory.md"), page).expect("it can be written");
    }
}
