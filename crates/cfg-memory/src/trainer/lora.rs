//! LoRA: the number of parameters of the adapters (memory model, section 0).

use crate::architecture::{Architecture, Layer, Mixer, Mlp};

/// Low-rank adapters beside frozen weights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lora {
    /// Rank of the adapters.
    pub rank: u32,
    /// Adapters that are trained at the same time: prime-rl's `max_concurrent_runs`, 1 if that option doesn't exist.
    pub adapters: u32,
    /// The modules with an adapter.
    pub targets: Vec<LoraTarget>,
}

/// A module that can have an adapter, by prime-rl's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoraTarget {
    /// `q_proj`.
    Query,
    /// `k_proj`.
    Key,
    /// `v_proj`.
    Value,
    /// `o_proj`.
    Output,
    /// `gate_proj` of a dense MLP.
    Gate,
    /// `up_proj` of a dense MLP.
    Up,
    /// `down_proj` of a dense MLP.
    Down,
    /// `experts`: the three matrices of every routed expert. Shared experts have names of their own and get none.
    Experts,
}

impl LoraTarget {
    /// prime-rl's default targets.
    pub const DEFAULT: [Self; 8] =
        [Self::Query, Self::Key, Self::Value, Self::Output, Self::Gate, Self::Up, Self::Down, Self::Experts];

    /// prime-rl's name of the module.
    pub const fn module(self) -> &'static str {
        match self {
            Self::Query => "q_proj",
            Self::Key => "k_proj",
            Self::Value => "v_proj",
            Self::Output => "o_proj",
            Self::Gate => "gate_proj",
            Self::Up => "up_proj",
            Self::Down => "down_proj",
            Self::Experts => "experts",
        }
    }

    /// Input and output widths, added over the matrices of this name in one layer.
    fn widths(self, model: &Architecture, layer: Layer) -> f64 {
        let hidden = f64::from(model.hidden);
        // Beside attention, the projections of a recurrence have other names.
        let attention = model.widths_of(if layer.mixer == Mixer::Both { Mixer::Attention } else { layer.mixer });
        let has_attention = matches!(layer.mixer, Mixer::Attention | Mixer::Window | Mixer::Both);
        // The latent projections of MLA have other names; only queries and outputs keep their names, and queries only without a latent of their own.
        // The projections of recurrent layers have other names, too.
        let has_key_and_value = has_attention && model.mla.is_none();
        let has_query = has_attention && model.mla.is_none_or(|mla| mla.q_rank.is_none());
        let matrices = f64::from(model.mlp_matrices);
        match (self, layer.mlp) {
            (Self::Query, _) if has_query => hidden + attention.query,
            (Self::Key, _) if has_key_and_value => hidden + attention.key,
            (Self::Value, _) if has_key_and_value => hidden + attention.value,
            (Self::Output, _) if has_attention => attention.output + hidden,
            (Self::Gate, Mlp::Dense) if model.mlp_matrices < 3 => 0.0,
            (Self::Gate | Self::Up | Self::Down, Mlp::Dense) => hidden + f64::from(model.intermediate),
            (Self::Experts, Mlp::Moe(moe)) => {
                let input = f64::from(moe.latent.unwrap_or(model.hidden));
                f64::from(moe.experts) * matrices * (input + f64::from(moe.intermediate))
            }
            _ => 0.0,
        }
    }
}

impl Lora {
    /// Adapters of this rank on prime-rl's default targets.
    pub fn of_rank(rank: u32) -> Self {
        Self { rank, adapters: 1, targets: LoraTarget::DEFAULT.to_vec() }
    }

    /// Parameters of all adapters.
    pub fn parameters(&self, model: &Architecture) -> f64 {
        model.layer_kinds().into_iter().map(|(layer, count)| count * self.layer_parameters(model, layer)).sum()
    }

    /// Parameters of all adapters of the layer with the most.
    pub fn largest_layer_parameters(&self, model: &Architecture) -> f64 {
        model.layer_kinds().into_iter().map(|(layer, _)| self.layer_parameters(model, layer)).fold(0.0, f64::max)
    }

    fn layer_parameters(&self, model: &Architecture, layer: Layer) -> f64 {
        let widths: f64 = self.targets.iter().map(|target| target.widths(model, layer)).sum();
        f64::from(self.adapters) * f64::from(self.rank) * widths
    }
}

#[cfg(test)]
mod tests {
    use super::LoraTarget;

    #[test]
    fn no_module_is_named_in_the_name_of_another() {
        let names = LoraTarget::DEFAULT.map(LoraTarget::module);
        for (index, name) in names.iter().enumerate() {
            assert!(names.iter().enumerate().all(|(other, longer)| other == index || !longer.contains(name)), "{name}");
        }
    }
}
