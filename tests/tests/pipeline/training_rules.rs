//! Rules on context, sampling and batches in cases that their pages can't show: at the limits of the history, in split files, next to a setting that
//! excuses a value.

use cfg_diag::Severity;
use cfg_schema::Kind;
use cfg_tests::Checking;

/// The codes of the findings, with their severities.
#[track_caller]
fn found(target: &str, kind: Kind, text: &str) -> Vec<(&'static str, Severity)> {
    let checked = Checking::for_target(target).of_kind(kind).check(text);
    checked.diagnostics.iter().map(|diagnostic| (diagnostic.code.name, diagnostic.severity)).collect()
}

#[test]
fn the_context_of_a_known_model_applies_if_none_is_set() {
    let text = |tokens: u32| {
        format!(
            "[trainer]\n[model]\nname = \"qwen/qwen2.5-7b-instruct\"\n[inference]\n[orchestrator]\nseq_len = 65536\n\
             [trainer.model]\nseq_len = 65536\n[orchestrator.sampling]\nmax_tokens = {tokens}\n"
        )
        .replace("[trainer]\n", "")
    };
    assert_eq!(found("0.4.0", Kind::Rl, &text(32_768)), [("context-overflow", Severity::Error)]);
    assert_eq!(found("0.4.0", Kind::Rl, &text(32_000)), [("context-overflow", Severity::Warning)]);
    assert_eq!(found("0.4.0", Kind::Rl, &text(16_000)), []);
    let stretched = format!("{}[inference.model.rope_scaling]\nrope_type = \"yarn\"\nfactor = 4.0\n", text(32_768));
    assert_eq!(found("0.4.0", Kind::Rl, &stretched), []);
}

#[test]
fn positions_may_be_scaled_or_their_check_disabled() {
    let text = "[model]\nname = \"Qwen/Qwen3-8B\"\n[trainer]\n[orchestrator]\n[inference.vllm]\nmax_model_len = 65536\n";
    assert_eq!(found("main", Kind::Rl, text), [("context-beyond-model", Severity::Error)]);
    assert_eq!(found("main", Kind::Rl, &text.replace("65536", "40960")), []);
    let overridden = format!("{text}hf_overrides = {{ max_position_embeddings = 65536 }}\n");
    assert_eq!(found("main", Kind::Rl, &overridden), []);
    let allowed = format!("{text}[env_vars]\nVLLM_ALLOW_LONG_MAX_MODEL_LEN = \"1\"\n");
    assert_eq!(found("main", Kind::Rl, &allowed), []);
}

#[test]
fn an_environment_s_own_answers_are_looked_at() {
    let text = "[trainer]\n[orchestrator]\n[[orchestrator.train.env]]\nid = \"a\"\nsampling = { max_completion_tokens = 4096 }\n\
                [inference.model]\nmax_model_len = 4096\n";
    assert_eq!(found("0.6.0", Kind::Rl, text), [("context-overflow", Severity::Error)]);
}

#[test]
fn samples_are_cut_where_the_target_cuts_them() {
    let text = "[trainer.model]\nseq_len = 8192\n[orchestrator]\nseq_len = 4096\n[orchestrator.train.sampling]\n\
                max_completion_tokens = 6000\n";
    assert_eq!(found("0.6.0", Kind::Rl, text), [("cut-rollouts", Severity::Warning)]);
    assert_eq!(found("0.7.0", Kind::Rl, text), [], "the trainer cuts, at its own length");
    assert_eq!(found("main", Kind::Rl, text), [("cut-rollouts", Severity::Warning)]);
}

#[test]
fn one_turn_has_no_later_prompt() {
    let text = |args: &str| {
        format!(
            "seq_len = 4096\n[trainer]\n[orchestrator.sampling]\nmax_tokens = 2000\n[[orchestrator.env]]\nid = \"a\"\nargs = {{ {args} }}\n\
             [inference.model]\nmax_model_len = 4096\n"
        )
    };
    assert_eq!(found("0.4.0", Kind::Rl, &text("max_output_chars = 8000")), [("growing-prompt", Severity::Info)]);
    assert_eq!(found("0.4.0", Kind::Rl, &text("max_output_chars = 8000, max_turns = 1")), []);
    // Since July 2026 the environment's agent has the limit.
    let newer = |agent: &str| {
        let text = format!(
            "seq_len = 4096\n[trainer]\n[orchestrator.train.sampling]\nmax_completion_tokens = 2000\n[[orchestrator.train.source]]\n\
             env = {{ taskset = {{ id = \"a\", max_output_chars = 8000 }}, agent = {{ {agent} }} }}\n[inference.vllm]\nmax_model_len = 4096\n"
        );
        found("main", Kind::Rl, &text).into_iter().any(|(name, _)| name == "growing-prompt")
    };
    assert!(newer("max_turns = 2"));
    assert!(!newer("max_turns = 1"));
}

#[test]
fn sampling_keys_that_prime_rl_overwrites_are_not_reported() {
    let text = "[sampling.extra_body]\nmin_p = 0.1\ntop_p = 1.0\n";
    assert_eq!(found("0.4.0", Kind::Orchestrator, text), []);
    assert_eq!(found("0.5.0", Kind::Orchestrator, text), [("biased-sampling", Severity::Warning)]);
}

#[test]
fn a_group_of_one_is_valid_without_group_comparison() {
    const OF_ONE: &str = "[trainer]\n[orchestrator]\nbatch_size = 64\nrollouts_per_example = 1\n";
    let error = [("single-rollout-groups", Severity::Error)];
    assert_eq!(found("0.4.0", Kind::Rl, OF_ONE), error);
    let custom = format!("{OF_ONE}[orchestrator.advantage]\ntype = \"custom\"\nimport_path = \"a.b\"\n");
    assert_eq!(found("0.4.0", Kind::Rl, &custom), []);
    let newer = OF_ONE.replace("rollouts_per_example", "group_size");
    assert_eq!(found("0.7.0", Kind::Rl, &newer), error);
    assert_eq!(found("0.7.0", Kind::Rl, &format!("{newer}[[orchestrator.train.env]]\nid = \"a\"\ngroup_size = 4\n")), []);
    let one_of_two = "[[orchestrator.train.env]]\nid = \"a\"\n[[orchestrator.train.env]]\nid = \"b\"\ngroup_size = 4\n";
    assert_eq!(found("0.7.0", Kind::Rl, &format!("{newer}{one_of_two}")), error);
    let own_algorithm = "[[orchestrator.train.env]]\nid = \"a\"\n[orchestrator.train.env.algo]\ntype = \"echo\"\n";
    assert_eq!(found("0.7.0", Kind::Rl, &format!("{newer}{own_algorithm}")), []);
}

#[test]
fn a_group_of_one_is_a_warning_if_the_loss_is_unknown() {
    let warning = [("single-rollout-groups", Severity::Warning)];
    let text = "batch_size = 64\nrollouts_per_example = 1\n";
    assert_eq!(found("0.5.0", Kind::Orchestrator, &format!("{text}advantage = \"None\"\n")), [], "rewards are taken as they are");
    assert_eq!(found("0.4.0", Kind::Orchestrator, text), warning, "the trainer's file may name another loss");
    assert_eq!(
        found("main", Kind::Rl, "[trainer]\n[orchestrator]\nbatch_size = 64\ngroup_size = 1\n"),
        warning,
        "there may be several agents"
    );
    assert_eq!(found("main", Kind::Orchestrator, "max_steps = 5\n"), [], "nobody chose it");
}

#[test]
fn a_group_that_the_misspelt_key_would_set_is_not_missed() {
    let names: Vec<_> = found("0.4.0", Kind::Orchestrator, "batch_size = 64\nrollouts_per_exmaple = 8\n");
    assert_eq!(names, [("unknown-key", Severity::Error)]);
}

#[test]
fn a_dead_length_beside_a_live_one_is_only_removed() {
    let text = "max_model_len = 8192\n[trainer]\n[orchestrator]\n[inference.model]\nmax_model_len = 4096\n";
    let checked = Checking::for_target("0.4.0").of_kind(Kind::Rl).check(text);
    let [diagnostic] = checked.diagnostics.as_slice() else { panic!("one finding: {:?}", checked.diagnostics) };
    assert_eq!(diagnostic.code.name, "dead-max-model-len");
    let fix = diagnostic.fix.as_ref().expect("it can be removed");
    assert_eq!((fix.title.as_str(), fix.applicability), ("remove `max_model_len`", cfg_diag::Applicability::Safe));
    assert_eq!(found("0.6.0", Kind::Rl, text), [("removed-key", Severity::Error)], "then prime-rl refuses it");
}

#[test]
fn thresholds_count_only_while_there_is_a_buffer_and_a_group_between() {
    let text = |easy: f64, group: u32| {
        format!("batch_size = 64\nrollouts_per_example = {group}\n[buffer]\neasy_threshold = {easy:?}\nhard_threshold = 0.2\n")
    };
    assert_eq!(found("0.4.0", Kind::Orchestrator, &text(0.5, 2)), [("evicting-thresholds", Severity::Warning)]);
    assert_eq!(found("0.4.0", Kind::Orchestrator, &text(0.5, 4)), [], "one of four lies between");
    assert_eq!(found("0.4.0", Kind::Orchestrator, &text(0.9, 2)), []);
}

#[test]
fn supervised_training_has_a_learning_rate_as_well() {
    assert_eq!(found("0.4.0", Kind::Sft, "[optim]\nlr = 2e5\n"), [("learning-rate", Severity::Error)]);
    assert_eq!(found("0.4.0", Kind::Sft, "[optim]\ntype = \"muon\"\nlr = 0.02\n"), []);
    assert_eq!(found("0.4.0", Kind::Sft, "[optim]\nlr = 0.0\n"), [("learning-rate", Severity::Warning)]);
    // A trial may turn training off, but not with a schedule that divides by the rate.
    assert_eq!(found("0.4.0", Kind::Sft, "max_steps = 5\n[optim]\nlr = 0.0\n"), []);
    let schedule =
        "max_steps = 5\n[optim]\nlr = 0.0\n[scheduler]\ntype = \"linear\"\nwarmup_steps = 2\ndecay_steps = 0\nmin_lr = 1e-7\n";
    assert_eq!(found("0.4.0", Kind::Sft, schedule), [("learning-rate", Severity::Error)]);
    assert_eq!(found("0.4.0", Kind::Sft, "[optim]\nlr = 1e-9\n"), [("learning-rate", Severity::Warning)]);
}

#[test]
fn an_answer_is_lowered_to_fit_a_declared_prompt() {
    let text = "[trainer]\n[orchestrator]\n[[orchestrator.env]]\nid = \"seconds-0/beautiful-soup-env\"\n[orchestrator.sampling]\n\
        max_tokens = 1800\n[inference.model]\nmax_model_len = 2048\n";
    let checked = Checking::for_target("d564195ca").of_kind(Kind::Rl).check(text);
    let overflow = checked.diagnostics.iter().find(|diagnostic| diagnostic.code.name == "context-overflow").expect("it is told");
    let fix = overflow.fix.as_ref().expect("a possible repair");
    let repaired = cfg_check::apply(text, &fix.edits).expect("edits that apply");
    assert!(found("d564195ca", Kind::Rl, &repaired).iter().all(|(name, _)| *name != "context-overflow"), "{repaired}");
}

#[test]
fn a_renderer_lays_its_own_top_p_over_that_of_the_body() {
    let text =
        |head: &str, key: &str| format!("[trainer]\n[orchestrator]\n{head}[orchestrator.train.sampling.extra_body]\n{key}\n");
    let biased = ("biased-sampling", Severity::Warning);
    for target in ["0.6.0", "0.7.0", "0.8.0"] {
        assert_eq!(found(target, Kind::Rl, &text("", "top_p = 0.9")), [], "{target}");
        assert_eq!(found(target, Kind::Rl, &text("", "top_k = 20")), [biased], "{target}");
    }
    let without = found("0.6.0", Kind::Rl, &text("renderer = \"None\"\n", "top_p = 0.9"));
    assert!(without.contains(&biased), "{without:?}");
}

#[test]
fn a_written_number_of_checkpoints_is_used() {
    let text = |keep: &str| format!("max_steps = 100\n[ckpt]\ninterval = 10\n{keep}resume_step = 20\n");
    assert_eq!(found("2025-10-10", Kind::Trainer, &text("")), []);
    assert_eq!(found("2025-10-10", Kind::Trainer, &text("keep = 2\n")), [("keep-last-without-effect", Severity::Warning)]);
}

#[test]
fn gpus_for_inference_need_a_server() {
    let is = |target: &str, text: &str, expected: bool| {
        let found = found(target, Kind::Rl, text);
        assert_eq!(found.contains(&("no-inference-server", Severity::Warning)), expected, "{target}: {text}: {found:?}");
    };
    let (old, new) =
        ("inference_gpu_ids = [0]\n[trainer]\n[orchestrator]\n", "[deployment]\nnum_infer_gpus = 2\n[trainer]\n[orchestrator]\n");
    for (target, text) in [("0.2", old), ("0.4.0", old), ("0.5.0", new), ("0.7.0", new), ("0.8.0", new), ("main", new)] {
        is(target, text, true);
        is(target, &format!("{text}[inference]\n"), false);
    }
    // Only what the config itself says counts, and a server elsewhere is one.
    is("0.4.0", "[trainer]\n[orchestrator]\n", false);
    is("0.4.0", &old.replace("[0]", "[]"), false);
    is("0.4.0", &format!("{old}[orchestrator.client]\nbase_url = [\"http://a:8000/v1\"]\n"), false);
    is("0.5.0", &format!("{new}[orchestrator.client.elastic]\nhostname = \"a\"\n"), false);
    is("main", &format!("{new}[orchestrator.model.client]\nbase_url = \"http://a:8000/v1\"\n"), false);
    is("0.4.0", &format!("{old}[trainer.data.fake]\n"), false);
    is("0.4.0", &format!("# uv run rl @ rl.toml --inference.model.max_model_len 2048\n{old}"), false);
}

#[test]
fn an_id_of_an_environment_is_the_name_of_a_package() {
    let text = |id: &str| format!("[trainer]\n[orchestrator]\n[[orchestrator.env]]\nid = \"{id}\"\n");
    for id in ["mypkg.envs.search:load_environment", "./envs/x.py", "my env"] {
        assert_eq!(found("0.4.0", Kind::Rl, &text(id)), [("invalid-env-id", Severity::Warning)], "{id}");
    }
    for id in ["search", "owner/search", "owner/search@0.1.2", "mypkg.envs.search", "envs/x"] {
        assert_eq!(found("0.4.0", Kind::Rl, &text(id)), [], "{id}");
    }
    let eval = "[trainer]\n[orchestrator]\n[[orchestrator.eval.env]]\nid = \"a:b\"\n";
    assert_eq!(found("0.4.0", Kind::Rl, eval), [("invalid-env-id", Severity::Warning)]);
    let newest = "[trainer]\n[orchestrator]\n[[orchestrator.train.source]]\nenv.taskset.id = \"a:b\"\n";
    assert!(found("main", Kind::Rl, newest).contains(&("invalid-env-id", Severity::Warning)));
}

/// From 2aa47ae6b to 29be89daf the trainer sent an adapter only with `adapter_only`, and otherwise all other weights.
#[test]
fn modules_beside_an_adapter_reach_the_server_with_all_weights() {
    let lora = |more: &str, modules: &str| {
        format!("[trainer.model.experimental.lora]\nrank = 8\n{modules}{more}[orchestrator]\n[inference]\n")
    };
    let modules = "modules_to_save = [\"embed_tokens\"]\n";
    let unnamed = ("adapter-name", Severity::Error);
    assert_eq!(found("e6e3acb79", Kind::Rl, &lora("", modules)), [unnamed]);
    let only = "[trainer.weight_broadcast]\nadapter_only = true\n";
    assert!(found("e6e3acb79", Kind::Rl, &lora(only, modules)).contains(&("modules-to-save", Severity::Error)));
    let message = |text: &str| {
        let checked = Checking::for_target("e6e3acb79").of_kind(Kind::Rl).check(text);
        checked.diagnostics.into_iter().find(|found| found.code.name == "adapter-name").map(|found| found.message)
    };
    assert!(message(&lora("", modules)).is_some_and(|message| message.contains("with the modules in `modules_to_save`")));
    assert!(message(&lora("", "")).is_some_and(|message| message.contains("training has no effect on them")));
    // Alone, the trainer's file is that of a run whose adapter no other process knows.
    let trainer = format!("[model.experimental.lora]\nrank = 8\n{modules}");
    assert_eq!(found("2aa47ae6b", Kind::Trainer, &trainer), [("adapter-name", Severity::Info)]);
}

#[test]
fn quantised_weights_are_not_trained() {
    let text = |name: &str| format!("max_steps = 100\n[model]\nname = \"{name}\"\n[trainer]\n[orchestrator]\n[inference]\n");
    let is_found =
        |target: &str, name: &str| found(target, Kind::Rl, &text(name)).iter().any(|(code, _)| *code == "quantised-weights");
    for name in ["Qwen/Qwen3-8B-FP8", "Qwen/Qwen3-8B-AWQ", "unsloth/Qwen3-8B-bnb-4bit", "nvidia/Qwen3-8B-NVFP4"] {
        assert!(is_found("0.8.0", name) && is_found("main", name), "{name}");
    }
    for name in ["Qwen/Qwen3-8B", "unsloth/gpt-oss-20b-BF16", "openai/gpt-oss-20b", "/runs/qwen3-8b-fp8/weights/step_100"] {
        assert!(!is_found("0.8.0", name), "{name}");
    }
    // Random weights are not read.
    assert!(is_found("0.4.0", "Qwen/Qwen3-8B-FP8") && !is_found("2025-12-10", "Qwen/Qwen3-8B-FP8"));
    let random = format!("{}[trainer.model.debug]\nrandom_init = true\n", text("Qwen/Qwen3-8B-FP8"));
    assert!(!found("0.8.0", Kind::Rl, &random).iter().any(|(code, _)| *code == "quantised-weights"));
    // A server that trains nothing may have them.
    assert_eq!(found("0.8.0", Kind::Inference, "[model]\nname = \"Qwen/Qwen3-8B-FP8\"\n"), []);
    // The trained model counts, not the served one.
    let served = "max_steps = 100\n[trainer.model]\nname = \"zai-org/GLM-5\"\n[orchestrator.model]\nname = \"zai-org/GLM-5-FP8\"\n\
                  [inference.model]\nname = \"zai-org/GLM-5-FP8\"\n";
    assert!(!found("0.8.0", Kind::Rl, served).iter().any(|(code, _)| *code == "quantised-weights"));
}
