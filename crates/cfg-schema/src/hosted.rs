//! The keys of hosted training, in addition to those of prime-rl.

use std::sync::{Mutex, PoisonError};

use crate::{ExtraType, History, Kind, extended::Draft};

/// The keys that `prime train` accepts at the root of a config, in addition to those of prime-rl: each with its type and its purpose.
///
/// prime-rl gets none of these keys. `name` and the last three keys accept any value without an error; a finding reports what `prime train`
/// ignores in them.
const OF_HOSTED_TRAINING: [(&str, &str, &str); 9] = [
    ("gpu_type", "str?", "The GPU type to run on, such as `H200_141GB`; any type if not set."),
    ("image_tag", "str?", "The tag of the prime-rl image to run; chosen by the platform if not set."),
    ("source_ref", "str?", "A branch, tag or commit of prime-rl whose sources replace those of the image."),
    ("volume", "str?", "The volume that receives the outputs, and from which supervised training reads its data."),
    ("volume_size", "str?", "The size of that volume if it is new, such as `500Gi`."),
    ("name", "any", "The name of the run on the platform."),
    ("env_files", "any", "Env files with the run's secrets, relative to this file: a path or a list of paths."),
    ("env_file", "any", "The former name of `env_files`."),
    ("type", "any", "No longer read."),
];

impl History {
    /// This history with the keys that `prime train` accepts at the root of an `rl` or `sft` config. Like the histories of
    /// [`extended`](Self::extended) it is kept until the program ends.
    #[must_use]
    pub fn hosted(self) -> Self {
        static KNOWN: Mutex<Vec<(History, History)>> = Mutex::new(Vec::new());
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, made)) = known.iter().find(|(base, made)| *base == self || *made == self) {
            return *made;
        }
        let mut draft = Draft::new(self);
        for (name, ty, doc) in OF_HOSTED_TRAINING {
            for kind in [Kind::Rl, Kind::Sft] {
                draft.add_to_root(kind, name, &ty.parse().unwrap_or(ExtraType::Any), doc);
            }
        }
        let made = Self::of_bytes(draft.bytes()).unwrap_or(self);
        known.push((self, made));
        made
    }

    /// The names of the keys that only `prime train` accepts.
    pub fn keys_of_hosted_training() -> impl Iterator<Item = &'static str> {
        OF_HOSTED_TRAINING.into_iter().map(|(name, ..)| name)
    }
}

#[cfg(test)]
mod tests {
    use crate::{History, Kind, find_fields};

    #[test]
    fn hosted_training_adds_its_keys_at_the_root_alone() {
        let built_in = History::built_in();
        let history = built_in.hosted();
        assert_eq!(history, built_in.hosted());
        assert_eq!(history, history.hosted());
        for kind in [Kind::Rl, Kind::Sft] {
            for name in History::keys_of_hosted_training() {
                let field = history.root(kind).field(name).expect("it is there");
                assert!(field.at(history.newest()).is_some(), "{kind} {name}");
            }
            let field = history.root(kind).field("gpu_type").expect("it is there");
            assert!(field.doc(history.newest()).is_some_and(|text| text.contains("H200_141GB")));
        }
        for path in ["trainer.gpu_type", "orchestrator.volume", "inference.source_ref"] {
            assert!(find_fields(history, Kind::Rl, path).is_empty(), "{path}");
        }
        assert!(history.root(Kind::Orchestrator).field("image_tag").is_none());
        assert!(built_in.root(Kind::Rl).field("image_tag").is_none());
    }
}
