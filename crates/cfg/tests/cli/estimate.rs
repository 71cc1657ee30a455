//! `cfg estimate`: the duration of a run, as JSON and as text.

use serde_json::{Value, json};

use super::{CLEAN, Ended, Folder, document_of, outcome};

/// A benchmark of the trainer: random data, full sequences.
const TRAINER: &str = "[model]\nname = \"Qwen/Qwen3-4B-Instruct-2507\"\nattn = \"flash_attention_3\"\nseq_len = 16384\n[model.ac]\nfreq = 1\n\
    [model.lora]\nrank = 16\n[data.fake]\nbatch_size = 16\n";

/// A run with a measured step of 287 s: 7B with LoRA next to its server on one H100, 8 rollouts per step.
const SHARED: &str = "inference_gpu_ids = [0]\ntrainer_gpu_ids = [0]\nmax_steps = 1000\n[model]\nname = \"Qwen/Qwen2.5-7B-Instruct\"\n\
    [trainer.model]\nseq_len = 2048\n[trainer.model.ac]\nfreq = 1\n[trainer.model.lora]\nrank = 8\n\
    [orchestrator]\nbatch_size = 8\nrollouts_per_example = 2\nseq_len = 2048\n[orchestrator.sampling]\nmax_tokens = 2000\n\
    [[orchestrator.env]]\nid = \"reverse-text\"\n\
    [inference]\ngpu_memory_utilization = 0.5\n[inference.model]\nenforce_eager = true\nmax_model_len = 4096\n";

fn estimate(arguments: &str, text: &str) -> Ended {
    Folder::new(&[("run.toml", text)]).run(&format!("estimate run.toml --target d564195ca {arguments}"))
}

/// The document, after validating it with its schema.
#[track_caller]
fn document(ended: &Ended) -> Value {
    document_of(ended, &cfg_report::estimate::schema().to_value())
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

fn members(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

#[test]
fn the_estimate_of_a_trainer_is_near_the_measurement() {
    // Measured on 8 H200: 52,379 tokens per second, 5.0 s per step; on 8 H100: 48,000 and 5.4.
    let ended = estimate("--kind trainer --gpu 8xH200 --format json", TRAINER);
    assert_eq!(ended.status, Some(0), "{ended:?}");
    let document = document(&ended);
    let trainer = &document["cards"][0]["trainer"];
    assert!((number(&trainer["tokens_per_second"]) / 52_379.0 - 1.0).abs() < 0.12, "{document:#}");
    assert!((number(&trainer["step_seconds"]) / 5.005 - 1.0).abs() < 0.12, "{document:#}");
    assert_eq!(document["accuracy"]["validated"], true);
}

#[test]
fn the_document_has_the_members_that_it_promises() {
    let document = document(&estimate("--format json", SHARED));
    assert_eq!(members(&document), ["identity", "cards", "assumed", "accuracy"]);
    let cards = document["cards"].as_array().expect("cards");
    for card in cards {
        assert_eq!(
            members(card),
            ["name", "count", "verdict", "trainer", "generation", "hours", "dollars", "disk_bytes"],
            "{card:#}"
        );
        assert_eq!(members(&card["trainer"]), ["tokens_per_second", "step_seconds"]);
        assert_eq!(
            (members(&card["generation"]), members(&card["hours"])),
            (vec!["low", "middle", "high"], vec!["low", "middle", "high"])
        );
        assert!(matches!(card["verdict"].as_str(), Some("fits" | "tight")), "{card:#}");
    }
    let names: Vec<&str> = cards.iter().filter_map(|card| card["name"].as_str()).collect();
    assert!(names.contains(&"H100") && !names.contains(&"RTX 4090"), "{names:?}");
}

#[test]
fn published_durations_are_within_the_range() {
    let shared = document(&estimate("--gpu 1xH100 --format json", SHARED));
    let card = &shared["cards"][0];
    let step = |end: &str| number(&card["hours"][end]) * 3600.0 / 1000.0;
    assert!(step("low") < 287.0 && 287.0 < step("high"), "{} to {}", step("low"), step("high"));
    // 8B on two H100, one of which has the server: 3 to 5 minutes for 128 rollouts.
    let text = include_str!("../../../../configs/prime-rl/qwen3-8b-2xh100.toml");
    let folder = Folder::new(&[("rl.toml", text)]);
    let other = document(&folder.run("estimate rl.toml --gpu 2xH100 --format json"));
    let step = |end: &str| number(&other["cards"][0]["hours"][end]) * 3600.0 / 1000.0;
    assert!(step("low") < 300.0 && 180.0 < step("high"), "{} to {}", step("low"), step("high"));
    assert!(number(&card["generation"]["low"]) < 50.0 && 50.0 < number(&card["generation"]["high"]), "{card:#}");
}

#[test]
fn a_stated_environment_time_is_used() {
    let hours = |arguments: &str| {
        let document = document(&estimate(&format!("--gpu H100 --format json {arguments}"), SHARED));
        (number(&document["cards"][0]["hours"]["low"]), document["assumed"].to_string())
    };
    let ((without, says_none), (with, says)) = (hours(""), hours("--env-seconds 36"));
    assert!((with - without - 10.0).abs() < 1e-6, "1000 steps of 36 s are 10 h: {without}, {with}");
    insta::assert_snapshot!("assumed_without_and_with_an_environment_time", format!("{says_none}\n{says}"));
}

#[test]
fn only_stated_prices_count() {
    let dollars = |folder: &Folder, arguments: &str| {
        let ended = folder.run(&format!("estimate run.toml --target d564195ca --gpu H100 --format json {arguments}"));
        let document = document(&ended);
        (document["cards"][0]["dollars"].clone(), number(&document["cards"][0]["hours"]["high"]))
    };
    let plain = Folder::new(&[("run.toml", SHARED)]);
    assert_eq!(dollars(&plain, "").0, Value::Null);
    let (cost, hours) = dollars(&plain, "--price 2");
    assert!((number(&cost) - 2.0 * hours).abs() < 1e-6);
    let stated = Folder::new(&[("run.toml", SHARED), ("cfg.toml", "[prices]\n\"h100 80GB\" = 3\n")]);
    assert!((number(&dollars(&stated, "").0) - 3.0 * hours).abs() < 1e-6);
    assert!((number(&dollars(&stated, "--price 0").0)).abs() < 1e-9);
}

#[test]
fn the_machine_of_the_config_comes_first_and_has_the_price() {
    let text = format!("# /// config\n# hardware = \"1x H200\"\n# ///\n{SHARED}");
    for all in ["", "--gpu all"] {
        let document = document(&estimate(&format!("{all} --price 2 --format json"), &text));
        let cards = document["cards"].as_array().expect("cards");
        assert_eq!(cards[0]["name"], "H200", "{document:#}");
        assert!(number(&cards[0]["dollars"]) > 0.0, "{document:#}");
        assert!(cards.len() > 3 && cards[1..].iter().all(|card| card["dollars"].is_null()), "{document:#}");
    }
}

#[test]
fn adapters_of_a_mixture_of_experts_in_rl_have_no_speed() {
    let text = SHARED.replace("Qwen/Qwen2.5-7B-Instruct", "Qwen/Qwen3-30B-A3B-Instruct-2507");
    let refused = document(&estimate("--gpu H200 --format json", &text));
    let card = &refused["cards"][0];
    assert_eq!(card["trainer"], json!({"tokens_per_second": null, "step_seconds": null}), "{refused:#}");
    let hours = |end: &str| number(&card["hours"][end]);
    assert!(hours("low") < hours("middle") && hours("middle") < hours("high"), "{refused:#}");
    let says = refused["assumed"].as_array().expect("sentences").iter().filter_map(Value::as_str);
    assert_eq!(says.filter(|says| says.contains("adapters of a mixture of experts in RL")).count(), 1, "{refused:#}");
}

/// prime-rl's pull request 3234 took 1.75 s and 16 to 21 s for such steps; it doesn't say of how many micro-batches.
#[test]
fn expert_parallelism_has_a_range_of_hours_and_no_speed() {
    for (seq_len, least, most) in [(8192, 1.75, 1.75), (32_768, 16.0, 21.0)] {
        let text = format!(
            "max_steps = 3600\n[deployment]\nnum_gpus = 8\n[model]\nname = \"Qwen/Qwen3-30B-A3B\"\nseq_len = {seq_len}\nep = 8\n[data]\ntype = \"fake\"\n\
             batch_size = 16\nseq_len = {seq_len}\n"
        );
        let folder = Folder::new(&[("sft.toml", &text)]);
        let ended = folder.run("estimate sft.toml --kind sft --target 0.8.0 --gpu 8xH200 --format json");
        let document = document(&ended);
        let card = &document["cards"][0];
        assert!(card["trainer"]["step_seconds"].is_null(), "{document:#}");
        let hours = |end: &str| number(&card["hours"][end]);
        assert!(hours("low") <= least && most <= hours("high"), "{document:#}");
        assert!(document["assumed"].to_string().contains("no speed of expert parallelism"), "{document:#}");
    }
}

#[test]
fn invalid_prices_are_reported() {
    let folder = Folder::new(&[("run.toml", SHARED), ("cfg.toml", "[prices]\nH100 = -1\nH1000 = 2\n")]);
    let ended = folder.run("check --target d564195ca --format concise");
    let of_settings: Vec<&str> = ended.stdout.lines().filter(|line| line.starts_with("cfg.toml:")).collect();
    assert!(of_settings[0].starts_with("cfg.toml:2:8: error[PRL014]"), "{ended:?}");
    insta::assert_snapshot!("invalid_prices", of_settings.join("\n"));
}

#[test]
fn supervised_fine_tuning_is_estimated_too() {
    let text = "max_steps = 100\n[model]\nname = \"Qwen/Qwen3-0.6B\"\nattn = \"flash_attention_3\"\n[model.ac]\nfreq = 1\n\
        [data]\ntype = \"fake\"\nbatch_size = 2\nseq_len = 16384\n";
    let document = document(&estimate("--kind sft --gpu H100 --format json --price 1", text));
    let card = &document["cards"][0];
    // Measured: 25,486 tokens per second.
    assert!((number(&card["trainer"]["tokens_per_second"]) / 25_486.0 - 1.0).abs() < 0.12, "{card:#}");
    assert_eq!(card["generation"], json!({"low": null, "middle": null, "high": null}));
    assert!(number(&card["hours"]["low"]) < number(&card["hours"]["high"]));
}

#[test]
fn a_run_without_an_estimate_has_a_reason() {
    let trainer = TRAINER.replace("[data.fake]\nbatch_size = 16\n", "");
    let document = document(&estimate("--kind trainer --gpu A100-80 --format json", &trainer));
    insta::assert_snapshot!("assumed_for_an_unmeasured_card", format!("{:#}", document["assumed"]));
    assert_eq!(document["cards"][0]["hours"], json!({"low": null, "middle": null, "high": null}));
    let small = estimate("--gpu RTX4090 --format json", SHARED);
    assert_eq!(small.status, Some(1), "{small:?}");
    let unknown = estimate("--gpu H1000", SHARED);
    assert_eq!(unknown.status, Some(2), "{unknown:?}");
    insta::assert_snapshot!("an_estimate_for_an_unknown_gpu", unknown.stderr);
    let refused = estimate("--format json --gpu H1000", SHARED);
    assert_eq!(outcome(&refused)["outcome"], "failed");
    assert_eq!(estimate("--price -1", SHARED).status, Some(2));
}

#[test]
fn the_table_marks_guesses() {
    let ended = estimate("--price 2.5", SHARED);
    assert_eq!(ended.status, Some(0), "{ended:?}");
    let line = |card: &str| ended.stdout.lines().find(|line| line.starts_with(card)).unwrap_or_else(|| panic!("{ended:?}"));
    assert!(line("1x A100-80").contains("tight") && line("1x A100-80").matches('~').count() == 4, "{ended:?}");
    assert_eq!(line("1x H100").matches('~').count(), 2, "{ended:?}");
    insta::assert_snapshot!("estimates_with_guesses", ended.stdout);
}

/// The metrics of a run whose steps have this duration, including `trainer` seconds in the trainer.
fn rows(trainer: f64, step: f64) -> String {
    let row = |number: u32| {
        format!(
            "{{\"step\": {number}, \"time/step\": {step}, \"time/forward_backward\": {trainer}}}\n{{\"step\": {number}, \"perf/throughput\": 9000.0}}\n"
        )
    };
    (0..40).map(row).collect()
}

#[test]
fn a_run_corrects_the_estimate_and_its_error_is_reported() {
    let schema = cfg_report::estimate::schema().to_value();
    let folder =
        Folder::new(&[("rl.toml", CLEAN), ("cfg.toml", "target = \"0.4.0\"\n"), ("out/metrics.jsonl", &rows(30.0, 400.0))]);
    let plain = document_of(&folder.run("estimate rl.toml --gpu H100 --format json"), &schema);
    let ended = folder.run("estimate rl.toml --gpu H100 --from out --format json");
    let report = document_of(&ended, &schema);
    let of = |report: &Value, path: &str| report.pointer(path).and_then(Value::as_f64);
    let near = |found: Option<f64>, expected: f64| found.is_some_and(|found| (found - expected).abs() < 0.01 * expected);
    assert!(near(of(&report, "/cards/0/trainer/step_seconds"), 30.0), "{report:#}");
    assert!(near(of(&report, "/cards/0/trainer/tokens_per_second"), 9000.0), "{report:#}");
    // A hundred equal steps of 400 seconds, in which the trainer waits for rollouts.
    for end in ["/cards/0/hours/low", "/cards/0/hours/high", "/calibration/hours/low"] {
        assert!(near(of(&report, end), 400.0 * 100.0 / 3600.0), "{end}: {report:#}");
    }
    assert_eq!((of(&report, "/calibration/step_seconds"), &report["calibration"]["card"]), (Some(400.0), &"H100".into()));
    assert_eq!(report["calibration"]["hours_before"], plain["cards"][0]["hours"]);
    let factor = of(&report, "/calibration/trainer_factor").expect("it is known");
    assert!(near(of(&plain, "/cards/0/trainer/step_seconds").map(|seconds| seconds * factor), 30.0), "{report:#}");
    assert_eq!(plain["calibration"], Value::Null);
    // As text; estimates for other cards are corrected by the same factors.
    let text = folder.run("estimate rl.toml --gpu H100 --from out").stdout;
    insta::assert_snapshot!("a_corrected_estimate", text);
    folder.write("rl.toml", format!("# /// config\n# hardware = \"2x H100\"\n# ///\n{CLEAN}").as_bytes());
    let all = document_of(&folder.run("estimate rl.toml --from out --format json"), &schema);
    assert!(all["cards"].as_array().is_some_and(|cards| cards.len() > 3), "{all:#}");
    folder.write("empty/metrics.jsonl", b"{\"step\": 1, \"reward/mean\": 0.5}\n");
    let mut refused = String::new();
    for run in ["nowhere", ".git", "empty"] {
        let ended = folder.run(&format!("estimate rl.toml --from {run}"));
        assert_eq!(ended.status, Some(2), "{ended:?}");
        refused += &ended.stderr;
    }
    insta::assert_snapshot!("runs_without_step_times", refused);
}

/// Hosted training shows the log of the orchestrator alone.
#[test]
fn the_log_of_an_orchestrator_alone_corrects_the_estimate() {
    let step = |step: u32| {
        let second = step * 400;
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        format!(
            "{hour:02}:{minute:02}:{second:02} [SUCCESS] Step {step} |  6m 40s | Reward 0.4000 | Trainable 16/16 (100.0%) | Turns 1.0 | Branches 1.0 | \
             Max Off-Policy 0 | Error 0.0% | Truncation 0.0%\n"
        )
    };
    let log: String = (1..20).map(step).collect();
    let folder = Folder::new(&[("rl.toml", CLEAN), ("cfg.toml", "target = \"0.4.0\"\n"), ("out/run.log", &log)]);
    let ended = folder.run("estimate rl.toml --gpu H100 --from out --format json");
    let report = document_of(&ended, &cfg_report::estimate::schema().to_value());
    assert_eq!(report["calibration"]["step_seconds"], 400.0, "{report:#}");
}

#[test]
fn the_cards_are_drawn() {
    let folder = Folder::new(&[("rl.toml", CLEAN), ("cfg.toml", "target = \"0.4.0\"\n[prices]\nH100 = 2.5\n")]);
    let ended = folder.run("estimate rl.toml --format svg");
    assert_eq!(ended.status, Some(0), "{ended:?}");
    let svg = &ended.stdout;
    assert!(
        svg.starts_with("<svg ") && svg.ends_with("</svg>\n") && svg.contains(">2x H100<") && svg.contains("tokens/s"),
        "{svg}"
    );
    let cards = document_of(&folder.run("estimate rl.toml --format json"), &cfg_report::estimate::schema().to_value());
    let cards = cards["cards"].as_array().map_or(0, Vec::len);
    assert!(cards > 3 && svg.matches("fill-opacity=\"1\"").count() <= cards, "{svg}");
}
