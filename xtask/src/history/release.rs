//! `cargo xtask history release PACKAGE VERSION WHEEL PRIME-RL VERIFIERS`: finds the schema commits whose recorded classes a released version of a
//! package has, and writes them into `schemas/releases.tsv`.

use std::{fs, path::Path, process::Command};

use cfg_python::Declarations;
use cfg_schema::{History, Point};

use crate::{generate::root, mirror::Mirror};

/// A released version of a package, as a wheel or an unpacked folder.
pub(crate) struct Release<'r> {
    /// The name for Python's `import`.
    pub(crate) package: &'r str,
    pub(crate) version: &'r str,
    pub(crate) wheel: &'r Path,
}

/// Replaces the lines of this version, and returns lines for a person to review.
pub(crate) fn write(release: &Release<'_>, mirror: &mut Mirror) -> Result<Vec<String>, String> {
    let Release { package, version, wheel } = *release;
    let unpacked = tempfile::tempdir().map_err(|error| error.to_string())?;
    let folder = if wheel.is_dir() { wheel } else { unpack(wheel, unpacked.path())? };
    if !folder.join(package).is_dir() {
        return Err(format!("{}: there is no folder `{package}` in it", wheel.display()));
    }
    let history = History::built_in();
    let (mut same, mut news) = (Vec::new(), Vec::new());
    for index in 0..=history.newest().0 {
        let point = Point(index);
        let commit = history.commit_of(point).ok_or("a point without a commit")?;
        if !cfg_schema::compiler::uses(package, point) {
            continue;
        }
        let why = match mirror.read_with(&commit.sha(), point, package, folder) {
            Err(why) => Some(why),
            Ok(read) => difference(&read, point)?,
        };
        match why {
            None => same.push(index),
            Some(why) => news.push(format!("{} of {}: {why}", commit.short_sha(), commit.day())),
        }
    }
    let name = |index: u16| history.commit_of(Point(index)).map(cfg_schema::Commit::short_sha).unwrap_or_default();
    let spans = same.chunk_by(|one, next| next - one == 1);
    let lines = spans.filter_map(|span| Some((*span.first()?, *span.last()?)));
    let lines: Vec<String> =
        lines.map(|(first, last)| format!("{package}\t{version}\t{}\t{}", name(first), name(last))).collect();
    news.push(match lines.len() {
        0 => format!("{package} {version} has the recorded classes beside no commit: nothing is written"),
        _ => format!(
            "{package} {version} has the recorded classes beside {} of {} schema commits",
            same.len(),
            same.len() + news.len()
        ),
    });
    let path = root().join("schemas/releases.tsv");
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    fs::write(&path, with_lines(&text, &format!("{package}\t{version}\t"), lines))
        .map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(news)
}

/// The difference between the classes that were read and the history at a point; `None` if there is none.
fn difference(read: &Declarations, point: Point) -> Result<Option<String>, String> {
    if let Some(absent) = read.unknown.iter().find(|unknown| unknown.absent.is_some()) {
        return Ok(Some(absent.to_string()));
    }
    // If the code of a check was never recorded, only its name is known.
    let recorded = cfg_schema::compiler::revisions_at(point);
    let changed = read.code.changed();
    if let Some(check) = changed.iter().find(|check| recorded.iter().any(|(_, name, _)| *name == check.name)) {
        return Ok(Some(format!("the check `{}` has other code", check.name)));
    }
    let differences = cfg_schema::compiler::differences(cfg_schema::compiler::compile(&read.kinds, &[], point)?, point);
    let Some(first) = differences.first() else { return Ok(None) };
    let text = |side: &Option<String>| side.clone().unwrap_or_else(|| "nothing".to_owned());
    let (known, own) = (text(&first.known), text(&first.own));
    Ok(Some(format!("{} fields differ: {} is {own}, not {known}", differences.len(), first.path)))
}

/// The text with these lines, sorted, in place of those with the same beginning.
fn with_lines(text: &str, begin: &str, lines: Vec<String>) -> String {
    let (head, rest): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with('#'));
    let rest = rest.into_iter().filter(|line| !line.starts_with(begin)).map(str::to_owned);
    let mut rest: Vec<String> = rest.chain(lines).collect();
    let key = |line: &String| line.split('\t').take(2).map(str::to_owned).collect::<Vec<_>>();
    rest.sort_by_key(key);
    head.into_iter().map(str::to_owned).chain(rest).map(|line| line + "\n").collect()
}

/// A wheel is a zip archive, which Python can read on every system.
pub(super) fn unpack<'f>(wheel: &Path, folder: &'f Path) -> Result<&'f Path, String> {
    let mut python = Command::new("python3");
    python.args(["-m", "zipfile", "-e"]).arg(wheel).arg(folder);
    let done = python.output().map_err(|error| format!("python3: {error}"))?;
    if done.status.success() { Ok(folder) } else { Err(String::from_utf8_lossy(&done.stderr).trim().to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::with_lines;

    #[test]
    fn the_lines_of_a_release_replace_the_old_ones() {
        let text = "# head\nrenderers\t0.1.8\ta\tb\nverifiers\t0.2.0\ta\tb\nverifiers\t0.2.0\td\te\nverifiers\t0.3.0\ta\tb\n";
        let changed = with_lines(text, "verifiers\t0.2.0\t", vec!["verifiers\t0.2.0\tc\tc".to_owned()]);
        assert_eq!(changed, "# head\nrenderers\t0.1.8\ta\tb\nverifiers\t0.2.0\tc\tc\nverifiers\t0.3.0\ta\tb\n");
    }
}
