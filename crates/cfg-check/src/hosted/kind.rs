//! Recognizes a config for hosted training.

use std::path::Path;

use cfg_schema::{History, Kind};
use cfg_syntax::Document;

use crate::{
    identity::family::score,
    shape::{Shape, Shaped},
};

/// The kind of a config for hosted training; `None` if it is not one. Such a config is complete, because files are not merged there, and has a key
/// that only `prime train` accepts; or it is in the format that hosted training had before it ran prime-rl's own configs.
pub(crate) fn kind_of<T: Shaped>(history: History, path: &str, root: &T, named: bool) -> Option<Kind> {
    if is_retired(root) {
        // verifiers' own prompt optimizer has configs of a similar form.
        if ["gepa", "reflection_model"].iter().any(|key| root.shape_of(key).is_some()) {
            return None;
        }
        return (named || root.shapes().any(|(key, _)| OF_RETIRED_FORM.contains(&key))).then_some(Kind::HostedRl);
    }
    let is_table = |key: &str| matches!(root.shape_of(key), Some(Shape::Table(_)));
    let is_own = |(key, shape): (&str, Shape<'_, T>)| {
        ONLY_OF_HOSTED_TRAINING.contains(&key) || matches!(shape, Shape::String) && TEXTS_OF_HOSTED_TRAINING.contains(&key)
    };
    if !root.shapes().any(is_own) && !says_hosted(path) {
        return None;
    }
    let kind = kind(root);
    let score = || score(root, history.hosted().root(kind));
    let is_whole = match kind {
        Kind::HostedSft => is_table("data") && (named || score().is_mostly_known()),
        _ => is_table("trainer") && is_table("orchestrator") || is_table("orchestrator") && score().is_mostly_known(),
    };
    is_whole.then_some(kind)
}

/// Keys that identify a config for hosted training, whatever their values.
const ONLY_OF_HOSTED_TRAINING: [&str; 6] = ["gpu_type", "image_tag", "source_ref", "volume_size", "env_files", "env_file"];

/// Keys that identify it if their value is a text. The remaining key of `prime train`, `name`, is used by many programs.
const TEXTS_OF_HOSTED_TRAINING: [&str; 2] = ["volume", "type"];

/// Further keys of the former format of hosted training.
const OF_RETIRED_FORM: [&str; 13] = [
    "adapters",
    "batch_size",
    "checkpoint_id",
    "checkpoints",
    "learning_rate",
    "lora_alpha",
    "loss",
    "max_steps",
    "oversampling_factor",
    "rollouts_per_example",
    "sampling",
    "teacher",
    "trajectory_strategy",
];

/// Keys of that format that no `rl` config has at its root.
const NOT_OF_RL: [&str; 5] = ["batch_size", "learning_rate", "lora_alpha", "rollouts_per_example", "sampling"];

/// Whether the name of a file or of its folder indicates hosted training.
fn says_hosted(path: &str) -> bool {
    let stem = path.strip_suffix(".toml").unwrap_or(path);
    stem.contains("hosted")
        && stem.rsplit(['/', '\\']).take(2).any(|part| part.split(['-', '_', '.']).any(|word| word == "hosted"))
}

/// Whether a comment contains a launch command with `prime train FILE`.
pub(crate) fn has_prime_train_comment(text: &str, document: &Document) -> bool {
    let tells = |comment: &str| {
        let words = comment.split("prime train ").skip(1).filter_map(|behind| behind.split_whitespace().next());
        let plain = |word: &str| word.trim_matches(['`', '"', '\'', ',', ';']).to_owned();
        words.map(plain).any(|word| Path::new(&word).extension().is_some_and(|extension| extension == "toml"))
    };
    text.contains("prime train ") && document.comments.iter().filter_map(|comment| text.get(comment.range())).any(tells)
}

/// The entrypoint that `prime train` starts with a config: the keys of its root decide.
pub(crate) fn kind<T: Shaped>(root: &T) -> Kind {
    let has = |key| root.shape_of(key).is_some();
    if has("data") && !has("trainer") && !has("orchestrator") { Kind::HostedSft } else { Kind::HostedRl }
}

/// Whether a config has the format of shared LoRA training, which accepts no new runs: the model is a string, and environments are an array of the
/// root. No prime-rl config has either. If its environments have the new form, below `orchestrator`, the other keys of its root decide.
fn is_retired<T: Shaped>(root: &T) -> bool {
    let is_partly_new = || {
        matches!(root.shape_of("orchestrator"), Some(Shape::Table(_)))
            && NOT_OF_RL.iter().filter(|key| root.shape_of(key).is_some()).count() > 1
    };
    matches!(root.shape_of("model"), Some(Shape::String))
        && (matches!(root.shape_of("env"), Some(Shape::Array)) || is_partly_new())
}

#[cfg(test)]
mod tests {
    use cfg_diag::FileId;
    use cfg_schema::Kind;
    use cfg_syntax::Dialect;

    use crate::{
        Family,
        identity::family::tests::{found, guess},
    };

    #[test]
    fn hosted_training_is_recognized_by_its_keys() {
        let whole = "[trainer]\n[orchestrator]\n[inference]\n";
        for own in
            ["gpu_type = 'H200_141GB'\n", "volume = 'v'\n", "type = 'full_finetune'\n", "gpu_type = 8\n", "env_files = []\n"]
        {
            assert_eq!(guess("x.toml", &format!("{own}{whole}")), Family::Hosted(Kind::HostedRl), "{own}");
            assert_eq!(found("configs/rl/x.toml", &format!("{own}{whole}")), Family::Hosted(Kind::HostedRl), "{own}");
        }
        assert_eq!(guess("hosted/x.toml", whole), Family::Hosted(Kind::HostedRl));
        assert_eq!(guess("x.toml", whole), Family::Config(Kind::Rl));
        assert_eq!(guess("x.toml", &format!("name = 'x'\n{whole}")), Family::Config(Kind::Rl), "many programs have a name");
        assert_eq!(
            found("x.toml", "volume = 'v'\nmax_steps = 5\n[model]\nname = 'x'\n[data]\nname = 'y'\n"),
            Family::Hosted(Kind::HostedSft)
        );
        assert!(matches!(
            found("x.toml", "volume = 'v'\n[data]\nroot = 'y'\nworkers = 3\n"),
            Family::OtherProgram(_) | Family::Unclear
        ));
        assert!(matches!(
            found("compose.toml", "image_tag = 'v'\n[services]\nweb = 'y'\n"),
            Family::OtherProgram(_) | Family::Unclear
        ));
    }

    #[test]
    fn a_usage_comment_states_hosted_training() {
        let has_prime_train_comment =
            |text: &str| super::has_prime_train_comment(text, &cfg_syntax::parse(FileId(0), text, Dialect::Toml11).0);
        assert!(has_prime_train_comment("# Usage: prime train configs/rl/x.toml\n[trainer]\n"));
        assert!(has_prime_train_comment("a = 1  # run `prime train x.toml --volume v`\n"));
        assert!(!has_prime_train_comment("# not with prime train any more\n"));
        assert!(!has_prime_train_comment("a = 'prime train x.toml'\n"));
    }

    #[test]
    fn the_former_shared_lora_format_is_hosted_training() {
        for text in [
            "model = 'x'\nmax_steps = 5\n[[env]]\nid = 'a/b'\n",
            "model = 'x'\n[sampling]\n[eval]\n[[env]]\nid = 'a/b'\n",
            "model = 'x'\nloss = 'sft'\n[teacher]\nmodel = 'y'\n[[env]]\nid = 'a/b'\n",
            "model = 'x'\nbatch_size = 8\n[sampling]\nmax_tokens = 8\n[[orchestrator.train.env]]\nname = 'a'\n",
        ] {
            assert_eq!(guess("x.toml", text), Family::Hosted(Kind::HostedRl), "{text}");
            assert_eq!(found("configs/rl/x.toml", text), Family::Hosted(Kind::HostedRl), "{text}");
        }
        assert!(matches!(found("x.toml", "model = 'x'\n[[env]]\nid = 'a/b'\n"), Family::OtherProgram(_) | Family::Unclear));
        let optimizer = "model = 'x'\nreflection_model = 'x'\n[[env]]\nenv_id = 'a/b'\n[gepa]\n[sampling]\n";
        assert!(matches!(found("x.toml", optimizer), Family::OtherProgram(_) | Family::Unclear));
        let mistake = "model = 'x'\nbatch_size = 8\n[trainer]\n[orchestrator]\n";
        assert_eq!(found("x.toml", mistake), Family::Config(Kind::Rl));
    }
}
