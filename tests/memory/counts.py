"""Counts the parameters of the catalogue's models with transformers, on torch's meta device.

`python3 tests/memory/counts.py > tests/memory/counts.csv` needs torch and transformers. The shapes are those of `schemas/models`; layers, norms,
biases and experts are transformers' own. Models of kinds that are not in `KINDS` are left out.
"""

import sys
import tomllib
from pathlib import Path

import torch
from transformers import AutoConfig, AutoModelForCausalLM

MODELS = Path(__file__).parents[2] / "schemas" / "models"

# The kind of a model by a part of its name, the first that matches; `None` if transformers' class has another shape than the keys below state.
KINDS = [
    ("qwen3-next", None), ("qwen3.", None), ("-vl", None), ("-vision", None), ("qwen3-30b", "qwen3_moe"), ("qwen3-235b", "qwen3_moe"),
    ("qwen3-coder", "qwen3_moe"), ("qwen3", "qwen3"), ("57b-a14b", "qwen2_moe"), ("qwen2", "qwen2"), ("distill-qwen", "qwen2"),
    ("distill-llama", "llama"), ("llama-4", None), ("llama", "llama"), ("smollm3", "smollm3"), ("smollm2", "llama"),
    ("mixtral", "mixtral"), ("small-4", None), ("large-3", None), ("mistral", "mistral"), ("ministral", "mistral"),
    ("gemma-4", None), ("gemma-3n", None), ("gemma-3", "gemma3_text"), ("gemma-2-", "gemma2"), ("gemma-", "gemma"),
    ("olmo-hybrid", "olmo_hybrid"), ("olmo-3", "olmo3"), ("olmo-2", "olmo2"), ("olmoe", "olmoe"), ("olmo-", "olmo"), ("gpt-oss", "gpt_oss"), ("glm-4.7-flash", None), ("glm-4.1v", None),
    ("glm-4.", "glm4_moe"), ("intellect-3", "glm4_moe"), ("deepseek-v3.2", None), ("deepseek-v3", "deepseek_v3"),
    ("deepseek-v2", "deepseek_v2"), ("deepseek-llm", "llama"), ("deepseek-coder-", "llama"), ("kimi-k2", "deepseek_v3"),
    ("moonlight", "deepseek_v3"), ("phi-3.5-moe", None), ("phi-1", "phi"), ("phi-2", "phi"), ("phi-", "phi3"), ("minimax-m2", "minimax_m2"), ("seed-oss", "seed_oss"),
    ("granite-3.1-1b", "granitemoe"), ("granite-3.1-3b", "granitemoe"), ("granite-3", "granite"), ("yi-", "llama"), ("falcon3", "llama"), ("ernie-4.5-21b", "ernie4_5_moe"), ("exaone-4", "exaone4"),
    ("minicpm3", "minicpm3"), ("hunyuan-7b", "hunyuan_v1_dense"), ("hunyuan-4b", "hunyuan_v1_dense"), ("hunyuan-1.8b", "hunyuan_v1_dense"),
    ("hunyuan-0.5b", "hunyuan_v1_dense"), ("bielik", "mistral"), ("apriel-nemotron", "mistral"), ("marin-32b", "qwen3"),
    ("nanbeige4", "llama"), ("seed-x", "mistral"), ("codeqwen", "qwen2"), ("qwen/qwen-", "qwen2"),
]  # fmt: skip


def config(entry, kind):
    """The keys of a `config.json` with the shape of an entry."""
    experts, latent = entry.get("moe"), entry.get("mla")
    keys = {
        "hidden_size": entry["hidden"],
        "num_hidden_layers": entry["layers"],
        "num_attention_heads": entry["heads"],
        "num_key_value_heads": entry["kv_heads"],
        "head_dim": entry["head_dim"],
        "intermediate_size": entry["intermediate"],
        "vocab_size": entry["vocab"],
        "tie_word_embeddings": entry["tied_embeddings"],
        "max_position_embeddings": entry["context"],
        "attention_bias": bool(entry.get("qkv_bias")),
        "pad_token_id": 0,
        "bos_token_id": 0,
        "eos_token_id": 0,
    }
    if experts:
        for key in ("num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts"):
            keys[key] = experts["experts"]
        shared = experts.get("shared_experts", 0)
        keys["num_experts_per_tok"] = experts["top_k"]
        keys["moe_intermediate_size"] = experts["intermediate"]
        keys["n_shared_experts"] = shared
        keys["first_k_dense_replace"] = experts.get("dense_layers", 0)
        if kind in ("mixtral", "gpt_oss", "minimax_m2", "olmoe", "granitemoe"):
            keys["intermediate_size"] = experts["intermediate"]
        if kind == "qwen2_moe":
            keys["shared_expert_intermediate_size"] = experts.get("shared_intermediate") or experts["intermediate"] * shared
            del keys["head_dim"]
    if latent:
        keys["kv_lora_rank"] = latent["kv_rank"]
        keys["q_lora_rank"] = latent.get("q_rank")
        keys["qk_nope_head_dim"] = latent["qk_nope"]
        keys["qk_rope_head_dim"] = keys["head_dim"] = latent["qk_rope"]
        keys["v_head_dim"] = latent["value"]
    if kind == "glm4_moe":
        keys["use_qk_norm"] = entry.get("qk_norm", "none") != "none"
    if entry.get("window"):
        keys["sliding_window"] = entry["window"]["size"]
    return keys


def main():
    print("model,class,parameters")
    for path in sorted(MODELS.glob("*.toml")):
        for entry in tomllib.loads(path.read_text())["model"]:
            name = entry["ids"][0]
            kind = next((kind for part, kind in KINDS if part in name.lower()), None)
            # The layers of this class are those of its defaults.
            is_recurrent = "recurrent" in entry and kind != "olmo_hybrid"
            if kind is None or is_recurrent or "shared_kv_layers" in entry:
                continue
            with torch.device("meta"):
                model = AutoModelForCausalLM.from_config(AutoConfig.for_model(kind, **config(entry, kind)))
            count = sum(parameter.numel() for parameter in model.parameters())
            print(f"{name},{kind},{count}", flush=True)
            published = entry["parameters"] - entry.get("towers", 0)
            if abs(count / published - 1) > 0.002:
                print(f"{name}: {count}, not {published}", file=sys.stderr)


if __name__ == "__main__":
    main()
