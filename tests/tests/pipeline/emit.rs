//! A resolved config written as TOML means the same as the config, and the launcher's files are right.

use std::{fs, path::Path};

use cfg_check::{Checked, Session, Verdict, reread};
use cfg_compose::{Table, Tree, Value};
use cfg_diag::{Diagnostic, FileId, Severity, codes};
use cfg_resolve::{
    Defaults, Names,
    launcher::{self, LauncherFile, Notation},
};
use cfg_schema::{Kind, Target};
use cfg_syntax::Dialect;
use cfg_tests::{CLEAN, Checking, Recorded, in_shares, shared, workspace};

/// The resolved form as JSON, for comparison.
fn dump(checked: &Checked) -> serde_json::Value {
    cfg_resolve::dump(checked.resolved.as_ref().expect("its kind is known"), checked.target.point)
}

fn tree(text: &str, checked: &Checked) -> Tree {
    let dialect = cfg_resolve::loader::dialect(checked.target.point);
    Tree::from_document(FileId(0), cfg_syntax::parse(FileId(0), text, dialect).0)
}

/// The config as TOML with every value that can be written.
fn as_toml(session: &Session, text: &str, checked: &Checked) -> (String, usize) {
    let kind = checked.kind.expect("its kind is known");
    let resolved = checked.resolved.as_ref().expect("its kind is known");
    let input = tree(text, checked).root;
    let made = cfg_resolve::emit::faithful(resolved, checked.target.point, &input, &|tree| reread(session, checked, kind, tree));
    assert!(made.lost.is_empty(), "{:?} can't be stated of\n{text}", made.lost);
    let (written, unwritable) = cfg_resolve::emit::toml(&made.table);
    assert!(unwritable.is_empty(), "{unwritable:?} can't be written of\n{text}");
    (written, made.left_out.len())
}

#[test]
fn every_accepted_config_of_the_sample_is_written_as_toml_that_means_the_same() {
    let folder = workspace().join("tests/vectors");
    let count: usize = in_shares(&Recorded::files(&folder), round_trips).into_iter().sum();
    assert!(count >= 200, "only {count} configs were written");
}

/// Writes the accepted configs of some files and reads them again; returns their number.
fn round_trips(files: &[std::path::PathBuf]) -> usize {
    let session = Session::default();
    let mut count = 0;
    for file in files {
        let text = fs::read_to_string(file).expect("a text");
        let vectors: Vec<Recorded> = text.lines().filter_map(Recorded::parse).filter(|vector| vector.ok).collect();
        let Some(first) = vectors.first() else { continue };
        let checking = Checking::for_target(&first.version).of_kind(first.kind);
        for vector in &vectors {
            let checked = checking.check(&vector.toml);
            if checked.verdict != Verdict::Ok {
                continue;
            }
            let (written, _) = as_toml(&session, &vector.toml, &checked);
            let again = checking.check(&written);
            assert_eq!(again.verdict, Verdict::Ok, "{}\n{}\nis written as\n{written}", vector.id, vector.toml);
            assert_eq!(dump(&again), dump(&checked), "{}\n{}\nis written as\n{written}", vector.id, vector.toml);
            count += 1;
        }
    }
    count
}

#[test]
fn any_string_or_number_is_written_as_toml_1_0() {
    let text = "batch_size = 128\n[[env]]\nid = \"a\"\n[env.args]\ns = \"\\u0000\\u001b\\u007f\\t\\\"\\\\ \\u2028 \\U0001F600\"\n\
        \"a key. with = dots\" = 1\n\"\" = 123456789012345678901234567890\nhex = 0xFFFFFFFFFFFFFFFFFF\ninf = -inf\nnan = nan\n\
        small = 5e-324\nday = 1979-05-27\nat = 1979-05-27 07:32:00.5+01:00\nlist = [1, \"x\", [{a = 1}], 07:32:00]\nempty = {}\nnone = []\n";
    let checking = Checking::for_target("0.4.0").of_kind(Kind::Orchestrator);
    let checked = checking.check(text);
    assert_eq!(checked.verdict, Verdict::Ok);
    let (written, left_out) = as_toml(&Session::default(), text, &checked);
    assert_eq!(left_out, 0);
    assert!(cfg_syntax::parse(FileId(0), &written, Dialect::Toml10).1.is_empty(), "{written}");
    let again = checking.check(&written);
    assert_eq!(dump(&again), dump(&checked), "{written}");
    for part in ["123456789012345678901234567890", "1979-05-27T07:32:00.500000+01:00", "nan = nan", "inf = -inf", "5e-324"] {
        assert!(written.contains(part), "{part} is not in\n{written}");
    }
}

/// The launcher's files for a config.
fn files(text: &str, target: &str, kind: Kind) -> Vec<LauncherFile> {
    let checked = Checking::for_target(target).of_kind(kind).check(text);
    assert_eq!(checked.verdict, Verdict::Ok, "{:?}", checked.diagnostics);
    launcher::files(checked.resolved.as_ref().expect("its kind is known"), kind, checked.target.point)
}

fn text_of(file: &LauncherFile) -> String {
    match file.notation {
        Notation::Toml => cfg_resolve::emit::toml(&file.table).0,
        Notation::Json => cfg_resolve::emit::json(&file.table),
    }
}

/// A config that every generation accepts.
const SMALL: &str = "max_steps = 5\n[trainer]\n[orchestrator]\n[inference]\n";

#[test]
fn the_files_of_each_generation() {
    for target in ["0.2", "0.5.0", "0.7.0", "2441fd514"] {
        let files = files(SMALL, target, Kind::Rl);
        let names: Vec<&str> = files.iter().map(|file| &*file.path).collect();
        let inference = files.iter().find(|file| file.part == "inference").map(text_of).unwrap_or_default();
        let name = format!("files_{}", target.replace('.', "_"));
        insta::assert_snapshot!(name, format!("{}\n\n{inference}", names.join("\n")));
    }
}

#[test]
fn nulls_are_dropped_or_text_or_null() {
    let value = |target: &str, table: &str, key: &str| {
        let text = format!("[trainer.{table}]\n{key} = \"None\"\n[orchestrator.{table}]\n");
        let files = files(&text, target, Kind::Rl);
        let below = files[0].table.get(table).and_then(|entry| entry.node.value.as_table()).cloned().unwrap_or_default();
        below.get(key).map(|entry| entry.node.value.clone())
    };
    assert!(value("0.4.0", "ckpt", "weights").is_none());
    assert!(value("0.6.0", "ckpt", "weights").is_none());
    assert!(matches!(value("0.7.0", "ckpt", "weights"), Some(Value::Str(text)) if &*text == "None"));
    assert!(matches!(value("main", "ckpt", "keep_last"), Some(Value::Null)));
}

#[test]
fn a_renderer_that_is_off_is_text_for_some_weeks() {
    let files = files("[trainer]\n[orchestrator]\nrenderer = \"None\"\n", "0.6.0", Kind::Rl);
    let text = files.iter().find(|file| file.part == "orchestrator").map(text_of).unwrap_or_default();
    assert!(text.contains("\nrenderer = \"None\"\n"), "without it the process would take the default, in\n{text}");
}

#[test]
fn a_slurm_job_reads_the_complete_config_again() {
    let text = format!("{SMALL}[slurm]\njob_name = \"a\"\n");
    let names: Vec<String> = files(&text, "0.7.0", Kind::Rl).into_iter().map(|file| file.path).collect();
    assert_eq!(names, ["rl.toml", "trainer.toml", "orchestrator.toml", "inference.toml"]);
}

#[test]
fn every_file_of_a_clean_config_is_accepted_by_its_process() {
    for file in files(CLEAN, "0.4.0", Kind::Rl) {
        let checking = Checking::for_target("0.4.0").of_kind(file.kind.expect("a kind"));
        let found = checking.check(&text_of(&file));
        assert_eq!(found.verdict, Verdict::Ok, "{}: {:?}", file.path, found.diagnostics);
    }
}

#[test]
fn errors_of_a_process_are_not_part_of_the_verdict() {
    let refused = |target: &str, text: &str| {
        let checked = Checking::for_target(target).of_kind(Kind::Rl).check(text);
        let own = checked.diagnostics.iter().filter(|diagnostic| diagnostic.code == &codes::REJECTED_BY_SUBPROCESS);
        assert!(own.clone().all(|diagnostic| diagnostic.native.is_none() && diagnostic.severity == Severity::Error));
        (checked.verdict, own.filter_map(|diagnostic| diagnostic.location).map(|at| text[at.span.range()].to_owned()).collect())
    };
    let shared = "max_async_level = 5\n[weight_broadcast]\ntype = \"nccl\"\n[trainer]\n[orchestrator]\n[inference]\n";
    let none: Vec<String> = Vec::new();
    assert_eq!(refused("0.2", shared), (Verdict::Ok, vec!["5".to_owned()]));
    assert_eq!(refused("0.4.0", shared), (Verdict::Ok, vec!["5".to_owned()]));
    assert_eq!(refused("0.4.0", &shared.replace('5', "1")), (Verdict::Ok, none.clone()));
    assert_eq!(refused("0.4.0", "bench = true\n[trainer]\n[orchestrator]\n"), (Verdict::Ok, vec!["true".to_owned()]));
    assert_eq!(refused("0.3.0", "bench = true\n[trainer]\n[orchestrator]\n"), (Verdict::Ok, none));
}

#[test]
fn a_table_that_rl_copies_to_its_parts_is_complete_there() {
    let dtypes = "[trainer.model]\noptimization_dtype = \"bfloat16\"\nreduce_dtype = \"bfloat16\"\n";
    let vlm = "[model.vlm]\nvision_encoder_attr = \"model.visual\"\nlanguage_model_attr = \"model.language_model\"\n";
    let text = format!(
        "[model]\nname = \"Qwen/Qwen3-VL-4B-Instruct\"\n{vlm}{dtypes}[orchestrator]\n[[orchestrator.env]]\nid = \"a\"\n[inference]\n"
    );
    for target in ["0.5.0", "0.6.0"] {
        let checked = Checking::for_target(target).of_kind(Kind::Rl).check(&text);
        let refused = checked.diagnostics.iter().find(|diagnostic| diagnostic.code == &codes::REJECTED_BY_SUBPROCESS);
        assert_eq!((checked.verdict, refused.map(|refused| &refused.key)), (Verdict::Ok, None), "{target}");
    }
}

/// The second stage only checks again what prime-rl's rules changed. The findings must be those of the processes for the complete files that the
/// launcher writes, with all defaults.
#[test]
fn the_verdict_of_a_part_is_that_of_the_complete_file() {
    let count = compared_parts(&workspace().join("tests/vectors"));
    assert!(count >= 100, "only {count} parts were read");
}

#[test]
#[ignore = "reads ../shared/vectors"]
fn the_verdicts_of_all_parts_are_those_of_the_complete_files() {
    let count = compared_parts(&shared("vectors"));
    assert!(count >= 1000, "only {count} parts were read");
}

/// Reads the parts of a folder's accepted configs in both ways; returns their number.
fn compared_parts(folder: &Path) -> usize {
    let session = Session::default();
    let mut count = 0;
    for file in fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("an entry").path()) {
        if !file.to_string_lossy().ends_with(".rl.jsonl") {
            continue;
        }
        let text = fs::read_to_string(&file).expect("a text");
        let vectors: Vec<Recorded> = text.lines().filter_map(Recorded::parse).filter(|vector| vector.ok).collect();
        let Some(first) = vectors.first() else { continue };
        let checking = Checking::for_target(&first.version).of_kind(Kind::Rl);
        let names = Names::new(session.history.schema(Kind::Rl, checking.check(&first.toml).target.point));
        for vector in &vectors {
            let checked = checking.check(&vector.toml);
            let resolved = checked.resolved.expect("its kind is known");
            for (part, kind) in launcher::PARTS {
                let schema = checked.target.schema(kind);
                let whole = launcher::part(&resolved, part, kind, schema.point, Defaults::Written);
                let whole = whole.map_or_else(Vec::new, |file| cfg_resolve::resolve(schema, &names, Tree { root: file.table }).1);
                // What has no effect is told when the whole is read, and not again.
                let told = |found: Vec<Diagnostic>| -> Vec<_> {
                    let found = found.into_iter().filter(|one| one.code != &codes::UNREAD_KEY);
                    found.map(|one| (one.code.code, one.key, one.location, one.is_echo, one.message)).collect()
                };
                let again = launcher::read_part(schema, &names, &resolved, part);
                assert_eq!(told(again), told(whole), "{part} of {}\n{}", vector.id, vector.toml);
                count += 1;
            }
        }
    }
    count
}

#[test]
fn differences_of_two_targets() {
    let resolved = |target: &str| {
        let checked = Checking::for_target(target).of_kind(Kind::Rl).check(SMALL);
        let Target { point, .. } = checked.target;
        cfg_resolve::written(&checked.resolved.expect("its kind is known"), point, cfg_resolve::Nulls::Kept)
    };
    let (old, new): (Table, Table) = (resolved("0.7.0"), resolved("0.8.0"));
    assert!(cfg_resolve::emit::differences(&old, &old).is_empty());
    let found = cfg_resolve::emit::differences(&old, &new);
    let of = |key: &str| {
        found.iter().find(|difference| difference.key == key).map(|found| (found.one.is_some(), found.other.is_some()))
    };
    assert_eq!(of("trainer.rollout_transport.type"), Some((true, true)));
    assert_eq!(of("orchestrator.env_server_base_port"), Some((false, true)));
    assert_eq!(of("trainer.model.seq_len"), None);
}
