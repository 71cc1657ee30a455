//! `cfg new` and `cfg init`: what they write, and what they leave unchanged.

use std::fs;

use super::{Ended, Folder, document_of, outcome};

const WISH: &str = "new --model Qwen/Qwen3-8B --gpu 2xH100 --env reverse-text";

#[track_caller]
fn text_of(ended: &Ended) -> String {
    assert_eq!(ended.status, Some(0), "{ended:?}");
    ended.stdout.clone()
}

#[test]
fn check_has_no_findings_for_a_new_config() {
    for (kind, source) in
        [("rl", "--env a"), ("trainer", ""), ("orchestrator", "--env a"), ("inference", ""), ("sft", "--data a/b")]
    {
        for target in ["0.4.0", "0.6.0", "0.8.0", "main"] {
            let folder = Folder::new(&[]);
            let written = folder
                .run(&format!("new --model Qwen/Qwen3-4B --gpu 2xH100 --kind {kind} {source} --target {target} -o new.toml"));
            assert_eq!(written.status, Some(0), "{kind} at {target}: {written:?}");
            let checked = folder.run("check new.toml --deny warnings");
            assert_eq!(checked.status, Some(0), "{kind} at {target}: {checked:?}");
            let memory = folder.run("memory new.toml");
            assert_eq!(memory.status, Some(if kind == "orchestrator" { 2 } else { 0 }), "{kind} at {target}: {memory:?}");
        }
    }
}

#[test]
fn a_data_set_is_for_supervised_fine_tuning() {
    let folder = Folder::new(&[]);
    let wish = "new --model Qwen/Qwen3-0.6B --gpu 1xH100 --data a/b --target 0.8.0";
    let text = text_of(&folder.run(wish));
    assert!(text.contains("[data]\n") && !text.contains("legacy"), "{text}");
    let refused = folder.run(&format!("{wish} --kind rl"));
    assert!(refused.status != Some(0) && refused.stderr.contains("--kind sft"), "{refused:?}");
}

#[test]
fn a_model_that_sees_images_has_what_its_prime_rl_asks_for() {
    let folder = Folder::new(&[]);
    let wish = "new --gpu 2xH100 --images";
    let parts = "vision_encoder_attr = \"model.visual\"";
    for (target, model, source, has) in [
        ("0.4.0", "Qwen/Qwen3-VL-4B-Instruct", "--env org/pictures", &["trajectory_strategy = \"branching\""][..]),
        ("0.6.0", "Qwen/Qwen3-VL-4B-Instruct", "--env org/pictures", &[parts]),
        ("0.8.0", "Qwen/Qwen3.5-4B", "--env org/pictures", &[parts, "impl = \"custom\"", "env.taskset]\nid = \"org/pictures\""]),
        ("main", "Qwen/Qwen3.5-4B", "--env org/pictures", &[parts, "impl = \"custom\""]),
        ("0.8.0", "Qwen/Qwen3.5-4B", "--data org/pictures", &[parts, "micro_batch_size = 1"]),
    ] {
        let text = text_of(&folder.run(&format!("{wish} --model {model} {source} --target {target}")));
        for words in has.iter().chain(&["optimization_dtype = \"bfloat16\"", "reduce_dtype = \"bfloat16\""]) {
            assert!(text.contains(words), "{target} lacks {words}:\n{text}");
        }
        fs::write(folder.path().join("new.toml"), &text).expect("written");
        let checked = folder.run("check new.toml --deny warnings");
        assert_eq!(checked.status, Some(0), "{target}: {checked:?}");
    }
    let refused = folder.run(&format!("{wish} --model Qwen/Qwen3-4B --env a --target 0.8.0"));
    assert!(refused.status == Some(1) && refused.stderr.contains("vision encoder of Qwen/Qwen3-4B"), "{refused:?}");
    for target in ["0.8.0", "main"] {
        let refused = folder.run(&format!("{wish} --model Qwen/Qwen3-VL-4B-Instruct --env a --target {target}"));
        let says_so = refused.stderr.contains("has no class that trains Qwen/Qwen3-VL-4B-Instruct on images");
        assert!(refused.status == Some(1) && says_so && !refused.stderr.contains("impl"), "{target}: {refused:?}");
    }
}

#[test]
fn a_sequence_without_room_for_a_prompt_is_refused() {
    let folder = Folder::new(&[]);
    let of =
        |length: u32| folder.run(&format!("new --model Qwen/Qwen3-4B --gpu 2xH100 --env a --target 0.8.0 --seq-len {length}"));
    for length in [1, 2, 127] {
        let refused = of(length);
        assert!(refused.status == Some(1) && refused.stderr.contains("ask for at least 128"), "{refused:?}");
    }
    assert!(text_of(&of(128)).contains("# input_tokens = 64"));
}

#[test]
fn supervised_fine_tuning_has_all_gpus() {
    let folder = Folder::new(&[]);
    let wish = "new --model Qwen/Qwen3-8B --kind sft --data a/b --gpu 8xH100";
    for (target, key) in [("0.8.0", "num_gpus = 8"), ("main", "num_train_gpus = 8")] {
        let text = text_of(&folder.run(&format!("{wish} --target {target}")));
        assert!(text.contains(&format!("[deployment]\n{key}\n")) && !text.contains("lora"), "{text}");
    }
}

#[test]
fn a_quantised_model_is_served_and_not_trained() {
    let folder = Folder::new(&[]);
    let wish = "new --model Qwen/Qwen3-8B-FP8 --gpu 8xH200 --target 0.8.0";
    let refused = folder.run(&format!("{wish} --env reverse-text"));
    assert!(
        refused.status == Some(1) && refused.stderr.contains("train Qwen/Qwen3-8B, whose weights have 16 bits"),
        "{refused:?}"
    );
    assert!(text_of(&folder.run(&format!("{wish} --kind inference"))).contains("Qwen3-8B-FP8"));
}

fn read(folder: &Folder, name: &str) -> String {
    fs::read_to_string(folder.path().join(format!("{name}.toml"))).expect("the file is there")
}

#[test]
fn the_files_of_a_run_on_one_gpu_share_it() {
    for (names, more) in [(["trainer", "orchestrator", "inference"], ""), (["t-1", "o-1", "i-1"], " --method lora")] {
        let folder = Folder::new(&[]);
        let [trainer, orchestrator, inference] = names;
        let wish = "new --model Qwen/Qwen3-0.6B --gpu 1xH100 --target 0.8.0";
        for (kind, name, source) in
            [("trainer", trainer, more), ("orchestrator", orchestrator, " --env reverse-text"), ("inference", inference, "")]
        {
            let written = folder.run(&format!("{wish} --kind {kind}{source} -o {name}.toml"));
            assert_eq!(written.status, Some(0), "{written:?}");
        }
        let server = read(&folder, inference);
        assert!(server.contains("# the trainer needs the rest") && !server.contains("utilization = 0.9"), "{server}");
        assert_eq!(server.contains("enable_lora = true"), !more.is_empty(), "{server}");
        // Both parts save, so that both resume.
        for name in [trainer, orchestrator] {
            assert!(read(&folder, name).contains("[ckpt]\n"), "{name}");
        }
        let together = folder.run(&format!("memory {trainer}.toml {orchestrator}.toml {inference}.toml"));
        assert_eq!(together.status, Some(0), "{together:?}");
        assert_eq!(folder.run("check .").status, Some(0));
    }
}

#[test]
fn every_key_is_the_one_of_the_target() {
    let folder = Folder::new(&[]);
    let at = |target: &str| text_of(&folder.run(&format!("{WISH} --target {target}")));
    let old = at("0.4.0");
    assert!(old.contains("\ntrainer_gpu_ids = [1]\n") && old.contains("[[orchestrator.env]]\nid = \"reverse-text\"\n"), "{old}");
    let new = at("0.8.0");
    assert!(new.contains("\nnum_train_gpus = 1\n") && new.contains("[orchestrator.train.source.legacy]\n"), "{new}");
    let newest = at("main");
    assert!(newest.contains("[inference.vllm]\n") && newest.contains("[orchestrator.train.source.env.taskset]\n"), "{newest}");
    // `main` changes every day.
    assert!(newest.contains("# prime_rl = \"") && !newest.contains("main"), "{newest}");
}

#[test]
fn options_that_a_target_lacks_are_reported() {
    let folder = Folder::new(&[]);
    let text = text_of(&folder.run(&format!("{WISH} --target 2025-11-01")));
    assert!(text.contains("[trainer.model.experimental.lora]\n") && text.contains("[orchestrator.environment]\n"), "{text}");
    // In September 2025 LoRA was not supported, and 8B is too large for full fine-tuning.
    let refused = |words: &str| {
        let ended = folder.run(&format!("{WISH} --target 2025-09-15 {words}"));
        assert_eq!(ended.status, Some(1), "{ended:?}");
        ended.stderr
    };
    insta::assert_snapshot!("a_target_without_lora", refused("") + &refused("--method lora"));
}

#[test]
fn the_document_has_the_text_and_the_memory_of_each_gpu() {
    let folder = Folder::new(&[]);
    let document = document_of(&folder.run(&format!("{WISH} --format json")), &cfg_report::draft::schema().to_value());
    assert_eq!(document["text"], text_of(&folder.run(WISH)));
    assert_eq!((document["method"].as_str(), document["seq_len"].as_u64()), (Some("lora"), Some(8192)));
    let gpus = document["gpus"].as_array().expect("GPUs");
    assert_eq!(gpus.iter().map(|gpu| gpu["role"].as_str()).collect::<Vec<_>>(), [Some("inference"), Some("trainer")]);
    assert!(gpus.iter().all(|gpu| gpu["high_bytes"].as_u64() < gpu["total_bytes"].as_u64()), "{document:#}");
}

#[test]
fn goal_method_and_length_decide() {
    let folder = Folder::new(&[]);
    let of = |model: &str, more: &str| {
        let words = format!("new --model {model} --gpu 2xH100 --env a --format json {more}");
        document_of(&folder.run(&words), &cfg_report::draft::schema().to_value())
    };
    let small = |more: &str| of("Qwen/Qwen3-0.6B", more);
    assert_eq!(small("")["method"], "full");
    assert_eq!(small("--method lora")["method"], "lora");
    assert_eq!((&small("--goal cheap")["method"], &small("--goal cheap")["seq_len"]), (&"lora".into(), &4096.into()));
    assert_eq!(small("--goal long-context")["seq_len"], 32768);
    for length in [128, 512, 1024, 1563, 1564, 1600, 1791, 1792, 2048, 6000] {
        assert_eq!(small(&format!("--seq-len {length}"))["seq_len"], length);
    }
    // What a short sequence leaves for the prompt is less than most prompts have, so the config states it.
    let texts = ["1024", "2048"].map(|length| small(&format!("--seq-len {length}"))["text"].as_str().expect("a text").to_owned());
    assert!(texts[0].contains("\n# input_tokens = 768\n") && texts[0].contains("max_completion_tokens = 256\n"), "{}", texts[0]);
    assert!(!texts[1].contains("input_tokens"), "{}", texts[1]);
    let fast = small("--goal fast");
    assert!(fast["text"].as_str().is_some_and(|text| text.contains("batch_size = 64 ") && !text.contains("[trainer.model.ac]")));
}

#[test]
fn a_config_that_does_not_fit_is_refused_with_one_that_does() {
    let folder = Folder::new(&[]);
    let ended = folder.run("new --model Qwen/Qwen3-32B --gpu 2xA100-40 --env a -o new.toml --format json");
    assert_eq!(ended.status, Some(1), "{ended:?}");
    let document = outcome(&ended);
    insta::assert_snapshot!("a_new_config_that_does_not_fit", format!("{:#}\n{:#}", document["errors"], document["notes"]));
    assert!(!folder.path().join("new.toml").exists());
    // On one GPU, trainer and vLLM share it only if this prime-rl allows it.
    let shared = |target: &str| folder.run(&format!("new --model Qwen/Qwen3-0.6B --gpu 1xH100 --env a --target {target}"));
    assert!(text_of(&shared("0.4.0")).contains("\n# the trainer needs the rest; its KV cache holds"));
    let refused = shared("0.8.0");
    assert_eq!(refused.status, Some(1), "{refused:?}");
    insta::assert_snapshot!("one_gpu_for_trainer_and_server", refused.stderr);
}

#[test]
fn missing_or_unknown_values_are_requested() {
    let folder = Folder::new(&[]);
    let refused = [
        "",
        "--gpu 2xH100 --env a",
        "--model Qwen/Qwen3-8B --env a",
        "--model Qwen/Qwen3-8B --gpu 2xH100",
        "--model Qwen/Qwen3-8B --gpu 2xH100 --kind sft",
        "--model Qwen/Qwen3-8 --gpu 2xH100 --env a",
        "--model Qwen/Qwen3-8B --gpu 2xH1000 --env a",
        "--model Qwen/Qwen3-8B --gpu 2xH100 --env a --kind hosted",
    ];
    let mut said = String::new();
    for words in refused {
        let ended = folder.run(&format!("new {words}"));
        assert_eq!(ended.status, Some(2), "{words}: {ended:?}");
        said += &format!("$ cfg new {words}\n{}", ended.stderr);
    }
    insta::assert_snapshot!("missing_or_unknown_values_of_a_new_config", said);
}

#[test]
fn an_existing_file_is_not_overwritten() {
    let folder = Folder::new(&[("new.toml", "max_steps = 1\n")]);
    let ended = folder.run(&format!("{WISH} -o new.toml"));
    assert_eq!(ended.status, Some(2), "{ended:?}");
    assert_eq!(fs::read_to_string(folder.path().join("new.toml")).expect("the file"), "max_steps = 1\n");
}

#[test]
fn settings_supply_the_machine_and_the_prime_rl() {
    let folder = Folder::new(&[("cfg.toml", "target = \"0.6.0\"\ngpu = \"2x H200\"\n")]);
    let text = text_of(&folder.run("new --model Qwen/Qwen3-8B --env a"));
    assert!(!text.contains("prime_rl") && text.contains("# hardware = \"2x H200\"\n"), "{text}");
    assert!(text.contains("[[orchestrator.train.env]]\n"), "{text}");
}

/// A config in the registry, with a comment.
fn registered() -> Folder {
    let folder = Folder::new(&[]);
    text_of(&folder.run(&format!("{WISH} --target 0.8.0 -o rl.toml")));
    let text = fs::read_to_string(folder.path().join("rl.toml")).expect("the file");
    folder.write("rl.toml", text.replacen("max_steps = 200", "# Until it learns.\nmax_steps = 300", 1).as_bytes());
    for words in ["registry init", "bump rl.toml -m first"] {
        assert_eq!(folder.run(words).status, Some(0), "{words}");
    }
    folder
}

#[test]
fn new_like_another_config_is_its_text_with_the_requested_settings() {
    let folder = registered();
    let old = fs::read_to_string(folder.path().join("rl.toml")).expect("the file");
    let new = text_of(&folder.run("new --like rl.toml --model Qwen/Qwen3-14B --gpu 2xH200 --env org/other"));
    assert!(new.contains("# based_on = \"rl.toml:v1\"\n") && new.contains("# hardware = \"2x H200\"\n"), "{new}");
    assert!(new.contains("name = \"Qwen/Qwen3-14B\"") && new.contains("id = \"org/other\"\n"), "{new}");
    assert!(!new.contains("# version") && !new.contains("# notes"), "{new}");
    let body = |text: &str| text.split_once("# ///\n\n").expect("a block").1.to_owned();
    let changed = body(&old).replace("Qwen/Qwen3-8B", "Qwen/Qwen3-14B").replace("\"reverse-text\"", "\"org/other\"");
    // The launcher makes a file of the name, which is the id unless one is written.
    let table = "[[orchestrator.train.source]]\n";
    let changed = changed.replace(table, &format!("{table}name = \"other\"\n"));
    assert_eq!(body(&new), changed);
    folder.write("other.toml", new.as_bytes());
    assert_eq!(folder.run("bump other.toml -m second").status, Some(0));
    assert_eq!(folder.run("check other.toml --deny warnings").status, Some(0));
}

#[test]
fn new_like_another_config_is_refused_if_it_would_be_wrong() {
    let folder = registered();
    let mut said = String::new();
    for (words, status) in
        [("rl.toml --gpu 2xT4", 1), ("rl.toml --gpu 2xL4", 1), ("rl.toml --target 0.6.0", 2), ("rl.toml:v7", 2), ("none.toml", 2)]
    {
        let ended = folder.run(&format!("new --like {words}"));
        assert_eq!(ended.status, Some(status), "{words}: {ended:?}");
        assert!(ended.stdout.is_empty(), "{words}: {ended:?}");
        said += &format!("$ cfg new --like {words}\n{}", ended.stderr);
    }
    insta::assert_snapshot!("configs_that_are_not_written_like_another", said);
}

#[test]
fn init_writes_only_with_yes() {
    let folder = Folder::new(&[]);
    let ended = folder.run("init --gpu 2xH100");
    assert_eq!(ended.status, Some(0), "{ended:?}");
    assert!(ended.stdout.contains("target = \"0.8.0\""), "{ended:?}");
    insta::assert_snapshot!("init_without_yes", ended.stderr);
    assert!(!folder.path().join("cfg.toml").exists());
    assert_eq!(folder.run("init --gpu 2xH1000").status, Some(2));
    assert_eq!(folder.run("init --target nothing").status, Some(2));
}

#[test]
fn init_writes_exactly_the_shown_files() {
    let folder = Folder::new(&[]);
    assert!(
        folder
            .program("git")
            .args(["init", "-q", "."])
            .env("PATH", "/usr/bin:/bin")
            .status()
            .is_ok_and(|status| status.success())
    );
    let init = |words: &str| super::finish(folder.command(words).env("PATH", "/usr/bin:/bin"), b"");
    let ended = init("init --yes --gpu 2xH100 --target 0.6.0 --ci github");
    assert_eq!(ended.status, Some(0), "{ended:?}");
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect("the file");
    assert!(read("cfg.toml").contains("\ntarget = \"0.6.0\"  # as given\ngpu = \"2x H100\"  # as given\n"));
    assert!(read(".github/workflows/configs.yml").contains("cfg check --format github"));
    assert!(read(".git/hooks/pre-commit").contains("hook run"));
    let settings = text_of(&folder.run("new --model Qwen/Qwen3-8B --env a"));
    assert!(settings.contains("# hardware = \"2x H100\"\n") && settings.contains("[[orchestrator.train.env]]\n"), "{settings}");
    let again = init("init --yes --gpu 8xH100 --ci github");
    assert_eq!(again.status, Some(0), "{again:?}");
    assert!(read("cfg.toml").contains("2x H100"), "{again:?}");
    insta::assert_snapshot!("a_second_init", again.stderr);
}

/// Existing settings are not changed: what the user stated and they lack is reported.
#[test]
fn init_names_what_existing_settings_lack() {
    let folder = Folder::new(&[("cfg.toml", "target = \"0.8.0\"\n")]);
    let ended = folder.run("init --yes --target 0.7.0 --gpu 2xH100");
    insta::assert_snapshot!("settings_that_existing_ones_lack", ended.stderr);
}

#[cfg(unix)]
#[test]
fn init_does_not_write_through_a_link_of_a_repository() {
    let folder = Folder::new(&[]);
    let outside = folder.around.path().join("outside");
    fs::create_dir(&outside).expect("a folder");
    std::os::unix::fs::symlink(&outside, folder.path().join(".github")).expect("a link");
    std::os::unix::fs::symlink(outside.join("x"), folder.path().join("cfg.toml")).expect("a link");
    let ended = folder.run("init --yes --ci github");
    assert_eq!(ended.status, Some(2), "{ended:?}");
    assert_eq!(fs::read_dir(&outside).expect("the folder").count(), 0);
}

#[test]
fn a_new_config_is_not_for_the_prime_rl_of_an_old_one_of_the_same_name() {
    let old = "[trainer]\n[orchestrator]\n[[orchestrator.env]]\nid = \"reverse-text\"\n[inference]\n";
    let folder = Folder::repository(&[("rl.toml", old)]);
    let day = "2026-01-26T12:00:00Z";
    for words in [&["add", "-A"][..], &["-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "x"]] {
        let mut git = folder.program("git");
        git.args(words).env("GIT_AUTHOR_DATE", day).env("GIT_COMMITTER_DATE", day);
        assert!(git.status().is_ok_and(|status| status.success()), "{words:?}");
    }
    let ended = folder.run("new --model Qwen/Qwen3-0.6B --gpu 2xH100 --env reverse-text");
    assert!(ended.status == Some(0) && ended.stdout.contains("\n# prime_rl = \"0.8.0\"\n"), "{ended:?}");
}
