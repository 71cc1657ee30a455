//! `cfg fmt`: which files it changes, what it shows, and its exit status.

use std::fs;

use super::Folder;

const CRAMPED: &str = "# A run.\nmax_steps=5\n[trainer]\n\n\n[orchestrator]\n  batch_size  = 64   # why\n";
const REGULAR: &str = "# A run.\nmax_steps = 5\n\n[trainer]\n\n[orchestrator]\nbatch_size = 64   # why\n";

fn text(folder: &Folder, name: &str) -> String {
    fs::read_to_string(folder.path().join(name)).expect("a text")
}

#[test]
fn configs_are_formatted_in_place_and_only_once() {
    let folder = Folder::new(&[("rl.toml", CRAMPED), ("other/tool.toml", "[tool]\nx=1\n")]);
    let checked = folder.run("fmt --check .");
    assert_eq!((checked.status, checked.stdout.lines().count()), (Some(1), 1), "{}{}", checked.stdout, checked.stderr);
    assert!(checked.stdout.trim_end().ends_with("rl.toml"), "{}", checked.stdout);
    assert_eq!(text(&folder, "rl.toml"), CRAMPED, "--check writes nothing");
    let shown = folder.run("fmt --diff rl.toml");
    assert!(shown.status == Some(1) && shown.stdout.contains("+max_steps = 5"), "{}", shown.stdout);
    let done = folder.run("fmt .");
    assert_eq!(done.status, Some(0));
    assert!(done.stderr.contains("1 file formatted, 0 already formatted, 1 left as it is"), "{}", done.stderr);
    assert_eq!(text(&folder, "rl.toml"), REGULAR);
    assert_eq!(text(&folder, "other/tool.toml"), "[tool]\nx=1\n", "it belongs to another program");
    let again = folder.run("fmt --check rl.toml");
    assert_eq!((again.status, again.stdout.as_str()), (Some(0), ""), "{}", again.stderr);
}

#[test]
fn a_file_with_a_syntax_error_is_left_alone() {
    let broken = "max_steps=\n[trainer]\n";
    let folder = Folder::new(&[("rl.toml", broken), ("two.toml", CRAMPED)]);
    let ended = folder.run("fmt rl.toml two.toml");
    assert!(ended.status == Some(2) && ended.stderr.contains("rl.toml has a syntax error"), "{}", ended.stderr);
    assert_eq!((text(&folder, "rl.toml"), text(&folder, "two.toml")), (broken.to_owned(), REGULAR.to_owned()));
    assert_eq!(folder.run("fmt missing.toml").status, Some(2));
}
