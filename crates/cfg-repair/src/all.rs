//! Makes all repairs of a text at once.

use std::collections::HashMap;

use cfg_check::Checked;
use cfg_diag::{Applicability, Diagnostic, FileId, Fix, Severity};

use crate::{
    Wanted,
    follow::is_complete,
    proposals::{Proposals, lacks_table},
    search::{Follows, Proposal, RepairSearch, places_of_kept, takes_away},
    trial::{Left, State, Trials},
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
    let mut now = State::new(text.to_owned(), checked);
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
            let fixes = proposals
                .of(found)
                .into_iter()
                .filter(|fix| allows(found.severity, fix.applicability) && is_complete(fix, &now.text));
            let fixes = fixes.take(MAX_PROPOSALS);
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

/// The largest number of proposals of one finding that are tried.
const MAX_PROPOSALS: usize = 4;

#[cfg(test)]
mod tests {
    use cfg_check::{Checked, Project, Session};
    use cfg_diag::{Applicability, Diagnostic, Severity};
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
            (format!("{head}[orchestrator.env]\nid = [3, 4]\n"), Some("PRL104 at `orchestrator.env[0].id`")),
            (format!("{head}[orchestrator.samplling]\nmax_tokens = 5\n"), None),
        ] {
            let (title, applicability) = offered("0.4.0", &text).expect("a fix");
            assert_eq!(code.is_some_and(|code| title.contains(code)), code.is_some(), "{title}");
            assert_eq!(applicability == Applicability::Unsafe, code.is_some(), "{title}");
        }
        // An accepted config must not be refused after a fix.
        let ignored = "[trainer.optim]\nlrr = \"x\"\n[orchestrator]\n";
        assert_eq!(offered("0.4.0", ignored), None);
        // With a value that its new name takes, it is accepted again.
        let of_rate = "[trainer.optim]\nweight_decy = \"1%\"\n[orchestrator]\n";
        assert!(offered("0.4.0", of_rate).is_some_and(|(title, _)| title.contains("weight_decay") && title.contains("0.01")));
        let Repaired { text: new, .. } = repaired("0.4.0", of_rate, Applicability::Unsafe);
        assert!(new.contains("weight_decay = 0.01"), "{new}");
        let text = "[orchestrator]\nbatch_sise = 0\n[trainer]\n";
        // Only a person can correct the value.
        let Repaired { text: new, count, left, .. } = repaired("0.4.0", text, Applicability::Unsafe);
        assert!(
            matches!(&left[0].why, Why::Reveals(code, Some(key)) if code.code == "PRL106" && key == "orchestrator.batch_size")
        );
        assert_eq!((&*new, count), (text, 0));
    }

    #[test]
    fn what_a_fix_brings_to_light_is_fixed_with_it() {
        let head = "max_steps = 100\n[trainer]\n[orchestrator]\n";
        let source = "[[orchestrator.train.source]]\nname = \"a\"\nenv.taskset.id = \"a\"\n";
        for (text, written) in [
            ("[loss]\nkl_tau = \"0.5\"\nmask_low = 0.1\n".to_owned(), &["[trainer.loss]", "dppo_mask_low = 0.1"][..]),
            // The tag decides which keys its table has.
            (
                "[algo]\nname = \"opd\"\n[algo.teacher]\nmodel = \"x/y\"\nbase_url = \"http://h:1/v1\"\n".to_owned(),
                &["[orchestrator.algo]\ntype = \"opd\"", "[orchestrator.algo.teacher]\nname = \"x/y\""],
            ),
            // Neither works without the other, and their edits touch.
            (
                "[teacher]\nmodel = \"x/y\"\nbase_url = \"http://h:1/v1\"\n[orchestrator.algorithm]\ntype = \"opd\"\n".to_owned(),
                &["[orchestrator.algo.teacher]", "name = \"x/y\"", "type = \"opd\""],
            ),
        ] {
            let whole = format!("{head}{source}{text}");
            let Repaired { text: new, checked, .. } = repaired("main", &whole, Applicability::Unsafe);
            let errors: Vec<&Diagnostic> = checked.diagnostics.iter().filter(|found| found.severity == Severity::Error).collect();
            assert!(errors.is_empty(), "{errors:?}\n{new}");
            assert!(written.iter().all(|line| new.contains(line)), "{new}");
        }
        // The rest of a line that was not read.
        let sft = "max_steps: 5 // few\n";
        let Repaired { text: new, .. } =
            repaired("main", &format!("{sft}{head}{source}").replace("max_steps = 100\n", ""), Applicability::Unsafe);
        assert!(new.starts_with("max_steps = 5 #"), "{new}");
    }

    #[test]
    fn keys_of_a_moved_table_are_moved_to_their_places() {
        let text = "[trainer]\n[[orchestrator.eval.env]]\nid = \"x\"\n[[orchestrator.train.env]]\nid = \"y\"\nargs = { a = 1 }\n";
        let Repaired { text: new, count, left, .. } = repaired("0.8.0", text, Applicability::Safe);
        assert_eq!((count, left.len()), (2, 0), "{new}");
        assert!(!new.contains(".env]]") && new.matches(".legacy]\n").count() == 2, "{new}");
    }

    /// That a text has no error once it is repaired, and these lines.
    fn keeps(target: &str, text: &str, written: &[&str]) {
        let Repaired { text: new, checked, .. } = repaired(target, text, Applicability::Unsafe);
        let errors: Vec<&str> =
            checked.diagnostics.iter().filter(|found| found.severity == Severity::Error).map(|found| &*found.message).collect();
        assert!(errors.is_empty(), "{errors:?}\n{new}");
        assert!(written.iter().all(|line| new.contains(line)), "{new}");
    }

    #[test]
    fn what_has_another_form_here_keeps_its_meaning() {
        let source = "[[orchestrator.train.source]]\nlegacy = { id = \"a\" }\n";
        let sources = format!("[trainer]\n[orchestrator]\nbatch_size = 64\n{source}");
        let main = sources.replace("legacy = { id = \"a\" }", "env.taskset.id = \"a\"");
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
            (
                "main",
                sources.replace(source, "[orchestrator.train]\nsource = [\"a\", \"b\"]\nratio = [0.7, 0.3]\n"),
                &["{ env.taskset.id = \"a\", ratio = 0.7 }, { env.taskset.id = \"b\", ratio = 0.3 }"],
            ),
            // What is said of the evaluations, and of one of them.
            (
                "main",
                format!("{main}[orchestrator.eval]\nat_start = false\n[[orchestrator.eval.source]]\nenv.taskset.id = \"b\"\nnum_rollouts = 4\n"),
                &["skip_first_step = true", "env.taskset.id = \"b\"\ngroup_size = 4"],
            ),
            ("main", format!("trainer_gpus = 2\ninference_gpus = 2\n{main}[inference.parallel]\ntp = 2\n"), &["num_train_gpus = 2", "num_infer_gpus = 2"]),
            // The schedule that is chosen by another name has the warmup as well.
            ("main", format!("max_steps = 100\n{}", main.replace("[trainer]\n", "[trainer]\nlr_scheduler = \"cosine\"\nwarmup_steps = 5\n")), &["type = \"cosine\"\nwarmup_steps = 5"]),
            ("0.8.0", format!("{sources}[orchestrator.concurrency]\ninitial_inflight = 64\nmax_inflight = 256\n"), &["max_inflight_episodes = 256"]),
            // A name that has all words of the missing one, in the same table.
            (
                "main",
                format!("{main}[orchestrator.train.source.algo]\ntype = \"opd\"\n[orchestrator.train.source.algo.teacher_model]\nname = \"x/y\"\nbase_url = \"http://h:1/v1\"\n"),
                &["[orchestrator.train.source.algo.teacher]"],
            ),
            (
                "0.7.0",
                "[trainer]\n[trainer.model.quantization]\ntype = \"fp8\"\n[orchestrator]\n[[orchestrator.train.env]]\nid = \"a\"\n".to_owned(),
                &["fp8 = true"],
            ),
            (
                "0.5.0",
                "[trainer]\n[orchestrator]\n[orchestrator.algo]\ntype = \"grpo\"\n[[orchestrator.train.env]]\nid = \"a\"\nargs = { n = 1 }\nratio = 1.0\n".to_owned(),
                &["type = \"default\"", "args = { n = 1 }"],
            ),
            ("0.7.0", "[trainer]\n[trainer.model.fp8]\nenabled = true\n[orchestrator]\n[[orchestrator.train.env]]\nid = \"a\"\n".to_owned(), &["fp8 = true"]),
            // What is on by default is not off without its key.
            ("main", main.replace("[trainer]\n", "[trainer]\n[trainer.model]\ncompile = false\n"), &["compile = \"None\""]),
            (
                "main",
                main.replace("[trainer]\n", "[trainer]\n[trainer.model]\nac = false\n"),
                &["ac = \"None\"", "ac_offloading = \"None\""],
            ),
            ("main", main.replace("[trainer]\n", "[trainer]\n[trainer.optim]\nbetas = \"0.9, 0.95\"\n"), &["betas1 = 0.9", "betas2 = 0.95"]),
            ("0.8.0", format!("{sources}[inference]\nreasoning = \"qwen3\"\n"), &["reasoning_parser = \"qwen3\""]),
            // What is written stays: the table that it needs comes with it.
            (
                "0.6.0",
                "[trainer]\n[orchestrator]\n[[orchestrator.train.env]]\nid = \"a\"\n[inference]\n[deployment]\ntype = \"multi_node\"\nnum_train_nodes = 1\nnum_infer_nodes = 1\n".to_owned(),
                &["type = \"multi_node\"", "slurm"],
            ),
        ] {
            keeps(target, &text, written);
        }
    }

    #[test]
    fn tables_and_lists_of_another_form_keep_their_values() {
        let source = "[[orchestrator.train.source]]\nlegacy = { id = \"a\" }\n";
        let sources = format!("[trainer]\n[orchestrator]\nbatch_size = 64\n{source}");
        let main = sources.replace("legacy = { id = \"a\" }", "env.taskset.id = \"a\"");
        for (target, text, written) in [
            // What is on by default is not off without another word for it either.
            (
                "main",
                main.replace("[trainer]\n", "[trainer]\n[trainer.model]\nactivation_offloading = false\n"),
                &["ac_offloading = \"None\""][..],
            ),
            // A key of a later prime-rl, one table too deep there; and one that has nothing of the same meaning.
            (
                "0.5.0",
                "[trainer]\n[orchestrator]\n[orchestrator.train]\ngroup_size = 8\n[orchestrator.train.sampling]\ntemperature = 0.5\n[[orchestrator.env]]\nid = \"a\"\n"
                    .to_owned(),
                &["rollouts_per_example = 8", "temperature = 0.5"],
            ),
            (
                "main",
                main.replace("env.taskset.id = \"a\"", "environment = { taskset = { id = \"a\" } }"),
                &["env = { taskset = { id = \"a\" } }"],
            ),
            // A switch of its own for what others have as a table, and another word in a table that is gone.
            ("main", format!("{main}[inference.parallel]\ntensor = 2\n[deployment]\nnum_infer_gpus = 2\n"), &["tensor_parallel_size = 2"]),
            ("main", main.replace("[trainer]\n", "[trainer]\n[trainer.token_export]\nenabled = true\n"), &["enable_token_export = true"]),
            // A table that does not name its package calls the name otherwise; what else is in it is the package's.
            (
                "main",
                main.replace("env.taskset.id = \"a\"", "[orchestrator.train.source.taskset]\nname = \"a\"\nsplit = \"train\""),
                &["[orchestrator.train.source.env.taskset]\nid = \"a\"\nsplit = \"train\""],
            ),
            // The arguments of a package are those of the environment that it was.
            (
                "0.5.0",
                "[trainer]\n[orchestrator]\n[[orchestrator.train.source]]\nenv.taskset = { id = \"a\", split = \"train\" }\n".to_owned(),
                &["id = \"a\"", "split = \"train\""],
            ),
            (
                "0.5.0",
                "[trainer]\n[orchestrator]\n[orchestrator.environments.a]\nargs = { n = 1 }\n[orchestrator.environments.b]\nargs = { n = 2 }\n"
                    .to_owned(),
                &["env = [{ id = \"a\", args = { n = 1 } }, { id = \"b\", args = { n = 2 } }]"],
            ),
            (
                "0.8.0",
                sources.replace(source, "[[orchestrator.train.envs]]\nenvironment = \"a\"\nargs.split = \"train\"\n"),
                &["legacy.id = \"a\"", "legacy.args.split = \"train\""],
            ),
            ("main", main.replace("[trainer]\n", "[trainer]\n[trainer.optim]\nmax_norm = \"off\"\n"), &["max_norm = \"None\""]),
            ("main", format!("{main}[inference.vllm]\nquantization = \"none\"\n"), &["quantization = \"None\""]),
        ] {
            keeps(target, &text, written);
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
