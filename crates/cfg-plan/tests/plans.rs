//! The plans of configs of every generation. The snapshots show each setting for which the target has a key, with key and origin.

use std::fmt::Write as _;

use cfg_compose::Tree;
use cfg_diag::{Diagnostic, FileId, Severity};
use cfg_plan::{Environment, LmHead, Plan};
use cfg_resolve::{Names, Resolved, ResolvedTable, ResolvedValue};
use cfg_schema::{History, Kind, Schema, Target};
use cfg_syntax::Dialect;

fn resolve(target: &str, kind: Kind, text: &str) -> (Schema, ResolvedTable, Vec<Diagnostic>) {
    let history = History::built_in();
    let target = Target::parse(history, target).expect("a target");
    let schema = history.schema(kind, target.point);
    let (document, faults) = cfg_syntax::parse(FileId(0), text, Dialect::Toml11);
    assert!(faults.is_empty(), "{faults:?}");
    let (resolved, found) = cfg_resolve::resolve(schema, &Names::new(schema), Tree::from_document(FileId(0), document));
    (schema, resolved, found)
}

fn plan(target: &str, kind: Kind, text: &str) -> Plan {
    let (schema, resolved, _) = resolve(target, kind, text);
    Plan::new(schema, &resolved)
}

/// The plan of a config that prime-rl accepts, or whose verdict depends on a plugin.
fn valid_plan(target: &str, kind: Kind, text: &str) -> Plan {
    let (schema, resolved, found) = resolve(target, kind, text);
    let is_error = |diagnostic: &&Diagnostic| diagnostic.severity == Severity::Error;
    let errors: Vec<_> = found.iter().filter(is_error).map(|error| (&error.key, &error.message)).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    Plan::new(schema, &resolved)
}

fn value(resolved: &Resolved) -> String {
    let list = |items: Vec<String>, open, close| format!("{open}{}{close}", items.join(", "));
    match &resolved.value {
        ResolvedValue::List(items) => list(items.iter().map(value).collect(), "[", "]"),
        ResolvedValue::Map(entries) => {
            list(entries.iter().map(|(key, entry)| format!("{key}: {}", value(entry))).collect(), "{", "}")
        }
        other => format!("{other:?}"),
    }
}

fn environment(environment: &Environment) -> String {
    let place = if environment.location.is_some() { "written" } else { "default" };
    let mut text = format!("{:?} {} ({place})\n", environment.role, environment.key);
    for arg in &environment.args {
        writeln!(text, "  {}: {}", arg.key(), value(&arg.value)).expect("a string");
    }
    text
}

/// The rows of the settings for which the target has a key.
fn shown(plan: &Plan) -> String {
    let mut text = format!("kinds {:?}, valid {}\n", plan.kinds, plan.is_valid);
    plan.rows().iter().filter(|row| row.key.is_some()).for_each(|row| writeln!(text, "{row}").expect("a string"));
    plan.environments.iter().for_each(|each| text.push_str(&environment(each)));
    text
}

macro_rules! generations {
    ($($name:ident: $target:literal, $kind:ident, $file:literal;)*) => {
        $(
            #[test]
            fn $name() {
                let plan = valid_plan($target, Kind::$kind, include_str!(concat!("configs/", $file)));
                insta::assert_snapshot!(shown(&plan));
            }
        )*
    };
}

generations! {
    november_2025_trainer: "6b01ba5ae", Trainer, "6b01ba5ae-trainer.toml";
    november_2025_orchestrator: "6b01ba5ae", Orchestrator, "6b01ba5ae-orchestrator.toml";
    november_2025_inference: "6b01ba5ae", Inference, "6b01ba5ae-inference.toml";
    rl_0_2: "0.2", Rl, "v0.2-rl.toml";
    sft_0_2: "0.2", Sft, "v0.2-sft.toml";
    rl_0_4: "0.4.0", Rl, "v0.4.0-rl.toml";
    rl_0_5: "0.5.0", Rl, "v0.5.0-rl.toml";
    rl_0_6: "0.6.0", Rl, "v0.6.0-rl.toml";
    rl_0_7: "0.7.0", Rl, "v0.7.0-rl.toml";
    rl_0_8: "0.8.0", Rl, "v0.8.0-rl.toml";
    rl_of_august_2026: "2441fd514", Rl, "2441fd514-rl.toml";
    sft_of_august_2026: "2441fd514", Sft, "2441fd514-sft.toml";
}

const SHARED: &str = "seq_len = 4096
max_steps = 7
[model]
name = \"Qwen/Qwen3-4B\"
[ckpt]
interval = 5
[trainer]
[orchestrator]
";

#[test]
fn a_copied_value_names_the_key_that_was_written() {
    let plan = valid_plan("0.4.0", Kind::Rl, SHARED);
    let trainer = plan.trainer.as_ref().expect("a trainer");
    let seq_len = trainer.seq_len.fact().expect("a value");
    assert_eq!((seq_len.value, seq_len.key.to_string()), (4096, "trainer.model.seq_len".to_owned()));
    assert_eq!(seq_len.written_key().to_string(), "seq_len");
    let location = seq_len.location().expect("it is written");
    assert_eq!(&SHARED[location.span.range()], "4096");
    assert!(seq_len.is_written() && !seq_len.is_default());
    assert_eq!((seq_len.key.table().as_str(), seq_len.key.name()), ("trainer.model", "seq_len"));
}

#[test]
fn an_error_elsewhere_does_not_hide_shared_values() {
    let text = format!("{SHARED}batch_size = \"many\"\n");
    let plan = plan("0.4.0", Kind::Rl, &text);
    assert!(!plan.is_valid);
    let (trainer, orchestrator) = (plan.trainer.expect("a trainer"), plan.orchestrator.expect("an orchestrator"));
    assert_eq!((trainer.seq_len.get(), orchestrator.seq_len.get()), (Some(4096), Some(4096)));
    assert_eq!(orchestrator.model.name.text(), Some("Qwen/Qwen3-4B"));
    assert_eq!(trainer.ckpt.value().and_then(|ckpt| ckpt.interval.get()), Some(5));
    assert!(!orchestrator.batch.batch_size.is_known(), "a fault is no value");
    assert_eq!(orchestrator.batch.problems(), None);
}

#[test]
fn arguments_that_are_passed_on_replace_the_server_s_own_keys() {
    let text = "gpu_memory_utilization = 0.8\nquantization = \"awq\"\n[model]\nname = \"Qwen/Qwen3-8B\"\nmax_model_len = 8192\n[vllm_extra]\n\
                gpu_memory_utilization = 0.5\nquantization = \"fp8\"\ntensor_parallel_size = 2\nenforce_eager = true\nmax_model_len = 4096\n";
    let own = valid_plan("0.8.0", Kind::Inference, text).inference.expect("a server");
    let share = own.gpu_memory_utilization.fact().expect("a value");
    assert_eq!((share.value, share.key.to_string()), (0.5, "vllm_extra.gpu_memory_utilization".to_owned()));
    assert_eq!((own.quantization.text(), own.tp.get(), own.max_model_len.get()), (Some("fp8"), Some(2), Some(4096)));
    assert!(own.enforce_eager.is_on() && own.model_name.is("Qwen/Qwen3-8B"));
    // What is not passed on is prime-rl's own, with its default.
    let text = "[model]\nname = \"Qwen/Qwen3-8B\"\n[vllm_extra]\nmax_num_seqs = 64\n";
    let own = valid_plan("0.8.0", Kind::Inference, text).inference.expect("a server");
    assert_eq!((own.gpu_memory_utilization.get(), own.tp.get(), own.max_num_seqs.get()), (Some(0.9), Some(1), Some(64)));
    assert_eq!(own.gpu_memory_utilization.key().map(ToString::to_string), Some("gpu_memory_utilization".to_owned()));
    let none = valid_plan("0.8.0", Kind::Inference, "[model]\nname = \"Qwen/Qwen3-8B\"\n").inference.expect("a server");
    assert_eq!(none.max_model_len.key().map(ToString::to_string), Some("model.max_model_len".to_owned()));
}

#[test]
fn an_absent_setting_has_its_key() {
    let plan = plan("0.4.0", Kind::Rl, "[trainer]\n[orchestrator]\n[inference]\n");
    let inference = plan.inference.as_ref().expect("inference");
    assert!(inference.max_model_len.is_empty() && !inference.max_model_len.is_written());
    assert_eq!(inference.max_model_len.key().map(ToString::to_string).as_deref(), Some("inference.model.max_model_len"));
    // The adapter's table is null, and so are all settings in it.
    let orchestrator = plan.orchestrator.as_ref().expect("an orchestrator");
    assert!(orchestrator.model.lora_name.is_empty());
    assert_eq!(orchestrator.model.lora_name.key().map(ToString::to_string).as_deref(), Some("orchestrator.model.lora.name"));
    assert!(!inference.max_num_seqs.exists(), "vLLM's own keys can't be given at 0.4.0");
}

#[test]
fn an_absent_component_is_none() {
    let plan = plan("0.4.0", Kind::Rl, "[trainer]\n[orchestrator]\n");
    assert!(plan.inference.is_none() && plan.teacher_inference.is_none());
    assert_eq!(plan.inference_gpus(), Some(0));
    let split = valid_plan("0.4.0", Kind::Inference, "");
    assert!(split.is_split() && split.trainer.is_none() && split.orchestrator.is_none() && split.environments.is_empty());
}

#[test]
fn split_files_make_one_plan() {
    let file = |kind, text| resolve("6b01ba5ae", kind, text);
    let trainer = file(Kind::Trainer, include_str!("configs/6b01ba5ae-trainer.toml"));
    let orchestrator = file(Kind::Orchestrator, include_str!("configs/6b01ba5ae-orchestrator.toml"));
    let inference = file(Kind::Inference, include_str!("configs/6b01ba5ae-inference.toml"));
    let parts = [&trainer, &orchestrator, &inference].map(|(schema, resolved, _)| (*schema, resolved));
    let plan = Plan::of_group(&parts).expect("three files");
    assert!(plan.is_split() && plan.is_valid);
    assert_eq!(plan.kinds, [Kind::Trainer, Kind::Orchestrator, Kind::Inference]);
    let names = (plan.trainer.map(|part| part.model.name), plan.inference.map(|part| part.model_name));
    assert!(names.0.is_some_and(|name| name.is("willcb/Qwen3-8B")) && names.1.is_some_and(|name| name.is("willcb/Qwen3-8B")));
    assert_eq!(plan.environments.len(), 1);
    assert!(Plan::of_group(&[]).is_none());
}

#[test]
fn arguments_and_versions_of_an_environment() {
    let text = include_str!("configs/v0.2-rl.toml");
    let plan = valid_plan("0.2", Kind::Rl, text);
    let train = plan.train_environments().next().expect("an environment");
    assert_eq!((train.base_id(), train.pinned_version()), (Some("seconds-0/beautiful-soup-env"), Some("0.1.1")));
    let split = |environment: &Environment| environment.arg("split")?.value.value.as_str().map(str::to_owned);
    assert_eq!((split(train).as_deref(), train.arg_bool("curriculum_enabled")), (Some("train"), Some(true)));
    assert_eq!(train.arg_int("samples_per_step"), Some(8));
    let location = train.arg("executor_backend").and_then(cfg_plan::Arg::location).expect("it is written");
    assert_eq!(&text[location.span.range()], "\"local\"");
    assert_eq!(plan.eval_environments().map(split).collect::<Vec<_>>(), [Some("bench".to_owned())]);
}

#[test]
fn gpus_are_counted_from_ids_or_from_counts() {
    let ids = valid_plan("0.2", Kind::Rl, include_str!("configs/v0.2-rl.toml"));
    assert_eq!((ids.trainer_gpus(), ids.inference_gpus(), ids.shared_gpus()), (Some(1), Some(1), vec![0]));
    let counts = valid_plan("0.5.0", Kind::Rl, include_str!("configs/v0.5.0-rl.toml"));
    assert_eq!((counts.trainer_gpus(), counts.inference_gpus(), counts.shared_gpus()), (Some(2), Some(4), vec![]));
    let nodes = valid_plan("0.6.0", Kind::Rl, include_str!("configs/v0.6.0-rl.toml"));
    assert_eq!((nodes.trainer_gpus(), nodes.inference_gpus()), (Some(16), Some(8)));
}

#[test]
fn batches_and_heads() {
    let plan = valid_plan("0.2", Kind::Rl, include_str!("configs/v0.2-rl.toml"));
    let (trainer, orchestrator) = (plan.trainer.expect("a trainer"), plan.orchestrator.expect("an orchestrator"));
    assert_eq!((orchestrator.batch.problems(), orchestrator.batch.in_flight()), (Some(4), Some(16)));
    assert_eq!(trainer.model.lm_head(), Some(LmHead::Whole));
    let head = |target, text| valid_plan(target, Kind::Rl, text).trainer.and_then(|trainer| trainer.model.lm_head());
    assert_eq!(head("0.4.0", include_str!("configs/v0.4.0-rl.toml")), Some(LmHead::Vocabulary(4096)));
    assert_eq!(head("0.5.0", include_str!("configs/v0.5.0-rl.toml")), Some(LmHead::Whole));
    assert_eq!(head("0.6.0", include_str!("configs/v0.6.0-rl.toml")), Some(LmHead::Tokens(2048)));
}

#[test]
fn an_incomplete_config_has_a_plan() {
    let text = include_str!("configs/v0.2-rl.toml");
    let history = History::built_in();
    for kind in Kind::ALL {
        let schema = history.schema(kind, Target::parse(history, "0.2").expect("a target").point);
        let names = Names::new(schema);
        let step = if kind == Kind::Rl { 11 } else { 211 };
        for (end, _) in text.char_indices().step_by(step) {
            let (document, _) = cfg_syntax::parse(FileId(0), &text[..end], Dialect::Toml10);
            let (resolved, _) = cfg_resolve::resolve(schema, &names, Tree::from_document(FileId(0), document));
            assert_eq!(Plan::new(schema, &resolved).kinds, [kind]);
        }
    }
}
