//! Changes of a config before the fields are checked: aliases are merged into one key, and settings are moved or copied.

use cfg_compose::Tree;
use cfg_diag::{Diagnostic, FileId, LocPart};
use cfg_resolve::{Names, loader, resolve};
use cfg_schema::{History, Kind, Target};

fn diagnostics(target: &str, kind: Kind, text: &str) -> Vec<Diagnostic> {
    let history = History::built_in();
    let target = Target::parse(history, target).expect("the history has it");
    let (document, faults) = cfg_syntax::parse(FileId(0), text, loader::dialect(target.point));
    assert!(faults.is_empty(), "{text}");
    let schema = history.schema(kind, target.point);
    resolve(schema, &Names::new(schema), Tree::from_document(FileId(0), document)).1
}

/// prime-rl's errors, as `type at.location`, in alphabetical order.
fn errors(target: &str, kind: Kind, text: &str) -> Vec<String> {
    let part = |part: &LocPart| match part {
        LocPart::Key(key) => key.clone(),
        LocPart::Index(index) => index.to_string(),
    };
    let natives = diagnostics(target, kind, text).into_iter().filter_map(|diagnostic| diagnostic.native);
    let errors = natives.filter(|native| !native.masked);
    let mut errors: Vec<String> =
        errors.map(|native| format!("{} {}", native.kind, native.loc.iter().map(part).collect::<Vec<_>>().join("."))).collect();
    errors.sort();
    errors
}

#[test]
fn an_alias_is_known_by_its_canonical_key() {
    for (target, kind, text, error) in [
        ("v0.6.0", Kind::Orchestrator, "rollouts_per_example = 'x'", "int_parsing group_size"),
        ("v0.6.0", Kind::Orchestrator, "[teacher_model]\nfoo = 1", "extra_forbidden teacher.foo"),
        ("v0.6.0", Kind::Orchestrator, "[train.sampling]\nmax_tokens = 'x'", "int_parsing train.sampling.max_completion_tokens"),
        ("v0.5.0", Kind::Orchestrator, "[eval]\nskip_eval_on_restart = 'x'", "bool_parsing eval.skip_eval_on_resume"),
        ("2441fd514", Kind::Sft, "deployment = {num_eval_gpus = 'x'}", "int_parsing deployment.single_node.num_infer_gpus"),
        ("v0.4.0", Kind::Orchestrator, "[eval]\nskip_eval_on_restart = 'x'", "bool_parsing eval.skip_eval_on_restart"),
    ] {
        assert_eq!(errors(target, kind, text), [error], "{text}");
    }
}

#[test]
fn the_user_reads_the_key_that_is_written() {
    let found = diagnostics("v0.6.0", Kind::Orchestrator, "[train.sampling]\nmax_tokens = 'x'");
    assert_eq!(found[0].key.as_deref(), Some("train.sampling.max_tokens"));
    assert!(found[0].message.contains("`max_tokens`"), "{}", found[0].message);
    assert!(found[0].location.is_some());
}

#[test]
fn the_last_of_two_keys_is_used() {
    let read = |text: &str| errors("v0.6.0", Kind::Orchestrator, text);
    assert_eq!(read("group_size = 'x'\nrollouts_per_example = 4"), [""; 0]);
    assert_eq!(read("rollouts_per_example = 4\ngroup_size = 'x'"), ["int_parsing group_size"]);
}

#[test]
fn the_loader_with_tyro_renames_no_alias() {
    let read = |sampling: &str| errors("458b16ef4", Kind::Orchestrator, &format!("[train.sampling]\n{sampling}"));
    assert_eq!(read("max_tokens = 4"), [""; 0]);
    assert_eq!(read("max_tokens = 'x'"), ["int_parsing train.sampling.max_tokens"]);
    assert_eq!(read("max_completion_tokens = 4\nmax_tokens = 4"), ["extra_forbidden train.sampling.max_tokens"]);
}

#[test]
fn a_shared_model_sees_the_aliases_renamed() {
    let read =
        |inner: &str| errors("v0.6.0", Kind::Rl, &format!("[model]\nname='a'\n[orchestrator.{inner}]\nname='b'\n[trainer]"));
    assert!(!read("model").contains(&"value_error ".to_owned()));
    assert!(read("model.model").contains(&"value_error ".to_owned()));
}

#[test]
fn existing_environments_replace_the_copied_ones() {
    let text = "[[env]]\nid = 'a'\n[train]\nenv = [{id = 'b'}]";
    assert_eq!(errors("v0.6.0", Kind::Orchestrator, text), [""; 0]);
    assert_eq!(errors("v0.6.0", Kind::Orchestrator, "env = []\ntrain = 5"), ["extra_forbidden env", "model_type train"]);
}

#[test]
fn a_name_that_is_false_is_not_handed_on() {
    let read = |name: &str| errors("2441fd514", Kind::Sft, &format!("model = {{name = {name}}}\n[inference.vllm]\nseed = 'x'"));
    for name in ["false", "0", "0.0", "[]", "{}"] {
        assert_eq!(read(name), ["int_parsing inference.vllm.seed", "string_type model.name"], "{name}");
    }
    assert_eq!(read("1")[1..], ["string_type inference.vllm.model", "string_type model.name"]);
}

#[test]
fn an_output_folder_that_is_not_a_string_is_below_the_default() {
    let read = |shared: &str, own: &str| {
        errors(
            "v0.6.0",
            Kind::Rl,
            &format!("output_dir = {shared}\n[trainer]\n[orchestrator]\noutput_dir = \"{own}/run_default\""),
        )
    };
    for (shared, own) in [("true", "True"), ("5", "5"), ("1e16", "1e+16"), ("{}", "{}"), ("['a']", "['a']")] {
        assert_eq!(read(shared, own), ["path_type output_dir", "path_type trainer.output_dir"], "{shared}");
    }
    assert_eq!(read("5", "6"), ["value_error "]);
}

#[test]
fn a_weight_is_finite_before_it_is_in_bounds() {
    let read = |weight: &str| {
        let text = format!("[algo]\ntype = 'grpo'\nlength_penalty = {{num_turns_weight = {weight}}}");
        errors("v0.8.0", Kind::Orchestrator, &text)
    };
    for weight in ["inf", "-inf", "nan"] {
        assert_eq!(read(weight), ["finite_number algo.grpo.length_penalty.num_turns_weight"], "{weight}");
    }
    assert_eq!(read("-1"), ["greater_than_equal algo.grpo.length_penalty.num_turns_weight"]);
    assert_eq!(read("1"), [""; 0]);
}
