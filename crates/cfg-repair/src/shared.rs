//! Proposals about the value of a component that it has from a key at the top, which it shares with others.

use cfg_diag::{KeyChange, Proposal};

use crate::beside::Twice;

/// A proposal in terms of what is written: without the component that shares a key, if that is not written there but at the top.
pub(crate) fn as_written(proposal: &Proposal, text: &Twice<'_>) -> Option<Proposal> {
    let from = proposal.changes.iter().find_map(|change| match change {
        KeyChange::Move { from, .. } => Some(from),
        KeyChange::Remove { key } => Some(key),
        KeyChange::Set { .. } | KeyChange::Table { .. } => None,
    })?;
    let (component, shared) = from.split_once('.')?;
    if !matches!(component, "trainer" | "orchestrator" | "inference") || text.is_written(from) || !text.is_written(shared) {
        return None;
    }
    let prefix = format!("{component}.");
    let plain = |key: &str| key.strip_prefix(&*prefix).unwrap_or(key).to_owned();
    let said = |text: &str| text.replace(&format!("`{prefix}"), "`");
    let change = |change: &KeyChange| match change {
        KeyChange::Move { from, to } => KeyChange::Move { from: plain(from), to: plain(to) },
        KeyChange::Set { key, value } => KeyChange::Set { key: plain(key), value: value.clone() },
        KeyChange::Table { key } => KeyChange::Table { key: plain(key) },
        KeyChange::Remove { key } => KeyChange::Remove { key: plain(key) },
    };
    let mut shared = proposal.clone();
    shared.changes = proposal.changes.iter().map(change).collect();
    shared.title = said(&proposal.title);
    shared.help = proposal.help.as_deref().map(said);
    if let Some(lost) = &mut shared.lost {
        lost.keys.iter_mut().for_each(|key| *key = plain(key));
    }
    Some(shared)
}

#[cfg(test)]
mod tests {
    use cfg_diag::{FileId, Proposal};

    use super::{Twice, as_written};

    #[test]
    fn a_value_that_is_shared_is_written_at_the_top() {
        let written = |text: &str| {
            let twice = Twice::new(FileId(0), text);
            as_written(&Proposal::relocate("inference.slurm.gpus", "inference.deployment.gpus_per_node"), &twice)
        };
        let expected = Proposal::relocate("slurm.gpus", "deployment.gpus_per_node");
        assert_eq!(written("[slurm]\ngpus = 8\n"), Some(expected));
        assert_eq!(written("[inference.slurm]\ngpus = 8\n"), None);
        assert_eq!(written("[inference]\n"), None);
    }
}
