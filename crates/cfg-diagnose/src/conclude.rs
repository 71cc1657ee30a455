//! What the logs of a run show together.

use cfg_schema::{Behaviour, Point};

use crate::{ScannedLog, Sighted, Symptom, course::Course, symptom::named};

/// A bar hangs if it is at 0 for this many seconds, or was shown at 0 this often.
const STILL: (u64, u64) = (60, 3);

/// An event must follow within this many lines.
const LINES_BEHIND: u64 = 200;

/// A step takes minutes; this many seconds without one are a halt.
const HALT: u32 = 30 * 60;

/// This many lines with equal weights mean that a curriculum does not move.
const SAME_WEIGHTS: u64 = 50;

/// A symptom with all its sightings.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The symptom.
    pub symptom: &'static Symptom,
    /// One sighting for each log that shows it, in the order of the logs.
    pub sightings: Vec<Sighting>,
}

/// A symptom in one log.
#[derive(Clone, Debug)]
pub struct Sighting {
    /// The index of the log.
    pub log: usize,
    /// The first line that shows it.
    pub first: Sighted,
    /// The number of the last line that shows it.
    pub last_line: u64,
    /// The number of lines that show it.
    pub count: u64,
}

/// What is known about a run besides its logs.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunContext {
    /// The prime-rl that wrote the logs; `None` if unknown.
    pub point: Option<Point>,
    /// Whether the logs are known to be those of a training run, because they were passed together with its config.
    pub is_training: bool,
}

/// The findings in the logs of a run.
pub fn conclude(logs: &[ScannedLog], context: &RunContext) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    let has_signs = context.is_training || logs.iter().any(|log| log.has_signs);
    for (log, seen) in logs.iter().enumerate() {
        for (symptom, first, last_line, count, is_certain) in &seen.symptoms {
            if *is_certain || has_signs {
                let sighting = Sighting { log, first: first.clone(), last_line: *last_line, count: *count };
                add(&mut findings, symptom, sighting);
            }
        }
    }
    let courses: Vec<&Course> = logs.iter().map(|log| &log.course).collect();
    let mut of_course = Vec::new();
    halts(&courses, context.point, &mut of_course);
    measures(&courses, &mut of_course);
    for (name, log, line, count) in of_course {
        if let Some(symptom) = named(name) {
            let last_line = line.line;
            add(&mut findings, symptom, Sighting { log, first: line, last_line, count });
        }
    }
    if findings.iter().any(|finding| !finding.symptom.weak) {
        findings.retain(|finding| !finding.symptom.weak);
    }
    // A line that a more specific symptom reports is not reported again.
    let explained: Vec<(usize, u64)> = findings
        .iter()
        .filter(|finding| !finding.symptom.generic)
        .flat_map(|finding| finding.sightings.iter().map(|sighting| (sighting.log, sighting.first.line)))
        .collect();
    findings.retain(|finding| {
        let at = |sighting: &Sighting| explained.contains(&(sighting.log, sighting.first.line));
        !finding.symptom.generic || !finding.sightings.iter().all(at)
    });
    // The head of a pydantic error and the line with its reason are one fault; the more specific symptom is reported.
    let keyed: Vec<(usize, u64, String)> = findings
        .iter()
        .flat_map(|finding| &finding.sightings)
        .filter_map(|sighting| Some((sighting.log, sighting.first.line, sighting.first.key.clone()?)))
        .collect();
    findings.retain(|finding| {
        let is_head = |sighting: &Sighting| {
            let exact = |(log, line, key): &(usize, u64, String)| {
                *log == sighting.log && *line > sighting.first.line && Some(key) == sighting.first.key.as_ref()
            };
            keyed.iter().any(exact)
        };
        !finding.sightings.iter().all(is_head)
    });
    findings.sort_by_key(|finding| {
        let first = finding.sightings.first().map(|sighting| (sighting.log, sighting.first.line));
        (std::cmp::Reverse(finding.symptom.severity), first)
    });
    findings
}

fn add(findings: &mut Vec<Finding>, symptom: &'static Symptom, sighting: Sighting) {
    match findings.iter_mut().find(|finding| std::ptr::eq(finding.symptom, symptom)) {
        Some(known) => known.sightings.push(sighting),
        None => findings.push(Finding { symptom, sightings: vec![sighting] }),
    }
}

/// A symptom's name, the index of the log, the line, and the number of sightings.
type Named = (&'static str, usize, Sighted, u64);

/// Finds why a run hangs, as far as the logs show: each component waits for another.
fn halts(courses: &[&Course], point: Option<Point>, told: &mut Vec<Named>) {
    let resumed = courses.iter().find_map(|course| course.resumed.as_ref());
    let can_desync = point.is_none_or(|point| point.has(Behaviour::TrainerWaitsForNewestCheckpoint));
    let waiting = courses.iter().enumerate().find_map(|(log, course)| Some((log, course.waiting.as_ref()?)));
    let trainer = courses.iter().enumerate().find(|(_, course)| course.loop_begins.is_some());
    let trainer_steps = trainer.map(|(_, course)| course.trainer_steps);
    let orchestrator_goes_on = courses.iter().any(|course| course.orchestrator_steps >= 2) || waiting.is_some();
    if let Some((log, waiting)) = waiting {
        let name = match (resumed, trainer_steps) {
            (Some(_), None | Some(0 | 1)) if can_desync => "step-desync",
            (None, Some(0)) => "stale-folders",
            _ => "async-barrier",
        };
        told.push((name, log, waiting.at.clone(), 1));
    } else if let Some((log, course)) = trainer {
        // Without the orchestrator's log, only elapsed time or further lines can show it.
        let begins = course.loop_begins.as_ref();
        let lines_behind = course.lines.saturating_sub(begins.map_or(0, |line| line.line));
        let stands = course.loop_seconds.map_or(lines_behind >= LINES_BEHIND, |seconds| seconds >= HALT);
        if let Some(line) = begins.filter(|_| course.trainer_steps == 0 && (stands || orchestrator_goes_on)) {
            told.push(("stale-folders", log, line.clone(), 1));
        }
    }
    for (log, course) in courses.iter().enumerate() {
        let Some(at_zero) = &course.at_zero else { continue };
        let (seconds, shown) = STILL;
        let lines_behind = course.lines.saturating_sub(at_zero.at.line);
        let stands = at_zero.seconds >= seconds || at_zero.shown >= shown || lines_behind >= LINES_BEHIND;
        // A batch that has just begun is at 0 as well; it is reported if it is the first batch and the end of the log.
        if stands || !course.has_rollouts {
            told.push(("rollouts-at-zero", log, at_zero.at.clone(), at_zero.shown));
        }
    }
}

/// Finds measures that were out of bounds for many steps.
fn measures(courses: &[&Course], told: &mut Vec<Named>) {
    for (log, course) in courses.iter().enumerate() {
        let streaks = [
            ("reward-zero", &course.no_reward),
            ("entropy-collapsed", &course.low_entropy),
            ("kl-explosion", &course.high_kl),
            ("gradient-explosion", &course.high_norm),
            ("truncated-answers", &course.truncated),
            ("no-signal", &course.no_signal),
        ];
        for (name, streak) in streaks {
            if let Some((steps, first)) = &streak.longest {
                told.push((name, log, first.clone(), *steps));
            }
        }
        if course.no_reward.longest.is_none()
            && let Some((steps, line)) = course.rewards.flat().filter(|(steps, _)| *steps >= course.thresholds.flat_steps)
        {
            told.push(("reward-flat", log, line.clone(), steps));
        }
        if let Some((count, line)) = &course.slow {
            told.push(("slow-rollouts", log, line.clone(), *count));
        }
        if let Some((_, count, line)) = course.same_weights.as_ref().filter(|(_, count, _)| *count >= SAME_WEIGHTS)
            && !course.weights_change
        {
            told.push(("curriculum-stands-still", log, line.clone(), *count));
        }
    }
}
