//! The journal: what a change is about to do, so that the next command can finish it.

use serde_json::{Value as Json, json};

use crate::fingerprint::Digest;

/// The shape of the journal.
const FORMAT: u64 = 1;

/// A change that has begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Journal {
    /// What it does, in words: `bump a.toml to v3`.
    pub(super) what: String,
    /// The files that it replaces, the registry first.
    pub(super) files: Vec<Planned>,
}

/// A file, and what shall become of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Planned {
    /// Its path, from the folder of the registry unless it lies elsewhere.
    pub(super) path: String,
    /// The sha256 of what it held before; nothing where there was no file.
    pub(super) old: Option<Digest>,
    /// What it shall hold.
    pub(super) new: String,
}

impl Journal {
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let file = |file: &Planned| {
            let old = file.old.map(|old| old.to_string());
            json!({ "path": file.path, "old": old, "new": Digest::of(file.new.as_bytes()).to_string(), "text": file.new })
        };
        let files: Vec<Json> = self.files.iter().map(file).collect();
        json!({ "format": FORMAT, "what": self.what, "files": files }).to_string().into_bytes()
    }

    /// Reads a journal; nothing where it is none, or was written by another program.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let json: Json = serde_json::from_slice(bytes).ok()?;
        if json.get("format")?.as_u64()? != FORMAT {
            return None;
        }
        let file = |file: &Json| {
            let digest = |key: &str| file.get(key)?.as_str()?.parse::<Digest>().ok();
            let old = match file.get("old")? {
                Json::Null => None,
                _ => Some(digest("old")?),
            };
            let new = file.get("text")?.as_str()?.to_owned();
            let is_whole = digest("new")? == Digest::of(new.as_bytes());
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
        let file =
            |path: &str, old: Option<&[u8]>, new: &str| Planned { path: path.into(), old: old.map(Digest::of), new: new.into() };
        let files = vec![file("registry.json", Some(b"{}"), "{\"é\": 1}\r\n"), file("a.toml", None, "x = 1\n")];
        let journal = Journal { what: "bump a.toml".to_owned(), files };
        let bytes = journal.to_bytes();
        assert_eq!(Journal::from_bytes(&bytes), Some(journal));
        for end in 0..bytes.len() {
            assert_eq!(Journal::from_bytes(&bytes[..end]), None);
        }
    }
}
