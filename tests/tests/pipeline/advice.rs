//! Advice has been tried: what a finding says to write removes it and causes no other, and the keys that it names exist at the target. Held over the
//! examples of all rule pages, a sample of the recorded configs, and generated configs with the mistakes of coding agents.

use std::{collections::BTreeSet, path::Path};

use cfg_check::{Checked, Project, Session, apply};
use cfg_diag::{Diagnostic, FileId, Fix, Severity, codes};
use cfg_repair::{Subject, Wanted, offer_all};
use cfg_schema::{Kind, Target, find_fields, without_indices};
use cfg_syntax::{
    Dialect,
    rewrite::{Change, KeyPath, Literal, Rewriter},
};
use cfg_tests::{Recorded, in_shares, shared, sized, spread, workspace};

use super::mistakes;

/// A text, and how to check it.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) kind: Option<Kind>,
    pub(crate) target: String,
}

/// What was tried, and what did not hold.
#[derive(Default)]
struct Tally {
    fixes: usize,
    settings: usize,
    keys: usize,
    wrong: Vec<String>,
}

/// The findings of a text that a person sees, by code and key.
fn seen(checked: &Checked) -> Vec<(&'static str, Option<&str>)> {
    let all = checked.diagnostics.iter().flat_map(spread).filter(|found| found.severity >= Severity::Warning && !found.is_echo);
    all.map(|found| (found.code.code, found.key.as_deref())).collect()
}

/// The findings after a change that were not there before, or more often.
fn added(before: &Checked, after: &Checked) -> Vec<String> {
    let mut old = seen(before);
    let is_new = |found: &(&'static str, Option<&str>)| match old.iter().position(|other| other == found) {
        Some(at) => {
            old.swap_remove(at);
            false
        }
        None => true,
    };
    seen(after).into_iter().filter(is_new).map(|(code, key)| format!("{code} at `{}`", key.unwrap_or_default())).collect()
}

fn is_there(found: &Diagnostic, checked: &Checked) -> usize {
    seen(checked).iter().filter(|(code, key)| *code == found.code.code && *key == found.key.as_deref()).count()
}

/// What is in backticks in a text.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Whether a help says why what it names does not work yet.
fn has_obstacle(help: &str) -> bool {
    help.to_lowercase().contains("as the config is now")
}

/// Whether a text in backticks is a dotted key.
fn is_dotted(word: &str) -> bool {
    let is_name = |part: &str| {
        let name = part.split('[').next().unwrap_or_default();
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
    };
    word.contains('.') && word.split('.').all(is_name) && !word.starts_with(|first: char| first.is_ascii_digit())
}

/// The settings that a help states: ``set `a.b` to 2``, ``write `a = 2` ``.
fn stated(found: &Diagnostic, help: &str) -> Option<(String, String)> {
    let is_value = |value: &str| {
        let value = value.trim();
        value.parse::<f64>().is_ok()
            || matches!(value, "true" | "false")
            || value.len() > 2 && value.starts_with('"') && value.ends_with('"')
    };
    if let Some((_, rest)) = help.split_once("set `") {
        let (key, rest) = rest.split_once("` to ")?;
        let end = rest.find([',', ';', ' ']).unwrap_or(rest.len());
        let value = rest[..end].trim_matches('`');
        return (is_dotted(key) && is_value(value)).then(|| (key.to_owned(), value.to_owned()));
    }
    // Of several settings, the author chooses one.
    if help.contains("` or `") || help.contains("`, or `") {
        return None;
    }
    let (stated, behind) = help.strip_prefix("write `")?.split_once('`')?;
    let (key, value) = stated.split_once(" = ")?;
    let own = found.key.as_deref()?;
    let place = if let Some(table) = behind.strip_prefix(" under `").and_then(|rest| rest.split('`').next()) {
        // A table beside that of the finding.
        let beside = own.rsplit_once('.').and_then(|(own, _)| own.rsplit_once('.')).map(|(above, _)| format!("{above}."));
        format!("{}{table}.{key}", beside.unwrap_or_default())
    } else if key.contains('.') {
        key.to_owned()
    } else {
        own.rsplit_once('.').map_or_else(|| key.to_owned(), |(table, _)| format!("{table}.{key}"))
    };
    is_value(value).then(|| (place, value.to_owned()))
}

struct Trying<'a> {
    session: &'a Session,
    case: &'a Case,
    target: Target,
}

impl Trying<'_> {
    fn all(&self, tally: &mut Tally) {
        let project = Project::default();
        let (kind, target) = (self.case.kind, Some(self.target.clone()));
        let (path, text) = (&*self.case.name, &*self.case.text);
        let subject = Subject { kind, target, ..Subject::new(self.session, path, &project) };
        let check = |text: &str| subject.check(text, Vec::new());
        let before = check(text);
        let mut offered = check(text);
        offer_all(FileId(0), text, &mut offered, Wanted::First, Severity::Warning, &check);
        for found in offered.diagnostics.iter().filter(|found| !found.is_echo && found.severity >= Severity::Warning) {
            let mut say = |what: &str| {
                let help = found.help.as_deref().unwrap_or_default();
                let title = found.fix.as_ref().map_or("", |fix| &*fix.title);
                tally.wrong.push(format!(
                    "{} at {}: {} {:?} {}\n  help: {help}\n  fix: {title}\n  {what}",
                    self.case.name, self.target, found.code.code, found.key, found.message
                ));
            };
            if let Some(fix) = &found.fix {
                tally.fixes += 1;
                match apply(text, &fix.edits).map(|text| check(&text)) {
                    None => say("its edits do not fit"),
                    Some(after) => {
                        if is_there(found, &after) >= is_there(found, &before) {
                            say("the finding stays");
                        }
                        for added in added(&before, &after).iter().filter(|added| !is_named(fix, added)) {
                            say(&format!("it causes {added}"));
                        }
                    }
                }
            }
            let Some(help) = found.help.as_deref() else { continue };
            let is_untried = found.fix.is_none() && !has_obstacle(help);
            let directs = ["in prime-rl it is `", "in the target it is `", "the target has `", "did you mean "]
                .iter()
                .any(|start| help.starts_with(start));
            // A list of places, or a setting that counts something else, is left to the author.
            let is_plain = !help.contains("; ") && !help.contains(" and `") && found.code != &codes::UNREAD_KEY;
            // Which item of a list is meant is not known.
            let of_list = |key: &str| {
                let fields = before.kind.map(|kind| find_fields(self.session.history, kind, key)).unwrap_or_default();
                fields.iter().any(|field| field.path.contains("[]"))
            };
            // A table that is written as something else can take nothing before that is mended.
            let is_shaped = before.diagnostics.iter().all(|other| other.code != &codes::WRONG_TYPE && other.code.code > "PRL010");
            let is_plain = is_plain && is_shaped && !quoted(help).any(of_list);
            if is_untried && directs && is_plain && found.location.is_some() {
                say("it has been tried by nobody");
            }
            if let Some((key, value)) = stated(found, help).filter(|_| found.fix.is_none() && !has_obstacle(help)) {
                tally.settings += 1;
                let change = Change::Set { path: KeyPath::parse(&key), value: Literal::raw(&*value) };
                let edits = Rewriter::new(FileId(0), text, Dialect::Toml11).and_then(|rewriter| rewriter.edits(&[change]).ok());
                if let Some(after) = edits.and_then(|edits| apply(text, &edits)).map(|text| check(&text)) {
                    if is_there(found, &after) >= is_there(found, &before) {
                        say(&format!("with `{key} = {value}` it stays"));
                    }
                    for added in added(&before, &after) {
                        say(&format!("`{key} = {value}` causes {added}"));
                    }
                }
            }
            for key in self.absent(&before, found, help, tally) {
                let (name, code) = (&self.case.name, found.code.code);
                tally.wrong.push(format!("{name} at {}: {code} {help}\n  `{key}` does not exist there", self.target));
            }
        }
    }

    /// The keys that a finding's help names and the target does not have.
    fn absent(&self, before: &Checked, found: &Diagnostic, help: &str, tally: &mut Tally) -> BTreeSet<String> {
        let Some(kind) = before.kind else { return BTreeSet::new() };
        let mut absent = BTreeSet::new();
        let is_schema = found.code.code.starts_with("PRL1") && found.code != &codes::CHANGED_DEFAULT;
        for key in quoted(help).filter(|key| is_schema && is_dotted(key)) {
            tally.keys += 1;
            let plain = without_indices(key);
            let (history, point) = (self.session.history, self.target.point);
            let exists = |path: &str| find_fields(history, kind, path).iter().any(|field| field.exists_at(point));
            let takes_any = ["vllm.", "vllm_extra.", "extra_body.", "args.", "taskset.", "env_vars."];
            let is_free = takes_any.iter().any(|table| plain.contains(table));
            // What the config itself has may be named, whatever it is.
            let is_own = found.key.as_deref().is_some_and(|own| {
                without_indices(own).starts_with(&*plain)
                    || plain.ends_with(&*without_indices(own))
                    || plain.starts_with(&*without_indices(own))
            });
            let is_said = found.message.contains(key)
                || help.contains(&format!("`{key}` was added"))
                || help.contains(&format!("`{key}` can't be kept"));
            let is_in_text =
                key.rsplit('.').next().is_some_and(|last| self.case.text.contains(last)) && help.contains(&format!("`{key}` is"));
            if !exists(&plain) && !is_free && !is_own && !is_said && !is_in_text {
                absent.insert(key.to_owned());
            }
        }
        absent
    }
}

/// Whether the title of a fix names a finding that shows after it.
fn is_named(fix: &Fix, added: &str) -> bool {
    fix.title.contains(added.trim_end_matches(" at ``")) || fix.title.contains("more, which it brings to light")
}

fn try_all(cases: &[Case]) -> Tally {
    let session = Session::default();
    let tallies = in_shares(cases, |cases| {
        let mut tally = Tally::default();
        for case in cases {
            let target = Target::parse(session.history, &case.target).expect("the target is known");
            Trying { session: &session, case, target }.all(&mut tally);
        }
        tally
    });
    tallies.into_iter().fold(Tally::default(), |mut all, one| {
        all.fixes += one.fixes;
        all.settings += one.settings;
        all.keys += one.keys;
        all.wrong.extend(one.wrong);
        all
    })
}

/// Checks a tally: nothing in it is wrong, and it is large enough.
fn judge(tally: &Tally, fewest: (usize, usize)) {
    let some: Vec<&str> = tally.wrong.iter().take(60).map(String::as_str).collect();
    let Tally { fixes, settings, keys, .. } = tally;
    assert!(
        tally.wrong.is_empty(),
        "{} are wrong of {fixes} fixes, {settings} settings, {keys} keys:\n{}",
        tally.wrong.len(),
        some.join("\n")
    );
    assert!(*fixes >= fewest.0 && *keys >= fewest.1, "{fixes} fixes, {settings} settings, {keys} keys");
}

/// The examples of the rule pages that are a single file.
fn examples() -> Vec<Case> {
    let example = |code: &cfg_diag::Code| {
        let blocks = code.page.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next());
        let case = |text: &str| {
            let (name, target) = text.lines().next()?.strip_prefix("# ")?.split_once(", for ")?;
            let is_one = Path::new(name).extension().is_some_and(|ending| ending == "toml")
                && !target.contains(char::is_whitespace)
                && !text.contains(", of the same run");
            let kind = None;
            is_one.then(|| Case { name: name.to_owned(), text: text.to_owned(), kind, target: target.to_owned() })
        };
        blocks.filter_map(case).collect::<Vec<_>>()
    };
    codes::ALL.iter().flat_map(example).collect()
}

/// One of every `every` recorded configs of a folder.
fn recorded(folder: &Path, every: usize) -> Vec<Case> {
    let case = |vector: Recorded| Case {
        name: format!("{}.toml", vector.id.replace('/', "-")),
        text: vector.toml,
        kind: Some(vector.kind),
        target: vector.version.trim_start_matches('v').to_owned(),
    };
    Recorded::of_folder(folder).step_by(every).map(case).collect()
}

#[test]
fn advice_of_the_rule_pages_has_been_tried() {
    let cases: Vec<Case> = examples().into_iter().step_by(sized(4, 1)).collect();
    judge(&try_all(&cases), sized((10, 1), (60, 2)));
}

#[test]
fn advice_about_recorded_configs_has_been_tried() {
    judge(&try_all(&recorded(&workspace().join("tests/vectors"), sized(24, 6))), sized((10, 5), (60, 15)));
}

#[test]
#[ignore = "reads ../shared/vectors"]
fn advice_about_the_shared_configs_has_been_tried() {
    judge(&try_all(&recorded(&shared("vectors"), 12)), (100, 15));
}

#[test]
fn advice_about_the_mistakes_of_agents_has_been_tried() {
    let cases: Vec<Case> = mistakes::generated(300).into_iter().step_by(sized(6, 1)).collect();
    assert!(cases.len() >= sized(50, 300));
    judge(&try_all(&cases), sized((50, 20), (300, 120)));
}
