//! What could be done about findings, before it is tried.

use std::cell::OnceCell;

use cfg_check::Checked;
use cfg_diag::{Applicability, Diagnostic, FileId, Fix, codes};
use cfg_migrate::{Carried, Carrier};

/// The proposals for the findings of a text.
pub(crate) struct Proposals<'a> {
    file: FileId,
    text: &'a str,
    checked: &'a Checked,
    /// Read once a finding asks for it.
    carrier: OnceCell<Option<Carrier<'a>>>,
}

impl<'a> Proposals<'a> {
    pub(crate) const fn new(file: FileId, text: &'a str, checked: &'a Checked) -> Self {
        Self { file, text, checked, carrier: OnceCell::new() }
    }

    /// Whether anything could be done about any finding.
    pub(crate) fn are_there(&self) -> bool {
        self.checked.diagnostics.iter().any(|found| !found.is_echo && (found.fix.is_some() || is_gone(found)))
    }

    /// What could be done about a finding, the surest first. Edits of other files are none of it.
    pub(crate) fn of(&self, found: &Diagnostic) -> Vec<Fix> {
        if found.is_echo {
            return Vec::new();
        }
        let moved = if is_gone(found) { self.moved(found) } else { None };
        let own = found.fix.clone().filter(|fix| moved.as_ref().is_none_or(|moved| moved.edits != fix.edits));
        let mut fixes: Vec<Fix> = moved.into_iter().chain(own).collect();
        fixes.retain(|fix| !fix.edits.is_empty() && fix.edits.iter().all(|edit| edit.location.file == self.file));
        for fix in &mut fixes {
            fix.edits.sort_by_key(|edit| edit.location.span);
        }
        fixes.sort_by_key(|fix| fix.applicability == Applicability::Unsafe);
        fixes
    }

    /// A key that went elsewhere, with all that is in it.
    fn moved(&self, found: &Diagnostic) -> Option<Fix> {
        let key = found.key.as_deref()?;
        let (file, text, target) = (self.file, self.text, &self.checked.target);
        let schema = target.schema(self.checked.kind?);
        let carrier = self.carrier.get_or_init(|| Carrier::new(file, text, schema)).as_ref()?;
        let Carried { to, is_sorted, is_safe, edits } = carrier.carry(key)?;
        let table = |key: &str| key.rsplit_once('.').map(|(table, _)| table.to_owned()).unwrap_or_default();
        let title = match to {
            Some(to) if to == key => format!("write `{key}` as in prime-rl {target}"),
            Some(to) if table(&to) == table(key) => {
                let name = to.rsplit('.').next().unwrap_or(&to);
                format!("rename to `{name}`{}", if is_sorted { ", and move its keys" } else { "" })
            }
            Some(to) => format!("move to `{to}`{}", if is_sorted { ", and move its keys" } else { "" }),
            None if is_sorted => format!("write `{key}` as in prime-rl {target}"),
            None => format!("remove `{key}`"),
        };
        let is_beyond = target.is_beyond;
        let applicability = if is_safe && !is_beyond { Applicability::Safe } else { Applicability::Unsafe };
        Some(Fix { title, applicability, edits })
    }
}

/// Whether the key of a finding may have gone elsewhere.
fn is_gone(found: &Diagnostic) -> bool {
    found.code == &codes::REMOVED_KEY && found.location.is_some()
}
