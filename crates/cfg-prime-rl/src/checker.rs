//! The entry point for all questions.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use cfg_check::{
    COMMAND_LINE, Checked, CheckedCommand, Command, CommandRequest, FileSet, Fragment, Project, Session, check_command, complete,
    states_kind,
};
use cfg_diag::{FileId, Severity};
use cfg_memory::hardware::{self, Hardware};
use cfg_project::Selector;
use cfg_repair::{Subject, Wanted, offer_all, offer_in};
use cfg_schema::Target;
use cfg_system::{MemorySystem, Overlay, Role, System};

use crate::{
    Compiled, Config, Error, Launch, Report,
    read::{FILE, Read},
};

/// Answers questions about configs, with the files around them, all in memory.
///
/// It can be shared between threads. What it computes from the schema is kept: one checker for many configs is faster than many checkers.
///
/// ```
/// use cfg_prime_rl::{Checker, Config};
///
/// let base = "max_steps = 20\n[trainer]\n[orchestrator]\n";
/// let settings = "target = \"0.4.0\"\n";
/// let checker = Checker::with_files([("base.toml", base), ("cfg.toml", settings)]);
///
/// let run = Config::new("toml_files = [\"base.toml\"]\n[orchestrator]\nrollouts_per_example = 8\n").path("run.toml");
/// assert_eq!(checker.check(&run)?.target.as_deref(), Some("0.4.0"));
/// assert_eq!(checker.compile(&run)?.value("trainer.max_steps").map(|value| &*value.origin), Some("auto_setup_max_steps, from base.toml:1:13"));
/// # Ok::<(), cfg_prime_rl::Error>(())
/// ```
#[derive(Debug)]
pub struct Checker {
    system: Arc<dyn System>,
    pub(crate) session: Session,
    files: Arc<FileSet>,
}

impl Default for Checker {
    fn default() -> Self {
        Self::with_files([])
    }
}

impl Checker {
    /// With files around the configs, by their paths: other configs that they include, `cfg.toml`, the `config.json` of a model.
    pub fn with_files<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let files: Vec<(&str, &str)> = files.into_iter().collect();
        let paths = files.iter().map(|(path, _)| PathBuf::from(path)).collect();
        let system: Arc<dyn System> = Arc::new(MemorySystem::with_files(files));
        let session = Session::new(Arc::new(cfg_project::Projects::new(Arc::clone(&system), None)));
        Self { system, session, files: Arc::new(FileSet::new(paths)) }
    }

    /// The findings of a config, as in `cfg check`.
    ///
    /// # Errors
    /// If the stated prime-rl or machine is unknown. Errors of the config are in the report.
    pub fn check(&self, config: &Config<'_>) -> Result<Report, Error> {
        let question = Question::new(self, config)?;
        let mut read = question.read();
        question.complete(&mut read);
        Ok(question.report(read))
    }

    /// The findings of several files or a command, as `cfg check` reports them.
    ///
    /// # Errors
    /// If the stated prime-rl or machine is unknown. Errors of the configs are in the report, those of files that there are not, too.
    pub fn check_launch(&self, launch: &Launch<'_>) -> Result<Report, Error> {
        let text = self.text_of(launch);
        let config = Self::config_of(launch, &text);
        let question = Question::new(self, &config)?;
        let read = question.read_command(launch.command_of());
        Ok(question.report(read))
    }

    /// The composed config as prime-rl resolves it, as in `cfg compile`.
    ///
    /// # Errors
    /// If the stated prime-rl or machine is unknown, or prime-rl refuses the launch.
    pub fn compile_launch(&self, launch: &Launch<'_>) -> Result<Compiled, Error> {
        let text = self.text_of(launch);
        let config = Self::config_of(launch, &text);
        let read = Question::new(self, &config)?.read_command(launch.command_of());
        Compiled::new(&read).ok_or_else(|| Error::Refused(Box::new(Report::new(&read))))
    }

    /// The text of the first file of a launch.
    fn text_of(&self, launch: &Launch<'_>) -> String {
        let first = launch.words.first().filter(|_| launch.is_files);
        let bytes = first.and_then(|path| self.system.read(Path::new(path), Role::Config).ok());
        bytes.map(|bytes| cfg_syntax::decode(FILE, bytes).0).unwrap_or_default()
    }

    /// What is stated for a launch, for its first file.
    fn config_of<'c>(launch: &'c Launch<'_>, text: &'c str) -> Config<'c> {
        let path = if launch.is_files { launch.words.first().map_or("", String::as_str) } else { COMMAND_LINE };
        Config { text, path, ..launch.config }
    }

    /// The config as prime-rl resolves it, as in `cfg compile`.
    ///
    /// # Errors
    /// If the stated prime-rl or machine is unknown, or prime-rl refuses the config.
    pub fn compile(&self, config: &Config<'_>) -> Result<Compiled, Error> {
        let read = Question::new(self, config)?.read();
        Compiled::new(&read).ok_or_else(|| Error::Refused(Box::new(Report::new(&read))))
    }
}

/// A config, with everything that is needed to check it.
pub(crate) struct Question<'a> {
    checker: &'a Checker,
    config: &'a Config<'a>,
    target: Option<Target>,
    #[cfg_attr(not(feature = "memory"), expect(dead_code, reason = "an unknown machine is an error in any case"))]
    pub(crate) hardware: Option<Hardware>,
    pub(crate) project: Project,
    select: Vec<Selector>,
    ignore: Vec<Selector>,
}

impl<'a> Question<'a> {
    pub(crate) fn new(checker: &'a Checker, config: &'a Config<'a>) -> Result<Self, Error> {
        // Each question is a command of its own.
        cfg_meter::budget().renew();
        let session = &checker.session;
        let target = config.target.map(|target| Target::parse(session.history, target)).transpose();
        let target = target.map_err(|error| Error::Target(error.to_string()))?;
        let mut project = Project::around(session.projects(), Path::new(config.path));
        project.nearby = project.nearby.beside(&checker.files);
        let hardware = config.gpu.map(|gpu| hardware::parse(gpu, &project.gpus)).transpose();
        let hardware = hardware.map_err(|error| Error::Gpu(error.to_string()))?;
        project.requested_gpu = config.gpu.map(Into::into);
        let selectors = |texts: &[&str]| -> Result<Vec<Selector>, Error> {
            texts.iter().map(|text| text.parse().map_err(Error::Selector)).collect()
        };
        let (select, ignore) = (selectors(config.select)?, selectors(config.ignore)?);
        Ok(Self { checker, config, target, hardware, project, select, ignore })
    }

    fn subject(&self) -> Subject<'_> {
        Subject {
            kind: self.config.kind,
            target: self.target.clone(),
            select: &self.select,
            ignore: &self.ignore,
            ..Subject::new(&self.checker.session, self.config.path, &self.project)
        }
    }

    /// The files, with the config's text in its place.
    fn system(&self) -> Overlay {
        Overlay::with(Arc::clone(&self.checker.system), Path::new(self.config.path), self.config.text.as_bytes())
    }

    /// Reads the config, with the files that it includes.
    pub(crate) fn read(&self) -> Read<'a> {
        let mut checked = self.subject().check(self.config.text, Vec::new());
        let mut texts = None;
        if checked.has_includes {
            // The config alone is not what prime-rl sees.
            let files = [self.config.path.to_owned()];
            let composed = check_command(&self.checker.session, &self.request(Command::Files(&files), &self.system()));
            checked = Checked { has_includes: true, ..self.composed(composed, &mut texts) };
        }
        Read { config: self.config, checked, texts }
    }

    /// Reads what a command starts.
    fn read_command(&self, command: Command<'_>) -> Read<'a> {
        let mut texts = None;
        let composed = check_command(&self.checker.session, &self.request(command, &*self.checker.system));
        let checked = self.composed(composed, &mut texts);
        Read { config: self.config, checked, texts }
    }

    fn request<'r>(&'r self, command: Command<'r>, system: &'r dyn System) -> CommandRequest<'r> {
        CommandRequest {
            command,
            environment: &[],
            kind: self.config.kind,
            target: self.target.clone(),
            project: Some(&self.project),
            system,
        }
    }

    /// The report, with the fixes that improve the config.
    fn report(&self, mut read: Read<'_>) -> Report {
        let subject = self.subject();
        let subject = if read.texts.is_none() { subject.holding(&read.checked) } else { subject };
        let (check, trial) = (|text: &str| subject.check(text, Vec::new()), |text: &str| subject.trial(text));
        match &read.texts {
            None => drop(offer_all(FILE, self.config.text, &mut read.checked, Wanted::All, Severity::Info, &trial)),
            Some(texts) => offer_in(self.config.path, texts, &mut read.checked, Wanted::All, Severity::Info, &check),
        }
        Report::new(&read)
    }

    /// Finds what completes a config that is only a part, as for a file of a folder.
    fn complete(&self, read: &mut Read<'_>) {
        let Self { config, .. } = self;
        let session = &self.checker.session;
        if config.kind.is_some() || !read.checked.is_part() || states_kind(session, config.path, config.text) {
            return;
        }
        let system = self.system();
        let part = Fragment {
            session,
            system: &system,
            path: config.path,
            text: config.text,
            target: self.target.as_ref(),
            project: Some(&self.project),
        };
        if let Some(completed) = complete(part, &mut read.checked) {
            read.checked = self.composed(completed.command, &mut read.texts);
        }
    }

    /// The result for several composed files; their texts are moved to `texts`.
    fn composed(&self, command: CheckedCommand, texts: &mut Option<cfg_check::Texts>) -> Checked {
        let CheckedCommand { mut checked, texts: all, files, .. } = command;
        let first = files.first().and_then(|file: &FileId| all.get(*file)).map_or(self.config.path, |text| text.path.as_str());
        self.checker.session.projects().apply_lint(
            Path::new(first),
            &self.select,
            &self.ignore,
            &mut checked.diagnostics,
            |_| false,
        );
        *texts = Some(all);
        checked
    }
}
