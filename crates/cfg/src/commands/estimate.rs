//! `cfg estimate`: the duration of a run on each card on which it fits, and its cost.

use cfg_diag::Order as _;
use std::{
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use cfg_check::memory::{Memory, MemoryOptions};
use cfg_diagnose::Measure;
use cfg_memory::{
    catalogue::Gpu,
    duration::{Calibration, Measured, Workload, accuracy, table},
    run::Run,
    solve,
    verdict::Verdict,
};
use cfg_plan::Plan;
use cfg_report::estimate::{
    AccuracyReport, CalibrationReport, CardReport, EstimateReport, RangeReport, TrainerReport, headline, write_svg, write_table,
};

use super::{
    Listing, gpu,
    memory::{Job, shape_of, usable_cards},
    newest_run::newest_run,
    resume, watch,
};
use crate::{
    CommandResult, Outcome,
    args::{self, Format},
    context::Context,
    machine, terminal,
};

pub(crate) fn run(cx: &Context, words: &args::Estimate) -> CommandResult {
    let listing = Listing::of(cx);
    if words.gpu.as_deref() == Some(gpu::LIST) {
        return gpu::list(cx);
    }
    let job = Job::read(cx, &words.paths)?;
    let report = match estimate(cx, &job, words) {
        Ok(report) => report,
        Err((why, outcome)) => {
            cx.complain(&why);
            return Ok(outcome);
        }
    };
    job.introduce(Some(&headline(&report, &job.target())))?;
    let mut out = io::BufWriter::new(cx.out());
    match listing {
        Listing::Text if cx.common.format == Format::Svg => write_svg(&mut out, &report)?,
        Listing::Text => write_table(&mut out, terminal::style(cx), terminal::columns(cx, &io::stdout()), &report)?,
        Listing::Json | Listing::JsonLines => job.write_one(listing, &mut out, &report)?,
    }
    out.flush()?;
    let fits = |card: &CardReport| matches!(card.verdict, "fits" | "tight");
    Ok(if report.cards.iter().any(fits) { Outcome::Clean } else { Outcome::Found })
}

/// The estimate; the error is the reason why there is none.
fn estimate(cx: &Context, job: &Job<'_>, words: &args::Estimate) -> Result<EstimateReport, (String, Outcome)> {
    let failed = |why: String| (why, Outcome::Failed);
    let project = job.project();
    let named = words.gpu.as_deref().filter(|text| *text != gpu::ALL);
    let requested = named.map(|text| machine::RequestedMachine::read(cx, text, &project.gpus)).transpose().map_err(failed)?;
    let hardware = requested.as_ref().map(|requested| &requested.hardware);
    let shape = words.model_config.as_deref().map(|path| shape_of(cx, path)).transpose().map_err(failed)?;
    let plan = Job::plan(&job.checked()).map_err(|missing| failed(job.sentence(&missing)))?;
    let memory = job.memory(&plan, MemoryOptions { hardware, shape: shape.as_ref() });
    let memory = memory.map_err(|missing| failed(job.sentence(&missing)))?;
    let errors = job.layout_errors(&plan, requested.as_ref().map(|requested| &*requested.text));
    if !errors.is_empty() {
        return Err((errors.join("; "), Outcome::Found));
    }
    let run = &memory.budget.run;
    let workload = cfg_plan::workload(&plan, job.metadata(), run.trainer.as_ref());
    let mut assumed = memory.budget.assumed.clone();
    assumed.extend(workload.assumed.iter().cloned());
    if run.inference.is_some() && workload.in_flight.is_some() {
        assumed.push(environment(words.env_seconds));
    }
    assumed.extend(epochs(&plan, &workload, project));
    let own = hardware.or(memory.hardware.as_ref()).map(|hardware| hardware.gpu.name.clone());
    let mut tried = hardware.map_or_else(|| usable_cards(&project.gpus), |hardware| vec![hardware.gpu.clone()]);
    // The machine that the config is for comes first.
    tried.order_by_key(|gpu| own.as_ref() != Some(&gpu.name));
    let calibrated = match &words.from {
        None => None,
        Some(folder) => Some(calibration(cx, job, words, &memory, &workload, folder).map_err(failed)?),
    };
    if let Some((_, report)) = &calibrated {
        assumed.push(format!("the environment and everything else take the time measured in {}", report.run));
    }
    let calibration = calibrated.as_ref().map(|(calibration, _)| calibration);
    let on_cards = On { job, words, own: own.as_deref(), memory: &memory, workload: &workload, calibration };
    let (mut reports, mut too_small) = (Vec::new(), Vec::new());
    for gpu in tried {
        let (report, notes) = on_cards.report(&gpu);
        if requested.is_some() || matches!(report.verdict, "fits" | "tight") {
            reports.push(report);
            notes.into_iter().for_each(|note| {
                if !assumed.contains(&note) {
                    assumed.push(note);
                }
            });
        } else {
            too_small.push(report.name);
        }
    }
    assumed.extend(on_cards.guesses(&reports));
    let calibration = calibrated.map(|(_, report)| CalibrationReport {
        hours: reports.iter().find(|card| card.name == report.card).map_or_else(RangeReport::default, |card| card.hours),
        ..report
    });
    Ok(EstimateReport { cards: reports, assumed, accuracy: trust(run, &workload), calibration, too_small })
}

fn range(range: Option<cfg_memory::duration::Range>) -> RangeReport {
    RangeReport {
        low: range.map(|range| range.low),
        middle: range.map(cfg_memory::duration::Range::middle),
        high: range.map(|range| range.high),
    }
}

/// Hours, with the likely ones.
fn hours(estimate: &cfg_memory::duration::Estimate) -> RangeReport {
    RangeReport { middle: estimate.middle_hours, ..range(estimate.hours) }
}

/// The number of steps, the newest ones, from which the duration of a step is computed.
const NEWEST: usize = 100;

/// Compares the estimate with a run. The config of the run is the one in its folder, or else the estimated one; its machine is
/// the one that is stated.
fn calibration(
    cx: &Context,
    job: &Job<'_>,
    words: &args::Estimate,
    memory: &Memory,
    workload: &Workload,
    folder: &Path,
) -> Result<(Calibration, CalibrationReport), String> {
    let shown = folder.display().to_string();
    if !cx.system.is_folder(folder) && !cx.system.is_file(folder) {
        return Err(format!("{shown}: no such folder"));
    }
    let folder = &*newest_run(cx, folder);
    let (curves, _) = watch::measures(cx, folder);
    let measured = Measured {
        trainer: curves.of(Measure::TrainerSeconds).median(NEWEST),
        tokens_per_second: curves.of(Measure::TokensPerSecond).median(NEWEST),
        // Between two batches of the orchestrator, whose log may be the only one, the trainer makes a step.
        step: curves
            .of(Measure::StepSeconds)
            .quartiles(NEWEST)
            .or_else(|| curves.of(Measure::OrchestratorSeconds).quartiles(NEWEST)),
    };
    if measured == Measured::default() {
        return Err(format!("{shown}: neither its logs nor metrics.jsonl contain step times"));
    }
    let left: Vec<PathBuf> = resume::left_config(cx, folder).into_iter().collect();
    let its_own = if left.is_empty() { None } else { Job::read(cx, &left).ok() };
    let its_own = its_own.as_ref().and_then(|own| {
        let plan = Job::plan(&own.checked()).ok()?;
        let memory = own.memory(&plan, MemoryOptions::default()).ok()?;
        let workload = cfg_plan::workload(&plan, own.metadata(), memory.budget.run.trainer.as_ref());
        Some((memory, workload))
    });
    let requested =
        words.gpu.as_deref().map(|text| machine::RequestedMachine::read(cx, text, &job.project().gpus)).transpose()?;
    let stated = its_own.as_ref().and_then(|(memory, _)| memory.hardware.clone());
    let of_config = || job.memory(&Job::plan(&job.checked()).ok()?, MemoryOptions::default()).ok()?.hardware;
    let hardware = stated.or_else(of_config).or_else(|| requested.map(|requested| requested.hardware));
    let Some(hardware) = hardware else {
        return Err(format!("unknown which cards {shown} ran on: pass --gpu, or set `hardware` in the config"));
    };
    let (memory, workload) = its_own.as_ref().map_or((memory, workload), |(memory, workload)| (memory, workload));
    let run = solve::on_card(&memory.budget.run, &hardware.gpu);
    let estimate = cfg_memory::duration::estimate(&run, &run.assess(), workload, words.env_seconds, None);
    let estimate = estimate.ok_or_else(|| format!("the speed of {} is unknown", hardware.gpu.name))?;
    let calibration = Calibration::new(&measured, &estimate, workload.is_overlapped);
    let calibration = calibration.ok_or_else(|| {
        format!(
            "the times of {shown} on {} can't be compared with the estimate: it may have been another config",
            hardware.gpu.name
        )
    })?;
    let report = CalibrationReport {
        run: shown,
        card: hardware.gpu.name.to_string(),
        steps: curves.of(Measure::StepSeconds).points().len().max(curves.of(Measure::TokensPerSecond).points().len()),
        step_seconds: measured.step.map(|(_, median, _)| median),
        trainer_factor: calibration.trainer,
        rollouts_factor: calibration.made,
        hours_before: hours(&estimate),
        hours: RangeReport::default(),
    };
    Ok((calibration, report))
}

/// A run on one kind of card.
struct On<'a> {
    job: &'a Job<'a>,
    words: &'a args::Estimate,
    /// The card that is requested, or else that of the config.
    own: Option<&'a str>,
    memory: &'a Memory,
    workload: &'a Workload,
    calibration: Option<&'a Calibration>,
}

impl On<'_> {
    /// The report for this card, with notes.
    fn report(&self, gpu: &Gpu) -> (CardReport, Vec<String>) {
        let run = solve::on_card(&self.memory.budget.run, gpu);
        let assessment = run.assess();
        let verdict = assessment.verdict();
        let found = cfg_memory::duration::estimate(&run, &assessment, self.workload, self.words.env_seconds, self.calibration);
        let found = found.unwrap_or_default();
        let count = u32::try_from(assessment.gpus.len()).unwrap_or(u32::MAX);
        // A price is that of one card: the requested one, or else that of the config.
        let given = self.words.price.filter(|_| self.own.is_none_or(|own| own == &*gpu.name));
        let price = given.or_else(|| self.job.price(&gpu.name));
        let report = CardReport {
            name: gpu.name.to_string(),
            count,
            verdict: if verdict == Verdict::Unknown { "unknown" } else { verdict.as_str() },
            trainer: TrainerReport { tokens_per_second: found.tokens_per_second, step_seconds: found.step_seconds },
            generation: range(found.generation),
            hours: hours(&found),
            dollars: price.zip(found.hours).map(|(price, hours)| price * hours.high * f64::from(count)),
            disk_bytes: assessment.disk.as_ref().map(|disk| disk.peak.rounded()),
            is_guess: table::card(&gpu.name)
                .is_none_or(|card| !card.measured || accuracy::has_other_kernel(card, self.workload.kernel)),
        };
        (report, found.notes)
    }

    /// Sentences about guessed speeds of cards; each names all cards to which it applies.
    fn guesses(&self, reports: &[CardReport]) -> Vec<String> {
        let of = |is_one: &dyn Fn(Option<&table::Card>) -> bool| {
            let names: Vec<&str> = reports.iter().map(|report| &*report.name).filter(|name| is_one(table::card(name))).collect();
            (!names.is_empty()).then(|| names.join(", "))
        };
        let kernel = self.workload.kernel;
        let unknown =
            of(&|card| card.is_none()).map(|names| format!("no speed known for {names}: no data sheet, or no bfloat16"));
        let unmeasured = of(&|card| card.is_some_and(|card| !card.measured));
        let unmeasured = unmeasured.map(|names| format!("speed of {names} from data sheets (guess: never measured)"));
        let kernels = of(&|card| card.is_some_and(|card| accuracy::has_other_kernel(card, kernel)));
        let kernels =
            kernels.map(|names| format!("FlashAttention 2 on {names}, which the config's kernel does not support (guess)"));
        let trains = self.memory.budget.run.trainer.is_some();
        [unknown, unmeasured, kernels.filter(|_| trains)].into_iter().flatten().collect()
    }
}

fn environment(seconds: f64) -> String {
    if seconds > 0.0 {
        format!("the environment takes {seconds} s per step (--env-seconds)")
    } else {
        "the environment takes no time; set the time for tools and scoring per step with --env-seconds".to_owned()
    }
}

/// The number of passes over the problems, if the number of problems is known.
fn epochs(plan: &Plan, workload: &Workload, project: &cfg_check::Project) -> Option<String> {
    let problems = plan.orchestrator.as_ref()?.batch.problems()?;
    let steps = workload.steps?;
    let (name, number) = cfg_ide::known_problems(plan, project)?;
    #[expect(clippy::cast_precision_loss, reason = "counts are small")]
    let taken = steps * problems as f64;
    Some(format!("{steps:.0} steps of {problems} pass {:.1} times over the {number:.0} problems (`{name}`)", taken / number))
}

/// The accuracy of the estimate of the trainer's part.
fn trust(run: &Run, workload: &Workload) -> AccuracyReport {
    let trainer = run.trainer.as_ref();
    let not_validated = trainer.map(|trainer| accuracy::unmeasured(trainer, &run.model, workload)).unwrap_or_default();
    let table::Accuracy { runs, unseen_model, .. } = table::ACCURACY;
    AccuracyReport {
        measured_runs: runs,
        mean_error: unseen_model.mean,
        worst_error: unseen_model.worst,
        validated: trainer.is_some() && not_validated.is_empty(),
        not_validated,
    }
}
