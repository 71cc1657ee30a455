//! Supervised fine-tuning: what is trained on, how datasets are mixed, when the validation runs.

pub(crate) mod dataset_probabilities;
pub(crate) mod no_trained_role;
pub(crate) mod validation_never_runs;

use cfg_resolve::View;

use crate::Context;

/// The tables of real datasets, each with its path: that of the training, and that of the validation.
fn datasets<'a>(cx: &Context<'a>) -> impl Iterator<Item = (&'static str, View<'a>)> {
    let table = |path| Some((path, cx.view.below(path)?));
    ["data", "val.data"].into_iter().filter_map(table).filter(|(_, data)| data.exists("name"))
}
