//! What affects a config's fingerprint, and what doesn't.

use cfg_check::{Checked, Request, Session, check};
use cfg_registry::fingerprint::{Cause, Class, Difference, Fingerprint, Level, Meaning, Outcome, Recorded, compare, outcome};
use cfg_resolve::View;
use cfg_schema::History;
use cfg_tests::{Checking, configs_below, workspace};

fn meaning(checked: &Checked) -> Meaning {
    let kind = checked.kind.expect("its kind is known");
    let schema = History::built_in().schema(kind, checked.target.point);
    Meaning::new(&View::new(schema, checked.resolved.as_ref().expect("it was resolved")))
}

fn meaning_at(target: &str, text: &str) -> Meaning {
    meaning(&Checking::for_target(target).check(text))
}

fn fingerprint(text: &str) -> Fingerprint {
    Fingerprint::of_meaning(&meaning_at("0.2", text))
}

const CONFIG: &str = "\
max_steps = 100
seq_len = 4096
[model]
name = \"Qwen/Qwen3-8B\"
[trainer.optim]
lr = 1e-5
[trainer.model.lora]
rank = 8
[orchestrator]
batch_size = 128
rollouts_per_example = 8
[orchestrator.sampling]
max_tokens = 2048
[[orchestrator.env]]
id = \"reverse-text\"
args = { mode = \"tiered\", limit = 10 }
[inference]
gpu_memory_utilization = 0.9
[wandb]
name = \"run-v1\"
";

#[test]
fn spelling_order_comments_and_metadata_are_not_part_of_the_meaning() {
    let same = [
        // Comments and metadata.
        format!("# /// config\n# version = \"v3\"\n# ///\n# why\n{CONFIG}# the end\n"),
        // Numbers and strings.
        CONFIG.replace("1e-5", "0.000_01").replace("4096", "4_096").replace("\"run-v1\"", "'run-v1'").replace("0.9", "9e-1"),
        // Dotted keys, inline tables, another order.
        "wandb = { name = \"run-v1\" }\ninference.gpu_memory_utilization = 0.9\norchestrator.sampling.max_tokens = 2048\nseq_len = 4096\n\
         model.name = \"Qwen/Qwen3-8B\"\ntrainer = { optim.lr = 1e-5, model.lora.rank = 8 }\nmax_steps = 100\n\
         orchestrator.env = [{ args = { limit = 10, mode = \"tiered\" }, id = \"reverse-text\" }]\n\
         orchestrator.rollouts_per_example = 8\norchestrator.batch_size = 128\n"
            .to_owned(),
        // Defaults that are written out.
        CONFIG.replace("lr = 1e-5", "lr = 1e-5\ntype = \"adamw\"\nweight_decay = 0.01").replace("rank = 8", "rank = 8\nalpha = 16.0"),
        // Shared values that are written where they are copied to.
        CONFIG
            .replace("seq_len = 4096\n", "")
            .replace("[trainer.optim]", "[trainer.model]\nseq_len = 4096\n[trainer.optim]")
            .replace("batch_size = 128", "batch_size = 128\nseq_len = 4096"),
    ];
    for text in same {
        let checked = Checking::for_target("0.2").check(&text);
        let differing: Vec<String> =
            compare(&meaning_at("0.2", CONFIG), &meaning(&checked)).iter().map(|each| format!("{each:?}")).collect();
        assert!(differing.is_empty(), "{differing:#?}\n{text}");
        assert_eq!(fingerprint(&text), fingerprint(CONFIG), "{text}");
    }
}

#[test]
fn a_change_asks_for_the_step_of_its_weightiest_class() {
    let before = fingerprint(CONFIG);
    let step = |from: &str, to: &str| before.level_to(&fingerprint(&CONFIG.replacen(from, to, 1)));
    assert_eq!(step("run-v1", "run-v2"), Some(Level::Patch));
    assert_eq!(step("[wandb]", "[ckpt]\ninterval = 50\n[wandb]"), Some(Level::Patch));
    assert_eq!(step("0.9", "0.5"), Some(Level::Minor));
    assert_eq!(step("[trainer.optim]", "[trainer.model]\nac = { freq = 1 }\n[trainer.optim]"), Some(Level::Minor));
    assert_eq!(step("1e-5", "2e-5"), Some(Level::Major));
    assert_eq!(step("4096", "2048"), Some(Level::Major));
    assert_eq!(step("tiered", "easy"), Some(Level::Major));
    assert_eq!(step("rank = 8", "rank = 8\ndropout = 0.1"), Some(Level::Major));
    assert_eq!(step("lr = 1e-5", "lr = 1e-5\ntype = \"muon\""), Some(Level::Major));
    assert_eq!(step("[model]", "[model] # the one we use"), None);
    let both = fingerprint(&CONFIG.replace("run-v1", "run-v2").replace("0.9", "0.5"));
    assert_eq!(before.differing(&both).collect::<Vec<_>>(), [Class::Resources, Class::Operations]);
}

#[test]
fn a_fingerprint_is_read_as_it_is_written() {
    let fingerprint = fingerprint(CONFIG);
    assert_eq!(Recorded::from_json(&fingerprint.to_json()), Ok(fingerprint.into()));
}

#[test]
fn a_shared_key_counts_where_prime_rl_copies_it() {
    let cases = [
        ("max_steps = 7", "max_steps"),
        ("seq_len = 1024", "seq_len"),
        ("max_async_level = 3", "async_level"),
        ("model = { name = \"a/b\" }", "model.name"),
        ("ckpt = { interval = 7 }", "ckpt"),
        ("log = { level = \"debug\" }", "log"),
        ("wandb = { name = \"x\" }", "wandb"),
        ("tokenizer = { name = \"a/b\" }", "tokenizer"),
        ("resume = { step = 5 }\nckpt = {}\nrun.name = \"a\"", "resume"),
        ("bench = true", "bench"),
    ];
    for target in ["6b01ba5ae", "0.2", "0.3.0", "0.4.0", "0.5.0", "0.6.0", "0.7.0", "0.8.0", "main"] {
        let empty = meaning_at(target, "[trainer]\n[orchestrator]\n[inference]\n");
        for (text, key) in cases {
            let checked = Checking::for_target(target).check(&format!("{text}\n[trainer]\n[orchestrator]\n[inference]\n"));
            if checked.diagnostics.iter().any(|found| found.native.is_some()) {
                continue;
            }
            let meaning = meaning(&checked);
            let keys: Vec<&str> = compare(&empty, &meaning).iter().filter_map(|each| each.other).map(|leaf| &*leaf.key).collect();
            assert!(keys.iter().any(|found| found.contains(key)), "{target}: {text}: {keys:?}");
        }
    }
}

#[test]
fn the_same_text_at_another_version_is_not_a_change_by_the_user() {
    let targets = ["6b01ba5ae", "0.2", "0.3.0", "0.4.0", "0.5.0", "0.6.0", "0.7.0", "0.8.0", "main"];
    let text = "max_steps = 100\nseq_len = 4096\n[trainer.optim]\nlr = 1e-5\n[orchestrator]\nbatch_size = 128\n[inference]\n";
    let text_at = |target: &str| if target == "6b01ba5ae" { text.replace("seq_len = 4096\n", "") } else { text.to_owned() };
    for pair in targets.windows(2) {
        let (one, other) = (meaning_at(pair[0], &text_at(pair[0])), meaning_at(pair[1], &text_at(pair[0])));
        let differences = compare(&one, &other);
        let told: Vec<String> = differences
            .iter()
            .map(|each| {
                format!(
                    "{:?} {} {:?} -> {:?}",
                    each.cause,
                    each.key(),
                    each.one.map(|leaf| &leaf.value),
                    each.other.map(|leaf| &leaf.value)
                )
            })
            .collect();
        assert!(!matches!(outcome(&differences), Outcome::ByUser(_)), "{pair:?}: {told:#?}");
    }
    let changed = text.replace("1e-5", "2e-5");
    let (one, other) = (meaning_at("0.2", text), meaning_at("0.3.0", &changed));
    let differences = compare(&one, &other);
    assert_eq!(outcome(&differences), Outcome::ByUser(Level::Major));
    let by_user: Vec<&str> = differences.iter().filter(|each| each.cause == Cause::User).map(Difference::key).collect();
    assert_eq!(by_user, ["trainer.optim.lr"]);
}

#[test]
fn a_renamed_key_has_the_same_meaning() {
    let pairs = [
        ("6b01ba5ae", "[trainer.model.experimental.lora]\nrank = 8", "0.2", "[trainer.model.lora]\nrank = 8"),
        ("0.7.0", "[inference.model]\nmax_model_len = 4096", "main", "[inference.vllm]\nmax_model_len = 4096"),
        ("0.2", "[ckpt]\nkeep = 3", "0.3.0", "[ckpt]\nkeep_last = 3"),
        ("0.8.0", "[wandb]\nname = \"a\"", "main", "[monitors.wandb]\nname = \"a\""),
    ];
    for (one, before, other, after) in pairs {
        let rest = "\n[orchestrator]\n";
        let (one, other) = (meaning_at(one, &format!("{before}{rest}")), meaning_at(other, &format!("{after}{rest}")));
        let differences = compare(&one, &other);
        let by_user: Vec<_> = differences.iter().filter(|each| each.cause == Cause::User).collect();
        assert!(by_user.is_empty(), "{by_user:#?}");
        assert!(one.leaves.iter().any(|leaf| !leaf.is_usual && leaf.is_written()), "{before}");
    }
}

#[test]
fn a_config_table_is_not_part_of_the_meaning() {
    let checking = Checking::for_target("0.2");
    let of = |text: &str| {
        let checked = checking.check(text);
        let meaning = cfg_check::meaning(&Session::default(), &checked, text).expect("its kind is known");
        Fingerprint::of_meaning(&meaning)
    };
    assert_eq!(of(&format!("{CONFIG}[config]\nversion = \"v3\"\n")), of(CONFIG));
    assert_eq!(of(CONFIG), fingerprint(CONFIG));
}

/// The text with its tables in the reverse order, as other formatters move them; what is below a table stays with it.
fn moved(text: &str) -> String {
    let mut groups = vec![(String::new(), String::new())];
    for line in text.split_inclusive('\n') {
        let (above, own) = groups.last_mut().expect("there is one");
        let name = line.trim_start_matches('[').split(']').next().unwrap_or_default();
        let is_below = || !above.is_empty() && (name == *above || name.starts_with(&format!("{above}.")));
        if line.starts_with('[') && !is_below() {
            groups.push((name.to_owned(), line.to_owned()));
        } else {
            own.push_str(line);
        }
    }
    let (head, tables) = groups.split_first().expect("there is one");
    let moved = [head].into_iter().chain(tables.iter().rev());
    moved.map(|(_, text)| &**text).collect::<Vec<_>>().join("\n")
}

#[test]
fn formatting_leaves_the_fingerprint_of_every_kept_config() {
    let session = Session::default();
    let of = |path: &str, text: &str| {
        let checked = check(&session, Request::new(path, text));
        checked.kind.and_then(|_| checked.resolved.as_ref().map(|_| Fingerprint::of_meaning(&meaning(&checked))))
    };
    for (path, text) in configs_below(&workspace().join("configs")) {
        let path = path.to_string_lossy();
        let own = of(&path, &text);
        assert!(own.is_some(), "{path}");
        let formatted = cfg_ide::applied(&text, &cfg_ide::format(&text).expect("it has no syntax error"));
        let aligned = text.replace(" = ", "     = ").replace("[ ", "[").replace(" # ", "    # ");
        for (by, other) in [("cfg fmt", formatted), ("aligned", aligned), ("moved", moved(&text))] {
            assert_eq!(of(&path, &other), own, "{path}, {by}: {other}");
        }
    }
}
