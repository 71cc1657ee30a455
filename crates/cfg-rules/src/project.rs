//! What the project around a config says that rules can use.

use std::{collections::BTreeMap, fmt, sync::Arc};

use cfg_budget::Shape;
use cfg_diag::Location;
use cfg_memory::{
    Bytes,
    catalogue::Gpu,
    hardware::{self, Hardware, HardwareError},
};
use cfg_plan::Metadata;
use cfg_schema::{ExtraType, Kind};

/// What the settings of a project say, and what lies around the config.
#[derive(Clone, Debug, Default)]
pub struct Project {
    /// How many GPUs there are, and their model as it was written: `H100`.
    pub gpu: Option<(u32, String)>,
    /// GPUs that the table of known ones doesn't have.
    pub gpus: Vec<Gpu>,
    /// What is free on the disk for a run.
    pub disk: Option<Bytes>,
    /// Shapes of models by name or path, which come before those of the catalogue.
    pub shapes: BTreeMap<String, Shape>,
    /// What is looked up only once it is asked for.
    pub nearby: Nearby,
    /// The keys of `[environments."org/name"]`, by the environment's name; each value as it is written in TOML.
    pub environments: BTreeMap<String, BTreeMap<String, String>>,
    /// The keys of `[extend]`: dotted paths, and their types.
    pub extend: Vec<(String, ExtraType)>,
}

/// What lies around a config and costs a look at the disk.
pub trait LookUp: Send + Sync {
    /// The shape of a model that lies on this machine.
    fn shape(&self, _name: &str) -> Option<Shape> {
        None
    }

    /// The hardware that the registry states of the config.
    fn hardware(&self) -> Option<String> {
        None
    }

    /// The runs whose processes are started one by one, and the config is the file of one of them.
    fn split_runs(&self) -> Vec<SplitRun> {
        Vec::new()
    }
}

/// A run whose processes are started one by one, without the config that is looked at.
#[derive(Clone, Debug)]
pub struct SplitRun {
    /// Whether the project's settings say that the files are one run; else their names do.
    pub is_declared: bool,
    /// What the config that is looked at is for.
    pub kind: Kind,
    /// The other files.
    pub files: Vec<SplitFile>,
}

/// A file of such a run.
#[derive(Clone, Debug)]
pub struct SplitFile {
    /// What it is for.
    pub kind: Kind,
    /// Its path, as messages name it.
    pub path: String,
    /// Its text; nothing where it can't be read.
    pub text: Option<String>,
    /// Whether it is checked by itself as well, so that what lies in it is told there.
    pub is_checked: bool,
}

/// Who looks things up; nobody where nothing lies around.
#[derive(Clone, Default)]
pub struct Nearby(Option<Arc<dyn LookUp>>);

impl Nearby {
    /// Asks `look_up`.
    pub fn new(look_up: impl LookUp + 'static) -> Self {
        Self(Some(Arc::new(look_up)))
    }

    /// The shape of a model that lies on this machine.
    pub fn shape(&self, name: &str) -> Option<Shape> {
        self.0.as_ref()?.shape(name)
    }

    /// The hardware that the registry states of the config.
    pub fn hardware(&self) -> Option<String> {
        self.0.as_ref()?.hardware()
    }

    /// The runs whose processes are started one by one, and the config is the file of one of them.
    pub fn split_runs(&self) -> Vec<SplitRun> {
        self.0.as_ref().map_or_else(Vec::new, |look_up| look_up.split_runs())
    }
}

impl fmt::Debug for Nearby {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(if self.0.is_some() { "Nearby" } else { "Nowhere" })
    }
}

/// Who states the hardware.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stated {
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
    /// The machine that a config is for: what it states itself, else what the registry states of it, else what the settings say.
    pub fn machine(&self, metadata: &Metadata) -> Option<(Machine, Stated)> {
        if let Some(stated) = &metadata.hardware {
            return Some((hardware::parse(&stated.value, &self.gpus), Stated::Config(stated.location)));
        }
        if let Some(text) = self.nearby.hardware() {
            return Some((hardware::parse(&text, &self.gpus), Stated::Registry));
        }
        let (count, name) = self.gpu.as_ref()?;
        let found = hardware::find(name, &self.gpus).map(|gpu| Hardware { count: *count, gpu });
        Some((found, Stated::Settings))
    }
}
