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

pub(crate) fn items(analysis: &Analysis, span: Span) -> impl Iterator<Item = Item> {
    accepted(analysis.history(), analysis.checked.target.point).into_iter().map(move |skeleton| Item {
        label: skeleton.name.to_owned(),
        kind: ItemKind::Skeleton,
        detail: format!("a config for {}", skeleton.kind),
        documentation: None,
        span,
        insert: skeleton.text.to_owned(),
        cursor: None,
        rank: 3,
    })
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

    use super::{SKELETONS, accepted};

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
}
