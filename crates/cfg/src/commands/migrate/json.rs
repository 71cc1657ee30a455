//! The JSON document of a migration.

use cfg_check::Session;
use cfg_diag::{FileId, Severity};
use cfg_migrate::{Decision, Done, Meaning, Migration, Reason, Refusal};
use cfg_report::{
    FileReport, Sources,
    json::{File, Range},
    migration::{
        ChangedReport, CommitReport, DecisionReport, DoneReport, EditReport, FlagReport, FolderReport, ForcedReport,
        MeaningReport, MigrationReport, ScriptReport, SettingsReport, StatedReport,
    },
};
use cfg_schema::{Commit, History, Kind, Point};
use cfg_syntax::Dialect;

use super::{Whole, one::MigratedConfig, scripts::Flag, unclear::Unclear};

/// The document for everything that a command migrates, of which `configs` are those of the configs.
pub(super) fn folder<'a>(whole: &Whole, is_complete: bool, configs: Vec<MigrationReport<'a>>) -> FolderReport<'a> {
    let flag = |flag: &Flag| FlagReport {
        line: flag.line,
        old: flag.old.clone(),
        new: flag.new.as_ref().ok().cloned(),
        note: flag.new.as_ref().err().cloned(),
    };
    let scripts = whole.scripts.iter().map(|script| ScriptReport {
        path: script.name.clone(),
        is_config: script.is_of_config,
        flags: script.flags.iter().map(flag).collect(),
    });
    let settings = whole.settings.iter().map(|settings| SettingsReport {
        path: settings.name.clone(),
        line: settings.line,
        from: settings.from.clone(),
        to: settings.to.clone(),
        kept_because: settings.new.as_ref().err().cloned(),
    });
    FolderReport {
        schema_version: cfg_report::json::SCHEMA_VERSION,
        complete: is_complete,
        configs,
        scripts: scripts.collect(),
        settings: settings.collect(),
        pins: whole.pins.clone(),
        unclear: whole.unclear.iter().map(Unclear::in_words).collect(),
        refused: whole.refused.clone(),
    }
}

/// The target that a config states in its metadata.
fn stated(session: &Session, path: &str, text: &str) -> Option<String> {
    let (document, _) = cfg_syntax::parse(FileId(0), text, Dialect::Toml11);
    let (metadata, _) = session.metadata(FileId(0), path, text, &document);
    metadata.target.map(|stated| stated.value.name)
}

/// The document for one config; `sources` contains its new text.
pub(super) fn report<'a>(
    session: &Session,
    name: &'a str,
    way: &'a MigratedConfig,
    sources: &Sources<'a>,
) -> MigrationReport<'a> {
    let MigratedConfig { old, migration, since, forced, .. } = way;
    let Migration { kind, from, to, after, .. } = migration;
    let before = Sources::single(name, old);
    let range = |location| Range::of(location, &before);
    let file = FileReport {
        path: name,
        kind: Some(kind.name()),
        target: Some(&to.name),
        verdict: after.verdict,
        checks: None,
        diagnostics: &after.diagnostics,
        // The checked text is the migrated one and not that of the file, so no command can be suggested.
        repeated: None,
        is_common: false,
        is_of_script: false,
        identity: None,
        fixed: None,
    };
    let faults = migration.new_faults();
    MigrationReport {
        schema_version: cfg_report::json::SCHEMA_VERSION,
        path: name.to_owned(),
        kind: kind.name(),
        from: from.name.clone(),
        from_is_guessed: migration.guess.is_some(),
        to: to.name.clone(),
        complete: migration.is_complete() && way.beside.is_empty(),
        refused: way.beside.clone(),
        stuck: migration.stuck.is_some(),
        part: migration.is_part,
        remaining_errors: migration.remaining().filter(|finding| finding.severity == Severity::Error).count(),
        text: migration.text.clone(),
        metadata: stated(session, name, old)
            .zip(stated(session, name, &way.new_text()))
            .map(|(from, to)| StatedReport { from, to }),
        edits: migration
            .edits
            .iter()
            .map(|edit| EditReport { range: range(edit.location), new_text: edit.new_text.clone() })
            .collect(),
        done: migration
            .done
            .iter()
            .map(|done| DoneReport {
                old: Some(done.old.clone()).filter(|old| !old.is_empty()),
                new: done.new.clone(),
                value: done.value.clone(),
                range: done.location.and_then(range),
                commits: done.moves.iter().map(|entry| commit(entry.point(), entry.date())).collect(),
            })
            .collect(),
        decisions: migration
            .decisions
            .iter()
            .zip(forced)
            .map(|(decision, forced)| decided(decision, forced.as_ref(), &range))
            .chain(faults.iter().zip(since).map(|(fault, since)| self::fault(fault, since, &range)))
            .collect(),
        meaning: migration.meaning.as_ref().map(|meaning| self::meaning(*kind, meaning)),
        checked: File::new(&file, sources),
    }
}

fn meaning(kind: Kind, meaning: &Meaning) -> MeaningReport {
    let changed = meaning.changed.iter().map(|changed| ChangedReport {
        key: changed.key.clone(),
        old: changed.old.clone(),
        new: changed.new.clone(),
        class: super::class_of(kind, changed).name(),
        written: changed.is_written,
        commit: changed.since.map(|since| commit(Some(since), None)),
        note: changed.note.map(str::to_owned),
        keep: changed.keep.clone(),
    });
    MeaningReport {
        partial: meaning.is_partial,
        same: meaning.same,
        added: meaning.added,
        gone: meaning.gone,
        changed: changed.collect(),
    }
}

type ToRange<'a> = dyn Fn(cfg_diag::Location) -> Option<Range> + 'a;

fn decided(decision: &Decision, forced: Option<&Done>, range: &ToRange<'_>) -> DecisionReport {
    let (reason, detail) = match &decision.reason {
        Reason::Meaning => ("meaning", None),
        Reason::Occupied(key) => ("occupied", Some(key.clone())),
        Reason::OtherFile(kind) => ("other-file", Some(kind.to_string())),
        Reason::NoPlace => ("no-place", None),
        Reason::Undecided => ("undecided", None),
        Reason::Unknown(key) => ("unknown", Some(key.clone())),
    };
    DecisionReport {
        key: decision.key.clone(),
        now: decision.now.clone(),
        range: decision.location.and_then(range),
        change: decision.entry.change(),
        to: decision.to.clone(),
        reason,
        detail,
        note: decision.entry.note().map(str::to_owned),
        forced: forced.map(|done| ForcedReport { new: done.new.clone(), value: done.value.clone() }),
        since: decision.entry.point().and_then(release),
        commit: Some(commit(decision.entry.point(), decision.entry.date())),
    }
}

fn fault(fault: &Refusal<'_>, since: &str, range: &ToRange<'_>) -> DecisionReport {
    let key = fault.finding.key.clone().unwrap_or_default();
    DecisionReport {
        now: key.clone(),
        key,
        range: fault.location.and_then(range),
        change: "new-error",
        to: None,
        reason: if fault.is_native() { "refused" } else { "fails" },
        detail: Some(fault.finding.message.clone()),
        note: fault.finding.help.clone(),
        commit: None,
        forced: None,
        since: Some(since.to_owned()),
    }
}

/// A commit with its hash, day, pull request and first release.
fn commit(point: Option<Point>, date: Option<&str>) -> CommitReport {
    let history = History::built_in();
    let commit = point.and_then(|point| history.commit_of(point));
    CommitReport {
        sha: commit.map(Commit::short_sha),
        date: commit.map(Commit::day).or(date).map(str::to_owned),
        pull_request: commit.and_then(Commit::pull_request),
        release: point.and_then(release),
    }
}

/// The first release that contains a commit.
fn release(point: Point) -> Option<String> {
    History::built_in().first_release_with(point).map(|tag| tag.name().to_owned())
}
