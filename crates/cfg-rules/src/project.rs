//! The project around a config, as far as rules use it.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use cfg_diag::Location;
use cfg_memory::{
    Bytes,
    architecture::{ConfigError, ModelConfig},
    catalogue::Gpu,
    hardware::{self, Hardware, HardwareError, Named},
    precision::Precision,
};
use cfg_plan::Metadata;
use cfg_plan::budget::{Origin, Shape};
use cfg_project::{LocalModel, Nearby, ProjectAround, Projects};
use cfg_schema::{ExtraType, Packages};

/// The settings of a project, and what is around the config.
#[derive(Clone, Debug, Default)]
pub struct Project {
    /// The machine that the user requests, as written; it takes precedence over all others: `2x H100`.
    pub requested_gpu: Option<Box<str>>,
    /// The machine that the settings state.
    pub gpu: Option<Named>,
    /// GPUs that are not in the built-in table.
    pub gpus: Vec<Gpu>,
    /// The disk space in bytes that is free for a run.
    pub disk: Option<Bytes>,
    /// Shapes of models by name or path, which take precedence over those of the catalogue.
    pub shapes: BTreeMap<String, Shape>,
    /// Whether the config's path marks it as one for tests: it is in `ci/` or `debug/`, or is named `bench.toml`.
    pub is_for_tests: bool,
    /// Whether the config's name marks it as a template, whose values are to be replaced: `rl.template.toml`.
    pub is_template: bool,
    /// Facts that are only looked up when needed.
    pub nearby: Nearby,
    /// The keys of `[environments."org/name"]`, by the environment's name; each value in TOML notation.
    pub environments: BTreeMap<String, BTreeMap<String, String>>,
    /// The packages around the config.
    pub packages: Option<Arc<dyn Packages>>,
    /// The keys of `[extend]`: dotted paths, and their types.
    pub extend: Vec<(String, ExtraType)>,
}

/// Where the hardware is stated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MachineSource {
    /// The user, on the command line.
    CommandLine,
    /// In the config itself, at this location.
    Config(Location),
    /// The registry's entry of the config.
    Registry,
    /// The project's settings.
    Settings,
}

/// The stated hardware, or why it is unknown.
pub type Machine = Result<Hardware, HardwareError>;

impl Project {
    /// The settings for a file, and what is around it; the latter is looked up when a rule needs it.
    pub fn around(projects: &Arc<Projects>, path: &Path) -> Self {
        let ProjectAround { settings, packages, is_for_tests, is_template } = projects.around(path);
        let settings = &settings.settings;
        let mut project = Self {
            gpu: settings.gpu.as_ref().map(|gpu| gpu.value.clone()),
            gpus: settings.cards(),
            extend: settings.extend.iter().map(|(path, ty)| (path.clone(), ty.value.clone())).collect(),
            disk: settings.disk.as_ref().map(|disk| disk.value),
            nearby: Nearby::around(projects, path),
            packages: Some(packages),
            is_for_tests,
            is_template,
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
        shape_of(&*self.nearby.model(name)?).ok()
    }

    /// Requests a machine if its card is known. Otherwise a config keeps the machine that it states, so that its memory is still checked.
    pub fn request_gpu(&mut self, machine: &str) {
        self.requested_gpu = hardware::parse(machine, &self.gpus).is_ok().then(|| machine.into());
    }

    /// The machine that a config is for: the requested one, or else its own, or else the registry's, or else that of the settings.
    pub fn machine(&self, metadata: &Metadata) -> Option<(Machine, MachineSource)> {
        if let Some(gpu) = &self.requested_gpu {
            return Some((hardware::parse(gpu, &self.gpus), MachineSource::CommandLine));
        }
        if let Some(stated) = &metadata.hardware {
            return Some((hardware::parse(&stated.value, &self.gpus), MachineSource::Config(stated.location)));
        }
        if let Some(text) = self.nearby.hardware() {
            return Some((hardware::parse(&text, &self.gpus), MachineSource::Registry));
        }
        let Named { count, name, .. } = self.gpu.as_ref()?;
        let found = hardware::find(name, &self.gpus).map(|gpu| Hardware { count: *count, gpu });
        Some((found, MachineSource::Settings))
    }
}

/// The shape of a model on this machine, or why its `config.json` does not have one.
///
/// # Errors
/// If the memory model does not support the file.
pub fn shape_of(model: &LocalModel) -> Result<Shape, ConfigError> {
    let ModelConfig { architecture, format, unmodelled } = model.config.clone()?;
    let path = model.path.to_string_lossy().into_owned();
    let origin = if model.is_cached { Origin::HubCache(path) } else { Origin::File(path) };
    let precision = Precision { format, on_disk: model.weights_on_disk };
    Ok(Shape { architecture, confirmed: true, precision, origin, unmodelled })
}
