//! What is typed in place of a command's own words.

use super::Folder;

/// What users of other linters type by habit.
#[test]
fn words_of_other_linters_are_understood() {
    let folder = Folder::new(&[("rl.toml", super::MISSPELT)]);
    for (word, usual) in [
        ("lint rl.toml", "check rl.toml"),
        ("rule PRL101", "explain PRL101"),
        ("check --output-format concise rl.toml", "check --format concise rl.toml"),
        ("server --help", "lsp --help"),
    ] {
        let (ended, wanted) = (folder.run(word), folder.run(usual));
        assert_eq!((ended.status, &ended.stdout, &ended.stderr), (wanted.status, &wanted.stdout, &wanted.stderr), "{word}");
        assert!(ended.status != Some(2), "{word}: {}", ended.stderr);
    }
}

#[test]
fn a_file_in_place_of_a_command_is_answered_with_its_check() {
    let folder = Folder::new(&[("rl.toml", super::MISSPELT)]);
    for word in ["rl.toml", "configs/rl", "."] {
        let ended = folder.run(word);
        assert_eq!(ended.status, Some(2), "{word}");
        assert!(ended.stderr.contains(&format!("tip: to check it, write `cfg check {word}`")), "{}", ended.stderr);
    }
    assert!(!folder.run("chekc").stderr.contains("to check it"));
}
