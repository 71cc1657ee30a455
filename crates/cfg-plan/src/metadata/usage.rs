//! The start commands in the comments of a config: `# Usage: uv run rl @ base.toml @ this.toml`.

use std::sync::OnceLock;

use cfg_compose::{WrittenLaunch, launches};
use cfg_syntax::Document;

/// Start commands. Few rules need them, so they are parsed only when first asked for.
#[derive(Clone, Debug, Default)]
pub struct Usage {
    /// The comments that may contain one.
    lines: Box<str>,
    launches: OnceLock<Vec<WrittenLaunch>>,
}

impl Usage {
    /// Those in the comments of a text.
    pub(super) fn read(text: &str, document: &Document) -> Self {
        Self { lines: cfg_compose::lines_of_launches(text, &document.comments).into(), launches: OnceLock::new() }
    }

    /// The commands.
    pub fn launches(&self) -> &[WrittenLaunch] {
        self.launches.get_or_init(|| launches(&self.lines))
    }

    /// Whether one of them may contain these characters.
    pub fn may_contain(&self, characters: &str) -> bool {
        self.launches.get().map_or_else(|| self.lines.contains(characters), |launches| !launches.is_empty())
    }

    /// Whether one of them passes a flag.
    pub fn passes(&self, key: &str) -> bool {
        self.may_contain("--") && self.launches().iter().any(|launch| launch.passes(key))
    }
}

impl From<Vec<WrittenLaunch>> for Usage {
    fn from(launches: Vec<WrittenLaunch>) -> Self {
        Self { lines: Box::default(), launches: launches.into() }
    }
}
