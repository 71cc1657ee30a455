//! What is written equals what was read, and commits that are removed and added again leave every byte unchanged.

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use cfg_schema::{Commit, History, Point};
use sha2::{Digest, Sha256};

use super::{
    add::{Request, add, insert},
    main_line::{Line, MainLine, Numbers, touches_classes},
    schema_file::{self, File},
    sharing,
};
use crate::{generate::root, mirror::Mirror};

#[path = "../../../tests/src/sized.rs"]
mod sized;

use sized::sized;

fn schemas() -> PathBuf {
    root().join("schemas")
}

/// The clones in the folder that `CFG_MIRRORS` names, if it does.
fn mirror() -> Option<Mirror> {
    let mirrors = PathBuf::from(std::env::var_os("CFG_MIRRORS")?);
    let clone = |name: &str| mirrors.join(name).join("repo");
    let (prime_rl, verifiers) = (clone("PrimeIntellect-ai+prime-rl"), clone("PrimeIntellect-ai+verifiers"));
    Some(Mirror::at(&prime_rl, Some(&verifiers), None).expect("the clones are there"))
}

/// The source files of the history.
fn sources() -> Vec<String> {
    let files = cfg_schema::compiler::KINDS.iter().map(|kind| format!("history/{kind}.schema"));
    files.chain(["commits.tsv".to_owned(), "tags.tsv".to_owned()]).collect()
}

fn copy_to(folder: &Path) {
    fs::create_dir_all(folder.join("history")).expect("it is writable");
    for source in sources().into_iter().chain(["moves.toml".to_owned()]) {
        fs::copy(schemas().join(&source), folder.join(&source)).expect("it is there");
    }
}

#[track_caller]
fn assert_as_committed(folder: &Path, of_it: fn(&str) -> String) {
    for source in sources() {
        let text = |folder: &Path| of_it(&fs::read_to_string(folder.join(&source)).expect("it is there"));
        let (committed, made) = (text(&schemas()), text(folder));
        let differing = committed.lines().zip(made.lines()).position(|(one, other)| one != other);
        let shown = differing.map(|at| (at + 1, committed.lines().nth(at), made.lines().nth(at)));
        assert!(committed == made, "{source}: {shown:?}");
    }
}

#[test]
fn a_history_that_is_read_is_written_as_it_was() {
    let numbers = MainLine::read(&schemas()).expect("it is well formed").numbers();
    for (kind, file) in
        cfg_schema::compiler::KINDS.iter().zip(schema_file::read(&schemas(), &numbers).expect("they are well formed"))
    {
        let text = fs::read_to_string(schemas().join(format!("history/{kind}.schema"))).expect("it is there");
        let written = file.text(&numbers);
        let differing = text.lines().zip(written.lines()).position(|(one, other)| one != other);
        assert!(written == text, "{kind}: line {differing:?}");
    }
}

/// Removes all commits from the schema commit with this number on.
fn take_out(folder: &Path, first: u16) {
    let mut main_line = MainLine::read(folder).expect("it is well formed");
    let numbers = main_line.numbers();
    let mut files = schema_file::read(folder, &numbers).expect("they are well formed");
    files.iter_mut().for_each(|file| file.cut(first));
    schema_file::write(folder, &files, &numbers).expect("it is writable");
    let since = main_line.lines.iter().find(|line| line.sha.starts_with(numbers.commit(first))).expect("it is a commit");
    let since = since.sha.clone();
    main_line.cut(&since).expect("it is a commit");
    main_line.write(folder).expect("it is writable");
    let left = main_line.numbers();
    let tags = fs::read_to_string(folder.join("tags.tsv")).expect("it is there");
    let stays = |line: &&str| line.starts_with(['#', 't']) || line.rsplit('\t').next().is_some_and(|at| left.of(at).is_ok());
    let tags: Vec<&str> = tags.lines().filter(stays).collect();
    fs::write(folder.join("tags.tsv"), tags.join("\n") + "\n").expect("it is writable");
}

/// The text of a file without the classes of renderers, of which there is no clone.
fn without_renderers(text: &str) -> String {
    let blocks = text.split("\n\n").filter(|block| !block.lines().next().is_some_and(|path| path.contains("renderer")));
    blocks.collect::<Vec<_>>().join("\n\n")
}

#[test]
#[ignore = "takes the sources from the clones in the folder that CFG_MIRRORS names"]
fn removing_and_adding_the_last_thirty_schema_commits_gives_the_same_bytes() {
    let Some(mut mirror) = mirror() else { return };
    let first = MainLine::read(&schemas()).expect("it is well formed").numbers().count() - 30;
    let newest = History::built_in().newest();
    for known in [Point(first - 1), newest] {
        let folder = tempfile::tempdir().expect("there is room");
        copy_to(folder.path());
        take_out(folder.path(), first);
        let news = add(&Request { schemas: folder.path(), again: None, known }, &mut mirror).expect("it reads");
        assert_eq!(news.open().lines(), ["Nothing is left for a person to decide."]);
        // Only the history has the classes of renderers at these commits.
        assert_as_committed(folder.path(), if known == newest { str::to_owned } else { without_renderers });
    }
}

#[test]
fn removing_and_adding_fields_gives_the_same_bytes() {
    let numbers = MainLine::read(&schemas()).expect("it is well formed").numbers();
    let whole = schema_file::read(&schemas(), &numbers).expect("they are well formed");
    let first = numbers.count() - sized(8, 30);
    let later: Vec<_> = (first..numbers.count()).map(|number| sharing::rows_at(&whole, number)).collect();
    // They are written in between, as `history add` finds them.
    let without = |file: &File| {
        let mut file = file.clone();
        file.cut(first);
        File::parse(&file.text(&numbers), &numbers).expect("it is well formed")
    };
    let mut files: Vec<File> = whole.iter().map(without).collect();
    insert(&mut files, first, &later, &sharing::Decided::new());
    for (file, whole) in files.iter().zip(&whole) {
        assert!(file.text(&numbers) == whole.text(&numbers));
    }
}

#[test]
fn a_kind_that_begins_with_a_commit_that_is_added_is_written_like_any_other() {
    let line = Line { sha: "1".repeat(40), date: String::new(), schema: "changed", pull_request: String::new() };
    let numbers = Numbers::of_lines(&[line]);
    let mut files = vec![File::parse("# Every field.\n", &numbers).expect("it is well formed")];
    assert_eq!(files[0].text(&numbers), "# Every field.\n");
    files.resize_with(cfg_schema::compiler::KINDS.len(), File::default);
    let mut rows = sharing::rows_at(&files, 0);
    rows[0].insert(String::new(), "root(forbid)".to_owned());
    insert(&mut files, 0, &[rows], &sharing::Decided::new());
    assert_eq!(files[0].text(&numbers), "# Every field.\n\n(root)\n  111111111..           root(forbid)\n");
}

#[test]
fn a_derived_table_is_written_only_if_it_differs() {
    let line = |sha: &str, schema| Line { sha: sha.to_owned(), date: String::new(), schema, pull_request: String::new() };
    let commits = ["111111111", "222222222", "333333333"].map(|sha| line(&format!("{sha:0<40}"), "changed"));
    let numbers = Numbers::of_lines(&commits);
    let text = "#\n\n(root)\n  111111111..           root(forbid)\n\na\n  111111111..           table(forbid) = {}\n\na.x\n  \
                111111111..           int = 1\n\nb\n  111111111..           table(forbid) = {}\n  fields of rl:a\n";
    let mut files = vec![File::parse(text, &numbers).expect("it is well formed")];
    files.resize_with(cfg_schema::compiler::KINDS.len(), File::default);
    let mut rows = sharing::rows_at(&files, 0);
    assert_eq!(rows[0].get("b.x").map(String::as_str), Some("int = 1"));
    rows[0].insert("b.x".to_owned(), "int = 2".to_owned());
    for table in ["c", "d"] {
        rows[0].insert(table.to_owned(), "table(forbid) = {}".to_owned());
        for key in ["k", "l", "m", "n"] {
            rows[0].insert(format!("{table}.{key}"), "str? = null".to_owned());
        }
    }
    insert(&mut files, 1, &[rows.clone()], &sharing::Decided::new());
    let written = files[0].text(&numbers);
    assert!(written.contains("b.x\n  111111111..222222222  int = 1\n  222222222..           int = 2\n"), "{written}");
    assert!(written.contains("d\n  222222222..           table(forbid) = {}\n  fields of rl:c\n"), "{written}");
    assert!(!written.contains("fields of rl:a") && !written.contains("d.k"), "{written}");
    assert!(sharing::rows_at(&files, 1) == rows);
}

#[test]
fn a_commit_touches_classes_where_they_are_defined() {
    let touching =
        ["packages/prime-rl-configs/pyproject.toml", "src/prime_rl/trainer/rl/config.py", "src/prime_rl/entrypoints/rl.py"];
    assert!(touching.into_iter().all(touches_classes));
    let others =
        ["src/prime_rl/trainer/model.py", "deps/verifiers", "uv.lock", "tests/unit/config.py", "src/prime_rl/configs/readme.md"];
    assert!(!others.into_iter().any(touches_classes));
}

#[test]
#[ignore = "takes the sources from the clones in the folder that CFG_MIRRORS names"]
fn each_commit_of_the_main_line_reads_as_the_history_has_it() {
    let Some(mut mirror) = mirror() else { return };
    let mut wrong = Vec::new();
    for commit in History::built_in().commits() {
        let read = mirror.read(&commit.sha(), Some(commit.point())).expect("the classes are there");
        wrong.extend(read.unknown.iter().map(|unknown| format!("{}: {unknown}", commit.short_sha())));
        let own = cfg_schema::compiler::compile(&read.kinds, &[], commit.point()).expect("they fit together");
        let differences = cfg_schema::compiler::differences(own, commit.point());
        wrong.extend(differences.iter().map(|one| format!("{}: {one:?}", commit.short_sha())));
    }
    assert_eq!(wrong, Vec::<String>::new());
}
/// Commits from the whole history, each with the number of its fields and the hash of their listing.
const SAMPLE: &str = include_str!("../../../tests/fixtures/history-sample.tsv");

/// Compares the listing of each of these commits with the recorded hash.
fn assert_sampled(mut listing_of: impl FnMut(Commit) -> Vec<String>) {
    let mut differing = Vec::new();
    let lines: Vec<&str> = SAMPLE.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(lines.len(), 12);
    for line in lines {
        let sha = line.split('\t').next().unwrap_or_default();
        let commit = History::built_in().commits().find(|commit| commit.sha() == sha).expect("it is of the main line");
        let listing = listing_of(commit);
        let mut found = format!("{sha}\t{}\t", listing.len());
        for byte in Sha256::digest(listing.join("\n")) {
            let _ = write!(found, "{byte:02x}");
        }
        if found != line {
            differing.push(found);
        }
    }
    assert!(differing.is_empty(), "not as recorded:\n{}", differing.join("\n"));
}

#[test]
fn the_table_has_the_fields_that_are_recorded() {
    assert_sampled(|commit| cfg_schema::compiler::listing(History::built_in(), commit.point()));
}

#[test]
#[ignore = "takes the sources from the clones in the folder that CFG_MIRRORS names"]
fn the_sources_have_the_fields_that_are_recorded() {
    let Some(mut mirror) = mirror() else { return };
    assert_sampled(|commit| {
        let read = mirror.read(&commit.sha(), Some(commit.point())).expect("the classes are there");
        assert!(read.unknown.is_empty(), "{:?}", read.unknown);
        let own = cfg_schema::compiler::compile(&read.kinds, &[], commit.point()).expect("they fit together");
        cfg_schema::compiler::listing(own, Point(0))
    });
}
