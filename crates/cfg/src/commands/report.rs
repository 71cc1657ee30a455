//! `cfg run report`: a page about a config, a version of it, or a run.

mod versions;

use std::{
    io,
    path::{Path, PathBuf},
};

use cfg_check::{
    Checked, CheckedCommand, Command, Project, Session,
    memory::{MachineSource, MemoryOptions, layout_errors, memory},
};
use cfg_diag::{Diagnostic, FileId};
use cfg_diagnose::Thresholds;
use cfg_plan::{Metadata, Plan};
use cfg_project::BaselineTexts;
use cfg_report::{
    Sources,
    course::CourseReport,
    memory::{Assessed, MemoryReport},
    page::{Bound, MARK, Page, RunPart, Value, write_page},
};
use cfg_resolve::{
    Nulls,
    emit::{Places, leaves, origin_in_words},
    written,
};
use cfg_schema::Kind;
use cfg_system::{NewMode, Overlay, Role};

use self::versions::History;
use super::{newest_run::newest_run, resume, run::compare::curve_reports, watch};
use crate::{
    CommandResult, Outcome, args,
    context::Context,
    inputs::{Inputs, sources},
    machine,
    write::put,
};

pub(crate) fn run(cx: &Context, words: &args::Report) -> CommandResult {
    let page = match page(cx, words) {
        Ok(page) => page,
        Err(why) => {
            cx.complain(&why);
            return Ok(Outcome::Failed);
        }
    };
    let Some(path) = &words.output else {
        cx.print(&page)?;
        return Ok(Outcome::Clean);
    };
    match cx.system.read(path, Role::Baseline) {
        Ok(old) if !old.starts_with(MARK.as_bytes()) => {
            cx.complain(&format!("{}: this file exists and is not a report; nothing was written", path.display()));
            return Ok(Outcome::Failed);
        }
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => {
            cx.complain(&format!("{}: {error}", path.display()));
            return Ok(Outcome::Failed);
        }
    }
    if let Err(error) = put(&*cx.writer, path, Role::Baseline, NewMode::Plain, &page) {
        cx.complain(&format!("{}: {error}", path.display()));
        return Ok(Outcome::Failed);
    }
    cx.say(&format!("{}: written", path.display()));
    Ok(Outcome::Clean)
}

/// The page; the error is the reason why there is none.
fn page(cx: &Context, words: &args::Report) -> Result<Vec<u8>, String> {
    let session = cx.session();
    let target = cx.stated_target().map_err(|()| "state another --target".to_owned())?;
    let about = About::find(cx, words)?;
    let subject = match &about.config {
        None => None,
        Some(path) => Some(Subject::read(cx, &session, path, about.bytes.clone(), target)?),
    };
    let run = about.run.as_ref().map(|run| {
        let config = subject.as_ref().map(|subject| (subject.path.clone(), &subject.command));
        watch::read_run(cx, run, config, &session)
    });
    let sources = subject.as_ref().map_or_else(Sources::new, |subject| sources(&subject.command.texts));
    let plan = subject.as_ref().and_then(Subject::plan);
    let memory = match (&subject, &plan) {
        (Some(subject), Some(plan)) => Some(subject.memory(cx, plan, words.gpu.as_deref())?),
        _ => None,
    };
    let history = subject.as_ref().map(|subject| History::read(cx, &session, subject, &about)).unwrap_or_default();
    let checked = subject.as_ref().map(|subject| &subject.command.checked);
    let page = Page {
        title: about.title,
        kind: checked.and_then(|checked| checked.kind).map(Kind::name),
        target: checked.map(|checked| checked.target.name.clone()),
        verdict: checked.map(|checked| checked.verdict),
        about: subject
            .as_ref()
            .map(|subject| subject.about(memory.as_ref().and_then(|(_, machine)| machine.as_deref())))
            .unwrap_or_default(),
        findings: subject.as_ref().map_or(&[], |subject| &subject.findings),
        sources: &sources,
        course: subject.as_ref().zip(plan.as_ref()).map(|(subject, plan)| subject.course(plan)),
        memory: memory.map(|(memory, _)| memory),
        run: run.map(|run| RunPart {
            registered: about.run.as_ref().map(|run| versions::registered(cx, run)).unwrap_or_default(),
            report: run.report,
            curves: curve_reports(&run.curves),
            bounds: bounds(run.thresholds),
            schedule: run.schedule,
        }),
        changes: history.changes,
        versions: history.versions,
        values: subject.as_ref().map(|subject| subject.values(&sources)).unwrap_or_default(),
    };
    let mut out = Vec::new();
    write_page(&mut out, &page).map_err(|error| error.to_string())?;
    Ok(out)
}

/// What an argument names.
struct About {
    title: String,
    /// The output folder of a run, if the argument is one.
    run: Option<PathBuf>,
    /// The path of the config, which need not exist.
    config: Option<PathBuf>,
    /// The text of a version; `None` if the text of the file is used.
    bytes: Option<Vec<u8>>,
    /// The first and the last version to show.
    span: Option<(String, String)>,
}

impl About {
    fn find(cx: &Context, words: &args::Report) -> Result<Self, String> {
        let text = &*words.source;
        let path = Path::new(text);
        if cx.system.is_folder(path) {
            let run = newest_run(cx, path);
            let config = words.started_with.clone().or_else(|| resume::left_config(cx, &run));
            return Ok(Self { title: run.display().to_string(), run: Some(run), config, bytes: None, span: None });
        }
        if words.started_with.is_some() {
            return Err(format!("{text} is not the folder of a run, so it takes no second config"));
        }
        if cx.system.is_file(path) {
            return Ok(Self { title: text.to_owned(), run: None, config: Some(path.to_owned()), bytes: None, span: None });
        }
        let (path, labels) = text.rsplit_once(':').ok_or_else(|| format!("{text}: no such file or folder"))?;
        let (first, last) = labels.split_once("..").unwrap_or((labels, labels));
        let bytes = super::registry::registered::version(cx, path, last)?;
        if first != last {
            super::registry::registered::version(cx, path, first)?;
        }
        let span = (first != last).then(|| (first.to_owned(), last.to_owned()));
        Ok(Self { title: format!("{path}:{last}"), run: None, config: Some(PathBuf::from(path)), bytes: Some(bytes), span })
    }
}

/// A checked config.
struct Subject {
    path: PathBuf,
    text: String,
    command: CheckedCommand,
    /// The findings, after applying the project's settings.
    findings: Vec<Diagnostic>,
    metadata: Metadata,
    project: Project,
}

impl Subject {
    fn read(
        cx: &Context,
        session: &Session,
        path: &Path,
        bytes: Option<Vec<u8>>,
        target: Option<cfg_schema::Target>,
    ) -> Result<Self, String> {
        let bytes = match bytes {
            Some(bytes) => bytes,
            None => cx.system.read(path, Role::Config).map_err(|error| format!("{}: {error}", path.display()))?,
        };
        let project = Project::around(session.projects(), path);
        let system = Overlay::with(std::sync::Arc::clone(&cx.system), path, bytes.clone());
        let name = path.to_string_lossy();
        let inputs = Inputs { cx, session, kind: cx.common.kind(), target, project: Some(&project), env: false };
        let command = inputs.check_on(&system, Command::Files(&[name.to_string()]));
        cx.known_target(session, path, &command.checked)?;
        let mut findings = command.checked.diagnostics.clone();
        session.projects().apply_lint(path, &[], &[], &mut findings, |_| false);
        let get = |file| command.texts.get(file).map(|text| (text.path.as_str(), text.text.as_str()));
        session.projects().hide_accepted(BaselineTexts { reported: path, get: &get }, &mut findings);
        let (text, _) = cfg_syntax::decode(FileId(0), bytes);
        let (document, _) = cfg_syntax::parse(FileId(0), &text, cfg_syntax::Dialect::Toml11);
        let (metadata, _) = session.metadata(FileId(0), &name, &text, &document);
        Ok(Self { path: path.to_owned(), text, command, findings, metadata, project })
    }

    const fn checked(&self) -> &Checked {
        &self.command.checked
    }

    fn plan(&self) -> Option<Plan> {
        let kind = self.checked().kind.filter(|kind| !kind.is_hosted())?;
        Some(Plan::new(self.checked().target.schema(kind), self.checked().resolved.as_ref()?))
    }

    /// The metadata of the config.
    fn about(&self, machine: Option<&str>) -> Vec<(&'static str, String)> {
        let of = &self.metadata;
        let stated = |text: &Option<cfg_plan::Located<Box<str>>>| text.as_ref().map(|text| text.value.to_string());
        let all = [
            ("version", stated(&of.version)),
            ("created", stated(&of.created)),
            ("based on", stated(&of.based_on)),
            ("environment", stated(&of.env_version)),
            ("machine", machine.map(str::to_owned).or_else(|| stated(&of.hardware))),
            ("notes", stated(&of.notes)),
        ];
        all.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
    }

    /// The memory that it needs on the stated machine.
    fn memory(
        &self,
        cx: &Context,
        plan: &Plan,
        gpu: Option<&str>,
    ) -> Result<(Result<MemoryReport, String>, Option<String>), String> {
        let requested = gpu.map(|text| machine::RequestedMachine::read(cx, text, &self.project.gpus)).transpose()?;
        let hardware = requested.as_ref().map(|requested| &requested.hardware);
        let target = &self.checked().target;
        let found = match memory(plan, target, &self.metadata, &self.project, MemoryOptions { hardware, shape: None }) {
            Ok(found) => found,
            Err(missing) => return Ok((Err(missing.to_string()), None)),
        };
        let project =
            Project { requested_gpu: requested.as_ref().map(|requested| requested.text.as_str().into()), ..self.project.clone() };
        let errors = layout_errors(self.checked(), plan, &self.metadata, &project);
        let source = match found.stated {
            Some(MachineSource::Config(_)) => "metadata",
            Some(MachineSource::Registry) => "registry.json",
            Some(MachineSource::Settings) => "settings",
            Some(MachineSource::CommandLine) | None => "--gpu",
        };
        let report = MemoryReport::new(Assessed {
            target: &target.name,
            run: &found.budget.run,
            assessment: &found.assessment,
            hardware: found.hardware.as_ref(),
            source,
            free: found.free,
            models: &found.budget.models,
            assumed: &found.budget.assumed,
            errors: &errors,
        });
        let machine = found.hardware.as_ref().map(|hardware| format!("{}x {} ({source})", hardware.count, hardware.gpu.name));
        Ok((Ok(report), machine))
    }

    fn course(&self, plan: &Plan) -> CourseReport {
        let target = &self.checked().target;
        let memory = memory(plan, target, &self.metadata, &self.project, MemoryOptions::default()).ok();
        let disk = memory.and_then(|memory| memory.assessment.disk);
        cfg_ide::course(plan, &self.project, &self.metadata, disk.as_ref(), target.name.clone())
    }

    /// All values with their origins.
    fn values(&self, sources: &Sources<'_>) -> Vec<Value> {
        let checked = self.checked();
        let Some(resolved) = &checked.resolved else { return Vec::new() };
        let table = written(resolved, checked.target.point, Nulls::Kept);
        let place = |location| {
            let place = sources.place(location);
            place.map_or_else(String::new, |(path, at)| format!("{path}:{}:{}", at.line, at.column))
        };
        let text = |location| sources.text(location);
        let places = Places { place: &place, text: &text, target: &checked.target.name };
        let value = |leaf: &cfg_resolve::emit::Leaf<'_>| Value {
            key: leaf.key.clone(),
            value: shortened(leaf.text()),
            origin: origin_in_words(leaf.origin, places),
            is_default: matches!(leaf.origin, cfg_compose::Origin::Default),
        };
        leaves(&table).iter().map(value).collect()
    }
}

/// The maximum number of characters of a value on the page.
const LONGEST: usize = 500;

fn shortened(text: String) -> String {
    if text.chars().count() <= LONGEST { text } else { text.chars().take(LONGEST - 3).chain("...".chars()).collect() }
}

fn bounds(of: Thresholds) -> Vec<Bound> {
    let above = |measure, at| Bound { measure, at, is_least: false };
    vec![
        Bound { measure: "entropy", at: of.entropy, is_least: true },
        above("kl", of.kl),
        above("gradient_norm", of.norm),
        above("truncated", of.truncated),
        above("no_signal", of.no_signal),
        above("errors", of.errors),
    ]
}
