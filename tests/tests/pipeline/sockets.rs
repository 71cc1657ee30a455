//! On which machine the processes of a run listen, and what they ask for on another one.

use cfg_schema::Kind;
use cfg_tests::Checking;

const OURS: [&str; 3] = ["port-collision", "port-out-of-range", "localhost-across-nodes"];

/// The messages of these rules.
#[track_caller]
fn found(target: &str, kind: Kind, text: &str) -> Vec<String> {
    let checked = Checking::for_target(target).of_kind(kind).check(text);
    let errors: Vec<_> = checked.diagnostics.iter().filter(|found| found.native.is_some()).collect();
    assert!(errors.is_empty(), "{target}: {errors:?}");
    checked.diagnostics.into_iter().filter(|found| OURS.contains(&found.code.name)).map(|found| found.message).collect()
}

fn several_nodes(deployment: &str, orchestrator: &str, inference: &str) -> String {
    format!(
        "max_steps = 20\noutput_dir = \"/shared/x\"\n[slurm]\n[deployment]\ntype = \"multi_node\"\nnum_train_nodes = 1\n{deployment}\
         [trainer]\n[orchestrator]\nbatch_size = 128\ngroup_size = 8\n{orchestrator}\
         [[orchestrator.train.source]]\nenv = {{ taskset = {{ id = \"a\" }} }}\n[inference]\n{inference}"
    )
}

/// The orchestrator and the servers of its environments start on the last node of the inference servers if the deployment says so.
#[test]
fn an_orchestrator_beside_the_engines_shares_their_ports() {
    let port = "env_server_base_port = 8100\n";
    let nodes = |count: u32| format!("[inference.deployment]\ntype = \"multi_node\"\nnum_nodes = {count}\n");
    let beside = "orchestrator_on_inference = true\n";
    let one = found("main", Kind::Rl, &several_nodes(beside, port, &nodes(1)));
    assert_eq!(
        one,
        [
            "the environment server of `a` and engine 0 behind the router both listen on port 8100 of the nodes of the inference servers"
        ]
    );
    assert_eq!(found("main", Kind::Rl, &several_nodes(beside, port, &nodes(2))).len(), 1);
    // By default they are on the first node of the trainer.
    assert_eq!(found("main", Kind::Rl, &several_nodes("", port, &nodes(1))), [""; 0]);
    // The router is on the first node, and the orchestrator on the last.
    let router = "env_server_base_port = 8000\n";
    assert_eq!(found("main", Kind::Rl, &several_nodes(beside, router, &nodes(1))).len(), 1);
    assert_eq!(found("main", Kind::Rl, &several_nodes(beside, router, &nodes(2))), [""; 0]);
    // Of servers that read prompts on other nodes than those that generate, the last one generates.
    let split = "[inference.deployment]\ntype = \"disaggregated\"\nprefill_nodes_per_replica = 1\ndecode_nodes_per_replica = 1\n";
    assert_eq!(found("main", Kind::Rl, &several_nodes(beside, "env_server_base_port = 8200\n", split)).len(), 1);
    assert_eq!(found("main", Kind::Rl, &several_nodes(beside, port, split)), [""; 0]);
}

/// Inference servers that are started alone have the ports of those of a run.
#[test]
fn servers_that_are_started_alone_listen_too() {
    let alone = |port: u32| {
        format!(
            "backend_port = 8100\n[slurm]\n[deployment]\ntype = \"multi_node\"\nnum_nodes = 2\n[vllm]\nmodel = \"org/x\"\n[server]\nport = {port}\n"
        )
    };
    let collides = found("main", Kind::Inference, &alone(8103));
    assert_eq!(collides.len(), 1, "{collides:?}");
    assert_eq!(found("main", Kind::Inference, &alone(8000)), [""; 0]);
    // No trainer has a rendezvous there.
    assert_eq!(found("main", Kind::Inference, &alone(29_500)), [""; 0]);
    assert!(!found("main", Kind::Inference, "[server]\nport = 65536\n").is_empty());
    assert_eq!(found("0.4.0", Kind::Inference, "[server]\nport = 8000\n"), [""; 0]);
}

#[test]
fn the_environments_of_fine_tuning_have_servers() {
    let sft = |port: u32| {
        format!(
            "max_steps = 20\n[deployment]\nnum_train_gpus = 1\nnum_infer_gpus = 1\n[model]\nname = \"Qwen/Qwen3-0.6B\"\n[data]\nname = \"org/data\"\n\
             [eval]\ninterval = 10\nenv_server_base_port = {port}\n[[eval.source]]\nenv = {{ taskset = {{ id = \"a\" }} }}\n[inference]\n"
        )
    };
    assert_eq!(found("main", Kind::Sft, &sft(8000)).len(), 1);
    assert_eq!(found("main", Kind::Sft, &sft(5000)), [""; 0]);
}

/// NIXL's weights are found through a service, which each process looks for at the same address.
#[test]
fn a_service_on_another_node_is_not_on_localhost() {
    let weights = |host: &str| {
        several_nodes("", "", "[inference.deployment]\ntype = \"multi_node\"\nnum_nodes = 1\n")
            + &format!("[weight_broadcast]\ntype = \"nixl\"\n{host}")
    };
    let checked = Checking::for_target("559b44772").check(&weights(""));
    let placed = checked.diagnostics.iter().filter(|found| found.code.name == "localhost-across-nodes");
    assert_eq!(placed.map(|found| found.location.is_some()).collect::<Vec<_>>(), [true]);
    assert_eq!(found("559b44772", Kind::Rl, &weights("host = \"n1\"\n")), [""; 0]);
    // Later, the launcher starts it.
    assert_eq!(found("0.9.0", Kind::Rl, &weights("")), [""; 0]);
    // The newest one may do so already, and a file with its switch is for one that does.
    assert_eq!(found("main", Kind::Rl, &weights("")), [""; 0]);
    let later = "launch_modelexpress = true\n[deployment]\ntype";
    let written = Checking::for_target("559b44772").check(&weights("").replacen("[deployment]\ntype", later, 1));
    assert!(written.diagnostics.iter().all(|found| found.code.name != "localhost-across-nodes"), "{:?}", written.diagnostics);
    let here = "max_steps = 20\n[trainer]\n[orchestrator]\nbatch_size = 128\ngroup_size = 8\n[[orchestrator.train.source]]\n\
                env = { taskset = { id = \"a\" } }\n[inference]\n[weight_broadcast]\ntype = \"nixl\"\n";
    assert_eq!(found("559b44772", Kind::Rl, here), [""; 0]);
}
