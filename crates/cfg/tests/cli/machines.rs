//! `cfg memory` on machines of several nodes.

use super::Folder;

#[test]
fn machines_of_a_run_on_several_nodes_are_counted() {
    let config = "max_steps = 10\noutput_dir = \"/data/out\"\nseq_len = 4096\n[slurm]\njob_name = \"x\"\n[model]\nname = \"Qwen/Qwen3-8B\"\n\
        [deployment]\ntype = \"multi_node\"\nnum_train_nodes = 1\nnum_infer_nodes = 1\n[orchestrator]\nbatch_size = 64\ngroup_size = 8\n\
        [[orchestrator.train.env]]\nid = \"reverse-text\"\n[trainer]\n[inference]\n";
    let folder = Folder::new(&[("rl.toml", config)]);
    let assumed = |gpu: &str| folder.run(&format!("memory rl.toml --target 0.6.0 --gpu {gpu}")).stdout;
    let text = assumed("8xH100");
    assert!(text.contains("Assumed: the run has 2 such machines, 16 GPUs in all\n"), "{text}");
    let text = assumed("6xH100");
    assert!(text.contains("Assumed: there are 16 such GPUs, but 6 are given\n"), "{text}");
    // The verdict is about all of them.
    assert!(text.contains(" on 16x H100 with prime-rl 0.6.0"), "{text}");
    let text = assumed("16xH100");
    assert!(!text.contains("such machines") && !text.contains("such GPUs"), "{text}");
}
