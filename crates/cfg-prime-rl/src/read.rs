//! A checked config, with the texts of its findings.

use cfg_check::{Checked, Texts};
use cfg_diag::FileId;
use cfg_report::Sources;

use crate::Config;

/// The file of findings in a config with a single text.
pub(crate) const FILE: FileId = FileId(0);

/// A config that was read and checked.
pub(crate) struct Read<'a> {
    pub(crate) config: &'a Config<'a>,
    pub(crate) checked: Checked,
    /// All texts, if it is composed of several.
    pub(crate) texts: Option<Texts>,
}

impl Read<'_> {
    /// The texts for locations.
    pub(crate) fn sources(&self) -> Sources<'_> {
        let Some(texts) = &self.texts else {
            let mut sources = Sources::single(self.config.path, self.config.text);
            self.checked.split.iter().for_each(|other| sources.insert(other.file, &other.path, &other.text));
            return sources;
        };
        let mut sources = Sources::new();
        texts.all().iter().for_each(|text| sources.insert(text.file, &text.path, &text.text));
        sources
    }
}
