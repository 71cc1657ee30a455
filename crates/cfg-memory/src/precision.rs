//! How the weights of a served model are stored (memory model, section 3).

use crate::{architecture::Architecture, units::Bytes};

/// How a model's weights are stored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Precision {
    /// The format of its matrices.
    pub format: Format,
    /// The size of its weight files, if it is known; they have this format.
    pub on_disk: Option<Bytes>,
}

/// The formats in which vLLM serves matrices. Embedding, LM head, norms, routers, biases and towers stay in bf16 in all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// bf16 or fp16.
    Half,
    /// float32.
    Float32,
    /// 8-bit floats, with a scale for each channel, or for each block of 128 x 128.
    Fp8,
    /// 8-bit integers, with a scale for each channel or group.
    Int8,
    /// 4-bit integers in groups of 128, each with a scale and perhaps a zero point (AWQ, GPTQ, compressed-tensors).
    Int4,
    /// 4-bit floats in blocks of 32 with a scale of 8 bits; of a mixture of experts, only the experts (gpt-oss).
    Mxfp4,
    /// 4-bit floats in blocks of 16 with a scale of 8 bits.
    Nvfp4,
    /// 4-bit numbers of bitsandbytes in blocks of 64 with a float32 scale.
    Bnb4,
}

/// Bytes of a number in bf16.
const HALF: f64 = 2.0;

/// Widths of experts in MXFP4 are padded by vLLM's kernels to multiples of this: the input, and the inner width.
const MXFP4_PADDING: (f64, f64) = (256.0, 128.0);

impl Precision {
    /// bf16, which models have that aren't quantised.
    pub const HALF: Self = Self { format: Format::Half, on_disk: None };

    /// A format, without the size of files.
    pub const fn of(format: Format) -> Self {
        Self { format, on_disk: None }
    }

    /// How much more than computed the weights in vLLM's memory may be, as a share: up to 0.5 % in public logs for models in bf16 and 4 % for quantised
    /// ones, whose tools leave out different modules; those of 4-bit floats and bitsandbytes differ most.
    pub const fn excess(self) -> f64 {
        match (self.on_disk, self.format) {
            (Some(_), _) => 0.01,
            (None, Format::Half | Format::Float32) => 0.005,
            (None, Format::Fp8 | Format::Int8 | Format::Int4) => 0.04,
            (None, Format::Mxfp4 | Format::Nvfp4 | Format::Bnb4) => 0.1,
        }
    }

    /// The weights of a model in vLLM's memory, on all GPUs together.
    pub fn bytes(self, model: &Architecture) -> Bytes {
        let computed = self.format.bytes(model);
        match self.on_disk {
            // Padding is not in the files.
            Some(files) if self.format == Format::Mxfp4 => files + (computed - self.format.stored(model)),
            Some(files) => files,
            None => computed,
        }
    }
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 8] =
        [Self::Half, Self::Float32, Self::Fp8, Self::Int8, Self::Int4, Self::Mxfp4, Self::Nvfp4, Self::Bnb4];

    /// Its name in messages.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Half => "bf16",
            Self::Float32 => "float32",
            Self::Fp8 => "fp8",
            Self::Int8 => "int8",
            Self::Int4 => "4-bit integers",
            Self::Mxfp4 => "mxfp4",
            Self::Nvfp4 => "nvfp4",
            Self::Bnb4 => "bitsandbytes 4-bit",
        }
    }

    /// Whether matrices take fewer than 16 bits.
    pub const fn is_quantised(self) -> bool {
        !matches!(self, Self::Half | Self::Float32)
    }

    /// The format of a value of vLLM's `quantization`; `None` for a method whose format depends on the model's files, or that isn't known.
    pub fn of_key(key: &str) -> Option<Self> {
        Some(match key {
            "fp8" | "fbgemm_fp8" | "ptpc_fp8" | "modelopt" | "mxfp8" | "fp8_per_tensor" | "fp8_per_block" => Self::Fp8,
            "awq" | "awq_marlin" | "gptq" | "gptq_marlin" => Self::Int4,
            "experts_int8" | "tpu_int8" | "int8" => Self::Int8,
            "mxfp4" | "gpt_oss_mxfp4" => Self::Mxfp4,
            "modelopt_fp4" | "nvfp4" | "petit_nvfp4" => Self::Nvfp4,
            "bitsandbytes" => Self::Bnb4,
            _ => return None,
        })
    }

    /// Bytes of one weight of a matrix, with its part of the scales.
    pub(crate) const fn per_weight(self) -> f64 {
        match self {
            Self::Half => HALF,
            Self::Float32 => 4.0,
            Self::Fp8 | Self::Int8 => 1.0 + 0.001,
            Self::Int4 => 0.5 + 2.5 / 128.0,
            Self::Mxfp4 => 0.5 + 1.0 / 32.0,
            // A byte for each 16 numbers, or four for each 64.
            Self::Nvfp4 | Self::Bnb4 => 0.5 + 1.0 / 16.0,
        }
    }

    /// The weights of a model in files of this format.
    fn stored(self, model: &Architecture) -> Bytes {
        let all = model.parameters();
        if matches!(self, Self::Half | Self::Float32) {
            return Bytes::new(self.per_weight() * all);
        }
        let quantised = match self {
            Self::Mxfp4 if model.moe.is_some() => model.expert_parameters(),
            // Recurrent layers are mostly left in bf16.
            Self::Nvfp4 => model.matrix_parameters() - model.recurrent_matrices(),
            _ => model.matrix_parameters(),
        };
        Bytes::new(self.per_weight() * quantised + HALF * (all - quantised).max(0.0))
    }

    /// The weights of a model in vLLM's memory.
    fn bytes(self, model: &Architecture) -> Bytes {
        let stored = self.stored(model);
        match (self, model.moe) {
            (Self::Mxfp4, Some(moe)) => {
                let (hidden, inner) = (f64::from(moe.latent.unwrap_or(model.hidden)), f64::from(moe.intermediate));
                let padded = |width: f64, step: f64| (width / step).ceil() * step;
                let factor = padded(hidden, MXFP4_PADDING.0) * padded(inner, MXFP4_PADDING.1) / (hidden * inner).max(1.0);
                stored + Bytes::new(self.per_weight() * model.expert_parameters() * (factor - 1.0))
            }
            _ => stored,
        }
    }
}
