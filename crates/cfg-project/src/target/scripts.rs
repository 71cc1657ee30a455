//! prime-rl in the clone and install commands of a project's scripts and documentation pages: the least reliable source.

mod written;

use std::{
    collections::{HashMap, HashSet},
    path::PathBuf,
};

use cfg_system::{Role, Scope};

use super::{
    Detection, TargetSource, reference,
    requirement::{Pin, in_url, pin},
};
use crate::folder::Folder;
use written::{Step, as_shell, tag_of_image};

/// The maximum number of files that are read of a folder, and of each of its subfolders.
const MAX_FILES: usize = 64;

/// The maximum length of a word in which variables are replaced, and of all such words of a text, in bytes.
const LONGEST_VALUE: usize = 1024;
const MAX_REPLACED: usize = 1 << 20;

/// The maximum number of clones, of revisions and of folders that a text names.
const MAX_NAMED: usize = 1024;

/// The subfolders of a project that contain such files; its own folder is searched as well.
const FOLDERS: [&str; 10] =
    ["scripts", "script", "docker", "setup", "tools", "bin", "infra", "docs", ".devcontainer", ".github/workflows"];

/// The prime-rl that the scripts in `folder` check out or install, or else the one in the commands of its documentation pages.
pub(super) fn detect(folder: &Folder) -> Option<Detection> {
    texts(folder).find_map(|(path, text)| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        named(&as_shell(name, &text)).into_iter().find_map(|(line, revision)| {
            let found = reference::of_revision(&revision, TargetSource::Script { path: path.clone(), line })?;
            // A text that is not a full hash may be a tag of another project.
            (found.is_ok() || revision.len() == 40).then_some(found)
        })
    })
}

/// The scripts and pages of the project in `folder` and its subfolders for them, as far as they mention prime-rl, each with its path; the most reliable
/// first.
pub(super) fn texts(folder: &Folder) -> impl Iterator<Item = (PathBuf, String)> {
    let names = if folder.is_in_project() { names(folder) } else { Vec::new() };
    names.into_iter().take(MAX_FILES).filter_map(|(_, name)| {
        let path = folder.path().join(&name);
        let text = folder.system().text(&path, Role::Project).filter(|text| reference::mentions_prime_rl(text))?;
        Some((path, text))
    })
}

fn names(folder: &Folder) -> Vec<(Form, String)> {
    let first = |name: &str| name.split('/').next().unwrap_or_default().to_owned();
    let is_there = |name: &&&str| folder.folders_of_project().iter().any(|known| *known == first(name));
    let below = FOLDERS.iter().filter(is_there).flat_map(|name| {
        let entries = folder.system().list(&folder.path().join(name), Scope::Inside).unwrap_or_default();
        entries.into_iter().filter_map(move |entry| Some(format!("{name}/{}", entry.name.to_str()?)))
    });
    let own = folder.files_of_project().iter().cloned();
    let mut files: Vec<(Form, String)> = own.chain(below).filter_map(|name| Some((form(&name)?, name))).collect();
    files.sort();
    files
}

/// The kind of a file, the most reliable first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Form {
    /// What an environment is made of: `environment.yml`, `setup.py`, the metadata of a script.
    Manifest,
    Script,
    Page,
}

fn form(path: &str) -> Option<Form> {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    let is_recipe = ["makefile", "gnumakefile", "justfile", ".justfile"].contains(&&*name);
    if is_recipe
        || ["dockerfile", "containerfile"].iter().any(|first| name.starts_with(first))
        || ends(&[".sh", ".bash", ".mk", ".dockerfile"])
    {
        return Some(Form::Script);
    }
    if ["setup.py", "setup.cfg", "environment.yml", "environment.yaml"].contains(&&*name) {
        return Some(Form::Manifest);
    }
    if ends(&[".yml", ".yaml", ".py", ".slurm", ".sbatch"]) {
        return Some(Form::Script);
    }
    ends(&[".md"]).then_some(Form::Page)
}

/// The revisions of prime-rl that a text checks out after a clone, or installs, each with its line (from 1).
fn named(text: &str) -> Vec<(u32, String)> {
    read(text, Reading::default()).found
}

/// The folders into which the commands of a text go, or in which they start a project's programs: `cd ../prime-rl`, `uv run --project ../prime-rl`.
/// `home` is the user's.
pub(super) fn places(text: &str, home: Option<&str>) -> Vec<String> {
    let mut reading = Reading::default();
    reading.variables.extend(home.map(|home| ("HOME".to_owned(), home.to_owned())));
    let in_home = |place: String| match (place.strip_prefix("~/"), home) {
        (Some(below), Some(home)) => format!("{home}/{below}"),
        _ => place,
    };
    read(text, reading).places.into_iter().map(in_home).collect()
}

fn read(text: &str, mut reading: Reading) -> Reading {
    let mut number = 0;
    let mut whole = String::new();
    for (at, line) in (1u32..).zip(text.lines()) {
        if whole.is_empty() {
            number = at;
        }
        match line.trim_end().strip_suffix('\\') {
            Some(begun) => whole.push_str(begun),
            None => {
                whole.push_str(line);
                reading.line(number, &whole);
                whole.clear();
            }
        }
    }
    reading.line(number, &whole);
    reading
}

/// The state after the lines that have been read.
#[derive(Default)]
struct Reading {
    variables: HashMap<String, String>,
    /// The folder names into which prime-rl was cloned.
    clones: HashSet<String>,
    /// Whether the current folder of the commands is one of these.
    is_inside: bool,
    found: Vec<(u32, String)>,
    /// See [`places`].
    places: Vec<String>,
    /// The step of a workflow that is being read.
    step: Step,
    /// The length of the words in which variables have been replaced, in bytes.
    replaced: usize,
}

impl Reading {
    fn line(&mut self, number: u32, line: &str) {
        let was_inside = self.is_inside;
        // This is a comment, or the heading of a page.
        if line.trim_start().starts_with('#') {
            return;
        }
        if let Some((number, revision)) = self.step.line(number, line) {
            self.find(number, &revision);
        }
        self.recipe(line);
        for command in line.split(['&', ';', '|', '(', ')', '`']) {
            let words = words(command);
            words.iter().for_each(|word| self.assignment(word));
            let words: Vec<String> = words.iter().map(|word| self.value(word)).collect();
            self.installed(number, &words);
            self.folder(&words);
            if let Some(at) = words.iter().position(|word| word == "git") {
                self.git(number, &words[at + 1..]);
            }
        }
        // In the default value of a variable, a bracket may close before the command ends.
        words(line).iter().for_each(|word| self.assignment(word));
        // A `cd` in a subshell or in a build step of an image has no effect on later commands. Each code block of a page starts
        // in the original folder.
        if line.contains("(cd ") || line.starts_with("RUN ") {
            self.is_inside = was_inside;
        }
        if line.trim_start().starts_with("```") {
            self.is_inside = false;
        }
    }

    /// Records `NAME=value`, also `NAME=${OTHER:-value}`.
    fn assignment(&mut self, word: &str) {
        let Some((name, value)) = word.split_once('=') else { return };
        let name = name.trim_end_matches([':', '?']);
        let is_name = !name.is_empty() && name.chars().all(|character| character.is_ascii_alphanumeric() || character == '_');
        if is_name && !value.is_empty() {
            let value = self.value(value);
            self.variables.entry(name.to_owned()).or_insert(value);
        }
    }

    /// Records a variable of a recipe: `NAME := value`.
    fn recipe(&mut self, line: &str) {
        let (name, rest) = line.split_once(' ').unwrap_or((line, ""));
        let value = [":= ", "?= ", "= "].iter().find_map(|sign| rest.trim_start().strip_prefix(sign));
        if let Some(value) = value.map(|value| words(value).join(" ")).filter(|value| !value.contains(' ')) {
            self.assignment(&format!("{name}={value}"));
        }
    }

    /// A word in which known variables are replaced. It is empty if it gets too long: then it names nothing.
    fn value(&mut self, word: &str) -> String {
        if !word.contains('$') {
            return word.to_owned();
        }
        let mut value = String::new();
        let mut rest = word;
        while let Some((before, behind)) = rest.split_once('$') {
            value.push_str(before);
            let (name, after) = match behind.strip_prefix('{').and_then(|inner| inner.split_once('}')) {
                Some((inner, after)) => (inner, after),
                None => behind.split_at(behind.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(behind.len())),
            };
            let (name, otherwise) = name.split_once(":-").or_else(|| name.split_once('-')).unwrap_or((name, ""));
            value.push_str(self.variables.get(name).map_or(otherwise, String::as_str));
            rest = after;
            if value.len() + rest.len() > LONGEST_VALUE || self.replaced > MAX_REPLACED {
                return String::new();
            }
        }
        value.push_str(rest);
        self.replaced += value.len();
        value
    }

    /// Records an installation: `pip install git+https://host/org/prime-rl@revision`, or of a downloaded archive.
    fn installed(&mut self, number: u32, words: &[String]) {
        for word in words.iter().filter(|word| reference::mentions_prime_rl(word)) {
            let url = word.find("git+").or_else(|| word.find("https://")).map(|at| &word[at..]);
            let pinned = match url {
                Some(url) if is_of_prime_rl(url) => in_url(url),
                Some(_) => None,
                None => pin(word).or_else(|| tag_of_image(word).map(Pin::Revision)),
            };
            if let Some(Pin::Revision(revision) | Pin::Version(revision)) = pinned {
                self.find(number, revision);
            }
        }
    }

    fn folder(&mut self, words: &[String]) {
        let at = words.iter().position(|word| matches!(word.as_str(), "cd" | "pushd" | "WORKDIR"));
        if let Some(folder) = at.and_then(|at| words.get(at + 1)) {
            self.is_inside = self.is_clone(folder);
            self.place(folder);
        }
        let mut options = words.iter().skip_while(|word| *word != "uv").skip(1);
        while let Some(word) = options.next() {
            let (option, value) = word.split_once('=').map_or((word.as_str(), None), |(option, value)| (option, Some(value)));
            if matches!(option, "--project" | "--directory") {
                value.or_else(|| options.next().map(String::as_str)).into_iter().for_each(|folder| self.place(folder));
            }
        }
    }

    fn place(&mut self, folder: &str) {
        if self.places.len() < MAX_NAMED {
            self.places.push(folder.to_owned());
        }
    }

    /// Whether a folder is a clone of prime-rl: one that a command made, or one of its name, which an installer may have made.
    fn is_clone(&self, folder: &str) -> bool {
        self.clones.contains(last(folder)) || reference::is_prime_rl(last(folder))
    }

    fn git(&mut self, number: u32, words: &[String]) {
        let mut rest = words.iter();
        let mut is_inside = self.is_inside;
        while let Some(word) = rest.next() {
            match word.as_str() {
                "-C" => is_inside = rest.next().is_some_and(|folder| self.is_clone(folder)),
                "-c" => drop(rest.next()),
                "clone" => return self.clone(number, rest.as_slice()),
                "checkout" | "switch" | "reset" | "fetch" => {
                    let named = rest.rfind(|word| !word.starts_with('-') && *word != "origin");
                    if let Some(revision) = named.filter(|_| is_inside) {
                        self.find(number, revision);
                    }
                    return;
                }
                option if option.starts_with('-') => {}
                _ => return,
            }
        }
    }

    /// Records the arguments of `git clone`.
    fn clone(&mut self, number: u32, words: &[String]) {
        let mut places = Vec::new();
        let mut branch = None;
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            match word.as_str() {
                "-b" | "--branch" | "--revision" => branch = rest.next().map(String::as_str),
                "--depth" | "-o" | "--origin" | "-j" | "--jobs" | "--filter" | "-c" => drop(rest.next()),
                option if option.starts_with('-') => {
                    branch = ["--branch=", "--revision="].iter().find_map(|option| word.strip_prefix(option)).or(branch);
                }
                place => places.push(place),
            }
        }
        let Some((url, folder)) = places.split_first().filter(|(url, _)| reference::names_prime_rl(url)) else { return };
        if self.clones.len() < MAX_NAMED {
            self.clones.insert(last(folder.first().unwrap_or(url)).to_owned());
        }
        if let Some(branch) = branch {
            let branch = branch.to_owned();
            self.find(number, &branch);
        }
    }

    /// Records a commit or a version. Branches are ignored, because they change over time.
    fn find(&mut self, number: u32, revision: &str) {
        let is_moving = matches!(revision, "main" | "HEAD" | "latest");
        let is_date = revision.len() >= 10 && revision.as_bytes()[4] == b'-';
        if !revision.is_empty() && !is_moving && !is_date && self.found.len() < MAX_NAMED {
            self.found.push((number, revision.to_owned()));
        }
    }
}

/// Whether a URL is that of a prime-rl repository, or of an archive of one.
fn is_of_prime_rl(url: &str) -> bool {
    let url = url.split(['#', '?']).next().unwrap_or_default();
    let repository = url.split("/archive/").next().unwrap_or_default();
    let without_revision =
        repository.rsplit_once('@').filter(|(place, _)| place.contains("//")).map_or(repository, |(place, _)| place);
    reference::names_prime_rl(without_revision)
}

/// The words of a command, with quotes removed.
fn words(command: &str) -> Vec<String> {
    let plain = |word: &str| word.trim_matches(['"', '\'', '`', ',', '[', ']']).replace(['"', '\''], "");
    command.split_whitespace().map(plain).filter(|word| !word.is_empty()).collect()
}

/// The last part of a path or URL, which git uses as the folder name of a clone.
fn last(place: &str) -> &str {
    let place = place.trim_end_matches('/');
    let last = place.rsplit(['/', ':']).next().unwrap_or(place);
    last.strip_suffix(".git").unwrap_or(last)
}

#[cfg(test)]
mod tests {
    use super::named;

    fn revisions(text: &str) -> Vec<String> {
        named(text).into_iter().map(|(_, revision)| revision).collect()
    }

    #[test]
    fn a_checkout_after_a_clone_is_the_target() {
        let url = "https://github.com/PrimeIntellect-ai/prime-rl";
        for (text, wanted) in [
            (format!("git clone {url}.git\ngit -C prime-rl checkout 0c58f007bcbe\n"), "0c58f007bcbe"),
            (format!("git clone -q {url} && cd prime-rl && git checkout -q d564195ca\n"), "d564195ca"),
            (
                format!(
                    "PIN=\"${{PRIME_RL_REF:-v0.9.0}}\"\nif x; then git clone {url}; fi\ncd prime-rl\nif y; then git checkout -q \"$PIN\"; fi\n"
                ),
                "v0.9.0",
            ),
            (format!("git clone --depth 1 -b v0.4.0 {url}\n"), "v0.4.0"),
            (format!("git clone --branch=v0.4.0 {url} \\\n  /opt/p\n"), "v0.4.0"),
            (
                format!("DIR=\"${{DIR:-/workspace/prl}}\"\ngit clone {url} \"$DIR\"\ngit -C \"$DIR\" fetch origin d564195ca\n"),
                "d564195ca",
            ),
            (
                format!(
                    "ARG PRIME_RL_COMMIT=d564195ca\nRUN git clone {url} /src \\\n && cd /src \\\n && git checkout ${{PRIME_RL_COMMIT}}\n"
                ),
                "d564195ca",
            ),
            (format!("uv pip install \"prime-rl @ git+{url}.git@d564195ca\"\n"), "d564195ca"),
            (format!("pip install git+{url}@v0.5.0#subdirectory=packages/prime-rl-configs\n"), "v0.5.0"),
            (format!("curl -L {url}/archive/refs/tags/v0.8.0.tar.gz | tar xz\n"), "refs/tags/v0.8.0"),
            ("uv pip install prime-rl==0.4.0\n".to_owned(), "0.4.0"),
            (
                format!("Set it up:\n\n```bash\n$ git clone {url}\n$ cd prime-rl\n$ git checkout `d564195ca`\n```\n")
                    .replace('`', ""),
                "d564195ca",
            ),
        ] {
            assert_eq!(revisions(&text), [wanted], "{text}");
        }
    }

    #[test]
    fn a_checkout_in_another_folder_is_not_the_target() {
        let url = "https://github.com/PrimeIntellect-ai/prime-rl";
        for text in [
            format!("git clone {url}\ngit -C verifiers checkout 0c58f007bcbe\n"),
            format!("git clone {url}\ncd prime-rl\ngit checkout main\ngit checkout $UNKNOWN\n"),
            format!("git clone {url}\ncd prime-rl\ncd ../verifiers\ngit checkout 0c58f007bcbe\n"),
            "git clone https://github.com/PrimeIntellect-ai/verifiers\ncd verifiers && git checkout v0.1.3\n".to_owned(),
            "pip install git+https://github.com/PrimeIntellect-ai/verifiers@v0.1.3 prime-rl\n".to_owned(),
            format!("git clone -b main {url}\n"),
            format!("# git clone {url}\n# git -C prime-rl checkout 0c58f007bcbe\n"),
            format!("git clone {url}\n(cd prime-rl && uv sync)\ngit checkout 0c58f007bcbe\n"),
            format!("RUN git clone {url} && cd prime-rl && uv sync\nRUN git checkout 0c58f007bcbe\n"),
            format!("```\ngit clone {url}\ncd prime-rl\n```\n```\ngit checkout 0c58f007bcbe\n```\n"),
        ] {
            assert!(revisions(&text).is_empty(), "{text}");
        }
    }
}
