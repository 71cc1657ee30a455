//! What settings and models need of a card. Generated from `schemas/needs.toml` by `cargo xtask generate`.

use super::Need;
use crate::{Effect, Kind, Part};

#[rustfmt::skip]
pub(super) static ALL: &[Need] = &[
    // flash-attention's README: Ampere, Ada, or Hopper GPUs
    Need { of: &[Part { kind: Kind::Trainer, path: "" }, Part { kind: Kind::Sft, path: "" }], keys: &["model.attn"], is: &["flash_attention_2"], not: &[], model: "", since: 0, until: u16::MAX, from: (8, 0), below: None, needs_nvlink: false, effect: Effect::Fails, says: "FlashAttention 2", cards: "Ampere or newer", instead: "choose another card; prime-rl trains in bfloat16" },
    // src/prime_rl/trainer/model.py, resolve_auto_attn: "Hopper-only FA3 kernels"; flash-attention's README
    Need { of: &[Part { kind: Kind::Trainer, path: "" }, Part { kind: Kind::Sft, path: "" }], keys: &["model.attn"], is: &["flash_attention_3"], not: &[], model: "", since: 84, until: u16::MAX, from: (9, 0), below: Some((10, 0)), needs_nvlink: false, effect: Effect::Fails, says: "FlashAttention 3", cards: "Hopper: H100, H200, GH200", instead: "write `attn = \"flash_attention_2\"`" },
    // src/prime_rl/trainer/model.py, resolve_auto_attn: workstation Blackwell lacks FA4 kernels; flash-attention's README
    Need { of: &[Part { kind: Kind::Trainer, path: "" }, Part { kind: Kind::Sft, path: "" }], keys: &["model.attn"], is: &["flash_attention_4"], not: &[], model: "", since: 161, until: u16::MAX, from: (9, 0), below: Some((12, 0)), needs_nvlink: false, effect: Effect::Fails, says: "FlashAttention 4", cards: "Hopper or Blackwell for servers: H100, H200, B200, B300", instead: "write `attn = \"flash_attention_2\"`" },
    // src/prime_rl/trainer/model.py; flash-attention's README
    Need { of: &[Part { kind: Kind::Trainer, path: "" }, Part { kind: Kind::Sft, path: "" }], keys: &["model.attn"], is: &["fa4"], not: &[], model: "", since: 161, until: 403, from: (9, 0), below: Some((12, 0)), needs_nvlink: false, effect: Effect::Fails, says: "FlashAttention 4", cards: "Hopper or Blackwell for servers: H100, H200, B200, B300", instead: "write `attn = \"flash_attention_2\"`" },
    // src/prime_rl/trainer/model.py, get_model: "GPT-OSS requires 'attn = "eager"' on non-Hopper GPUs"; #2201
    Need { of: &[Part { kind: Kind::Trainer, path: "" }, Part { kind: Kind::Sft, path: "" }], keys: &["model.attn"], is: &[], not: &["eager"], model: "gpt-oss", since: 265, until: 403, from: (9, 0), below: Some((10, 0)), needs_nvlink: false, effect: Effect::Fails, says: "the attention of gpt-oss", cards: "Hopper: H100, H200, GH200", instead: "write `attn = \"eager\"`" },
    // src/prime_rl/trainer/model.py, get_model: "GPT-OSS requires Hopper (SM 90)"; #3057
    Need { of: &[Part { kind: Kind::Trainer, path: "" }, Part { kind: Kind::Sft, path: "" }], keys: &["model.attn"], is: &[], not: &[], model: "gpt-oss", since: 403, until: u16::MAX, from: (9, 0), below: Some((10, 0)), needs_nvlink: false, effect: Effect::Fails, says: "the attention of gpt-oss", cards: "Hopper: H100, H200, GH200", instead: "train gpt-oss on Hopper, or another model" },
    // DeepGEMM's README: SM90 or SM100; #2166
    Need { of: &[Part { kind: Kind::Trainer, path: "" }, Part { kind: Kind::Sft, path: "" }], keys: &["model.fp8"], is: &["true"], not: &[], model: "", since: 296, until: 401, from: (9, 0), below: Some((12, 0)), needs_nvlink: false, effect: Effect::Fails, says: "fp8 training (DeepGEMM)", cards: "Hopper or Blackwell for servers: H100, H200, B200, B300", instead: "remove `fp8`" },
    // docs/advanced.md of prime-rl: "requires SM90+"; DeepGEMM's README: SM90 or SM100
    Need { of: &[Part { kind: Kind::Trainer, path: "" }, Part { kind: Kind::Sft, path: "" }], keys: &["model.quantization"], is: &["fp8"], not: &[], model: "", since: 401, until: u16::MAX, from: (9, 0), below: Some((12, 0)), needs_nvlink: false, effect: Effect::Fails, says: "fp8 training (DeepGEMM)", cards: "Hopper or Blackwell for servers: H100, H200, B200, B300", instead: "remove the table `quantization`" },
    // src/prime_rl/trainer/model.py, apply_quantization: "requires SM100 (Blackwell) or newer"; #2910
    Need { of: &[Part { kind: Kind::Trainer, path: "" }, Part { kind: Kind::Sft, path: "" }], keys: &["model.quantization"], is: &["mxfp8"], not: &[], model: "", since: 401, until: u16::MAX, from: (10, 0), below: None, needs_nvlink: false, effect: Effect::Fails, says: "MXFP8 training", cards: "Blackwell (SM100 or newer): B200, B300", instead: "write `type = \"fp8\"` on Hopper, or remove the table `quantization`" },
    // prime-rl's description of `moe_fused_kernel`: Blackwell (SM100) GPUs
    Need { of: &[Part { kind: Kind::Trainer, path: "" }, Part { kind: Kind::Sft, path: "" }], keys: &["model.moe_fused_kernel"], is: &["true"], not: &[], model: "", since: 454, until: u16::MAX, from: (10, 0), below: Some((11, 0)), needs_nvlink: false, effect: Effect::Fails, says: "the fused kernel for experts", cards: "Blackwell for servers: B200, B300", instead: "remove `moe_fused_kernel`" },
    // DeepEP's README: SM90 GPUs, NVLink for intranode communication; docs/advanced.md of prime-rl: binaries for H100 and H200
    Need { of: &[Part { kind: Kind::Trainer, path: "" }, Part { kind: Kind::Sft, path: "" }], keys: &["model.ep_comm_backend"], is: &["deepep"], not: &[], model: "", since: 249, until: u16::MAX, from: (9, 0), below: None, needs_nvlink: true, effect: Effect::Fails, says: "DeepEP", cards: "Hopper or Blackwell for servers, with NVLink: H100, H200, B200, B300", instead: "write `ep_comm_backend = \"torch\"`" },
    // validate_mxfp8_requires_sm100, which asks the machine on which the config is read; #3031
    Need { of: &[Part { kind: Kind::Inference, path: "" }], keys: &["vllm.quantization", "quantization"], is: &["mxfp8"], not: &[], model: "", since: 397, until: u16::MAX, from: (10, 0), below: Some((11, 0)), needs_nvlink: false, effect: Effect::Fails, says: "MXFP8 inference", cards: "Blackwell for servers: B200, B300", instead: "write `quantization = \"fp8_per_block\"`" },
    // vLLM's check_if_supports_dtype: compute capability of at least 8.0
    Need { of: &[Part { kind: Kind::Inference, path: "" }], keys: &["vllm.dtype", "model.dtype"], is: &["bfloat16"], not: &[], model: "", since: 0, until: u16::MAX, from: (8, 0), below: None, needs_nvlink: false, effect: Effect::Fails, says: "bfloat16 in vLLM", cards: "Ampere or newer", instead: "write `dtype = \"float16\"`" },
];
