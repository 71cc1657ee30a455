//! Fits the constants of `schemas/speed.toml` to measured runs: `cargo xtask speed CSV` prints them, with their errors on runs that the fit has used
//! and on others.
//!
//! The minimised sum has a term for each run, the logarithm of predicted over measured seconds, and a term for each constant, the logarithm of its
//! distance from a first guess. So a constant that few runs determine stays close to the value from papers on kernels and data sheets.

use std::{collections::BTreeMap, fmt::Write as _, fs, path::Path};

use cfg_memory::{
    Tokens, catalogue,
    duration::{
        table::{Card, Error, Fit, Kernel, card, window},
        trainer::{exception, seconds},
        work::Work,
    },
    prime_rl::Date,
    trainer::{Allocator, Checkpointing, Dtype, LmHead, Lora, Offload, Optimizer, Trainer},
};

/// The number of constants.
const CONSTANTS: usize = 13;

/// The name, the first guess, and the uncertainty of the guess as the standard deviation of its logarithm.
const GUESSES: [(&str, f64, f64); CONSTANTS] = [
    ("dense", 0.6, 0.3),
    ("experts", 0.3, 0.7),
    ("flash2_ampere", 0.6, 0.25),
    ("flash2_hopper", 0.36, 0.3),
    ("flash2_blackwell", 0.18, 0.5),
    ("flash3", 0.65, 0.25),
    ("flash4", 0.55, 0.4),
    ("head", 0.7, 0.7),
    ("channels", 40.0, 1.0),
    ("adapters", 40.0, 1.0),
    ("dispatch", 30.0, 1.0),
    ("logits", 20.0, 1.0),
    ("adapter_launch", 3e-3, 1.5),
];

/// The standard deviation of a measurement's logarithm, and the number of these from which on a run counts less.
const NOISE: f64 = 0.06;
const ROBUST: f64 = 2.0;

/// The number of fits on halves of the runs.
const HALVES: u64 = 12;

type Constants = [f64; CONSTANTS];

/// A measured run.
struct Measured {
    model: String,
    configuration: String,
    card: &'static Card,
    kernel: Kernel,
    work: Work,
    seconds: f64,
    /// Whether it is one of the runs that the formula does not describe.
    is_exception: bool,
}

/// The text of the report.
pub(crate) fn report(csv: &Path) -> Result<String, String> {
    let text = fs::read_to_string(csv).map_err(|error| format!("{}: {error}", csv.display()))?;
    let all = runs(&text)?;
    let runs: Vec<&Measured> = all.iter().filter(|run| !run.is_exception).collect();
    let fitted = fit(&runs);
    let mut out = String::from("[fit]\n");
    for ((name, ..), value) in GUESSES.iter().zip(fitted) {
        let _ = writeln!(out, "{name} = {:.4}", value.exp());
    }
    let _ = writeln!(out, "\n[accuracy]\nruns = {}", runs.len());
    let mut add = |name: &str, errors: &[f64]| {
        let Error { mean, worst } = summary(errors);
        let _ = writeln!(out, "{name} = {{ mean = {mean:.3}, worst = {worst:.2} }}");
    };
    add("fitted", &runs.iter().map(|run| error(run, &fitted)).collect::<Vec<_>>());
    add("unseen_model", &left_out(&runs, |run| run.model.clone()));
    add("unseen_card", &left_out(&runs, |run| run.card.name.to_owned()));
    add("unseen_configuration", &left_out(&runs, |run| run.configuration.clone()));
    add("unseen_half", &halves(&runs));
    Ok(out)
}

/// The errors of runs that a fit has not used, for each group of runs that is left out.
fn left_out(runs: &[&Measured], group: impl Fn(&Measured) -> String) -> Vec<f64> {
    let mut groups: BTreeMap<String, Vec<&Measured>> = BTreeMap::new();
    for run in runs {
        groups.entry(group(run)).or_default().push(run);
    }
    let of_group = |(name, unseen): (&String, &Vec<&Measured>)| {
        let seen: Vec<&Measured> = runs.iter().filter(|run| group(run) != *name).copied().collect();
        let fitted = fit(&seen);
        unseen.iter().map(|run| error(run, &fitted)).collect::<Vec<_>>()
    };
    groups.iter().flat_map(of_group).collect()
}

/// The errors of one half of the runs with a fit on the other half, for several partitions.
fn halves(runs: &[&Measured]) -> Vec<f64> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = || {
        // Xorshift: any uniform partition would do.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut errors = Vec::new();
    for _ in 0..HALVES {
        let mut drawn: Vec<(u64, &Measured)> = runs.iter().map(|run| (next(), *run)).collect();
        drawn.sort_by_key(|(number, _)| *number);
        let (seen, unseen) = drawn.split_at(runs.len() / 2);
        let fitted = fit(&seen.iter().map(|(_, run)| *run).collect::<Vec<_>>());
        errors.extend(unseen.iter().map(|(_, run)| error(run, &fitted)));
    }
    errors
}

fn summary(errors: &[f64]) -> Error {
    #[expect(clippy::cast_precision_loss, reason = "there are few runs")]
    let mean = errors.iter().sum::<f64>() / errors.len() as f64;
    Error { mean, worst: errors.iter().copied().fold(0.0, f64::max) }
}

/// The relative error of a prediction.
fn error(run: &Measured, constants: &Constants) -> f64 {
    (predicted(run, constants) / run.seconds - 1.0).abs()
}

fn predicted(run: &Measured, constants: &Constants) -> f64 {
    seconds(&run.work, run.card, run.kernel, &as_fit(constants))
}

fn as_fit(logarithms: &Constants) -> Fit {
    let [
        dense,
        experts,
        flash2_ampere,
        flash2_hopper,
        flash2_blackwell,
        flash3,
        flash4,
        head,
        channels,
        adapters,
        dispatch,
        logits,
        adapter_launch,
    ] = logarithms.map(f64::exp);
    Fit {
        dense,
        experts,
        flash2_ampere,
        flash2_hopper,
        flash2_blackwell,
        flash3,
        flash4,
        head,
        channels,
        adapters,
        dispatch,
        logits,
        adapter_launch,
    }
}

/// The constants, as logarithms, by the Levenberg-Marquardt method.
fn fit(runs: &[&Measured]) -> Constants {
    let first = GUESSES.map(|(_, guess, _)| guess.ln());
    let residuals = |at: &Constants| -> Vec<f64> {
        let of_runs = runs.iter().map(|run| {
            let z = (predicted(run, at) / run.seconds).ln() / NOISE;
            // An outlier counts by its distance instead of the square.
            let far = ROBUST * ROBUST;
            z.signum() * (2.0 * far * ((1.0 + z * z / far).sqrt() - 1.0)).sqrt()
        });
        let of_guesses = (0..CONSTANTS).map(|index| (at[index] - first[index]) / GUESSES[index].2);
        of_runs.chain(of_guesses).collect()
    };
    let cost = |residuals: &[f64]| residuals.iter().map(|value| value * value).sum::<f64>();
    let (mut at, mut damping) = (first, 1e-2);
    let mut now = residuals(&at);
    for _ in 0..200 {
        let columns: Vec<Vec<f64>> = (0..CONSTANTS)
            .map(|index| {
                const STEP: f64 = 1e-5;
                let mut moved = at;
                moved[index] += STEP;
                residuals(&moved).iter().zip(&now).map(|(moved, now)| (moved - now) / STEP).collect()
            })
            .collect();
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let mut matrix = [[0.0; CONSTANTS + 1]; CONSTANTS];
        for row in 0..CONSTANTS {
            for column in 0..CONSTANTS {
                matrix[row][column] = dot(&columns[row], &columns[column]);
            }
            matrix[row][row] *= 1.0 + damping;
            matrix[row][CONSTANTS] = -dot(&columns[row], &now);
        }
        let step = solve(matrix);
        let moved = std::array::from_fn(|index| at[index] + step[index]);
        let then = residuals(&moved);
        if cost(&then) < cost(&now) {
            let gained = cost(&now) - cost(&then);
            (at, now, damping) = (moved, then, damping / 3.0);
            if gained < 1e-10 {
                break;
            }
        } else {
            damping *= 4.0;
        }
    }
    at
}

/// Solves linear equations by elimination; the last column is the right side.
fn solve(mut matrix: [[f64; CONSTANTS + 1]; CONSTANTS]) -> Constants {
    for pivot in 0..CONSTANTS {
        let best = (pivot..CONSTANTS).max_by(|a, b| matrix[*a][pivot].abs().total_cmp(&matrix[*b][pivot].abs()));
        matrix.swap(pivot, best.unwrap_or(pivot));
        let row = matrix[pivot];
        for (_, other) in matrix.iter_mut().enumerate().filter(|(index, _)| *index != pivot) {
            let factor = other[pivot] / row[pivot];
            other.iter_mut().zip(row).for_each(|(own, of_pivot)| *own -= factor * of_pivot);
        }
    }
    std::array::from_fn(|index| matrix[index][CONSTANTS] / matrix[index][index])
}

/// Reads measured runs. The first line names the columns.
fn runs(csv: &str) -> Result<Vec<Measured>, String> {
    let mut lines = csv.lines();
    let columns: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let read = |(index, line): (usize, &str)| {
        let cells: BTreeMap<&str, &str> = columns.iter().copied().zip(line.split(',')).collect();
        measured(&cells).map_err(|what| format!("line {}: {what}", index + 2))
    };
    lines.enumerate().map(read).collect()
}

fn measured(cells: &BTreeMap<&str, &str>) -> Result<Measured, String> {
    let cell = |name: &str| cells.get(name).copied().ok_or_else(|| format!("no {name}"));
    let number = |name: &str| -> Result<u32, String> { cell(name)?.parse().map_err(|_| format!("{name} is not a number")) };
    let name = cell("model")?;
    let model = catalogue::model(name).map_err(|_| format!("the model {name} is not known"))?;
    let gpu = cfg_memory::hardware::find(cell("gpu")?, &[]).map_err(|error| error.to_string())?;
    let card = card(&gpu.name).ok_or("a card without a speed")?;
    let prime_rl = Date::parse(cell("date")?).ok_or("no date")?;
    let trainer = Trainer {
        prime_rl,
        seq_len: Tokens(number("seq_len")?.into()),
        micro_batch: 1,
        packs: 1,
        gpus: number("num_gpus")?,
        replicas: 1,
        context_parallel: number("cp")?,
        expert_parallel: number("ep")?,
        lora: cell("lora_rank")?.parse().ok().map(Lora::of_rank),
        dtype: Dtype::Float32,
        optimizer: Optimizer::AdamW,
        offload: Offload::None,
        checkpointing: match cell("ac")? {
            "Recompute" => Checkpointing::Full { every: 1, offloaded: false },
            "Offload" => Checkpointing::Full { every: 1, offloaded: true },
            _ => Checkpointing::None,
        },
        lm_head: LmHead::Whole,
        compile: false,
        allocator: Allocator::Expandable,
    };
    let kernel = Kernel::named(cell("attn")?).ok_or("an unknown kernel")?;
    let is_sft = cell("type")? == "sft";
    let work = Work::of(model.architecture, window(name), &trainer, f64::from(number("micro_batches")?), is_sft);
    let of_configuration = ["model", "lora_rank", "type", "seq_len", "gpu", "attn"].map(|name| cells.get(name).copied());
    Ok(Measured {
        model: name.to_owned(),
        configuration: format!("{of_configuration:?}"),
        card,
        kernel,
        work,
        seconds: cell("step_time_s")?.parse().map_err(|_| "step_time_s is not a number")?,
        is_exception: exception(&work, card, prime_rl).is_some(),
    })
}
