//! `cfg migrate`: what it reports, what it writes, and what it leaves unchanged.

use std::fs;

use serde_json::Value;

use super::Folder;

const OLD: &str = "\
# /// config
# prime_rl = \"0.2\"
# ///
max_steps = 20  # a short run
[ckpt]
keep = 2  # the last two
[trainer]
[orchestrator]
rollouts_per_example = 8
[[orchestrator.env]]
id = \"reverse-text\"
";

const NEW: &str = "\
# /// config
# prime_rl = \"0.7.0\"
# ///
max_steps = 20  # a short run
[ckpt]
keep_last = 2  # the last two
[trainer]
[orchestrator]
group_size = 8
[[orchestrator.train.env]]
id = \"reverse-text\"
";

fn text(folder: &Folder, name: &str) -> String {
    fs::read_to_string(folder.path().join(name)).expect("a text")
}

/// Asserts that a document is valid for its schema.
#[track_caller]
fn fits(document: &Value) {
    let schema = jsonschema::validator_for(&cfg_report::migration::schema().to_value()).expect("the schema is one");
    let errors: Vec<String> = schema.iter_errors(document).map(|error| error.to_string()).collect();
    assert_eq!(errors, [""; 0], "{document:#}");
}

/// The paragraph of an output that begins with these words.
fn paragraph<'t>(output: &'t str, words: &str) -> &'t str {
    output.split("\n\n").find(|paragraph| paragraph.starts_with(words)).unwrap_or_else(|| panic!("{output}"))
}

/// The decisions that a migration leaves.
fn to_decide(output: &str) -> &str {
    paragraph(output, "To decide")
}

/// A key that moves into a table which is gone later is one decision, at the line where it is written.
#[test]
fn a_key_that_moves_into_a_removed_table_is_named_as_it_is_written() {
    let folder = Folder::new(&[("rl.toml", OLD)]);
    let ended = folder.run("migrate rl.toml --to main");
    let decision = to_decide(&ended.stdout);
    assert!(
        decision.contains("   11 orchestrator.env[0].id, which is now in orchestrator.train.source[0].legacy\n"),
        "{decision}"
    );
    assert!(decision.contains("      that table was removed without a replacement (main of "), "{decision}");
    assert!(decision.contains("`--unsafe-fixes` removes it"), "{decision}");
    let all = folder.run("migrate rl.toml --to main --unsafe-fixes");
    assert!(all.stdout.contains("   11 orchestrator.env[0].id is removed"), "{all:?}");
}

#[test]
fn files_are_written_only_on_request() {
    let folder = Folder::new(&[("a.toml", OLD)]);
    let ended = folder.run("migrate a.toml --to 0.7.0");
    assert_eq!(ended.status, Some(0), "{ended:?}");
    assert_eq!(text(&folder, "a.toml"), OLD);
    insta::assert_snapshot!("a_migration_that_is_not_written", ended.stdout);
}

#[test]
fn a_migrated_file_is_not_written_again() {
    let folder = Folder::new(&[("a.toml", OLD)]);
    let ended = folder.run("migrate a.toml --to 0.7.0 --write");
    assert_eq!((ended.status, &*text(&folder, "a.toml")), (Some(0), NEW), "{ended:?}");
    insta::assert_snapshot!("a_written_migration", ended.stdout.lines().last().expect("a summary"));
    let again = folder.run("migrate a.toml --to 0.7.0 --write");
    assert_eq!((again.status, &*text(&folder, "a.toml")), (Some(0), NEW), "{again:?}");
    assert_eq!(folder.run("check a.toml").status, Some(0));
}

#[test]
fn a_diff_can_be_applied_and_ends_with_one() {
    let folder = Folder::new(&[("a.toml", OLD)]);
    let ended = folder.run("migrate a.toml --to 0.7.0 --diff");
    assert_eq!((ended.status, &*text(&folder, "a.toml")), (Some(1), OLD), "{ended:?}");
    let lines: Vec<&str> = ended.stdout.lines().collect();
    assert_eq!(lines[..2], ["--- a/a.toml", "+++ b/a.toml"]);
    assert!(lines.contains(&"-keep = 2  # the last two") && lines.contains(&"+keep_last = 2  # the last two"), "{ended:?}");
    assert_eq!(ended.stderr, "Would change 3 keys from prime-rl 0.2 to 0.7.0\n");
}

#[test]
fn standard_input_is_migrated_to_standard_output() {
    let folder = Folder::new(&[]);
    let ended = folder.run_with_input("migrate - --to 0.7.0 --write", OLD.as_bytes());
    assert_eq!((ended.status, &*ended.stdout), (Some(0), NEW), "{ended:?}");
    let marked = format!("\u{feff}{}", OLD.replace('\n', "\r\n"));
    let ended = folder.run_with_input("migrate - --to 0.7.0 --write", marked.as_bytes());
    assert_eq!(ended.stdout, format!("\u{feff}{}", NEW.replace('\n', "\r\n")), "{ended:?}");
}

#[test]
fn open_decisions_are_listed_and_exit_with_1() {
    let folder = Folder::new(&[("rl.toml", "clean = true\n[trainer]\n[orchestrator]\n")]);
    let ended = folder.run("migrate rl.toml --from 0.4.0 --to 0.5.0");
    assert_eq!(ended.status, Some(1), "{ended:?}");
    insta::assert_snapshot!("a_removed_key", to_decide(&ended.stdout));
    let ended = folder.run("migrate rl.toml --from 0.4.0 --to 0.5.0 --unsafe-fixes --write");
    assert_eq!((ended.status, &*text(&folder, "rl.toml")), (Some(0), "[trainer]\n[orchestrator]\n"), "{ended:?}");
}

#[test]
fn programs_get_the_same_as_json() {
    let folder = Folder::new(&[("a.toml", OLD)]);
    let ended = folder.run("migrate a.toml --to 0.7.0 --format json");
    let document: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    fits(&document);
    assert_eq!((&document["from"], &document["to"], &document["kind"]), (&"0.2".into(), &"0.7.0".into(), &"rl".into()));
    assert_eq!((&document["text"], &document["complete"]), (&NEW.into(), &true.into()));
    assert_eq!(document["done"][0]["range"]["start"]["line"], 6);
    assert_eq!(document["checked"]["verdict"], "ok");
    let changed = document["meaning"]["changed"].as_array().expect("an array");
    assert!(changed.iter().any(|changed| changed["key"] == "trainer.model.ac" && changed["commit"]["pull_request"] == 2868));
}

#[test]
fn a_config_that_cannot_be_migrated_has_a_reason() {
    let folder = Folder::new(&[("a.toml", OLD), ("b.toml", "a = [\n"), ("c.toml", "name = \"x\"\n")]);
    let unknown = folder.run("migrate a.toml --to 0.7.x");
    assert!(unknown.status == Some(2) && unknown.stderr.contains("0.7.x"), "{unknown:?}");
    let mut reasons = String::new();
    for words in [
        "a.toml --from 0.8.0 --to 0.7.0",
        "none.toml --to 0.7.0",
        "a.toml --target 0.7.0 --to 0.7.0",
        "b.toml --kind rl --to 0.7.0",
        "c.toml --to 0.7.0",
    ] {
        let ended = folder.run(&format!("migrate {words}"));
        assert_eq!(ended.status, Some(2), "{words}: {ended:?}");
        reasons += &format!("$ cfg migrate {words}\n{}", ended.stderr);
    }
    insta::assert_snapshot!("configs_that_are_not_migrated", reasons);
}

#[test]
fn a_value_that_is_refused_is_a_decision() {
    let text = "max_steps = 5\n[trainer]\n[orchestrator]\n[orchestrator.sampling]\ntemperature = 2.5  # hot\n[[orchestrator.env]]\nid = \"x\"\n";
    let folder = Folder::new(&[("rl.toml", text)]);
    let ended = folder.run("migrate rl.toml --from 0.2 --to 0.8.0");
    assert_eq!(ended.status, Some(1), "{ended:?}");
    insta::assert_snapshot!("a_refused_value", to_decide(&ended.stdout));
    let document: Value =
        serde_json::from_str(&folder.run("migrate rl.toml --from 0.2 --to 0.8.0 --format json").stdout).expect("JSON");
    fits(&document);
    let decision = &document["decisions"][0];
    assert_eq!((&decision["reason"], &decision["range"]["start"]["line"]), (&"refused".into(), &5.into()), "{decision:#}");
    assert!(decision["since"].is_string() && document["complete"] == false, "{document:#}");
}

#[test]
fn a_value_that_fails_at_run_time_is_a_decision() {
    let text = "bench = true\n[trainer]\n[orchestrator]\n";
    let folder = Folder::new(&[("rl.toml", text)]);
    let ended = folder.run("migrate rl.toml --from 0.3.0 --to 0.4.0");
    assert_eq!(ended.status, Some(1), "{ended:?}");
    insta::assert_snapshot!("a_value_that_fails", to_decide(&ended.stdout));
    let document: Value =
        serde_json::from_str(&folder.run("migrate rl.toml --from 0.3.0 --to 0.4.0 --format json").stdout).expect("JSON");
    fits(&document);
    assert_eq!((&document["decisions"][0]["reason"], &document["complete"]), (&"fails".into(), &false.into()), "{document:#}");
}

#[test]
fn a_key_of_another_file_names_that_file() {
    let folder = Folder::new(&[
        ("train.toml", "max_steps = 5\n[loss]\ntype = \"sft\"\n"),
        ("orch.toml", "batch_size = 8\n[[env]]\nid = \"x\"\n"),
    ]);
    let together = folder.run("migrate train.toml orch.toml --from 0.5.0 --to 0.6.0").stdout;
    insta::assert_snapshot!("a_key_of_another_migrated_file", to_decide(&together));
    let alone = folder.run("migrate train.toml --kind trainer --from 0.5.0 --to 0.6.0").stdout;
    insta::assert_snapshot!("a_key_of_another_file", to_decide(&alone));
}

#[test]
fn a_default_that_changed_twice_keeps_its_first_value() {
    let folder = Folder::new(&[("rl.toml", "[trainer]\n[orchestrator]\n[inference]\n")]);
    let ended = folder.run("migrate rl.toml --from d564195ca --to 0.8.0");
    let said = ended.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    // The value was "disabled" at that point, then 2048 for some months, then "disabled" again, and then 1024.
    assert!(said.contains("fused_lm_head_token_chunk_size: \"disabled\" -> 1024"), "{}", ended.stdout);
    assert!(said.contains("fused_lm_head_token_chunk_size = \"disabled\""), "{}", ended.stdout);
}

#[test]
fn no_value_is_advised_that_is_not_the_former_one() {
    let folder = Folder::new(&[("rl.toml", "[model]\nname = \"Qwen/Qwen3-8B\"\n[trainer]\n[orchestrator]\n[inference]\n")]);
    let said = |from: &str| {
        let ended = folder.run(&format!("migrate rl.toml --from {from} --to 0.8.0"));
        ended.stdout.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    // 2048 were entries of the vocabulary, and 1024 are tokens: no value does what it did.
    let old = said("0.4.0");
    assert!(old.contains("fused_lm_head_token_chunk_size: 2048 -> 1024"), "{old}");
    assert!(!old.contains("fused_lm_head_token_chunk_size = "), "{old}");
    assert!(said("0.6.0").contains("to keep it: trainer.model.fused_lm_head_token_chunk_size = \"disabled\""));
    let ended = folder.run("migrate rl.toml --from 0.4.0 --to 0.8.0 --keep-defaults --diff");
    assert!(!ended.stdout.contains("fused_lm_head") && ended.stdout.contains("+attn = "), "{ended:?}");
}

/// The trainer and the orchestrator must agree on how rollouts are sent, and 0.8.0 puts a router between the orchestrator and the engine.
#[test]
fn defaults_that_belong_together_are_kept_together_and_computed_values_are_not() {
    let text = "[model]\nname = \"meta-llama/Llama-3.2-3B-Instruct\"\n[trainer]\n[orchestrator]\n[[orchestrator.train.env]]\nid = \"reverse-text\"\n\
                [inference]\n";
    let folder = Folder::new(&[("rl.toml", text)]);
    let ended = folder.run("migrate rl.toml --from 0.7.0 --to 0.8.0 --keep-defaults --diff");
    for kept in ["+[orchestrator.rollout_transport]", "+[trainer.rollout_transport]", "+attn = \"flash_attention_2\""] {
        assert!(ended.stdout.contains(kept), "{kept}: {ended:?}");
    }
    assert!(!ended.stdout.contains("admin_base_url"), "{ended:?}");
    // 0.5.0 had the tokenizer of its default model here, whatever the model was.
    let older = text.replace("orchestrator.train.env", "orchestrator.env");
    folder.write("old.toml", older.as_bytes());
    let ended = folder.run("migrate old.toml --from 0.5.0 --to 0.8.0 --keep-defaults --diff");
    assert!(ended.stdout.contains("+type = \"filesystem\"") && !ended.stdout.contains("tokenizer"), "{ended:?}");
}

/// Since 0.7.0 the tables of the components don't count under `rl`.
#[test]
fn what_a_component_says_is_kept_in_the_shared_table() {
    let text = "[trainer.weight_broadcast]\ntype = \"nccl\"\n[orchestrator]\n[orchestrator.weight_broadcast]\ntype = \"nccl\"\n\
                [[orchestrator.env]]\nid = \"wordle\"\n";
    let folder = Folder::new(&[("rl.toml", text)]);
    let said = folder.run("migrate rl.toml --from 0.4.0 --to 0.8.0").stdout;
    assert!(said.contains("to keep it: weight_broadcast.type = \"nccl\""), "{said}");
    folder.run("migrate rl.toml --from 0.4.0 --to 0.8.0 --keep-defaults --write");
    let written = fs::read_to_string(folder.path().join("rl.toml")).expect("a text");
    assert!(written.contains("[weight_broadcast]\ntype = \"nccl\""), "{written}");
}

#[test]
fn what_has_no_effect_on_a_config_is_one_line() {
    let text = |model: &str| format!("[model]\nname = \"{model}\"\n[trainer]\n[orchestrator]\n[inference]\n");
    let folder = Folder::new(&[("a/dense.toml", &text("Qwen/Qwen3-8B")), ("b/moe.toml", &text("Qwen/Qwen3-30B-A3B"))]);
    let said = |words: &str| folder.run(&format!("migrate {words} --from 0.4.0 --to 0.8.0 --kind rl")).stdout;
    let dense = said("a/dense.toml");
    assert!(dense.contains("\nWithout effect: 3 values\n      Qwen/Qwen3-8B has no experts:"), "{dense}");
    assert!(!dense.contains("~ trainer.model.ep:"), "{dense}");
    let moe = said("b/moe.toml");
    assert!(!moe.contains("Without effect") && moe.contains("~ trainer.model.ep: 1 -> \"auto\""), "{moe}");
    // In the summary of a folder too; the removed keys of the loss share a line there.
    let all = said(".");
    assert!(all.contains("trainer.loss.geo_mask_high and 6 more: removed, and not set here: 2 configs"), "{all}");
    assert!(all.contains("trainer.model.moe_router_dtype: no such key -> \"float32\": 1 config\n"), "{all}");
    assert!(all.contains("trainer.model.moe_router_dtype: models without experts in 1 config\n"), "{all}");
}

#[test]
fn the_changes_of_unsafe_fixes_are_listed() {
    let text = "max_steps = 5\n[trainer]\n[orchestrator]\n[orchestrator.buffer]\nonline_difficulty_filtering = true\n";
    let folder = Folder::new(&[("rl.toml", text)]);
    let ended = folder.run("migrate rl.toml --from 0.4.0 --to 0.6.0");
    insta::assert_snapshot!("unsafe_changes", to_decide(&ended.stdout));
}

#[test]
fn former_defaults_are_written_out_on_demand() {
    let folder = Folder::new(&[("a.toml", OLD)]);
    let ended = folder.run("migrate a.toml --to 0.7.0 --keep-defaults --write");
    assert_eq!(ended.status, Some(0), "{ended:?}");
    let new = text(&folder, "a.toml");
    assert!(new.contains("ac = \"None\"") && new.contains("keep_last = 2  # the last two"), "{new}");
    insta::assert_snapshot!("written_former_defaults", ended.stdout);
    assert!(!ended.stdout.contains("~ trainer.model.ac:"), "{ended:?}");
    assert_eq!(folder.run("check a.toml").status, Some(0), "{new}");
    let again = folder.run("migrate a.toml --to 0.7.0 --keep-defaults --write");
    assert_eq!((again.status, text(&folder, "a.toml")), (Some(0), new));
}

#[test]
fn included_files_are_migrated_with_their_config() {
    let base = "max_steps = 100\n[ckpt]\nkeep = 2\n[trainer]\n[orchestrator]\n[[orchestrator.env]]\nid = \"x\"\n";
    let folder = Folder::new(&[
        ("configs/rl.toml", "toml_files = [\"base.toml\"]\n[trainer.model]\nseq_len = 512\n"),
        ("configs/base.toml", base),
    ]);
    let ended = folder.run("migrate configs/rl.toml --from 0.2 --to 0.4.0 --write");
    assert_eq!(ended.status, Some(0), "{ended:?}");
    assert!(text(&folder, "configs/base.toml").contains("keep_last = 2"), "{ended:?}");
    insta::assert_snapshot!("migrated_with_a_base", ended.stdout);
    // Since 0.5.0, files can't include others.
    let ended = folder.run("migrate configs/rl.toml --from 0.4.0 --to 0.8.0");
    assert_eq!(ended.status, Some(1), "{ended:?}");
    let together = paragraph(&ended.stdout, "configs/rl.toml and configs/base.toml together");
    insta::assert_snapshot!("migrated_to_a_loader_without_includes", together);
    assert!(!ended.stdout.contains("+ orchestrator.train"), "a part gets no defaults of its own: {ended:?}");
    let documents: Value =
        serde_json::from_str(&folder.run("migrate configs/rl.toml --from 0.4.0 --to 0.8.0 --format json").stdout).expect("JSON");
    let documents = documents["migrations"].as_array().expect("migrations");
    let paths: Vec<&Value> = documents.iter().map(|document| &document["path"]).collect();
    assert_eq!(paths, ["configs/rl.toml", "configs/base.toml"]);
    documents.iter().for_each(fits);
}

/// Files are migrated on all cores; the report is that of one thread, with each file before those that it names.
#[test]
fn many_files_are_reported_in_order() {
    let folder = Folder::new(&[("cfg.toml", "target = \"0.4.0\"\n")]);
    for at in 0..12 {
        let base = format!("base-{}.toml", at % 3);
        let text = format!("toml_files = [\"{base}\"]\nmax_steps = 1{at}\n[trainer]\n[orchestrator]\nrollouts_per_example = 8\n");
        folder.write(&format!("run-{at:02}.toml"), text.as_bytes());
        folder.write(&base, b"seq_len = 2048\n[orchestrator]\nbatch_size = 64\n[[orchestrator.env]]\nid = \"a\"\n");
    }
    for words in ["migrate . --to 0.8.0 --format json", "migrate . --to 0.8.0 -v", "migrate . --to 0.8.0 --diff"] {
        let ended = |threads: &str| {
            let mut command = folder.command(words);
            super::finish(command.env("RAYON_NUM_THREADS", threads), b"")
        };
        let (one, several) = (ended("1"), ended("4"));
        assert_eq!((one.stdout, one.stderr), (several.stdout, several.stderr), "{words}");
    }
    let report: Value = serde_json::from_str(&folder.run("migrate . --to 0.8.0 --format json").stdout).expect("JSON");
    let paths: Vec<&str> =
        report["configs"].as_array().expect("configs").iter().filter_map(|file| file["path"].as_str()).collect();
    assert_eq!(&paths[..6], ["run-00.toml", "base-0.toml", "run-01.toml", "base-1.toml", "run-02.toml", "base-2.toml"]);
    assert_eq!(paths.len(), 15, "{paths:?}");
}

/// The old text has another key there: what moved is where it was.
#[test]
fn a_fault_of_a_moved_key_has_the_line_of_the_old_one() {
    let text = "max_steps = 100\n[model]\nname = \"Qwen/Qwen3-8B\"\n[trainer]\n[orchestrator]\nbatch_size = 64\n\
        [[orchestrator.env]]\nid = \"org/some-env\"\n[inference]\n";
    let folder = Folder::new(&[("old.toml", text)]);
    let said = folder.run("migrate old.toml --from 0.5.0 --to 0.8.0").stdout;
    assert!(said.contains("\n    8 the environment's id `org/some-env` has a slash"), "{said}");
    assert!(said.contains("it has no `name`: the\n      launcher can't write"), "{said}");
}
