//! The day of a lock file: that of its newest package.

use cfg_system::Role;

use super::{DaySource, FileDay};
use crate::folder::Folder;

impl Folder {
    /// The day of the newest package in the `uv.lock` of the folder: it was locked then or later.
    pub(super) fn locked_day(&self) -> Option<FileDay> {
        let read = || {
            let text = self.text("uv.lock", Role::LockFile)?;
            let day = newest_upload(&text)?.to_owned();
            Some(Box::new(FileDay { day, source: DaySource::Lock { path: self.path().join("uv.lock") } }))
        };
        self.locked_day.get_or_init(read).as_deref().cloned()
    }
}

/// The latest day in the `upload-time` of packages. The lines are all in uv's own format.
fn newest_upload(text: &str) -> Option<&str> {
    let times = text.match_indices("upload-time = \"").filter_map(|(at, key)| text.get(at + key.len()..at + key.len() + 10));
    times.filter(|day| super::sentences::is_day(day)).max()
}

#[cfg(test)]
mod tests {
    use super::newest_upload;

    #[test]
    fn the_newest_package_of_a_lock_file_has_its_day() {
        let text = "sdist = { url = \"u\", upload-time = \"2026-02-03T10:00:00.1Z\" }\nwheels = [\n    { url = \"u\", upload-time = \"2026-05-06T10:00:00Z\" },\n    { upload-time = \"never-ever\" },\n    { upload-time = \"2026";
        assert_eq!(newest_upload(text), Some("2026-05-06"));
        assert_eq!(newest_upload("version = 1\n"), None);
    }
}
