//! The texts that the benchmarks run on. `cargo bench -p cfg-benches` measures functions, `benches/peers.py` whole processes.

use std::{fmt::Write as _, fs, path::Path};

/// A config of the repository, with the prime-rl it is written for and its kind.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// How results name it.
    pub name: &'static str,
    /// Its path from the root of the repository.
    pub path: &'static str,
}

impl std::fmt::Display for Sample {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name)
    }
}

/// One config of every kind, and of every version that the repository has configs for.
pub const SAMPLES: [Sample; 9] = [
    Sample { name: "rl, 0.3.0", path: "configs/prime-rl/beautiful-soup-env.toml" },
    Sample { name: "rl, d564195ca", path: "configs/prime-rl/qwen3-8b-2xh100.toml" },
    Sample { name: "rl, 0.6.0", path: "configs/prime-rl/qwen3-8b-2xh100-v060.toml" },
    Sample { name: "rl, 0.8.0", path: "configs/prime-rl/qwen3-8b-2xh100-v080.toml" },
    Sample { name: "trainer, 0.8.0", path: "configs/prime-rl/qwen2.5-7b-h100-v080/train.toml" },
    Sample { name: "orchestrator, 0.8.0", path: "configs/prime-rl/qwen2.5-7b-h100-v080/orch.toml" },
    Sample { name: "orchestrator, 6b01ba5ae", path: "configs/swe-grep-oss/rl/orch.toml" },
    Sample { name: "inference, 0.8.0", path: "configs/prime-rl/qwen2.5-7b-h100-v080/infer.toml" },
    Sample { name: "sft, 0.8.0", path: "configs/prime-rl/qwen3-0.6b-reverse-text-sft.toml" },
];

/// The config that stands for all where one is enough.
pub const TYPICAL: Sample = SAMPLES[1];

impl Sample {
    /// Its text.
    ///
    /// # Panics
    /// Where the checkout is not complete.
    pub fn text(self) -> String {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(self.path);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", self.path))
    }
}

/// A valid rl config for 0.3.0 of 2,003 lines: 250 environments of eight lines.
pub fn long() -> String {
    let mut text = "# /// config\n# prime_rl = \"0.3.0\"\n# ///\n".to_owned();
    for number in 0..250 {
        // Writing to a string does not fail.
        let _ = write!(
            text,
            "[[orchestrator.env]]\nid = \"seconds-0/environment-{number}\"  # one of many\n\n[orchestrator.env.args]\nseed = {number}\n\
             timeout_s = {number}.5\ntools = [\"search\", \"read\", \"grep\"]\n\n"
        );
    }
    text
}

/// [`long`] with an array that is left open in its tenth line, and a half-typed key in every environment.
pub fn broken() -> String {
    let open = long().replacen("tools = [\"search\", \"read\", \"grep\"]", "tools = [\"search\", \"read\"", 1);
    open.replace("# one of many\n", "# one of many\nhalf_typed\n")
}

/// [`long`] with a misspelt key in every environment and a wrong value in every second one: several hundred findings.
pub fn faulty() -> String {
    long().replace("# one of many\n", "# one of many\nidd = 1\n").replacen("id = ", "id = 7 #", 125)
}
