//! What the project around a file says that rules can use.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use cfg_budget::Shape;
use cfg_check::{LookUp, Nearby, Project, SplitFile, SplitRun};
use cfg_project::Projects;

/// Looks up what lies around one file.
struct Around {
    projects: Arc<Projects>,
    path: PathBuf,
}

impl LookUp for Around {
    fn shape(&self, name: &str) -> Option<Shape> {
        let model = self.projects.model(name, &self.path)?;
        let architecture = model.shape.clone().ok()?;
        Some(Shape { architecture, confirmed: true, weights_on_disk: model.weights_on_disk })
    }

    fn hardware(&self) -> Option<String> {
        self.projects.registered_hardware(&self.path)
    }

    fn split_runs(&self) -> Vec<SplitRun> {
        let file = |file: cfg_project::SplitFile| SplitFile {
            kind: file.kind,
            path: file.path.to_string_lossy().into_owned(),
            text: file.text,
            is_checked: false,
        };
        let run = |run: cfg_project::SplitRun| SplitRun {
            is_declared: run.is_declared,
            kind: run.kind,
            files: run.files.into_iter().map(file).collect(),
        };
        self.projects.split_runs(&self.path).into_iter().map(run).collect()
    }
}

/// What the settings that hold for a file say, and what lies around it; the latter is looked up once a rule asks.
pub fn project_around(projects: &Arc<Projects>, path: &Path) -> Project {
    let found = projects.settings(path);
    let settings = &found.settings;
    let mut project = Project {
        gpu: settings.gpu.as_ref().map(|gpu| (gpu.value.count, gpu.value.name.clone())),
        gpus: settings.cards(),
        extend: settings.extend.iter().map(|(path, ty)| (path.clone(), ty.value.clone())).collect(),
        disk: settings.disk.as_ref().map(|disk| disk.value),
        nearby: Nearby::new(Around { projects: Arc::clone(projects), path: path.to_owned() }),
        ..Project::default()
    };
    for (name, keys) in &settings.environments {
        let declared = project.environments.entry(name.clone()).or_default();
        declared.extend(keys.iter().map(|(key, value)| (key.clone(), value.value.to_string())));
    }
    project
}
