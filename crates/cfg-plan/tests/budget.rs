//! Budgets of complete configs.

use cfg_compose::Tree;
use cfg_diag::FileId;
use cfg_memory::{
    Tokens,
    hardware::{Hardware, parse},
    inference::LoraSlots,
    precision::{Format, Precision},
    prime_rl::{Date, Vllm},
    trainer::{Allocator, Checkpointing, LmHead, LoraTarget, Offload},
    verdict::Verdict,
};
use cfg_plan::Plan;
use cfg_plan::budget::{Budget, Inputs, Missing, Origin, Shape, budget};
use cfg_resolve::Names;
use cfg_schema::{History, Kind, Target};
use cfg_syntax::Dialect;

fn plan(target: &Target, kind: Kind, text: &str) -> Plan {
    let schema = History::built_in().schema(kind, target.point);
    let (document, _) = cfg_syntax::parse(FileId(0), text, Dialect::Toml11);
    let (resolved, _) = cfg_resolve::resolve(schema, &Names::new(schema), Tree::from_document(FileId(0), document));
    Plan::new(schema, &resolved)
}

fn of(target: &str, files: &[(Kind, &str)], hardware: &str) -> Result<Budget, Missing> {
    let target = Target::parse(History::built_in(), target).expect("a target");
    let hardware: Hardware = parse(hardware, &[]).expect("known hardware");
    let plans = files.iter().map(|(kind, text)| plan(&target, *kind, text));
    let plan = plans.reduce(Plan::merge).expect("a file");
    budget(&plan, &Inputs { target: &target, hardware: Some(&hardware), shape: &|_| None, local: &|_| None })
}

fn verdicts(budget: &Budget) -> Vec<Verdict> {
    budget.run.assess().gpus.iter().map(|gpu| gpu.judgement.verdict).collect()
}

const SHARED: &str = "
inference_gpu_ids = [0]
trainer_gpu_ids = [0]
max_steps = 1000
seq_len = 2048
[model]
name = 'Qwen/Qwen2.5-7B-Instruct'
[ckpt]
interval = 5
keep_last = 3
[trainer.model]
fused_lm_head_chunk_size = 'disabled'
[trainer.model.lora]
rank = 8
[orchestrator]
batch_size = 8
rollouts_per_example = 2
[[orchestrator.env]]
id = 'reverse-text'
[inference.model]
max_model_len = 4096
enforce_eager = true
";

/// The config that the tests share, without the chunks of the LM head, which did not exist at that version, followed by more lines.
fn shared(more: &str) -> String {
    SHARED.replace("fused_lm_head_chunk_size = 'disabled'\n", "") + more
}

#[test]
fn a_shared_gpu_has_the_observed_memory() {
    let at = |more: &str| verdicts(&of("d564195ca", &[(Kind::Rl, &shared(more))], "1x H100").expect("a budget"));
    assert_eq!(at(""), [Verdict::StartUpFailure]);
    assert_eq!(at("[inference]\ngpu_memory_utilization = 0.45\n"), [Verdict::OutOfMemory]);
    // With 0.5 it ran, with less memory left than measured peaks differ from the predicted ones.
    let checkpointed =
        |share: &str| at(&format!("[inference]\ngpu_memory_utilization = {share}\n[trainer.model.ac]\nfreq = 1\n"));
    assert_eq!((checkpointed("0.5"), checkpointed("0.49")), (vec![Verdict::Tight], vec![Verdict::Fits]));
}

#[test]
fn settings_reach_the_model() {
    let text = shared("[trainer.model.ac]\nfreq = 2\n[trainer.model.ac_offloading]\n");
    let run = of("d564195ca", &[(Kind::Rl, &text)], "1x H100").expect("a budget").run;
    let trainer = run.trainer.expect("a trainer");
    assert_eq!(trainer.prime_rl, Date::new(2026, 1, 6));
    assert_eq!((trainer.seq_len, trainer.gpus, trainer.allocator), (Tokens(2048), 1, Allocator::Expandable));
    assert_eq!(trainer.checkpointing, Checkpointing::Full { every: 2, offloaded: true });
    assert_eq!(trainer.lm_head, LmHead::Whole);
    let lora = trainer.lora.expect("adapters");
    assert_eq!((lora.rank, lora.adapters, lora.targets), (8, 1, LoraTarget::DEFAULT.to_vec()));
    let inference = run.inference.expect("a server");
    assert_eq!((inference.vllm, inference.max_model_len), (Vllm::new(0, 12), Some(Tokens(4096))));
    assert_eq!(inference.lora, Some(LoraSlots { count: 8, max_rank: 8 }));
    let checkpoints = run.writes.expect("files").checkpoints.expect("checkpoints");
    assert_eq!((checkpoints.interval, checkpoints.keep_last, checkpoints.max_steps), (Some(5), Some(3), Some(1000)));
}

#[test]
fn defaults_are_those_of_the_target() {
    let text = "
max_steps = 10
[model]
name = 'Qwen/Qwen3-30B-A3B-Instruct-2507'
[deployment]
type = 'single_node'
num_train_gpus = 4
num_infer_gpus = 4
[trainer]
[orchestrator]
batch_size = 16
group_size = 8
[[orchestrator.train.source]]
name = 'words'
[orchestrator.train.source.env.taskset]
id = 'primeintellect/wordle'
[inference.vllm]
tensor_parallel_size = 2
";
    let run = of("main", &[(Kind::Rl, text)], "8x H200").expect("a budget").run;
    let trainer = run.trainer.expect("a trainer");
    assert_eq!(trainer.checkpointing, Checkpointing::Full { every: 1, offloaded: true });
    assert_eq!(trainer.lm_head, LmHead::TokenChunks(Tokens(8192)));
    assert_eq!((trainer.offload, trainer.compile, trainer.expert_parallel), (Offload::Optimizer, true, 4));
    // prime-rl's launcher assigns the first GPUs to the server.
    assert_eq!((run.inference_gpus, run.trainer_gpus), (vec![0, 1, 2, 3], vec![4, 5, 6, 7]));
    assert_eq!(run.inference.expect("a server").vllm, Vllm::new(0, 26));
}

#[test]
fn split_files_are_one_budget() {
    let trainer = "[model]\nname = 'Qwen/Qwen3-8B'\nseq_len = 1024\n[model.lora]\nrank = 4\n[model.ac]\nfreq = 1\n";
    let inference = "gpu_memory_utilization = 0.5\n[model]\nname = 'Qwen/Qwen3-8B'\nmax_model_len = 1024\nenforce_eager = true\n";
    let files = [(Kind::Trainer, trainer), (Kind::Inference, inference)];
    let budget = of("2026-01-06", &files, "1x A100-80").expect("a budget");
    assert_eq!((&*budget.run.trainer_gpus, &*budget.run.inference_gpus), (&[0][..], &[0][..]));
    assert_eq!(budget.assumed.len(), 2, "{:?}", budget.assumed);
    assert!(!verdicts(&budget)[0].is_error(), "{:?}", budget.run.assess().gpus);
}

#[test]
fn unknown_values_are_missing_inputs() {
    let sft = |name: &str| format!("max_steps = 1\n[model]\nname = '{name}'\n[data]\nseq_len = 512\n");
    let unknown = of("0.4.0", &[(Kind::Sft, &sft("Qwen/Qwen3-8B-GGUF"))], "H100");
    let similar = |missing| if let Missing::Shape(unknown) = missing { unknown.similar() } else { Vec::new() };
    assert_eq!(similar(unknown.expect_err("no such model")).first(), Some(&"Qwen/Qwen3-8B"));
    let known = of("0.4.0", &[(Kind::Sft, &sft("Qwen/Qwen3-8B"))], "H100").expect("a budget");
    assert_eq!(known.run.trainer.map(|trainer| (trainer.lm_head, trainer.seq_len)), Some((LmHead::Whole, Tokens(512))));
    let orchestrator = of("0.4.0", &[(Kind::Orchestrator, "batch_size = 8\n")], "H100");
    assert_eq!(orchestrator.expect_err("nothing trains"), Missing::Nothing);
}

#[test]
fn a_shape_may_be_given_by_the_caller() {
    let target = Target::parse(History::built_in(), "0.4.0").expect("a target");
    let plan = plan(&target, Kind::Sft, "[model]\nname = './mine'\n[data]\nseq_len = 512\n");
    let architecture = cfg_memory::catalogue::model("Qwen/Qwen3-0.6B").expect("known").architecture.clone();
    let mine = |name: &str| {
        (name == "./mine").then(|| Shape {
            architecture: architecture.clone(),
            confirmed: true,
            precision: Precision::HALF,
            origin: Origin::File("mine/config.json".to_owned()),
            unmodelled: Vec::new(),
        })
    };
    let budget = budget(&plan, &Inputs { target: &target, hardware: None, shape: &mine, local: &|_| None }).expect("a budget");
    assert!(verdicts(&budget).iter().all(|verdict| *verdict == Verdict::Unknown));
    assert!(budget.run.assess().peak.is_some());
}

#[test]
fn packed_sequences_of_2025_widen_the_peak() {
    let trainer = "[model]\nname = 'Qwen/Qwen3-8B'\n[model.ac]\nfreq = 1\n";
    let orchestrator = |more: &str| format!("seq_len = 8192\nbatch_size = 64\n{more}[model]\nname = 'Qwen/Qwen3-8B'\n");
    let peak = |more: &str| {
        let text = orchestrator(more);
        let files = [(Kind::Trainer, trainer), (Kind::Orchestrator, &*text)];
        of("2025-09-18", &files, "4x H100").expect("a budget").run.assess().peak.expect("a trainer")
    };
    let (one, two) = (peak("micro_batch_size = 1\n"), peak("micro_batch_size = 2\n"));
    assert!(two.high > one.high * 1.3 && (two.low - one.low).as_gib().abs() < 0.1, "{two:?} {one:?}");
    // The default was far more than there are rollouts.
    assert_eq!(peak("").high, one.high);
}

#[test]
fn random_data_has_a_length_of_its_own() {
    let text = "[model]\nname = 'Qwen/Qwen3-0.6B'\n[data.fake]\nseq_len = 256\nbatch_size = 8\n";
    let budget = of("2025-09-18", &[(Kind::Trainer, text)], "1x H100").expect("a budget");
    assert_eq!(budget.run.trainer.expect("a trainer").seq_len, Tokens(256));
}

#[test]
fn the_server_has_its_own_precision() {
    let config = |keys: &str, name: &str| format!("{keys}[model]\nname = '{name}'\n");
    let precision = |text: &str| {
        of("2026-08-01", &[(Kind::Inference, text)], "H100").expect("a budget").run.inference.expect("a server").precision
    };
    assert_eq!(precision(&config("", "Qwen/Qwen3-8B")), Precision::HALF);
    assert_eq!(precision(&config("quantization = 'fp8'\n", "Qwen/Qwen3-8B")).format, Format::Fp8);
    assert_eq!(precision(&config("", "Qwen/Qwen3-8B-AWQ")).format, Format::Int4);
    // The files' own format counts, whatever kernel is chosen.
    assert_eq!(precision(&config("quantization = 'fp8'\n", "openai/gpt-oss-20b")).format, Format::Mxfp4);
    let models = of("2026-08-01", &[(Kind::Inference, &config("", "unsloth/Qwen3-8B-FP8"))], "H100").expect("a budget").models;
    assert_eq!((models.len(), models[0].served_as), (1, Some(Format::Fp8)));
    assert_eq!(models[0].notes(), ["the shape of `unsloth/Qwen3-8B-FP8` is that of Qwen/Qwen3-8B, by its name"]);
}
