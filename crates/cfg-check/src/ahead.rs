//! What is known of prime-rl after the last known commit: keys of a config that a later one has, or no longer has.

mod defaults;
mod names;
mod types;

use cfg_compose::{Entry, Table, Value};
use cfg_diag::{Applicability, Diagnostic, LocPart, Location, Native, Proposal, Severity, codes};
use cfg_schema::{Ahead, AheadChange, Commit, History, Kind, Written};

use crate::{Certainty, Checked};
pub(crate) use defaults::{tell_defaults, with_defaults};
pub use names::LaterNames;
pub(crate) use names::with_names;

/// The maximum number of keys below a new table that are compared with those that it has.
const MAX_KEYS: usize = 1000;

/// Whether a config may be for a prime-rl after the last known commit: nothing says for which it is, or what says it is not a known commit.
pub(crate) fn may_apply(checked: &Checked) -> bool {
    let is_later = matches!(checked.certainty, Certainty::Ahead(..) | Certainty::Newer(_));
    checked.own.is_none() && (is_later || checked.target.is_beyond || checked.is_stated() && checked.target.name == "main")
}

/// prime-rl's error, if it is about a key that a table does not have.
fn is_forbidden(found: &Diagnostic) -> Option<&Native> {
    found.native.as_ref().filter(|native| native.kind == "extra_forbidden")
}

/// The change after the last known commit that explains an error; a key that this commit has needs none.
fn explains(
    kind: Kind,
    root: Option<&Table>,
    found: &Diagnostic,
    text_at: &dyn Fn(Location) -> Option<String>,
) -> Option<&'static Ahead> {
    found.native.as_ref()?;
    let key = found.key.as_deref()?;
    if let Some(native) = is_forbidden(found) {
        let history = History::built_in();
        if history.schema(kind, history.newest()).has(key) {
            return None;
        }
        let written = root.and_then(|root| entry_at(root, &native.loc)).map(|entry| &entry.node.value);
        return Ahead::added(kind, key)
            .into_iter()
            .filter(|entry| entry.fits(kind, key, form_of(written)))
            .min_by_key(|entry| entry.day);
    }
    let text = text_at(found.location?)?;
    Ahead::value(kind, key, text.trim_matches(['"', '\'']))
}

/// What is written at a key.
fn form_of(written: Option<&Value>) -> Written {
    match written {
        None => Written::Unknown,
        Some(Value::Table(_)) => Written::Table,
        Some(Value::List(items)) if items.iter().all(|item| item.value.as_table().is_some()) => Written::Tables,
        Some(_) => Written::Other,
    }
}

/// The newest change that the errors of a config show: it is written for a prime-rl after the last known commit. What an earlier one had at the same
/// place shows nothing, unless a later one explains all errors.
pub(crate) fn shown(
    kind: Kind,
    root: &Table,
    found: &[Diagnostic],
    text_at: &dyn Fn(Location) -> Option<String>,
) -> Option<(String, &'static Ahead)> {
    let is_explained = |diagnostic: &Diagnostic| explains(kind, Some(root), diagnostic, text_at).is_some();
    let is_all = found.iter().filter(|diagnostic| diagnostic.is_refusal()).all(is_explained);
    let showing = found.iter().filter(|diagnostic| is_all || diagnostic.code != &codes::REMOVED_KEY);
    let all = showing.filter_map(|diagnostic| Some((diagnostic.key.clone()?, explains(kind, Some(root), diagnostic, text_at)?)));
    all.max_by_key(|(_, entry)| (entry.pull_request.is_some(), entry.day))
}

/// Turns the errors about what a later prime-rl has into warnings that say since when, adds errors for what it does not have either, and warnings
/// for what it no longer has. Returns whether there were any.
pub(crate) fn tell(
    checked: &Checked,
    kind: Kind,
    root: &Table,
    found: &mut Vec<Diagnostic>,
    text_at: &dyn Fn(Location) -> Option<String>,
) -> bool {
    let until = until(checked);
    let mut below = Vec::new();
    let mut is_any = false;
    for diagnostic in found.iter_mut() {
        let Some(entry) = explains(kind, Some(root), diagnostic, text_at) else { continue };
        is_any = true;
        let key = diagnostic.key.clone().unwrap_or_default();
        if let Some(native) = is_forbidden(diagnostic) {
            strange(kind, root, &key, &native.loc, &mut below);
            if let Some(entry) = entry_at(root, &native.loc) {
                types::compare(kind, &key, &native.loc, entry, &mut below);
            }
        }
        let value = if let AheadChange::Value(value) = entry.change { format!("\"{value}\" of ") } else { String::new() };
        let is_later = checked.is_stated() && !until.is_empty() && entry.day > until;
        let than = if is_later { checked.target.to_string() } else { "the prime-rl that this cfg knows".to_owned() };
        let message = format!("{value}`{key}` is newer than {than}: prime-rl has it {}", entry.since());
        let older = older(diagnostic);
        let mut newer = Diagnostic::new(&codes::FUTURE_KEY, message).label("newer").help(advice(entry, &key, older));
        newer.choices = older.into_iter().map(str::to_owned).collect();
        newer.severity = Severity::Warning;
        if older.is_some() {
            let possible = |proposal| Proposal { applicability: Applicability::Unsafe, help: None, ..proposal };
            newer.proposals = diagnostic.proposals.iter().cloned().map(possible).collect();
        }
        (newer.key, newer.location) = (diagnostic.key.take(), diagnostic.location);
        *diagnostic = newer;
    }
    // What the errors masked is not masked by a warning.
    if is_any && !found.iter().any(Diagnostic::is_refusal) {
        found.iter_mut().filter_map(|diagnostic| diagnostic.native.as_mut()).for_each(|native| native.masked = false);
    }
    found.append(&mut below);
    is_any
}

/// What a key that an earlier prime-rl had is called at the last known one.
fn older(found: &Diagnostic) -> Option<&str> {
    let help = found.help.as_deref().filter(|_| found.code == &codes::REMOVED_KEY)?;
    help.strip_prefix("write `")?.split_once("` instead").map(|(key, _)| key)
}

/// What to do about a key that a later prime-rl has.
fn advice(entry: &Ahead, key: &str, older: Option<&str>) -> String {
    let is_itself = key == entry.path || key.ends_with(&format!(".{}", entry.path));
    let ty = match entry.change {
        AheadChange::Added { ty, is_open: false } if is_itself => format!("it is of type `{ty}`; "),
        _ => String::new(),
    };
    let last = History::built_in().commits().next_back().map(Commit::day).unwrap_or_default();
    if let Some(older) = older {
        return format!(
            "{ty}write `{older}` for prime-rl up to {last}; for a later one, pass your checkout: `--target path:CHECKOUT`"
        );
    }
    format!("{ty}prime-rl up to {last} refuses it; to check it, pass your checkout: `--target path:CHECKOUT`")
}

/// Adds to errors about keys that the target does not have that a later prime-rl has them.
pub(crate) fn mention(kind: Kind, found: &mut [Diagnostic], text_at: &dyn Fn(Location) -> Option<String>) {
    for diagnostic in found {
        if let Some(entry) = explains(kind, None, diagnostic, text_at) {
            let later = format!("prime-rl has it {}", entry.since());
            diagnostic.help = Some(diagnostic.help.take().map_or(later.clone(), |help| format!("{help}; {later}")));
        }
    }
}

/// Reports the keys of a config that a later prime-rl no longer has: a warning if the one that the config is for is as late as that.
pub(crate) fn tell_removed(checked: &Checked, kind: Kind, root: &Table, found: &mut Vec<Diagnostic>) {
    removed_in(kind, until(checked), root, &mut Vec::new(), found);
}

/// The day up to which the prime-rl that a config is for has the known changes after the last known commit.
pub(crate) fn until(checked: &Checked) -> &str {
    match &checked.certainty {
        Certainty::Ahead(_, day) => day,
        Certainty::Newer(day) => &day.day,
        _ => checked.target.has_changes_until(),
    }
}

fn removed_in(kind: Kind, until: &str, table: &Table, path: &mut Vec<String>, found: &mut Vec<Diagnostic>) {
    for entry in table.entries() {
        path.push(entry.key.to_string());
        let key = path.join(".");
        let is_reported = || found.iter().any(|other| other.location == entry.key_origin.place());
        if let Some(gone) = Ahead::removed(kind, &key).filter(|_| !is_reported())
            && let (AheadChange::Removed(instead), Some(location)) = (&gone.change, entry.key_origin.place())
        {
            let message = format!("a newer prime-rl no longer has `{key}`: it was removed {}", gone.since());
            let mut diagnostic = Diagnostic::new(&codes::REMOVED_KEY, message).label("removed later").at(location).help(*instead);
            diagnostic.key = Some(key);
            diagnostic.severity = if gone.day <= until { Severity::Warning } else { Severity::Info };
            found.push(diagnostic);
        } else {
            below(&entry.node.value, &mut |table| removed_in(kind, until, table, path, found));
        }
        path.pop();
    }
}

/// Calls a function with the tables that a value is or has as its items.
fn below(value: &Value, each: &mut dyn FnMut(&Table)) {
    match value {
        Value::Table(table) => each(table),
        Value::List(items) => items.iter().filter_map(|item| item.value.as_table()).for_each(each),
        _ => {}
    }
}

/// Reports the keys of a new table that no known prime-rl has there.
fn strange(kind: Kind, root: &Table, key: &str, loc: &[LocPart], found: &mut Vec<Diagnostic>) {
    if let Some(entry) = entry_at(root, loc) {
        each_key(&entry.node.value, key, loc, &mut |key, inner, path, loc| strange_key(kind, key, inner, path, loc, found));
    }
}

/// Reports a key below a new table, or those below it.
fn strange_key(kind: Kind, key: &str, inner: &Entry, path: String, loc: Vec<LocPart>, found: &mut Vec<Diagnostic>) {
    if found.len() > MAX_KEYS {
        return;
    }
    let written = form_of(Some(&inner.node.value));
    if Ahead::added(kind, &path).iter().any(|entry| entry.fits(kind, &path, written)) {
        each_key(&inner.node.value, &path, &loc, &mut |key, inner, path, loc| strange_key(kind, key, inner, path, loc, found));
    } else if let Some(location) = inner.key_origin.place() {
        let message = format!("`{key}` has no key `{}`, not even in a newer prime-rl", inner.key);
        let diagnostic = Diagnostic::new(&codes::UNKNOWN_KEY, message).label("unknown key").at(location).key(path);
        found.push(diagnostic.help(format!("it has {}", keys_of(kind, key))).native("extra_forbidden", loc));
    }
}

/// A function of an entry: the key of its table, the entry, its own key, and prime-rl's location of it.
type EachKey<'f> = dyn FnMut(&str, &Entry, String, Vec<LocPart>) + 'f;

/// Calls a function with the entries of a table, or of the tables that are the items of a list.
fn each_key(value: &Value, key: &str, loc: &[LocPart], each: &mut EachKey<'_>) {
    let of_table = |table: &Table, key: &str, loc: &[LocPart], each: &mut EachKey<'_>| {
        for entry in table.entries() {
            each(key, entry, format!("{key}.{}", entry.key), [loc, &[LocPart::Key(entry.key.to_string())]].concat());
        }
    };
    match value {
        Value::Table(table) => of_table(table, key, loc, each),
        Value::List(items) => {
            for (index, table) in items.iter().enumerate().filter_map(|(index, item)| Some((index, item.value.as_table()?))) {
                of_table(table, &format!("{key}[{index}]"), &[loc, &[LocPart::Index(index)]].concat(), each);
            }
        }
        _ => {}
    }
}

/// The keys of a new table, without repetition.
fn keys_of(kind: Kind, table: &str) -> String {
    let last = table.rsplit('.').next().unwrap_or(table);
    let last = last.split('[').next().unwrap_or(last);
    let name = |entry: &'static Ahead| entry.path.rsplit_once(&format!("{last}."))?.1.split('.').next();
    let mut names: Vec<&str> = Ahead::added(kind, table).into_iter().filter_map(name).collect();
    names.sort_unstable();
    names.dedup();
    names.join(", ")
}

/// The entry at prime-rl's location of an error: labels of variants in it are no keys.
fn entry_at<'t>(root: &'t Table, loc: &[LocPart]) -> Option<&'t Entry> {
    let (mut table, mut items, mut entry) = (Some(root), None::<&[cfg_compose::Node]>, None);
    for part in loc {
        match part {
            LocPart::Key(key) => {
                let Some(found) = table.and_then(|table| table.get(key)) else { continue };
                entry = Some(found);
                table = found.node.value.as_table();
                items = if let Value::List(items) = &found.node.value { Some(items) } else { None };
            }
            LocPart::Index(index) => table = items.and_then(|items| items.get(*index)).and_then(|item| item.value.as_table()),
        }
    }
    let is_last = |entry: &&Entry| matches!(loc.last(), Some(LocPart::Key(key)) if **key == *entry.key);
    entry.filter(is_last)
}

#[cfg(test)]
mod tests {
    use cfg_diag::{Severity, Verdict, codes};
    use cfg_schema::{History, Kind, Target};

    use crate::{Certainty, Checked, Request, Session, check};

    fn checked(target: Option<&str>, text: &str) -> Checked {
        let request = Request {
            kind: Some(Kind::Rl),
            target: target.map(|target| Target::parse(History::built_in(), target).expect("a target")),
            ..Request::new("rl.toml", text)
        };
        check(&Session::default(), request)
    }

    /// The codes, keys and severities of the findings that are at least warnings.
    fn found(target: Option<&str>, text: &str) -> Vec<(&'static str, String, Severity)> {
        let found = checked(target, text).diagnostics.into_iter().filter(|found| found.severity > Severity::Info);
        found.map(|found| (found.code.code, found.key.unwrap_or_default(), found.severity)).collect()
    }

    const NEW: &str = "constant_trainer_batch_size = true\n";
    const RL: &str = "[trainer]\n[inference]\n[orchestrator]\n";

    #[test]
    fn a_key_of_a_later_prime_rl_is_a_warning_without_a_target() {
        let text = format!("{RL}{NEW}");
        let key = "orchestrator.constant_trainer_batch_size".to_owned();
        let warning = (codes::FUTURE_KEY.code, key.clone(), Severity::Warning);
        assert_eq!(found(None, &text), std::slice::from_ref(&warning));
        assert_eq!(found(Some("main"), &text), std::slice::from_ref(&warning));
        assert_eq!(found(Some("0.9.0"), &text), [warning]);
        assert_eq!(found(Some("0.8.0"), &text), [(codes::UNKNOWN_KEY.code, key, Severity::Error)]);
        let checked = checked(None, &text);
        assert_eq!(checked.verdict, Verdict::Depends);
        assert!(matches!(checked.certainty, Certainty::Ahead(_, "2026-09-01")));
        let message = &checked.diagnostics.iter().find(|found| found.code == &codes::FUTURE_KEY).expect("it is found").message;
        assert!(message.contains("(#3463 of 2026-09-01)"), "{message}");
    }

    #[test]
    fn a_key_of_the_last_known_commit_shows_no_later_prime_rl() {
        let text = format!("[monitors.wandb]\nproject = \"p\"\n[trainer]\nlerning_rate = 1.0\n{}", &RL[10..]);
        let checked = checked(None, &text);
        assert_eq!(checked.target.name, "main");
        assert!(matches!(checked.certainty, Certainty::Inferred(_)), "{:?}", checked.certainty);
        let at_release = found(Some("0.8.0"), &text);
        assert!(at_release.contains(&(codes::FUTURE_KEY.code, "monitors".to_owned(), Severity::Error)), "{at_release:?}");
    }

    #[test]
    fn an_invented_key_stays_an_error() {
        let invented = found(None, &format!("bananas = 1\n{RL}{NEW}[trainer.model.fusions]\nenabled = [\"qkv\"]\nothers = 1\n"));
        let errors: Vec<&str> =
            invented.iter().filter(|(.., severity)| *severity == Severity::Error).map(|(_, key, _)| &**key).collect();
        assert_eq!(errors, ["bananas", "trainer.model.fusions.others"]);
        assert!(invented.iter().all(|(code, _, severity)| *severity == Severity::Warning || *code == codes::UNKNOWN_KEY.code));
    }

    #[test]
    fn a_value_of_another_type_is_an_error_too() {
        let errors = |text: &str| -> Vec<(&'static str, String)> {
            let found = found(None, text).into_iter();
            found.filter(|(.., severity)| *severity == Severity::Error).map(|(code, key, _)| (code, key)).collect()
        };
        let wrong = |code: cfg_diag::Code, key: &str| vec![(code.code, key.to_owned())];
        assert_eq!(errors(&format!("dashboard = true\n{RL}")), []);
        assert_eq!(errors(&format!("dashboard = \"maybe\"\n{RL}")), wrong(&codes::UNPARSABLE_VALUE, "dashboard"));
        let backend = "trainer.model.moe.compute.backend";
        assert_eq!(errors(&format!("{RL}[trainer.model.moe.compute]\nbackend = \"torch\"\n")), []);
        assert_eq!(
            errors(&format!("{RL}[trainer.model.moe.compute]\nbackend = \"trch\"\n")),
            wrong(&codes::INVALID_CHOICE, backend)
        );
        let limit = "orchestrator.train.source[0].select.limit";
        let source = "[[orchestrator.train.source]]\nenv.taskset.id = \"math\"\nselect.limit = ";
        assert_eq!(errors(&format!("{RL}{source}3\n")), []);
        assert_eq!(errors(&format!("{RL}{source}0\n")), wrong(&codes::OUT_OF_RANGE, limit));
    }

    #[test]
    fn a_table_that_takes_any_key_does_not_explain_a_list() {
        let of_env = |text: &str| {
            let found = found(Some("main"), &format!("{RL}{text}")).into_iter();
            found
                .filter(|(_, key, _)| key.starts_with("orchestrator.train.env"))
                .map(|(code, _, severity)| (code, severity))
                .collect::<Vec<_>>()
        };
        assert_eq!(of_env("[[orchestrator.train.env]]\nid = \"math\"\n"), [(codes::REMOVED_KEY.code, Severity::Error)]);
        assert_eq!(of_env("[orchestrator.train]\nenv = [\"math\"]\n"), [(codes::REMOVED_KEY.code, Severity::Error)]);
        assert_eq!(of_env("[orchestrator.train.env]\ntimeout.episode = 3.0\n"), [(codes::FUTURE_KEY.code, Severity::Warning)]);
    }

    #[test]
    fn what_was_removed_and_is_back_shows_a_later_prime_rl_if_that_explains_all() {
        let of = |text: &str| {
            let request = Request { kind: Some(Kind::Eval), ..Request::new("eval.toml", text) };
            let checked = check(&Session::default(), request);
            checked.diagnostics.iter().map(|found| (found.code.code, found.severity)).collect::<Vec<_>>()
        };
        assert_eq!(of("[log]\ninterval = 5.0\n"), [(codes::FUTURE_KEY.code, Severity::Warning)]);
        assert!(of("bananas = 1\n[log]\ninterval = 5.0\n").contains(&(codes::REMOVED_KEY.code, Severity::Error)));
    }

    #[test]
    fn what_is_gone_later_is_told_beside_what_is_new() {
        let gone = "[trainer.weight_broadcast]\ntype = \"nccl\"\nquantize_in_weight_transfer = false\n";
        let told = |target, text: &str| {
            let found = checked(target, text).diagnostics.into_iter().find(|found| found.code == &codes::REMOVED_KEY)?;
            assert_eq!(found.key.as_deref(), Some("trainer.weight_broadcast.quantize_in_weight_transfer"));
            Some(found.severity)
        };
        // It was removed after what the config shows, and before.
        assert_eq!(told(None, &format!("{RL}{NEW}{gone}")), Some(Severity::Info));
        assert_eq!(told(Some("2026-09-16"), &format!("{RL}{gone}")), Some(Severity::Info));
        assert_eq!(told(Some("2026-09-17"), &format!("{RL}{gone}")), Some(Severity::Warning));
        assert_eq!(told(Some("0.9.0"), &format!("{RL}{gone}")), Some(Severity::Info));
        assert_eq!(told(Some("0.10.0"), &format!("{RL}{gone}")), Some(Severity::Warning));
        assert_eq!(told(None, &format!("{RL}{gone}")), None);
    }

    #[test]
    fn values_and_keys_of_items_are_known_too() {
        let text = format!(
            "{RL}[trainer.loss]\ntype = \"icepop\"\n[[orchestrator.train.source]]\nenv.taskset.id = \"math\"\nselect.limit = 3\nselect.limits = 3\n"
        );
        let found = found(None, &text);
        let has = |code: cfg_diag::Code, key: &str| found.iter().any(|(other, at, _)| *other == code.code && at == key);
        assert!(has(&codes::FUTURE_KEY, "trainer.loss") || has(&codes::FUTURE_KEY, "trainer.loss.type"), "{found:?}");
        assert!(has(&codes::FUTURE_KEY, "orchestrator.train.source[0].select"), "{found:?}");
        assert!(has(&codes::UNKNOWN_KEY, "orchestrator.train.source[0].select.limits"), "{found:?}");
    }
}
