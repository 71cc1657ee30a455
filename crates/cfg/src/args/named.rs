//! The paths that the user names on the command line. Only files around these may be read.

use std::path::{Path, PathBuf};

use cfg_system::{Admission, System};

use crate::commands::diagnose::OUTPUTS;

use super::{
    Arguments, Check, Command, GenerateCommand, HookCommand, Migrate, RegistryCommand, Report, RunCommand, SchemaCommand,
    SkillCommand,
};

impl Arguments {
    /// Passes the named paths to the system.
    pub(crate) fn admit(&self, system: &dyn System) {
        let named = |path: &Path| system.admit(path, Admission::Named);
        let alone = |path: &Option<PathBuf>| path.iter().for_each(|path| system.admit(path, Admission::Alone));
        let output = |path: &Option<PathBuf>, how| path.iter().for_each(|path| output_of(system, path, how));
        let all = |paths: &[PathBuf]| admit_all(system, paths, Admission::Named);
        alone(&self.common.settings);
        match &self.command {
            Command::Check(check) => check.admit(system),
            Command::Compile(compile) => {
                all(&compile.paths);
                words(system, &compile.command);
                output(&compile.output.folder, Admission::Alone);
            }
            Command::Diff(diff) => {
                diff.configs.iter().for_each(|side| reference(system, side));
                diff.since.iter().for_each(|_| named(Path::new(".")));
            }
            Command::Memory(memory) => {
                all(&memory.paths);
                alone(&memory.model_config);
            }
            Command::Estimate(estimate) => {
                all(&estimate.paths);
                alone(&estimate.model_config);
                estimate.from.iter().for_each(|run| named(run));
            }
            Command::Init(_) => named(Path::new(".")),
            Command::New(new) => {
                alone(&new.model_config);
                new.like.iter().for_each(|like| reference(system, like));
                output(&Some(new.output.clone().unwrap_or_else(|| ".".into())), Admission::Named);
            }
            Command::Sweep(sweep) => {
                named(&sweep.path);
                output(&sweep.output, Admission::Named);
            }
            Command::Migrate(migrate) => migrate.admit(system),
            Command::Fmt(fmt) => all(&fmt.paths),
            Command::Plan(plan) => all(&plan.paths),
            Command::Bump(bump) => named(&bump.path),
            Command::Log(log) => named(log.path.as_deref().unwrap_or(Path::new("."))),
            Command::Registry(registry) => registry.command.admit(system),
            Command::Hook(hook) => {
                // The check reads git's index.
                system.admit(Path::new("."), Admission::Listed);
                if let HookCommand::Run(run) = &hook.command {
                    admit_all(system, &run.paths, Admission::Listed);
                }
            }
            Command::Run(run) => run.command.admit(system),
            Command::Schema(schema) => match &schema.command {
                SchemaCommand::Import(import) => {
                    named(&import.checkout);
                    output(&import.output, Admission::Alone);
                    system.admit(Path::new("."), Admission::Listed);
                }
                SchemaCommand::Export { folder } => output(folder, Admission::Alone),
                // A script of this project stands for a kind.
                SchemaCommand::Show { .. } if self.common.script().is_some() => system.admit(Path::new("."), Admission::Listed),
                _ => {}
            },
            Command::Model(model) => {
                alone(&model.model_config);
                system.admit(Path::new("."), Admission::Listed);
            }
            Command::Generate(generate) => {
                if let GenerateCommand::Skill(skill) = &generate.command
                    && let SkillCommand::Install(install) = &skill.command
                {
                    named(&install.folder);
                }
            }
            Command::Env(_) | Command::Gpu(_) => system.admit(Path::new("."), Admission::Listed),
            // The client names its folders and documents itself.
            Command::Lsp(_) | Command::Mcp(_) | Command::Explain(_) => {}
        }
        if let Some(target) = &self.common.target {
            // The argument may name an imported entry, which is searched for from this folder, or the path of an entry or a checkout.
            system.admit(Path::new("."), Admission::Listed);
            if let Some((_, path)) = target.split_once(':') {
                named(Path::new(path));
            }
        }
    }
}

impl Migrate {
    fn admit(&self, system: &dyn System) {
        admit_all(system, &self.paths, Admission::Named);
        if self.all {
            system.admit(Path::new("."), Admission::Named);
        }
        self.stdin_filename.iter().for_each(|path| system.admit(path, Admission::Listed));
    }
}

impl Report {
    fn admit(&self, system: &dyn System) {
        let before_label = self.source.rsplit_once(':').map(|(path, _)| path);
        let is_there = |text: &&str| system.own_status(Path::new(text)).is_ok();
        let source = [Some(&*self.source), before_label].into_iter().flatten().find(is_there).unwrap_or(".");
        system.admit(Path::new(source), Admission::Named);
        self.started_with.iter().for_each(|config| system.admit(config, Admission::Named));
        self.output.iter().for_each(|page| output_of(system, page, Admission::Alone));
    }
}

impl RunCommand {
    fn admit(&self, system: &dyn System) {
        let named = |path: &Path| system.admit(path, Admission::Named);
        match self {
            Self::Diagnose(diagnose) => {
                diagnose.paths.iter().for_each(|path| system.admit(path, Admission::Alone));
                if diagnose.paths.is_empty() {
                    system.admit(Path::new(OUTPUTS), Admission::Alone);
                }
                diagnose.against.iter().for_each(|path| named(path));
            }
            Self::Preflight(preflight) => {
                admit_all(system, &preflight.paths, Admission::Named);
                words(system, &preflight.command);
            }
            Self::Watch(watch) => {
                named(&watch.run);
                watch.started_with.iter().for_each(|config| named(config));
            }
            Self::Report(report) => report.admit(system),
            Self::Resume(resume) => {
                system.admit(&resume.run, Admission::Alone);
                named(resume.started_with.as_deref().unwrap_or(&resume.run));
            }
            Self::Launch(launch) => admit_all(system, &launch.paths, Admission::Named),
            Self::Add(add) => {
                reference(system, &add.launched);
                add.dir.iter().for_each(|folder| system.admit(folder, Admission::Alone));
            }
            Self::Close(close) => named(&close.registry),
            Self::List(list) => named(&list.path),
            Self::Compare(compare) => {
                named(&compare.registry);
                for run in [&compare.one, &compare.other] {
                    let folder = Path::new(run.split_once('=').map_or(run.as_str(), |(_, folder)| folder));
                    if system.own_status(folder).is_ok() {
                        system.admit(folder, Admission::Named);
                    }
                }
            }
        }
    }
}

impl RegistryCommand {
    fn admit(&self, system: &dyn System) {
        let named = |path: &Path| system.admit(path, Admission::Named);
        match self {
            Self::Init { folder: path } | Self::List { path } | Self::Gc { path, .. } => named(path),
            Self::Verify(verify) => named(&verify.path),
            Self::Merge(merge) => {
                // git lists what is unmerged.
                system.admit(Path::new("."), Admission::Listed);
                admit_all(system, &merge.paths, Admission::Named);
                merge.driver.iter().for_each(|path| system.admit(path, Admission::Named));
            }
            Self::Show(show) => reference(system, &show.reference),
            Self::Restore(restore) => reference(system, &restore.reference),
            Self::Mv { paths } if paths.is_empty() => named(Path::new(".")),
            Self::Mv { paths } | Self::Adopt { paths, .. } => admit_all(system, paths, Admission::Named),
        }
    }
}

impl Check {
    fn admit(&self, system: &dyn System) {
        self.control.baseline.iter().for_each(|path| output_of(system, path, Admission::Alone));
        if !self.command.is_empty() {
            words(system, &self.command);
        } else if self.configs_only {
            // These paths are passed by a tool such as pre-commit, and not chosen by the user.
            admit_all(system, &self.paths, Admission::Listed);
        } else {
            admit_all(system, &self.paths, Admission::Named);
        }
        self.stdin_filename.iter().for_each(|path| system.admit(path, Admission::Listed));
    }
}

/// Admits a path as the place of an output.
fn output_of(system: &dyn System, path: &Path, how: Admission) {
    system.admit(path, how);
    system.admit(path, Admission::Output);
}

/// Admits paths that may be many.
fn admit_all(system: &dyn System, paths: &[PathBuf], how: Admission) {
    let paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
    system.admit_all(&paths, how);
}

/// Admits the paths among the words of a launch command: `@ rl.toml`, `--trainer @train.toml`, `--ckpt.path=outputs`.
fn words(system: &dyn System, words: &[String]) {
    if words.is_empty() {
        return;
    }
    // The files of the launch in the command, even one that does not exist: its folder has the name that was meant.
    for file in cfg_check::files_of_command(words, system) {
        system.admit(Path::new(&file), Admission::Named);
    }
    let parts = words.iter().flat_map(|word| [Some(word.as_str()), word.split_once('=').map(|(_, value)| value)]);
    let paths = parts.flatten().map(|word| word.strip_prefix('@').unwrap_or(word));
    any(system, paths);
}

/// Admits the paths to which a reference may refer: `rl.toml`, `rl.toml:v2`, `rl.toml@0.8.0`, `main:configs/rl.toml`.
fn reference(system: &dyn System, text: &str) {
    let before = [text.rsplit_once('@'), text.rsplit_once(':')].into_iter().flatten().map(|(path, _)| path);
    let behind = text.split_once(':').map(|(_, path)| path);
    any(system, [text].into_iter().chain(before).chain(behind));
}

/// Admits those of the paths that exist, or the current folder if none does.
fn any<'a>(system: &dyn System, paths: impl Iterator<Item = &'a str>) {
    let mut is_any = false;
    for path in paths.map(Path::new).filter(|path| system.own_status(path).is_ok()) {
        system.admit(path, Admission::Named);
        is_any = true;
    }
    if !is_any {
        system.admit(Path::new("."), Admission::Listed);
    }
}
