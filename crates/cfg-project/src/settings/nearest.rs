//! What was likely meant by a misspelt name.

/// The candidate that `name` most likely means: at most a third of its letters may be wrong.
pub(crate) fn nearest<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let plain = |text: &str| text.to_ascii_lowercase().replace('_', "-");
    let wanted = plain(name);
    if wanted.len() > 64 {
        return None;
    }
    let most = (wanted.chars().count() / 3).clamp(1, 4);
    let near = candidates.into_iter().filter_map(|candidate| {
        let distance = strsim::damerau_levenshtein(&wanted, &plain(candidate));
        (distance <= most && distance < candidate.len()).then_some((distance, candidate))
    });
    near.min().map(|(_, candidate)| candidate)
}

/// "did you mean ...", or all there is where nothing is near.
pub(crate) fn suggestion(name: &str, candidates: &[&str]) -> String {
    match nearest(name, candidates.iter().copied()) {
        Some(candidate) => format!("did you mean `{candidate}`?"),
        None => format!("known here: {}", candidates.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")),
    }
}
