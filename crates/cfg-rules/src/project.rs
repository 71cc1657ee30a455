//! What the project around a config says that rules can use.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use cfg_budget::Shape;
use cfg_diag::Location;
use cfg_memory::{
    Bytes,
    catalogue::Gpu,
    hardware::{self, Hardware, HardwareError, Named},
};
use cfg_plan::Metadata;
use cfg_project::{Nearby, Projects};
use cfg_schema::{ExtraType, Packages};

/// What the settings of a project say, and what is around the config.
#[derive(Clone, Debug, Default)]
pub struct Project {
    /// The machine that the user requests, as written; it takes precedence over all others: `2x H100`.
    pub asked: Option<Box<str>>,
    /// The machine that the settings state.
    pub gpu: Option<Named>,
    /// GPUs that the table of known ones doesn't have.
    pub gpus: Vec<Gpu>,
    /// What is free on the disk for a run.
    pub disk: Option<Bytes>,
    /// Shapes of models by name or path, which come before those of the catalogue.
    pub shapes: BTreeMap<String, Shape>,
    /// Whether the config's place says that it is for tests: it is below `ci/` or `debug/`, or is called `bench.toml`.
    pub is_for_tests: bool,
    /// What is looked up only once it is asked for.
    pub nearby: Nearby,
    /// The keys of `[environments."org/name"]`, by the environment's name; each value as it is written in TOML.
    pub environments: BTreeMap<String, BTreeMap<String, String>>,
    /// The packages around the config.
    pub packages: Option<Arc<dyn Packages>>,
    /// The keys of `[extend]`: dotted paths, and their types.
    pub extend: Vec<(String, ExtraType)>,
}

/// Who states the hardware.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stated {
    /// The user, on the command line.
    Asked,
    /// The config itself, there.
    Config(Location),
    /// The registry's entry of the config.
    Registry,
    /// The project's settings.
    Settings,
}

/// Hardware that someone states, or why what is stated is none that is known.
pub type Machine = Result<Hardware, HardwareError>;

impl Project {
    /// What the settings that hold for a file say, and what is around it; the latter is looked up once a rule asks.
    pub fn around(projects: &Arc<Projects>, path: &Path) -> Self {
        let found = projects.settings(path);
        let settings = &found.settings;
        let mut project = Self {
            gpu: settings.gpu.as_ref().map(|gpu| gpu.value.clone()),
            gpus: settings.cards(),
            extend: settings.extend.iter().map(|(path, ty)| (path.clone(), ty.value.clone())).collect(),
            disk: settings.disk.as_ref().map(|disk| disk.value),
            nearby: Nearby::around(projects, path),
            packages: Some(projects.packages(path)),
            is_for_tests: projects.is_for_tests(path),
            ..Self::default()
        };
        for (name, keys) in &settings.environments {
            let declared = project.environments.entry(name.clone()).or_default();
            declared.extend(keys.iter().map(|(key, value)| (key.clone(), value.value.to_string())));
        }
        project
    }

    /// The shape of a model that is on this machine.
    pub fn local_shape(&self, name: &str) -> Option<Shape> {
        let model = self.nearby.model(name)?;
        let architecture = model.shape.clone().ok()?;
        Some(Shape { architecture, confirmed: true, weights_on_disk: model.weights_on_disk })
    }

    /// Asks for a machine where its card is known. Elsewhere a config keeps the machine that it states: with none, its memory would not be checked.
    pub fn ask(&mut self, machine: &str) {
        self.asked = hardware::parse(machine, &self.gpus).is_ok().then(|| machine.into());
    }

    /// The machine that a config is for: the one that is asked for, else what it states itself, else what the registry states of it, else what
    /// the settings say.
    pub fn machine(&self, metadata: &Metadata) -> Option<(Machine, Stated)> {
        if let Some(asked) = &self.asked {
            return Some((hardware::parse(asked, &self.gpus), Stated::Asked));
        }
        if let Some(stated) = &metadata.hardware {
            return Some((hardware::parse(&stated.value, &self.gpus), Stated::Config(stated.location)));
        }
        if let Some(text) = self.nearby.hardware() {
            return Some((hardware::parse(&text, &self.gpus), Stated::Registry));
        }
        let Named { count, name, .. } = self.gpu.as_ref()?;
        let found = hardware::find(name, &self.gpus).map(|gpu| Hardware { count: *count, gpu });
        Some((found, Stated::Settings))
    }
}
