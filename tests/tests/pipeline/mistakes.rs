//! Configs with the mistakes that coding agents make, generated from right ones: names of other trainers, other versions, other tables, values in the
//! wrong form, syntax of other languages. The same number always makes the same config.

use cfg_schema::Kind;
use cfg_tests::workspace;

use super::advice::Case;

/// Right configs, with their kinds and targets.
const RIGHT: [(&str, Kind, &str); 7] = [
    (
        "0.4.0",
        Kind::Rl,
        "max_steps = 100\n[model]\nname = \"Qwen/Qwen3-0.6B\"\n[ckpt]\ninterval = 50\n[wandb]\nproject = \"p\"\n[trainer.model]\nseq_len = 2048\n\
         attn = \"flash_attention_2\"\n[trainer.optim]\nlr = 1e-6\nweight_decay = 0.01\n[orchestrator]\nbatch_size = 128\n\
         rollouts_per_example = 8\nseq_len = 2048\n[orchestrator.sampling]\nmax_tokens = 512\ntemperature = 0.9\n[[orchestrator.env]]\n\
         id = \"primeintellect/reverse-text\"\n[inference.model]\nmax_model_len = 2048\n",
    ),
    (
        "0.6.0",
        Kind::Rl,
        "max_steps = 100\nseq_len = 2048\n[model]\nname = \"Qwen/Qwen3-0.6B\"\n[ckpt]\ninterval = 50\nkeep_last = 2\n[trainer.optim]\n\
         lr = 1e-6\n[trainer.scheduler]\ntype = \"cosine\"\nwarmup_steps = 10\n[orchestrator]\nbatch_size = 128\ngroup_size = 8\n\
         [orchestrator.train.sampling]\nmax_completion_tokens = 512\n[[orchestrator.train.env]]\nid = \"primeintellect/reverse-text\"\n\
         [inference]\ngpu_memory_utilization = 0.8\n[inference.parallel]\ntp = 1\n",
    ),
    (
        "0.8.0",
        Kind::Rl,
        "max_steps = 100\nseq_len = 2048\n[model]\nname = \"Qwen/Qwen3-0.6B\"\n[wandb]\nproject = \"p\"\nname = \"n\"\n[deployment]\n\
         num_train_gpus = 1\nnum_infer_gpus = 1\n[trainer.model.lora]\nrank = 16\nalpha = 32\n[trainer.optim]\nlr = 1e-6\n\
         [orchestrator]\nbatch_size = 128\ngroup_size = 8\n[orchestrator.train.sampling]\nmax_completion_tokens = 512\ntemperature = 0.9\n\
         [[orchestrator.train.source]]\n[orchestrator.train.source.legacy]\nid = \"primeintellect/reverse-text\"\n[inference.model]\n\
         max_model_len = 2048\n",
    ),
    (
        "main",
        Kind::Rl,
        "max_steps = 100\nseq_len = 2048\n[model]\nname = \"Qwen/Qwen3-0.6B\"\n[monitors.wandb]\nproject = \"p\"\n[ckpt]\ninterval = 50\n\
         [trainer.optim]\nlr = 1e-6\nmax_norm = 1.0\n[orchestrator]\nbatch_size = 128\ngroup_size = 8\n[orchestrator.train.sampling]\n\
         max_completion_tokens = 512\n[[orchestrator.train.source]]\nenv.taskset.id = \"primeintellect/reverse-text\"\n[inference.vllm]\n\
         max_model_len = 2048\ngpu_memory_utilization = 0.8\n",
    ),
    (
        "0.8.0",
        Kind::Sft,
        "max_steps = 100\n[model]\nname = \"Qwen/Qwen3-0.6B\"\nattn = \"flash_attention_2\"\n[data]\nname = \"PrimeIntellect/Reverse-Text-SFT\"\n\
         seq_len = 2048\nbatch_size = 32\n[optim]\nlr = 1e-5\nweight_decay = 0.01\n[scheduler]\ntype = \"linear\"\nwarmup_steps = 10\n[ckpt]\n\
         interval = 50\n",
    ),
    (
        "main",
        Kind::Inference,
        "[vllm]\nmodel = \"Qwen/Qwen3-0.6B\"\nmax_model_len = 4096\ngpu_memory_utilization = 0.9\ntensor_parallel_size = 1\n[server]\n\
         host = \"0.0.0.0\"\nport = 8000\n",
    ),
    (
        "0.8.0",
        Kind::Trainer,
        "max_steps = 100\n[model]\nname = \"Qwen/Qwen3-0.6B\"\nseq_len = 2048\n[model.lora]\nrank = 8\n[optim]\nlr = 1e-6\n[ckpt]\ninterval = 50\n",
    ),
];

/// The versions for which a config of another one is given.
const VERSIONS: [&str; 6] = ["0.4.0", "0.5.0", "0.6.0", "0.7.0", "0.8.0", "main"];

/// Tables of other trainers.
const FOREIGN: [&str; 8] = [
    "[actor_rollout_ref.rollout]\nn = 8\ntemperature = 0.8\n",
    "[actor_rollout_ref.actor.optim]\nlr = 1e-6\nlr_warmup_steps = 10\n",
    "[grpo_config]\nlearning_rate = 1e-6\nnum_generations = 8\nbeta = 0.0\n",
    "[training_args]\nlearning_rate = 1e-5\nsave_steps = 50\nwarmup_ratio = 0.1\n",
    "[generator]\nn_samples_per_prompt = 8\n[generator.sampling_params]\nmax_generate_length = 512\n",
    "[policy.optimizer.kwargs]\nlr = 1e-6\n",
    "[training]\nsteps = 200\nmax_norm = 0.5\n",
    "[lora_config]\nr = 16\nlora_alpha = 32\n",
];

/// Numbers that look random, always the same ones for a seed.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % end.max(1)
    }

    fn one_of<'t, T>(&mut self, all: &'t [T]) -> &'t T {
        &all[self.below(all.len())]
    }
}

/// The words of other trainers for keys of prime-rl that take the same value: the last part of the key, and the word.
fn words() -> Vec<(String, String)> {
    let text = std::fs::read_to_string(workspace().join("schemas/synonyms.toml")).expect("the words");
    let all: toml::Table = text.parse().expect("TOML");
    let texts = |table: &toml::Value, name: &str| -> Vec<String> {
        let list = table.get(name).and_then(toml::Value::as_array).into_iter().flatten();
        list.filter_map(toml::Value::as_str).map(str::to_owned).collect()
    };
    let of_setting = |table: &toml::Value| {
        let is_same = table.get("same").and_then(toml::Value::as_bool) == Some(true);
        let keys = texts(table, "keys").into_iter().filter(|_| is_same);
        let last: Vec<String> = keys.filter_map(|key| key.rsplit('.').next().map(str::to_owned)).collect();
        let words = texts(table, "words").into_iter().filter(|word| !word.contains('.'));
        words.flat_map(|word| last.iter().map(|key| (key.clone(), word.clone())).collect::<Vec<_>>()).collect::<Vec<_>>()
    };
    all["setting"].as_array().expect("settings").iter().flat_map(of_setting).collect()
}

/// This many configs with one to three mistakes each.
pub(crate) fn generated(count: u64) -> Vec<Case> {
    let words = words();
    (0..count).map(|seed| one(seed, &words)).collect()
}

fn one(seed: u64, words: &[(String, String)]) -> Case {
    let mut numbers = Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x35);
    let (target, kind, text) = *numbers.one_of(&RIGHT);
    let mut target = target;
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for _ in 0..=numbers.below(3) {
        match numbers.below(8) {
            // A config for another version, as it was right there.
            0 if kind == Kind::Rl => target = *numbers.one_of(&VERSIONS),
            1 => lines.extend(numbers.one_of(&FOREIGN).lines().map(str::to_owned)),
            2 => in_another_table(&mut lines, &mut numbers),
            3 => with_header(&mut lines, &mut numbers),
            4 | 5 => with_other_key(&mut lines, &mut numbers, words),
            _ => with_other_value(&mut lines, &mut numbers),
        }
    }
    Case { name: format!("mistakes-{seed}.toml"), text: lines.join("\n") + "\n", kind: Some(kind), target: target.to_owned() }
}

/// The indices of lines with a key and a value.
fn pairs(lines: &[String]) -> Vec<usize> {
    (0..lines.len()).filter(|at| !lines[*at].starts_with('[') && lines[*at].contains(" = ")).collect()
}

fn in_another_table(lines: &mut Vec<String>, numbers: &mut Numbers) {
    let line = lines.remove(*numbers.one_of(&pairs(lines)));
    let headers: Vec<usize> = (0..lines.len()).filter(|at| lines[*at].starts_with('[')).collect();
    let after = *numbers.one_of(&headers) + 1;
    lines.insert(after, line);
}

fn with_header(lines: &mut Vec<String>, numbers: &mut Numbers) {
    let headers: Vec<usize> = (0..lines.len()).filter(|at| lines[*at].starts_with('[')).collect();
    let at = *numbers.one_of(&headers);
    let header = lines[at].clone();
    lines[at] = match numbers.below(4) {
        0 if !header.starts_with("[[") => format!("[{header}]"),
        0 => header[1..header.len() - 1].to_owned(),
        1 => misspelt(&header, numbers),
        2 => {
            lines.push(header.clone());
            header
        }
        _ => header.trim_end_matches(']').to_owned() + "]",
    };
}

fn with_other_key(lines: &mut [String], numbers: &mut Numbers, words: &[(String, String)]) {
    let at = *numbers.one_of(&pairs(lines));
    let Some((key, value)) = lines[at].split_once(" = ") else { return };
    let known: Vec<&String> = words.iter().filter(|(own, _)| own == key).map(|(_, word)| word).collect();
    let other = match numbers.below(5) {
        0 => key.replace('_', "-"),
        1 => misspelt(key, numbers),
        2 => {
            let mut parts = key.split('_');
            let first = parts.next().unwrap_or_default().to_owned();
            parts.fold(first, |all, part| format!("{all}{}{}", part[..1].to_ascii_uppercase(), &part[1..]))
        }
        _ if known.is_empty() => format!("\"{key}\""),
        _ => (*numbers.one_of(&known)).clone(),
    };
    lines[at] = format!("{other} = {value}");
}

fn with_other_value(lines: &mut [String], numbers: &mut Numbers) {
    let at = *numbers.one_of(&pairs(lines));
    let Some((key, value)) = lines[at].split_once(" = ") else { return };
    let plain = value.trim_matches('"');
    lines[at] = match numbers.below(9) {
        0 => format!("{key} = \"{plain}\""),
        1 => format!("{key} = None"),
        2 => format!("{key}: {value}"),
        3 => format!("{key} = {value},"),
        4 => format!("{key} = {plain}"),
        5 => format!("{key} = \"{}\"", plain.to_ascii_uppercase()),
        6 => format!("{key} = \"{plain}k\""),
        7 => format!("{key} = [{value}]"),
        _ => format!("{key} = \"${{{}:-{plain}}}\"", key.to_ascii_uppercase()),
    };
}

/// A name with two of its letters swapped.
fn misspelt(name: &str, numbers: &mut Numbers) -> String {
    let mut letters: Vec<char> = name.chars().collect();
    let places: Vec<usize> = (1..letters.len().saturating_sub(1))
        .filter(|at| {
            letters[*at].is_ascii_alphabetic() && letters[*at - 1].is_ascii_alphabetic() && letters[*at] != letters[*at - 1]
        })
        .collect();
    if !places.is_empty() {
        let at = *numbers.one_of(&places);
        letters.swap(at - 1, at);
    }
    letters.into_iter().collect()
}
