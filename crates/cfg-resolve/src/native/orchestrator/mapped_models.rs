//! The models for which the `renderers` package has a renderer.

use cfg_schema::Point;

use crate::tables::{LATER_RENDERERS as LATER, RENDERERS as MODELS};

/// The names of all of them.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    MODELS.iter().map(|(name, ..)| *name).chain(LATER.iter().map(|(name, ..)| *name))
}

/// Whether a model has its own renderer at a point. Names must match exactly.
pub(in crate::native) fn is_mapped(model: &str, point: Point) -> bool {
    MODELS.binary_search_by_key(&model, |(name, ..)| name).is_ok_and(|place| point.has(MODELS[place].1))
}

/// The renderer for a model, under its name in later versions of the package.
pub(in crate::native) fn renderer(model: &str) -> Option<&'static str> {
    let mapped = MODELS.binary_search_by_key(&model, |(name, ..)| name).map(|place| MODELS[place].2);
    mapped.ok().or_else(|| later(model).map(|(renderer, _)| renderer))
}

/// For a model that only later releases of the package support: its renderer, and the first of these releases.
pub(in crate::native) fn later(model: &str) -> Option<(&'static str, &'static str)> {
    let place = LATER.binary_search_by_key(&model, |(name, ..)| name).ok()?;
    Some((LATER[place].1, LATER[place].2))
}

/// What to do about a model without a renderer , which is to update the package if a later release has one.
pub(in crate::native) fn advice(model: &str, otherwise: &str) -> String {
    match later(model) {
        Some((renderer, release)) => format!(
            "the renderers package has \"{renderer}\" for it from {release} on, and this prime-rl comes with an older one: use a newer \
             prime-rl, or {otherwise}"
        ),
        None => otherwise.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use cfg_schema::{Behaviour, History};

    use super::*;

    #[test]
    fn models_of_the_first_table_are_not_in_the_later_one() {
        assert!(LATER.iter().all(|(name, ..)| MODELS.binary_search_by_key(name, |(name, ..)| name).is_err()));
    }

    #[test]
    fn a_model_is_known_from_its_point_on() {
        assert!(is_mapped("Qwen/Qwen3-0.6B", Behaviour::Always.since()));
        assert!(!is_mapped("tencent/Hy3", Behaviour::LaunchersVariables.since()));
        assert!(is_mapped("tencent/Hy3", Behaviour::RenderersHy3.since()));
        assert!(!is_mapped("qwen/qwen3-0.6b", History::built_in().newest()));
        assert!(!is_mapped("Qwen/Qwen3.8-27B", History::built_in().newest()));
    }

    #[test]
    fn a_model_of_a_later_release_names_the_release() {
        assert_eq!(renderer("Qwen/Qwen3-4B"), Some("qwen3"));
        assert_eq!(renderer("zai-org/GLM-5.3"), Some("glm-5.3"));
        assert!(advice("zai-org/GLM-5.3", "wait").contains("from 0.1.12 on"));
        assert_eq!(advice("Qwen/Qwen3-4B", "wait"), "wait");
    }
}
