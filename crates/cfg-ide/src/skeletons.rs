//! Configs to start from.

use cfg_compose::Tree;
use cfg_diag::{FileId, Span};
use cfg_resolve::Names;
use cfg_schema::{History, Kind, Point};
use cfg_syntax::Dialect;

use crate::{Analysis, Item, ItemKind, Next};

/// A config to start from.
#[derive(Clone, Copy, Debug)]
pub struct Skeleton {
    /// Its purpose.
    pub name: &'static str,
    /// The entrypoint.
    pub kind: Kind,
    /// The whole text.
    pub text: &'static str,
}

/// All skeletons. Each is accepted unchanged by some release; completion offers those that the target accepts.
pub const fn skeletons() -> &'static [Skeleton] {
    &SKELETONS
}

const SKELETONS: [Skeleton; 10] = [
    Skeleton {
        name: "rl: trainer, orchestrator and inference in one file",
        kind: Kind::Rl,
        text: "max_steps = 100\nseq_len = 4096\n\n[model]\nname = \"Qwen/Qwen3-4B-Instruct-2507\"\n\n[ckpt]\ninterval = 25\nkeep_last = 2\n\n[trainer.optim]\nlr = 1e-6\n\n[orchestrator]\nbatch_size = 128\ngroup_size = 8\n\n[orchestrator.train.sampling]\nmax_completion_tokens = 2048\n\n[inference]\n",
    },
    Skeleton {
        name: "rl with LoRA",
        kind: Kind::Rl,
        text: "max_steps = 100\nseq_len = 4096\n\n[model]\nname = \"Qwen/Qwen3-8B\"\n\n[ckpt]\ninterval = 25\nkeep_last = 2\n\n[trainer.model.lora]\nrank = 16\nalpha = 32\n\n[trainer.optim]\nlr = 1e-5\n\n[orchestrator]\nbatch_size = 128\ngroup_size = 8\n\n[orchestrator.train.sampling]\nmax_completion_tokens = 2048\n\n[inference]\n",
    },
    Skeleton {
        name: "rl: trainer, orchestrator and inference in one file",
        kind: Kind::Rl,
        text: "max_steps = 100\nseq_len = 4096\n\n[model]\nname = \"Qwen/Qwen3-4B-Instruct-2507\"\n\n[ckpt]\ninterval = 25\nkeep_last = 2\n\n[trainer.optim]\nlr = 1e-6\n\n[orchestrator]\nbatch_size = 128\nrollouts_per_example = 8\n\n[orchestrator.sampling]\nmax_tokens = 2048\n\n[inference]\n",
    },
    Skeleton {
        name: "rl with LoRA",
        kind: Kind::Rl,
        text: "max_steps = 100\nseq_len = 4096\n\n[model]\nname = \"Qwen/Qwen3-8B\"\n\n[ckpt]\ninterval = 25\nkeep_last = 2\n\n[trainer.model.lora]\nrank = 16\nalpha = 32\n\n[trainer.optim]\nlr = 1e-5\n\n[orchestrator]\nbatch_size = 128\nrollouts_per_example = 8\n\n[orchestrator.sampling]\nmax_tokens = 2048\n\n[inference]\n",
    },
    Skeleton {
        name: "sft: supervised fine-tuning",
        kind: Kind::Sft,
        text: "max_steps = 100\n\n[model]\nname = \"Qwen/Qwen3-4B-Instruct-2507\"\n\n[data]\nname = \"PrimeIntellect/Reverse-Text-SFT\"\nseq_len = 4096\nbatch_size = 32\n\n[optim]\nlr = 1e-5\n\n[ckpt]\ninterval = 50\n",
    },
    Skeleton {
        name: "orchestrator: the orchestrator alone",
        kind: Kind::Orchestrator,
        text: "max_steps = 100\nseq_len = 4096\nbatch_size = 128\ngroup_size = 8\n\n[model]\nname = \"Qwen/Qwen3-4B-Instruct-2507\"\n\n[train.sampling]\nmax_completion_tokens = 2048\n",
    },
    Skeleton {
        name: "orchestrator: the orchestrator alone",
        kind: Kind::Orchestrator,
        text: "max_steps = 100\nseq_len = 4096\nbatch_size = 128\ngroup_size = 8\n\n[student.model]\nname = \"Qwen/Qwen3-4B-Instruct-2507\"\n\n[train.sampling]\nmax_completion_tokens = 2048\n",
    },
    Skeleton {
        name: "orchestrator: the orchestrator alone",
        kind: Kind::Orchestrator,
        text: "max_steps = 100\nseq_len = 4096\nbatch_size = 128\nrollouts_per_example = 8\n\n[model]\nname = \"Qwen/Qwen3-4B-Instruct-2507\"\n\n[sampling]\nmax_tokens = 2048\n",
    },
    Skeleton {
        name: "inference: the vLLM server alone",
        kind: Kind::Inference,
        text: "gpu_memory_utilization = 0.9\n\n[model]\nname = \"Qwen/Qwen3-4B-Instruct-2507\"\nmax_model_len = 8192\n",
    },
    Skeleton {
        name: "trainer: the trainer alone",
        kind: Kind::Trainer,
        text: "max_steps = 100\n\n[model]\nname = \"Qwen/Qwen3-4B-Instruct-2507\"\nseq_len = 4096\n\n[optim]\nlr = 1e-6\n\n[ckpt]\ninterval = 25\n",
    },
];

/// A machine, and the changes of a skeleton for it.
struct Machine {
    /// The name of the skeleton.
    of: &'static str,
    hardware: &'static str,
    /// The replacements.
    with: &'static [Replaced],
    /// Further replacements; the first of these that prime-rl accepts is used.
    ways: &'static [&'static [Replaced]],
}

type Replaced = (&'static str, &'static str);

const RL: &str = "rl with LoRA";
const SFT: &str = "sft: supervised fine-tuning";
const INFERENCE: &str = "inference: the vLLM server alone";

/// Without it, activations alone fill most cards.
const AC: Replaced = ("[trainer.model.lora]", "[trainer.model.ac]\n\n[trainer.model.lora]");
const SFT_LORA: Replaced = ("[data]", "[model.ac]\n\n[model.lora]\nrank = 16\nalpha = 32\n\n[data]");

/// Half of eight GPUs serve, and half train.
const HALVES: &[&[Replaced]] = &[
    &[(
        "[inference]\n",
        "[inference.parallel]\ndp = 4\n\n[deployment]\ntype = \"single_node\"\nnum_train_gpus = 4\nnum_infer_gpus = 4\n",
    )],
    &[
        ("\n[model]", "trainer_gpu_ids = [4, 5, 6, 7]\ninference_gpu_ids = [0, 1, 2, 3]\n\n[model]"),
        ("[inference]\n", "[inference.parallel]\ndp = 4\n"),
    ],
];

const AS_IT_IS: &[&[Replaced]] = &[&[]];

/// With two GPUs, prime-rl serves on the first and trains on the second, at any version.
const MACHINES: [Machine; 12] = [
    Machine { of: RL, hardware: "2x H100", with: &[AC, ("seq_len = 4096", "seq_len = 8192")], ways: AS_IT_IS },
    Machine { of: RL, hardware: "2x A100", with: &[AC, ("seq_len = 4096", "seq_len = 8192")], ways: AS_IT_IS },
    Machine {
        of: RL,
        hardware: "2x H200",
        with: &[AC, ("Qwen3-8B", "Qwen3-14B"), ("seq_len = 4096", "seq_len = 8192")],
        ways: AS_IT_IS,
    },
    Machine { of: RL, hardware: "2x RTX 5090", with: &[AC, ("Qwen3-8B", "Qwen3-1.7B")], ways: AS_IT_IS },
    Machine { of: RL, hardware: "2x RTX 4090", with: &[AC, ("Qwen3-8B", "Qwen3-0.6B")], ways: AS_IT_IS },
    Machine {
        of: RL,
        hardware: "8x H100",
        with: &[AC, ("Qwen3-8B", "Qwen3-14B"), ("seq_len = 4096", "seq_len = 8192")],
        ways: HALVES,
    },
    Machine {
        of: RL,
        hardware: "8x H200",
        with: &[AC, ("Qwen3-8B", "Qwen3-14B"), ("seq_len = 4096", "seq_len = 16384")],
        ways: HALVES,
    },
    Machine { of: SFT, hardware: "1x H100", with: &[SFT_LORA, ("Qwen3-4B-Instruct-2507", "Qwen3-8B")], ways: AS_IT_IS },
    Machine { of: SFT, hardware: "1x RTX 4090", with: &[SFT_LORA, ("Qwen3-4B-Instruct-2507", "Qwen3-0.6B")], ways: AS_IT_IS },
    Machine {
        of: SFT,
        hardware: "8x H100",
        with: &[SFT_LORA, ("Qwen3-4B-Instruct-2507", "Qwen3-14B")],
        ways: &[&[("[ckpt]\n", "[deployment]\nnum_gpus = 8\n\n[ckpt]\n")]],
    },
    Machine {
        of: INFERENCE,
        hardware: "1x H100",
        with: &[("Qwen3-4B-Instruct-2507", "Qwen3-8B"), ("max_model_len = 8192", "max_model_len = 16384")],
        ways: AS_IT_IS,
    },
    Machine {
        of: INFERENCE,
        hardware: "8x H100",
        with: &[
            ("Qwen3-4B-Instruct-2507", "Qwen3-32B"),
            ("max_model_len = 8192\n", "max_model_len = 16384\n\n[parallel]\ndp = 4\ntp = 2\n"),
        ],
        ways: AS_IT_IS,
    },
];

pub(crate) fn items(analysis: &Analysis, span: Span) -> Vec<Item> {
    let target = analysis.checked.target.name.clone();
    // If the file already states its target, a second statement is not needed.
    let states = analysis.stated.target.is_none() && analysis.metadata.is_none();
    let other_kind = |kind| analysis.checked.kind.is_some_and(|known| known != kind);
    let mut items = Vec::new();
    for skeleton in accepted(analysis.history(), analysis.checked.target.point) {
        let item = |label: String, insert: String| Item {
            label,
            kind: ItemKind::Skeleton,
            detail: format!("a config for {}", skeleton.kind),
            documentation: None,
            span,
            insert,
            cursor: None,
            next: Next::Nothing,
            rank: u8::from(other_kind(skeleton.kind)),
        };
        items.push(item(skeleton.name.to_owned(), skeleton.text.to_owned()));
        for machine in MACHINES.iter().filter(|machine| skeleton.name == machine.of && states) {
            let text = for_machine(analysis.history(), analysis.checked.target.point, skeleton, machine, &target);
            let label = format!("{} on {}", skeleton.name, machine.hardware);
            items.extend(text.map(|text| item(label, text)));
        }
    }
    items
}

/// A skeleton that states a machine; `None` if prime-rl accepts none.
fn for_machine(history: History, point: Point, skeleton: &Skeleton, machine: &Machine, target: &str) -> Option<String> {
    let replaced = |text: String, pairs: &[Replaced]| pairs.iter().fold(text, |text, (from, to)| text.replacen(from, to, 1));
    let text = replaced(skeleton.text.to_owned(), machine.with);
    let mut texts = machine.ways.iter().map(|way| replaced(text.clone(), way));
    let text = texts.find(|text| is_accepted(history, point, skeleton.kind, text))?;
    let kind = if skeleton.kind == Kind::Rl { String::new() } else { format!("# kind = \"{}\"\n", skeleton.kind) };
    Some(format!("# /// config\n# prime_rl = {target:?}\n{kind}# hardware = {:?}\n# ///\n{text}", machine.hardware))
}

/// The skeletons that prime-rl accepts at a point, the first of each name.
fn accepted(history: History, point: Point) -> Vec<&'static Skeleton> {
    let mut accepted: Vec<&Skeleton> = Vec::new();
    for skeleton in &SKELETONS {
        if accepted.iter().all(|other| other.name != skeleton.name) && is_accepted(history, point, skeleton.kind, skeleton.text) {
            accepted.push(skeleton);
        }
    }
    accepted
}

/// Whether prime-rl accepts a text at a point.
fn is_accepted(history: History, point: Point, kind: Kind, text: &str) -> bool {
    let schema = history.schema(kind, point);
    let (document, _) = cfg_syntax::parse(FileId(0), text, Dialect::Toml10);
    let (_, found) = cfg_resolve::resolve(schema, &Names::new(schema), Tree::from_document(FileId(0), document));
    found.iter().all(|found| found.native.is_none())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use cfg_schema::{History, Target};

    use super::{MACHINES, SKELETONS, accepted, for_machine};
    use crate::testing::analysis;

    #[test]
    fn each_release_has_one_for_every_purpose() {
        let history = History::built_in();
        let names: BTreeSet<&str> = SKELETONS.iter().map(|skeleton| skeleton.name).collect();
        for release in ["0.4.0", "0.6.0", "0.7.0", "0.8.0"] {
            let point = Target::parse(history, release).expect("a release").point;
            let offered: Vec<&str> = accepted(history, point).into_iter().map(|skeleton| skeleton.name).collect();
            assert_eq!(offered.iter().copied().collect::<BTreeSet<_>>(), names, "{release}");
            assert_eq!(offered.len(), names.len(), "{release}: one of a name");
        }
    }

    #[test]
    fn a_skeleton_for_a_machine_fits_it() {
        let history = History::built_in();
        for release in ["0.4.0", "0.6.0", "0.7.0", "0.8.0"] {
            let point = Target::parse(history, release).expect("a release").point;
            let offered = accepted(history, point);
            for machine in &MACHINES {
                let skeleton = offered.iter().find(|skeleton| skeleton.name == machine.of).expect("there is one");
                let Some(text) = for_machine(history, point, skeleton, machine, release) else {
                    assert_eq!((release, machine.of), ("0.4.0", super::SFT), "{}", machine.hardware);
                    continue;
                };
                let differs = machine.with.iter().all(|(from, to)| skeleton.text.contains(from) && text.contains(to));
                assert!(differs, "{}", machine.hardware);
                let analysis = analysis(&text);
                let memory = analysis
                    .memory()
                    .unwrap_or_else(|| panic!("{release}, {}: {:?}", machine.hardware, analysis.checked.diagnostics));
                assert!(!memory.computed.assessment.verdict().is_error(), "{release}, {}: {}", machine.hardware, memory.report());
                let errors = analysis.checked.diagnostics.iter().filter(|found| found.severity == cfg_diag::Severity::Error);
                assert_eq!(errors.count(), 0, "{release}, {}: {:?}", machine.hardware, analysis.checked.diagnostics);
            }
        }
    }
}
