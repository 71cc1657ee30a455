//! The help of `cfg` without a command: its commands in groups.

use std::fmt::Write as _;

use clap::Command;

/// The groups of commands, each with a heading.
const GROUPS: [(&str, &[&str]); 7] = [
    ("Get started", &["init", "new", "sweep"]),
    ("Check and inspect configs", &["check", "compile", "diff", "memory", "estimate", "plan", "curriculum", "migrate", "fmt"]),
    ("Start, watch and resume runs", &["preflight", "launch", "watch", "report", "resume", "diagnose", "run"]),
    ("Version configs", &["bump", "log", "show", "restore", "registry", "hook"]),
    ("Look things up", &["explain", "schema", "env", "gpu", "models"]),
    ("For coding assistants", &["mcp", "skill"]),
    ("For editors and shells", &["lsp", "completions", "man", "help"]),
];

/// Lists the commands of `cfg` in their groups.
pub(super) fn group(command: Command) -> Command {
    let header = command.get_styles().get_header();
    let literal = command.get_styles().get_literal();
    let mut text = String::new();
    for (heading, names) in GROUPS {
        let _ = writeln!(text, "{header}{heading}:{header:#}");
        for name in names {
            let about = command.find_subcommand(name).and_then(Command::get_about).map_or_else(
                || if *name == "help" { "Print this message or the help of a command".to_owned() } else { String::new() },
                ToString::to_string,
            );
            let _ = writeln!(text, "  {literal}{name:<12}{literal:#} {about}");
        }
        text.push('\n');
    }
    let template =
        format!("{{before-help}}{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{text}{{options}}{{after-help}}");
    command.help_template(template)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::{super::Arguments, GROUPS};

    /// For an argument with the same name, clap would use the value of the common one.
    #[test]
    fn no_command_argument_has_the_name_of_a_common_one() {
        fn below(command: &clap::Command, common: &[clap::Id]) -> Vec<String> {
            let own = command.get_arguments().filter(|arg| common.contains(arg.get_id()));
            let own: Vec<String> = own.map(|arg| format!("{} {}", command.get_name(), arg.get_id())).collect();
            own.into_iter().chain(command.get_subcommands().flat_map(|command| below(command, common))).collect()
        }
        let command = Arguments::command();
        let common: Vec<clap::Id> = command.get_arguments().map(|arg| arg.get_id().clone()).collect();
        assert!(common.iter().any(|id| id == "config"), "{common:?}");
        let taken: Vec<String> = command.get_subcommands().flat_map(|command| below(command, &common)).collect();
        assert_eq!(taken, [""; 0]);
    }

    #[test]
    fn every_command_is_in_one_group() {
        let command = Arguments::command();
        let mut commands: Vec<&str> =
            command.get_subcommands().filter(|command| !command.is_hide_set()).map(clap::Command::get_name).collect();
        let mut grouped: Vec<&str> =
            GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).filter(|name| *name != "help").collect();
        commands.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(commands, grouped);
    }
}
