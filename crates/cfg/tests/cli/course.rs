//! `cfg plan`: the arithmetic of a run.

use serde_json::{Value, json};

use super::{Folder, document_of};

const RL: &str = "# /// config\n# input_tokens = 1000\n# ///\nmax_steps = 200\nseq_len = 8192\n[model]\nname = \"Qwen/Qwen3-4B\"\n\
    [ckpt]\ninterval = 75\nkeep_last = 2\n[trainer.model.lora]\nrank = 16\n\
    [orchestrator]\nbatch_size = 128\ngroup_size = 8\nmax_inflight_rollouts = 256\n[orchestrator.train.sampling]\nmax_completion_tokens = 4096\n\
    [[orchestrator.train.env]]\nid = \"reverse-text\"\n\
    [orchestrator.eval]\ninterval = 100\nnum_examples = 50\ngroup_size = 4\n[[orchestrator.eval.env]]\nid = \"gsm8k\"\n\
    [inference.model]\nmax_model_len = 8192\n";

fn course(text: &str, words: &str) -> Value {
    let ended = Folder::new(&[("run.toml", text)]).run(&format!("plan run.toml --format json {words}"));
    assert_eq!(ended.status, Some(0), "{ended:?}");
    document_of(&ended, &cfg_report::course::schema().to_value())
}

#[test]
fn steps_problems_and_tokens_are_counted() {
    let course = course(RL, "--target 0.6.0");
    let step = json!({"samples": 128, "tokens": null, "problems": 16, "group_size": 8, "in_flight": 256});
    assert_eq!(course["step"], step);
    assert_eq!((&course["run"]["problems"], &course["run"]["samples"]), (&json!(3200), &json!(25_600)));
    let rollout = json!({"tokens": 8192, "context": 8192, "answer": 4096, "prompt": 1000, "left": 3096, "turns": null, "cut": [
        "an answer is cut at 4,096 tokens",
        "a turn after more than 4,096 tokens of conversation has no room for a whole answer",
    ]});
    assert_eq!(course["rollout"], rollout);
    // The last step is always saved.
    assert_eq!(course["checkpoints"]["at"], json!([75, 150, 200]));
    let evaluation = &course["evaluations"][0];
    assert_eq!((&evaluation["environment"], &evaluation["at"]), (&json!("gsm8k"), &json!([0, 100, 200])));
    assert_eq!((&evaluation["problems"], &evaluation["group_size"]), (&json!(50), &json!(4)));
}

#[test]
fn the_text_has_the_same_figures() {
    let folder = Folder::new(&[("run.toml", RL)]);
    let ended = folder.run("plan run.toml --target 0.6.0");
    insta::assert_snapshot!("the_course_of_a_run", ended.stdout);
}

#[test]
fn the_picture_has_a_mark_for_each_step_at_which_something_happens() {
    let ended = Folder::new(&[("run.toml", RL)]).run("plan run.toml --target 0.6.0 --format svg");
    assert_eq!(ended.status, Some(0), "{ended:?}");
    assert_eq!(ended.stdout.matches("<circle").count(), 6, "{}", ended.stdout);
    assert!(ended.stdout.starts_with("<svg") && ended.stdout.contains("3,200 problems"), "{}", ended.stdout);
}

#[test]
fn a_run_without_an_end_or_a_known_model_has_the_known_figures() {
    // prime-rl has no renderer for an unknown model.
    let text = RL.replace("max_steps = 200\n", "").replace("Qwen/Qwen3-4B", "org/unknown");
    let text = text + "[orchestrator.renderer]\nname = \"default\"\n";
    let course = course(&text, "--target 0.6.0");
    assert_eq!((&course["max_steps"], &course["run"]), (&Value::Null, &Value::Null));
    assert_eq!((&course["checkpoints"]["each_bytes"], &course["checkpoints"]["at"]), (&Value::Null, &json!([])));
    assert_eq!(course["step"]["problems"], 16);
}

#[test]
fn supervised_fine_tuning_is_counted_in_tokens() {
    let text = "max_steps = 100\n[model]\nname = \"Qwen/Qwen3-0.6B\"\n[data]\nname = \"a/b\"\nbatch_size = 32\nseq_len = 4096\n";
    let course = course(text, "--target 0.6.0 --kind sft");
    assert_eq!((&course["step"]["tokens"], &course["run"]["tokens"]), (&json!(131_072), &json!(13_107_200)));
    assert_eq!((&course["rollout"], &course["checkpoints"]), (&Value::Null, &Value::Null));
}

#[test]
fn a_config_with_errors_has_no_course() {
    let ended =
        Folder::new(&[("run.toml", "max_steps = \"x\"\n[trainer]\n[orchestrator]\n")]).run("plan run.toml --target 0.4.0");
    assert_eq!(ended.status, Some(1), "{ended:?}");
}

/// Every port of a run, on each of its machines; those that no key moves as well.
#[test]
fn the_sockets_of_a_run_are_listed_on_each_machine() {
    let text = "seq_len = 4096\n[model]\nname = \"Qwen/Qwen3-4B\"\n[weight_broadcast]\ntype = \"nccl\"\n[trainer]\n[[orchestrator.train.source]]\n\
                env.taskset.id = \"reverse-text\"\n[inference]\n";
    let at = |text: &str, target: &str| -> Vec<(String, i64)> {
        let course = course(text, &format!("--target {target}"));
        let sockets = course["sockets"].as_array().expect("sockets").iter();
        sockets.map(|one| (one["node"].as_str().expect("a node").to_owned(), one["port"].as_i64().expect("a port"))).collect()
    };
    let sockets = |text: &str| at(text, "559b44772");
    let here = |ports: &[i64]| ports.iter().map(|port| ("this machine".to_owned(), *port)).collect::<Vec<_>>();
    assert_eq!(sockets(text), here(&[8000, 8100, 29_000, 5000, 5555, 5556, 29_501]));
    // Until the orchestrator packed micro-batches itself, the trainer had a socket more.
    let zmq = "[model]\nname = \"Qwen/Qwen3-4B\"\n[rollout_transport]\ntype = \"zmq\"\n[trainer]\n[orchestrator]\n[inference]\n";
    assert_eq!(at(zmq, "0.8.0"), here(&[8000, 8100, 29_000, 5555, 5556, 5557, 29_501]));
    let nodes = text.to_owned() + "[slurm]\n[deployment]\ntype = \"multi_node\"\nnum_train_nodes = 2\nnum_infer_nodes = 2\n";
    // The orchestrator and the servers of its environments start on the first node of the trainer.
    let trainer = |port| ("the first node of the trainer".to_owned(), port);
    assert!(sockets(&nodes).contains(&trainer(5000)), "{:?}", sockets(&nodes));
    assert!(
        sockets(&nodes).contains(&trainer(29_500))
            && sockets(&nodes).contains(&("the first node of the inference servers".to_owned(), 8000))
    );
    // The ranks of the trainer can't meet where its weights are broadcast.
    let folder = Folder::new(&[("run.toml", &nodes.replace("type = \"nccl\"", "type = \"nccl\"\nport = 29500"))]);
    let ended = folder.run("check run.toml --target 559b44772 --format concise");
    assert!(ended.status == Some(1) && ended.stdout.contains("PRL826"), "{ended:?}");
}

/// The servers of several nodes: each replica of a node has its ports, and which nodes have them depends on what they do.
#[test]
fn the_sockets_of_servers_on_several_nodes_are_listed() {
    let text = "[model]\nname = \"Qwen/Qwen3-30B-A3B\"\n[slurm]\n[deployment]\ntype = \"multi_node\"\nnum_train_nodes = 1\nnum_infer_nodes = 2\n\
                [trainer]\n[orchestrator]\n[inference.vllm]\ntensor_parallel_size = 4\n[inference.router]\ntype = \"llm-d\"\n\
                [inference.deployment]\ntype = \"disaggregated\"\n[inference.kv_cache_offload]\ntype = \"mooncake\"\ncpu.num_bytes = 1000000000\n";
    let on = |text: &str, target: &str, node: &str| -> Vec<i64> {
        let course = course(text, &format!("--target {target}"));
        let sockets = course["sockets"].as_array().expect("sockets").iter().filter(|one| one["node"] == node);
        sockets.map(|one| one["port"].as_i64().expect("a port")).collect()
    };
    let (prefill, decode, servers) = ("the prefill nodes", "the decode nodes", "the nodes of the inference servers");
    assert_eq!(on(text, "559b44772", prefill), [8000, 8100, 8101]);
    assert_eq!(on(text, "559b44772", decode), [8200, 8201, 8300, 8301]);
    assert_eq!(on(text, "559b44772", servers), [5600, 5601, 13_345, 50_052]);
    let first = "the first node of the inference servers";
    assert_eq!(on(text, "559b44772", first), [50_051, 8080, 9003, 9002, 9013, 9090, 9901]);
    // The nodes differ, so the port of one kind may be that of the other.
    let check = |text: &str| {
        let folder = Folder::new(&[("run.toml", text)]);
        folder.run("check run.toml --target 559b44772 --format concise").stdout
    };
    let ports = |key: &str| text.replace("\"disaggregated\"\n", &format!("\"disaggregated\"\n{key}\n"));
    assert!(!check(text).contains("PRL826") && !check(&ports("decode_port = 8000")).contains("PRL826"), "{}", check(text));
    let found = check(&ports("prefill_port = 8000"));
    assert!(found.contains("PRL826") && found.contains("the prefill nodes"), "{found}");
    let found = check(&text.replace("tensor_parallel_size = 4\n", "tensor_parallel_size = 4\ndata_parallel_rpc_port = 5601\n"));
    assert!(found.contains("PRL826") && found.contains("NIXL in engine 1"), "{found}");
    // The router had a port of its own before it had that of the server.
    let earlier = "[model]\nname = \"Qwen/Qwen3-30B-A3B\"\n[slurm]\n[deployment]\ntype = \"multi_node\"\nnum_train_nodes = 1\nnum_infer_nodes = 2\n\
                   [trainer]\n[orchestrator]\n[inference.parallel]\ntp = 4\n[inference.deployment.router]\nport = 8055\n";
    assert_eq!(on(earlier, "0.7.0", servers), [8055, 8100, 8101]);
}

#[test]
fn a_refused_config_has_a_plan_and_the_status_of_its_errors() {
    let folder = Folder::new(&[(
        "sft.toml",
        "max_steps = 10\n\n[model]\nname = \"Qwen/Qwen2.5-3B-Instruct\"\n\n[data]\nbatch_size = 8\n",
    )]);
    let ended = folder.run("plan sft.toml --target 0.8.0");
    assert!(ended.status == Some(1) && ended.stdout.contains("Each step"), "{ended:?}");
}
