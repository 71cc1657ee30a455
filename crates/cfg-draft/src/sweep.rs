//! Makes one config for each combination of values of some settings.

use std::collections::HashSet;

use cfg_diag::{FileId, is_within};
use cfg_memory::{
    hardware::Hardware,
    run::{Assessment, Run},
    verdict::Verdict,
};
use cfg_registry::header::{with_members, without_members};
use cfg_schema::Kind;
use cfg_syntax::{
    Dialect,
    rewrite::{Change, Literal, Rewriter},
};

use crate::{
    Surroundings,
    adapt::OF_A_VERSION,
    in_words,
    judge::{self, Judged, Problem},
    own_places::{own_places, resumes_at},
    refusal::full_gpu,
};

/// The most characters of the label in a file name.
const LONGEST_LABEL: usize = 80;

/// The config that the variants are made from.
#[derive(Clone, Copy, Debug)]
pub struct Base<'a> {
    /// Its text.
    pub text: &'a str,
    /// The name of its file, without the folder.
    pub name: &'a str,
    /// Its entrypoint.
    pub kind: Kind,
    /// Whether the variants must give the entrypoint.
    pub states_kind: bool,
    /// Its version, if it is registered and unchanged: `configs/rl.toml:v3`.
    pub version: Option<&'a str>,
    /// Its output folder.
    pub output_dir: &'a str,
    /// The machine, if the variants must give it.
    pub hardware: Option<&'a Hardware>,
}

/// A setting and its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its key: `trainer.optim.lr`.
    pub key: String,
    /// Its values, as TOML writes them.
    pub values: Vec<String>,
}

/// The config with one combination of values.
#[derive(Debug)]
pub struct Variant {
    /// The name of its file: `rl-lr1e-6-group_size8.toml`.
    pub name: String,
    /// The keys with their values, as TOML writes them.
    pub values: Vec<(String, String)>,
    /// Its text.
    pub text: String,
    /// The faults that the original config does not have.
    pub problems: Vec<Problem>,
    /// The processes on each GPU, and the assessment of each; `None` if it is not known.
    pub memory: Option<(Run, Assessment)>,
}

impl Variant {
    /// Whether its run would certainly fail.
    pub fn is_refused(&self) -> bool {
        self.problems.iter().any(|problem| problem.is_error)
    }
}

/// The keys by which a config resumes from a certain step of its own run, which its variants don't have: each begins in a folder of its own, where there is
/// no checkpoint yet.
pub fn left_out(text: &str, settings: &[Setting]) -> Vec<String> {
    let (document, _) = cfg_syntax::parse(FileId(0), text, Dialect::Toml11);
    let is_varied = |key: &str| settings.iter().any(|setting| is_within(&setting.key, key));
    resumes_at(&document.root).into_iter().filter(|key| !is_varied(key)).collect()
}

/// The number of variants; `None` if it overflows.
pub fn combinations(settings: &[Setting]) -> Option<usize> {
    settings.iter().try_fold(1_usize, |count, setting| count.checked_mul(setting.values.len()))
}

/// Makes the variants; the last setting changes fastest. `around.path` is the path of their folder, with a `/` at its end.
///
/// Each is the text of the config, byte for byte, except for the varied keys, the places that a run writes to and its names in W&B, so that no two runs
/// overwrite each other, the step from which it resumes, and the metadata, which names the config that it is a variant of.
///
/// # Errors
/// If a key can't be set in the config's text.
pub fn sweep(around: Surroundings<'_>, base: &Base<'_>, settings: &[Setting]) -> Result<Vec<Variant>, String> {
    let own = judged(around, base, base.name, base.text);
    let mut rows: Vec<Vec<(&str, &str)>> = vec![Vec::new()];
    for setting in settings {
        let with = |row: &Vec<_>, value| row.iter().copied().chain([(&*setting.key, value)]).collect();
        rows = rows.iter().flat_map(|row| setting.values.iter().map(move |value| with(row, &**value))).collect();
    }
    let labels = labels(settings);
    let left_out = left_out(base.text, settings);
    let mut names = HashSet::new();
    rows.into_iter()
        .map(|row| {
            let label = distinct(&label(&labels, &row), &mut names);
            let text = text(base, around.stated, &row, &label, &left_out)?;
            let name = file_name(base.name, &label);
            let found = judged(around, base, &name, &text);
            let mut problems: Vec<Problem> =
                found.problems.into_iter().filter(|problem| !own.problems.contains(problem)).collect();
            if let Some((_, assessment)) = &found.memory
                && let Some(problem) = unfit(assessment)
            {
                problems.push(problem);
            }
            let values = row.into_iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
            Ok(Variant { name, values, text, problems, memory: found.memory })
        })
        .collect()
}

fn judged(around: Surroundings<'_>, base: &Base<'_>, name: &str, text: &str) -> Judged {
    let path = format!("{}{name}", around.path);
    judge::judge_text(Surroundings { path: &path, ..around }, Some(base.kind), base.hardware, text, None).0
}

/// The problem that a GPU does not, or may not, have enough memory.
fn unfit(assessment: &Assessment) -> Option<Problem> {
    let verdict = assessment.verdict();
    let how = match verdict {
        Verdict::Tight => "it may not fit",
        verdict if verdict.is_error() => "it does not fit",
        _ => return None,
    };
    Some(Problem { is_error: verdict.is_error(), sentence: format!("{how}: {}", full_gpu(assessment)) })
}

/// The text of a variant.
fn text(base: &Base<'_>, stated: Option<&str>, row: &[(&str, &str)], label: &str, left_out: &[String]) -> Result<String, String> {
    let broken = |_| format!("the metadata block of {} is invalid", base.name);
    let mut changes: Vec<Change> = row.iter().map(|(key, value)| Change::set(key, Literal::raw(*value))).collect();
    let (document, _) = cfg_syntax::parse(FileId(0), base.text, Dialect::Toml11);
    let is_varied = |key: &str| row.iter().any(|(varied, _)| *varied == key);
    let own_folder = match row.iter().find(|(key, _)| *key == "output_dir") {
        Some((_, value)) => value.trim_matches(['"', '\'']).to_owned(),
        None => format!("{}/{label}", base.output_dir.trim_end_matches('/')),
    };
    changes.extend(own_places(&document.root, base.output_dir, &own_folder, label, is_varied));
    changes.extend(left_out.iter().map(|key| Change::remove(key)));
    let rewriter = Rewriter::new(FileId(0), base.text, Dialect::Toml11);
    let rewriter = rewriter.ok_or_else(|| format!("{} is not valid TOML", base.name))?;
    let edits = rewriter.edits(&changes).ok();
    let new = edits.and_then(|edits| cfg_check::apply(base.text, &edits)).ok_or_else(|| {
        let keys: Vec<String> = row.iter().map(|(key, _)| format!("`{key}`")).collect();
        format!("{} can't be set in {}: a value or table with that name already exists", keys.join(" and "), base.name)
    })?;
    let values: Vec<String> = row.iter().map(|(key, value)| format!("{key} = {value}")).collect();
    let notes = format!("{} with {}", base.name, values.join(", "));
    let machine = base.hardware.map(in_words);
    let kind = base.kind.to_string();
    let mut members = vec![("notes", &*notes)];
    members.extend(base.version.map(|version| ("based_on", version)));
    members.extend(machine.as_deref().map(|machine| ("hardware", machine)));
    members.extend(stated.map(|target| ("prime_rl", target)));
    if base.states_kind {
        members.push(("kind", &kind));
    }
    let new = without_members(&new, &OF_A_VERSION).map_err(broken)?;
    with_members(&new, &members).map_err(broken)
}

/// The name of each setting in file names: the shortest end of its key that no other setting has.
fn labels(settings: &[Setting]) -> Vec<String> {
    let end = |key: &str, parts: usize| {
        let all: Vec<&str> = key.split('.').collect();
        all[all.len().saturating_sub(parts)..].join(".")
    };
    let is_own = |setting: &Setting, parts: usize| {
        let own = end(&setting.key, parts);
        settings.iter().filter(|other| end(&other.key, parts) == own).count() == 1
    };
    let shortest = |setting: &Setting| {
        let most = setting.key.split('.').count();
        (1..=most).find(|parts| is_own(setting, *parts)).unwrap_or(most)
    };
    settings.iter().map(|setting| end(&setting.key, shortest(setting))).collect()
}

/// The label that distinguishes a variant from the others: `lr1e-6-group_size8`, with characters that every file system and shell accepts.
fn label(labels: &[String], row: &[(&str, &str)]) -> String {
    let is_plain = |character: &char| character.is_ascii_alphanumeric() || matches!(character, '.' | '_' | '-' | '+');
    let one = |(label, (_, value)): (&String, &(&str, &str))| {
        let value = value.trim_matches(['"', '\'']);
        let text: String = format!("{label}{value}").chars().map(|c| if is_plain(&c) { c } else { '_' }).collect();
        text
    };
    let parts: Vec<String> = labels.iter().zip(row).map(one).collect();
    parts.join("-").chars().take(LONGEST_LABEL).collect()
}

/// The same label, with a number if another variant has it.
fn distinct(label: &str, taken: &mut HashSet<String>) -> String {
    let numbered = (2_u32..).map(|number| format!("{label}-{number}"));
    let name = std::iter::once(label.to_owned()).chain(numbered).find(|name| !taken.contains(&name.to_ascii_lowercase()));
    let name = name.unwrap_or_default();
    taken.insert(name.to_ascii_lowercase());
    name
}

/// `rl-lr1e-6.toml` for `rl.toml`.
fn file_name(base: &str, label: &str) -> String {
    format!("{}-{label}.toml", base.strip_suffix(".toml").unwrap_or(base))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{Setting, distinct, file_name, label, labels, left_out};

    fn setting(key: &str) -> Setting {
        Setting { key: key.to_owned(), values: Vec::new() }
    }

    #[test]
    fn a_name_has_the_shortest_end_of_each_key() {
        let settings = ["trainer.optim.lr", "orchestrator.group_size", "trainer.model.name", "inference.model.name"].map(setting);
        let labels = labels(&settings);
        assert_eq!(labels, ["lr", "group_size", "trainer.model.name", "inference.model.name"]);
        let row = [("trainer.optim.lr", "1e-6"), ("orchestrator.group_size", "8"), ("", "\"Qwen/Qwen3 4B\""), ("", "'ä'")];
        assert_eq!(label(&labels, &row), "lr1e-6-group_size8-trainer.model.nameQwen_Qwen3_4B-inference.model.name_");
        assert_eq!(file_name("rl.toml", "lr1e-6"), "rl-lr1e-6.toml");
    }

    #[test]
    fn only_the_varied_step_is_kept() {
        let text = "[ckpt]\nresume_step = 5\n[resume]\nstep = 5\n";
        let left = |key: &str| left_out(text, &[setting(key)]);
        assert_eq!(left("ckpt.resume_step"), ["resume"]);
        assert_eq!(left("resume.step"), ["ckpt.resume_step"]);
        assert_eq!(left("resume_other"), ["ckpt.resume_step", "resume"]);
    }

    #[test]
    fn no_two_files_have_one_name() {
        let mut taken = HashSet::new();
        let names = ["a", "A", "a", "b"].map(|name| distinct(name, &mut taken));
        assert_eq!(names, ["a", "A-2", "a-3", "b"]);
    }
}
