//! What the place that is written to can show.

use std::io::{self, IsTerminal as _, Write as _};

use cfg_report::Style;

use crate::args::Color;

/// The widest line that is still easy to read.
const MAX_WIDTH: usize = 120;

/// What standard output can show.
pub(crate) fn style(color: Color) -> Style {
    let stdout = io::stdout();
    let is_terminal = stdout.is_terminal();
    let choice = match color {
        Color::Always => anstream::ColorChoice::Always,
        Color::Never => anstream::ColorChoice::Never,
        Color::Auto => anstream::AutoStream::choice(&stdout),
    };
    let color = !matches!(choice, anstream::ColorChoice::Never);
    let utf8 = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()));
    let unicode = utf8.is_some_and(|locale| locale.to_ascii_lowercase().replace('-', "").contains("utf8"));
    Style { color, width: width(is_terminal), links: false, unicode }
}

fn width(is_terminal: bool) -> usize {
    let from_environment = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let from_terminal = || is_terminal.then(terminal_size::terminal_size).flatten().map(|(width, _)| usize::from(width.0));
    from_environment.or_else(from_terminal).unwrap_or(80).min(MAX_WIDTH)
}

/// Says on standard error what was done.
pub(crate) fn say(message: &str) {
    write("", message);
}

/// A text in a colour of the terminal (an SGR parameter list), where colours are shown.
pub(crate) fn paint(style: Style, ink: &str, text: &str) -> String {
    if style.color && !text.is_empty() { format!("\x1b[{ink}m{text}\x1b[0m") } else { text.to_owned() }
}

/// Says on standard error why the command could not do its work.
pub(crate) fn complain(message: &str) {
    write("cfg: ", message);
}

/// Says on standard error what is good to know about the output.
pub(crate) fn note(message: &str) {
    write("note: ", message);
}

fn write(head: &str, message: &str) {
    // What a user or a file named may hold control characters; a terminal must not obey them.
    let shown: String =
        message.chars().flat_map(|c| if c.is_control() { c.escape_default().collect::<Vec<_>>() } else { vec![c] }).collect();
    // Where standard error is closed there is no one left to tell.
    let _ = writeln!(io::stderr(), "{head}{shown}");
}
