//! Words of earlier versions and of other linters, which are rewritten before the command line is parsed. Help, completions and messages have only
//! today's.

use std::ffi::OsString;

/// What is written, and what it means. A command is one or several words; an option follows the words of its command as they are today, or stands alone
/// if it is an option of all commands.
const TABLE: [(&str, &str); 24] = [
    // ruff, pylint, eslint
    ("lint", "check"),
    ("rule", "explain"),
    ("server", "lsp"),
    ("--output-format", "--format"),
    // Runs have one noun.
    ("preflight", "run preflight"),
    ("launch", "run launch"),
    ("watch", "run watch"),
    ("resume", "run resume"),
    ("diagnose", "run diagnose"),
    ("report", "run report"),
    ("run finish", "run close"),
    // A part of another command
    ("curriculum", "plan --curriculum"),
    ("show", "registry show"),
    ("restore", "registry restore"),
    ("completions", "generate completions"),
    ("man", "generate man"),
    ("skill", "generate skill"),
    // Groups of one
    ("env show", "env"),
    ("gpu list", "gpu"),
    ("models check", "model"),
    ("models", "model"),
    // One meaning for each option
    ("--config", "--settings"),
    ("check --env", "check --env-vars"),
    ("compile --env", "compile --env-vars"),
];

/// The options before and between the words of a command that are followed by a value.
const WITH_VALUE: [&str; 8] =
    ["--target", "--kind", "--format", "--output-format", "--color", "--settings", "--config", "--within"];

/// The words of a command line as they are written today. What follows `--` is a launch command, and stays.
pub(super) fn today(mut words: Vec<OsString>) -> Vec<OsString> {
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let behind = words.split_off(end);
    let command = commands_from(&mut words, 1);
    options(&mut words, &command);
    words.extend(behind);
    words
}

/// Rewrites the words of the command, which begin at or after an index; returns them.
fn commands_from(words: &mut Vec<OsString>, start: usize) -> Vec<String> {
    let places = places_of_words(words, start);
    let word = |words: &[OsString], index: usize| words[places[index]].to_string_lossy().into_owned();
    let first =
        |words: &[OsString], count: usize| (0..count.min(places.len())).map(|index| word(words, index)).collect::<Vec<_>>();
    // The command of which the help or the manual page is wanted has former names too.
    let leading = [["help"].as_slice(), &["generate", "man"], &["man"]];
    let row = TABLE.iter().find(|(former, _)| {
        let former: Vec<&str> = former.split(' ').collect();
        former.len() <= places.len() && first(words, former.len()) == former
    });
    let leads = leading.into_iter().find(|leading| first(words, leading.len()) == *leading);
    if let Some(leads) = leads {
        let next = places[leads.len() - 1] + 1;
        commands_from(words, next);
    }
    if let Some((former, today)) = row {
        let count = former.split(' ').count();
        for place in places[..count].iter().rev() {
            words.remove(*place);
        }
        let new: Vec<OsString> = today.split(' ').map(OsString::from).collect();
        words.splice(places[0]..places[0], new);
    }
    places_of_words(words, start).into_iter().map(|place| words[place].to_string_lossy().into_owned()).collect()
}

/// The first words of a command line that name the command, or its first arguments.
pub(super) fn command(words: &[OsString]) -> Vec<String> {
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let words = &words[..end];
    places_of_words(words, 1).into_iter().map(|place| words[place].to_string_lossy().into_owned()).collect()
}

/// Rewrites the options of a command.
fn options(words: &mut [OsString], command: &[String]) {
    for (former, today) in TABLE {
        let (of, former) = former.rsplit_once(' ').unwrap_or(("", former));
        let today = today.rsplit(' ').next().unwrap_or(today);
        let is_of_command = of.is_empty() || of.split(' ').eq(command.iter().take(of.split(' ').count()).map(String::as_str));
        if !former.starts_with("--") || !is_of_command {
            continue;
        }
        for word in words.iter_mut() {
            let Some(text) = word.to_str() else { continue };
            match text.strip_prefix(former) {
                Some("") => *word = today.into(),
                Some(value) if value.starts_with('=') => *word = format!("{today}{value}").into(),
                _ => {}
            }
        }
    }
}

/// The indexes of the first words, at or after an index, that are neither an option nor the value of an option of all commands.
fn places_of_words(words: &[OsString], start: usize) -> Vec<usize> {
    let mut places = Vec::new();
    let mut index = start;
    while index < words.len() && places.len() < 4 {
        let word = words[index].to_string_lossy();
        if WITH_VALUE.contains(&&*word) {
            index += 1;
        } else if !word.starts_with('-') {
            places.push(index);
        }
        index += 1;
    }
    places
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use clap::CommandFactory as _;

    use super::{super::Arguments, TABLE, today};

    fn written(line: &str) -> String {
        let words = today(line.split(' ').map(OsString::from).collect());
        words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn every_row_leads_to_a_command_or_option_that_exists() {
        for (former, new) in TABLE {
            let line = format!("cfg {former}");
            let mut command = Arguments::command();
            command.build();
            let words: Vec<&str> = new.split(' ').collect();
            for word in &words {
                let option = word.strip_prefix("--");
                let is_there = option.map_or_else(
                    || command.find_subcommand(word).is_some(),
                    |option| command.get_arguments().any(|argument| argument.get_long() == Some(option)),
                );
                assert!(is_there, "{new}: {word}");
                command = command.find_subcommand(word).cloned().unwrap_or(command);
            }
            // An option is written after its command, as it is today.
            assert_eq!(written(&line), format!("cfg {new}"), "{former}");
        }
    }

    #[test]
    fn words_are_found_between_options_and_only_before_two_dashes() {
        for (former, new) in [
            ("cfg -q --target 0.8.0 diagnose logs", "cfg -q --target 0.8.0 run diagnose logs"),
            ("cfg --format json models -q check M", "cfg --format json model -q M"),
            ("cfg help diagnose", "cfg help run diagnose"),
            ("cfg man models check", "cfg generate man model"),
            ("cfg generate man preflight", "cfg generate man run preflight"),
            ("cfg check --env -- uv run rl @ a.toml --env x", "cfg check --env-vars -- uv run rl @ a.toml --env x"),
            ("cfg new --env x --model y", "cfg new --env x --model y"),
            ("cfg check --config=a.toml lint", "cfg check --settings=a.toml lint"),
            ("cfg explain rule", "cfg explain rule"),
            ("cfg --config lint check", "cfg --settings lint check"),
            ("cfg run show", "cfg run show"),
            ("cfg", "cfg"),
        ] {
            assert_eq!(written(former), new);
        }
    }
}
