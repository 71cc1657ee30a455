//! `cfg run diagnose`: logs of all kinds, the related lines of a config, and the JSON report.

use serde_json::Value;

use super::{Ended, Folder, document_of};

/// A config in which trainer and server share a card, and answers are too long for the context.
const CONFIG: &str = "inference_gpu_ids = [0]\ntrainer_gpu_ids = [0]\nmax_steps = 1000\n\n[model]\nname = \"Qwen/Qwen2.5-7B-Instruct\"\n\n\
    [trainer.model]\nseq_len = 2048\nfsdp_cpu_offload = true\n\n[trainer.model.lora]\nrank = 8\n\n[orchestrator]\nbatch_size = 8\n\
    rollouts_per_example = 2\nseq_len = 2048\n\n[orchestrator.sampling]\nmax_tokens = 4000\n\n[[orchestrator.env]]\n\
    id = \"seconds-0/beautiful-soup-env\"\n\n[orchestrator.env.args]\nsplit = \"train\"\nexecutor_backend = \"prime\"\n\n\
    [inference]\ngpu_memory_utilization = 0.9\n\n[inference.model]\nmax_model_len = 4096\n";

const OVERFLOW: &str = "ValueError: 'max_tokens' or 'max_completion_tokens' is too large: 4000. This model's maximum context length is 4096 \
    tokens and your request has 1297 input tokens (4000 > 4096 - 1297).";

fn buried(text: &str) -> String {
    let line = "INFO:     127.0.0.1:39012 - \"POST /v1/chat/completions HTTP/1.1\" 200 OK\n";
    format!("{}{text}\n{}", line.repeat(2000), line.repeat(1000))
}

/// The document, after validating it with its schema.
#[track_caller]
fn document(ended: &Ended) -> Value {
    document_of(ended, &cfg_report::diagnosis::schema().to_value())
}

/// The lines of the config that are related to a text in a log, with a prime-rl of January 2026.
fn blamed(text: &str) -> Vec<String> {
    let folder = Folder::new(&[("rl.toml", CONFIG), ("run.log", &buried(text))]);
    let ended = folder.run("run diagnose run.log --against rl.toml --target d564195ca --format json");
    assert_eq!(ended.status, Some(1), "{ended:?}");
    let document = document(&ended);
    assert_eq!(document["findings"][0]["seen"][0]["line"], 2001, "{document:#}");
    let places = document["findings"][0]["places"].as_array().expect("places").iter();
    places.map(|place| place["text"].as_str().expect("a text").to_owned()).collect()
}

#[test]
fn the_line_that_caused_it_is_named() {
    assert_eq!(blamed(OVERFLOW)[0], "max_tokens = 4000");
    assert!(blamed(OVERFLOW).iter().any(|text| text == "max_model_len = 4096"));
    let offload =
        "RuntimeError: Attempted to set the storage of a tensor on device \"cpu\" to a storage on different device \"cuda:0\"";
    assert_eq!(blamed(offload)[0], "fsdp_cpu_offload = true");
    let free = "ValueError: Free memory on device (48.97/79.18 GiB) on startup is less than desired GPU memory utilization (0.9, 71.26 GiB).";
    assert_eq!(blamed(free)[0], "gpu_memory_utilization = 0.9");
    assert_eq!(blamed("  - Rollout generation: 26m 30s (97%)")[0], "executor_backend = \"prime\"");
    assert_eq!(
        blamed("OSError: Qwen/Qwen2.5-7B-Instruct is not a valid model identifier")[0],
        "name = \"Qwen/Qwen2.5-7B-Instruct\""
    );
}

#[test]
fn the_key_that_pydantic_names_is_found_in_the_config() {
    let config = "[trainer]\n[orchestrator]\n[orchestrator.sampling]\ntop_p = 0.95\nmax_tokens = 100\n";
    let log = "1 validation error for RLConfig\norchestrator.sampling.top_p\n  Extra inputs are not permitted [type=extra_forbidden, \
        input_value=0.95, input_type=float]\n";
    let folder = Folder::new(&[("rl.toml", config), ("run.log", log)]);
    let document = document(&folder.run("run diagnose run.log --against rl.toml --target 0.4.0 --format json"));
    let found = document["findings"].as_array().expect("findings").iter().find(|finding| finding["symptom"] == "refused-key");
    let place = &found.expect("it is found")["places"][0];
    assert_eq!((&place["line"], &place["text"], &place["code"]), (&4.into(), &"top_p = 0.95".into(), &"PRL110".into()));
}

#[test]
fn logs_are_read_from_everywhere() {
    let folder = Folder::new(&[
        ("outputs/logs/orchestrator.stdout", "Generating rollouts (train):   0%|          | 0/8 [00:00<?, ?it/s]"),
        ("outputs/logs/trainer/rank_0.log", "fine\n"),
        ("outputs/logs/inference.stdout", OVERFLOW),
        ("outputs/checkpoints/step_5/x.log", "CUDA out of memory\n"),
        ("outputs/config.toml", "KeyError: 'ministral3'\n"),
    ]);
    let ended = folder.run("run diagnose outputs --format json");
    assert_eq!(ended.status, Some(1), "{ended:?}");
    let document = document(&ended);
    let names: Vec<&Value> =
        document["findings"].as_array().expect("findings").iter().map(|finding| &finding["symptom"]).collect();
    // The refused requests explain why no rollout is completed.
    assert_eq!(names, ["context-overflow"]);
    assert_eq!(document["logs"].as_array().map(Vec::len), Some(3));
    let input = folder.run_with_input("run diagnose", OVERFLOW.as_bytes());
    assert_eq!(input.status, Some(1), "{input:?}");
    assert!(input.stdout.contains("-:1"), "{input:?}");
    assert_eq!(folder.run_with_input("run diagnose -", b"").status, Some(0));
}

#[test]
fn the_exit_status_depends_on_the_findings() {
    let folder = Folder::new(&[("quiet.log", "all is well\n"), ("empty/readme", "")]);
    // Without a name, a piped log is read, or else the folder of the run.
    let of_run = Folder::new(&[("outputs/logs/trainer.log", OVERFLOW)]);
    let ended = of_run.run("run diagnose");
    assert!(ended.status == Some(1) && ended.stderr.contains("reading the logs in outputs"), "{ended:?}");
    assert_eq!(of_run.run_with_input("run diagnose", b"nothing\n").status, Some(0));
    // A line that other programs write as well, in a file that is called as a process.
    let server =
        Folder::new(&[("inference.log", "OSError: [Errno 98] Address already in use\n"), ("web.log", "[Errno 98] in use\n")]);
    let ended = server.run("run diagnose inference.log");
    assert!(
        ended.status == Some(0)
            && ended.stderr.contains("inference.log:1 looks like `port-in-use`, but no other line is from a training run"),
        "{ended:?}"
    );
    assert_eq!(server.run("run diagnose web.log").stderr, "");
    let quiet = folder.run("run diagnose quiet.log");
    assert_eq!((quiet.status, quiet.stdout.as_str()), (Some(0), "No known symptoms in 1 log (1 lines)\n"));
    assert_eq!(folder.run("run diagnose missing.log").status, Some(2));
    assert_eq!(folder.run("run diagnose empty").status, Some(2));
    assert_eq!(folder.run("run diagnose quiet.log --against missing.toml").status, Some(2));
    assert_eq!(folder.run("run diagnose quiet.log --format sarif").status, Some(2));
    assert_eq!(folder.run("run diagnose quiet.log missing.log").status, Some(2));
}

#[test]
fn control_characters_of_a_log_are_escaped() {
    let folder = Folder::new(&[]);
    let log = b"\x1b]0;title\x07 CUDA out of memory \x07\x08\x1b[2J\xe2\x80\xae end \xff\xfe \x9b31m\n";
    for format in ["full", "json"] {
        let ended = folder.run_with_input(&format!("run diagnose --format {format}"), log);
        assert_eq!(ended.status, Some(1), "{ended:?}");
        assert!(ended.stdout.chars().all(|c| c == '\n' || !c.is_control()), "{ended:?}");
        assert!(!ended.stdout.contains('\u{202e}'), "{ended:?}");
    }
}

#[test]
fn known_symptoms_can_be_listed() {
    let folder = Folder::new(&[]);
    let ended = folder.run("run diagnose --list");
    assert_eq!(ended.status, Some(0));
    assert!(ended.stdout.contains("context-overflow"), "{ended:?}");
    let listed: Value = serde_json::from_str(&folder.run("run diagnose --list --format json").stdout).expect("JSON");
    assert!(listed["symptoms"].as_array().is_some_and(|all| all.len() > 50));
}

#[test]
fn a_large_log_is_read_on_several_threads_like_a_small_one() {
    // Lines of all lengths, one of them longer than a block, with a match and an escape sequence at the ends of blocks.
    let mut log = Vec::new();
    let mut line = 0_usize;
    while log.len() < 3_000_000 {
        log.extend_from_slice(format!("\x1b[2m{line}\x1b[0m {}\n", "x".repeat(line * 7919 % 400)).as_bytes());
        line += 1;
    }
    let failing = line + 2;
    log.extend(vec![b'y'; 1_700_000]);
    log.extend_from_slice(b"No API \x1b[31mkey\x1b[0m configured");
    log.extend(vec![b'z'; 900_000]);
    log.extend_from_slice(b"\nCUDA out of memory\n");
    log.extend(b"fine\n".repeat(300_000));
    log.extend_from_slice(b"KeyError: 'ministral3'");
    let folder = Folder::new(&[]);
    folder.write("big.log", &log);
    let document = document(&folder.run("run diagnose big.log --format json"));
    let found: Vec<(&str, u64)> = document["findings"]
        .as_array()
        .expect("findings")
        .iter()
        .map(|finding| (finding["symptom"].as_str().expect("a name"), finding["seen"][0]["line"].as_u64().expect("a line")))
        .collect();
    let last = failing as u64 + 300_001;
    assert_eq!(
        found,
        [("wandb-key", failing as u64 - 1), ("cuda-out-of-memory", failing as u64), ("unknown-architecture", last)]
    );
    assert_eq!(document["logs"][0]["bytes"], log.len());
    assert_eq!(document["logs"][0]["lines"], last);
}

#[test]
fn bars_without_line_breaks_are_read_like_lines() {
    // More than a megabyte with carriage returns but no line feeds, and then a text.
    let bars = "Generating rollouts: some done of many\r".repeat(40_000);
    let log = format!("begin\n{bars}\r\nRuntimeError: CUDA out of memory\r\n{bars}end");
    let folder = Folder::new(&[("bars.log", &log)]);
    let document = document(&folder.run("run diagnose bars.log --format json"));
    assert_eq!(document["findings"][0]["symptom"], "cuda-out-of-memory", "{document:#}");
    assert_eq!((&document["findings"][0]["seen"][0]["line"], &document["logs"][0]["lines"]), (&3.into(), &4.into()));
}

#[test]
fn a_line_full_of_texts_is_read_in_time() {
    let folder = Folder::new(&[("one.log", &"| loss: rollouts | reward: ".repeat(200_000))]);
    let ended = folder.run("run diagnose one.log --format json");
    assert_eq!(document(&ended)["logs"][0]["lines"], 1, "{ended:?}");
}

/// A failure in prime-rl's own code is linked with the keys that its function reads, if the project has a checkout.
#[test]
fn the_keys_that_the_failing_function_reads_are_named() {
    let code = "def setup_data(config: DataConfig, shuffle: bool):\n    if config.data.batch_size < 3:\n        raise ValueError(config.data.batch_size)\n\n\n\
                def other(config):\n    return config.data.seed\n";
    let log = "10:00:00    INFO Starting SFT trainer in World(world_size=1, rank=0, local_rank=0)\nTraceback (most recent call last):\n  File \
               \"/app/src/prime_rl/trainer/sft/data.py\", line 3, in setup_data\n    raise ValueError(config.data.batch_size)\nArithmeticError: 8\n";
    let folder = Folder::repository(&[
        ("trainer.log", log),
        ("sft.toml", "max_steps = 10\n[data]\nname = \"org/data\"\nbatch_size = 8\nshuffle = true\n"),
        ("src/prime_rl/trainer/sft/data.py", code),
        ("src/prime_rl/__init__.py", ""),
        ("pyproject.toml", "[project]\nname = \"prime-rl\"\nversion = \"0.8.0\"\n"),
    ]);
    let run = |words: &str| document_of(&folder.run(words), &cfg_report::diagnosis::schema().to_value());
    let report = run("run diagnose trainer.log --format json");
    let code = &report["findings"][0]["seen"][0]["code"];
    assert_eq!((&code["function"], &code["line"]), (&"setup_data".into(), &3.into()), "{report:#}");
    assert_eq!(code["reads"], serde_json::json!(["data.batch_size", "data.shuffle"]), "{report:#}");
    let report = run("run diagnose trainer.log --against sft.toml --kind sft --format json");
    let keys: Vec<_> =
        report["findings"][0]["places"].as_array().expect("places").iter().map(|place| place["key"].clone()).collect();
    assert_eq!(keys, ["data.batch_size", "data.shuffle"], "{report:#}");
}
