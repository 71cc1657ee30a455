//! Migrations between prime-rls: each known move with a text before and after it, and the configs with recorded verdicts.

use std::{fs, path::Path};

use cfg_check::{Session, Verdict, apply};
use cfg_diag::{Diagnostic, Severity, codes};
use cfg_migrate::{Migration, Request, migrate};
use cfg_schema::{Kind, Target};
use cfg_tests::{Recorded, shared, workspace};
use serde_json::Value;

/// The recorded versions, oldest first.
pub(super) const VERSIONS: [&str; 9] =
    ["v0.2", "d564195ca", "v0.3.0", "v0.4.0", "v0.5.0", "v0.6.0", "v0.7.0", "v0.8.0", "2441fd514"];

struct Way<'a> {
    session: &'a Session,
    kind: Kind,
    from: Target,
    to: Target,
    keeps_defaults: bool,
}

impl<'a> Way<'a> {
    fn new(session: &'a Session, kind: Kind, from: &str, to: &str) -> Self {
        let target = |name: &str| Target::parse(session.history, name).expect("the target is known");
        Self { session, kind, from: target(from), to: target(to), keeps_defaults: false }
    }

    fn go(&self, text: &str) -> Migration {
        self.go_with(text, Some(self.from.clone()))
    }

    fn go_with(&self, text: &str, from: Option<Target>) -> Migration {
        let request = Request {
            path: "config.toml",
            text,
            kind: Some(self.kind),
            from,
            to: self.to.clone(),
            makes_all: false,
            keeps_defaults: self.keeps_defaults,
            is_part: false,
        };
        migrate(self.session, &request).unwrap_or_else(|_| panic!("it can't be migrated:\n{text}"))
    }
}

fn dump(migration: &Migration) -> Option<Value> {
    migration.after.resolved.as_ref().map(|resolved| cfg_resolve::dump(resolved, migration.to.point))
}

fn refusals(diagnostics: &[Diagnostic]) -> Vec<String> {
    let refusal = |diagnostic: &&Diagnostic| diagnostic.native.as_ref().is_some_and(|native| !native.masked);
    diagnostics.iter().filter(refusal).map(|diagnostic| diagnostic.message.clone()).collect()
}

#[test]
fn every_move_has_its_documented_effect() {
    let session = Session::default();
    let rows =
        include_str!("../../migrations/moves.jsonl").lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let rows: Vec<Value> = rows.collect();
    assert_eq!(rows.len(), 128);
    for row in rows.iter().filter(|row| row["outcome"] != "no config") {
        let text = |key: &str| row[key].as_str().unwrap_or_else(|| panic!("{row} has no {key}"));
        let way = Way::new(&session, text("kind").parse().expect("a kind"), text("from"), text("to"));
        let migration = way.go(text("before"));
        let wanted = way.go_with(text("after"), Some(way.to.clone()));
        let name = format!("move {}: {}\n{}", row["number"], text("key"), migration.text);
        assert_ne!(migration.before.verdict, Verdict::Rejected, "{name}: {:?}", refusals(&migration.before.diagnostics));
        assert_ne!(wanted.after.verdict, Verdict::Rejected, "{name}: {:?}", refusals(&wanted.after.diagnostics));
        assert!(migration.stuck.is_none(), "{name}");
        assert_eq!(apply(text("before"), &migration.edits).as_deref(), Some(&*migration.text), "{name}");
        match text("outcome") {
            "rewritten" => {
                assert!(migration.is_complete(), "{name}");
                assert_eq!(dump(&migration), dump(&wanted), "{name}");
            }
            "decided" => {
                assert!(!migration.decisions.is_empty(), "{name}");
                for decision in &migration.decisions {
                    let place = decision.location.expect("a place");
                    let key = decision.key.rsplit('.').next().expect("a key");
                    let written = &text("before")[place.span.range()];
                    assert!(written == key || key.ends_with(']'), "{name}: `{written}` is not `{key}`");
                    assert!(decision.new_location.is_some() && decision.entry.note().is_some(), "{name}");
                }
            }
            "refused" => {
                assert!(migration.decisions.is_empty() && migration.after.verdict == Verdict::Rejected, "{name}");
                assert!(migration.remaining().any(|finding| finding.key.is_some() && !finding.message.is_empty()), "{name}");
            }
            "default" => {
                let changed = &migration.meaning.as_ref().expect("both are accepted").changed;
                let changed = changed.iter().find(|changed| changed.key == text("changed"));
                assert!(changed.is_some_and(|changed| !changed.is_written && changed.note.is_some()), "{name}");
                assert!(migration.is_complete(), "{name}");
            }
            other => panic!("{name}: there is no outcome {other}"),
        }
        assert!(text("outcome") == "rewritten" || !text("automatic").starts_with("safe"), "{name}");
    }
}

/// The results for the accepted configs of a version.
#[derive(Debug, Default, PartialEq, Eq)]
struct Figures {
    accepted: usize,
    /// Something is left to decide.
    decided: usize,
    /// All keys were moved, but a new check refuses a value.
    refused: usize,
    /// All keys were moved, and the config is accepted, but unlike before the run would fail.
    failing: usize,
    /// All keys were moved, and the new version accepts the config.
    complete: usize,
}

impl std::fmt::Display for Figures {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { accepted, decided, refused, failing, complete } = self;
        let failing = if *failing == 0 { String::new() } else { format!(", {failing} that would fail") };
        write!(to, "of {accepted} accepted, {complete} whole, {decided} with decisions, {refused} refused by new checks{failing}")
    }
}

/// Migrates the accepted configs of a version to another one, and asserts what must hold for each.
fn take(session: &Session, folder: &Path, from: &str, to: &str) -> Figures {
    let mut figures = Figures::default();
    for kind in Kind::RUNS {
        let way = Way::new(session, kind, from, to);
        let Ok(text) = fs::read_to_string(folder.join(format!("{from}.{kind}.jsonl"))) else { continue };
        for vector in text.lines().filter_map(Recorded::parse).filter(|vector| vector.ok) {
            one(&way, &vector, &mut figures);
        }
    }
    figures
}

fn one(way: &Way<'_>, vector: &Recorded, figures: &mut Figures) {
    let migration = way.go(&vector.toml);
    let name = format!("{} to {}:\n{}\nbecame\n{}", vector.id, way.to, vector.toml, migration.text);
    figures.accepted += 1;
    let is_faulty = || migration.before.diagnostics.iter().any(|finding| finding.severity == Severity::Error);
    if migration.stuck == Some(cfg_migrate::Stuck::Errors) && is_faulty() {
        // The run failed before, and the result would have more errors: such a file is left unchanged.
        assert_eq!(migration.text, vector.toml, "{name}");
        figures.failing += 1;
        return;
    }
    assert!(migration.stuck.is_none(), "{name}");
    assert_eq!(apply(&vector.toml, &migration.edits).as_deref(), Some(&*migration.text), "{name}");
    let again = way.go_with(&migration.text, Some(way.to.clone()));
    assert_eq!(again.text, migration.text, "{name}");
    let comments = |text: &str| text.matches('#').count();
    assert!(comments(&vector.toml) <= comments(&migration.text), "{name}");
    // There are no new errors of our own rules that are not reported.
    let is_own = |finding: &&Diagnostic| finding.native.is_none() && finding.severity == Severity::Error;
    let said = migration.new_errors();
    let mut before: Vec<_> = migration.before.diagnostics.iter().filter(is_own).map(|finding| finding.code).collect();
    for finding in migration.remaining().filter(is_own) {
        match before.iter().position(|code| *code == finding.code) {
            Some(known) => {
                before.swap_remove(known);
            }
            None => assert!(said.iter().any(|said| std::ptr::eq(said.finding, finding)), "{name}\n{}", finding.message),
        }
    }
    if !migration.decisions.is_empty() {
        figures.decided += 1;
        // A table that waits for its contents is not reported separately.
        let is_told = |decision: &cfg_migrate::Decision| {
            decision.entry.note().is_some() || decision.reason == cfg_migrate::Reason::Undecided
        };
        assert!(migration.decisions.iter().all(is_told), "{name}");
        return;
    }
    if migration.after.verdict == Verdict::Rejected {
        figures.refused += 1;
        // Each refused value is a decision with prime-rl's reason.
        let refusals = migration.refusals();
        assert!(!refusals.is_empty(), "{name}");
        for refusal in &refusals {
            assert!(refusal.is_new && !refusal.finding.message.is_empty(), "{name}\n{}", refusal.finding.message);
            let written = refusal.location.map(|location| &vector.toml[location.span.range()]);
            assert!(written.is_none_or(|written| !written.is_empty()) && refusal.finding.key.is_some(), "{name}");
        }
        // All keys are at their places: only values are refused, by checks that the old version did not have.
        let by_schema: [cfg_diag::Code; 4] =
            [&codes::UNKNOWN_KEY, &codes::REMOVED_KEY, &codes::FUTURE_KEY, &codes::MISPLACED_KEY];
        for finding in migration.remaining().filter(|finding| finding.native.is_some()) {
            assert!(!by_schema.contains(&finding.code), "{name}\n{}", finding.message);
        }
        return;
    }
    if said.is_empty() {
        assert!(migration.is_complete() && migration.left().is_none(), "{name}");
        figures.complete += 1;
    } else {
        assert!(!migration.is_complete() && migration.left().is_some(), "{name}");
        figures.failing += 1;
    }
    let meaning = migration.meaning.as_ref().unwrap_or_else(|| panic!("{name}: it resolves to nothing"));
    for changed in meaning.changed.iter().filter(|changed| changed.is_written) {
        assert!(changed.since.is_some(), "{name}\n`{}` was {:?} and is {:?}", changed.key, changed.old, changed.new);
    }
}

/// Runs the migrations in parallel.
fn all(folder: &Path, ways: &[(&str, &str)]) -> Vec<Figures> {
    let session = Session::default();
    let share = ways.len().div_ceil(std::thread::available_parallelism().map_or(1, usize::from));
    std::thread::scope(|scope| {
        let session = &session;
        let run = |ways: &[(&str, &str)]| ways.iter().map(|(from, to)| take(session, folder, from, to)).collect::<Vec<_>>();
        let threads: Vec<_> = ways.chunks(share.max(1)).map(|ways| scope.spawn(move || run(ways))).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
    })
}

fn ways() -> Vec<(&'static str, &'static str)> {
    let next = VERSIONS.windows(2).map(|pair| (pair[0], pair[1]));
    let far = VERSIONS[2..].iter().map(|to| (VERSIONS[0], *to));
    next.chain(far).collect()
}

/// The accepted configs in the repository: how many need no decision, by version.
#[test]
fn accepted_configs_are_migrated() {
    let figures = all(&workspace().join("tests/vectors"), &ways());
    let line = |(way, figures): (&(&str, &str), &Figures)| format!("{} to {}: {figures}", way.0, way.1);
    insta::assert_snapshot!(ways().iter().zip(&figures).map(line).collect::<Vec<_>>().join("\n"));
    for (way, figures) in ways().iter().zip(&figures) {
        assert!(figures.accepted >= 15, "{way:?}: {figures:?}");
        assert!(figures.refused * 5 <= figures.accepted && figures.complete > 0, "{way:?}: {figures:?}");
    }
}

/// The same for all recorded configs.
#[test]
#[ignore = "reads ../shared/vectors"]
fn all_accepted_configs_are_migrated() {
    for (way, figures) in ways().iter().zip(all(&shared("vectors"), &ways())) {
        assert!(figures.accepted > 200 && figures.refused * 10 <= figures.accepted, "{way:?}: {figures}");
        assert!(figures.failing * 20 <= figures.accepted, "{way:?}: {figures}");
    }
}

/// If former defaults are written out, prime-rl still accepts the configs, and these defaults are not reported as changed.
#[test]
fn former_defaults_can_be_kept() {
    let session = Session::default();
    let mut kept = 0;
    for kind in Kind::RUNS {
        for to in ["v0.5.0", "v0.8.0"] {
            let mut way = Way::new(&session, kind, VERSIONS[0], to);
            let text = fs::read_to_string(workspace().join(format!("tests/vectors/{}.{kind}.jsonl", VERSIONS[0])));
            for vector in text.expect("vectors").lines().filter_map(Recorded::parse).filter(|vector| vector.ok) {
                way.keeps_defaults = false;
                let plain = way.go(&vector.toml);
                way.keeps_defaults = true;
                let keeping = way.go(&vector.toml);
                let name = format!("{} to {to}:\n{}\nbecame\n{}", vector.id, vector.toml, keeping.text);
                assert_eq!(keeping.after.verdict, plain.after.verdict, "{name}");
                assert_eq!(apply(&vector.toml, &keeping.edits).as_deref(), Some(&*keeping.text), "{name}");
                let again = way.go_with(&keeping.text, Some(way.to.clone()));
                assert_eq!(again.text, keeping.text, "{name}");
                let written = keeping.done.iter().filter(|done| done.moves.is_empty()).count();
                kept += written;
                let (Some(before), Some(now)) = (&plain.meaning, &keeping.meaning) else { continue };
                assert!(now.changed.len() <= before.changed.len(), "{name}");
                assert!(written == 0 || now.changed.len() < before.changed.len(), "{name}");
            }
        }
    }
    assert!(kept > 100, "{kept}");
}

const OLD: &str = "\
# /// config
# prime_rl = \"0.2\"   # as installed
# hardware = \"2x H100\"
# ///

# which card does what
inference_gpu_ids = [0]
trainer_gpu_ids = [1]

[ckpt]   # every now and then
keep = 2  # the last two

[trainer]

[orchestrator]
rollouts_per_example = 4   # per prompt

# what is trained on
[[orchestrator.env]]
id = \"reverse-text\"  # the demo
args = { max = 3 }
";

#[test]
fn comments_layout_and_line_endings_are_kept() {
    let session = Session::default();
    let way = Way::new(&session, Kind::Rl, "0.2", "0.8.0");
    let migration = way.go_with(OLD, None);
    assert!(migration.is_complete() && migration.guess.is_none(), "{}", migration.text);
    for kept in [
        "# prime_rl = \"0.8.0\"   # as installed\n# hardware = \"2x H100\"",
        "[ckpt]   # every now and then\nkeep_last = 2  # the last two",
        "group_size = 4   # per prompt",
        "# what is trained on\n[[orchestrator.train.source]]",
        "id = \"reverse-text\"  # the demo",
        "[deployment]\nnum_infer_gpus = 1\nnum_train_gpus = 1",
        "# which card does what\n",
    ] {
        assert!(migration.text.contains(kept), "{kept}\nis not in\n{}", migration.text);
    }
    let dos = OLD.replace('\n', "\r\n");
    assert_eq!(way.go_with(&dos, None).text, migration.text.replace('\n', "\r\n"));
    let again = way.go_with(&migration.text, None);
    assert_eq!(again.text, migration.text);
    assert!(again.done.is_empty() && again.edits.is_empty());
}

#[test]
fn the_target_of_a_config_without_metadata_is_guessed_from_its_keys() {
    let session = Session::default();
    let way = Way::new(&session, Kind::Rl, "0.2", "0.8.0");
    let text = OLD.replace("# prime_rl = \"0.2\"   # as installed\n", "");
    let migration = way.go_with(&text, None);
    assert!(migration.guess.is_some() && migration.from.point < way.to.point, "{}", migration.from);
    assert!(migration.is_complete(), "{}", migration.text);
}

#[test]
fn keys_that_are_not_migrated_stay_in_place_with_a_reason() {
    let session = Session::default();
    let way = Way::new(&session, Kind::Rl, "0.4.0", "0.5.0");
    let text = "clean = true  # a fresh start\n[trainer]\n[trainer.loss]\nratio_type = \"sequence\"\n[orchestrator]\n";
    let migration = way.go(text);
    assert_eq!(migration.text, text);
    let told: Vec<(&str, Option<u32>)> =
        migration.decisions.iter().map(|decision| (&*decision.key, decision.entry.pull_request())).collect();
    assert_eq!(told, [("clean", Some(1872)), ("trainer.loss.ratio_type", told[1].1)]);
    assert!(!migration.is_complete());
    assert_eq!(migration.remaining().filter(|finding| finding.native.is_some()).count(), 0);
}
