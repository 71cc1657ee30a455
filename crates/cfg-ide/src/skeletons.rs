//! Configs to begin with.

use cfg_compose::Tree;
use cfg_diag::{FileId, Span};
use cfg_resolve::Names;
use cfg_schema::{History, Kind, Point};
use cfg_syntax::Dialect;

use crate::{Analysis, Item, ItemKind};

/// A config to begin with.
#[derive(Clone, Copy, Debug)]
pub struct Skeleton {
    /// What it is for.
    pub name: &'static str,
    /// The entrypoint.
    pub kind: Kind,
    /// The whole text.
    pub text: &'static str,
}

/// All skeletons. Each is accepted as it stands by some release; completion offers those that the target accepts.
pub const fn skeletons() -> &'static [Skeleton] {
    &SKELETONS
}

const SKELETONS: [Skeleton; 7] = [
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

/// A machine, and a model that it trains with LoRA next to an inference server.
struct Machine {
    hardware: &'static str,
    model: &'static str,
    /// The length up to which it does.
    seq_len: u32,
}

/// Machines of two GPUs: prime-rl then serves on the first and trains on the second, whatever its version.
const MACHINES: [Machine; 5] = [
    Machine { hardware: "2x H100", model: "Qwen/Qwen3-8B", seq_len: 8192 },
    Machine { hardware: "2x A100", model: "Qwen/Qwen3-8B", seq_len: 8192 },
    Machine { hardware: "2x H200", model: "Qwen/Qwen3-14B", seq_len: 8192 },
    Machine { hardware: "2x RTX 5090", model: "Qwen/Qwen3-1.7B", seq_len: 4096 },
    Machine { hardware: "2x RTX 4090", model: "Qwen/Qwen3-0.6B", seq_len: 4096 },
];

/// The skeleton that is made for machines, and what of it depends on them.
const FOR_MACHINES: (&str, &str, &str) = ("rl with LoRA", "\"Qwen/Qwen3-8B\"", "seq_len = 4096");

pub(crate) fn items(analysis: &Analysis, span: Span) -> Vec<Item> {
    let target = analysis.checked.target.name.clone();
    // Where the file states its target already, a second statement would only be in the way.
    let states = analysis.stated.target.is_none() && analysis.metadata.is_none();
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
            rank: 3,
        };
        items.push(item(skeleton.name.to_owned(), skeleton.text.to_owned()));
        for machine in MACHINES.iter().filter(|_| skeleton.name == FOR_MACHINES.0 && states) {
            let label = format!("{} on {}", skeleton.name, machine.hardware);
            items.push(item(label, for_machine(skeleton, machine, &target)));
        }
    }
    items
}

/// A skeleton for a machine, which it states.
fn for_machine(skeleton: &Skeleton, machine: &Machine, target: &str) -> String {
    let (_, model, seq_len) = FOR_MACHINES;
    let text = skeleton.text.replace(model, &format!("{:?}", machine.model));
    let text = text.replace(seq_len, &format!("seq_len = {}", machine.seq_len));
    // Without it, activations alone fill most cards.
    let text = text.replace("[trainer.model.lora]", "[trainer.model.ac]\n\n[trainer.model.lora]");
    format!("# /// config\n# prime_rl = {target:?}\n# hardware = {:?}\n# ///\n{text}", machine.hardware)
}

/// The skeletons that prime-rl takes at a point, the first of each name.
fn accepted(history: History, point: Point) -> Vec<&'static Skeleton> {
    let mut accepted: Vec<&Skeleton> = Vec::new();
    for skeleton in &SKELETONS {
        if accepted.iter().all(|other| other.name != skeleton.name) && is_accepted(history, point, skeleton) {
            accepted.push(skeleton);
        }
    }
    accepted
}

/// Whether prime-rl takes a skeleton at a point.
fn is_accepted(history: History, point: Point, skeleton: &Skeleton) -> bool {
    let schema = history.schema(skeleton.kind, point);
    let (document, _) = cfg_syntax::parse(FileId(0), skeleton.text, Dialect::Toml10);
    let (_, found) = cfg_resolve::resolve(schema, &Names::new(schema), Tree::from_document(FileId(0), document));
    found.iter().all(|found| found.native.is_none())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use cfg_schema::{History, Target};

    use super::{FOR_MACHINES, MACHINES, SKELETONS, accepted, for_machine};
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
    fn what_is_made_for_a_machine_fits_it() {
        let history = History::built_in();
        for release in ["0.4.0", "0.6.0", "0.7.0", "0.8.0"] {
            let point = Target::parse(history, release).expect("a release").point;
            let offered = accepted(history, point);
            let skeleton = offered.iter().find(|skeleton| skeleton.name == FOR_MACHINES.0).expect("there is one");
            for machine in &MACHINES {
                let analysis = analysis(&for_machine(skeleton, machine, release));
                let memory = analysis
                    .memory()
                    .unwrap_or_else(|| panic!("{release}, {}: {:?}", machine.hardware, analysis.checked.diagnostics));
                assert!(!memory.told.assessment.verdict().is_error(), "{release}, {}: {}", machine.hardware, memory.report());
                let errors = analysis.checked.diagnostics.iter().filter(|found| found.severity == cfg_diag::Severity::Error);
                assert_eq!(errors.count(), 0, "{release}, {}: {:?}", machine.hardware, analysis.checked.diagnostics);
            }
        }
    }
}
