//! The journal: describes a change, so that another process can complete it.

use serde_json::{Value as Json, json};

use crate::fingerprint::Digest;

/// The format version of the journal.
const FORMAT: u64 = 2;

/// A change that has begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Journal {
    /// A description: `bump a.toml to v3`.
    pub(super) what: String,
    /// The files that it replaces, the registry first.
    pub(super) files: Vec<Planned>,
}

/// A file, and its new content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Planned {
    /// Its path, relative to the root of the repository.
    pub(super) path: String,
    /// The sha256 of its old content; `None` if there was no file.
    pub(super) old: Option<Digest>,
    /// The new content; `None` if the file is removed.
    pub(super) new: Option<String>,
}

/// The content of a journal file.
#[derive(serde::Deserialize)]
struct JournalFile {
    format: u64,
    seal: String,
    change: String,
}

impl Journal {
    /// The journal as the content of a file. The change is a string in it; `seal` computes a seal for that string, by which this
    /// user recognizes the journal. `None` if there is no seal.
    pub(super) fn to_bytes(&self, seal: impl FnOnce(&str) -> Option<String>) -> Vec<u8> {
        let file = |file: &Planned| {
            let old = file.old.map(|old| old.to_string());
            let new = file.new.as_ref().map(|new| Digest::of(new.as_bytes()).to_string());
            json!({ "path": file.path, "old": old, "new": new, "text": file.new })
        };
        let files: Vec<Json> = self.files.iter().map(file).collect();
        let change = json!({ "what": self.what, "files": files }).to_string();
        let seal = seal(&change);
        json!({ "format": FORMAT, "seal": seal, "change": change }).to_string().into_bytes()
    }

    /// Reads a journal; `None` if the content is not one, if another program wrote it, or if its seal is not the one that `seal` computes.
    pub(super) fn from_bytes(bytes: &[u8], seal: impl FnOnce(&str) -> Option<String>) -> Option<Self> {
        // Until the seal is verified, no more memory is allocated than the size of the journal.
        let JournalFile { format, seal: mark, change } = serde_json::from_slice(bytes).ok()?;
        if format != FORMAT || seal(&change)? != mark {
            return None;
        }
        let json: Json = serde_json::from_str(&change).ok()?;
        let file = |file: &Json| {
            let digest = |key: &str| match file.get(key)? {
                Json::Null => Some(None),
                digest => Some(Some(digest.as_str()?.parse::<Digest>().ok()?)),
            };
            let old = digest("old")?;
            let new = match file.get("text")? {
                Json::Null => None,
                text => Some(text.as_str()?.to_owned()),
            };
            let is_whole = digest("new")? == new.as_ref().map(|new| Digest::of(new.as_bytes()));
            is_whole.then_some(Planned { path: file.get("path")?.as_str()?.to_owned(), old, new })
        };
        let files = json.get("files")?.as_array()?.iter().map(file).collect::<Option<Vec<_>>>()?;
        Some(Self { what: json.get("what")?.as_str()?.to_owned(), files })
    }
}

#[cfg(test)]
mod tests {
    use super::{Journal, Planned};
    use crate::fingerprint::Digest;

    #[test]
    fn a_journal_is_read_as_it_was_written_or_not_at_all() {
        let file = |path: &str, old: Option<&[u8]>, new: Option<&str>| Planned {
            path: path.into(),
            old: old.map(Digest::of),
            new: new.map(str::to_owned),
        };
        let registry = file("registry.json", Some(b"{}"), Some("{\"é\": 1}\r\n"));
        let files = vec![registry, file("a.toml", None, Some("x = 1\n")), file("old.toml", Some(b"x = 1\n"), None)];
        let journal = Journal { what: "bump a.toml".to_owned(), files };
        let seal = |change: &str| Some(Digest::of(change.as_bytes()).to_string());
        let bytes = journal.to_bytes(seal);
        assert_eq!(Journal::from_bytes(&bytes, seal), Some(journal.clone()));
        for end in 0..bytes.len() {
            assert_eq!(Journal::from_bytes(&bytes[..end], seal), None);
        }
        let of_others = |change: &str| Some(Digest::of(format!("{change}!").as_bytes()).to_string());
        assert_eq!(Journal::from_bytes(&bytes, of_others), None, "another one's");
        assert_eq!(Journal::from_bytes(&bytes, |_| None), None, "nobody can tell whose it is");
        assert_eq!(Journal::from_bytes(&journal.to_bytes(|_| None), seal), None, "it has no mark");
    }
}
