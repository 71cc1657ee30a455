//! Whose program a traceback is of. A run's logs contain those of prime-rl and of what it starts; a log that somebody passes alone may be that of another
//! trainer, or of a script.

/// Whose code the places of tracebacks are in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Programs {
    /// prime-rl, or one of its libraries.
    own: bool,
    /// Another trainer.
    trainer: bool,
    /// It begins in a script that prime-rl does not start.
    script: bool,
}

/// Texts in the paths of prime-rl's own code, and of verifiers'.
const OWN: [&str; 4] = ["prime_rl", "prime-rl", "/verifiers/", "verifiers/v1/"];

/// Texts in the paths of the programs that prime-rl starts, and of what starts those.
const STARTED: [&str; 9] = [
    "/vllm/",
    "/bin/",
    "/torch/distributed/",
    "site-packages/",
    "dist-packages/",
    "<frozen ",
    "<string>",
    "/multiprocessing/",
    "lib/python",
];

/// Texts in the paths of other trainers. None of them is a part of prime-rl.
const TRAINERS: [&str; 13] = [
    "/trl/",
    "/verl/",
    "/openrlhf/",
    "/skyrl",
    "/slime/",
    "/axolotl/",
    "/llamafactory/",
    "/open_r1/",
    "/nemo_rl/",
    "/unsloth/",
    "/swift/llm/",
    "/megatron/training/",
    "/transformers/trainer.py",
];

impl Programs {
    /// Records a place of a traceback: `File "/app/train.py", line 3, in <module>`. `is_first` is that of its top.
    pub(crate) fn place(&mut self, place: &str, is_first: bool) {
        let Some(path) = place.strip_prefix("File \"").and_then(|rest| rest.split('"').next()) else { return };
        let path = path.to_ascii_lowercase();
        let has = |texts: &[&str]| texts.iter().any(|text| path.contains(text));
        self.own |= has(&OWN);
        self.trainer |= has(&TRAINERS) && !has(&OWN);
        self.script |= is_first && place.ends_with(", in <module>") && !has(&OWN) && !has(&STARTED);
    }

    /// Adds the places of another traceback.
    pub(crate) fn add(&mut self, other: Self) {
        self.own |= other.own;
        self.trainer |= other.trainer;
        self.script |= other.script;
    }

    /// Whether the tracebacks are those of another trainer.
    pub(crate) const fn is_trainer(self) -> bool {
        self.trainer && !self.own
    }

    /// Whether they are those of a script.
    pub(crate) const fn is_script(self) -> bool {
        self.script && !self.own
    }
}

#[cfg(test)]
mod tests {
    use super::Programs;

    fn of(places: &[&str]) -> Programs {
        let mut programs = Programs::default();
        for (at, place) in places.iter().enumerate() {
            programs.place(place, at == 0);
        }
        programs
    }

    #[test]
    fn other_trainers_and_scripts_are_told_from_prime_rl() {
        let trl = of(&[
            "File \"/code/grpo.py\", line 9, in <module>",
            "File \"/x/site-packages/trl/trainer/grpo_trainer.py\", line 1, in train",
        ]);
        assert!(trl.is_trainer() && trl.is_script());
        let script =
            of(&["File \"/home/me/analyse.py\", line 9, in <module>", "File \"/x/site-packages/pandas/io.py\", line 1, in read"]);
        assert!(!script.is_trainer() && script.is_script());
        for own in [
            &["File \"/app/.venv/bin/trainer\", line 9, in <module>", "File \"/x/transformers/trainer.py\", line 1, in f"][..1],
            &["File \"/home/me/launch.py\", line 9, in <module>", "File \"/app/src/prime_rl/entrypoints/rl.py\", line 1, in rl"],
            &["File \"/app/site-packages/vllm/v1/engine/core.py\", line 9, in run"],
            &["File \"<frozen runpy>\", line 198, in _run_module_as_main"],
        ] {
            assert!(!of(own).is_trainer() && !of(own).is_script(), "{own:?}");
        }
    }
}
