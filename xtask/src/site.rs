//! `cargo xtask site`: makes the site, in `target/site/html`, from `docs/` and `mkdocs.yml`.
//!
//! The pages are copied first. In the copies, a link to a file of the repository that is not a page becomes plain text, and the list of findings is
//! added, which is generated from the program's tables. mkdocs then refuses broken links. The playground is included if `cargo xtask playground` has
//! built it.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    path::{Component, Path, PathBuf},
    process::Command,
};

use cfg_diag::{Severity, codes};

use crate::{dist, generate::root, playground::files_below, say, tools};

/// From `PyPI`; it includes its themes and the search.
const TOOLS: [&str; 1] = ["mkdocs-material==9.8.2"];

/// Pages from other places in the repository.
const ELSEWHERE: [(&str, &str); 3] =
    [("ARCHITECTURE.md", "architecture.md"), ("CHANGELOG.md", "changelog.md"), ("CONTRIBUTING.md", "contributing.md")];

/// The families of findings, by the beginning of their codes, for the navigation.
const FAMILIES: [(&str, &str); 9] = [
    ("PRL0", "Files and syntax"),
    ("PRL1", "Keys and values"),
    ("PRL2", "prime-rl's own checks"),
    ("PRL3", "Failures of a run"),
    ("PRL4", "Memory and disk"),
    ("PRL5", "Environments"),
    ("PRL6", "Models"),
    ("PRL7", "Versions"),
    ("PRL8", "Launch and machine"),
];

/// The entry of `mkdocs.yml` in whose place the pages of all findings are.
const FINDINGS: &str = "      - Every finding: rules/index.md\n";

/// The pages that a search shows before others that match as well, and by how much: a guide before the findings that mention its subject.
const FIRST_FOUND: [(&str, u32); 2] = [("control.md", 4), ("migrate.md", 2)];

/// Files of the repository: the path from the root, and the page or file of the site.
type Files = BTreeMap<PathBuf, PathBuf>;

/// Builds the site.
pub(crate) fn write() -> Result<(), String> {
    let root = root().canonicalize().map_err(|error| error.to_string())?;
    let target = dist::target_folder(&dist::metadata(&root)?);
    let folder = target.join("site");
    drop(fs::remove_dir_all(&folder));
    let files = files(&root)?;
    for (source, page) in &files {
        let bytes = fs::read(root.join(source)).map_err(|error| format!("{}: {error}", source.display()))?;
        let is_page = source.extension().is_some_and(|ending| ending == "md");
        let bytes = if is_page {
            let text = linked(&String::from_utf8_lossy(&bytes), source, page, &files);
            with_boost(with_code(text, page), page).into_bytes()
        } else {
            bytes
        };
        put(&folder.join("docs").join(page), &bytes)?;
    }
    put(&folder.join("docs/rules/index.md"), findings().as_bytes())?;
    let settings = fs::read_to_string(root.join("mkdocs.yml")).map_err(|error| format!("mkdocs.yml: {error}"))?;
    put(&folder.join("mkdocs.yml"), with_findings(&settings)?.as_bytes())?;
    let programs = tools::from_pypi(&target, "site", &TOOLS)?;
    let mut mkdocs = Command::new(programs.join("mkdocs"));
    mkdocs.args(["build", "--strict", "--config-file"]).arg(folder.join("mkdocs.yml")).arg("--site-dir").arg(folder.join("html"));
    tools::run(
        mkdocs.env("CFG_SITE_PAGES", folder.join("docs")).env("NO_MKDOCS_2_WARNING", "1").env("DISABLE_MKDOCS_2_WARNING", "true"),
    )?;
    let playground = target.join("playground");
    if playground.join("cfg.wasm").is_file() {
        for file in files_below(&playground, "")? {
            let bytes = fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
            put(&folder.join("html/play").join(file.file_name().unwrap_or_default()), &bytes)?;
        }
    } else {
        say("without the playground: run `cargo xtask playground` first");
    }
    say(&format!("{}", folder.join("html").display()));
    Ok(())
}

fn put(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let made = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(path, bytes));
    made.map_err(|error| format!("{}: {error}", path.display()))
}

/// The files of the site.
fn files(root: &Path) -> Result<Files, String> {
    let mut files = Files::new();
    let mut add = |folder: &str, ending: &str, place: &dyn Fn(&Path) -> Option<PathBuf>| -> Result<(), String> {
        for path in files_below(&root.join(folder), ending)? {
            let path = path.strip_prefix(root).unwrap_or(&path).to_owned();
            files.extend(place(&path).map(|page| (path, page)));
        }
        Ok(())
    };
    add("docs", "", &|path| path.strip_prefix("docs").ok().map(Path::to_owned))?;
    // Schemas of reports and configs, which programs and editors read from the site.
    add("schemas", "json", &|path| Some(path.to_owned()))?;
    add("editors", "md", &|path| {
        let editor = path.parent()?.file_name()?;
        let is_list = editor == "editors";
        // What npm has installed below has such files, too.
        (path.file_name()? == "README.md" && path.components().count() <= 3)
            .then(|| Path::new("editors").join(if is_list { "index".as_ref() } else { editor }).with_extension("md"))
    })?;
    add("editors/vscode/pictures", "png", &|path| Some(path.to_owned()))?;
    files.extend(ELSEWHERE.map(|(path, page)| (path.into(), page.into())));
    Ok(files)
}

/// The text of a page with links that are valid in the site.
fn linked(text: &str, source: &Path, page: &Path, files: &Files) -> String {
    let mut out = String::with_capacity(text.len());
    let mut is_code = false;
    for line in text.split_inclusive('\n') {
        is_code ^= line.trim_start().starts_with("```");
        out.push_str(&if is_code { line.to_owned() } else { linked_line(line, source, page, files) });
    }
    out
}

fn linked_line(line: &str, source: &Path, page: &Path, files: &Files) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(end) = rest.find("](") {
        let Some(close) = rest[end..].find(')').map(|at| end + at) else { break };
        let address = &rest[end + 2..close];
        let (path, anchor) = address.split_at(address.find('#').unwrap_or(address.len()));
        let start = opening(&rest[..end]);
        match (start, path.is_empty() || path.contains("://") || path.starts_with("mailto:")) {
            (Some(start), false) => {
                let of_repository = tidy(&source.parent().unwrap_or(Path::new("")).join(path));
                let found = files.get(&of_repository).or_else(|| files.get(&of_repository.join("README.md")));
                let (before, words) = (&rest[..start], &rest[start + 1..end]);
                match found {
                    Some(other) => {
                        let _ = write!(out, "{before}[{words}]({}{anchor})", from(page, other));
                    }
                    // A link to something that is not a page is kept, so that mkdocs reports it if it is broken.
                    None if source.starts_with("docs") && of_repository.starts_with("docs") => out.push_str(&rest[..=close]),
                    None => {
                        let _ = write!(out, "{before}{words}");
                    }
                }
            }
            _ => out.push_str(&rest[..=close]),
        }
        rest = &rest[close + 1..];
    }
    out + rest
}

/// The position of the bracket that is closed at the end of a text.
fn opening(text: &str) -> Option<usize> {
    let mut depth = 1;
    for (at, character) in text.char_indices().rev() {
        match character {
            ']' => depth += 1,
            '[' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// A path without `..`.
fn tidy(path: &Path) -> PathBuf {
    let mut tidy = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(tidy.pop()),
            Component::CurDir => {}
            other => tidy.push(other),
        }
    }
    tidy
}

/// The link from one page to a file of the site.
fn from(page: &Path, other: &Path) -> String {
    let depth = page.components().count().saturating_sub(1);
    "../".repeat(depth) + &other.to_string_lossy().replace('\\', "/")
}

/// The page of a finding with its code below the title, so that a search for it leads there, and with a way to all others.
fn with_code(text: String, page: &Path) -> String {
    let name = page.strip_prefix("rules").ok().and_then(|name| name.to_str()?.strip_suffix(".md"));
    let code = name.and_then(|name| codes::ALL.iter().find(|code| code.name == name));
    match (code, text.split_once("\n\n")) {
        (Some(code), Some((title, rest))) => {
            let (code, severity) = (code.code, severity(code.severity));
            format!("{title}\n\n`{code}`, usually {severity} ([every finding](index.md))\n\n{rest}")
        }
        _ => text,
    }
}

/// A page with its rank in searches.
fn with_boost(text: String, page: &Path) -> String {
    match FIRST_FOUND.iter().find(|(name, _)| page == Path::new(name)) {
        Some((_, boost)) => format!("---\nsearch:\n  boost: {boost}\n---\n\n{text}"),
        None => text,
    }
}

/// The settings of the site, with the page of each finding in the navigation: a reader who comes from a search keeps the way to the others.
fn with_findings(settings: &str) -> Result<String, String> {
    let (before, after) = settings.split_once(FINDINGS).ok_or("mkdocs.yml has no entry for the findings")?;
    let mut list = "      - Every finding:\n          - rules/index.md\n".to_owned();
    for (beginning, family) in FAMILIES {
        let _ = writeln!(list, "          - {family}:");
        for code in codes::ALL.iter().filter(|code| code.code.starts_with(beginning)) {
            let _ = writeln!(list, "              - {name}: rules/{name}.md", name = code.name);
        }
    }
    Ok(format!("{before}{list}{after}"))
}

fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "info",
    }
}

/// The list of all findings.
fn findings() -> String {
    let mut page = "# Every finding\n\nEach has a code, which never changes, and a name; both can be selected and ignored. `cfg explain NAME` prints its page.\n\n\
                    | code | name | usually | what it finds |\n|---|---|---|---|\n"
        .to_owned();
    for code in codes::ALL {
        let severity = severity(code.severity);
        let _ = writeln!(page, "| {} | [{name}]({name}.md) | {severity} | {} |", code.code, code.summary, name = code.name);
    }
    page
}
