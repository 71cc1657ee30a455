//! Any bytes as the files that configure checks: `cfg.toml`, `pyproject.toml`, and the files that determine a project's prime-rl. No panic, every
//! location is within its text, and patterns match in bounded time.
//!
//! A zero byte ends a file and begins the next one of [`FILES`].

#![no_main]

use std::{path::Path, sync::Arc};

use cfg_diag::{Diagnostic, FileId, Severity, codes};
use cfg_fuzz::{put, within};
use cfg_project::{Projects, Selector};
use cfg_rules::Project;
use cfg_system::{MemorySystem, System};
use libfuzzer_sys::fuzz_target;

const FILES: [&str; 7] = [
    "/here/cfg.toml",
    "/here/pyproject.toml",
    "/here/sub/cfg.toml",
    "/here/uv.lock",
    "/here/requirements.txt",
    "/here/.gitmodules",
    "/here/.cfg/schemas/fork",
];

fuzz_target!(|bytes: &[u8]| {
    let _budget = cfg_fuzz::command();
    let system = Arc::new(MemorySystem::with_files([("/here/.git/HEAD", "ref: refs/heads/main\n")]));
    for (path, bytes) in FILES.iter().zip(bytes.split(|byte| *byte == 0)) {
        put(&system, path, bytes);
    }
    let reading: Arc<dyn System> = Arc::<MemorySystem>::clone(&system);
    let projects = Arc::new(Projects::new(Arc::clone(&reading), None));
    let configs = ["/here/a.toml", "/here/sub/b.toml", "/here/sub/deep/er/than/é/c.toml", "/elsewhere/d.toml"];
    for config in configs.map(Path::new) {
        let found = projects.settings(config);
        let settings = &found.settings;
        for entry in &settings.lint.per_file_ignores {
            std::hint::black_box(configs.map(|config| entry.files.matches(Path::new(config))));
        }
        for code in [&codes::UNKNOWN_KEY, &codes::WRONG_TYPE, &codes::MISSING_KEY] {
            settings.lint.severity(code, Severity::Error, config);
        }
        settings.groups.iter().for_each(|group| assert!(group.value.files().count() <= 3));
        settings.cards();
        projects.target(config);
        Project::around(&projects, config);
        let mut diagnostics = vec![Diagnostic::new(&codes::UNKNOWN_KEY, "unknown")];
        let select: Vec<Selector> = "PRL1".parse().into_iter().collect();
        projects.apply_lint(config, &select, &[], &mut diagnostics, |_| false);
    }
    projects.odd_targets();
    for file in projects.diagnostics() {
        within(&file.diagnostics, &|id| (id == FileId(0)).then_some(&*file.text));
    }
    for path in ["/here/cfg.toml", "/here/pyproject.toml"] {
        if let Some(text) =
            reading.read(Path::new(path), cfg_system::Role::Settings).ok().and_then(|bytes| String::from_utf8(bytes).ok())
        {
            within(&projects.wrong_in(Path::new(path), &text), &|id| (id == FileId(0)).then_some(&*text));
        }
        let explicit = Projects::new(Arc::clone(&reading), Some(Path::new(path)));
        explicit.settings(Path::new("/here/sub/b.toml"));
        explicit.target(Path::new("/here/sub/b.toml"));
    }
});
