//! Makes all repairs of a text at once.

use std::collections::{BTreeMap, HashMap, HashSet};

use cfg_check::Checked;
use cfg_diag::{Applicability, Diagnostic, Does, Edit, FileId, Fix, Order, Severity};

use crate::{
    Wanted, consequences,
    follow::Behind,
    offer::lost_values,
    proposals::{Proposals, lacks_table},
    trial::{Left, Name, State, Touching, Trials, Why, apart, attempt, name},
};

/// A text after its repairs.
pub struct Repaired {
    /// The text.
    pub text: String,
    /// How many findings were repaired.
    pub count: usize,
    /// The repairs, in the order in which they were made.
    pub steps: Vec<Step>,
    /// The check results of the new text.
    pub checked: Checked,
    /// The proposed repairs that were not made.
    pub left: Vec<Left>,
}

/// Repairs that were made at once.
pub struct Step {
    /// The text before them, in which their edits are.
    pub before: String,
    /// The repairs, each with its finding.
    pub made: Vec<(Diagnostic, Fix)>,
}

/// Makes repairs until no further one improves the text. `checked` has its current results, `check` checks another text, and `allows`
/// decides by the severity of a finding which of its repairs are wanted.
///
/// Repairs that don't work alone are tried together. A repair that brings an older fault to light is made if that can be repaired with it; otherwise a person
/// has to correct it. Every step reduces the number of findings, or their severity; therefore this ends, and a second run changes nothing.
pub fn repair_all(
    file: FileId,
    text: &str,
    checked: Checked,
    allows: &dyn Fn(Severity, Applicability) -> bool,
    check: &dyn Fn(&str) -> Checked,
) -> Repaired {
    let mut now = State { text: text.to_owned(), checked, revealed: Vec::new(), lighter: Vec::new() };
    let mut steps: Vec<Step> = Vec::new();
    let left = loop {
        let proposals = Proposals::new(file, &now.text, &now.checked);
        if !proposals.are_there(Wanted::First) {
            break Vec::new();
        }
        // The most certain proposal of each finding, and those that are tried if no repair is made with these.
        let found = now.checked.diagnostics.iter();
        let mut ranks: Vec<Vec<Proposal<'_>>> = Vec::new();
        for found in found {
            let fixes =
                proposals.of(found).into_iter().filter(|fix| allows(found.severity, fix.applicability)).take(MAX_PROPOSALS);
            for (rank, fix) in fixes.enumerate() {
                if ranks.len() <= rank {
                    ranks.push(Vec::new());
                }
                ranks[rank].push(Proposal { found, fix });
            }
        }
        let mut ranks = ranks.into_iter();
        let wanted = ranks.next().unwrap_or_default();
        let mut step = RepairSearch {
            file,
            allows,
            follows: Follows::Nothing,
            now: &now,
            may_change: allows(Severity::Error, Applicability::Unsafe),
            check,
            trials: Trials::of(&now.text, &now.checked),
            refused: HashMap::new(),
        };
        // A header alone is added once nothing else makes its table, and a table is removed once nothing in it can be put right.
        let kept = places_of_kept(&wanted);
        let (added, wanted): (Vec<_>, Vec<_>) =
            wanted.into_iter().partition(|proposal| lacks_table(proposal.found) || takes_away(&proposal.fix, &kept));
        let others: Vec<Vec<Proposal<'_>>> = ranks.collect();
        match step.best(&wanted, &others, &added) {
            Some((better, made)) => {
                now = better;
                steps.extend(made);
            }
            None => break wanted.iter().chain(&added).map(|proposal| step.left(proposal)).collect(),
        }
    };
    let count = steps.iter().map(|step| step.made.len()).sum();
    Repaired { text: now.text, count, steps, checked: now.checked, left }
}

/// The largest number of combinations that are tried if no repair works alone.
const MAX_COMBINATIONS: usize = 32;

/// The largest number of proposals of one finding that are tried.
const MAX_PROPOSALS: usize = 4;

/// A wanted repair.
#[derive(Clone)]
struct Proposal<'a> {
    found: &'a Diagnostic,
    fix: Fix,
}

/// The repairs that lose nothing.
fn keeping<'a>(rank: &[Proposal<'a>]) -> Vec<Proposal<'a>> {
    let keeps = |proposal: &&Proposal<'_>| proposal.fix.lost.is_none() && proposal.fix.does != Does::Remove;
    rank.iter().filter(keeps).cloned().collect()
}

/// Where the findings begin whose repairs keep what is written, in the order of the text.
fn places_of_kept(wanted: &[Proposal<'_>]) -> Vec<u32> {
    let kept = wanted.iter().filter(|proposal| proposal.fix.does != Does::Remove);
    let mut places: Vec<u32> = kept.filter_map(|proposal| Some(proposal.found.location?.span.start)).collect();
    places.sort_unstable();
    places
}

/// Whether a repair removes what others keep, whose findings begin at these places.
fn takes_away(fix: &Fix, kept: &[u32]) -> bool {
    let has = |edit: &Edit| {
        let next = kept.partition_point(|place| *place < edit.location.span.start);
        kept.get(next).is_some_and(|place| *place < edit.location.span.end)
    };
    fix.does == Does::Remove && fix.edits.iter().any(has)
}

/// The key, from the root, under which the value of a refused one is to be written.
fn new_key(found: &Diagnostic) -> Option<String> {
    let (own, new) = (found.key.as_deref()?, found.choices.first()?);
    let owner = own.rsplit_once('.').map(|(owner, _)| owner).unwrap_or_default();
    // A name without a table is one of the same table.
    Some(if new.contains('.') || owner.is_empty() { new.clone() } else { format!("{owner}.{new}") })
}

/// A better text, and the repairs that made it so.
type Better = (State, Vec<Step>);

fn made(batch: &[&Proposal<'_>]) -> Vec<(Diagnostic, Fix)> {
    batch.iter().map(|proposal| (proposal.found.clone(), proposal.fix.clone())).collect()
}

/// Whether a repair is made together with those of what it brings to light.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Follows {
    Nothing,
    /// If each value is still written afterwards.
    Keeping,
    Everything,
}

/// The search for repairs that improve one text.
struct RepairSearch<'a> {
    file: FileId,
    allows: &'a dyn Fn(Severity, Applicability) -> bool,
    /// Whether what comes to light is repaired as well.
    follows: Follows,
    now: &'a State,
    /// Whether repairs may change values that they are not meant to change.
    may_change: bool,
    check: &'a dyn Fn(&str) -> Checked,
    trials: Trials,
    refused: HashMap<Name, Why>,
}

impl RepairSearch<'_> {
    /// The best text that some of the first repairs, `wanted`, or of the `others` lead to. Those that lose nothing come first; headers are added last.
    fn best(&mut self, wanted: &[Proposal<'_>], others: &[Vec<Proposal<'_>>], added: &[Proposal<'_>]) -> Option<Better> {
        let kept: Vec<Vec<Proposal<'_>>> = others.iter().map(|rank| keeping(rank)).collect();
        let mut found = self.better_with_the_certain(wanted).or_else(|| kept.iter().find_map(|rank| self.better(rank)));
        for follows in [Follows::Keeping, Follows::Everything] {
            self.follows = follows;
            found = found.or_else(|| self.better(wanted)).or_else(|| kept.iter().find_map(|rank| self.better(rank)));
        }
        self.follows = Follows::Nothing;
        found.or_else(|| others.iter().find_map(|rank| self.better(rank))).or_else(|| self.better(added))
    }

    /// As [`Self::better`]: first without guesses that would take the place to which another key certainly belongs.
    fn better_with_the_certain(&mut self, wanted: &[Proposal<'_>]) -> Option<Better> {
        let is_certain = |proposal: &&Proposal<'_>| proposal.fix.applicability != Applicability::Unsafe;
        let taken: HashSet<String> = wanted.iter().filter(is_certain).filter_map(|proposal| new_key(proposal.found)).collect();
        let is_guess =
            |proposal: &Proposal<'_>| !is_certain(&proposal) && new_key(proposal.found).is_some_and(|key| taken.contains(&key));
        if wanted.iter().any(is_guess) {
            let others: Vec<Proposal<'_>> = wanted.iter().filter(|proposal| !is_guess(proposal)).cloned().collect();
            if let Some(better) = self.better(&others) {
                return Some(better);
            }
        }
        self.better(wanted)
    }

    /// The text with as many repairs as possible, and these; `None` if none improves it.
    fn better(&mut self, wanted: &[Proposal<'_>]) -> Option<Better> {
        let mut waiting: Vec<&Proposal<'_>> = wanted.iter().collect();
        waiting.order_by_key(|proposal| proposal.fix.edits[0].location.span);
        while !waiting.is_empty() {
            let (batch, rest) = apart(waiting, |proposal| &proposal.fix.edits, Touching::None);
            if let Some(better) = self.within(&batch) {
                return Some(better);
            }
            waiting = rest;
        }
        self.together(wanted)
    }

    /// The repairs of a batch that improve the text: all of them, or those of one half.
    fn within(&mut self, batch: &[&Proposal<'_>]) -> Option<Better> {
        match self.attempt(batch) {
            Ok(better) => return Some(better),
            Err(why) => {
                if let [one] = batch {
                    let first = self.refused.entry(name(one.found)).or_insert_with(|| why.clone());
                    if why.says_more_than(first) {
                        *first = why;
                    }
                }
            }
        }
        if batch.len() < 2 {
            return None;
        }
        let (first, second) = batch.split_at(batch.len() / 2);
        self.within(first).or_else(|| self.within(second))
    }

    /// Repairs that do not work alone: those of one table, then those of two findings.
    fn together(&mut self, wanted: &[Proposal<'_>]) -> Option<Better> {
        let mut by_table: BTreeMap<&str, Vec<&Proposal<'_>>> = BTreeMap::new();
        for proposal in wanted {
            let key = proposal.found.key.as_deref().unwrap_or_default();
            for (end, _) in key.match_indices('.') {
                by_table.entry(&key[..end]).or_default().push(proposal);
            }
        }
        let of_tables = by_table.into_values().filter(|group| group.len() > 1);
        let pairs = (1..wanted.len())
            .flat_map(|distance| (distance..wanted.len()).map(move |second| vec![&wanted[second - distance], &wanted[second]]));
        for mut group in of_tables.chain(pairs).take(MAX_COMBINATIONS) {
            group.order_by_key(|proposal| proposal.fix.edits[0].location.span);
            if self.trials.are_used_up() {
                return None;
            }
            let (batch, rest) = apart(group, |proposal| &proposal.fix.edits, Touching::None);
            if rest.is_empty()
                && let Ok(better) = self.attempt(&batch)
            {
                return Some(better);
            }
        }
        None
    }

    /// The text with these repairs, and with those of what they bring to light.
    fn attempt(&mut self, batch: &[&Proposal<'_>]) -> Result<Better, Why> {
        if !self.trials.take() {
            return Err(Why::Untried);
        }
        let fixes: Vec<(&Diagnostic, &Fix)> = batch.iter().map(|proposal| (proposal.found, &proposal.fix)).collect();
        let after = attempt(&self.now.text, &self.now.checked, &fixes, self.check)?;
        let revealed = after.revealed.first().and_then(|name| after.find(name));
        let (better, behind) = match revealed {
            None => (after, Vec::new()),
            Some((code, key)) if self.follows == Follows::Nothing => return Err(Why::Reveals(code, key)),
            Some((code, key)) => {
                let allows = |severity, fix: &Fix| (self.allows)(severity, fix.applicability);
                let behind = Behind { file: self.file, allows: &allows, check: self.check };
                let whole = behind.repair(&after, &mut self.trials);
                let keeps = |text: &str| self.follows == Follows::Everything || lost_values(&self.now.text, text) == 0;
                whole.filter(|(whole, _)| keeps(&whole.text)).ok_or(Why::Reveals(code, key))?
            }
        };
        if !self.may_change {
            let behind = behind.iter().flat_map(|step| &step.made).map(|(_, fix)| fix);
            let fixes: Vec<&Fix> = batch.iter().map(|proposal| &proposal.fix).chain(behind).collect();
            if let Some(key) = consequences::others(&fixes, &self.now.checked, &better.checked).first() {
                return Err(Why::Changes(key.clone()));
            }
        }
        let first = Step { before: self.now.text.clone(), made: made(batch) };
        Ok((better, std::iter::once(first).chain(behind).collect()))
    }

    fn left(&self, proposal: &Proposal<'_>) -> Left {
        let Proposal { found, fix } = proposal;
        Left::new(found, fix, self.refused.get(&name(found)).cloned().unwrap_or(Why::Untried))
    }
}

#[cfg(test)]
mod tests {
    use cfg_check::{Checked, Project, Session};
    use cfg_diag::{Applicability, Severity};
    use cfg_schema::Target;

    use super::{Repaired, repair_all};
    use crate::{Subject, Wanted, Why, offer_all};

    /// What comes of a text, with the check that its repairs are judged by.
    fn tried<T>(target: &str, act: impl FnOnce(&dyn Fn(&str) -> Checked) -> T) -> T {
        let (session, project) = (Session::default(), Project::default());
        let target = Target::parse(session.history, target).ok();
        assert!(target.is_some());
        let subject = Subject { target, ..Subject::new(&session, "rl.toml", &project) };
        act(&|text: &str| subject.check(text, Vec::new()))
    }

    fn repaired(target: &str, text: &str, wanted: Applicability) -> Repaired {
        let allows = |_, applicability| applicability == Applicability::Safe || applicability == wanted;
        tried(target, |check| repair_all(Subject::FILE, text, check(text), &allows, check))
    }

    #[test]
    fn a_fix_that_causes_an_error_is_not_made_and_has_a_reason() {
        let text = "seq_len = 4_096x\n[trainer]\n[orchestrator]\n";
        let Repaired { text: new, count, left, .. } = repaired("0.4.0", text, Applicability::Unsafe);
        assert_eq!((&*new, count, left.len()), (text, 0, 1));
        assert!(matches!(&left[0].why, Why::Brings(code, Some(key)) if code.code == "PRL105" && key == "seq_len"), "{left:?}");
    }

    #[test]
    fn a_header_that_is_not_added_has_a_reason() {
        // With both tables, their lengths are compared.
        let text = "[orchestrator]\nseq_len = 4096\n[orchestrator.model]\nname = \"a/b\"\n";
        let Repaired { text: new, left, .. } = repaired("0.4.0", text, Applicability::Unsafe);
        assert_eq!(new, text);
        assert!(left.iter().any(|left| left.title == "add `[trainer]`"), "{left:?}");
    }

    #[test]
    fn a_fix_that_brings_an_older_fault_to_light_names_it_and_is_not_safe() {
        let offered = |target: &str, text: &str| {
            tried(target, |check| {
                let mut checked = check(text);
                offer_all(Subject::FILE, text, &mut checked, Wanted::First, Severity::Info, check);
                checked.diagnostics.into_iter().find_map(|found| found.fix).map(|fix| (fix.title, fix.applicability))
            })
        };
        let head = "[trainer]\n[orchestrator]\n";
        for (text, code) in [
            ("[orchestrator]\nbatch_sise = 0\n[trainer]\n".to_owned(), Some("PRL106 at `orchestrator.batch_size`")),
            (
                format!("{head}[orchestrator.samplling]\nmax_tokens = \"x\"\n"),
                Some("PRL105 at `orchestrator.sampling.max_tokens`"),
            ),
            (format!("{head}[orchestrator.env]\nid = 3\n"), Some("PRL104 at `orchestrator.env[0].id`")),
            (format!("{head}[orchestrator.samplling]\nmax_tokens = 5\n"), None),
        ] {
            let (title, applicability) = offered("0.4.0", &text).expect("a fix");
            assert_eq!(code.is_some_and(|code| title.contains(code)), code.is_some(), "{title}");
            assert_eq!(applicability == Applicability::Unsafe, code.is_some(), "{title}");
        }
        // An accepted config must not be refused after a fix.
        let ignored = "[trainer.optim]\nlrr = \"x\"\n[orchestrator]\n";
        assert_eq!(offered("0.4.0", ignored), None);
        let text = "[orchestrator]\nbatch_sise = 0\n[trainer]\n";
        // Only a person can correct the value.
        let Repaired { text: new, count, left, .. } = repaired("0.4.0", text, Applicability::Unsafe);
        assert!(
            matches!(&left[0].why, Why::Reveals(code, Some(key)) if code.code == "PRL106" && key == "orchestrator.batch_size")
        );
        assert_eq!((&*new, count), (text, 0));
    }

    #[test]
    fn keys_of_a_moved_table_are_moved_to_their_places() {
        let text = "[trainer]\n[[orchestrator.eval.env]]\nid = \"x\"\n[[orchestrator.train.env]]\nid = \"y\"\nargs = { a = 1 }\n";
        let Repaired { text: new, count, left, .. } = repaired("0.8.0", text, Applicability::Safe);
        assert_eq!((count, left.len()), (2, 0), "{new}");
        assert!(!new.contains(".env]]") && new.matches(".legacy]\n").count() == 2, "{new}");
    }

    #[test]
    fn what_has_another_form_here_keeps_its_meaning() {
        let source = "[[orchestrator.train.source]]\nlegacy = { id = \"a\" }\n";
        let sources = format!("[trainer]\n[orchestrator]\nbatch_size = 64\n{source}");
        for (target, text, written) in [
            // Of a table whose one setting is written already, the others are kept.
            (
                "0.8.0",
                format!("{sources}[grpo]\nnum_prompts_per_step = 8\nnum_generations_per_prompt = 16\n"),
                &["group_size = 16", "batch_size = 64"][..],
            ),
            ("0.8.0", format!("{sources}[cluster]\ngpus_per_node = 4\n"), &["[deployment]\ngpus_per_node = 4"]),
            (
                "0.8.0",
                format!("{sources}[inference]\nignore_eos = true\nstop_token_ids = [1]\n"),
                &["[orchestrator.train.sampling.extra_body]\n", "ignore_eos = true", "stop_token_ids = [1]"],
            ),
            (
                "0.5.0",
                "[trainer]\n[orchestrator]\n[orchestrator.env.a]\nargs = { n = 1 }\n[orchestrator.env.b]\n".to_owned(),
                &["env = [{ id = \"a\", args = { n = 1 } }, { id = \"b\" }]"],
            ),
            (
                "0.8.0",
                "[trainer]\n[orchestrator]\n[orchestrator.train.source.a]\nweight = 0.5\n[orchestrator.train.source.b]\nweight = 0.5\n"
                    .to_owned(),
                &["source = [{ legacy.id = \"a\", ratio = 0.5 }, { legacy.id = \"b\", ratio = 0.5 }]"],
            ),
            (
                "0.5.0",
                "[trainer]\n[orchestrator]\n[orchestrator.eval]\nbenchmarks = [\"x\", \"y\"]\n".to_owned(),
                &["env = [{ id = \"x\" }, { id = \"y\" }]"],
            ),
            (
                "main",
                format!("{}num_workers = 8\n", sources.replace("legacy = { id = \"a\" }", "env = { taskset = { id = \"a\" } }")),
                &["num_workers = 8", "type = \"static\"", "pool]"],
            ),
        ] {
            let Repaired { text: new, checked, .. } = repaired(target, &text, Applicability::Unsafe);
            let errors: Vec<&str> = checked
                .diagnostics
                .iter()
                .filter(|found| found.severity == Severity::Error)
                .map(|found| &*found.message)
                .collect();
            assert!(errors.is_empty(), "{errors:?}\n{new}");
            assert!(written.iter().all(|line| new.contains(line)), "{new}");
        }
    }

    #[test]
    fn many_fixes_are_tried_together() {
        let tables = |count: usize| -> String {
            let table = |at: usize| format!("[[orchestrator.env]]\nid = \"a/b{at}\"\nname = \"n{at}\"\nragss = {{}}\n");
            (0..count).map(|at| table(at).replace("ragss", "agrs")).collect()
        };
        for (count, faulty, most) in [(100, "", 1), (100, "[trainer.optim]\nlrr = \"x\"\n", 16), (8, "", 8)] {
            let text = format!("[trainer]\n{faulty}[orchestrator]\n{}", tables(count)).replace("[trainer]\n[trainer", "[trainer");
            let (fixes, checks) = tried("0.4.0", |check| {
                let mut checked = check(&text);
                let checks = std::cell::Cell::new(0);
                let counted = |text: &str| {
                    checks.set(checks.get() + 1);
                    check(text)
                };
                offer_all(Subject::FILE, &text, &mut checked, Wanted::First, Severity::Info, &counted);
                (checked.diagnostics.iter().filter(|found| found.fix.is_some()).count(), checks.get())
            });
            assert_eq!(fixes, count, "{faulty}");
            assert!(checks <= most, "{checks} checks for {count} fixes");
        }
    }
    #[test]
    fn fixes_of_what_is_not_shown_are_not_tried() {
        let text =
            "max_steps = 200\n[ckpt]\n[trainer]\n[orchestrator]\nrollouts_per_example = 8\n[[orchestrator.env]]\nid = \"a/b\"\n";
        for (shown, fixes) in [(Severity::Info, 1), (Severity::Warning, 0)] {
            let (found, checks) = tried("0.4.0", |check| {
                let mut checked = check(text);
                let checks = std::cell::Cell::new(0);
                let counted = |text: &str| {
                    checks.set(checks.get() + 1);
                    check(text)
                };
                offer_all(Subject::FILE, text, &mut checked, Wanted::First, shown, &counted);
                let fixes = checked.diagnostics.iter().filter(|found| found.fix.is_some());
                (fixes.map(|found| found.code.code).collect::<Vec<_>>(), checks.get())
            });
            assert_eq!((found.len(), checks), (fixes, fixes), "{found:?}");
        }
    }
}
