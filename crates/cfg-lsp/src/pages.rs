//! The addresses of rule pages that a client can open.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use cfg_diag::Code;
use tower_lsp_server::ls_types as lsp;

use crate::scratch::Scratch;

/// What a client takes with findings.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Extras {
    /// It shows tags.
    pub(crate) tags: bool,
    /// It shows related places.
    pub(crate) related: bool,
    /// It takes the version of the text.
    pub(crate) versions: bool,
}

/// What is shown with a finding, and the location of the rule pages: an address from the client's settings, or files that are written when they are first needed.
#[derive(Debug, Default)]
pub(crate) struct Pages {
    /// Whether the client shows addresses.
    is_wanted: bool,
    /// What else it takes with a finding.
    pub(crate) extras: Extras,
    /// An address that contains `{name}` or `{code}`.
    pattern: Option<String>,
    /// The folder for the files.
    scratch: Option<Arc<Scratch>>,
    known: Mutex<HashMap<&'static str, Option<lsp::Uri>>>,
}

impl Pages {
    pub(crate) fn new(is_wanted: bool, pattern: Option<String>, scratch: Option<Arc<Scratch>>) -> Self {
        Self { is_wanted, pattern, scratch, ..Self::default() }
    }

    /// The address of a rule's page, if the client wants one.
    pub(crate) fn address(&self, code: Code) -> Option<lsp::Uri> {
        if !self.is_wanted {
            return None;
        }
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(code.code).or_insert_with(|| self.find(code)).clone()
    }

    fn find(&self, code: Code) -> Option<lsp::Uri> {
        match &self.pattern {
            Some(pattern) => {
                let address = pattern.replace("{name}", code.name).replace("{code}", code.code);
                // An address without a scheme would be relative to an unknown base.
                address.parse::<lsp::Uri>().ok().filter(|_| address.contains("://"))
            }
            None => {
                let path = self.scratch.as_ref()?.put("rules", &format!("{}.md", code.name), code.page).ok()?;
                lsp::Uri::from_file_path(path)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use cfg_diag::codes;

    use super::Pages;

    #[test]
    fn only_absolute_urls_are_sent() {
        let address = |pattern: &str| {
            let pages = Pages::new(true, Some(pattern.to_owned()), None);
            pages.address(&codes::UNKNOWN_KEY).map(|address| address.as_str().to_owned())
        };
        assert_eq!(address("https://example.org/{name}/{code}").as_deref(), Some("https://example.org/unknown-key/PRL101"));
        assert_eq!(address("docs/{name}"), None);
        assert_eq!(Pages::new(false, Some("https://example.org/{name}".to_owned()), None).address(&codes::UNKNOWN_KEY), None);
    }
}
