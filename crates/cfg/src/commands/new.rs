//! `cfg new`: writes a config for a model, a machine and a purpose, or a variant of an existing version.

mod missing;

use std::{
    io,
    path::{Path, PathBuf},
};

use cfg_check::{Project, Request, Session};
use cfg_draft::{Changes, Considered, Draft, Method, Refusal, Surroundings, Wish};
use cfg_memory::hardware::{self, Hardware};
use cfg_report::draft::{DraftGpu, DraftReport, DraftSplit};
use cfg_schema::{Kind, Target};
use cfg_system::NewMode;

use super::{
    Listing,
    memory::{StepResult, shape_of},
    registry::reference,
};
use crate::{CommandResult, Ended, Outcome, args, context::Context, machine};

/// The path that is assumed for a config that is only printed.
const UNNAMED: &str = "rl.toml";

pub(crate) fn run(cx: &Context, words: &args::New) -> CommandResult {
    let path = words.output.clone().unwrap_or_else(|| PathBuf::from(UNNAMED));
    let session = cx.session();
    let has_machine = Project::around(session.projects(), &path).gpu.is_some();
    let words = &match missing::completed(cx, words, has_machine) {
        Ok(words) => words,
        Err(why) => {
            cx.complain(&why);
            return Ok(Outcome::Failed);
        }
    };
    let order = match Order::read(cx, &session, &path, words) {
        Ok(order) => order,
        Err(why) => {
            cx.complain(&why);
            return Ok(Outcome::Failed);
        }
    };
    let found = match &words.like {
        Some(like) => order.like(&session, &path, &parent(cx, like)?, words),
        None => order.anew(cx, &session, &path, words),
    };
    match found {
        Ok(draft) => write(cx, words, &order, &draft),
        Err(Refused { refusal, instead }) => {
            cx.complain(&refusal.to_string());
            if !instead.is_empty() {
                cx.note(&format!("it would fit on {}", instead.join(", or on ")));
            }
            Ok(if matches!(refusal, Refusal::Model(_) | Refusal::Unsaid(_)) { Outcome::Failed } else { Outcome::Found })
        }
    }
}

/// Why there is no config, and the machines for which there would be one.
struct Refused {
    refusal: Refusal,
    instead: Vec<String>,
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Self {
        Self { refusal, instead: Vec::new() }
    }
}

/// The request.
struct Order {
    /// The kind, if it is stated.
    kind: Option<Kind>,
    project: Project,
    hardware: Option<Hardware>,
    target: Target,
    /// The text by which the config states its prime-rl; `None` if it does not state one.
    stated: Option<String>,
    /// Notes on the machine.
    notes: Vec<String>,
}

const fn has_environments(kind: Kind) -> bool {
    matches!(kind, Kind::Rl | Kind::Orchestrator)
}

/// The kind that is asked for, if the command says it: a data set is for supervised fine-tuning.
fn kind_of(cx: &Context, words: &args::New) -> Option<Kind> {
    let of_data = || (words.like.is_none() && words.data.is_some()).then_some(Kind::Sft);
    cx.common.kind().or_else(of_data)
}

impl Order {
    fn read(cx: &Context, session: &Session, path: &Path, words: &args::New) -> StepResult<Self> {
        let kind = kind_of(cx, words);
        if let Some(kind) = kind.filter(|kind| kind.is_hosted()) {
            return Err(format!("`cfg new` can't make {kind} configs: hosted training picks the machine"));
        }
        if let Some(kind) = kind.filter(|kind| !kind.is_run()) {
            return Err(format!("`cfg new` writes configs of training runs, not of {kind}"));
        }
        if words.like.is_some() && cx.common.target.is_some() {
            return Err("--like keeps the config's own prime-rl; use `cfg migrate` to change it".to_owned());
        }
        let mut project = Project::around(session.projects(), path);
        if let (Some(file), Some(model)) = (&words.model_config, &words.model) {
            project.shapes.insert(model.clone(), shape_of(cx, file)?);
        }
        let (hardware, notes) = machine(cx, &project, words)?;
        let (target, stated) = target(cx, session, path, words.like.is_some())?;
        Ok(Self { kind, project, hardware, target, stated, notes })
    }

    /// Writes a new config for a model.
    fn anew(&self, cx: &Context, session: &Session, path: &Path, words: &args::New) -> Result<Draft, Refused> {
        let unsaid = |what: &'static str| Refused::from(Refusal::Unsaid(what));
        let hardware = self.hardware.clone();
        let wish = Wish {
            kind: self.kind.unwrap_or(Kind::Rl),
            model: words.model.as_deref().ok_or_else(|| unsaid("missing model: pass --model"))?,
            hardware: hardware
                .ok_or_else(|| unsaid("missing machine: pass --gpu, as in `--gpu \"2x H100\"`, or set `gpu` in cfg.toml"))?,
            source: words.data.as_deref().or(words.env.as_deref()),
            images: words.images,
            goal: words.goal,
            method: words.method,
            seq_len: words.seq_len,
        };
        if wish.source.is_some() && !wish.rolls_out() && wish.kind != Kind::Sft {
            cx.note(&format!("{} configs have neither an environment nor data", wish.kind));
        }
        let path = path.to_string_lossy();
        let around = self.around(session, &path);
        cfg_draft::draft(around, &wish).map_err(|refusal| {
            let instead = cfg_draft::larger_machines(around, &wish, &refusal);
            Refused { refusal, instead }
        })
    }

    /// Writes a variant of a registered version.
    fn like(
        &self,
        session: &Session,
        path: &Path,
        (text, parent): &(String, String),
        words: &args::New,
    ) -> Result<Draft, Refused> {
        let hardware = self.hardware.as_ref().filter(|_| words.gpu.is_some());
        let changes = Changes { model: words.model.as_deref(), hardware, environment: words.env.as_deref() };
        cfg_draft::adapt(self.around(session, &path.to_string_lossy()), self.kind, text, parent, changes).map_err(Refused::from)
    }

    fn around<'a>(&'a self, session: &'a Session, path: &'a str) -> Surroundings<'a> {
        Surroundings { session, project: &self.project, path, target: &self.target, stated: self.stated.as_deref() }
    }
}

/// The text of a registered version, and its name.
fn parent(cx: &Context, like: &str) -> CommandResult<(String, String)> {
    let (opened, place) = reference::find(cx, like)?;
    let Some(bytes) = reference::bytes(cx, &opened, place) else { return Err(Ended::Reported(Outcome::Failed)) };
    let name = opened.registry.name(place);
    String::from_utf8(bytes).map(|text| (text, name.clone())).map_err(|_| {
        cx.complain(&format!("{name} is not UTF-8"));
        Ended::Reported(Outcome::Failed)
    })
}

/// The requested machine, or else that of the settings, with notes.
fn machine(cx: &Context, project: &Project, words: &args::New) -> StepResult<(Option<Hardware>, Vec<String>)> {
    if let Some(text) = &words.gpu {
        let requested = machine::RequestedMachine::read(cx, text, &project.gpus)?;
        return Ok((Some(requested.hardware), requested.notes));
    }
    let Some(stated) = &project.gpu else { return Ok((None, Vec::new())) };
    let gpu = hardware::find(&stated.name, &project.gpus).map_err(|error| error.to_string())?;
    Ok((Some(Hardware { count: stated.count, gpu }), Vec::new()))
}

/// The target of the config, and the text by which the config states it: none if its project states the target. A variant keeps
/// the target of its parent.
fn target(cx: &Context, session: &Session, path: &Path, keeps: bool) -> StepResult<(Target, Option<String>)> {
    if let Some(text) = &cx.common.target {
        let target = cx.named_target(text)?;
        // A path is only valid on this machine, and `main` changes every day, so the commit is stated instead.
        let commit = target.history.commit_of(target.point).map(cfg_schema::Commit::short_sha);
        let stated = match text.as_str() {
            "main" => commit,
            // Tomorrow this may be another release.
            "latest" => Some(target.name.clone()),
            text if text.starts_with("path:") => None,
            text => Some(text.to_owned()),
        };
        return Ok((target, stated));
    }
    // The day of a config that is there already says nothing of a new one.
    let free = path.with_extension("new.toml");
    let shown = if keeps { path } else { &free }.to_string_lossy();
    let request = Request { kind: Some(cx.common.kind().unwrap_or(Kind::Rl)), ..Request::new(&shown, "") };
    let checked = cfg_check::check(session, request);
    if checked.is_unknown() && !keeps {
        return Err("the project's prime-rl is unknown: pass --target".to_owned());
    }
    let stated = (!checked.is_stated() || keeps).then(|| checked.target.name.clone());
    Ok((checked.target, stated))
}

fn write(cx: &Context, words: &args::New, order: &Order, draft: &Draft) -> CommandResult {
    if let Some(path) = &words.output
        && let Err(error) = cx.writer.create(path, draft.text.as_bytes(), NewMode::Plain)
    {
        let is_there = error.kind() == io::ErrorKind::AlreadyExists;
        let why = if is_there { "the file already exists; nothing was written".to_owned() } else { error.to_string() };
        cx.complain(&format!("{}: {why}", path.display()));
        return Ok(Outcome::Failed);
    }
    let report = report(&order.target, draft);
    match Listing::of(cx) {
        Listing::Text => {
            match &words.output {
                Some(path) => cx.say(&format!("{}: written", path.display())),
                None => cx.print(draft.text.as_bytes())?,
            }
            order.notes.iter().chain(&report.summary()).for_each(|note| cx.note(note));
        }
        listing => listing.write_one(&mut cx.out(), &report)?,
    }
    Ok(Outcome::Clean)
}

fn split(considered: &Considered) -> DraftSplit {
    DraftSplit {
        infer: considered.infer,
        train: considered.train,
        fits: considered.fits,
        trainer_seconds: considered.trainer,
        rollouts_seconds: considered.rollouts.map(|range| (range.low, range.high)),
    }
}

fn report(target: &Target, draft: &Draft) -> DraftReport {
    let assessment = draft.memory.as_ref().map(|(_, assessment)| assessment);
    DraftReport {
        text: draft.text.clone(),
        kind: draft.kind.to_string(),
        target: target.name.clone(),
        model: draft.model.clone(),
        gpu: draft.machine.clone(),
        method: draft.method.map(|method| if method == Method::Full { "full" } else { "lora" }),
        seq_len: draft.seq_len,
        splits: draft.considered.iter().map(split).collect(),
        gpus: draft.memory.iter().flat_map(|(run, assessment)| DraftGpu::all(run, assessment)).collect(),
        disk_bytes: assessment.and_then(|assessment| assessment.disk.as_ref()).map(|disk| disk.peak.rounded()),
        unknown: draft.unknown.clone(),
    }
}
