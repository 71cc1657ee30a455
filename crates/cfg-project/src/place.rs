//! Where a setting was written.

use std::{fmt, path::Path, sync::Arc};

use cfg_diag::Span;

/// A place in a settings file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingPlace {
    /// The file, as an absolute path.
    pub path: Arc<Path>,
    /// The bytes of the value.
    pub span: Span,
    /// The line on which it starts, counted from 1.
    pub line: u32,
}

/// A value, and the place where it was set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sourced<T> {
    /// The value.
    pub value: T,
    /// Where it was set.
    pub place: SettingPlace,
}

impl SettingPlace {
    /// The place for a file as a whole.
    pub(crate) fn whole_file(path: &Path) -> Self {
        Self { path: Arc::from(path), span: Span::default(), line: 1 }
    }

    /// The folder of the settings file, to which paths and patterns in it are relative.
    pub fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }
}

impl fmt::Display for SettingPlace {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.path.display(), self.line)
    }
}
