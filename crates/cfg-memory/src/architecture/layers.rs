//! The kinds of layer of a model, and the widths of their mixers.

use super::{Architecture, Moe, RecurrentKind};

/// Numbers of channels that attention makes of a token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Widths {
    pub(crate) query: f64,
    pub(crate) key: f64,
    pub(crate) value: f64,
    pub(crate) output: f64,
}

/// A kind of layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layer {
    pub(crate) mixer: Mixer,
    pub(crate) mlp: Mlp,
}

/// The part of a layer that mixes tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mixer {
    /// Attention to all tokens before.
    Attention,
    /// Attention to a window.
    Window,
    /// A recurrent state.
    Recurrent,
    /// A recurrent state and attention, side by side.
    Both,
    /// None: the layer is an MLP alone.
    None,
}

/// The part of a layer that works on each token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mlp {
    Dense,
    Moe(Moe),
    /// None: the layer is a mixer alone.
    None,
}

impl Architecture {
    /// Layers with attention to all tokens before.
    pub fn attention_layers(&self) -> u32 {
        let others = self.window_layers() + self.replaced_layers() + self.mlp_layers.unwrap_or(0);
        self.layers.saturating_sub(others)
    }

    /// Layers with attention to a window. If only some layers of a model are loaded, the windows are the first to go.
    pub fn window_layers(&self) -> u32 {
        let rest = self.layers.saturating_sub(self.replaced_layers() + self.mlp_layers.unwrap_or(0));
        self.window.map_or(0, |window| window.layers.min(rest))
    }

    /// Layers with a recurrent state.
    pub fn recurrent_layers(&self) -> u32 {
        self.recurrent.map_or(0, |recurrent| recurrent.layers.min(self.layers))
    }

    /// Layers with a recurrent state in place of attention.
    fn replaced_layers(&self) -> u32 {
        if self.recurrent.is_some_and(|recurrent| recurrent.beside_attention) { 0 } else { self.recurrent_layers() }
    }

    /// Layers with a mixture of experts.
    pub fn moe_layers(&self) -> u32 {
        let with_mlp = self.mlp_layers.unwrap_or(self.layers);
        self.moe.map_or(0, |moe| with_mlp.saturating_sub(moe.dense_layers))
    }

    /// The kinds of layer that occur, and how many there are of each.
    pub(crate) fn layer_kinds(&self) -> Vec<(Layer, f64)> {
        let both = self.recurrent_layers() - self.replaced_layers();
        let mixers = [
            (Mixer::Both, both),
            (Mixer::Recurrent, self.replaced_layers()),
            (Mixer::Window, self.window_layers()),
            (Mixer::Attention, self.attention_layers().saturating_sub(both)),
        ];
        let with_mlp = self.mlp_layers.unwrap_or(self.layers);
        let moe = self.moe_layers();
        let mlps = [(Mlp::Dense, with_mlp - moe.min(with_mlp)), (self.moe.map_or(Mlp::None, Mlp::Moe), moe)];
        let mut kinds = Vec::with_capacity(4);
        let mut add = |mixer, mlp, count: u32| {
            if count > 0 {
                kinds.push((Layer { mixer, mlp }, f64::from(count)));
            }
        };
        if self.mlp_layers.is_some() {
            mixers.into_iter().for_each(|(mixer, count)| add(mixer, Mlp::None, count));
            mlps.into_iter().for_each(|(mlp, count)| add(Mixer::None, mlp, count));
            return kinds;
        }
        // Which mixer stands beside which MLP only matters for the largest layer; the dense ones are mostly the first.
        let mut rest = mlps.into_iter();
        let mut mlp = rest.next();
        for (mixer, mut count) in mixers {
            while count > 0 {
                let Some((kind, left)) = mlp.as_mut() else { break };
                let taken = count.min(*left);
                add(mixer, *kind, taken);
                count -= taken;
                *left -= taken;
                if *left == 0 {
                    mlp = rest.next();
                }
            }
        }
        kinds
    }

    /// The widths of attention to all tokens.
    pub(crate) fn widths(&self) -> Widths {
        self.widths_of(Mixer::Attention)
    }

    /// The widths of a mixer; 0 without attention.
    pub(crate) fn widths_of(&self, mixer: Mixer) -> Widths {
        let window = self.window.filter(|_| mixer == Mixer::Window);
        let count = |own: Option<u32>, all: u32| f64::from(own.unwrap_or(all));
        let heads = count(window.and_then(|window| window.heads), self.heads);
        match (mixer, self.mla) {
            (Mixer::None, _) => Widths { query: 0.0, key: 0.0, value: 0.0, output: 0.0 },
            (Mixer::Recurrent, _) => self.recurrent_widths(),
            (Mixer::Both, _) => {
                let (one, other) = (self.recurrent_widths(), self.widths());
                Widths {
                    query: one.query + other.query,
                    key: one.key + other.key,
                    value: one.value + other.value,
                    output: one.output + other.output,
                }
            }
            (_, Some(mla)) => {
                let key = heads * (f64::from(mla.qk_nope) + f64::from(mla.qk_rope));
                let value = heads * f64::from(mla.value);
                Widths { query: key, key, value, output: value }
            }
            (_, None) => {
                let kv_heads = count(window.and_then(|window| window.kv_heads), self.kv_heads);
                let head_dim = count(window.and_then(|window| window.head_dim), self.head_dim);
                let value_dim = self.value_dim.map_or(head_dim, f64::from);
                let (query, output) = (heads * head_dim, heads * value_dim);
                Widths { query, key: kv_heads * head_dim, value: kv_heads * value_dim, output }
            }
        }
    }

    fn recurrent_widths(&self) -> Widths {
        let wide = |heads: u32, dim: u32| f64::from(heads) * f64::from(dim);
        match self.recurrent.map(|recurrent| recurrent.kind) {
            Some(RecurrentKind::Delta { key_heads, value_heads, key_dim, value_dim }) => {
                let (key, value) = (wide(key_heads, key_dim), wide(value_heads, value_dim));
                Widths { query: key, key, value: 2.0 * value, output: value }
            }
            Some(RecurrentKind::Mamba { heads, head_dim, groups, state }) => {
                let inner = wide(heads, head_dim);
                Widths { query: wide(groups, state), key: wide(groups, state), value: 2.0 * inner, output: inner }
            }
            Some(RecurrentKind::Convolution) => {
                let hidden = f64::from(self.hidden);
                Widths { query: hidden, key: hidden, value: hidden, output: hidden }
            }
            None => Widths { query: 0.0, key: 0.0, value: 0.0, output: 0.0 },
        }
    }

    /// Channels of a token's queries, keys and values in one layer with attention.
    pub fn attention_channels(&self) -> f64 {
        let Widths { query, key, value, .. } = self.widths();
        query + key + value
    }

    /// Channels over which attention scores a pair of tokens and sums their values: those of the queries, or half of queries and values where
    /// these differ.
    pub fn query_channels(&self) -> f64 {
        let Widths { query, output, .. } = self.widths();
        f64::midpoint(query, output)
    }
}
