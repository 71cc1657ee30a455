//! What the repository around the folder already has: hooks and CI.

use std::path::{Path, PathBuf};

use cfg_draft::project::{CiJob, PRE_COMMIT_HOOK, github_workflow, gitlab_file, gitlab_job};
use cfg_system::{Role, Scope};

use crate::{args::Ci, commands::hook::install, context::Context};

const PRE_COMMIT: &str = ".pre-commit-config.yaml";
const WORKFLOWS: &str = ".github/workflows";
const GITHUB_FILE: &str = ".github/workflows/configs.yml";
const GITLAB_FILE: &str = ".gitlab-ci.yml";
const GITLAB_JOB: &str = ".gitlab/cfg.yml";

/// Files and folders of other programs that manage git's hooks.
const HOOK_MANAGERS: [(&str, &str); 4] =
    [("lefthook.yml", "lefthook"), (".lefthook.yml", "lefthook"), (".husky", "husky"), (".overcommit.yml", "overcommit")];

/// The line that a hook of another program needs.
const LINE: &str = "cfg hook run || exit 1";

/// What the author has to do, because existing files are not changed.
#[derive(Default)]
pub(super) struct Advice {
    /// Files to which a text is to be added.
    pub(super) additions: Vec<(String, String)>,
    pub(super) notes: Vec<String>,
}

/// The root of the repository around this folder, or this folder.
pub(super) fn root(cx: &Context) -> PathBuf {
    let here = cx.system.absolute(Path::new("."));
    cfg_system::around(&here).find(|folder| cx.system.is_repository(folder)).map_or_else(|| here.clone(), Path::to_owned)
}

/// The place of the git hook that is installed; `None` if there is a hook, or another program manages the hooks, which is noted.
pub(super) fn hook(cx: &Context, root: &Path, advice: &mut Advice) -> Option<PathBuf> {
    if let Some(text) = cx.system.text(&root.join(PRE_COMMIT), Role::Project) {
        if runs_cfg(&text) {
            advice.notes.push(format!("{PRE_COMMIT} already checks configs; no git hook is installed"));
        } else {
            advice.notes.push("pre-commit manages the hooks here, so no git hook is installed".to_owned());
            advice.additions.push((PRE_COMMIT.to_owned(), PRE_COMMIT_HOOK.to_owned()));
        }
        return None;
    }
    if let Some((_, name)) = HOOK_MANAGERS.iter().find(|(file, _)| cx.system.is_there(&root.join(file))) {
        advice
            .notes
            .push(format!("{name} manages the hooks here, so no git hook is installed; let its pre-commit hook run `{LINE}`"));
        return None;
    }
    let free = install::free_place(cx);
    if free.is_none() {
        match install::foreign_hook(cx) {
            Some(existing) => advice.additions.push((cx.system.shown(&existing), format!("{LINE}\n"))),
            None => advice.notes.extend(install::obstacle(cx).map(|why| format!("{why}, so no git hook is installed"))),
        }
    }
    free
}

/// Whether a registry is around this folder.
pub(super) fn has_registry(cx: &Context) -> bool {
    cfg_registry::place::find(&*cx.system, Path::new(".")).is_ok_and(|found| found.is_some())
}

/// The files for CI, at the places where it reads them. What exists is not changed, which is noted.
pub(super) fn ci_files(
    cx: &Context,
    root: &Path,
    service: Option<Ci>,
    needs_commits: bool,
    advice: &mut Advice,
) -> Vec<(PathBuf, String)> {
    let Some(service) = service else {
        suggest(cx, root, &mut advice.notes);
        return Vec::new();
    };
    let folder = folder_below(cx, root);
    let job = CiJob { folder: &folder, needs_commits };
    let files = match service {
        Ci::Github => vec![(GITHUB_FILE, github_workflow(&job))],
        Ci::Gitlab => vec![(GITLAB_JOB, gitlab_job(&job)), (GITLAB_FILE, gitlab_file(GITLAB_JOB))],
    };
    let mut new = Vec::new();
    for (name, text) in files {
        let path = place(cx, root, name);
        if !cx.system.is_there(&path) {
            new.push((path, text));
        } else if name != GITLAB_FILE {
            advice.notes.push(format!("{} already exists and is not changed", path.display()));
        } else if !cx.system.text(&path, Role::Project).is_some_and(|text| text.contains(GITLAB_JOB)) {
            advice.additions.push((path.display().to_string(), gitlab_file(GITLAB_JOB)));
        }
    }
    if !new.is_empty() {
        advice.notes.push(
            "CI runs the check once the variable CFG_PACKAGE names what pip installs, such as the URL of a wheel of cfg"
                .to_owned(),
        );
    }
    new
}

/// Notes which CI the repository has, if it does not check configs yet.
fn suggest(cx: &Context, root: &Path, notes: &mut Vec<String>) {
    let workflows = root.join(WORKFLOWS);
    let entries = cx.system.list(&workflows, Scope::Inside).unwrap_or_default();
    let texts: Vec<String> =
        entries.iter().filter_map(|entry| cx.system.text(&workflows.join(&entry.name), Role::Project)).collect();
    if !texts.is_empty() && !texts.iter().any(|text| runs_cfg(text)) {
        notes.push("this repository has workflows of GitHub; `--ci github` adds one that checks the configs".to_owned());
    }
    if let Some(text) = cx.system.text(&root.join(GITLAB_FILE), Role::Project)
        && !runs_cfg(&text)
        && !text.contains(GITLAB_JOB)
    {
        notes.push("this repository has a CI file of GitLab; `--ci gitlab` adds a job that checks the configs".to_owned());
    }
}

fn runs_cfg(text: &str) -> bool {
    ["cfg check", "cfg hook", "id: cfg-", "cfg-prime-rl"].iter().any(|words| text.contains(words))
}

/// The path of a file at the root; relative if that is this folder.
fn place(cx: &Context, root: &Path, name: &str) -> PathBuf {
    if root == cx.system.absolute(Path::new(".")) { PathBuf::from(name) } else { root.join(name) }
}

/// This folder relative to the root; empty for the root, and for a name that would need quotes, so that everything is checked.
fn folder_below(cx: &Context, root: &Path) -> String {
    let here = cx.system.absolute(Path::new("."));
    let below = here.strip_prefix(root).unwrap_or(Path::new("")).to_string_lossy().replace('\\', "/");
    let is_plain = below.chars().all(|character| character.is_ascii_alphanumeric() || "/._-".contains(character));
    if is_plain && !below.starts_with('-') { below } else { String::new() }
}
