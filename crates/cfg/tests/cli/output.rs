//! Where output goes, and what happens if its reader closes it.

use std::{fmt::Write as _, io::Read as _, process::Stdio};

use super::{CLEAN, Folder, MISSPELT, running::wait, sized::sized};

/// `cfg check | head`: the reader closes the pipe.
#[test]
fn a_broken_pipe_is_not_an_error() {
    let mut text = String::from("[trainer]\n[orchestrator]\n");
    for number in 0..200 {
        writeln!(text, "unknown_{number} = 1").expect("writing to a string");
    }
    // More output than fits into a pipe in every format; `full` shows only the first findings of each file.
    let names: Vec<String> = (0..12).map(|number| format!("many_{number}.toml")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), text.as_str())).collect();
    let folder = Folder::new(&files);
    // What is printed for each file, and what is one document.
    let formats = ["full", "json", "concise", "json-lines", "github", "gitlab", "junit", "sarif"];
    for format in &formats[..sized(2, formats.len())] {
        hang_up(&folder, format);
    }
}

/// So many files that results are written while others are still checked.
#[test]
fn a_broken_pipe_ends_a_check_of_many_files() {
    let names: Vec<String> = (0..sized(600, 1300)).map(|number| format!("{number}.toml")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), MISSPELT)).collect();
    let folder = Folder::new(&files);
    for format in &["full", "json"][..sized(1, 2)] {
        hang_up(&folder, format);
    }
}

/// Reads only the beginning of the output about a folder.
fn hang_up(folder: &Folder, format: &str) {
    let mut command = folder.command(&format!("check --target 0.4.0 --format {format} ."));
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("cfg starts");
    let mut stdout = child.stdout.take().expect("piped");
    stdout.read_exact(&mut [0; 10]).expect("a beginning");
    drop(stdout);
    let status = wait(&mut child, &command);
    let mut stderr = String::new();
    child.stderr.take().expect("piped").read_to_string(&mut stderr).expect("a text");
    assert_eq!((status, &*stderr), (Some(0), ""), "{format}");
}

#[test]
fn concise_has_one_line_for_each_finding_in_the_order_of_the_files() {
    let folder = Folder::new(&[("b.toml", MISSPELT), ("a.toml", MISSPELT), ("c.toml", CLEAN)]);
    let ended = folder.run("check --target 0.4.0 --format concise c.toml b.toml a.toml");
    let places: Vec<&str> = ended.stdout.lines().filter_map(|line| line.split(" error").next()).take(2).collect();
    assert_eq!(places, ["a.toml:3:1:", "b.toml:3:1:"], "{ended:?}");
    insta::assert_snapshot!("concise_findings_of_three_files", ended.stdout);
}

#[test]
fn full_shows_the_line_and_fits_the_width() {
    let folder = Folder::new(&[("misspelt.toml", MISSPELT)]);
    for width in ["60", "80", "120"] {
        let ended = super::finish(folder.command("check --target 0.4.0 misspelt.toml").env("COLUMNS", width), b"");
        assert!(ended.stdout.contains("rolouts_per_exmaple = 16"), "{ended:?}");
        let widest = ended.stdout.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        assert!(widest <= width.parse().expect("a number"), "{widest} at {width}: {}", ended.stdout);
    }
}

/// What the other commands print: only a word that is wider than the terminal leaves it, so that it can be copied.
#[test]
fn every_report_fits_the_width() {
    let on_machine = format!("# /// config\n# prime_rl = \"0.4.0\"\n# hardware = \"2x H100\"\n# ///\n{CLEAN}");
    let folder = Folder::new(&[("rl.toml", &on_machine), ("other.toml", &on_machine.replace("max_steps", "# max_steps"))]);
    folder.run("registry init");
    folder.run("bump rl.toml -m a-reason");
    for width in [60, 80, 120] {
        for words in [
            "memory rl.toml",
            "plan rl.toml",
            "estimate rl.toml",
            "diff rl.toml other.toml",
            "diff rl.toml --to-target 0.8.0",
            "migrate rl.toml --to 0.8.0",
            "explain PRL406",
            "explain",
            "schema show trainer.optim",
            "schema diff 0.7.0 0.8.0",
            "log",
            "log --graph",
            "model Qwen/Qwen3-8B --gpu H100",
            "new --model Qwen/Qwen3-8B --gpu 2xH100 --env reverse-text -o new.toml",
        ] {
            let ended = super::finish(folder.command(words).env("COLUMNS", width.to_string()), b"");
            for line in ended.stdout.lines().chain(ended.stderr.lines()).filter(|line| line.chars().count() > width) {
                // A mark or a number may come before the wide word.
                let words_of_line = line.split_whitespace().filter(|word| word.len() > 2).count();
                assert!(words_of_line <= 1, "{words} at {width}: {line}");
            }
            std::fs::remove_file(folder.path().join("new.toml")).ok();
        }
    }
}

/// A pipe gets each sentence as one line, for programs that read lines.
#[test]
fn a_pipe_gets_whole_lines() {
    let folder = Folder::new(&[]);
    let ended = folder.run("schema show trainer.optim --target 0.8.0");
    assert!(ended.stdout.lines().any(|line| line.chars().count() > 100), "{ended:?}");
}

#[test]
fn findings_are_on_standard_output_and_errors_on_standard_error() {
    let folder = Folder::new(&[("misspelt.toml", MISSPELT)]);
    assert_eq!(folder.run("check --target 0.4.0 misspelt.toml").stderr, "");
    assert_eq!(folder.run("check --target 0.4.9 misspelt.toml").stdout, "");
}
