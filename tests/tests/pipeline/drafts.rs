//! A new config has no findings in `cfg check`, and fits: for all models of the catalogue, on all of its cards, at four points of the history. Each
//! run tests a sample; `CFG_ALL_DRAFTS=1` tests all and compares the counts in docs/new.md (with `UPDATE=1`, writes them).

use std::{
    collections::BTreeMap,
    env,
    fmt::Write as _,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use cfg_check::{Project, Request, Session, check};
use cfg_diag::Severity;
use cfg_draft::{Draft, Goal, Method, Refusal, Surroundings, Wish, draft};
use cfg_memory::{catalogue, hardware::Hardware, verdict::Verdict};
use cfg_schema::{Kind, Target};
use cfg_tests::{compare_part, sized};

/// The points of the history, by the names in a config.
const POINTS: [&str; 4] = ["0.4.0", "0.6.0", "0.8.0", "2441fd514"];

/// The requests: the kind, the number of GPUs, and the data.
const WISHES: [(Kind, u32, Option<&str>); 7] = [
    (Kind::Rl, 1, Some("reverse-text")),
    (Kind::Rl, 2, Some("reverse-text")),
    (Kind::Rl, 8, Some("reverse-text")),
    (Kind::Sft, 1, Some("PrimeIntellect/Reverse-Text-SFT")),
    (Kind::Trainer, 2, None),
    (Kind::Orchestrator, 1, Some("reverse-text")),
    (Kind::Inference, 1, None),
];

/// A point of the history, and a request.
type Row = (&'static str, (Kind, u32, Option<&'static str>));

/// The results for the requests of one row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    /// Configs that train all weights; for kinds that train nothing, all configs.
    full: usize,
    lora: usize,
    too_large: usize,
    not_right: usize,
    machine: usize,
}

/// The requests of a row, for each model and card.
fn wishes((kind, count, source): (Kind, u32, Option<&'static str>)) -> impl Iterator<Item = Wish<'static>> {
    let cards = || catalogue::gpus().iter().filter(|gpu| gpu.lacks.is_none());
    catalogue::models().iter().flat_map(move |model| {
        cards().map(move |gpu| Wish {
            kind,
            model: model.id,
            hardware: Hardware { count, gpu: gpu.clone() },
            source,
            images: false,
            goal: Goal::Balanced,
            method: None,
            seq_len: None,
        })
    })
}

fn try_one(session: &Session, point: &str, wish: &Wish<'_>) -> Result<Draft, Refusal> {
    let target = Target::parse(session.history, point).expect("the point is known");
    let project = Project::default();
    let around = Surroundings { session, project: &project, path: "new.toml", target: &target, stated: Some(point) };
    draft(around, wish)
}

/// Checks the text like a user who states nothing.
fn hold(session: &Session, wish: &Wish<'_>, draft: &Draft) {
    let request = Request::new("new.toml", &draft.text);
    let checked = check(session, request);
    let found: Vec<&str> =
        checked.diagnostics.iter().filter(|found| found.severity != Severity::Info).map(|found| found.message.as_str()).collect();
    assert!(found.is_empty() && checked.is_accepted(), "{}: {found:?}\n{}", wish.model, draft.text);
    assert_eq!(checked.kind, Some(wish.kind), "{}", draft.text);
    let verdict = draft.memory.as_ref().map(|(_, assessment)| assessment.verdict());
    let expected = (wish.kind != Kind::Orchestrator).then_some(Verdict::Fits);
    assert_eq!(verdict, expected, "{} on {}\n{}", wish.model, wish.hardware.gpu.name, draft.text);
}

fn count(counts: &mut Counts, found: &Result<Draft, Refusal>) {
    let counter = match found {
        Ok(Draft { method: Some(Method::Lora), .. }) => &mut counts.lora,
        Ok(_) => &mut counts.full,
        Err(Refusal::TooLarge { .. }) => &mut counts.too_large,
        Err(Refusal::NoneIsRight { .. }) => &mut counts.not_right,
        Err(Refusal::Machine(_)) => &mut counts.machine,
        Err(refusal @ (Refusal::Model(_) | Refusal::Unsaid(_))) => panic!("{refusal}"),
    };
    *counter += 1;
}

#[test]
fn a_new_config_has_no_findings_and_fits() {
    let all = env::var_os("CFG_ALL_DRAFTS").is_some();
    let sample = sized(397, 113);
    let rows: Vec<_> = POINTS.into_iter().flat_map(|point| WISHES.map(|wish| (point, wish))).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let session = Session::default();
        let mut done = BTreeMap::new();
        while let Some((row, (point, asked))) = {
            let row = next.fetch_add(1, Ordering::Relaxed);
            rows.get(row).map(|asked| (row, asked))
        } {
            let mut counts = Counts::default();
            for (at, wish) in wishes(*asked).enumerate() {
                if !all && (at + 17 * row) % sample != 0 {
                    continue;
                }
                let found = try_one(&session, point, &wish);
                if let Ok(draft) = &found {
                    hold(&session, &wish, draft);
                }
                count(&mut counts, &found);
            }
            done.insert(row, counts);
        }
        done
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let counts: BTreeMap<usize, Counts> = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("no draft is wrong")).collect()
    });
    let drafts: usize = counts.values().map(|counts| counts.full + counts.lora).sum();
    assert!(drafts > sized(30, 100), "{drafts}");
    if all {
        let rows: Vec<_> = rows.iter().enumerate().map(|(row, asked)| (*asked, counts[&row])).collect();
        let command = "CFG_ALL_DRAFTS=1 cargo test -p cfg-tests --test pipeline drafts";
        compare_part("docs/new.md", "counts", &table(&rows), command);
    }
}

/// The table of docs/new.md.
fn table(rows: &[(Row, Counts)]) -> String {
    let mut table = "| prime-rl | kind | GPUs | full | LoRA | does not fit | refused for the model | refused for the machine |\n\
                     |---|---|---:|---:|---:|---:|---:|---:|\n"
        .to_owned();
    for ((point, (kind, gpus, _)), counts) in rows {
        let Counts { full, lora, too_large, not_right, machine } = counts;
        let trains = matches!(kind, Kind::Rl | Kind::Trainer | Kind::Sft);
        let lora = if trains { lora.to_string() } else { "-".to_owned() };
        let _ = writeln!(table, "| {point} | `{kind}` | {gpus} | {full} | {lora} | {too_large} | {not_right} | {machine} |");
    }
    table
}
