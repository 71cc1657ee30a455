//! The number of parameters of a model.

use super::{Architecture, Layer, Mixer, Mlp, Norms, QkNorm, RecurrentKind, layers::Widths};
use crate::units::real;

impl Architecture {
    /// All parameters, with towers, and without layers that predict further tokens: neither prime-rl nor vLLM loads those by default.
    pub fn parameters(&self) -> f64 {
        let layers: f64 = self.layer_kinds().into_iter().map(|(layer, count)| count * self.layer_parameters(layer)).sum();
        let matrices = if self.tied_embeddings { 1.0 } else { 2.0 };
        layers + matrices * self.embedding_parameters() + real(self.hidden.into()) + real(self.towers) + real(self.other)
    }

    /// Parameters of the largest decoder layer.
    pub fn largest_layer_parameters(&self) -> f64 {
        self.layer_kinds().into_iter().map(|(layer, _)| self.layer_parameters(layer)).fold(0.0, f64::max)
    }

    /// Parameters of the layers for multi-token prediction: each is a decoder layer behind a projection of the embedding and the hidden state, with a
    /// norm for both and one at its end. Embedding and LM head are those of the model.
    pub fn mtp_parameters(&self) -> f64 {
        let hidden = f64::from(self.hidden);
        f64::from(self.mtp_layers) * (self.mtp_layer_parameters() + 2.0 * hidden * hidden + 3.0 * hidden)
    }

    /// Parameters of the decoder layer in one for multi-token prediction: attention, with the MLP of the last layers.
    fn mtp_layer_parameters(&self) -> f64 {
        let mlp = self.moe.map_or(Mlp::Dense, Mlp::Moe);
        self.layer_parameters(Layer { mixer: Mixer::Attention, mlp })
    }

    /// Parameters of the embedding, and of an LM head of its own.
    pub fn embedding_parameters(&self) -> f64 {
        real(self.vocab.into()) * real(self.hidden.into())
    }

    /// Weights of the layers' matrices, those that quantisation applies to: without norms, routers and biases.
    pub fn matrix_parameters(&self) -> f64 {
        let of_layer = |layer: Layer| self.mixer_matrices(layer.mixer) + self.mlp_matrices_of(layer.mlp);
        self.layer_kinds().into_iter().map(|(layer, count)| count * of_layer(layer)).sum()
    }

    /// Weights of all routed experts.
    pub fn expert_parameters(&self) -> f64 {
        let per_layer = self.moe.map_or(0.0, |moe| {
            f64::from(moe.experts)
                * f64::from(self.mlp_matrices)
                * f64::from(moe.latent.unwrap_or(self.hidden))
                * f64::from(moe.intermediate)
        });
        f64::from(self.moe_layers()) * per_layer
    }

    /// Weights of the matrices of recurrent layers.
    pub fn recurrent_matrices(&self) -> f64 {
        f64::from(self.recurrent_layers()) * self.mixer_matrices(Mixer::Recurrent)
    }

    /// Weights that each GPU of tensor parallelism has whole: routers, and what makes the latents and the index of latent attention.
    pub fn replicated_parameters(&self) -> f64 {
        let hidden = f64::from(self.hidden);
        let routers = self.moe.map_or(0.0, |moe| f64::from(self.moe_layers()) * f64::from(moe.experts) * hidden);
        let latents = self.mla.map_or(0.0, |mla| {
            let queries = mla.q_rank.map_or(0.0, f64::from);
            let down = hidden * (queries + f64::from(mla.kv_rank) + f64::from(mla.qk_rope));
            let index = mla.index.map_or(0.0, |index| {
                let (heads, dim) = (f64::from(index.heads), f64::from(index.dim));
                mla.q_rank.map_or(hidden, f64::from) * heads * dim + hidden * (dim + heads)
            });
            f64::from(self.attention_layers() + self.window_layers()) * (down + index)
        });
        routers + latents
    }

    /// Projections, biases and norms of a layer with attention; the norms of its MLP count too.
    pub fn attention_parameters(&self) -> f64 {
        self.mixer_parameters(Mixer::Attention) + self.norm_parameters()
    }

    fn layer_parameters(&self, layer: Layer) -> f64 {
        let mlp = match layer.mlp {
            Mlp::None => 0.0,
            Mlp::Dense => self.mlp_matrices_of(Mlp::Dense),
            Mlp::Moe(moe) => {
                let router = f64::from(moe.experts) * f64::from(self.hidden);
                self.mlp_matrices_of(Mlp::Moe(moe)) + router + real(moe.extra)
            }
        };
        // A layer with one part has half of the norms.
        let norms = self.norm_parameters() * if self.mlp_layers.is_some() { 0.5 } else { 1.0 };
        self.mixer_parameters(layer.mixer) + mlp + norms
    }

    /// Parameters of a layer's norms around mixer and MLP.
    fn norm_parameters(&self) -> f64 {
        let norms = match self.norms {
            Norms::Before | Norms::After => 2.0,
            Norms::Both => 4.0,
        };
        norms * f64::from(self.hidden)
    }

    /// Weights of an MLP's matrices.
    fn mlp_matrices_of(&self, mlp: Mlp) -> f64 {
        let (hidden, matrices) = (f64::from(self.hidden), f64::from(self.mlp_matrices));
        match mlp {
            Mlp::None => 0.0,
            Mlp::Dense => matrices * hidden * f64::from(self.intermediate),
            Mlp::Moe(moe) => {
                let latent = f64::from(moe.latent.unwrap_or(self.hidden));
                let routed = f64::from(moe.experts) * matrices * latent * f64::from(moe.intermediate);
                let projections = if moe.latent.is_some() { 2.0 * hidden * latent } else { 0.0 };
                routed + projections + matrices * hidden * moe.shared_width()
            }
        }
    }

    /// Parameters of a mixer, without the norms around it.
    fn mixer_parameters(&self, mixer: Mixer) -> f64 {
        let matrices = self.mixer_matrices(mixer);
        match mixer {
            Mixer::None => 0.0,
            Mixer::Both => self.mixer_parameters(Mixer::Attention) + self.mixer_parameters(Mixer::Recurrent),
            Mixer::Attention | Mixer::Window => {
                let Widths { query, key, value, .. } = self.widths_of(mixer);
                let head_dim = self.window.filter(|_| mixer == Mixer::Window).and_then(|window| window.head_dim);
                let biases = if self.qkv_bias { query + key + value } else { 0.0 }
                    + if self.output_bias { f64::from(self.hidden) } else { 0.0 };
                let qk_norm = match self.qk_norm {
                    QkNorm::None => 0.0,
                    QkNorm::Head => 2.0 * f64::from(head_dim.unwrap_or(self.head_dim)),
                    QkNorm::Full => query + key,
                };
                let latents = self.mla.map_or(0.0, |mla| {
                    let index = mla.index.map_or(0.0, |index| 2.0 * f64::from(index.dim));
                    f64::from(mla.kv_rank) + mla.q_rank.map_or(0.0, f64::from) + index
                });
                matrices + biases + qk_norm + latents + signed(self.extra_attention)
            }
            Mixer::Recurrent => {
                let Some(recurrent) = self.recurrent else { return 0.0 };
                let conv = f64::from(recurrent.conv);
                let small = match recurrent.kind {
                    RecurrentKind::Delta { key_heads, value_heads, key_dim, value_dim } => {
                        let key = f64::from(key_heads) * f64::from(key_dim);
                        let value = f64::from(value_heads) * f64::from(value_dim);
                        (2.0 * key + value) * conv + 2.0 * f64::from(value_heads) + f64::from(value_dim)
                    }
                    RecurrentKind::Mamba { heads, head_dim, groups, state } => {
                        let inner = f64::from(heads) * f64::from(head_dim);
                        let shared = 2.0 * f64::from(groups) * f64::from(state);
                        (inner + shared) * (conv + 1.0) + 3.0 * f64::from(heads) + inner
                    }
                    RecurrentKind::Convolution => f64::from(self.hidden) * conv,
                };
                matrices + small + signed(recurrent.extra)
            }
        }
    }

    /// Weights of a mixer's matrices.
    fn mixer_matrices(&self, mixer: Mixer) -> f64 {
        let hidden = f64::from(self.hidden);
        let Widths { query, key, value, output } = self.widths_of(mixer);
        match (mixer, self.mla) {
            (Mixer::None, _) => 0.0,
            (Mixer::Both, _) => self.mixer_matrices(Mixer::Attention) + self.mixer_matrices(Mixer::Recurrent),
            (Mixer::Recurrent, _) => match self.recurrent.map(|recurrent| recurrent.kind) {
                Some(RecurrentKind::Delta { value_heads, .. }) => {
                    hidden * (query + key + value + 2.0 * f64::from(value_heads)) + output * hidden
                }
                Some(RecurrentKind::Mamba { heads, .. }) => hidden * (query + key + value + f64::from(heads)) + output * hidden,
                Some(RecurrentKind::Convolution) => 4.0 * hidden * hidden,
                None => 0.0,
            },
            (_, Some(mla)) => {
                let rank = f64::from(mla.kv_rank);
                let heads = f64::from(self.heads);
                let down = hidden * (rank + f64::from(mla.qk_rope));
                let up = rank * heads * (f64::from(mla.qk_nope) + f64::from(mla.value));
                let queries = mla.q_rank.map_or(hidden * query, |rank| f64::from(rank) * (hidden + query));
                let index = mla.index.map_or(0.0, |index| {
                    let (heads, dim) = (f64::from(index.heads), f64::from(index.dim));
                    mla.q_rank.map_or(hidden, f64::from) * heads * dim + hidden * (dim + heads)
                });
                queries + down + up + index + output * hidden
            }
            (_, None) => {
                let makes_values = !(self.key_is_value && mixer == Mixer::Attention);
                hidden * (query + key + if makes_values { value } else { 0.0 }) + output * hidden
            }
        }
    }
}

/// A number of parameters that may be negative.
#[expect(clippy::cast_precision_loss, reason = "no layer has 2^53 parameters")]
fn signed(number: i64) -> f64 {
    number as f64
}
