//! The help: `-h` in ten lines, `--help` on a screen, and the commands of `cfg` in groups.

use cfg_diag::Order as _;
use std::{ffi::OsString, fmt::Write as _, io};

use cfg_system::{OsSystem, System as _};
use clap::{Arg, Command};

use super::{Arguments, formats, former};

/// The groups of commands, each with a heading.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Write configs", &["init", "new", "sweep", "migrate", "fmt"]),
    ("Check and inspect configs", &["check", "compile", "diff", "memory", "estimate", "plan"]),
    ("Run and version configs", &["run", "bump", "log", "registry", "hook"]),
    ("Look things up", &["explain", "schema", "env", "gpu", "model"]),
    ("For editors, assistants and shells", &["lsp", "mcp", "generate"]),
];

/// The most lines of `-h`.
const SHORT: usize = 10;

/// The width of the help if it is not printed to a terminal, and the greatest, in columns.
const WIDTH: usize = 100;

/// Commands, or groups of commands, for which it does not matter which prime-rl a config is for.
const WITHOUT_TARGET: [&str; 16] = [
    "fmt",
    "log",
    "explain",
    "gpu",
    "mcp",
    "generate",
    "hook install",
    "hook uninstall",
    "registry init",
    "registry list",
    "registry merge",
    "registry mv",
    "registry gc",
    "registry show",
    "registry restore",
    "schema versions",
];

/// The same for the kind of a config.
const WITHOUT_KIND: [&str; 8] = ["init", "env", "model", "schema diff", "schema import", "run add", "run close", "run list"];

/// Commands that read no settings.
const WITHOUT_SETTINGS: [&str; 3] = ["explain", "generate", "schema"];

/// Lists the commands of `cfg` in their groups, and hides options where they do not matter.
pub(super) fn group(command: Command) -> Command {
    let common: Vec<Arg> = command.get_arguments().cloned().collect();
    let command = hide_below(command, &common, "");
    let header = command.get_styles().get_header();
    let literal = command.get_styles().get_literal();
    let mut text = String::new();
    for (heading, names) in GROUPS {
        let _ = writeln!(text, "{header}{heading}:{header:#}");
        for name in names {
            let _ = writeln!(text, "  {literal}{name:<9}{literal:#} {}", about(&command, name));
        }
        text.push('\n');
    }
    let template = format!(
        "{{before-help}}{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{text}{header}Options:{header:#}\n{{options}}{{after-help}}"
    );
    command.help_template(template)
}

fn about(command: &Command, name: &str) -> String {
    command.find_subcommand(name).and_then(Command::get_about).map_or_else(String::new, ToString::to_string)
}

/// Hides the common options of each command for which they have no effect. They are accepted, so that a script may give them to all commands.
fn hide_below(command: Command, common: &[Arg], words: &str) -> Command {
    command.mut_subcommands(|command| {
        let words = format!("{words} {}", command.get_name()).trim_start().to_owned();
        if command.has_subcommands() {
            return hide_below(command, common, &words);
        }
        let is_in = |names: &[&str]| {
            names.iter().any(|name| words == *name || words.strip_prefix(name).is_some_and(|rest| rest.starts_with(' ')))
        };
        let mut hidden: Vec<&str> = Vec::new();
        hidden.extend(is_in(&WITHOUT_TARGET).then_some("target"));
        hidden.extend((is_in(&WITHOUT_TARGET) || is_in(&WITHOUT_KIND)).then_some("kind"));
        hidden.extend(is_in(&WITHOUT_SETTINGS).then_some("settings"));
        let mut command = command;
        for arg in common.iter().filter(|arg| hidden.contains(&arg.get_id().as_str())) {
            command = command.arg(arg.clone().hide(true));
        }
        if formats::has_one_format(&words) { command.mut_arg("format", |arg| arg.hide(true)) } else { command }
    })
}

/// Writes the help that a command line asks for: to standard error if it is incomplete.
pub(super) fn print(words: &[OsString], is_incomplete: bool) -> io::Result<()> {
    let page = page(words);
    if is_incomplete {
        io::Write::write_all(&mut anstream::stderr(), page.as_bytes())
    } else {
        io::Write::write_all(&mut anstream::stdout(), page.as_bytes())
    }
}

/// The text of the help that a command line, in today's words, asks for; with styles.
fn page(words: &[OsString]) -> String {
    page_in(words, width())
}

fn page_in(words: &[OsString], width: usize) -> String {
    let mut asked = former::command(words);
    let is_help = asked.first().is_some_and(|word| word == "help");
    if is_help {
        asked.remove(0);
    }
    let is_short = !is_help && words.iter().any(|word| word == "-h") && !words.iter().any(|word| word == "--help");
    let mut command = Arguments::words().term_width(width);
    command.build();
    for word in asked {
        let Some(below) = command.find_subcommand(&word) else { break };
        command = below.clone().term_width(width);
    }
    if is_short { short(&mut command) } else { long(command) }
}

fn width() -> usize {
    let system = OsSystem::new();
    let from_environment = || system.host().variable("COLUMNS")?.to_str()?.parse().ok();
    let from_terminal = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    from_environment().or_else(from_terminal).unwrap_or(WIDTH).min(WIDTH)
}

/// The options that no command needs to explain again: they say how, not what.
const SAID_ONCE: [&str; 3] = ["color", "settings", "quiet"];

/// The options that matter for some commands of a group, and are explained by those.
const OF_COMMANDS: [&str; 3] = ["target", "kind", "format"];

/// All options, each in one or two lines, below what the command does. Those of every command are explained by `cfg --help`.
fn long(mut command: Command) -> String {
    if command.get_bin_name().is_some_and(|name| name.contains(' ')) {
        let there: Vec<String> = command
            .get_arguments()
            .filter(|arg| SAID_ONCE.contains(&arg.get_id().as_str()) && !arg.is_hide_set())
            .map(|arg| arg.get_id().to_string())
            .collect();
        let of_commands = OF_COMMANDS.iter().filter(|_| command.has_subcommands()).map(|name| (*name).to_owned());
        for name in there.iter().cloned().chain(of_commands).collect::<Vec<_>>() {
            command = command.mut_arg(&name, |arg| arg.hide(true));
        }
        command = with_formats_in_a_line(command);
        let names: Vec<String> = there.iter().map(|name| format!("--{name}")).collect();
        if !names.is_empty() {
            command = command.after_help(format!("See `cfg --help` for {}", names.join(", ")));
        }
    }
    let about = command.get_long_about().or(command.get_about()).cloned().unwrap_or_default();
    // The short help of clap has two columns.
    let text = command.about(about).render_help().ansi().to_string();
    let text = text.replace(" (see more with '--help')", "");
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n") + "\n"
}

/// The command with its formats as the description of `--format`.
fn with_formats_in_a_line(command: Command) -> Command {
    let format = command.get_arguments().find(|arg| arg.get_id() == "format" && !arg.is_hide_set());
    let values = format.map(Arg::get_possible_values).unwrap_or_default();
    if values.is_empty() {
        return command;
    }
    let names: Vec<&str> = values.iter().map(clap::builder::PossibleValue::get_name).collect();
    let names = names.join(", ");
    command.mut_arg("format", |arg| arg.help(names).hide_possible_values(true).hide_default_value(true))
}

/// What the command does, how it is called, and its first options, or its commands.
fn short(command: &mut Command) -> String {
    let about = command.get_about().map_or_else(String::new, ToString::to_string);
    let usage = command.render_usage().ansi().to_string();
    let mut lines = vec![about, String::new()];
    lines.extend(usage.lines().map(|line| line.trim_end().to_owned()));
    lines.push(String::new());
    let name = command.get_bin_name().unwrap_or("cfg").to_owned();
    if name == "cfg" {
        let width = GROUPS.iter().map(|(heading, _)| heading.len()).max().unwrap_or_default();
        lines.extend(GROUPS.iter().map(|(heading, names)| format!("  {heading:<width$}  {}", names.join(", "))));
    } else if command.has_subcommands() {
        let names: Vec<&str> = command.get_subcommands().map(Command::get_name).filter(|name| *name != "help").collect();
        lines.push(format!("Commands: {}", names.join(", ")));
    } else {
        let room = SHORT - 1 - lines.len();
        lines.extend(rows(command).into_iter().take(room));
    }
    lines.push(format!("`{name} --help` says more"));
    lines.join("\n") + "\n"
}

/// The own options of a command in the order of their importance, each in one line.
fn rows(command: &Command) -> Vec<String> {
    let literal = command.get_styles().get_literal();
    let options = command.get_opts().chain(command.get_arguments().filter(|arg| !arg.get_action().takes_values()));
    let mut rows: Vec<(usize, String, String)> = Vec::new();
    for arg in options.filter(|arg| !arg.is_hide_set() && !arg.is_positional()) {
        let Some(long) = arg.get_long().filter(|long| *long != "help") else { continue };
        let value =
            arg.get_value_names().filter(|_| arg.get_action().takes_values()).map(|names| format!(" <{}>", names.join("> <")));
        let name =
            arg.get_short().map_or_else(String::new, |short| format!("-{short}, ")) + "--" + long + &value.unwrap_or_default();
        let help = arg.get_help().map_or_else(String::new, ToString::to_string);
        let help = help.split([';', ':']).next().unwrap_or_default().split(". ").next().unwrap_or_default().to_owned();
        rows.push((order(command.get_name(), long), name, help));
    }
    rows.order_by_key(|(order, ..)| *order);
    let width = rows.iter().take(SHORT / 2).map(|(_, name, _)| name.len()).max().unwrap_or_default();
    let row = |name: &str, help: &str| {
        let line = format!("  {name:<width$}  {help}");
        let line: String = line.chars().take(WIDTH).collect();
        line.replacen(name, &format!("{literal}{name}{literal:#}"), 1)
    };
    rows.iter().map(|(_, name, help)| row(name, help)).collect()
}

/// The place of an option in the short help: those that a reader most probably looks for, then the others, then those of all commands.
fn order(command: &str, option: &str) -> usize {
    let first: &[&str] = match command {
        "check" => &["fix", "diff", "select", "gpu"],
        "migrate" => &["to", "write", "diff", "check"],
        "diff" => &["to-target", "since", "markdown"],
        "new" => &["model", "gpu", "env", "output"],
        "memory" | "estimate" => &["gpu", "price", "sweep", "disk"],
        "compile" => &["explain", "output", "format"],
        _ => &[],
    };
    let of_all = ["target", "kind", "format", "color", "settings", "quiet"];
    first.iter().position(|name| *name == option).unwrap_or(if of_all.contains(&option) { 20 } else { 10 })
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use clap::CommandFactory as _;

    use super::{super::Arguments, GROUPS, SHORT, page_in};

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
        assert!(common.iter().any(|id| id == "settings"), "{common:?}");
        let taken: Vec<String> = command.get_subcommands().flat_map(|command| below(command, &common)).collect();
        assert_eq!(taken, [""; 0]);
    }

    #[test]
    fn every_command_is_in_one_group_and_there_are_at_most_24() {
        let command = Arguments::command();
        let mut commands: Vec<&str> =
            command.get_subcommands().filter(|command| !command.is_hide_set()).map(clap::Command::get_name).collect();
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        commands.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(commands, grouped);
        assert!(commands.len() <= 24, "{}", commands.len());
    }

    /// The lines of a terminal's window on a laptop, and its usual columns.
    const SCREEN: usize = 50;
    const COLUMNS: usize = 80;

    /// The words of each command.
    fn all(command: &clap::Command, words: &str) -> Vec<String> {
        let below = command.get_subcommands().flat_map(|command| all(command, &format!("{words} {}", command.get_name())));
        std::iter::once(words.to_owned()).chain(below).collect()
    }

    #[test]
    fn help_fits_on_a_screen_and_its_short_form_has_ten_lines() {
        for words in all(&Arguments::command(), "cfg") {
            let text =
                |option: &str| page_in(&format!("{words} {option}").split(' ').map(OsString::from).collect::<Vec<_>>(), COLUMNS);
            let short = text("-h");
            assert!(short.lines().count() <= SHORT, "{words}: {short}");
            let long = text("--help");
            assert!(long.lines().count() <= SCREEN, "{words}: {} {long}", long.lines().count());
        }
    }
}
