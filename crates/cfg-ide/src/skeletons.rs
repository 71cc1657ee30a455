//! Configs to begin with.

use cfg_diag::Span;
use cfg_schema::Kind;

use crate::{Item, ItemKind};

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

/// All skeletons. Each is accepted by the newest release as it stands.
pub const fn skeletons() -> &'static [Skeleton] {
    &SKELETONS
}

const SKELETONS: [Skeleton; 5] = [
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

pub(crate) fn items(span: Span) -> impl Iterator<Item = Item> {
    SKELETONS.iter().map(move |skeleton| Item {
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

#[cfg(test)]
mod tests {
    use cfg_check::{Session, Verdict};

    use super::SKELETONS;
    use crate::{Analysis, Source};

    #[test]
    fn the_newest_release_accepts_each() {
        let session = Session::default();
        for skeleton in SKELETONS {
            let path = format!("{}.toml", skeleton.kind);
            let source = Source { path: &path, text: skeleton.text.to_owned(), surroundings: &|| None };
            let analysis = Analysis::new(&session, source);
            assert_eq!(analysis.checked.kind, Some(skeleton.kind), "{}", skeleton.name);
            assert_eq!(analysis.checked.verdict, Verdict::Ok, "{}: {:?}", skeleton.name, analysis.checked.diagnostics);
        }
    }
}
