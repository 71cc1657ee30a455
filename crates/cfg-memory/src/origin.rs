//! The models of a run by name, and where their shapes come from.

use std::fmt;

use crate::precision::Format;

/// Where the shape of a model comes from, in the order of preference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A `config.json` that the user named, or one beside weights on this machine: its path.
    File(String),
    /// A `config.json` in the Hugging Face hub's cache: its path.
    HubCache(String),
    /// The catalogue, by this name: the source of its entry.
    Catalogue(&'static str),
    /// The catalogue has the shape under another name, of which the model's is another spelling, precision, stage or date.
    Variant(&'static str),
    /// The name contains that of the model whose shape is assumed.
    FineTuned(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => formatter.write_str(path),
            Self::HubCache(path) => write!(formatter, "the Hugging Face hub's cache: {path}"),
            Self::Catalogue(source) => write!(formatter, "the catalogue: {source}"),
            Self::Variant(of) => write!(formatter, "the catalogue: by its name, it has the shape of {of}"),
            Self::FineTuned(of) => write!(formatter, "assumed from its name to have the shape of {of}"),
        }
    }
}

/// A model of a run: its name, what it is for, and where its shape comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedModel {
    /// Its name in the config.
    pub name: String,
    /// Whether it is the one that is only served.
    pub is_served: bool,
    /// Its parameters.
    pub parameters: f64,
    /// The format of its served weights; `None` if nothing serves it.
    pub served_as: Option<Format>,
    /// Where its shape comes from.
    pub origin: Origin,
    /// What of it isn't counted, as clauses.
    pub unmodelled: Vec<String>,
}

impl NamedModel {
    /// What a user should know about the shape, as clauses; nothing if it is that of the model's own file.
    pub fn notes(&self) -> Vec<String> {
        let name = &self.name;
        let mut notes = Vec::new();
        match self.origin {
            Origin::Variant(of) | Origin::FineTuned(of) => {
                notes.push(format!("the shape of `{name}` is that of {of}, by its name"));
            }
            Origin::File(_) | Origin::HubCache(_) | Origin::Catalogue(_) => {}
        }
        let is_of_file = matches!(self.origin, Origin::File(_) | Origin::HubCache(_));
        notes.extend(self.unmodelled.iter().map(|what| {
            if is_of_file {
                format!("the config.json of `{name}` has {what}")
            } else {
                format!("of `{name}` isn't counted: {what}")
            }
        }));
        notes
    }
}
