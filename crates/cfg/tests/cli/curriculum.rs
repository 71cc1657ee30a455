//! `cfg plan --curriculum`: the schedule as JSON, as text and as a picture; and environments that a project declares itself.

use serde_json::Value;

use super::{Ended, Folder, document_of};

/// Four phases with a clock that counts each rollout four times.
const SLOW: &str = "max_steps = 1000\n[trainer]\n[orchestrator]\nbatch_size = 64\nrollouts_per_example = 4\noversampling_factor = 1.0\n\
    [[orchestrator.env]]\nid = \"you/<counting>&env\"\n[orchestrator.env.args]\ncurriculum_enabled = true\nsamples_per_step = 256\n\
    [[orchestrator.env.args.curriculum_phases]]\nuntil_step = 150\nweights = { primer = 0.8, easy = 0.2 }\n\
    [[orchestrator.env.args.curriculum_phases]]\nuntil_step = 400\nweights = { easy = 3, medium = 2 }\n\
    [[orchestrator.env.args.curriculum_phases]]\nuntil_step = 750\nweights = { primer = 0.1, easy = 0.35, hard = 0.55 }\n\
    [[orchestrator.env.args.curriculum_phases]]\nuntil_step = 1000\nweights = { hard = 1.0 }\n";

fn curriculum(arguments: &str, text: &str) -> Ended {
    Folder::new(&[("rl.toml", text)]).run(&format!("plan --curriculum rl.toml --target 0.4.0 {arguments}"))
}

/// The document, after validating it with its schema.
#[track_caller]
fn document(ended: &Ended) -> Value {
    assert_eq!(ended.status, Some(0), "{ended:?}");
    document_of(ended, &cfg_report::curriculum::schema().to_value())
}

#[test]
fn late_phases_never_begin_on_a_slow_clock() {
    let document = document(&curriculum("--format json", SLOW));
    let environment = &document["environments"][0];
    let phases = environment["phases"].as_array().expect("phases");
    let of = |key: &str| phases.iter().map(|phase| phase[key].clone()).collect::<Vec<_>>();
    assert_eq!(of("begins_latest"), [0, 600, 1600, 3000]);
    assert_eq!(of("begins_earliest"), [0, 599, 1599, 2999]);
    assert_eq!(of("begins"), ["yes", "yes", "no", "no"]);
    assert_eq!(phases[1]["shares"], serde_json::json!({"easy": 0.6, "medium": 0.4}));
    assert_eq!((&environment["enabled"], &environment["effect"]), (&true.into(), &Value::Null));
}

#[test]
fn the_picture_is_well_formed_and_shows_no_markup_of_the_config() {
    let ended = curriculum("--format svg", SLOW);
    assert_eq!(ended.status, Some(0), "{ended:?}");
    assert!(ended.stdout.starts_with("<svg ") && ended.stdout.ends_with("</svg>\n"), "{ended:?}");
    assert!(ended.stdout.contains("you/&lt;counting&gt;&amp;env"), "{ended:?}");
    let tags = |opening: &str| ended.stdout.matches(opening).count();
    assert_eq!(tags("<text "), tags("</text>"));
    // Two phases begin during the run; the picture has at least three shares for each of them.
    assert!(tags("<rect ") > 12, "{ended:?}");
}

#[test]
fn text_output_has_bars() {
    let ended = curriculum("", SLOW);
    let lines: Vec<&str> = ended.stdout.lines().filter(|line| line.contains('%')).collect();
    assert_eq!(lines.len(), 4, "{ended:?}");
    assert!(lines[0].contains('#') && !lines[3].contains('#'), "{ended:?}");
    insta::assert_snapshot!("phases_with_bars", ended.stdout);
}

#[test]
fn a_config_without_a_curriculum_has_no_drawing() {
    let text = "[trainer]\n[orchestrator]\n[[orchestrator.env]]\nid = \"a\"\n";
    assert_eq!(document(&curriculum("--format json", text))["environments"], serde_json::json!([]));
    insta::assert_snapshot!("no_curriculum", curriculum("", text).stdout);
    let refused = curriculum("", "[trainer]\nfoo = 1\n[orchestrator]\n");
    assert_eq!((refused.status, refused.stdout.as_str()), (Some(1), ""));
    assert_eq!(curriculum("--format sarif", text).status, Some(2));
}

/// The arguments of an environment that a project declares are checked like those of a built-in one.
#[test]
fn a_project_declares_its_own_environments() {
    let settings = "[environments.\"you/env\"]\nother_args = \"refused\"\ncurriculum = \"samples\"\n\
        [environments.\"you/env\".args]\nsplit = { type = 'literal(\"train\", \"test\")', default = \"test\", train = [\"train\"] }\n\
        turns = { type = \"int\", min = 1 }\nbad = { type = \"integer\" }\n\
        [[environments.\"you/env\".never]]\nwhen = { split = \"train\", turns = [2, 3] }\nsays = \"it hangs\"\ninstead = \"write 1\"\n";
    let config = "[trainer]\n[orchestrator]\n[[orchestrator.env]]\nid = \"you/env@1.0\"\n\
        args = { turns = 2, trun = 1, split = \"train\", curriculum_enabled = true }\n";
    let folder = Folder::new(&[("cfg.toml", settings), ("rl.toml", config)]);
    let ended = folder.run("check rl.toml --target 0.4.0 --format json --select PRL5");
    let document: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
    let mut found: Vec<String> = document["files"][0]["diagnostics"]
        .as_array()
        .expect("findings")
        .iter()
        .map(|found| format!("{} {}", found["code"].as_str().unwrap_or_default(), found["severity"].as_str().unwrap_or_default()))
        .collect();
    found.sort();
    assert_eq!(found, ["PRL501 error", "PRL504 warning", "PRL509 warning", "PRL512 warning"], "{document:#}");
}
