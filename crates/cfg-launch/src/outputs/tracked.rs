//! The W&B runs of a run, from the names of their folders: `wandb/run-20260106_030000-3f9k2lq1`.

use std::path::Path;

use cfg_system::{Kind, Scope, System};

/// A run in Weights & Biases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tracked {
    /// The name of the `run_*` folder that contains it; empty for the output folder itself.
    pub of: String,
    /// Its id.
    pub id: String,
    /// When it began, from its folder's name: `20260106_030000`.
    pub began: String,
    /// Whether it was recorded offline.
    pub is_offline: bool,
}

/// The newest run in each of these folders; folders with the same id share one run.
pub(crate) fn newest(system: &dyn System, folders: &[&Path]) -> Vec<Tracked> {
    let mut found: Vec<Tracked> = Vec::new();
    for (index, folder) in folders.iter().enumerate() {
        let of = if index == 0 { String::new() } else { folder.file_name().unwrap_or_default().to_string_lossy().into_owned() };
        let entries = system.list(&folder.join("wandb"), Scope::Anywhere).unwrap_or_default();
        let folders = entries.into_iter().filter(|entry| entry.kind == Kind::Folder);
        let runs = folders.filter_map(|entry| parse(entry.name.to_str()?, &of));
        let newest = runs.max_by(|a, b| a.began.cmp(&b.began).then_with(|| a.id.cmp(&b.id)));
        found.extend(newest.filter(|run| found.iter().all(|other| other.id != run.id)));
    }
    found
}

/// Reads `run-20260106_030000-3f9k2lq1`.
fn parse(name: &str, of: &str) -> Option<Tracked> {
    let online = name.strip_prefix("run-");
    let (began, id) = online.or_else(|| name.strip_prefix("offline-run-"))?.split_once('-')?;
    let is_plain =
        |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
    let is_run = is_plain(id) && is_plain(began);
    is_run.then(|| Tracked { of: of.to_owned(), id: id.to_owned(), began: began.to_owned(), is_offline: online.is_none() })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use cfg_system::MemorySystem;

    use super::newest;

    #[test]
    fn the_newest_run_of_each_process_is_found() {
        let system = MemorySystem::with_files([
            ("/run/wandb/run-20260106_030000-old/files/x", ""),
            ("/run/wandb/run-20260107_030000-new-1/files/x", ""),
            ("/run/wandb/run-20260108_030000-$(evil)/files/x", ""),
            ("/run/wandb/debug.log", ""),
            ("/run/run_default/wandb/offline-run-20260107_030001-orch/files/x", ""),
            ("/run/run_b/wandb/run-20260107_030001-new-1/files/x", ""),
        ]);
        let folders = ["/run", "/run/run_default", "/run/run_b"].map(Path::new);
        let found: Vec<_> = newest(&system, &folders).into_iter().map(|run| (run.of, run.id, run.is_offline)).collect();
        assert_eq!(found, [(String::new(), "new-1".into(), false), ("run_default".into(), "orch".into(), true)]);
    }
}
