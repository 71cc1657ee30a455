//! Logs of which each launch of a run begins a new one beside the last: those of SLURM's jobs, of W&B's runs, and what the launcher wrote to files that
//! somebody numbers.

use std::{
    collections::{HashMap, HashSet},
    path::{Component as Part, Path, PathBuf},
};

use crate::{Component, ScannedLog, timeline::aligned};

/// Where a launch's log is among those of others: the folder and the name that they share, and its place in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    shared: PathBuf,
    order: String,
    /// Whether only a launcher's log counts, and only if it ended before the next one began: others are numbered for other reasons.
    is_of_launcher: bool,
}

/// Marks the logs of launches that a later one replaced: a later log beside them is of the same process. `paths` are theirs; a log that is one of `named` stays.
/// Returns the indices of those that it marked, each with that of the newest log which replaced it, in the order of the logs.
pub fn mark_replaced(logs: &mut [ScannedLog], paths: &[&Path], named: &[PathBuf]) -> Vec<(usize, usize)> {
    let mut marked = Vec::new();
    let named: HashSet<&Path> = named.iter().map(PathBuf::as_path).collect();
    let mut beside: HashMap<PathBuf, Vec<(String, usize)>> = HashMap::new();
    for (at, path) in paths.iter().enumerate() {
        if let Some(Place { shared, order, is_of_launcher }) = place(path)
            && (!is_of_launcher || is_launch(&logs[at]))
        {
            beside.entry(shared).or_default().push((order, at));
        }
    }
    for mut launches in beside.into_values().filter(|launches| launches.len() > 1) {
        launches.sort_unstable_by(|one, other| other.cmp(one));
        let is_of_launcher = place(paths[launches[0].1]).is_some_and(|place| place.is_of_launcher);
        if is_of_launcher && launches.windows(2).any(|pair| !is_before(&logs[pair[1].1], &logs[pair[0].1])) {
            continue;
        }
        // How many later logs are of the same processes, and which of `launches` is the newest: few sets of processes occur.
        let mut later: HashMap<Vec<Component>, (usize, usize)> = HashMap::new();
        let mut seen = 0;
        for same in launches.chunk_by(|(one, _), (other, _)| one == other) {
            let own: Vec<Vec<Component>> = same.iter().map(|(_, at)| processes(&logs[*at])).collect();
            for ((_, at), own) in same.iter().zip(&own).filter(|((_, at), _)| !named.contains(paths[*at])) {
                let shares = |other: &Vec<Component>| other.iter().any(|process| own.contains(process));
                let of_same = later.iter().filter(|(other, _)| shares(other)).map(|(_, known)| *known);
                logs[*at].later = of_same.clone().map(|(count, _)| count).sum();
                let newest = of_same.map(|(_, newest)| newest).min().map(|newest| launches[newest].1);
                if let Some(newest) = newest.filter(|_| !std::mem::replace(&mut logs[*at].is_replaced, true)) {
                    marked.push((*at, newest));
                }
            }
            for own in own {
                later.entry(own).or_insert((0, seen)).0 += 1;
                seen += 1;
            }
        }
    }
    marked.sort_unstable();
    marked
}

/// The processes that began in a log, or made steps.
fn processes(log: &ScannedLog) -> Vec<Component> {
    let course = &log.course;
    let mut found: Vec<Component> = course.begun().collect();
    found.extend(course.has_trainer().then_some(Component::Trainer));
    found.extend((course.has_start || course.orchestrator.count > 0).then_some(Component::Orchestrator));
    found
}

/// `slurm-4711.out`, `job_4711.log`, `wandb/run-20260810_090000-x1y2/files/output.log`.
fn place(path: &Path) -> Option<Place> {
    let name = path.file_name()?.to_str()?;
    if let Some((begin, rest)) = ["slurm-", "job_", "job-"].iter().find_map(|begin| Some((*begin, name.strip_prefix(begin)?))) {
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let (number, ending) = rest.split_at(end);
        return (!number.is_empty() && ending.starts_with('.')).then(|| Place {
            shared: path.with_file_name(format!("{begin}{ending}")),
            order: format!("{number:0>12}"),
            is_of_launcher: false,
        });
    }
    let parts: Vec<Part<'_>> = path.components().collect();
    let Some(at) = parts.iter().rposition(|part| part.as_os_str() == "wandb") else { return numbered(path, name) };
    let run = parts.get(at + 1)?.as_os_str().to_str()?;
    let began = run.strip_prefix("offline-").unwrap_or(run).strip_prefix("run-")?.split('-').next()?;
    Some(Place { shared: parts[..=at].iter().collect(), order: began.to_owned(), is_of_launcher: false })
}

/// `rl_2.log`, `launch-20260823-0900.txt`: the name without its numbers, and the numbers in their order.
fn numbered(path: &Path, name: &str) -> Option<Place> {
    let (mut shared, mut order) = (String::new(), String::new());
    let parts = name.as_bytes().chunk_by(|one, other| one.is_ascii_digit() == other.is_ascii_digit());
    for part in parts.map(String::from_utf8_lossy) {
        if part.starts_with(|c: char| c.is_ascii_digit()) {
            shared.push('#');
            order.push_str(&format!("{part:0>16} "));
        } else {
            shared.push_str(&part);
        }
    }
    (!order.is_empty()).then(|| Place { shared: path.with_file_name(shared), order, is_of_launcher: true })
}

/// Whether a log shows how a run was launched.
fn is_launch(log: &ScannedLog) -> bool {
    log.course.begun().any(|component| component == Component::Launcher)
}

/// Whether a launch had written its last line before the next one wrote its first, on clocks that only have the time of day.
fn is_before(log: &ScannedLog, next: &ScannedLog) -> bool {
    let ends = log.course.clock.now.zip(next.course.clock.first);
    ends.is_some_and(|(end, begin)| aligned(begin, end) >= end)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::mark_replaced;
    use crate::{Log, Matcher};

    const TRAINER: &str = "09:00:00 INFO Starting RL trainer in World(world_size=1, rank=0, local_rank=0)\n";
    const ORCHESTRATOR: &str = "09:00:00 INFO Starting orchestrator\n";

    fn replaced(files: &[(&str, &str)]) -> Vec<bool> {
        marked(files).0
    }

    fn marked(files: &[(&str, &str)]) -> (Vec<bool>, Vec<(usize, usize)>) {
        let matcher = Matcher::new();
        let read = |text: &str| {
            let mut log = Log::new(&matcher);
            log.feed(text.as_bytes());
            log.finish()
        };
        let mut logs: Vec<_> = files.iter().map(|(_, text)| read(text)).collect();
        let paths: Vec<&Path> = files.iter().map(|(path, _)| Path::new(*path)).collect();
        let marked = mark_replaced(&mut logs, &paths, &["x/job_7.log".into()]);
        (logs.iter().map(|log| log.is_replaced).collect(), marked)
    }

    #[test]
    fn each_replaced_log_is_returned_with_the_newest_one() {
        let files =
            [("x/slurm-101.out", TRAINER), ("x/slurm-99.out", TRAINER), ("x/slurm-100.out", TRAINER), ("x/a.out", TRAINER)];
        assert_eq!(marked(&files).1, [(1, 0), (2, 0)]);
        assert_eq!(marked(&[("x/job_8.log", TRAINER), ("x/job_9.log", ORCHESTRATOR)]).1, []);
    }

    #[test]
    fn a_later_job_replaces_the_earlier_one() {
        assert_eq!(replaced(&[("x/slurm-99.out", TRAINER), ("x/slurm-100.out", TRAINER)]), [true, false]);
        assert_eq!(replaced(&[("x/slurm-99.out", TRAINER), ("y/slurm-100.out", TRAINER)]), [false, false]);
        // The jobs of one run.
        assert_eq!(replaced(&[("x/job_8.log", TRAINER), ("x/job_9.log", ORCHESTRATOR)]), [false, false]);
        // It was named.
        assert_eq!(replaced(&[("x/job_7.log", TRAINER), ("x/job_9.log", TRAINER)]), [false, false]);
        assert_eq!(replaced(&[("x/rank_0.log", TRAINER), ("x/rank_1.log", TRAINER)]), [false, false]);
    }

    #[test]
    fn a_later_launch_in_a_numbered_file_replaces_the_earlier_one() {
        let at =
            |time: &str, end: &str| format!("{time} INFO Starting RL run\n{end} ERROR Error: Trainer failed with exit code 1\n");
        let (first, second, beside) = (at("08:00:00", "08:10:00"), at("09:00:00", "09:30:00"), at("08:05:00", "09:30:00"));
        assert_eq!(replaced(&[("x/rl_1.log", &first), ("x/rl_2.log", &second)]), [true, false]);
        let dated =
            [("x/rl-20260823-0800.log", &*first), ("x/rl-20260823-0900.log", &*second), ("x/rl-20260824-0100.log", &*second)];
        assert_eq!(replaced(&dated[..2]), [true, false]);
        // Two that ran at the same time, a number that says nothing else, and the logs of other processes.
        assert_eq!(replaced(&[("x/rl_1.log", &first), ("x/rl_2.log", &beside)]), [false, false]);
        assert_eq!(replaced(&[("x/rl_1.log", &second), ("x/rl_2.log", &first)]), [false, false]);
        assert_eq!(replaced(&[("x/a_1.log", TRAINER), ("x/a_2.log", TRAINER)]), [false, false]);
    }

    #[test]
    fn a_later_run_of_wandb_replaces_the_earlier_one() {
        let files = [
            ("x/wandb/run-20260810_090000-a/files/output.log", TRAINER),
            ("x/wandb/run-20260810_090002-b/files/output.log", ORCHESTRATOR),
            ("x/wandb/offline-run-20260811_090000-c/files/output.log", TRAINER),
        ];
        assert_eq!(replaced(&files), [true, false, false]);
    }
}
