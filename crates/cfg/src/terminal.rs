//! The capabilities of the terminal.

use std::io::{self, IsTerminal, Write as _};

use cfg_report::Style;
use cfg_system::Host;

use crate::{args::Color, context::Context, progress};

/// The maximum width of lines, in columns: longer ones are hard to read.
const MAX_WIDTH: usize = 120;

/// On a narrower terminal, lines are left to it.
const NARROWEST: usize = 20;

/// What standard output supports.
pub(crate) fn style(cx: &Context) -> Style {
    let stdout = io::stdout();
    let is_terminal = stdout.is_terminal();
    let choice = match cx.common.color {
        Color::Always => anstream::ColorChoice::Always,
        Color::Never => anstream::ColorChoice::Never,
        Color::Auto => anstream::AutoStream::choice(&stdout),
    };
    let color = !matches!(choice, anstream::ColorChoice::Never);
    let utf8 = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| cx.host().variable(name)?.into_string().ok());
    let unicode = utf8.is_some_and(|locale| locale.to_ascii_lowercase().replace('-', "").contains("utf8"));
    Style { color, width: width(cx.host(), is_terminal), links: false, unicode }
}

fn width(host: &dyn Host, is_terminal: bool) -> usize {
    let from_environment = host.variable("COLUMNS").and_then(|columns| columns.to_str()?.parse().ok());
    let from_terminal = || is_terminal.then(terminal_size::terminal_size).flatten().map(|(width, _)| usize::from(width.0));
    from_environment.or_else(from_terminal).unwrap_or(80).min(MAX_WIDTH)
}

/// A text with a color (a list of SGR parameters), if colors are enabled.
pub(crate) fn paint(style: Style, ink: &str, text: &str) -> String {
    if style.color && !text.is_empty() { format!("\x1b[{ink}m{text}\x1b[0m") } else { text.to_owned() }
}

/// What precedes the lines of a paragraph.
pub(crate) const INDENTATION: &str = "      ";

/// Writes a text that is wrapped and indented. `start` precedes its first line, and takes as many columns as the indentation.
pub(crate) fn write_paragraph(out: &mut dyn io::Write, style: Style, start: &str, text: &str) -> io::Result<()> {
    let width = style.width.max(40) - INDENTATION.len();
    let (mut start, mut line) = (start, String::new());
    for word in cfg_diag::one_line(text).split_whitespace() {
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
            writeln!(out, "{start}{line}")?;
            start = INDENTATION;
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    writeln!(out, "{start}{line}")
}

/// The columns of a stream, if it is a terminal or the environment states them.
pub(crate) fn columns(cx: &Context, stream: &impl IsTerminal) -> Option<usize> {
    let stated = || cx.host().variable("COLUMNS")?.to_str()?.parse().ok();
    let measured = || stream.is_terminal().then(terminal_size::terminal_size).flatten().map(|(width, _)| usize::from(width.0));
    stated().or_else(measured).filter(|columns| *columns >= NARROWEST)
}

/// Writes a message to standard error, after a word that states what kind of message it is.
pub(crate) fn write(cx: &Context, head: &str, message: &str) {
    let _shown = progress::make_way(true);
    let text = format!("{head}{}\n", cfg_diag::one_line(message));
    let text = columns(cx, &io::stderr()).map_or_else(|| text.clone(), |width| cfg_report::fold(&text, width));
    // Names from users and files may contain control characters, which must not reach a terminal. If standard error is closed, nothing can be
    // reported.
    let _ = text.lines().try_for_each(|line| writeln!(io::stderr(), "{}", cfg_diag::without_commands(line)));
}
