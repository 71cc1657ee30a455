//! Writes the list of symptoms, `docs/symptoms.md`, and that of the lines that are read, `docs/lines.md`.

use std::fmt::Write as _;

use crate::{all, lines};

/// The text of the page.
pub fn table() -> String {
    let mut page =
        "# Symptoms\n\nWhat `cfg run diagnose` recognizes, generated from `schemas/symptoms/` by `cargo xtask generate`. \
        `…` matches anything within the line; case is ignored.\n\n| symptom | written by | lines | what happened | rules \
        |\n|---|---|---|---|---|\n"
            .to_owned();
    let cell = |text: &str| text.replace('|', "\\|");
    for symptom in all() {
        let lines: Vec<String> = symptom.lines.iter().map(|line| format!("`{}`", line.replace('`', "'"))).collect();
        let lines = if lines.is_empty() { "inferred from the course of the run".to_owned() } else { lines.join("<br>") };
        let rules: Vec<String> =
            symptom.rules.iter().map(|code| format!("[{name}](rules/{name}.md)", name = code.name)).collect();
        let _ = writeln!(
            page,
            "| {} | {} | {} | {} Then: {} | {} |",
            symptom.name,
            cell(&symptom.by),
            cell(&lines),
            cell(&symptom.cause),
            cell(&symptom.repair),
            rules.join(", ")
        );
    }
    page
}

/// The text of the page about the lines of prime-rl's loggers.
pub fn lines() -> String {
    let mut page = "# Lines of a run\n\nThe lines of prime-rl's processes from which [`cfg run watch`](watch.md), [`cfg run diagnose`](diagnose.md), [`cfg run report`](report.md), \
        `cfg run compare` and `cfg estimate --from` read the course of a run, generated from `schemas/lines.toml` by `cargo xtask generate`. `{name}` is a number that is read, \
        with its unit, `{}` one that is not. Prefixes of loggers, JSON and colours are taken off before; case is ignored.\n\n\
        | event | written by | releases | line |\n|---|---|---|---|\n"
        .to_owned();
    for format in lines::all() {
        let releases = match (&*format.since, &*format.until) {
            ("", _) => "forks".to_owned(),
            (since, "") => format!("since {since}"),
            (since, until) if since == until => since.to_owned(),
            (since, until) => format!("{since} to {until}"),
        };
        let line = format.line.replace('|', "\\|");
        let _ = writeln!(page, "| {} | {} | {releases} | `{line}` |", format.event.name(), format.component);
    }
    page
}
