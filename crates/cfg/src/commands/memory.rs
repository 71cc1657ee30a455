//! `cfg memory`: the memory that each GPU needs, and the disk space.

mod sweep;

use std::{
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use cfg_check::{
    Checked, Project, Session,
    memory::{MachineSource, Memory, MemoryOptions, layout_errors, memory, refusals_beside_memory},
};
use cfg_diag::{FileId, Order};
use cfg_launch::Part;
use cfg_memory::{
    Bytes,
    catalogue::{self, Gpu, UnknownModel},
    hardware, solve,
};
use cfg_plan::budget::{Missing, Shape};
use cfg_plan::{Metadata, Plan};
use cfg_project::LocalModel;
use cfg_report::memory::{
    Assessed, MemoryReport, MemoryRows, RowReport, headline, write_rows, write_rows_svg, write_svg, write_table,
};
use cfg_resolve::View;
use serde::Serialize;

use super::{
    Listing, gpu, launch,
    read::{Flags, is_of_own_program, read_accepting},
};
use crate::{
    CommandResult, Ended, Outcome,
    args::{self, Format},
    context::Context,
    machine, terminal,
};

/// The files of a run, read and checked, with the project around them.
pub(super) struct Job<'a> {
    cx: &'a Context,
    session: Session,
    /// Each file, with its result and its text.
    files: Vec<(&'a PathBuf, Checked, String)>,
    /// The metadata of the files.
    metadata: Metadata,
    /// The project of the first file.
    project: Project,
}

/// The result of a step; the error is the message with which the command ends.
pub(super) type StepResult<T> = Result<T, String>;

pub(crate) fn run(cx: &Context, words: &args::Memory) -> CommandResult {
    let listing = Listing::of(cx);
    if words.gpu.as_deref() == Some(gpu::LIST) {
        return gpu::list(cx);
    }
    let files = Job::read(cx, &words.paths)?;
    match files.answer(words) {
        Ok(answer) => {
            let headline = match &answer {
                Answer::Report(report) => Some(headline(terminal::style(cx), report)),
                Answer::Rows(_) => None,
            };
            files.introduce(headline.as_deref())?;
            answer.write(&files, listing)
        }
        Err(why) => {
            cx.complain(&why);
            Ok(Outcome::Failed)
        }
    }
}

/// What the command prints.
enum Answer {
    Report(Box<MemoryReport>),
    Rows(MemoryRows),
}

impl<'a> Job<'a> {
    pub(super) fn read(cx: &'a Context, paths: &'a [PathBuf]) -> CommandResult<Self> {
        Self::read_with(cx, paths, Flags::Counted)
    }

    pub(super) fn read_with(cx: &'a Context, paths: &'a [PathBuf], flags: Flags) -> CommandResult<Self> {
        if paths.is_empty() {
            cx.complain("missing config: pass its file");
            return Err(Ended::Reported(Outcome::Failed));
        }
        let session = cx.session();
        let (mut files, mut metadata) = (Vec::new(), Metadata::default());
        for path in paths {
            let has_figures = |checked: &Checked| refusals_beside_memory(checked).is_some();
            let (checked, text) = read_accepting(cx, &session, path, flags, has_figures)?;
            if is_of_own_program(cx, &path.to_string_lossy(), &checked) {
                return Err(Ended::Reported(Outcome::Failed));
            }
            let (document, _) = cfg_syntax::parse(FileId(0), &text, cfg_syntax::Dialect::Toml11);
            let (own, _) = session.metadata(FileId(0), &path.to_string_lossy(), &text, &document);
            metadata.hardware = metadata.hardware.or(own.hardware);
            metadata.disk = metadata.disk.or(own.disk);
            metadata.input_tokens = metadata.input_tokens.or(own.input_tokens);
            metadata.usage = [metadata.usage.launches(), own.usage.launches()].concat().into();
            files.push((path, checked, text));
        }
        let project = Project::around(session.projects(), paths.first().map_or(Path::new(""), PathBuf::as_path));
        Ok(Self { cx, session, files, metadata, project })
    }

    /// Prints a document about the files, with the identity of the first one.
    pub(super) fn write_one(&self, listing: Listing, out: &mut impl io::Write, report: &impl Serialize) -> io::Result<()> {
        match self.files.first() {
            Some((_, checked, _)) => listing.write_one(out, &self.cx.identified(checked, report)),
            None => listing.write_one(out, report),
        }
    }

    /// Prints the command's verdict, if it has one, and what the files are, as the first lines of its text.
    pub(super) fn introduce(&self, verdict: Option<&str>) -> io::Result<()> {
        let verdicts = verdict.into_iter().map(Some).chain(std::iter::repeat(None));
        let mut all = self.files.iter().zip(verdicts);
        all.try_for_each(|((path, checked, _), verdict)| self.cx.introduce(&path.to_string_lossy(), verdict, checked))?;
        if self.files.is_empty() { Ok(()) } else { self.cx.end_introduction() }
    }

    /// The first file, with its session and its text.
    pub(super) fn first(&self) -> Option<(&Session, &Checked, &str)> {
        self.files.first().map(|(_, checked, text)| (&self.session, checked, &**text))
    }

    fn answer(&self, words: &args::Memory) -> StepResult<Answer> {
        let is_all = words.gpu.as_deref() == Some(gpu::ALL);
        let machine = words.gpu.as_deref().filter(|_| !is_all);
        let machine = machine.map(|text| machine::RequestedMachine::read(self.cx, text, &self.project.gpus)).transpose()?;
        let shape = words.model_config.as_deref().map(|path| shape_of(self.cx, path)).transpose().map_err(failed)?;
        let options = MemoryOptions { hardware: machine.as_ref().map(|machine| &machine.hardware), shape: shape.as_ref() };
        let plan = Self::plan(&self.checked()).map_err(|missing| failed(self.sentence(&missing)))?;
        let memory = self.memory(&plan, options).map_err(|missing| failed(self.sentence(&missing)))?;
        if let Some(unknown) = memory.unknown.as_ref().filter(|_| !is_all) {
            self.cx.complain(&unknown.to_string());
        }
        let target = self.target();
        if let Some(sweep) = &words.sweep {
            if is_all {
                return Err(failed("--sweep can't be combined with `--gpu all`"));
            }
            return self.sweep(sweep, &memory, options).map(|(key, rows)| Answer::Rows(MemoryRows::new(target, key, rows)));
        }
        if is_all {
            let rows = usable_cards(&self.project.gpus)
                .into_iter()
                .map(|gpu| RowReport::new(gpu.name.to_string(), &solve::on_card(&memory.budget.run, &gpu)));
            return Ok(Answer::Rows(MemoryRows::new(target, "gpu", rows.collect())));
        }
        let free = match words.disk.as_deref() {
            None => memory.free,
            Some("local") => Some(self.free_disk(&output_folder(&plan))?),
            Some(text) => Some(text.parse::<Bytes>().map_err(failed)?),
        };
        let source = match memory.stated {
            Some(MachineSource::Config(_)) => "metadata".to_owned(),
            Some(MachineSource::Registry) => "registry.json".to_owned(),
            Some(MachineSource::Settings) => self.place_of_setting(),
            Some(MachineSource::CommandLine) | None => machine.as_ref().map_or("--gpu", |machine| machine.source).to_owned(),
        };
        let mut assumed = memory.budget.assumed.clone();
        assumed.extend(machine.iter().flat_map(|machine| machine.notes.iter().cloned()));
        assumed.extend(self.without_checkpoints(&plan, options));
        let errors = self.layout_errors(&plan, machine.as_ref().map(|machine| &*machine.text));
        if errors.is_empty() {
            assumed.extend(too_few(&memory, &plan));
        }
        let report = MemoryReport::new(Assessed {
            target: &target,
            run: &memory.budget.run,
            assessment: &memory.assessment,
            hardware: memory.hardware.as_ref(),
            source: &source,
            free,
            models: &memory.budget.models,
            assumed: &assumed,
            errors: &errors,
        });
        Ok(Answer::Report(Box::new(report)))
    }

    /// A note on the disk space for the checkpoints that `cfg run launch` would add, if the config saves none.
    fn without_checkpoints(&self, plan: &Plan, options: MemoryOptions<'_>) -> Option<String> {
        let [(path, checked, _)] = self.files.as_slice() else { return None };
        let part = Part {
            kind: checked.kind?,
            files: vec![path.to_string_lossy().into_owned()],
            rest: Vec::new(),
            plan,
            view: View::new(checked.target.schema(checked.kind?), checked.resolved.as_ref()?),
            is_for_tests: self.project.is_for_tests,
        };
        let (flags, plan) = launch::with_checkpoints(self.cx, &self.session, &part, checked.target.point)?;
        let peak = self.memory(&plan, options).ok()?.assessment.disk?.peak;
        Some(format!(
            "the config saves no checkpoints; with `{flags}`, as added by `cfg run launch`, they take at most {peak} of \
            disk"
        ))
    }

    /// The results of all files.
    pub(super) fn checked(&self) -> Vec<&Checked> {
        self.files.iter().map(|(_, checked, _)| checked).collect()
    }

    /// The metadata of all files.
    pub(super) const fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// The project of the first file.
    pub(super) const fn project(&self) -> &Project {
        &self.project
    }

    /// The price of a card in dollars per hour, from the settings.
    pub(super) fn price(&self, gpu: &str) -> Option<f64> {
        let (path, ..) = self.files.first()?;
        let settings = self.session.projects().settings(path);
        let of_card = |name: &str| hardware::find(name, &self.project.gpus).is_ok_and(|found| found.name == gpu);
        settings.settings.prices.iter().find(|(name, _)| of_card(name)).map(|(_, price)| price.value)
    }

    /// The name of the first file's target.
    pub(super) fn target(&self) -> String {
        self.files.first().map(|(_, checked, _)| checked.target.name.clone()).unwrap_or_default()
    }

    /// The plan of files that form one run.
    pub(super) fn plan(checked: &[&Checked]) -> Result<Plan, Missing> {
        let plans = checked.iter().filter_map(|file| {
            let schema = file.target.schema(file.kind?);
            Some(Plan::new(schema, file.resolved.as_ref()?))
        });
        plans.reduce(Plan::merge).ok_or(Missing::Nothing)
    }

    pub(super) fn memory(&self, plan: &Plan, options: MemoryOptions<'_>) -> Result<Memory, Missing> {
        let (_, first, _) = self.files.first().ok_or(Missing::Nothing)?;
        memory(plan, &first.target, &self.metadata, &self.project, options)
    }

    /// The errors for which the run does not start on the machine in `gpu`, or else on the one that the config states: prime-rl's own about something
    /// else than memory, and those in how it is distributed.
    pub(super) fn layout_errors(&self, plan: &Plan, gpu: Option<&str>) -> Vec<String> {
        let project = Project { requested_gpu: gpu.map(Into::into), ..self.project.clone() };
        let mut errors = Vec::new();
        for (_, checked, _) in &self.files {
            let refusals = refusals_beside_memory(checked).unwrap_or_default();
            for error in refusals.into_iter().chain(layout_errors(checked, plan, &self.metadata, &project)) {
                if !errors.contains(&error) {
                    errors.push(error);
                }
            }
        }
        errors
    }

    /// The free disk space at the run's output folder.
    fn free_disk(&self, folder: &Path) -> StepResult<Bytes> {
        let free = self.cx.host().free_disk(folder).ok_or_else(|| failed("the free disk space is unknown"))?;
        #[expect(clippy::cast_precision_loss, reason = "no disk has 2^53 bytes")]
        Ok(Bytes::new(free as f64))
    }

    /// The place in the settings that states the machine.
    fn place_of_setting(&self) -> String {
        let settings = self.files.first().map(|(path, ..)| self.session.projects().settings(path));
        let place = settings.and_then(|settings| settings.settings.gpu.as_ref().map(|gpu| gpu.place.to_string()));
        place.unwrap_or_else(|| "settings".to_owned())
    }

    pub(super) fn sentence(&self, missing: &Missing) -> String {
        match missing {
            Missing::Shape(unknown) => {
                let (name, similar) = (&unknown.id, unknown.similar());
                let path = self.files.first().map_or(Path::new(""), |(path, ..)| path);
                let (why, advice) = unread_config(&self.session, name, path, unknown);
                let known =
                    if similar.is_empty() { String::new() } else { format!("; similar and known: {}", similar.join(", ")) };
                format!("{missing}{why}{known}{advice}")
            }
            Missing::Nothing => match self.files.first().and_then(|(path, checked, _)| Some((path, checked.kind?))) {
                Some((path, kind)) => {
                    format!(
                        "{}: {} config neither trains nor serves a model, so it needs no GPU",
                        path.display(),
                        kind.with_article()
                    )
                }
                None => missing.to_string(),
            },
            _ => missing.to_string(),
        }
    }
}

impl Answer {
    fn write(&self, job: &Job<'_>, listing: Listing) -> CommandResult {
        let cx = job.cx;
        let style = terminal::style(cx);
        let mut out = io::BufWriter::new(cx.out());
        let is_picture = cx.common.format == Format::Svg;
        match (self, listing) {
            (Self::Report(report), Listing::Text) if is_picture => write_svg(&mut out, report)?,
            (Self::Rows(rows), Listing::Text) if is_picture => write_rows_svg(&mut out, rows)?,
            (Self::Report(report), Listing::Text) => write_table(&mut out, style, report)?,
            (Self::Rows(rows), Listing::Text) => write_rows(&mut out, style, rows)?,
            (Self::Report(report), _) => job.write_one(listing, &mut out, report)?,
            (Self::Rows(rows), _) => job.write_one(listing, &mut out, rows)?,
        }
        out.flush()?;
        Ok(if self.is_error() { Outcome::Found } else { Outcome::Clean })
    }

    /// Whether a GPU or the disk is too small, or the run can't start on this number of GPUs. For a comparison of values it is `false`, because no
    /// row is the run itself.
    fn is_error(&self) -> bool {
        let Self::Report(report) = self else { return false };
        let is_full = |disk: &cfg_report::memory::DiskReport| disk.verdict == "full" && disk.checkpoints_kept.is_some();
        report.gpus.iter().any(|gpu| matches!(gpu.verdict, "out-of-memory" | "start-up-failure"))
            || report.disk.as_ref().is_some_and(is_full)
            || !report.layout_errors.is_empty()
    }
}

/// The message of an error for which a command ends.
#[expect(clippy::needless_pass_by_value, reason = "it stands at the end of `map_err`")]
pub(super) fn failed(why: impl ToString) -> String {
    why.to_string()
}

/// Why a model on this machine has no shape in its own `config.json`, in parentheses, and the advice about its unknown shape: if its own file has been
/// read, no other helps.
pub(super) fn unread_config(session: &Session, name: &str, file: &Path, unknown: &UnknownModel) -> (String, String) {
    let of_machine = session.projects().model(name, file);
    let unread = of_machine.and_then(|model| Some(format!(" ({}: {})", model.path.display(), model.config.as_ref().err()?)));
    match unread {
        Some(why) => (why, String::new()),
        None => (String::new(), format!("; {}", unknown.advice())),
    }
}

/// The shape in a model's `config.json`; the error is the reason why there is none.
pub(super) fn shape_of(cx: &Context, path: &Path) -> Result<Shape, String> {
    let model = LocalModel::read(&*cx.system, path).map_err(|error| format!("{}: {error}", path.display()))?;
    let model = model.ok_or_else(|| format!("{}: no such file", path.display()))?;
    cfg_rules::shape_of(&model).map_err(|error| format!("{}: {error}", path.display()))
}

/// All known cards, the smallest first. Those that the user declares replace built-in ones of the same name.
pub(super) fn cards(own: &[Gpu]) -> Vec<Gpu> {
    let is_own = |gpu: &&Gpu| !own.iter().any(|own| own.name.eq_ignore_ascii_case(&gpu.name));
    let mut cards: Vec<Gpu> = own.iter().chain(catalogue::gpus().iter().filter(is_own)).cloned().collect();
    cards.order_by(|a, b| a.total.as_f64().total_cmp(&b.total.as_f64()));
    cards
}

/// All known cards on which prime-rl can run.
pub(super) fn usable_cards(own: &[Gpu]) -> Vec<Gpu> {
    cards(own).into_iter().filter(|gpu| gpu.lacks.is_none()).collect()
}

/// The output folder of the run.
fn output_folder(plan: &Plan) -> PathBuf {
    let written = plan.trainer.as_ref().and_then(|trainer| trainer.output_dir.text());
    PathBuf::from(written.unwrap_or("outputs"))
}

/// A message if the machine has fewer GPUs than the run uses.
fn too_few(memory: &Memory, plan: &Plan) -> Option<String> {
    let hardware = memory.hardware.as_ref()?;
    let used = memory.assessment.gpus.iter().map(|gpu| gpu.index).max()?.saturating_add(1);
    let count = hardware.count;
    let several = plan.run.gpus.deployment.text().is_some_and(|kind| kind == "multi_node");
    if several && used > count && used.is_multiple_of(count.max(1)) {
        return Some(format!("the run has {} such machines, {used} GPUs in all", used / count.max(1)));
    }
    (used > count).then(|| format!("there are {used} such GPUs, but {count} {} given", if count == 1 { "is" } else { "are" }))
}
