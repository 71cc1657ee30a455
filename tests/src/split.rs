//! Examples of split runs: one text that contains several files. A line such as `# orch.toml, of the same run` begins the next file.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use cfg_check::{FileSet, Project, Request, Session, check};
use cfg_diag::Diagnostic;
use cfg_project::Projects;
use cfg_schema::{Kind, Target};
use cfg_system::{MemorySystem, System};

/// The text after the name of a further file.
const FURTHER: &str = ", of the same run";

/// A file of an example.
struct Part {
    kind: Kind,
    path: String,
    /// Its text, after blanks in place of the preceding files, so that its locations are those of the example.
    text: String,
}

/// Whether an example contains several files of one run.
pub fn is_split(text: &str) -> bool {
    text.lines().any(|line| line.ends_with(FURTHER))
}

/// All findings in the files of an example, each in the file where it is reported, at its line in the example. `path` is the name of the first file.
pub fn check_split(session: &Session, path: &str, target: &Target, text: &str) -> Vec<Diagnostic> {
    let parts = parts(path, text);
    let mut settings = String::from("[[group]]\n");
    parts.iter().for_each(|part| settings.push_str(&format!("{} = {:?}\n", part.kind, part.path)));
    let files = parts.iter().map(|part| (part.path.as_str(), part.text.as_str()));
    let system: Arc<dyn System> = Arc::new(MemorySystem::with_files(files.chain([("cfg.toml", settings.as_str())])));
    let projects = Arc::new(Projects::new(system, None));
    let all = Arc::new(FileSet::new(parts.iter().map(|part| PathBuf::from(&part.path)).collect()));
    let mut found = Vec::new();
    for part in &parts {
        let mut project = Project::around(&projects, Path::new(&part.path));
        project.nearby = project.nearby.beside(&all);
        let request = Request {
            kind: Some(part.kind),
            target: Some(target.clone()),
            project: Some(&project),
            ..Request::new(&part.path, &part.text)
        };
        found.extend(check(session, request).diagnostics);
    }
    found
}

fn parts(first: &str, text: &str) -> Vec<Part> {
    let blank = |text: &str| text.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect();
    let new = |path: &str, text| Part { kind: kind(path), path: path.to_owned(), text };
    let (mut parts, mut at) = (vec![new(first, String::new())], 0);
    for line in text.split_inclusive('\n') {
        if let Some(path) = line.trim_end().strip_prefix("# ").and_then(|line| line.strip_suffix(FURTHER)) {
            parts.push(new(path, blank(&text[..at])));
        }
        if let Some(part) = parts.last_mut() {
            part.text.push_str(line);
        }
        at += line.len();
    }
    parts
}

fn kind(path: &str) -> Kind {
    match path {
        path if path.starts_with("train") => Kind::Trainer,
        path if path.starts_with("orch") => Kind::Orchestrator,
        _ => Kind::Inference,
    }
}
