//! The editor of the user.

use std::path::Path;

use cfg_system::System;

use crate::staging::ask;

/// The editor in which the user writes messages, with its arguments, as git determines it: `GIT_EDITOR`, `core.editor` of the user or the machine,
/// `VISUAL`, `EDITOR`. What a repository's own configuration names is left out: it is not the user's.
pub fn editor(system: &dyn System, folder: &Path) -> Option<Vec<String>> {
    let variable = |name: &str| system.host().variable(name)?.into_string().ok();
    let setting = |scope: &str| {
        let answer = ask(system, folder, &["config", scope, "--get", "core.editor"]).ok()?;
        String::from_utf8(answer).ok()
    };
    let named = variable("GIT_EDITOR")
        .or_else(|| setting("--global"))
        .or_else(|| setting("--system"))
        .or_else(|| variable("VISUAL"))
        .or_else(|| variable("EDITOR"))?;
    Some(words(named.trim())).filter(|words| !words.is_empty())
}

/// The words of a command, with the quotes of a shell, of which nothing is expanded.
fn words(command: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let (mut word, mut quote) = (None::<String>, None);
    let mut letters = command.chars();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (None, '"' | '\'') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, _) if letter.is_whitespace() => words.extend(word.take()),
            (None | Some('"'), '\\') if cfg!(unix) => word.get_or_insert_default().extend(letters.next()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn a_command_has_the_words_of_a_shell() {
        for (command, expected) in [
            ("vim", &["vim"][..]),
            ("code --wait", &["code", "--wait"]),
            ("vim -c 'set tw=72'  -- ", &["vim", "-c", "set tw=72", "--"]),
            ("\"/opt/my editor/ed\" ''", &["/opt/my editor/ed", ""]),
            ("", &[]),
        ] {
            assert_eq!(words(command), expected, "{command}");
        }
    }
}
