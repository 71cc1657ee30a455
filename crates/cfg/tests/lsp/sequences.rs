//! Changes outside the editor are displayed in it, whatever it watches and however it gets diagnostics: changes of configs, and of the files
//! that they include.

use super::editor::{
    CLEAN, FAULTY, Sequence,
    Step::{Close, Git, Link, Open, Remove, Rename, Replace, Type, Write},
    UNKNOWN, holds,
};

#[test]
fn a_file_is_deleted() {
    holds(&Sequence {
        files: &[("rl.toml", FAULTY), ("other.toml", FAULTY)],
        stages: &[
            (&[Open("rl.toml")], &[("rl.toml", UNKNOWN), ("other.toml", UNKNOWN)]),
            (&[Remove("other.toml")], &[("rl.toml", UNKNOWN)]),
            (&[Remove("rl.toml"), Close("rl.toml")], &[]),
        ],
    });
}

#[test]
fn a_file_is_renamed() {
    holds(&Sequence {
        files: &[("rl.toml", FAULTY), ("other.toml", FAULTY)],
        stages: &[
            (&[Open("rl.toml")], &[("rl.toml", UNKNOWN), ("other.toml", UNKNOWN)]),
            (
                &[Rename("rl.toml", "new.toml"), Close("rl.toml"), Open("new.toml")],
                &[("new.toml", UNKNOWN), ("other.toml", UNKNOWN)],
            ),
            (&[Rename("other.toml", "sub/other.toml")], &[("new.toml", UNKNOWN), ("sub/other.toml", UNKNOWN)]),
        ],
    });
}

#[test]
fn an_included_file_is_changed() {
    let overlay = "# /// config\n# prime_rl = \"0.2.0\"\n# ///\ntoml_files = [\"base.toml\"]\nmax_steps = 5\n";
    let base = "[trainer]\n[orchestrator]\nseq_len = 1024\n";
    let faulty = "[trainer]\n[orchestrator]\nseq_lne = 1024\n";
    holds(&Sequence {
        files: &[("run.toml", overlay)],
        stages: &[
            (&[Open("run.toml")], &[("run.toml", &["PRL007"])]),
            (&[Write("base.toml", base)], &[]),
            (&[Write("base.toml", faulty)], &[("run.toml", UNKNOWN), ("base.toml", UNKNOWN)]),
            // The same with another file in between.
            (&[Write("base.toml", "toml_files = [\"first.toml\"]\n[trainer]\n"), Write("first.toml", base)], &[]),
            (&[Write("first.toml", faulty)], &[("run.toml", UNKNOWN), ("first.toml", UNKNOWN)]),
            (&[Remove("first.toml")], &[("run.toml", &["PRL007"]), ("base.toml", &["PRL007"])]),
        ],
    });
}

#[test]
fn a_branch_is_switched() {
    let overlay = "# /// config\n# prime_rl = \"0.2.0\"\n# ///\ntoml_files = [\"base.toml\"]\nmax_steps = 5\n";
    let commit: &[&str] = &["commit", "-qam", "next"];
    holds(&Sequence {
        files: &[("run.toml", overlay), ("base.toml", "[trainer]\n[orchestrator]\n"), ("rl.toml", CLEAN)],
        stages: &[
            (&[Git(&["init", "-q", "-b", "main"]), Git(&["add", "-A"]), Git(commit), Open("run.toml"), Open("rl.toml")], &[]),
            (
                &[Git(&["switch", "-qc", "next"]), Write("base.toml", "[trainer]\n[orchestrator]\nseq_lne = 1\n")],
                &[("run.toml", UNKNOWN), ("base.toml", UNKNOWN)],
            ),
            (
                &[Replace("rl.toml", "max_steps", "max_stesp"), Git(commit)],
                &[("run.toml", UNKNOWN), ("base.toml", UNKNOWN), ("rl.toml", UNKNOWN)],
            ),
            (&[Git(&["switch", "-q", "main"])], &[]),
            (&[Git(&["switch", "-q", "next"])], &[("run.toml", UNKNOWN), ("base.toml", UNKNOWN), ("rl.toml", UNKNOWN)]),
            (
                &[Replace("base.toml", "seq_lne", "seq_len"), Git(&["stash", "-q"])],
                &[("run.toml", UNKNOWN), ("base.toml", UNKNOWN), ("rl.toml", UNKNOWN)],
            ),
            (&[Git(&["stash", "pop", "-q"])], &[("rl.toml", UNKNOWN)]),
        ],
    });
}

#[test]
fn a_folder_is_renamed() {
    let overlay = "# /// config\n# prime_rl = \"0.2.0\"\n# ///\ntoml_files = [\"base.toml\"]\nmax_steps = 5\n";
    holds(&Sequence {
        files: &[("a/run.toml", overlay), ("a/base.toml", "[trainer]\n[orchestrator]\nseq_lne = 1\n"), ("a/rl.toml", FAULTY)],
        stages: &[
            (&[Open("a/run.toml")], &[("a/run.toml", UNKNOWN), ("a/base.toml", UNKNOWN), ("a/rl.toml", UNKNOWN)]),
            (
                &[Rename("a", "b"), Close("a/run.toml"), Open("b/run.toml")],
                &[("b/run.toml", UNKNOWN), ("b/base.toml", UNKNOWN), ("b/rl.toml", UNKNOWN)],
            ),
            // Only the base is moved away and back.
            (
                &[Rename("b/base.toml", "base.toml")],
                &[("b/run.toml", &["PRL007"]), ("base.toml", &["PRL101", "PRL520"]), ("b/rl.toml", UNKNOWN)],
            ),
            (&[Rename("base.toml", "b/base.toml")], &[("b/run.toml", UNKNOWN), ("b/base.toml", UNKNOWN), ("b/rl.toml", UNKNOWN)]),
        ],
    });
}

#[test]
fn an_open_file_is_deleted_and_restored() {
    holds(&Sequence {
        files: &[("rl.toml", FAULTY), ("other.toml", CLEAN)],
        stages: &[
            (&[Open("rl.toml"), Open("other.toml")], &[("rl.toml", UNKNOWN)]),
            // Open documents do not change.
            (&[Remove("rl.toml"), Remove("other.toml")], &[("rl.toml", UNKNOWN)]),
            (&[Write("rl.toml", CLEAN), Write("other.toml", FAULTY)], &[("other.toml", UNKNOWN)]),
            (&[Close("other.toml")], &[("other.toml", UNKNOWN)]),
            (&[Remove("other.toml")], &[]),
        ],
    });
}

#[test]
fn closing_a_document_discards_its_edits() {
    let overlay = "# /// config\n# prime_rl = \"0.2.0\"\n# ///\ntoml_files = [\"base.toml\"]\nmax_steps = 5\n";
    holds(&Sequence {
        files: &[("run.toml", overlay), ("base.toml", "[trainer]\n[orchestrator]\nseq_len = 1024\n")],
        stages: &[
            (&[Open("run.toml"), Open("base.toml")], &[]),
            (&[Type("base.toml", "seq_len", "seq_lne")], &[("run.toml", UNKNOWN), ("base.toml", UNKNOWN)]),
            (&[Close("base.toml")], &[]),
            // The text of an open document has priority over the file on disk.
            (&[Open("base.toml"), Type("base.toml", "1024", "2048")], &[]),
            (&[Replace("base.toml", "seq_len", "seq_lne")], &[("run.toml", UNKNOWN), ("base.toml", UNKNOWN)]),
            (&[Type("base.toml", "seq_lne", "seq_len")], &[]),
            (&[Close("base.toml")], &[("run.toml", UNKNOWN), ("base.toml", UNKNOWN)]),
        ],
    });
}

#[test]
fn a_file_is_replaced_by_another() {
    holds(&Sequence {
        files: &[("rl.toml", CLEAN), ("other.toml", CLEAN), ("good.txt", CLEAN), ("bad.txt", FAULTY)],
        stages: &[
            (&[Open("rl.toml")], &[]),
            (&[Rename("bad.txt", "other.toml")], &[("other.toml", UNKNOWN)]),
            (&[Rename("other.toml", "rl.toml")], &[("rl.toml", UNKNOWN)]),
            (&[Rename("good.txt", "rl.toml")], &[]),
        ],
    });
}

#[test]
fn a_link_changes_its_target() {
    let overlay = "# /// config\n# prime_rl = \"0.2.0\"\n# ///\ntoml_files = [\"base.toml\"]\nmax_steps = 5\n";
    holds(&Sequence {
        files: &[
            ("run.toml", overlay),
            ("one.txt", "[trainer]\n[orchestrator]\nseq_len = 1024\n"),
            ("two.txt", "[trainer]\n[orchestrator]\nseq_lne = 1024\n"),
        ],
        stages: &[
            (&[Link("base.toml", "one.txt"), Open("run.toml")], &[]),
            (&[Link("base.toml", "two.txt")], &[("run.toml", UNKNOWN), ("base.toml", UNKNOWN)]),
            (&[Write("two.txt", "[trainer]\n[orchestrator]\n")], &[]),
        ],
    });
}

#[test]
fn commits_are_merged_and_thrown_away() {
    let commit: &[&str] = &["commit", "-qam", "next"];
    holds(&Sequence {
        files: &[("rl.toml", CLEAN), ("other.toml", CLEAN)],
        stages: &[
            (&[Git(&["init", "-q", "-b", "main"]), Git(&["add", "-A"]), Git(commit), Open("rl.toml")], &[]),
            (
                &[Git(&["switch", "-qc", "next"]), Write("rl.toml", FAULTY), Write("other.toml", FAULTY), Git(commit)],
                &[("rl.toml", UNKNOWN), ("other.toml", UNKNOWN)],
            ),
            (&[Git(&["switch", "-q", "main"])], &[]),
            (&[Git(&["merge", "-q", "next"])], &[("rl.toml", UNKNOWN), ("other.toml", UNKNOWN)]),
            (&[Git(&["reset", "-q", "--hard", "HEAD^"])], &[]),
            (&[Git(&["checkout", "-q", "next", "--", "other.toml"])], &[("other.toml", UNKNOWN)]),
        ],
    });
}
