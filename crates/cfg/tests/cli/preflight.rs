//! `cfg run preflight` on simulated machines, which consist of fake programs, variables and folders.

use std::{fs, path::Path, process::Command};

use serde_json::Value;

use super::{Ended, Folder, document_of, finish, outcome};

/// Two cards: one trains, one serves.
const CONFIG: &str = "inference_gpu_ids = [0]\ntrainer_gpu_ids = [1]\nmax_steps = 100\n[model]\nname = \"Qwen/Qwen3-4B\"\n\
    [wandb]\nproject = \"x\"\n[ckpt]\ninterval = 5\nkeep_last = 2\n[trainer]\n[trainer.model.lora]\nrank = 8\n[orchestrator]\nbatch_size = 8\n\
    rollouts_per_example = 2\n[[orchestrator.env]]\nid = \"seconds-0/beautiful-soup-env\"\n[orchestrator.env.args]\nsplit = \"train\"\n[inference]\n[inference.model]\n\
    enable_auto_tool_choice = true\ntool_call_parser = \"hermes\"\n";

/// The same for the versions from 0.5.0 to 0.6.0.
fn later_config() -> String {
    CONFIG
        .replace("inference_gpu_ids = [0]\ntrainer_gpu_ids = [1]\n", "")
        .replace("enable_auto_tool_choice = true\n", "")
        .replace("[[orchestrator.env]]\nid = \"seconds-0/beautiful-soup-env\"", "[[orchestrator.env]]\nid = \"reverse-text\"")
}

struct Machine(Folder);

impl Machine {
    /// A machine with everything that the config needs. Files, disk and ports are real, because they can't be simulated.
    fn new(config: &str) -> Self {
        let machine =
            Self(Folder::new(&[("rl.toml", config), ("home/.netrc", "machine api.wandb.ai\n  login user\n  password 0123\n")]));
        machine.gpus("0, GPU-a, NVIDIA H100 80GB HBM3, 81559, 1\n1, GPU-b, NVIDIA H100 80GB HBM3, 81559, 1", "");
        machine.program("uv", "exit 0");
        machine.program("prime", "exit 0");
        machine.0.write(".venv/lib/python3.12/site-packages/beautiful_soup_env-0.1.1.dist-info/METADATA", b"");
        machine
    }

    fn program(&self, name: &str, script: &str) {
        let path = format!("bin/{name}");
        self.0.write(&path, format!("#!/bin/sh\n{script}\n").as_bytes());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            fs::set_permissions(self.0.path().join(path), fs::Permissions::from_mode(0o755)).expect("it can be made a program");
        }
    }

    /// Writes an `nvidia-smi` that lists these GPUs and processes.
    fn gpus(&self, gpus: &str, processes: &str) {
        self.program("nvidia-smi", &format!("case \"$1\" in *compute-apps*) echo '{processes}';; *) echo '{gpus}';; esac"));
    }

    fn command(&self, words: &str) -> Command {
        let target = if words.contains("--target") { "" } else { "--target d564195ca" };
        let mut command = self.0.command(&format!("run preflight {target} --format json {words}"));
        command.env("PATH", self.0.path().join("bin")).env("HOME", self.0.path().join("home"));
        command
    }

    fn run(&self, words: &str) -> (Ended, Value) {
        let ended = finish(&mut self.command(words), b"");
        let document = document(&ended);
        (ended, document)
    }

    fn remove(&self, path: &str) {
        let path = self.0.path().join(path);
        if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.expect("it can be removed");
    }

    fn step(&self, path: &str) {
        self.write(path, "");
    }

    fn write(&self, path: &str, text: &str) {
        self.0.write(path, text.as_bytes());
    }
}

/// The document, after validating it with its schema.
#[track_caller]
fn document(ended: &Ended) -> Value {
    document_of(ended, &cfg_report::preflight::schema().to_value())
}

/// The status of a check, and the codes of its findings.
#[track_caller]
fn check(document: &Value, name: &str) -> (String, Vec<String>) {
    let checks = document["checks"].as_array().expect("checks");
    let check = checks.iter().find(|check| check["name"] == name).unwrap_or_else(|| panic!("{name}: {document:#}"));
    let findings = check["findings"].as_array().expect("findings").iter();
    for finding in findings.clone() {
        assert!(finding["help"].as_str().is_some_and(|help| help.len() > 10), "a finding without a repair: {finding:#}");
    }
    let codes = findings.map(|finding| finding["code"].as_str().expect("a code").to_owned());
    (check["status"].as_str().expect("a status").to_owned(), codes.collect())
}

#[track_caller]
fn found(machine: &Machine, words: &str, name: &str, code: &str) -> String {
    let (ended, document) = machine.run(words);
    assert_eq!(check(&document, name), ("found".into(), vec![code.to_owned()]), "{ended:?}");
    let checks = document["checks"].as_array().expect("checks").iter();
    let finding = checks.filter(|check| check["name"] == name).find_map(|check| check["findings"].get(0)).expect("a finding");
    format!("{} {}", finding["message"].as_str().expect("a message"), finding["help"].as_str().expect("a help"))
}

#[test]
fn a_machine_that_has_everything_is_fine() {
    let (ended, document) = Machine::new(CONFIG).run("rl.toml");
    for name in ["gpus", "gpus-free", "gpu-memory", "programs", "environments", "wandb", "variables", "earlier-run"] {
        assert_eq!(check(&document, name).0, "fine", "{name}: {ended:?}");
    }
    for name in ["hub-token", "paths", "weights-index", "checkpoint", "step-desync"] {
        assert_eq!(check(&document, name).0, "not-needed", "{name}: {ended:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn main_memory_holds_what_is_offloaded() {
    assert_eq!(check(&Machine::new(CONFIG).run("rl.toml").1, "host-memory").0, "not-needed");
    let offloaded = CONFIG.replace("[trainer.model.lora]\nrank = 8\n", "[trainer.model]\nfsdp_cpu_offload = true\n");
    assert_eq!(check(&Machine::new(&offloaded.replace("Qwen3-4B", "Qwen3-0.6B")).run("rl.toml").1, "host-memory").0, "fine");
    // 16 bytes for each of 405 billion parameters.
    let huge = offloaded.replace("Qwen/Qwen3-4B", "meta-llama/Llama-3.1-405B-Instruct");
    let says = found(&Machine::new(&huge), "rl.toml", "host-memory", "PRL849");
    assert!(says.starts_with("offloading takes 6047.7 GiB of main memory, but this machine has "), "{says}");
}

#[test]
fn gpus_are_counted_and_looked_at() {
    let machine = Machine::new(CONFIG);
    machine.gpus("0, GPU-a, NVIDIA H100 80GB HBM3, 81559, 1", "");
    insta::assert_snapshot!("missing_gpus", found(&machine, "rl.toml", "gpus", "PRL830"));
    let old = "GPU-b, 4242, VLLM::EngineCore";
    machine.gpus("0, GPU-a, NVIDIA H100 80GB HBM3, 81559, 1\n1, GPU-b, NVIDIA H100 80GB HBM3, 81559, 73000", old);
    insta::assert_snapshot!("a_gpu_in_use", found(&machine, "rl.toml", "gpus-free", "PRL831"));
    machine.gpus("0, GPU-a, NVIDIA GeForce RTX 3060, 12288, 1\n1, GPU-b, NVIDIA GeForce RTX 3060, 12288, 1", "");
    assert_eq!(check(&machine.run("rl.toml").1, "gpu-memory").0, "found");
    // Without nvidia-smi, and with one that fails or prints an invalid answer.
    machine.program("nvidia-smi", "echo 'NVIDIA-SMI has failed because it could not communicate with the driver'; exit 9");
    insta::assert_snapshot!("a_failing_nvidia_smi", found(&machine, "rl.toml", "gpus", "PRL830"));
    machine.program("nvidia-smi", "echo ',,,'; echo 'NVIDIA'");
    assert_eq!(check(&machine.run("rl.toml").1, "gpus").0, "found");
    machine.remove("bin/nvidia-smi");
    let (ended, document) = machine.run("rl.toml");
    assert_eq!((ended.status, check(&document, "gpus").0), (Some(1), "found".into()));
    assert_eq!(check(&document, "gpu-memory").0, "unknown");
}

#[test]
fn visible_gpus_count_where_the_config_counts() {
    let config =
        CONFIG.replace("inference_gpu_ids = [0]\ntrainer_gpu_ids = [1]\n", "").replace("enable_auto_tool_choice = true\n", "");
    let machine = Machine::new(&config);
    let run = |visible: &str| {
        let mut command = machine.command("rl.toml --target 0.5.0");
        command.env("CUDA_VISIBLE_DEVICES", visible);
        check(&document(&finish(&mut command, b"")), "gpus").0
    };
    assert_eq!([run("0,1"), run("GPU-b,GPU-a"), run("1")], ["fine", "fine", "found"]);
}

#[test]
fn programs_keys_and_tokens() {
    let machine = Machine::new(&CONFIG.replace("Qwen/Qwen3-4B", "meta-llama/Llama-3.2-3B-Instruct"));
    found(&machine, "rl.toml", "hub-token", "PRL842");
    machine.step("home/.cache/huggingface/token");
    assert_eq!(check(&machine.run("rl.toml").1, "hub-token").0, "fine");
    machine.remove("home/.netrc");
    let text = found(&machine, "rl.toml", "wandb", "PRL835");
    assert!(text.contains("WANDB_API_KEY"), "{text}");
    machine.step("home/.wandb_api_key");
    let text = found(&machine, "rl.toml", "wandb", "PRL835");
    insta::assert_snapshot!("an_unused_key_of_wandb", text.replace(&machine.0.path().display().to_string(), "FOLDER"));
    let mut command = machine.command("rl.toml");
    assert_eq!(check(&document(&finish(command.env("WANDB_API_KEY", "x"), b"")), "wandb").0, "fine");
    let offline = "-- uv run rl @ rl.toml --wandb.offline true";
    assert_eq!(check(&machine.run(offline).1, "wandb").0, "not-needed");
    machine.remove("bin/uv");
    machine.step("home/.local/bin/uv");
    assert!(found(&machine, "rl.toml", "programs", "PRL834").contains("home/.local/bin:$PATH"));
}

/// The runtime of a sandbox service needs its key, also where it is the default.
#[test]
fn sandboxes_of_a_service_need_its_key() {
    let config = "seq_len = 4096\n[model]\nname = \"Qwen/Qwen3-4B\"\n[trainer]\n[[orchestrator.train.source]]\nenv.taskset.id = \"reverse-text\"\n[inference]\n";
    let machine = Machine::new(config);
    let name = "sandboxes";
    let newest = "rl.toml --target 559b44772";
    assert!(found(&machine, newest, name, "PRL847").contains("PRIME_API_KEY"));
    // The default was another one before.
    assert_eq!(check(&machine.run("rl.toml --target d135ed4c9").1, name).0, "not-needed");
    machine.write("home/.prime/config.json", "{\"api_key\": \"\"}");
    found(&machine, newest, name, "PRL847");
    machine.write("home/.prime/config.json", "{\"api_key\": \"pit_x\"}");
    assert_eq!(check(&machine.run(newest).1, name).0, "fine");
    machine.write("rl.toml", &config.replace("[inference]", "env.agent.runtime.type = \"modal\"\n[inference]"));
    assert!(found(&machine, newest, name, "PRL847").contains("modal token new"));
    machine.write("rl.toml", &config.replace("[inference]", "env.agent.runtime.type = \"subprocess\"\n[inference]"));
    assert_eq!(check(&machine.run(newest).1, name).0, "not-needed");
}

#[test]
fn variables_without_effect_are_reported() {
    let machine = Machine::new(CONFIG);
    let mut command = machine.command("rl.toml");
    command.env("VLLM_USE_V1", "0").env("VLLM_WORKER_MULTIPROC_METHOD", "spawn");
    let ended = finish(&mut command, b"");
    assert_eq!(check(&document(&ended), "variables"), ("found".into(), vec!["PRL818".into()]));
}

#[test]
fn environments_must_be_installed() {
    let machine = Machine::new(&CONFIG.replace("seconds-0/beautiful-soup-env", "swe-grep-oss-env"));
    assert!(found(&machine, "rl.toml", "environments", "PRL841").contains("uv pip install -e"));
    machine.step(".venv/lib/python3.12/site-packages/swe_grep_oss_env.py");
    assert_eq!(check(&machine.run("rl.toml").1, "environments").0, "fine");
    let machine = Machine::new(CONFIG);
    machine.remove(".venv/lib/python3.12/site-packages/beautiful_soup_env-0.1.1.dist-info");
    // prime-rl installs it itself.
    assert_eq!(check(&machine.run("rl.toml").1, "environments").0, "fine");
    machine.remove("bin/prime");
    assert!(found(&machine, "rl.toml", "environments", "PRL841").contains("prime env install seconds-0/beautiful-soup-env"));
    machine.remove(".venv");
    assert_eq!(check(&machine.run("rl.toml").1, "environments").0, "unknown");
}

#[test]
fn outputs_of_an_earlier_run_are_reported() {
    let machine = Machine::new(CONFIG);
    machine.step("outputs/run_default/checkpoints/step_15/orchestrator/progress.pt");
    machine.step("outputs/run_default/rollouts/step_15/rollouts.bin");
    let text = found(&machine, "rl.toml", "earlier-run", "PRL838");
    insta::assert_snapshot!("checkpoints_of_an_earlier_run", text);
    // `clean` keeps checkpoints, and only `clean` removes rollouts.
    assert!(found(&machine, "-- uv run rl @ rl.toml --no-clean", "earlier-run", "PRL838").contains("run_default/rollouts"));
    // A resumed run needs them, but not those of later steps.
    let resumed = |step: i64| check(&machine.run(&format!("-- uv run rl @ rl.toml --ckpt.resume-step {step}")).1, "earlier-run");
    assert_eq!(resumed(15).0, "fine");
    assert_eq!(resumed(10), ("found".into(), vec!["PRL838".into()]));
    // Since April 2026 the launcher removes both itself.
    machine.0.write("later.toml", later_config().as_bytes());
    for (target, is_found) in [("0.5.0", true), ("0.6.0", false)] {
        for words in ["later.toml", "-- uv run rl @ later.toml --ckpt.resume-step 10"] {
            let document = machine.run(&format!("--target {target} {words}")).1.to_string();
            assert_eq!(document.contains("rollouts (step_15)"), is_found, "{target}: {document}");
        }
    }
    assert!(
        Path::new(&machine.0.path().join("outputs/run_default/rollouts/step_15/rollouts.bin")).exists(),
        "nothing is removed"
    );
}

#[test]
fn a_resume_needs_both_halves_and_equal_steps() {
    let machine = Machine::new(CONFIG);
    let resume = |step: i64| format!("-- uv run rl @ rl.toml --ckpt.resume-step {step}");
    for step in [5, 10] {
        machine.step(&format!("outputs/checkpoints/step_{step}/trainer/.metadata"));
    }
    for step in [5, 10, 15] {
        machine.step(&format!("outputs/run_default/checkpoints/step_{step}/orchestrator/progress.pt"));
    }
    machine.step("outputs/checkpoints/step_15/trainer/__0_0.distcp");
    let (_, at_10) = machine.run(&resume(10));
    assert_eq!(check(&at_10, "checkpoint").0, "fine");
    assert_eq!(check(&at_10, "step-desync"), ("found".into(), vec!["PRL839".into()]));
    insta::assert_snapshot!("later_checkpoints", found(&machine, &resume(10), "step-desync", "PRL839"));
    // Later versions don't count steps this way.
    machine.0.write("later.toml", later_config().as_bytes());
    let later = machine.run("--target 0.5.0 -- uv run rl @ later.toml --ckpt.resume-step 10").1;
    assert_eq!(check(&later, "step-desync").0, "not-needed", "{later:#}");
    insta::assert_snapshot!("an_incomplete_checkpoint", found(&machine, &resume(15), "checkpoint", "PRL840"));
    assert_eq!(check(&machine.run(&resume(20)).1, "checkpoint").1, ["PRL840", "PRL840"], "neither has it");
}

#[test]
fn weights_and_paths_are_looked_up() {
    let machine = Machine::new(&CONFIG.replace("Qwen/Qwen3-4B", "./base"));
    found(&machine, "rl.toml", "paths", "PRL845");
    let index = br#"{"weight_map": {"a": "model-00001-of-00001.safetensors"}}"#;
    machine.0.write("base/model.safetensors.index.json", index);
    machine.step("base/model.safetensors");
    let text = found(&machine, "rl.toml", "weights-index", "PRL843");
    assert!(text.contains("mv ./base/model.safetensors ./base/model-00001-of-00001.safetensors"), "{text}");
    machine.step("base/model-00001-of-00001.safetensors");
    assert_eq!(check(&machine.run("rl.toml").1, "weights-index").0, "fine");
    machine.0.write("base/model.safetensors.index.json", b"{");
    found(&machine, "rl.toml", "weights-index", "PRL843");
}

#[test]
fn an_unintended_prime_rl_is_reported() {
    let machine = Machine::new(CONFIG);
    machine.0.write(".venv/lib/python3.12/site-packages/prime_rl-0.5.0.dist-info/METADATA", b"Name: prime-rl\nVersion: 0.5.0\n");
    let (_, document) = machine.run("rl.toml");
    assert_eq!(check(&document, "prime-rl").1, ["PRL844"], "{document:#}");
}

#[test]
fn a_refused_config_is_not_checked_on_the_machine() {
    let machine = Machine::new("[trainer]\n[orchestrator]\nrollouts_per_exmaple = 1\n");
    let ended = finish(&mut machine.command("rl.toml"), b"");
    let refused = outcome(&ended);
    assert_eq!((ended.status, &refused["outcome"]), (Some(1), &"refused".into()), "{ended:?}");
    assert_eq!(refused["files"][0]["diagnostics"][0]["code"], "PRL101", "{refused:#}");
    assert!(ended.stderr.contains("PRL101"), "{ended:?}");
    let ended = finish(&mut machine.command("missing.toml"), b"");
    let failed = outcome(&ended);
    assert_eq!((ended.status, &failed["outcome"]), (Some(2), &"failed".into()), "{ended:?}");
}

#[test]
fn text_output_has_a_line_for_each_check() {
    let machine = Machine::new(CONFIG);
    let mut command = machine.0.command("run preflight rl.toml --target d564195ca");
    command.env("PATH", machine.0.path().join("bin")).env("HOME", machine.0.path().join("home"));
    let ended = finish(&mut command, b"");
    insta::assert_snapshot!("the_gpus_of_a_machine", ended.stdout.lines().find(|line| line.contains("NVIDIA")).expect("a line"));
}

#[test]
fn an_environment_of_another_version_is_reported() {
    let machine = Machine::new(CONFIG);
    let source = |version: &str| {
        format!("[build-system]\nrequires = []\n\n[project]\nname = \"beautiful-soup-env\"\nversion = \"{version}\"\n")
    };
    machine.0.write("environments/beautiful_soup_env/pyproject.toml", source("0.1.1").as_bytes());
    assert_eq!(check(&machine.run("rl.toml").1, "environments").0, "fine");
    machine.0.write("environments/beautiful_soup_env/pyproject.toml", source("0.2.0").as_bytes());
    insta::assert_snapshot!("an_outdated_environment", found(&machine, "rl.toml", "environments", "PRL841"));
    // A package that is used from its sources is up to date.
    let url = ".venv/lib/python3.12/site-packages/beautiful_soup_env-0.1.1.dist-info/direct_url.json";
    machine.0.write(url, b"{\"url\": \"file:///x\", \"dir_info\": {\"editable\": true}}");
    assert_eq!(check(&machine.run("rl.toml").1, "environments").0, "fine");
    machine.remove(url);
    machine.remove("environments");
    machine.0.write("rl.toml", format!("# /// config\n# env_version = \"0.3.0\"\n# ///\n{CONFIG}").as_bytes());
    insta::assert_snapshot!("an_environment_older_than_stated", found(&machine, "rl.toml", "environments", "PRL841"));
    // Another spelling of the same version.
    machine.0.write("rl.toml", format!("# /// config\n# env_version = \"v0.1.1.0\"\n# ///\n{CONFIG}").as_bytes());
    assert_eq!(check(&machine.run("rl.toml").1, "environments").0, "fine");
}

#[test]
fn requirements_of_the_project_are_checked() {
    let machine = Machine::new(CONFIG);
    assert_eq!(check(&machine.run("rl.toml").1, "project").0, "not-needed");
    let settings = "[preflight]\nvariables = [\"VAST_API_KEY\"]\nprograms = [\"rclone\"]\nfiles = [\"~/.rclone.conf\"]\n";
    machine.0.write("cfg.toml", settings.as_bytes());
    let (status, codes) = check(&machine.run("rl.toml").1, "project");
    assert_eq!((&*status, codes), ("found", vec!["PRL846".to_owned(), "PRL834".to_owned(), "PRL845".to_owned()]));
    machine.program("rclone", "exit 0");
    machine.0.write("home/.rclone.conf", b"");
    let ended = finish(machine.command("rl.toml").env("VAST_API_KEY", "secret"), b"");
    assert_eq!(check(&document(&ended), "project").0, "fine", "{ended:?}");
    assert!(!ended.stdout.contains("secret"), "{ended:?}");
    machine.0.write("cfg.toml", b"[preflight]\nvariables = [\"A B\"]\nfile = []\n");
    let ended = machine.0.run("check rl.toml --format concise");
    assert_eq!(ended.stdout.matches("error[PRL014]").count(), 2, "{ended:?}");
}

#[test]
fn an_unregistered_config_is_reported_at_launch() {
    let machine = Machine::new(CONFIG);
    assert_eq!(check(&machine.run("rl.toml").1, "registered").0, "not-needed");
    assert_eq!(machine.0.run("registry init .").status, Some(0));
    let said = found(&machine, "rl.toml", "registered", "PRL717");
    assert!(said.contains("`cfg bump rl.toml"), "{said}");
    let bumped = machine.0.run("bump rl.toml -m first --target d564195ca");
    assert_eq!(bumped.status, Some(0), "{bumped:?}");
    let (_, document) = machine.run("rl.toml");
    assert_eq!(check(&document, "registered").0, "fine", "{document:#}");
    assert!(document.to_string().contains("rl.toml:v1"), "{document:#}");
    // A copy in another folder is still this version; a changed file is not.
    let text = fs::read_to_string(machine.0.path().join("rl.toml")).expect("a text");
    machine.0.write("elsewhere/config.toml", text.as_bytes());
    assert_eq!(check(&machine.run("elsewhere/config.toml --kind rl").1, "registered").0, "fine");
    machine.0.write("rl.toml", format!("{text}# changed\n").as_bytes());
    insta::assert_snapshot!("a_changed_registered_config", found(&machine, "rl.toml", "registered", "PRL717"));
}

#[test]
fn errors_of_the_config_count_before_those_of_the_machine() {
    let machine = Machine::new(CONFIG);
    let (_, document) = machine.run("rl.toml");
    assert_eq!(check(&document, "config").0, "fine", "{document:#}");
    machine.0.write(
        "rl.toml",
        format!("{CONFIG}\n")
            .replace("max_steps = 100", "max_steps = 100\n[trainer.optim]\nlr = 2.0")
            .replace("[trainer]\n[trainer.model.lora]", "[trainer.model.lora]")
            .as_bytes(),
    );
    found(&machine, "rl.toml", "config", "PRL315");
    machine.0.write("cfg.toml", b"[lint]\nignore = [\"learning-rate\"]\n");
    assert_eq!(check(&machine.run("rl.toml").1, "config").0, "fine");
}

#[test]
fn the_disk_holds_the_checkpoints_that_launch_turns_on() {
    let saving = CONFIG.replace("max_steps = 100", "max_steps = 500");
    let silent = saving.replace("[ckpt]\ninterval = 5\nkeep_last = 2\n", "");
    let detail = |config: &str, words: &str| {
        let (ended, document) = Machine::new(config).run(words);
        let checks = document["checks"].as_array().expect("checks").iter();
        let disk = checks.filter(|check| check["name"] == "disk").map(Value::to_string).collect::<String>();
        assert!(!disk.is_empty(), "{ended:?}");
        disk
    };
    let needs = |text: &str| {
        let mut sizes = text.match_indices(" GiB").map(|(end, _)| &text[..end]);
        sizes.by_ref().map(|before| before.rsplit([' ', '"']).next().expect("a number").to_owned()).collect::<Vec<_>>()
    };
    let turned_on = detail(&silent, "rl.toml");
    assert!(
        turned_on.contains("`--ckpt.interval 50 --ckpt.keep-last 2`") && turned_on.contains("`cfg run launch`"),
        "{turned_on}"
    );
    // The same disk space as with these lines in the file, and as in `cfg memory`.
    let written = detail(&saving.replace("interval = 5\n", "interval = 50\n"), "rl.toml");
    assert!(needs(&written).iter().any(|size| needs(&turned_on).contains(size)), "{written} {turned_on}");
    let memory = Folder::new(&[("rl.toml", &silent)]).run("memory --target d564195ca rl.toml").stdout;
    let said = memory.lines().find(|line| line.contains("`--ckpt.interval 50")).expect("it says so");
    assert!(needs(said).iter().all(|size| needs(&turned_on).contains(size)) && !needs(said).is_empty(), "{said} {turned_on}");
    // For a launch command, no flags are added.
    assert!(!detail(&silent, "-- uv run rl @ rl.toml").contains("cfg run launch"));
}

#[test]
fn the_driver_is_new_enough_for_cuda() {
    let of = |version: &str| {
        let machine = Machine::new(CONFIG);
        let gpus = "0, GPU-a, NVIDIA H100 80GB HBM3, 81559, 1\n1, GPU-b, NVIDIA H100 80GB HBM3, 81559, 1";
        let script = format!("case \"$1\" in *compute-apps*) ;; *driver*) echo '{version}';; *) echo '{gpus}';; esac");
        machine.program("nvidia-smi", &script);
        machine
    };
    let says = found(&of("470.57.02"), "rl.toml", "driver", "PRL851");
    assert!(says.starts_with("the driver 470.57.02 is too old: prime-rl uses CUDA 12, which needs 525.60 or newer"), "{says}");
    assert_eq!(check(&of("525.60.13").run("rl.toml").1, "driver").0, "fine");
    assert_eq!(check(&of("580.1").run("rl.toml").1, "driver").0, "fine");
    assert_eq!(check(&of("unknown").run("rl.toml").1, "driver").0, "unknown");
    let machine = of("470.57.02");
    let ended = finish(machine.command("rl.toml").env("LD_LIBRARY_PATH", "/usr/local/cuda/compat"), b"");
    assert_eq!(check(&document(&ended), "driver").0, "unknown");
}

#[test]
fn the_python_is_one_with_which_prime_rl_runs() {
    let machine = Machine::new(CONFIG);
    assert_eq!(check(&machine.run("rl.toml").1, "python").0, "unknown");
    machine.write(".venv/pyvenv.cfg", "home = /usr/bin\nversion_info = 3.12.8\n");
    assert_eq!(check(&machine.run("rl.toml").1, "python").0, "fine");
    machine.write(".venv/pyvenv.cfg", "home = /usr/bin\nversion = 3.10.14\n");
    let says = found(&machine, "rl.toml", "python", "PRL852");
    assert!(says.starts_with(".venv has Python 3.10.14, but prime-rl needs 3.12"), "{says}");
    let elsewhere = finish(machine.command("rl.toml").env("UV_PROJECT_ENVIRONMENT", "/elsewhere"), b"");
    assert_eq!(check(&document(&elsewhere), "python").0, "unknown");
    // What `uv run` does not use.
    let machine = Machine::new(CONFIG);
    machine.write("other/pyvenv.cfg", "version = 3.10.14\n");
    let other = |machine: &Machine| {
        let ended = finish(machine.command("rl.toml").env("VIRTUAL_ENV", machine.0.path().join("other")), b"");
        check(&document(&ended), "python").0
    };
    assert_eq!(other(&machine), "unknown");
    machine.write(".venv/pyvenv.cfg", "version_info = 3.12.8\n");
    assert_eq!(other(&machine), "fine");
}

#[test]
fn without_downloads_the_models_are_in_the_cache() {
    let machine = Machine::new(CONFIG);
    let offline = |machine: &Machine, name: &str, value: &str| {
        let ended = finish(machine.command("rl.toml").env(name, value), b"");
        check(&document(&ended), "hub-cache")
    };
    assert_eq!(check(&machine.run("rl.toml").1, "hub-cache").0, "not-needed");
    assert_eq!(offline(&machine, "HF_HUB_OFFLINE", "0").0, "not-needed");
    for name in ["HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"] {
        assert_eq!(offline(&machine, name, "1"), ("found".to_owned(), vec!["PRL853".to_owned()]));
    }
    machine.write("home/.cache/huggingface/hub/models--Qwen--Qwen3-4B/snapshots/0123/config.json", "{}");
    assert_eq!(offline(&machine, "HF_HUB_OFFLINE", "1").0, "fine");
    let ended = finish(machine.command("rl.toml").env("HF_HUB_OFFLINE", "1").env("HF_HOME", "/nowhere"), b"");
    assert_eq!(check(&document(&ended), "hub-cache").0, "found");
    // The processes may have other variables than this shell.
    let newest = "max_steps = 9\n[env_vars]\nHF_HOME = \"/shared/hub\"\n[model]\nname = \"Qwen/Qwen3-4B\"\n[trainer]\n[[orchestrator.train.source]]\n\
                  env.taskset.id = \"reverse-text\"\n[inference]\n";
    let of = |config: &str| {
        let machine = Machine::new(config);
        let ended = finish(machine.command("rl.toml --target 559b44772").env("HF_HUB_OFFLINE", "1"), b"");
        check(&document(&ended), "hub-cache").0
    };
    assert_eq!(of(newest), "unknown");
    assert_eq!(of(&newest.replace("HF_HOME", "OTHER")), "found");
    // A folder of this machine needs no cache.
    let machine = Machine::new(&CONFIG.replace("Qwen/Qwen3-4B", "models/own"));
    machine.write("models/own/config.json", "{}");
    assert_eq!(offline(&machine, "HF_HUB_OFFLINE", "1").0, "not-needed");
}

#[test]
fn the_nodes_of_a_run_share_its_folder() {
    let config = |folder: &str| {
        format!(
            "output_dir = \"{folder}\"\nmax_steps = 10\n[model]\nname = \"Qwen/Qwen3-4B\"\n[slurm]\njob_name = \"x\"\n[deployment]\ntype = \"multi_node\"\nnum_train_nodes = 1\n\
             num_infer_nodes = 1\n[trainer]\n[orchestrator]\nbatch_size = 8\nrollouts_per_example = 2\n[[orchestrator.train.env]]\nid = \"reverse-text\"\n[inference]\n"
        )
    };
    let says = found(&Machine::new(&config("/tmp/run")), "rl.toml --target 0.6.0", "shared-folder", "PRL854");
    assert!(says.starts_with("/tmp/run is in /tmp, which is local to each of the 2 nodes"), "{says}");
    for folder in ["/shared/run", "/tmpx/run", "/tmp/../shared"] {
        assert_eq!(check(&Machine::new(&config(folder)).run("rl.toml --target 0.6.0").1, "shared-folder").0, "fine", "{folder}");
    }
    assert_eq!(check(&Machine::new(CONFIG).run("rl.toml").1, "shared-folder").0, "not-needed");
}

#[test]
fn what_the_cards_of_the_machine_can_t_run_is_an_error_of_the_config() {
    let config = later_config().replace("[trainer]\n", "[trainer]\n[trainer.model]\nattn = \"flash_attention_3\"\n");
    let machine = Machine::new(&config);
    assert_eq!(check(&machine.run("rl.toml --target 0.6.0").1, "config").0, "fine");
    machine.gpus("0, GPU-a, NVIDIA A100-SXM4-80GB, 81920, 1\n1, GPU-b, NVIDIA A100-SXM4-80GB, 81920, 1", "");
    let says = found(&machine, "rl.toml --target 0.6.0", "config", "PRL412");
    assert!(says.contains("FlashAttention 3"), "{says}");
}
