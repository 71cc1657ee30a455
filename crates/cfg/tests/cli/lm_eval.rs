//! `cfg check -- lm_eval ...`: the evaluation harness next to a training run.

use crate::Folder;

/// The codes of the findings in a command, and the output.
fn found(folder: &Folder, words: &str) -> (Vec<String>, String) {
    let ended = folder.run(&format!("check -v --format json -- {words}"));
    let json: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|_| panic!("{ended:?}"));
    let findings = json["files"][0]["diagnostics"].as_array().cloned().unwrap_or_default();
    let text = |key: &'static str| move |found: &serde_json::Value| found[key].as_str().unwrap_or_default().to_owned();
    let said: Vec<String> = findings.iter().map(text("message")).collect();
    (findings.iter().map(text("code")).collect(), said.join("\n"))
}

#[test]
fn a_good_command_is_left_alone() {
    let folder = Folder::new(&[]);
    for words in [
        "lm_eval --model vllm --model_args pretrained=Qwen/Qwen3-8B,tensor_parallel_size=8,max_model_len=4096 --tasks gsm8k \
         --num_fewshot 8 --batch_size auto --seed 42 --gen_kwargs temperature=0",
        "uv run lm-eval run --model=vllm --model_args pretrained=x/y max_length=2048 --tasks mbpp -f 3 --seed=42",
        "lm_eval --config eval.yaml",
        "lm_eval --help",
        "VLLM_ALLOW_LONG_MAX_MODEL_LEN=1 lm_eval --model vllm --model_args pretrained=Qwen/Qwen3-8B,max_model_len=131072 --tasks x --seed 1",
        "lm_eval --model local-chat-completions --tasks ifeval --seed 1",
        "lm_eval --model vllm --model_args {\"pretrained\":\"x/y\"} --tasks gsm8k --seed 1",
    ] {
        assert_eq!(found(&folder, words).0, [""; 0], "{words}");
    }
}

#[test]
fn arguments_that_end_slow_or_shorten_an_evaluation_are_reported() {
    let folder = Folder::new(&[]);
    let base = "lm_eval --tasks gsm8k --seed 42 --model vllm --model_args pretrained=Qwen/Qwen3-8B";
    let mut said = String::new();
    for (words, code) in [
        (format!("{base},max_model_len=4096,tensor_parallel_size=6"), "PRL215"),
        (format!("{base},max_model_len=4096,tensor_parallel_size={}", i64::MAX), "PRL215"),
        (format!("{base},max_model_len=4096 --num_fewshot {}", i64::MAX), "PRL216"),
        (format!("{base},max_model_len=999999"), "PRL215"),
        (format!("{base},max_model_len=4096,max_length=4096"), "PRL215"),
        (base.to_owned(), "PRL216"),
        (format!("{base},max_model_len=4096 --gen_kwargs temperature=0,max_tokens=512"), "PRL216"),
        (format!("{base},max_model_len=512 --num_fewshot 8"), "PRL216"),
        (format!("{base},max_model_len=512 --gen_kwargs max_gen_toks=1024"), "PRL216"),
        ("lm_eval --model hf --model_args pretrained=x/y --tasks gsm8k --seed 42".to_owned(), "PRL216"),
        ("lm_eval --model_args pretrained=x/y --tasks gsm8k --seed 42".to_owned(), "PRL216"),
        (format!("{base},max_model_len=4096").replace(" --seed 42", ""), "PRL217"),
    ] {
        let (codes, messages) = found(&folder, &words);
        assert_eq!(codes, [code], "{words}: {messages}");
        said += &format!("{words}\n  {messages}\n");
    }
    insta::assert_snapshot!("arguments_that_harm_an_evaluation", said);
}

#[test]
fn a_program_name_inside_other_words_is_not_its_command() {
    let folder = Folder::new(&[("rl.toml", crate::MISSPELT)]);
    for words in ["uv run rl @ rl.toml --output-dir runs/lm_eval", "uv run rl @ rl.toml --output-dir runs/vf-eval"] {
        let (codes, said) = found(&folder, words);
        assert!(codes.iter().any(|code| code == "PRL101"), "{words}: {said}");
    }
}

#[test]
fn weights_that_the_index_names_must_be_there() {
    let index = "{\"weight_map\": {\"lm_head.weight\": \"model-00001-of-00001.safetensors\"}}";
    let folder = Folder::new(&[("ckpt/model.safetensors.index.json", index), ("ckpt/model.safetensors", "")]);
    let words = "lm_eval --model vllm --model_args pretrained=ckpt,max_model_len=4096 --tasks gsm8k --seed 42";
    let (codes, said) = found(&folder, words);
    assert_eq!(codes, ["PRL215"], "{said}");
    let ended = folder.run(&format!("check -- {words}"));
    assert_eq!(ended.status, Some(1), "{ended:?}");
    insta::assert_snapshot!("weights_that_the_index_names_are_missing", ended.stdout);
    std::fs::rename(folder.path.join("ckpt/model.safetensors"), folder.path.join("ckpt/model-00001-of-00001.safetensors"))
        .expect("it can be renamed");
    assert_eq!(found(&folder, words).0, [""; 0]);
}
