//! The scripts of a prime-rl that load a config class of their own: entrypoints of a fork, or of a time.

use std::{
    path::Path,
    sync::{Arc, OnceLock},
};

use cfg_python::{Beside, Reading, Script};
use cfg_schema::{Kind, compiler::Pin};
use cfg_system::{Role, System};
use toml::de::DeTable;

use super::own::{OwnClasses, finished, roots};

/// The maximum number of scripts whose classes are read.
const MAX_SCRIPTS: usize = 16;

/// The scripts of a prime-rl that have no name of a known entrypoint, with the classes of those that have been asked for.
#[derive(Debug, Default)]
pub(super) struct OwnEntrypoints {
    scripts: Vec<(Script, OnceLock<Option<Arc<OwnClasses>>>)>,
    pins: Vec<Pin>,
}

impl OwnEntrypoints {
    /// The scripts of the prime-rl in a folder, whose packages are as these pins say.
    pub(super) fn of(system: &dyn System, folder: &Path, pins: Vec<Pin>) -> Self {
        let text = system.text(&folder.join("pyproject.toml"), Role::Project).unwrap_or_default();
        let scripts = scripts(&text).into_iter().map(|script| (script, OnceLock::new())).collect();
        Self { scripts, pins }
    }
}

impl OwnClasses {
    /// Whether a script loads a class of its own.
    pub fn has_entrypoints(&self) -> bool {
        !self.entrypoints.scripts.is_empty()
    }

    /// These classes as each script of their own sees them: the class that it loads takes the place of the one that it resembles. Scripts whose classes
    /// are those of known entrypoints, resemble none of them, or are not understood, are left out.
    pub fn as_entrypoints(&self, system: &dyn System) -> Vec<Arc<Self>> {
        let read = |script: &Script| {
            let beside = Beside::with_pins(self.base, self.entrypoints.pins.clone());
            let declared = Reading::new(system, roots(system, &self.folder)?).read_script(beside, script).ok()?;
            let mut own = finished(system, &self.folder, self.base, declared).ok()?;
            own.entrypoint = Some(script.name.clone());
            Some(Arc::new(own))
        };
        let scripts = self.entrypoints.scripts.iter();
        scripts.filter_map(|(script, slot)| slot.get_or_init(|| read(script)).clone()).collect()
    }
}

/// The entries of `[project.scripts]` that are no known entrypoints.
fn scripts(pyproject: &str) -> Vec<Script> {
    let (root, _) = DeTable::parse_recoverable(pyproject);
    let table = root.get_ref().get("project").and_then(|project| project.get_ref().as_table()?.get("scripts"));
    let Some(table) = table.and_then(|scripts| scripts.get_ref().as_table()) else { return Vec::new() };
    let script = |(name, value): (&toml::Spanned<std::borrow::Cow<'_, str>>, &toml::Spanned<toml::de::DeValue<'_>>)| {
        let (module, function) = value.get_ref().as_str()?.split_once(':')?;
        let name: &str = name.get_ref();
        name.parse::<Kind>().is_err().then(|| Script {
            name: name.into(),
            module: module.trim().into(),
            function: function.trim().into(),
        })
    };
    table.iter().filter_map(script).take(MAX_SCRIPTS).collect()
}

#[cfg(test)]
mod tests {
    use super::scripts;

    #[test]
    fn scripts_other_than_known_entrypoints_are_found() {
        let found = scripts("[project.scripts]\nrl = 'a.rl:main'\nrl_slurm = 'a.slurm.rl:main'\nbroken = 3\n");
        assert_eq!(
            found.iter().map(|script| (&*script.name, &*script.module, &*script.function)).collect::<Vec<_>>(),
            [("rl_slurm", "a.slurm.rl", "main")]
        );
        assert!(scripts("scripts = 3").is_empty());
    }
}
