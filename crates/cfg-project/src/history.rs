//! The history of a file in git.

use std::{collections::HashSet, path::Path, time::Duration};

use cfg_system::{
    Role, System,
    git::{self, Repository, ask},
};

/// The time limit for a query.
const LIMIT: Duration = Duration::from_mins(1);

/// The time limit for the files of one commit: a few kilobytes of trees can be a commit of billions of files.
const LIMIT_OF_A_COMMIT: Duration = Duration::from_secs(5);

/// The maximum number of bytes that are read: all revisions of a config together are far smaller.
const MAX_ANSWER: u64 = 64 << 20;

/// The maximum number of commits that are read for each name of a file, the newest ones.
const MAX_COMMITS: &str = "--max-count=1000";

/// The maximum number of earlier names of a file.
const MAX_NAMES: usize = 20;

/// A version of a file in a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revision {
    /// The commit's full hash.
    pub commit: String,
    /// The author's local day: `2026-01-05`.
    pub day: String,
    /// The first line of its message.
    pub subject: String,
    /// The file's bytes.
    pub bytes: Vec<u8>,
}

/// The revisions of a file, the oldest first, including those under earlier names; empty if git has none.
///
/// An earlier name is one that a commit removed when it added the same bytes under the next name: files that are only similar, and copies, have a
/// history of their own.
pub fn history(system: &dyn System, file: &Path) -> Vec<Revision> {
    let (Some(folder), Some(name)) = (file.parent(), file.file_name().and_then(|name| name.to_str())) else { return Vec::new() };
    let mut entries: Vec<FileCommit> = Vec::new();
    let (mut name, mut newest) = (name.to_owned(), "HEAD".to_owned());
    for _ in 0..MAX_NAMES {
        let of_name = commits(system, folder, &newest, &name);
        let earlier = of_name.last().and_then(|first| Some((renamed_from(system, folder, first)?, first)));
        let next = earlier.map(|(path, first)| (path, format!("{}^", first.commit)));
        entries.extend(of_name);
        // The relative path from the folder in which git runs to the root of the work tree.
        let up = "../".repeat(entries.first().map_or(0, |now| now.path.matches('/').count()));
        match next {
            Some((path, commit)) => (name, newest) = (up + &path, commit),
            None => break,
        }
    }
    let mut asked = String::new();
    for FileCommit { commit, path, .. } in &entries {
        asked.push_str(&format!("{commit}:{path}\n"));
    }
    let Some(answer) = answer(system, folder, ["cat-file", "--batch"], asked.into_bytes()) else { return Vec::new() };
    let mut revisions: Vec<Revision> = entries
        .iter()
        .zip(blobs(&answer))
        .filter_map(|(entry, bytes)| {
            let FileCommit { commit, day, subject, .. } = entry.clone();
            Some(Revision { commit, day, subject, bytes: bytes?.to_vec() })
        })
        .collect();
    revisions.reverse();
    revisions
}

/// The names, relative to a folder, that files in it have in git's history; `None` if git does not tell them all. To ask once is faster than to ask for the
/// history of each of many files that git has never had.
pub fn names_in_history(system: &dyn System, folder: &Path) -> Option<HashSet<String>> {
    let prefix = answer(system, folder, ["rev-parse", "--show-prefix"], Vec::new())?;
    let prefix = String::from_utf8_lossy(&prefix).trim_end_matches('\n').to_owned();
    // Of a merge, what differs from both sides.
    let words = ["log", "--root", "-c", "--no-renames", "--no-notes", "--no-ext-diff", "--no-textconv", "--name-only", "-z"];
    let answer = answer(system, folder, words.into_iter().chain(["--format=", "HEAD", "--", "."]), Vec::new())?;
    let names = answer.split(|byte| *byte == 0).map(|name| String::from_utf8_lossy(name).trim_matches('\n').to_owned());
    Some(names.filter_map(|name| name.strip_prefix(&prefix).map(str::to_owned)).filter(|name| !name.is_empty()).collect())
}

/// A commit, and the file's path in it, relative to the top of the repository.
#[derive(Clone)]
struct FileCommit {
    commit: String,
    day: String,
    subject: String,
    path: String,
}

/// The commits up to one of them that change the file with this name, the newest first.
fn commits(system: &dyn System, folder: &Path, newest: &str, name: &str) -> Vec<FileCommit> {
    let words =
        ["log", "--no-renames", MAX_COMMITS, "--no-notes", "--no-ext-diff", "--no-textconv", "--name-only", "-z", "--date=short"];
    let words = words.into_iter().chain(["--format=%x01%H%x02%ad%x02%s%x03", newest, "--", name]);
    let answer = answer(system, folder, words, Vec::new()).unwrap_or_default();
    String::from_utf8_lossy(&answer).split('\u{1}').skip(1).filter_map(entry).collect()
}

/// The name of a file that the commit of this entry removed while it added the same bytes under the entry's name.
fn renamed_from(system: &dyn System, folder: &Path, of: &FileCommit) -> Option<String> {
    let words =
        ["diff-tree", "-r", "-z", "--no-commit-id", "--name-status", "--find-renames=100%", "--diff-filter=R", &of.commit];
    let answer = answer_within(LIMIT_OF_A_COMMIT, system, folder, words, Vec::new())?;
    let answer = String::from_utf8_lossy(&answer);
    let parts: Vec<&str> = answer.split('\0').collect();
    let renamed = parts.chunks_exact(3).find(|renamed| renamed[2] == of.path)?;
    (!renamed[1].contains('\n')).then(|| renamed[1].to_owned())
}

fn entry(text: &str) -> Option<FileCommit> {
    let (head, path) = text.split_once('\u{3}')?;
    let mut parts = head.splitn(3, '\u{2}');
    let (commit, day, subject) = (parts.next()?, parts.next()?, parts.next()?);
    let path = path.trim_matches(['\0', '\n']);
    // A name that contains a line break can't be queried.
    let owned = |commit: &str, path: &str| FileCommit {
        commit: commit.into(),
        day: day.into(),
        subject: subject.into(),
        path: path.into(),
    };
    (!path.is_empty() && !path.contains('\n')).then(|| owned(commit, path))
}

/// Parses the output of `git cat-file --batch`: `<name> blob <size>\n<bytes>\n`, or `<name> missing\n`.
fn blobs(answer: &[u8]) -> Vec<Option<&[u8]>> {
    let mut blobs = Vec::new();
    let mut rest = answer;
    while let Some(end) = rest.iter().position(|&byte| byte == b'\n') {
        let head = String::from_utf8_lossy(&rest[..end]).into_owned();
        rest = &rest[end + 1..];
        let mut words = head.rsplit(' ');
        let size = words.next().and_then(|size| size.parse::<usize>().ok());
        match size.filter(|size| *size < rest.len()) {
            Some(size) => {
                // A file that is too large for a config is skipped, whatever its name is.
                let may_be_config = words.next() == Some("blob") && size as u64 <= Role::Config.limit();
                blobs.push(may_be_config.then_some(&rest[..size]));
                rest = &rest[size + 1..];
            }
            None => blobs.push(None),
        }
    }
    blobs
}

/// The output of git for `input`; `None` if it fails or takes too long.
fn answer<'a>(system: &dyn System, folder: &Path, words: impl IntoIterator<Item = &'a str>, input: Vec<u8>) -> Option<Vec<u8>> {
    answer_within(LIMIT, system, folder, words, input)
}

/// The same within another time.
fn answer_within<'a>(
    limit: Duration,
    system: &dyn System,
    folder: &Path,
    words: impl IntoIterator<Item = &'a str>,
    input: Vec<u8>,
) -> Option<Vec<u8>> {
    let mut program = ask(system.host(), folder, Repository::AroundFolder, words).limited(limit, MAX_ANSWER);
    program.input = input;
    git::answer(system, folder, Repository::AroundFolder, &program).ok()
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path, process::Command};

    use cfg_system::OsSystem;

    use super::{history, names_in_history};

    fn git(folder: &Path, words: &[&str]) {
        let set = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"];
        let done = Command::new("git").arg("-C").arg(folder).args(set).args(words).output().expect("git runs");
        assert!(done.status.success(), "{words:?}: {}", String::from_utf8_lossy(&done.stderr));
    }

    #[test]
    fn the_history_of_a_file_follows_renames() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path();
        assert_eq!(history(&OsSystem::new(), &path.join("a.toml")), []);
        git(path, &["init", "-q"]);
        let long = |first: &str| format!("{first}\n{}", "x = 1\n".repeat(50));
        for (name, text, subject) in [("a.toml", long("a"), "one"), ("a.toml", long("b"), "two: \u{e9}")] {
            fs::write(path.join(name), text).expect("written");
            git(path, &["add", "."]);
            git(path, &["commit", "-qm", subject, "--date", "2026-01-05T23:30:00-08:00"]);
        }
        git(path, &["mv", "a.toml", "b c.toml"]);
        git(path, &["commit", "-qm", "three"]);
        let told = history(&OsSystem::new(), &path.join("b c.toml"));
        let subjects: Vec<&str> = told.iter().map(|revision| revision.subject.as_str()).collect();
        assert_eq!(subjects, ["one", "two: \u{e9}", "three"]);
        assert_eq!(told[0].day, "2026-01-05");
        assert_eq!(told.iter().map(|revision| revision.bytes[0]).collect::<Vec<_>>(), b"abb");
        // Moved into a folder, and then once more.
        fs::create_dir(path.join("deep")).expect("a folder");
        git(path, &["mv", "b c.toml", "deep/d.toml"]);
        git(path, &["commit", "-qm", "four"]);
        git(path, &["mv", "deep/d.toml", "deep/e.toml"]);
        git(path, &["commit", "-qm", "five"]);
        let told = history(&OsSystem::new(), &path.join("deep/e.toml"));
        let subjects: Vec<&str> = told.iter().map(|revision| revision.subject.as_str()).collect();
        assert_eq!(subjects, ["one", "two: \u{e9}", "three", "four", "five"]);
    }

    #[test]
    fn names_of_all_commits_are_told_relative_to_a_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path();
        let put = |name: &str, text: &str| {
            fs::create_dir_all(path.join("in")).expect("a folder");
            fs::write(path.join(name), text).expect("written");
            git(path, &["add", "-A"]);
            git(path, &["commit", "-qm", "one"]);
        };
        git(path, &["init", "-q", "-b", "main"]);
        put("in/first.toml", "x = 1\n");
        put("beside.toml", "x = 1\n");
        fs::remove_file(path.join("in/first.toml")).expect("removed");
        git(path, &["checkout", "-qb", "other"]);
        put("in/é.toml", "x = 2\n");
        git(path, &["checkout", "-q", "main"]);
        put("here.toml", "x = 2\n");
        git(path, &["merge", "-q", "--no-commit", "other"]);
        put("in/merged.toml", "x = 3\n");
        let mut names: Vec<_> = names_in_history(&OsSystem::new(), &path.join("in")).expect("told").into_iter().collect();
        names.sort();
        assert_eq!(names, ["first.toml", "merged.toml", "é.toml"]);
        assert_eq!(names_in_history(&OsSystem::new(), &path.join("nothing")), None);
    }

    #[test]
    fn identical_files_have_separate_histories() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path();
        let commit = |subject: &str| {
            git(path, &["add", "-A"]);
            git(path, &["commit", "-qm", subject]);
        };
        let subjects = |name: &str| -> Vec<String> {
            history(&OsSystem::new(), &path.join(name)).into_iter().map(|revision| revision.subject).collect()
        };
        git(path, &["init", "-q"]);
        let text = "x = 1\n".repeat(50);
        fs::write(path.join("a.toml"), &text).expect("written");
        commit("one");
        fs::write(path.join("copy.toml"), &text).expect("written");
        commit("a copy");
        fs::remove_file(path.join("a.toml")).expect("removed");
        fs::write(path.join("alike.toml"), format!("{text}y = 2\n")).expect("written");
        commit("alike");
        assert_eq!(subjects("copy.toml"), ["a copy"]);
        assert_eq!(subjects("alike.toml"), ["alike"]);
    }
}
