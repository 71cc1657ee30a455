//! The course of a run as text, with a line of steps and a table of the ports.

use std::io::{self, Write};

use cfg_diag::one_line;

use super::{CourseReport, grouped};
use crate::{
    Style,
    paint::{BOLD, DIM},
};

/// The most columns of the line of steps, and the fewest.
const LINE: (usize, usize) = (61, 11);

/// Writes the size of a step, the totals of all steps, the tokens of a rollout, and a line of steps with the events, which is shorter if the terminal has
/// too few columns for it.
pub fn write_text(out: &mut impl Write, style: Style, columns: Option<usize>, report: &CourseReport) -> io::Result<()> {
    for (name, words) in report.sentences() {
        writeln!(out, "{}  {words}", style.paint(BOLD, format!("{name:<12}")))?;
    }
    let (marks, last) = (report.marks(), report.max_steps.unwrap_or_default());
    if marks.is_empty() {
        return write_sockets(out, style, report);
    }
    let longest = marks.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let length = columns.map_or(LINE.0, |columns| columns.saturating_sub(longest + 4).clamp(LINE.1, LINE.0));
    let (rail, mark) = if style.unicode { ('─', '●') } else { ('-', 'o') };
    writeln!(out, "\n  0{:>width$}  steps", grouped(last), width = length - 1)?;
    for (name, at) in marks {
        let mut line = vec![rail; length];
        for step in at {
            #[expect(clippy::cast_precision_loss, clippy::cast_sign_loss, reason = "a share of a line")]
            let column = (step as f64 / last as f64 * (length - 1) as f64) as usize;
            if let Some(place) = line.get_mut(column) {
                *place = mark;
            }
        }
        writeln!(out, "  {}  {}", line.into_iter().collect::<String>(), style.paint(DIM, name))?;
    }
    write_sockets(out, style, report)
}

/// The columns of a port, with the blanks around it.
const PORT: usize = 9;

/// Writes the ports on which processes listen, those of each machine in a table of its own.
fn write_sockets(out: &mut impl Write, style: Style, report: &CourseReport) -> io::Result<()> {
    for (node, sockets) in report.sockets_by_node() {
        let rows: Vec<_> = sockets
            .iter()
            .map(|one| (one.port, one_line(one.address()), one_line(&one.owner), one_line(one.moved_by())))
            .collect();
        let width = |of: &dyn Fn(usize) -> usize| (0..rows.len()).map(of).max().unwrap_or(0);
        let (address, owner) = (width(&|at| rows[at].1.chars().count()), width(&|at| rows[at].2.chars().count()));
        writeln!(out, "\n{} on {node}", style.paint(BOLD, "Ports".to_owned()))?;
        // If a key does not fit on its line, each has a line of its own.
        let fits = PORT + address + 2 + owner + 2 + width(&|at| rows[at].3.chars().count()) <= style.width.max(40);
        for (port, host, what, key) in &rows {
            let key = style.paint(DIM, key.to_string());
            if fits {
                writeln!(out, "  {port:>5}  {host:<address$}  {what:<owner$}  {key}")?;
            } else {
                writeln!(out, "  {port:>5}  {host:<address$}  {what}\n{:PORT$}{key}", "")?;
            }
        }
    }
    Ok(())
}
