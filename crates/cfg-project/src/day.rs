//! The day on which a config is known to have been used: where nothing states its prime-rl, this tells which it can be.

mod between;
mod lock;
mod pages;
mod sentences;

use std::path::{Path, PathBuf};

use cfg_diag::{FileId, LineColumn, LineIndex, PositionEncoding};

use crate::{Projects, folder::Folder};

pub use between::days_between;
pub(crate) use pages::{PageDay, read as read_pages};

/// A day on which a config was used, or at least written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileDay {
    /// The day: `2026-01-06`.
    pub day: String,
    /// What says so.
    pub source: DaySource,
}

/// What tells the day of a config.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DaySource {
    /// The last commit that changed it.
    Commit,
    /// A comment in it, which says that it passed, ran or was made on that day.
    Comment {
        /// The line, counted from 1.
        line: u32,
    },
    /// Its own metadata: the day on which this version of it was made.
    Metadata,
    /// A page of its project that says the same of it, or of the prime-rl that it is for.
    Page {
        /// The page.
        path: PathBuf,
        /// The line, counted from 1.
        line: u32,
    },
    /// The lock file of its project: the project had a package of that day.
    Lock {
        /// The lock file.
        path: PathBuf,
    },
    /// It includes other files: the last release that reads these.
    Includes,
    /// Another config of its folder includes it: the last release that reads such files.
    IncludedBy {
        /// The other config.
        path: PathBuf,
    },
}

impl DaySource {
    /// A short description, with its path relative to the folder `base`: "its last commit", "README.md:12".
    pub fn describe(&self, base: &Path) -> String {
        let below = |path: &Path| path.strip_prefix(base).unwrap_or(path).display().to_string();
        match self {
            Self::Commit => "its last commit".to_owned(),
            Self::Metadata => "its `created`".to_owned(),
            Self::Comment { line } => format!("its comment in line {line}"),
            Self::Page { path, line } => format!("{}:{line}", below(path)),
            Self::Includes => "the last release that reads its `toml_files`".to_owned(),
            Self::IncludedBy { path } => format!("the last release that reads the `toml_files` of {}", below(path)),
            Self::Lock { path } => format!("the newest package in {}", below(path)),
        }
    }
}

impl Projects {
    /// The day on which a config with this text is known to have been used; `None` if nothing tells.
    ///
    /// What is about the config itself decides: a comment in it that says that it passed on some day, and the last commit that changed it. The later of
    /// them counts, because it was used on both. Pages tell less, as they may be about an earlier state of it, and a lock file only tells that the
    /// project is not older than its newest package: these count only without the others, in this order.
    pub fn day(&self, file: &Path, text: &str) -> Option<FileDay> {
        let comment = in_comments(text);
        let commit = self.last_change(file).map(|day| FileDay { day, source: DaySource::Commit });
        match (comment, commit) {
            (Some(comment), Some(commit)) => Some(if comment.day >= commit.day { comment } else { commit }),
            (None, None) => self.day_of_project(file),
            (one, other) => one.or(other),
        }
    }

    fn day_of_project(&self, file: &Path) -> Option<FileDay> {
        let folder = self.folder_of(file);
        let file = folder.path().join(file.file_name()?);
        let folders = || folder.ancestors_in_repository().filter(|folder| folder.is_in_project());
        pages::day(folders(), &file).or_else(|| folders().find_map(Folder::locked_day))
    }
}

/// The latest day in the comments of a text.
fn in_comments(text: &str) -> Option<FileDay> {
    // Most texts have no date, and parsing takes longer than looking for one.
    if !text.contains('#') || !sentences::may_have_day(text) {
        return None;
    }
    let (document, _, _) = cfg_syntax::parse_first(FileId(0), text);
    let index = LineIndex::new(text);
    let line_of = |offset: u32| {
        let LineColumn { line, .. } = index.line_column(text, offset, PositionEncoding::Utf8);
        line + 1
    };
    let mut paragraphs: Vec<Vec<(u32, &str)>> = Vec::new();
    for comment in &document.comments {
        let line = line_of(comment.start);
        let words = text[comment.range()].trim_start_matches('#');
        let stands_alone = text[..comment.start as usize].rsplit('\n').next().is_some_and(|before| before.trim().is_empty());
        match paragraphs.last_mut() {
            Some(above) if stands_alone && above.last().is_some_and(|(last, _)| last + 1 == line) => above.push((line, words)),
            _ => paragraphs.push(vec![(line, words)]),
        }
    }
    let days = paragraphs.iter().flat_map(|lines| sentences::days(lines));
    let (line, day) = days.max_by(|(_, one), (_, other)| one.cmp(other))?;
    Some(FileDay { day, source: DaySource::Comment { line } })
}

#[cfg(test)]
mod tests {
    use super::{DaySource, FileDay, in_comments};

    #[test]
    fn the_latest_day_in_the_comments_counts() {
        let found = |text: &str| in_comments(text).map(|FileDay { day, source }| (day, source));
        let text = "# Passed on 2026-10-01.\nmax_steps = 1 # validated 2026-11-20 against main\n# ran fine\n# on 2026-11-02\n";
        assert_eq!(found(text), Some(("2026-11-20".to_owned(), DaySource::Comment { line: 2 })));
        assert_eq!(
            found("# It passed all checks\n# on 2026-11-20\n"),
            Some(("2026-11-20".to_owned(), DaySource::Comment { line: 2 }))
        );
        assert_eq!(found("a = '# passed on 2026-11-20'\n"), None, "a string");
        assert_eq!(found("b = 1 # passed\nc = 1 # on 2026-11-20\n"), None, "two comments");
        assert_eq!(found("passed on 2026-11-20\n"), None);
    }
}
