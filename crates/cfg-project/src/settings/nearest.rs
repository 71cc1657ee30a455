//! Suggestions for a misspelt name.

/// The candidate that was most probably meant by `name`: one is a prefix of the other (`warn`, `integer`), or at most a third of the letters differ.
pub(crate) fn nearest<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let plain = |text: &str| text.to_ascii_lowercase().replace('_', "-");
    let wanted = plain(name);
    if wanted.len() > 64 {
        return None;
    }
    let most = (wanted.chars().count() / 3).clamp(1, 4);
    let near = candidates.into_iter().filter_map(|candidate| {
        let known = plain(candidate);
        if wanted.len() >= 3 && (known.starts_with(&wanted) || known.len() >= 3 && wanted.starts_with(&known)) {
            return Some((1, candidate));
        }
        let distance = strsim::damerau_levenshtein(&wanted, &known);
        (distance <= most && distance < candidate.len()).then_some((distance, candidate))
    });
    near.min().map(|(_, candidate)| candidate)
}

/// "did you mean ...", or all candidates if none is similar.
pub(crate) fn suggestion(name: &str, candidates: &[&str]) -> String {
    match nearest(name, candidates.iter().copied()) {
        Some(candidate) => format!("did you mean `{candidate}`?"),
        None => format!("expected one of: {}", candidates.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")),
    }
}
