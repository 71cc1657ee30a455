//! Compares the model with measured runs, and with the outcomes that people recorded.

use cfg_memory::{
    accuracy::{
        self, Accuracy, Regime,
        counts::counts,
        incidents::{Incident, Outcome, incidents},
        points::{Point, errors, points},
        spread::Class,
        steps::{Step, steps},
    },
    architecture::Norms,
    verdict::{Reason, Verdict},
};

fn measured() -> Vec<Point> {
    points(include_str!("../../../tests/memory/points.csv")).expect("points")
}

fn measured_steps() -> Vec<Step> {
    steps(include_str!("../../../tests/memory/steps.csv")).expect("steps")
}

/// The errors of measured runs and steps, with the regime and the class of each, and whether norms are behind the block.
fn measured_errors() -> Vec<(Regime, Class, bool, f64)> {
    let points = measured().into_iter().map(|point| {
        let class = Class::of(&point.trainer, point.architecture);
        (point.regime(), class, point.architecture.norms == Norms::After, point.error())
    });
    let steps = measured_steps().into_iter().map(|step| {
        let class = Class::of(&step.trainer, &step.architecture);
        (Regime::of(&step.trainer), class, step.architecture.norms == Norms::After, step.error())
    });
    points.chain(steps).collect()
}

fn recorded() -> Vec<Incident> {
    incidents(include_str!("../../../tests/memory/incidents.csv")).expect("incidents")
}

#[test]
fn launched_runs_are_predicted_to_two_percent() {
    let points = measured();
    let figures = errors(points.iter().filter(|point| point.regime() == Regime::Launcher)).expect("points");
    assert_eq!(figures.points, 28);
    assert!(figures.mean <= 0.02, "{figures:?}");
    assert!(figures.worst <= 0.05, "{figures:?}");
}

#[test]
fn stated_figures_are_those_of_the_points() {
    let measured = measured_errors();
    for regime in Regime::ALL.into_iter().filter(|regime| *regime != Regime::Spring) {
        let stated = regime.figures();
        let errors: Vec<f64> = measured.iter().filter(|of| of.0 == regime).map(|of| of.3.abs()).collect();
        let (mean, worst) = (errors.iter().sum::<f64>() / f64::from(stated.points), errors.iter().copied().fold(0.0, f64::max));
        let place = "state it in `Regime::figures` (crates/cfg-memory/src/accuracy.rs), then run `cargo xtask generate`";
        assert_eq!(errors.len(), stated.points as usize, "{regime:?}: {mean} {worst}; {place}");
        assert!((mean - stated.mean).abs() < 6e-4, "{regime:?}: {mean}; {place}");
        assert!((worst - stated.worst).abs() < 6e-4, "{regime:?}: {worst}; {place}");
    }
}

#[test]
fn stated_ranges_are_those_of_the_points() {
    let measured = measured_errors();
    for regime in Regime::ALL.into_iter().filter(|regime| *regime != Regime::Spring) {
        for class in Class::ALL {
            let errors: Vec<f64> = measured.iter().filter(|of| of.0 == regime && of.1 == class && !of.2).map(|of| of.3).collect();
            let Some(stated) = regime.measured(class) else {
                assert_eq!(errors.len(), 0, "{regime:?} {class:?}: state the range in `Regime::measured`");
                continue;
            };
            let (below, above) =
                (errors.iter().copied().fold(f64::MAX, f64::min), errors.iter().copied().fold(f64::MIN, f64::max));
            assert_eq!(errors.len(), stated.runs as usize, "{regime:?} {class:?}: {below} to {above}");
            assert!(
                (stated.below - below).abs() < 6e-4 && (stated.above - above).abs() < 6e-4,
                "{regime:?} {class:?}: {below} to {above}"
            );
        }
    }
}

#[test]
fn shapes_have_the_parameters_that_transformers_counts() {
    let counts = counts(include_str!("../../../tests/memory/counts.csv")).expect("counts");
    assert!(counts.len() >= 100, "{}", counts.len());
    for count in counts {
        assert!(count.error().abs() < 0.002, "{count:?}: {:+.3} %", count.error() * 100.0);
    }
}

#[test]
fn measured_steps_are_within_their_ranges() {
    for step in measured_steps() {
        let accuracy = Accuracy::of(&step.trainer, &step.architecture, true);
        let peak = step.trainer.peak(&step.architecture).within(&accuracy.spread);
        assert!(accuracy.validated, "{accuracy:?}");
        assert!(peak.high * 1.001 >= step.reserved, "{step:?}: at most {}", peak.high);
        // A card with less than the least cannot run the step.
        assert!(peak.low * 0.99 <= step.allocated, "{step:?}: at least {}", peak.low);
    }
}

#[test]
fn measured_peaks_are_within_their_ranges() {
    for point in measured() {
        let accuracy = Accuracy::of(&point.trainer, point.architecture, true);
        let peak = point.trainer.peak(point.architecture).within(&accuracy.spread);
        let (low, high) = (peak.low.min(peak.reserved_on(point.total)) * 0.999, peak.high * 1.001);
        assert!(
            (low..=high).contains(&point.measured),
            "{} {:?}: {low} to {high}, measured {}",
            point.model,
            point.trainer,
            point.measured
        );
        assert!(peak.low < peak.middle && peak.middle < peak.high);
    }
}

#[test]
fn every_measured_run_fits_or_is_tight() {
    for point in measured() {
        let peak = point.trainer.peak(point.architecture);
        let judged = cfg_memory::verdict::judge(point.total, Some(&peak), None);
        assert!(!judged.verdict.is_error(), "{} {:?}: {judged:?}", point.model, point.trainer);
    }
}

#[test]
fn incidents_are_classified_as_observed() {
    let incidents = recorded();
    assert_eq!(incidents.iter().filter(|incident| incident.observed.is_some()).count(), 9);
    for incident in &incidents {
        let judgement = incident.trainer_card().expect("a trainer").judgement;
        if let Some(observed) = incident.observed {
            assert_eq!(Outcome::of(judgement.verdict), Some(observed), "{}: {judgement:?}", incident.name);
        }
    }
}

#[test]
fn margins_of_incidents_are_those_of_the_models_description() {
    for incident in recorded() {
        // The description gives the margins of the formulas, without the range of measured errors.
        let (run, total) = (&incident.run, incident.run.gpu.as_ref().expect("a card").total);
        let peak = run.trainer.as_ref().map(|trainer| trainer.peak(&run.model));
        let serves = incident.trainer_card().expect("a trainer").serves;
        let budget = run.assess().budget.filter(|_| serves);
        let judgement = cfg_memory::verdict::judge(total, peak.as_ref(), budget.as_ref());
        // If vLLM doesn't start, the margin concerns the free memory that it finds.
        let (least, most) = match judgement.reasons.first() {
            Some(Reason::NotFree { free, requested }) => (*free - *requested, *free - *requested),
            _ => judgement.margin,
        };
        for (stated, got) in [(incident.margin.0, least), (incident.margin.1, most)] {
            let Some(stated) = stated else { continue };
            let allowed = if stated.fract() == 0.0 { 1.0 } else { 0.1 };
            assert!(
                (got.as_gib() - stated).abs() <= allowed,
                "{}: {} GiB left, not {stated}; tests/memory/incidents.csv states the margins",
                incident.name,
                got.as_gib()
            );
        }
    }
}

#[test]
fn the_model_reproduces_the_messages_of_vllm() {
    let incidents = recorded();
    let judgement = incidents[0].trainer_card().expect("a trainer").judgement;
    let Some(Reason::NotFree { free, requested }) = judgement.reasons.first() else { panic!("{judgement:?}") };
    assert!((free.as_gib() - 48.97).abs() < 0.1, "{free}");
    assert!((requested.as_gib() - 71.26).abs() < 0.01, "{requested}");
    // Idle before the first step: 72 "GB" of 1000 MiB.
    let idle = incidents[2].trainer_card().expect("a trainer").judgement.idle;
    assert!((idle.as_gib() * 1.024 - 72.0).abs() < 1.0, "{idle}");
}

#[test]
fn an_rtx_4090_neither_trains_nor_serves_eight_billion_parameters() {
    let incident = recorded().into_iter().find(|incident| incident.name.starts_with("8B LoRA on RTX 4090")).expect("there");
    let verdicts: Vec<Verdict> = incident.run.assess().gpus.iter().map(|gpu| gpu.judgement.verdict).collect();
    assert_eq!(verdicts, [Verdict::StartUpFailure, Verdict::OutOfMemory]);
}

#[test]
fn verdicts_include_the_measured_overhead() {
    let points = measured();
    let behind: Vec<&Point> = points.iter().filter(|point| point.architecture.norms == Norms::After).collect();
    assert_eq!(behind.len(), 4);
    for point in behind {
        let growth = accuracy::growth(&point.trainer, point.architecture);
        assert!(point.predicted() * growth >= point.measured * 0.999, "{} of {}", point.predicted(), point.measured);
        assert!(!Accuracy::of(&point.trainer, point.architecture, true).validated);
    }
    assert!(
        points
            .iter()
            .filter(|point| point.architecture.norms == Norms::Before)
            .all(|point| { accuracy::growth(&point.trainer, point.architecture).to_bits() == 1.0_f64.to_bits() })
    );
}
