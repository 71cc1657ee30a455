//! Facts from the `config.json` of models on the hub. If a model is not in the table, or its own file was not read, it is unknown, and nothing is
//! reported.

use cfg_diag::Order as _;
use std::sync::{
    LazyLock,
    atomic::{AtomicUsize, Ordering},
};

use cfg_memory::{architecture::Architecture, catalogue};

/// The facts about a model that rules need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Model {
    /// The model's context length in tokens: `max_position_embeddings`.
    pub context: i64,
    /// Attention heads of a layer: `num_attention_heads`.
    pub heads: i64,
    /// Size of the vocabulary in the embedding: `vocab_size`.
    pub vocab: i64,
    /// Key and value heads of a layer: `num_key_value_heads`; `None` with latent attention.
    pub kv_heads: Option<i64>,
}

/// The models whose own file was read, in the order of their names in lower case; the first of several with one name comes first.
static BY_NAME: LazyLock<Vec<(String, &'static catalogue::Model)>> = LazyLock::new(|| {
    let confirmed = catalogue::models().iter().filter(|model| model.confirmed);
    let mut models: Vec<_> = confirmed.map(|model| (model.id.to_ascii_lowercase(), model)).collect();
    models.order_by(|(one, _), (other, _)| one.cmp(other));
    models
});

/// How often models were searched for. The order of all names takes as long as this many searches without it, and most commands check few configs.
static SEARCHES: AtomicUsize = AtomicUsize::new(0);
const FEW: usize = 32;

/// The model of this name.
pub fn find(name: &str) -> Option<Model> {
    // The catalogue's own search is not used: it looks for similar names if it does not know the name.
    if SEARCHES.fetch_add(1, Ordering::Relaxed) < FEW {
        let is_it = |model: &&catalogue::Model| model.confirmed && model.id.eq_ignore_ascii_case(name);
        return of_architecture(catalogue::models().iter().find(is_it)?.architecture);
    }
    let name = name.to_ascii_lowercase();
    let at = BY_NAME.partition_point(|(known, _)| *known < name);
    let (_, model) = BY_NAME.get(at).filter(|(known, _)| *known == name)?;
    of_architecture(model.architecture)
}

/// The facts from a model's shape; `None` if a number is too large for `i64`.
pub fn of_architecture(architecture: &Architecture) -> Option<Model> {
    let kv_heads = architecture.mla.is_none().then_some(i64::from(architecture.kv_heads));
    let context = i64::try_from(architecture.context.0).ok()?;
    Some(Model { context, heads: i64::from(architecture.heads), vocab: i64::from(architecture.vocab), kv_heads })
}

#[cfg(test)]
mod tests {
    use super::{Model, find};

    #[test]
    fn a_model_is_found_by_its_full_name_in_any_case() {
        let known = Some(Model { context: 32_768, heads: 28, vocab: 152_064, kv_heads: Some(4) });
        // Searched one by one, and then in their order.
        for _ in 0..=super::FEW {
            assert_eq!(find("Qwen/Qwen2.5-7B-Instruct"), known);
            assert_eq!(find("qwen/qwen2.5-7b-instruct"), known);
        }
        assert_eq!(find("Qwen/Qwen2.5"), None);
        assert_eq!(find("PrimeIntellect/INTELLECT-3"), None, "its own file was not seen");
    }
}
