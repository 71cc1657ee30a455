//! Stored texts that a merge has mixed with a config. A stored text is equal to its config, so that git may take a new one for a config that was renamed:
//! then the other side's changes of the config are at the stored text, and not at the config.

use std::path::{Path, PathBuf};

use cfg_diag::word;
use cfg_project::{Unmerged, commits_that_added, git_show, work_tree};
use cfg_registry::{
    Registry,
    fingerprint::Digest,
    merge::sides,
    place,
    store::{FILE_NAME, Kept, Replace},
};
use cfg_system::Role;

use super::{Texts, by_hand::Changes, merged};
use crate::context::Context;

/// The commits of which a merge, a rebase, a cherry-pick or a revert that stopped may have the text.
const COMMITS: [&str; 6] = ["HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REBASE_HEAD", "REVERT_HEAD", "stash@{0}"];

/// The file of a stored text.
pub(in crate::commands::registry) struct StoredText {
    pub(super) path: PathBuf,
    /// The registry that it belongs to.
    pub(super) registry: PathBuf,
    digest: Digest,
}

/// What became of a stored text.
#[derive(Default)]
pub(super) struct Mended {
    /// The names of the files that are merged.
    pub(super) merged: Vec<String>,
    /// What a person must look at.
    pub(super) open: Vec<String>,
}

impl StoredText {
    /// The stored text at a path; `None` for another file.
    pub(in crate::commands::registry) fn named(path: &Path) -> Option<Self> {
        let digest = path.file_name()?.to_str()?.parse().ok()?;
        let folder = path.parent()?.parent()?.parent()?;
        let registry = folder.join(FILE_NAME);
        (path.parent()? == folder.join(".cfg").join("objects")).then(|| Self { path: path.to_owned(), registry, digest })
    }

    /// Restores the text, and merges the config that git took for the former name of this file.
    pub(super) fn mend(&self, cx: &Context, stages: Option<&Unmerged>, changes: &mut Changes) -> Result<Mended, String> {
        let name = cx.system.shown(&self.path);
        let objects = stages.map(|stages| stages.objects.clone()).unwrap_or_default();
        let texts = objects.map(|object| git_show(&*cx.system, Path::new("."), object.as_deref()?));
        let is_it = |bytes: &Vec<u8>| Digest::of(bytes) == self.digest;
        let bytes = texts.iter().flatten().find(|bytes| is_it(bytes)).cloned().or_else(|| self.in_commits(cx).find(is_it));
        let bytes = bytes.ok_or_else(|| format!("{name}: git has the text in none of the commits that it is merging"))?;
        changes.objects.push(Kept { bytes, like: None });
        let mut mended = Mended { merged: vec![name], open: Vec::new() };
        if let [base, Some(ours), Some(theirs)] = &texts
            && is_it(ours) != is_it(theirs)
        {
            let other = if is_it(ours) { theirs } else { ours };
            let base = base.as_deref().unwrap_or_default();
            if other.as_slice() != base {
                self.config(cx, base, other, is_it(ours), changes, &mut mended)?;
            }
        }
        Ok(mended)
    }

    /// The text, from the commit of any branch that has it.
    pub(in crate::commands::registry) fn in_git(&self, cx: &Context) -> Option<Vec<u8>> {
        self.in_commits(cx).find(|bytes| Digest::of(bytes) == self.digest)
    }

    fn in_commits<'c>(&'c self, cx: &'c Context) -> impl Iterator<Item = Vec<u8>> + 'c {
        let top = work_tree(&*cx.system, Path::new(".")).ok();
        let below = top.as_ref().and_then(|top| Some(self.path.strip_prefix(top).ok()?.to_str()?.replace('\\', "/")));
        let of_merge = below.clone().into_iter().flat_map(|below| COMMITS.map(|commit| format!("{commit}:{below}")));
        // `git merge --squash` does not keep the commit that it merges.
        let of_others = below.into_iter().flat_map(move |below| {
            let commits = commits_that_added(&*cx.system, top.as_deref().unwrap_or(Path::new(".")), &below);
            commits.into_iter().map(move |commit| format!("{commit}:{below}"))
        });
        of_merge.chain(of_others).filter_map(|object| git_show(&*cx.system, Path::new("."), &object))
    }

    /// Merges the config of which this is the text of a version. `is_ours` is whether our side renamed it; the other text is that of the other side.
    fn config(
        &self,
        cx: &Context,
        base: &[u8],
        other: &[u8],
        is_ours: bool,
        changes: &mut Changes,
        mended: &mut Mended,
    ) -> Result<(), String> {
        let (Ok(base), Ok(other)) = (std::str::from_utf8(base), std::str::from_utf8(other)) else { return Ok(()) };
        let Some(file) = self.file(cx, changes) else { return Ok(()) };
        let name = cx.system.shown(&file);
        if !cx.system.is_file(&file) {
            let written = word(&name);
            mended.open.push(format!(
                "{name}: one side deleted it, and the other changed it: it has the changed text again; `git add {written}` keeps it, \
                 `rm {written}` leaves it deleted"
            ));
            changes.files.push(Replace { path: file, old: None, new: Some(other.to_owned()) });
            return Ok(());
        }
        let planned = changes.files.iter().position(|change| change.path == file);
        let old = match planned {
            Some(at) => changes.files[at].new.clone().unwrap_or_default(),
            None => cx.system.text(&file, Role::Config).ok_or_else(|| format!("{name} can't be read"))?,
        };
        if sides(&old).is_some() {
            mended
                .open
                .push(format!("{name}: resolve its conflict markers; the other side changed it under its former name, too"));
            return Ok(());
        }
        let (ours, theirs) = if is_ours { (old.as_str(), other) } else { (other, old.as_str()) };
        let done = merged(cx, &Texts { name: &name, base, ours, theirs })?;
        if done.text != old {
            match planned {
                Some(at) => changes.files[at].new = Some(done.text),
                None => changes.files.push(Replace { path: file, old: Some(old.into_bytes()), new: Some(done.text) }),
            }
        }
        match done.open {
            Some(why) => mended.open.push(why),
            None => mended.merged.push(name),
        }
        Ok(())
    }

    /// The file of the config that has this text as a version, in the registry as it will be. It may be deleted.
    fn file(&self, cx: &Context, changes: &Changes) -> Option<PathBuf> {
        let planned = changes.files.iter().find(|change| change.path == self.registry).and_then(|change| change.new.clone());
        let text = planned.or_else(|| cx.system.text(&self.registry, Role::Registry))?;
        let (registry, _) = Registry::read(&text);
        let base = place::base(&*cx.system, &self.registry, &registry);
        let digest = self.digest.to_string();
        let has_it =
            registry.places().filter(|place| registry.entry(*place).sha256.as_ref().is_some_and(|known| *known.value == *digest));
        let files: Vec<PathBuf> = has_it.map(|place| base.join(&*registry.configs[place.config].path.value)).collect();
        files.iter().find(|file| cx.system.is_file(file)).or(files.first()).cloned()
    }
}
