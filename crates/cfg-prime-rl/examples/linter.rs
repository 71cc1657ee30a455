//! Another linter that has configs of prime-rl among its files: it shows the findings as its own, and makes the safe fixes.
//!
//! `cargo run -p cfg-prime-rl --example linter configs/*.toml`

use std::{fs, io};

use cfg_prime_rl::{Applicability, Checker, Config, Finding, Severity};

/// A finding in the words of this linter.
fn line(path: &str, finding: &Finding) -> String {
    let place = finding.range.map_or_else(String::new, |range| format!(":{}:{}", range.start.line, range.start.column));
    let path = finding.path.as_deref().unwrap_or(path);
    let level = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    };
    let mut line = format!("{path}{place}: {level} [prime-rl/{}] {}", finding.name, finding.message);
    for related in &finding.related {
        line += &format!("\n  see line {}: {}", related.range.start.line, related.message);
    }
    if !finding.choices.is_empty() {
        line += &format!("\n  one of: {}", finding.choices.join(", "));
    }
    line
}

/// The text after all safe fixes. Each is for the text that was checked, so that it is checked again after each.
fn fixed(checker: &Checker, path: &str, mut text: String) -> io::Result<String> {
    loop {
        let report = checker.check(&Config::new(&text).path(path)).map_err(io::Error::other)?;
        let safe = report.findings.iter().filter_map(|finding| finding.fix.as_ref());
        let next = safe.filter(|fix| fix.applicability == Applicability::Safe).find_map(|fix| fix.apply(&text));
        match next {
            Some(next) => text = next,
            None => return Ok(text),
        }
    }
}

fn main() -> io::Result<()> {
    let checker = Checker::default();
    for path in std::env::args().skip(1) {
        let text = fixed(&checker, &path, fs::read_to_string(&path)?)?;
        let config = Config::new(&text).path(&path).ignore(&["unregistered-config"]);
        let report = checker.check(&config).map_err(io::Error::other)?;
        for finding in &report.findings {
            io::Write::write_all(&mut io::stdout(), format!("{}\n", line(&path, finding)).as_bytes())?;
        }
    }
    Ok(())
}
