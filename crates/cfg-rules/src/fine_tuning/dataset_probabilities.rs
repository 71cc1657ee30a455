//! Probabilities with which examples are drawn from the parts of a dataset. prime-rl checks only their number.

use cfg_diag::{Severity, codes};
use cfg_resolve::View;
use cfg_schema::Kind;

use super::datasets;
use crate::{Check, Context, Finding, FixKind, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::DATASET_PROBABILITIES,
    kinds: &[Kind::Sft],
    versions: VersionRange::ALL,
    fix: FixKind::None,
    check: Check::Each(check),
};

/// By how much the sum may differ from 1: `NumPy` allows the square root of the precision of a double.
const TOLERANCE: f64 = 1.49e-8;

fn check(cx: &Context<'_>) -> Vec<Finding> {
    datasets(cx).filter_map(|(path, data)| of_dataset(path, &data)).collect()
}

fn of_dataset(path: &str, data: &View<'_>) -> Option<Finding> {
    let items = data.get("probabilities")?.value.as_list()?;
    let weights: Option<Vec<f64>> = items.iter().map(|item| item.value.as_float()).collect();
    let weights = weights?;
    let parts = ["subsets", "splits"].into_iter().find_map(|key| Some(data.get(key)?.value.as_list()?.len())).unwrap_or(1);
    let finding =
        |message: String| Finding::new(message).key(format!("{path}.probabilities")).at_place(data.location("probabilities"));
    let sum: f64 = weights.iter().sum();
    if parts <= 1 {
        return Some(
            finding(format!(
                "`{path}.probabilities` has no effect: the dataset is read as a whole, so there is nothing to weigh"
            ))
            .severity(Severity::Warning)
            .help("remove it, or list the parts in `subsets` or `splits`"),
        );
    }
    if weights.len() != parts {
        return None;
    }
    if let Some(negative) = weights.iter().find(|weight| **weight < 0.0) {
        return Some(
            finding(format!("`{path}.probabilities` has {negative}: drawing from the parts ends in a ValueError"))
                .help("write probabilities of at least 0 that sum to 1"),
        );
    }
    if !sum.is_finite() || (sum - 1.0).abs() > TOLERANCE {
        return Some(
            finding(format!(
                "`{path}.probabilities` sum to {}, not to 1: drawing from the parts ends in a ValueError",
                short(sum)
            ))
            .label(format!("{} together", short(sum)))
            .help("write probabilities that sum to 1, in the order of the parts"),
        );
    }
    let never = weights.iter().position(|weight| *weight == 0.0)?;
    let is_all = data.str("stopping_strategy").is_some_and(|strategy| strategy == "all_exhausted");
    is_all.then(|| {
        finding(format!(
            "`{path}.probabilities[{never}]` is 0, but `stopping_strategy` is \"all_exhausted\": the part is never exhausted, and mixing the \
             datasets never ends"
        ))
        .help("remove the part, or write `stopping_strategy = \"first_exhausted\"`")
    })
}

/// A sum with at most six digits after the point.
fn short(sum: f64) -> String {
    let text = format!("{sum:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
