//! Every fix that is offered improves a config: each alone, all at once as in `cfg check --fix` and an editor, and the migrations to the next
//! releases. Tested on the configs of the repository, a sample of the recorded ones, and all of them if they exist.

#![expect(clippy::disallowed_methods, reason = "git has what prime-rl shipped")]

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
};

use cfg_check::{Checked, Project, Session, apply};
use cfg_diag::{Applicability, Diagnostic, FileId, Fix, Severity};
use cfg_ide::{Analysis, Source};
use cfg_migrate::{Request, Stuck, migrate};
use cfg_repair::{Offered, Repaired, Subject, Wanted, offer, repair_all};
use cfg_schema::{Kind, Target};
use cfg_tests::{Recorded, configs_below, in_shares, shared, sized, spread, workspace};

/// The recorded versions, oldest first.
const VERSIONS: [&str; 9] = ["v0.2", "d564195ca", "v0.3.0", "v0.4.0", "v0.5.0", "v0.6.0", "v0.7.0", "v0.8.0", "2441fd514"];

/// The releases, oldest first.
const RELEASES: [&str; 7] = ["v0.2", "v0.3.0", "v0.4.0", "v0.5.0", "v0.6.0", "v0.7.0", "v0.8.0"];

/// A version, and the two that follow it.
fn from(version: &str, all: &'static [&'static str]) -> &'static [&'static str] {
    let start = all.iter().position(|other| *other == version).expect("a version");
    &all[start..all.len().min(start + 3)]
}

/// A text, and how to check it.
#[derive(Clone)]
struct Case {
    path: String,
    text: String,
    kind: Option<Kind>,
    /// The version that it is written for, and those to migrate it to.
    versions: &'static [&'static str],
}

/// How often each thing was tried.
#[derive(Debug, Default)]
struct Tally {
    counts: BTreeMap<&'static str, usize>,
    wrong: Vec<String>,
}

impl Tally {
    fn add(&mut self, what: &'static str) {
        *self.counts.entry(what).or_default() += 1;
    }

    fn hold(&mut self, holds: bool, what: &'static str, say: impl FnOnce() -> String) {
        self.counts.entry(what).or_default();
        if !holds {
            self.add(what);
            self.wrong.push(format!("{what}: {}", say()));
        }
    }

    fn merge(&mut self, other: Self) {
        for (what, count) in other.counts {
            *self.counts.entry(what).or_default() += count;
        }
        self.wrong.extend(other.wrong);
    }
}

fn errors(checked: &Checked) -> usize {
    let all = checked.diagnostics.iter().flat_map(spread);
    all.filter(|found| found.severity == Severity::Error && !found.is_echo).count()
}

fn is_toml(checked: &Checked) -> bool {
    !checked.diagnostics.iter().any(|found| found.code.code < "PRL010")
}

fn same_place(one: &Diagnostic, found: &[Diagnostic]) -> usize {
    found.iter().flat_map(spread).filter(|other| other.code == one.code && other.key == one.key).count()
}

/// A fix may show older faults of the file, below a key that was refused as a whole, if a person has to ask for it and its title names them.
fn names_older_faults(fix: &Fix, after: &Checked) -> bool {
    let is_named = |found: &Diagnostic| {
        let key = found.key.as_deref().unwrap_or_default();
        found.severity == Severity::Error && fix.title.contains(&format!("{} at `{key}`", found.code.code))
    };
    let is_said = fix.title.ends_with("brings to light") && after.diagnostics.iter().flat_map(spread).any(is_named);
    is_said && fix.applicability != Applicability::Safe
}

struct Trying<'a> {
    session: &'a Session,
    case: &'a Case,
    target: Target,
}

impl Trying<'_> {
    fn name(&self) -> String {
        format!("{} at {}", self.case.path, self.target)
    }

    fn every_repair(&self, tally: &mut Tally) {
        let project = Project::default();
        let (kind, target) = (self.case.kind, Some(self.target.clone()));
        let (path, text) = (&*self.case.path, &*self.case.text);
        let subject = Subject { kind, target, ..Subject::new(self.session, path, &project) };
        let check = |text: &str| subject.check(text, Vec::new());
        let before = check(text);
        if !before.is_config {
            return;
        }
        tally.add("files");
        for Offered { index, fixes, left } in offer(FileId(0), text, &before, 0..before.diagnostics.len(), Wanted::All, &check) {
            let found = &before.diagnostics[index];
            if left.is_some() {
                tally.add("single repairs not offered");
            }
            for fix in fixes {
                tally.add("single repairs");
                let new = apply(text, &fix.edits).unwrap_or_else(|| panic!("{}: edits that overlap", self.name()));
                let after = check(&new);
                let say = || format!("{}: {} {:?}: {}", self.name(), found.code.code, found.key, fix.title);
                let is_no_worse = errors(&after) <= errors(&before) || names_older_faults(&fix, &after);
                tally.hold(is_no_worse, "single repairs with more errors", say);
                tally.hold(is_toml(&after) || !is_toml(&before), "single repairs that leave no TOML", say);
                let stays = same_place(found, &after.diagnostics) >= same_place(found, &before.diagnostics);
                tally.hold(!stays, "single repairs whose finding stays", say);
            }
        }
        for wanted in ["safe", "all"] {
            let allows = |_, applicability| wanted == "all" || applicability == Applicability::Safe;
            let fixed = repair_all(FileId(0), text, check(text), &allows, &check);
            let Repaired { text: new, checked: after, left, count, .. } = &fixed;
            if *count + left.len() > 0 {
                tally.add("files with repairs");
            }
            if *count > 0 {
                tally.add("repaired files");
            }
            let say = || format!("{}, {wanted}:\n{new}", self.name());
            tally.hold((new == text) == (*count == 0), "counts that are wrong", say);
            tally.hold(errors(after) <= errors(&before), "repaired files with more errors", say);
            tally.hold(is_toml(after) || !is_toml(&before), "repaired files that are no TOML", say);
            let again = repair_all(FileId(0), new, check(new), &allows, &check);
            tally.hold(again.text == *new && again.count == 0, "second runs that change something", say);
            let is_said = before.diagnostics.iter().all(|found| {
                let is_wanted = found.fix.as_ref().is_some_and(|fix| allows(found.severity, fix.applicability)) && !found.is_echo;
                let is_there = after.diagnostics.iter().any(|other| other.code == found.code && other.key == found.key);
                !is_wanted || !is_there || left.iter().any(|left| left.code == found.code && left.key == found.key)
            });
            tally.hold(is_said, "repairs that are neither made nor listed", say);
            if wanted == "safe" {
                tally.hold(self.in_an_editor() == *new, "files that an editor repairs otherwise", say);
            }
        }
    }

    fn in_an_editor(&self) -> String {
        let source = Source {
            path: &self.case.path,
            named: true,
            text: self.case.text.clone(),
            kind: self.case.kind,
            target: Some(self.target.clone()),
            project: Arc::new(Project::default()),
            system: None,
        };
        let analysis = Analysis::new(self.session, source);
        let action = cfg_ide::fix_all(self.session, &analysis);
        action.map_or_else(|| self.case.text.clone(), |action| apply(&self.case.text, &action.edits).expect("edits that fit"))
    }

    fn migration(&self, from: &Target, tally: &mut Tally) {
        let (kind, to) = (self.case.kind, self.target.clone());
        let request = Request {
            path: &self.case.path,
            text: &self.case.text,
            kind,
            from: Some(from.clone()),
            to: to.clone(),
            makes_all: false,
            keeps_defaults: false,
            is_part: false,
        };
        let Ok(migration) = migrate(self.session, &request) else { return };
        tally.add("migrations");
        let project = Project::default();
        let (path, kind) = (&*self.case.path, Some(migration.kind));
        let subject = Subject { kind, target: Some(to.clone()), ..Subject::new(self.session, path, &project) };
        let untouched = subject.check(&self.case.text, Vec::new());
        let say = || format!("{} from {from}:\n{}", self.name(), migration.text);
        // The new prime-rl may also refuse what the old one refused, or did not check below a key that it refused.
        let most = errors(&untouched).max(errors(&migration.before));
        tally.hold(errors(&migration.after) <= most, "migrations that make it worse", say);
        tally.hold(is_toml(&migration.after), "migrations that leave no TOML", say);
        if migration.stuck == Some(Stuck::Errors) {
            return;
        }
        let second = Request { text: &migration.text, from: Some(to), kind, ..request };
        let again = migrate(self.session, &second).ok().map(|again| again.text);
        tally.hold(again.as_ref() == Some(&migration.text), "second migrations that change something", say);
    }
}

/// Tries everything on texts, at their version and the two following ones, in parallel.
fn try_all(cases: &[Case]) -> Tally {
    let session = Session::default();
    let tallies = in_shares(cases, |cases| {
        let mut tally = Tally::default();
        for case in cases {
            let target = |version: &str| Target::parse(session.history, version).expect("the target is known");
            for (ahead, version) in case.versions.iter().enumerate() {
                let trying = Trying { session: &session, case, target: target(version) };
                trying.every_repair(&mut tally);
                if ahead > 0 {
                    trying.migration(&target(case.versions[0]), &mut tally);
                }
            }
        }
        tally
    });
    tallies.into_iter().fold(Tally::default(), |mut all, one| {
        all.merge(one);
        all
    })
}

/// One of every `every` recorded configs of a folder.
fn recorded(folder: &Path, every: usize) -> Vec<Case> {
    let case = |vector: Recorded| {
        let is_of = |version: &str| version.trim_start_matches('v') == vector.version.trim_start_matches('v');
        let versions = from(VERSIONS.into_iter().find(|version| is_of(version))?, &VERSIONS);
        Some(Case { path: format!("{}.toml", vector.id.replace('/', "-")), text: vector.toml, kind: Some(vector.kind), versions })
    };
    Recorded::of_folder(folder).step_by(every).filter_map(case).collect()
}

/// The configs of a folder and its subfolders, as if written for a version.
fn configs(folder: &Path, version: &str) -> Vec<Case> {
    let case = |(path, text): (PathBuf, String)| {
        let versions = from(version, &VERSIONS);
        Case { path: path.to_string_lossy().into_owned(), text, kind: None, versions }
    };
    configs_below(folder).into_iter().map(case).collect()
}

/// The configs in a release of prime-rl, from a clone.
fn shipped(clone: &Path, release: &str) -> Vec<Case> {
    let git = |words: &[&str]| {
        let done = Command::new("git").arg("-C").arg(clone).args(words).output().expect("git");
        assert!(done.status.success(), "{words:?}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).expect("UTF-8")
    };
    let versions = from(release, &RELEASES);
    let files = git(&["ls-tree", "-r", "--name-only", release, "--", "configs", "examples", "k8s"]);
    let is_toml = |path: &&str| Path::new(path).extension().is_some_and(|extension| extension == "toml");
    let configs = files.lines().filter(|path| is_toml(path) && !path.ends_with("pyproject.toml"));
    configs
        .map(|path| Case { path: path.to_owned(), text: git(&["show", &format!("{release}:{path}")]), kind: None, versions })
        .collect()
}

/// Asserts that there were no errors, and that enough was tried.
fn judge(tally: &Tally, fewest: [usize; 3]) {
    let some: Vec<&str> = tally.wrong.iter().take(20).map(String::as_str).collect();
    assert!(some.is_empty(), "{} are wrong, such as\n{}\n{:#?}", tally.wrong.len(), some.join("\n"), tally.counts);
    for (what, fewest) in ["single repairs", "repaired files", "migrations"].into_iter().zip(fewest) {
        let tried = tally.counts.get(what).copied().unwrap_or_default();
        assert!(tried >= fewest, "{what}: {tried}");
    }
}

#[test]
fn every_repair_of_a_sample_makes_it_better() {
    let mut cases = recorded(&workspace().join("tests/vectors"), sized(24, 8));
    for version in ["v0.2", "v0.6.0"] {
        cases.extend(configs(&workspace().join("configs"), version).into_iter().step_by(sized(3, 1)));
    }
    let tally = try_all(&cases);
    judge(&tally, sized([30, 15, 60], [100, 50, 200]));
}

#[test]
#[ignore = "reads ../shared/vectors and ../shared/corpus"]
#[expect(clippy::print_stdout, reason = "says how much was tried")]
fn every_repair_of_recorded_configs_makes_them_better() {
    // All configs take a quarter of an hour, which is only worth it after a change of the engine or a move.
    let is_full = std::env::var_os("CFG_ALL_REPAIRS").is_some();
    let (every, fewest) = if is_full { (1, 5000) } else { (16, 200) };
    let mut cases = recorded(&shared("vectors"), every);
    for version in ["v0.2", "v0.4.0"] {
        cases.extend(configs(&shared("corpus"), version).into_iter().step_by(every.min(4)));
    }
    let tally = try_all(&cases);
    println!("{:#?}", tally.counts);
    judge(&tally, [fewest; 3]);
}

/// The configs of prime-rl itself, at each release and the two that follow.
#[test]
#[ignore = "takes the configs of each release from a clone of prime-rl in the folder that CFG_MIRRORS names"]
#[expect(clippy::print_stdout, reason = "says why it is skipped, and how much was tried")]
fn every_repair_of_what_prime_rl_shipped_makes_it_better() {
    let Some(mirrors) = std::env::var_os("CFG_MIRRORS") else {
        println!("skipped: CFG_MIRRORS is not set");
        return;
    };
    let clone = Path::new(&mirrors).join("PrimeIntellect-ai+prime-rl/repo");
    let cases: Vec<Case> = RELEASES.iter().flat_map(|release| shipped(&clone, release)).collect();
    let tally = try_all(&cases);
    println!("{:#?}", tally.counts);
    judge(&tally, [500, 500, 400]);
}
