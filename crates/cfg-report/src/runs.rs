//! Training runs, for programs; and a comparison of two runs, for people too.

use std::{
    borrow::Cow,
    io::{self, Write},
};

use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde_json::Value;

use crate::{
    Style,
    curves::{CurveReport, EVALUATION, title, value},
    paint::{BOLD, DIM, GREEN, severity_ink},
};

/// The JSON Schema of [`RunReport`].
pub fn run_schema() -> Schema {
    crate::json::written_schema_of::<RunReport>()
}

/// The JSON Schema of [`ComparisonReport`].
pub fn comparison_schema() -> Schema {
    crate::json::schema_of::<ComparisonReport>()
}

/// A run in the registry: an entry of the output of `cfg run list --format json`, and the output of `cfg run add` and `cfg run close`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RunReport {
    /// Its name, unique among all runs.
    pub id: String,
    /// The version that it ran: `configs/rl.toml:v3`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config: Option<String>,
    /// Its status: `running`, `completed`, `failed` or `abandoned`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// The day on which it started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started: Option<String>,
    /// The day on which it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
    /// The prime-rl that was used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prime_rl: Option<String>,
    /// The machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hardware: Option<String>,
    /// The rented machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pod: Option<String>,
    /// Its output folder, relative to the folder in which the registry's paths begin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// Its address in Weights & Biases.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wandb: Option<String>,
    /// The number of its training steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<String>,
    /// The model's result before the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<String>,
    /// The reward that was reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reward: Option<String>,
    /// Notes about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// The sha256 of the used text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// The training meaning of that text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<Value>,
}

/// What `cfg run compare --format json` writes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ComparisonReport {
    /// The first run.
    pub one: ComparedRun,
    /// The second run.
    pub other: ComparedRun,
    /// The differences between the meanings of their configs; null if one of the two configs is not known.
    pub differences: Option<Vec<DifferenceReport>>,
    /// Notes on changes whose effect is often misunderstood.
    pub hints: Vec<String>,
    /// The measures that both have, at equal steps.
    pub measures: Vec<ComparedMeasure>,
}

/// One of two runs.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct ComparedRun {
    /// Its name, or its folder if it has no name.
    pub name: String,
    /// The version or the file that was used.
    pub config: Option<String>,
    /// The target of its config.
    pub target: Option<String>,
    /// Its output folder.
    pub folder: Option<String>,
    /// Its status in the registry.
    pub status: Option<String>,
    /// Its last step.
    pub last_step: Option<i64>,
    /// How it ended, by its logs: `finished`, `failed` or `interrupted`; null if it did not, or if they are not known.
    pub ended: Option<&'static str>,
}

/// A different value.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DifferenceReport {
    /// The key.
    pub key: String,
    /// What it affects: `training`, `resources` or `operations`.
    pub class: &'static str,
    /// The cause of the difference: `user`, `default` or `no-key`.
    pub cause: &'static str,
    /// Its value in the first run, in TOML syntax; null if it has none.
    pub one: Option<String>,
    /// Its value in the second run.
    pub other: Option<String>,
}

/// A measure of both runs.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ComparedMeasure {
    /// Its name, as in `cfg run report`: `reward`, `entropy`.
    pub measure: Cow<'static, str>,
    /// The steps that both have.
    pub points: Vec<ComparedPoint>,
}

/// A step of both runs.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct ComparedPoint {
    /// The step.
    pub step: i64,
    /// The value in the first run.
    pub one: f64,
    /// The value in the second run.
    pub other: f64,
}

impl ComparedMeasure {
    /// The steps that both curves have; `None` if there are none.
    pub fn of(one: &CurveReport, other: &CurveReport) -> Option<Self> {
        let at = |step: i64| other.points.binary_search_by_key(&step, |(step, _)| *step).ok().map(|at| other.points[at].1);
        let both = one.points.iter().filter_map(|&(step, one)| Some(ComparedPoint { step, one, other: at(step)? }));
        let points: Vec<_> = both.collect();
        (!points.is_empty()).then_some(Self { measure: one.measure.clone(), points })
    }

    fn is_evaluation(&self) -> bool {
        self.measure.starts_with(EVALUATION)
    }

    /// The means of both over the last [`SMOOTHED`] common steps up to one; of evaluations, the last result.
    fn means(&self, step: i64) -> Option<(f64, f64)> {
        let end = self.points.partition_point(|point| point.step <= step);
        let count = if self.is_evaluation() { 1 } else { SMOOTHED };
        let some = self.points.get(end.saturating_sub(count)..end).filter(|some| !some.is_empty())?;
        #[expect(clippy::cast_precision_loss, reason = "ten")]
        let count = some.len() as f64;
        let mean = |of: fn(&ComparedPoint) -> f64| some.iter().map(of).sum::<f64>() / count;
        Some((mean(|point| point.one), mean(|point| point.other)))
    }
}

/// People see means of this many steps, because single values vary by chance.
const SMOOTHED: usize = 10;

/// The number of steps that are shown.
const SHOWN: i64 = 5;

/// Writes a comparison: the differences of the configs, and below them the measures at equal steps.
///
/// # Errors
/// If `out` can't be written to.
pub fn write_comparison(out: &mut impl Write, style: Style, report: &ComparisonReport) -> io::Result<()> {
    let clean = |text: &str| cfg_diag::one_line(text).into_owned();
    let inks = [severity_ink(cfg_diag::Severity::Error), GREEN];
    for ((run, mark), ink) in [(&report.one, '-'), (&report.other, '+')].into_iter().zip(inks) {
        let mut line = format!("{mark} {}", clean(&run.name));
        let parts = [
            run.config.as_deref().map(clean),
            run.target.as_ref().map(|target| format!("prime-rl {}", clean(target))),
            run.status.as_deref().map(clean),
            run.last_step.map(|step| format!("last step {step}")),
            // The registry's status says more.
            run.ended.filter(|_| run.status.is_none()).map(str::to_owned),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        if !parts.is_empty() {
            line = format!("{line}: {}", parts.join(", "));
        }
        writeln!(out, "{}", style.paint(ink, line))?;
    }
    if let Some(differences) = &report.differences {
        write_differences(out, style, differences)?;
    }
    if !report.hints.is_empty() {
        writeln!(out)?;
    }
    for hint in &report.hints {
        writeln!(out, "hint: {}", clean(hint))?;
    }
    write_measures(out, style, &report.measures)
}

fn write_differences(out: &mut impl Write, style: Style, differences: &[DifferenceReport]) -> io::Result<()> {
    let inks = [severity_ink(cfg_diag::Severity::Error), GREEN];
    for class in ["training", "resources", "operations"] {
        let own: Vec<_> = differences.iter().filter(|one| one.class == class && one.cause == "user").collect();
        if !own.is_empty() {
            writeln!(out, "\n{}", style.paint(BOLD, class))?;
        }
        for one in own {
            for ((value, mark), ink) in [(&one.one, '-'), (&one.other, '+')].into_iter().zip(inks) {
                if let Some(value) = value {
                    let line = format!("{mark} {} = {}", cfg_diag::one_line(&one.key), cfg_diag::one_line(value));
                    writeln!(out, "  {}", style.paint(ink, line))?;
                }
            }
        }
    }
    let by_version = differences.iter().filter(|one| one.cause != "user").count();
    if by_version > 0 {
        writeln!(out, "\n{by_version} values differ by the versions of prime-rl (`cfg diff` lists them)")?;
    }
    if differences.is_empty() {
        writeln!(out, "\nboth configs mean the same")?;
    }
    Ok(())
}

fn write_measures(out: &mut impl Write, style: Style, measures: &[ComparedMeasure]) -> io::Result<()> {
    let ends = measures.iter().filter_map(|one| one.points.first().zip(one.points.last()));
    let ends = ends.map(|(first, last)| (first.step, last.step)).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
    let Some((first, last)) = ends else { return writeln!(out, "\nthe two runs have no measure at equal steps") };
    let span = last.saturating_sub(first);
    let mut steps: Vec<i64> = (1..=SHOWN).map(|part| first + span / SHOWN * part + span % SHOWN * part / SHOWN).collect();
    steps.dedup();
    let evaluated = if measures.iter().any(ComparedMeasure::is_evaluation) { ", the last evaluation" } else { "" };
    let head = format!("at equal steps (means of the {SMOOTHED} before{evaluated})");
    let names = measures.iter().map(|one| title(&one.measure).len()).chain([head.len()]).max().unwrap_or(0);
    let columns: Vec<String> = steps.iter().map(|step| format!("  {step:>9}")).collect();
    writeln!(out, "\n{}", style.paint(BOLD, format!("{head:<names$}  {}", columns.concat())))?;
    for measure in measures {
        let means: Vec<_> = steps.iter().map(|step| measure.means(*step)).collect();
        for (name, mark) in [(title(&measure.measure), "-"), ("".into(), "+")] {
            let shown = |(one, other): (f64, f64)| value(if mark == "-" { one } else { other });
            let cells: Vec<String> = means.iter().map(|mean| format!("  {:>9}", mean.map_or_else(String::new, shown))).collect();
            writeln!(out, "{name:<names$} {}{}", style.paint(DIM, mark), cells.concat())?;
        }
    }
    Ok(())
}
