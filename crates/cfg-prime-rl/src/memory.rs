//! The memory model, for a config that prime-rl accepts.

use cfg_check::memory::{MachineSource, Memory, MemoryOptions, layout_errors, memory as assess};
use cfg_plan::Plan;
use cfg_report::memory::{Assessed, MemoryReport};
use cfg_syntax::Dialect;

use crate::{ALONE, Checker, Config, Error, Report, checker::Question, read::FILE};

/// The memory on each GPU of a machine (`2x H100`), and on the disk.
///
/// # Errors
/// If there is no such prime-rl or machine, prime-rl refuses the config, or its model is unknown.
pub fn memory(text: &str, target: &str, gpu: &str) -> Result<MemoryReport, Error> {
    ALONE.memory(&Config::new(text).target(target).gpu(gpu))
}

impl Checker {
    /// The memory on each GPU and on the disk, as in `cfg memory`.
    ///
    /// # Errors
    /// If the stated prime-rl or machine is unknown, prime-rl refuses the config, or its model is unknown.
    pub fn memory(&self, config: &Config<'_>) -> Result<MemoryReport, Error> {
        let question = Question::new(self, config)?;
        let read = question.read();
        let checked = &read.checked;
        let refused = || Error::Refused(Box::new(Report::new(&read)));
        let (kind, resolved) = checked.kind.zip(checked.resolved.as_ref()).ok_or_else(refused)?;
        if checked.verdict == cfg_check::Verdict::Rejected {
            return Err(refused());
        }
        let plan = Plan::new(checked.target.schema(kind), resolved);
        let (document, _) = cfg_syntax::parse(FILE, config.text, Dialect::Toml11);
        let (metadata, _) = self.session.metadata(FILE, config.path, config.text, &document);
        let options = MemoryOptions { hardware: question.hardware.as_ref(), shape: None };
        let found = assess(&plan, &checked.target, &metadata, &question.project, options);
        let Memory { budget, assessment, hardware, stated, unknown, free } =
            found.map_err(|missing| Error::Unknown(missing.to_string()))?;
        let mut assumed = budget.assumed;
        assumed.extend(unknown.map(|unknown| unknown.to_string()));
        let source = match stated {
            Some(MachineSource::Config(_)) => "metadata",
            Some(MachineSource::Registry) => "registry.json",
            Some(MachineSource::Settings) => "settings",
            Some(MachineSource::CommandLine) | None => "asked",
        };
        Ok(MemoryReport::new(Assessed {
            target: &checked.target.name,
            run: &budget.run,
            assessment: &assessment,
            hardware: hardware.as_ref(),
            source,
            free,
            models: &budget.models,
            assumed: &assumed,
            errors: &layout_errors(checked, &plan, &metadata, &question.project),
        }))
    }
}
