//! `cfg sweep`: the configs that it writes, and those that it refuses to write.

use std::fs;

use super::{Ended, Folder, document_of, outcome};

const BASE: &str = "# /// config\n# prime_rl = \"0.8.0\"\n# version = \"v2\"\n# hardware = \"2x H100\"\n# ///\n\nmax_steps = 100  # steps\nseq_len = 4096\n\
                    output_dir = \"/data/runs\"\n\n[model]\nname = \"Qwen/Qwen3-0.6B\"\n\n[wandb]\nname = \"base\"\n\n[deployment]\nnum_train_gpus = 1\nnum_infer_gpus = 1\n\n\
                    [trainer.optim]\nlr = 1e-5  # the rate\n\n[orchestrator]\nbatch_size = 64\ngroup_size = 8\n\n\
                    [[orchestrator.train.source]]\n[orchestrator.train.source.legacy]\nid = \"reverse-text\"\n\n[inference]\n";

fn document(ended: &Ended) -> serde_json::Value {
    document_of(ended, &cfg_report::sweep::schema().to_value())
}

fn folder() -> Folder {
    let folder = Folder::new(&[("rl.toml", BASE)]);
    let checked = folder.run("check rl.toml");
    assert_eq!(checked.status, Some(0), "{checked:?}");
    folder
}

#[test]
fn each_combination_is_a_config_without_findings() {
    let folder = folder();
    let ended = folder.run("sweep rl.toml trainer.optim.lr=1e-6,3e-6 orchestrator.group_size=8,16 -o some/sweep --format json");
    assert_eq!(ended.status, Some(0), "{ended:?}");
    let document = document(&ended);
    let names = ["lr1e-6-group_size8", "lr1e-6-group_size16", "lr3e-6-group_size8", "lr3e-6-group_size16"];
    for (name, variant) in names.iter().zip(document["variants"].as_array().expect("variants")) {
        let path = format!("some/sweep/rl-{name}.toml");
        assert_eq!((&variant["path"], &variant["written"]), (&path.as_str().into(), &true.into()));
        let text = fs::read_to_string(folder.path().join(&path)).expect("it was written");
        assert_eq!(variant["text"], text);
        let (lr, group) = (&variant["values"]["trainer.optim.lr"], &variant["values"]["orchestrator.group_size"]);
        let (lr, group) = (lr.as_str().expect("a value"), group.as_str().expect("a value"));
        // All other bytes are unchanged.
        let expected = BASE
            .replace("# version = \"v2\"\n", "")
            .replace("# hardware = \"2x H100\"\n", &format!("# hardware = \"2x H100\"\n# notes = \"rl.toml with trainer.optim.lr = {lr}, orchestrator.group_size = {group}\"\n"))
            .replace("/data/runs", &format!("/data/runs/{name}"))
            .replace("\"base\"", &format!("\"base-{name}\""))
            .replace("lr = 1e-5", &format!("lr = {lr}"))
            .replace("group_size = 8\n\n", &format!("group_size = {group}\n\n"));
        assert_eq!(text, expected);
    }
    let checked = folder.run("check some/sweep --deny warnings");
    assert_eq!(checked.status, Some(0), "{checked:?}");
    // Existing files are not overwritten.
    let again = folder.run("sweep rl.toml trainer.optim.lr=2e-6,1e-6 orchestrator.group_size=8 -o some/sweep");
    assert_eq!(again.status, Some(2), "{again:?}");
    insta::assert_snapshot!("an_existing_file_of_a_sweep", again.stderr);
    assert!(!folder.path().join("some/sweep/rl-lr2e-6-group_size8.toml").exists());
}

#[test]
fn an_invalid_sweep_is_refused_and_not_written() {
    let folder = folder();
    let mut reasons = String::new();
    let mut refused = |words: &str, count: usize, right: &[&str]| {
        let ended = folder.run(&format!("sweep rl.toml {words} --format json"));
        assert_eq!(ended.status, Some(1), "{ended:?}");
        let document = document(&ended);
        let variants = document["variants"].as_array().expect("variants");
        let is_refused = |variant: &&serde_json::Value| variant["verdict"] == "refused";
        let errors: Vec<_> = variants.iter().filter(is_refused).map(|variant| variant["errors"].to_string()).collect();
        assert_eq!(errors.len(), count, "{document:#}");
        reasons += &format!("{words}: {}\n", errors.join(" "));
        let written: Vec<_> =
            variants.iter().filter(|variant| variant["written"] == true).map(|variant| &variant["path"]).collect();
        assert_eq!(written, right);
        for path in right {
            assert!(folder.path().join(path).exists(), "{path}");
        }
    };
    // The number of rollouts in a step must be a multiple of the group size.
    refused("orchestrator.group_size=8,12 -o a", 1, &["a/rl-group_size8.toml"]);
    refused("trainer.optim.lrr=1,2 -o b", 2, &[]);
    refused("trainer.optim.lr=fast -o c", 1, &[]);
    refused("model.name=Qwen/Qwen3-0.6B,Qwen/Qwen3-32B --gpu 2xA100-40 -o d", 1, &["d/rl-nameQwen_Qwen3-0.6B.toml"]);
    insta::assert_snapshot!("refused_variants", reasons);
    assert!(!folder.path().join("b").exists() && !folder.path().join("c").exists());
}

#[test]
fn a_registered_config_is_named_as_the_parent() {
    let folder = folder();
    assert_eq!(folder.run("registry init").status, Some(0));
    let bumped = folder.run("bump rl.toml -m first");
    assert_eq!(bumped.status, Some(0), "{bumped:?}");
    let of = |config: &str| {
        let ended = folder.run(&format!("sweep {config} trainer.optim.lr=1e-6 --format json"));
        assert_eq!(ended.status, Some(0), "{ended:?}");
        let document = document(&ended);
        (document["version"].clone(), document["variants"][0]["text"].as_str().expect("a text").to_owned())
    };
    let (version, text) = of("rl.toml");
    let version = version.as_str().expect("a version").to_owned();
    assert!(version.starts_with("rl.toml:v"), "{version}");
    assert!(text.contains(&format!("# based_on = \"{version}\"\n")), "{text}");
    folder.write("variant.toml", text.as_bytes());
    let checked = folder.run("check variant.toml");
    assert_eq!(checked.status, Some(0), "{checked:?}");
    // A file that was changed is no longer a registered version.
    let changed = fs::read_to_string(folder.path().join("rl.toml")).expect("it is there") + "# more\n";
    folder.write("rl.toml", changed.as_bytes());
    let (version, text) = of("rl.toml");
    assert!(version.is_null() && !text.contains("based_on"), "{text}");
}

#[test]
fn settings_that_can_t_be_varied_are_reported() {
    let folder = folder();
    folder.write("whole.toml", b"toml_files = [\"rl.toml\"]\n");
    let refused = [
        "trainer.optim.lr",
        "trainer.optim.lr=",
        "=1",
        "trainer.optim.lr=1,1",
        "a=1 a=2",
        "a=1..1000:1",
        "a=1..60:1 b=1..60:1",
        "trainer=1",
        "trainer.optim.lr=1e-6 --gpu 2xH1000",
    ];
    let mut reasons = String::new();
    for words in refused {
        let ended = folder.run(&format!("sweep rl.toml {words} -o out --format json"));
        assert_eq!(ended.status, Some(2), "{words}: {ended:?}");
        let document = outcome(&ended);
        reasons += &format!("{words}: {}\n", document["errors"]);
    }
    insta::assert_snapshot!("settings_that_are_not_varied", reasons);
    assert!(!folder.path().join("out").exists());
    assert_eq!(folder.run("sweep missing.toml a=1").status, Some(2));
    folder.write("wrong.toml", b"[trainer\n");
    assert_eq!(folder.run("sweep wrong.toml a=1").status, Some(1));
}

/// The text of the only variant of a sweep over one learning rate, and the standard error of the command that writes it.
fn only_variant(text: &str, options: &str) -> (String, String) {
    let folder = Folder::new(&[("rl.toml", text)]);
    let ended = folder.run(&format!("sweep rl.toml trainer.optim.lr=2e-6 -o out {options}"));
    assert_eq!(ended.status, Some(0), "{ended:?}");
    let text = fs::read_to_string(folder.path().join("out/rl-lr2e-6.toml")).expect("it was written");
    let checked = folder.run("check out --deny warnings");
    assert_eq!(checked.status, Some(0), "{checked:?} {text}");
    (text, ended.stderr)
}

#[test]
fn each_variant_has_its_own_places() {
    let places = "[ckpt]\ninterval = 10\noutput_dir = \"/scratch/exp1\"\n\n[trainer]\nmemory_profiler_path = \"/data/runs/memory\"\n\n[orchestrator.prime_monitor]\nrun_name = \"exp1\"\n\n";
    let (text, _) = only_variant(&BASE.replace("[deployment]", &format!("{places}[deployment]")), "");
    for own in [
        "output_dir = \"/data/runs/lr2e-6\"",
        "output_dir = \"/scratch/exp1/lr2e-6\"",
        // It is within the output folder.
        "memory_profiler_path = \"/data/runs/lr2e-6/memory\"",
        "run_name = \"exp1-lr2e-6\"",
    ] {
        assert!(text.contains(own), "{own}: {text}");
    }
}

#[test]
fn a_variant_begins_anew() {
    let (text, stderr) =
        only_variant(&BASE.replace("[deployment]", "[ckpt]\ninterval = 10\nresume_step = 10\n\n[deployment]"), "");
    assert!(!text.contains("resume_step") && text.contains("interval = 10"), "{text}");
    assert!(stderr.contains("`ckpt.resume_step`"), "{stderr}");
    // A run that may have no checkpoint resumes from the last one, if there is one.
    let (text, stderr) =
        only_variant(&BASE.replace("[deployment]", "[ckpt]\ninterval = 10\nresume_step = -1\n\n[deployment]"), "");
    assert!(text.contains("resume_step = -1") && !stderr.contains("resume_step"), "{text}");
}

#[test]
fn a_variant_for_a_requested_prime_rl_states_it() {
    let base = BASE
        .replace("# prime_rl = \"0.8.0\"\n", "")
        .replace("[[orchestrator.train.source]]\n[orchestrator.train.source.legacy]", "[[orchestrator.train.env]]");
    let (text, _) = only_variant(&base, "--target 0.6.0");
    assert!(text.contains("# prime_rl = \"0.6.0\""), "{text}");
}
