//! When colors are used.

use super::{Folder, MISSPELT, finish};

/// Whether the output of a command has colors, with these environment variables.
fn has_color(words: &str, environment: &[(&str, &str)]) -> bool {
    let folder = Folder::new(&[("misspelt.toml", MISSPELT)]);
    let ended = finish(folder.command(words).envs(environment.iter().copied()), b"");
    assert_eq!(ended.status, Some(1), "{ended:?}");
    ended.stdout.contains('\x1b')
}

#[test]
fn a_pipe_has_no_color() {
    assert!(!has_color("check --target 0.4.0 misspelt.toml", &[("TERM", "xterm-256color")]));
    assert!(!has_color("check --target 0.4.0 --format concise misspelt.toml", &[("TERM", "xterm-256color")]));
}

#[test]
fn the_option_decides() {
    assert!(has_color("check --target 0.4.0 --color always misspelt.toml", &[]));
    assert!(has_color("check --target 0.4.0 --color always misspelt.toml", &[("NO_COLOR", "1")]));
    assert!(has_color("check --target 0.4.0 --color always --format concise misspelt.toml", &[]));
    assert!(!has_color("check --target 0.4.0 --color never misspelt.toml", &[("CLICOLOR_FORCE", "1")]));
}

#[test]
fn no_color_is_heeded() {
    assert!(has_color("check --target 0.4.0 misspelt.toml", &[("CLICOLOR_FORCE", "1")]));
    assert!(!has_color("check --target 0.4.0 misspelt.toml", &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
}

#[test]
fn json_never_has_any() {
    assert!(!has_color("check --target 0.4.0 --color always --format json misspelt.toml", &[]));
}
