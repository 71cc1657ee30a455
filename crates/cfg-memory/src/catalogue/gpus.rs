//! Generated from `schemas/gpus.toml` by `cargo xtask generate`.

use std::borrow::Cow;

use super::{Gpu, Links, Machine, Traits};
use crate::units::Bytes;

#[rustfmt::skip]
pub(super) static GPUS: &[Gpu] = &[
    Gpu { name: Cow::Borrowed("H100"), size_gb: 80, total: Bytes::gib(79.18), aliases: &[], measured: true, lacks: None, source: Cow::Borrowed("prime-rl's benchmark runs, January 2026 (79.21 in February); recorded 2026-11-21") },
    Gpu { name: Cow::Borrowed("H200"), size_gb: 141, total: Bytes::gib(139.8), aliases: &[], measured: true, lacks: None, source: Cow::Borrowed("prime-rl's benchmark runs, January 2026; recorded 2026-11-21") },
    Gpu { name: Cow::Borrowed("B200"), size_gb: 180, total: Bytes::gib(178.35), aliases: &[], measured: true, lacks: None, source: Cow::Borrowed("prime-rl's benchmark runs, February 2026 (178.36 in January); recorded 2026-11-21") },
    Gpu { name: Cow::Borrowed("A100-80"), size_gb: 80, total: Bytes::gib(79.14), aliases: &["A100"], measured: true, lacks: None, source: Cow::Borrowed("logs of runs on A100-SXM4-80GB; recorded 2026-11-21") },
    Gpu { name: Cow::Borrowed("A100-40"), size_gb: 40, total: Bytes::gib(39.5), aliases: &["A100"], measured: false, lacks: None, source: Cow::Borrowed("PyTorch's message in github.com/TianheWu/CoSeR/issues/10; recorded 2026-11-21") },
    Gpu { name: Cow::Borrowed("A6000"), size_gb: 48, total: Bytes::gib(47.4), aliases: &["RTX A6000"], measured: true, lacks: None, source: Cow::Borrowed("prime-rl's benchmark runs, January 2026 (47.54 in February); recorded 2026-11-21") },
    Gpu { name: Cow::Borrowed("RTX 6000 Ada"), size_gb: 48, total: Bytes::gib(44.43), aliases: &["6000 Ada"], measured: false, lacks: None, source: Cow::Borrowed("PyTorch's message in github.com/DINGYANB/MTVCrafter/issues/21, with ECC; recorded 2026-11-21") },
    Gpu { name: Cow::Borrowed("RTX PRO 6000"), size_gb: 96, total: Bytes::gib(94.97), aliases: &["RTX PRO 6000 Blackwell", "PRO 6000"], measured: false, lacks: None, source: Cow::Borrowed("log in github.com/antirez/ds4/issues/431; recorded 2026-11-21") },
    Gpu { name: Cow::Borrowed("L40S"), size_gb: 48, total: Bytes::gib(44.42), aliases: &[], measured: false, lacks: None, source: Cow::Borrowed("PyTorch's message in github.com/stepfun-ai/Step-Video-T2V/issues/8; recorded 2026-11-21") },
    Gpu { name: Cow::Borrowed("L40"), size_gb: 48, total: Bytes::gib(44.4), aliases: &[], measured: false, lacks: None, source: Cow::Borrowed("PyTorch's message in github.com/QwenLM/Qwen3-VL/issues/2097; recorded 2026-11-21") },
    Gpu { name: Cow::Borrowed("RTX 5090"), size_gb: 32, total: Bytes::gib(31.36), aliases: &["5090"], measured: true, lacks: None, source: Cow::Borrowed("PyTorch's message in github.com/TrajectoryCrafter/TrajectoryCrafter/issues/20; recorded 2026-11-21") },
    Gpu { name: Cow::Borrowed("RTX 4090"), size_gb: 24, total: Bytes::gib(23.52), aliases: &["4090"], measured: true, lacks: None, source: Cow::Borrowed("PyTorch's message in github.com/Soul-AILab/SoulX-FlashTalk/issues/5 (23.64 in github.com/ali-vilab/VGen/issues/104); recorded 2026-11-21") },
    Gpu { name: Cow::Borrowed("RTX 3090"), size_gb: 24, total: Bytes::gib(23.69), aliases: &["3090"], measured: false, lacks: None, source: Cow::Borrowed("PyTorch's message in github.com/vllm-project/vllm/issues/2140; recorded 2026-11-21") },
    Gpu { name: Cow::Borrowed("A30"), size_gb: 24, total: Bytes::gib(23.53), aliases: &[], measured: false, lacks: None, source: Cow::Borrowed("PyTorch's message in github.com/google/RB-Modulation/issues/5; recorded 2026-11-21") },
    Gpu { name: Cow::Borrowed("L4"), size_gb: 24, total: Bytes::gib(22.03), aliases: &[], measured: false, lacks: None, source: Cow::Borrowed("PyTorch's message in github.com/ArcInstitute/evo2/issues/190; recorded 2026-11-21") },
    Gpu { name: Cow::Borrowed("T4"), size_gb: 16, total: Bytes::gib(14.58), aliases: &[], measured: false, lacks: Some("bfloat16, in which prime-rl trains and vLLM serves by default"), source: Cow::Borrowed("PyTorch's message in github.com/datawhalechina/self-llm/issues/162; recorded 2026-11-21") },
    Gpu { name: Cow::Borrowed("A10G"), size_gb: 24, total: Bytes::gib(22.2), aliases: &[], measured: false, lacks: None, source: Cow::Borrowed("PyTorch's message in github.com/XavierXiao/Dreambooth-Stable-Diffusion/issues/18, on a g5.12xlarge (22.49 in github.com/AUTOMATIC1111/stable-diffusion-webui/issues/1259); recorded 2026-11-24") },
    Gpu { name: Cow::Borrowed("A10"), size_gb: 24, total: Bytes::gib(22.18), aliases: &[], measured: false, lacks: None, source: Cow::Borrowed("PyTorch's message in github.com/OpenBMB/MiniCPM-V/issues/640; recorded 2026-11-24") },
    Gpu { name: Cow::Borrowed("V100-32"), size_gb: 32, total: Bytes::gib(31.74), aliases: &["V100"], measured: false, lacks: Some("bfloat16, in which prime-rl trains and vLLM serves by default"), source: Cow::Borrowed("PyTorch's message in github.com/liucongg/ChatGLM-Finetuning/issues/73 (31.75 in github.com/open-mmlab/mmdetection3d/issues/697); recorded 2026-11-24") },
    Gpu { name: Cow::Borrowed("V100-16"), size_gb: 16, total: Bytes::gib(15.78), aliases: &["V100"], measured: false, lacks: Some("bfloat16, in which prime-rl trains and vLLM serves by default"), source: Cow::Borrowed("PyTorch's message in github.com/kchengiva/Shift-GCN/issues/34; recorded 2026-11-24") },
    Gpu { name: Cow::Borrowed("GH200"), size_gb: 96, total: Bytes::gib(94.88), aliases: &["GH200 480GB"], measured: false, lacks: None, source: Cow::Borrowed("PyTorch's message in github.com/Lightning-AI/litgpt/issues/1892; recorded 2026-11-24") },
    Gpu { name: Cow::Borrowed("H100 NVL"), size_gb: 94, total: Bytes::gib(93.0), aliases: &[], measured: false, lacks: None, source: Cow::Borrowed("PyTorch's message in github.com/ali-vilab/VACE/issues/56; recorded 2026-11-24") },
    Gpu { name: Cow::Borrowed("H20"), size_gb: 96, total: Bytes::gib(95.0), aliases: &[], measured: false, lacks: None, source: Cow::Borrowed("PyTorch's message in github.com/modelscope/DiffSynth-Studio/issues/1238; recorded 2026-11-24") },
    Gpu { name: Cow::Borrowed("B300"), size_gb: 288, total: Bytes::gib(267.69), aliases: &[], measured: false, lacks: None, source: Cow::Borrowed("PyTorch's messages in public logs of runs on B300 SXM6, with 275,040 MiB by nvidia-smi; recorded 2026-11-24") },
    Gpu { name: Cow::Borrowed("MI300X"), size_gb: 192, total: Bytes::gib(191.69), aliases: &["Instinct MI300X"], measured: false, lacks: Some("CUDA, without which prime-rl's dependencies don't install"), source: Cow::Borrowed("PyTorch's messages in public logs of runs on it (191.98 on others); recorded 2026-11-24") },
];

#[rustfmt::skip]
pub(super) static MACHINES: &[Machine] = &[
    Machine { name: "p4de.24xlarge", gpu: "A100-80", count: 8, main_memory: Some(Bytes::gib(1152.0)), source: "field notes of a project that trains on it; AWS's instance types as github.com/aws/karpenter-provider-aws lists them (instance-types.md, August 2026); recorded 2026-11-21" },
    Machine { name: "p4d.24xlarge", gpu: "A100-40", count: 8, main_memory: Some(Bytes::gib(1152.0)), source: "named in the same notes; AWS's instance types as github.com/aws/karpenter-provider-aws lists them (instance-types.md, August 2026); recorded 2026-11-21" },
    Machine { name: "p5.48xlarge", gpu: "H100", count: 8, main_memory: Some(Bytes::gib(2048.0)), source: "AWS's instance types as github.com/aws/karpenter-provider-aws lists them (instance-types.md, August 2026); recorded 2026-11-21" },
    Machine { name: "p5.4xlarge", gpu: "H100", count: 1, main_memory: Some(Bytes::gib(256.0)), source: "AWS's instance types as github.com/aws/karpenter-provider-aws lists them (instance-types.md, August 2026); recorded 2026-11-21" },
    Machine { name: "p5e.48xlarge", gpu: "H200", count: 8, main_memory: Some(Bytes::gib(2048.0)), source: "AWS's instance types as github.com/aws/karpenter-provider-aws lists them (instance-types.md, August 2026); recorded 2026-11-21" },
    Machine { name: "p5en.48xlarge", gpu: "H200", count: 8, main_memory: Some(Bytes::gib(2048.0)), source: "AWS's instance types as github.com/aws/karpenter-provider-aws lists them (instance-types.md, August 2026); recorded 2026-11-21" },
    Machine { name: "a2-highgpu-1g", gpu: "A100-40", count: 1, main_memory: Some(Bytes::gib(85.0)), source: "github.com/GoogleCloudPlatform/cluster-toolkit, pkg/config/hardware.go, June 2026; recorded 2026-11-21" },
    Machine { name: "a2-highgpu-2g", gpu: "A100-40", count: 2, main_memory: Some(Bytes::gib(170.0)), source: "github.com/GoogleCloudPlatform/cluster-toolkit, pkg/config/hardware.go, June 2026; recorded 2026-11-21" },
    Machine { name: "a2-highgpu-4g", gpu: "A100-40", count: 4, main_memory: Some(Bytes::gib(340.0)), source: "github.com/GoogleCloudPlatform/cluster-toolkit, pkg/config/hardware.go, June 2026; recorded 2026-11-21" },
    Machine { name: "a2-highgpu-8g", gpu: "A100-40", count: 8, main_memory: Some(Bytes::gib(680.0)), source: "github.com/GoogleCloudPlatform/cluster-toolkit, pkg/config/hardware.go, June 2026; recorded 2026-11-21" },
    Machine { name: "a2-ultragpu-1g", gpu: "A100-80", count: 1, main_memory: Some(Bytes::gib(170.0)), source: "github.com/GoogleCloudPlatform/cluster-toolkit, pkg/config/hardware.go, June 2026; recorded 2026-11-21" },
    Machine { name: "a2-ultragpu-2g", gpu: "A100-80", count: 2, main_memory: Some(Bytes::gib(340.0)), source: "github.com/GoogleCloudPlatform/cluster-toolkit, pkg/config/hardware.go, June 2026; recorded 2026-11-21" },
    Machine { name: "a2-ultragpu-4g", gpu: "A100-80", count: 4, main_memory: Some(Bytes::gib(680.0)), source: "github.com/GoogleCloudPlatform/cluster-toolkit, pkg/config/hardware.go, June 2026; recorded 2026-11-21" },
    Machine { name: "a2-ultragpu-8g", gpu: "A100-80", count: 8, main_memory: Some(Bytes::gib(1360.0)), source: "github.com/GoogleCloudPlatform/cluster-toolkit, pkg/config/hardware.go, June 2026; recorded 2026-11-21" },
    Machine { name: "a3-highgpu-1g", gpu: "H100", count: 1, main_memory: Some(Bytes::gib(234.0)), source: "github.com/GoogleCloudPlatform/cluster-toolkit, pkg/config/hardware.go, June 2026; recorded 2026-11-21" },
    Machine { name: "a3-highgpu-2g", gpu: "H100", count: 2, main_memory: Some(Bytes::gib(468.0)), source: "github.com/GoogleCloudPlatform/cluster-toolkit, pkg/config/hardware.go, June 2026; recorded 2026-11-21" },
    Machine { name: "a3-highgpu-4g", gpu: "H100", count: 4, main_memory: Some(Bytes::gib(936.0)), source: "github.com/GoogleCloudPlatform/cluster-toolkit, pkg/config/hardware.go, June 2026; recorded 2026-11-21" },
    Machine { name: "a3-highgpu-8g", gpu: "H100", count: 8, main_memory: Some(Bytes::gib(1872.0)), source: "github.com/GoogleCloudPlatform/cluster-toolkit, pkg/config/hardware.go, June 2026; recorded 2026-11-21" },
    Machine { name: "a3-megagpu-8g", gpu: "H100", count: 8, main_memory: Some(Bytes::gib(1872.0)), source: "github.com/GoogleCloudPlatform/cluster-toolkit, pkg/config/hardware.go, June 2026; recorded 2026-11-21" },
    Machine { name: "a3-ultragpu-8g", gpu: "H200", count: 8, main_memory: Some(Bytes::gib(2952.0)), source: "github.com/GoogleCloudPlatform/cluster-toolkit, pkg/config/hardware.go, June 2026; recorded 2026-11-21" },
    Machine { name: "Standard_ND96asr_v4", gpu: "A100-40", count: 8, main_memory: Some(Bytes::gib(900.0)), source: "Hugging Face's list of Azure hardware (huggingface.co/docs/microsoft-azure, azure-ai/hardware); recorded 2026-11-21" },
    Machine { name: "Standard_ND96amsr_A100_v4", gpu: "A100-80", count: 8, main_memory: Some(Bytes::gib(1900.0)), source: "Hugging Face's list of Azure hardware (huggingface.co/docs/microsoft-azure, azure-ai/hardware); recorded 2026-11-21" },
    Machine { name: "Standard_ND96isr_H100_v5", gpu: "H100", count: 8, main_memory: Some(Bytes::gib(1900.0)), source: "Azure's sizes as github.com/microsoft/aspire lists them (AksNodeVmSizes.cs, 2026); recorded 2026-11-21" },
    Machine { name: "Standard_ND96isr_H200_v5", gpu: "H200", count: 8, main_memory: Some(Bytes::gib(1850.0)), source: "Azure's sizes as github.com/microsoft/aspire lists them (AksNodeVmSizes.cs, 2026); recorded 2026-11-21" },
    Machine { name: "a4-highgpu-8g", gpu: "B200", count: 8, main_memory: Some(Bytes::gib(3968.0)), source: "Google Cloud's documentation of GPU machine types; recorded 2026-11-28" },
];

#[rustfmt::skip]
pub(super) static TRAITS: &[(&str, Traits)] = &[
    ("H100", Traits { compute: (9, 0), memory: "HBM3", links: Links::NvLink }),
    ("H200", Traits { compute: (9, 0), memory: "HBM3e", links: Links::NvLink }),
    ("B200", Traits { compute: (10, 0), memory: "HBM3e", links: Links::NvLink }),
    ("A100-80", Traits { compute: (8, 0), memory: "HBM2e", links: Links::NvLink }),
    ("A100-40", Traits { compute: (8, 0), memory: "HBM2", links: Links::NvLink }),
    ("A6000", Traits { compute: (8, 6), memory: "GDDR6", links: Links::Pcie }),
    ("RTX 6000 Ada", Traits { compute: (8, 9), memory: "GDDR6", links: Links::Pcie }),
    ("RTX PRO 6000", Traits { compute: (12, 0), memory: "GDDR7", links: Links::Pcie }),
    ("L40S", Traits { compute: (8, 9), memory: "GDDR6", links: Links::Pcie }),
    ("L40", Traits { compute: (8, 9), memory: "GDDR6", links: Links::Pcie }),
    ("RTX 5090", Traits { compute: (12, 0), memory: "GDDR7", links: Links::Pcie }),
    ("RTX 4090", Traits { compute: (8, 9), memory: "GDDR6X", links: Links::Pcie }),
    ("RTX 3090", Traits { compute: (8, 6), memory: "GDDR6X", links: Links::Pcie }),
    ("A30", Traits { compute: (8, 0), memory: "HBM2", links: Links::Pcie }),
    ("L4", Traits { compute: (8, 9), memory: "GDDR6", links: Links::Pcie }),
    ("T4", Traits { compute: (7, 5), memory: "GDDR6", links: Links::Pcie }),
    ("A10G", Traits { compute: (8, 6), memory: "GDDR6", links: Links::Pcie }),
    ("A10", Traits { compute: (8, 6), memory: "GDDR6", links: Links::Pcie }),
    ("V100-32", Traits { compute: (7, 0), memory: "HBM2", links: Links::NvLink }),
    ("V100-16", Traits { compute: (7, 0), memory: "HBM2", links: Links::NvLink }),
    ("GH200", Traits { compute: (9, 0), memory: "HBM3", links: Links::NvLink }),
    ("H100 NVL", Traits { compute: (9, 0), memory: "HBM3", links: Links::Pcie }),
    ("H20", Traits { compute: (9, 0), memory: "HBM3", links: Links::NvLink }),
    ("B300", Traits { compute: (10, 3), memory: "HBM3e", links: Links::NvLink }),
];
