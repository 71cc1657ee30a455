//! `cfg diagnose`: logs of any kind, the line of a config to blame, and its report for programs.

use serde_json::Value;

use super::{Ended, Folder};

/// One card for everything, answers too long for the context.
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

/// The document, which its schema accepts.
#[track_caller]
fn document(ended: &Ended) -> Value {
    let document: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
    let validator = jsonschema::validator_for(&cfg_report::diagnosis::schema().to_value()).expect("the schema is one");
    let errors: Vec<String> = validator.iter_errors(&document).map(|error| error.to_string()).collect();
    assert_eq!(errors, [""; 0], "{document:#}");
    document
}

/// The lines of the config that are blamed for a text, at the field notes' prime-rl.
fn blamed(text: &str) -> Vec<String> {
    let folder = Folder::new(&[("rl.toml", CONFIG), ("run.log", &buried(text))]);
    let ended = folder.run("diagnose run.log --against rl.toml --target d564195ca --format json");
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
    let document = document(&folder.run("diagnose run.log --against rl.toml --target 0.4.0 --format json"));
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
    let ended = folder.run("diagnose outputs --format json");
    assert_eq!(ended.status, Some(1), "{ended:?}");
    let document = document(&ended);
    let names: Vec<&Value> =
        document["findings"].as_array().expect("findings").iter().map(|finding| &finding["symptom"]).collect();
    assert_eq!(names, ["context-overflow", "rollouts-at-zero"]);
    assert_eq!(document["logs"].as_array().map(Vec::len), Some(3));
    let input = folder.run_with_input("diagnose", OVERFLOW.as_bytes());
    assert_eq!(input.status, Some(1), "{input:?}");
    assert!(input.stdout.contains("-:1"), "{input:?}");
    assert_eq!(folder.run_with_input("diagnose -", b"").status, Some(0));
}

#[test]
fn the_exit_status_tells_what_was_found() {
    let folder = Folder::new(&[("quiet.log", "all is well\n"), ("empty/readme", "")]);
    let quiet = folder.run("diagnose quiet.log");
    assert_eq!((quiet.status, quiet.stdout.as_str()), (Some(0), "Nothing that cfg knows in 1 log (1 lines)\n"));
    assert_eq!(folder.run("diagnose missing.log").status, Some(2));
    assert_eq!(folder.run("diagnose empty").status, Some(2));
    assert_eq!(folder.run("diagnose quiet.log --against missing.toml").status, Some(2));
    assert_eq!(folder.run("diagnose quiet.log --format sarif").status, Some(2));
    assert_eq!(folder.run("diagnose quiet.log missing.log").status, Some(2));
}

#[test]
fn a_log_can_t_steer_the_terminal() {
    let folder = Folder::new(&[]);
    let log = b"\x1b]0;title\x07 CUDA out of memory \x07\x08\x1b[2J\xe2\x80\xae end \xff\xfe \x9b31m\n";
    for format in ["full", "json"] {
        let ended = folder.run_with_input(&format!("diagnose --format {format}"), log);
        assert_eq!(ended.status, Some(1), "{ended:?}");
        assert!(ended.stdout.chars().all(|c| c == '\n' || !c.is_control()), "{ended:?}");
        assert!(!ended.stdout.contains('\u{202e}'), "{ended:?}");
    }
}

#[test]
fn what_is_known_can_be_listed() {
    let folder = Folder::new(&[]);
    let ended = folder.run("diagnose --list");
    assert_eq!(ended.status, Some(0));
    assert!(ended.stdout.contains("context-overflow"), "{ended:?}");
    let listed: Value = serde_json::from_str(&folder.run("diagnose --list --format json").stdout).expect("JSON");
    assert!(listed.as_array().is_some_and(|all| all.len() > 50));
}
