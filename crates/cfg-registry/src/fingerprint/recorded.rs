//! A fingerprint as a registry has it.

use serde_json::Value as Json;

use super::{Class, Fingerprint, NoDigest, SCHEME};

/// A fingerprint with the scheme by which it was computed.
///
/// A registry is written by several versions of `cfg`, each with its own scheme. Only [`Self::current`] can be compared with what is computed
/// here; the meaning of another one is computed from the text of its version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Recorded {
    /// The scheme, from 1 on.
    pub scheme: u64,
    /// The digests.
    pub digests: Fingerprint,
}

impl Recorded {
    /// The fingerprint, if it was computed as it is here.
    pub fn current(&self) -> Option<Fingerprint> {
        (self.scheme == SCHEME).then_some(self.digests)
    }

    /// The fingerprint in the form of `registry.json`.
    pub fn to_json(&self) -> Json {
        let mut json = self.digests.to_json();
        json["scheme"] = self.scheme.into();
        json
    }

    /// Reads a fingerprint from `registry.json`.
    ///
    /// # Errors
    ///
    /// The problem: it is not such a table.
    pub fn from_json(json: &Json) -> Result<Self, String> {
        let scheme = json.get("scheme").and_then(Json::as_u64).filter(|scheme| *scheme > 0);
        let scheme = scheme.ok_or("a fingerprint must be a table with a `scheme`")?;
        let digest = |class: Class| {
            let text = json.get(class.name()).and_then(Json::as_str).unwrap_or_default();
            text.parse().map_err(|error: NoDigest| format!("`{class}` of the fingerprint: {error}"))
        };
        let digests = Fingerprint {
            training: digest(Class::Training)?,
            resources: digest(Class::Resources)?,
            operations: digest(Class::Operations)?,
        };
        Ok(Self { scheme, digests })
    }
}

impl From<Fingerprint> for Recorded {
    fn from(digests: Fingerprint) -> Self {
        Self { scheme: SCHEME, digests }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Recorded, SCHEME};

    #[test]
    fn a_fingerprint_of_any_scheme_is_read_and_written_as_it_is() {
        let digest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        for scheme in [1, SCHEME, SCHEME + 1] {
            let written = json!({"scheme": scheme, "training": digest, "resources": digest, "operations": digest});
            let read = Recorded::from_json(&written).expect("a fingerprint");
            assert_eq!((read.to_json(), read.current().is_some()), (written, scheme == SCHEME));
        }
        for wrong in [json!({}), json!({"scheme": 99}), json!({"scheme": 1, "training": "9f"}), json!({"scheme": 0})] {
            assert!(Recorded::from_json(&wrong).is_err(), "{wrong}");
        }
    }
}
