//! Counts findings by code.

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use cfg_diag::{Code, Diagnostic, Order};
use cfg_report::listed::{CountedCode, Listed as _};

use crate::args::Format;

/// The number of findings of each code.
#[derive(Default)]
pub(crate) struct Statistics(BTreeMap<&'static str, Counted>);

struct Counted {
    code: Code,
    count: usize,
    fixable: usize,
}

impl Statistics {
    /// Adds the findings of a file.
    pub(crate) fn add(&mut self, diagnostics: &[Diagnostic]) {
        for diagnostic in diagnostics.iter().filter(|diagnostic| !diagnostic.is_echo) {
            let code = diagnostic.code;
            let counted = self.0.entry(code.code).or_insert(Counted { code, count: 0, fixable: 0 });
            counted.count += 1;
            counted.fixable += usize::from(diagnostic.fix.is_some());
        }
    }

    /// Writes the counts, the most frequent first: as lines for people, as one JSON document, or as one JSON document per line.
    pub(crate) fn write(&self, out: &mut impl Write, format: Format) -> io::Result<()> {
        let mut all: Vec<&Counted> = self.0.values().collect();
        all.order_by_key(|counted| std::cmp::Reverse(counted.count));
        if matches!(format, Format::Json | Format::JsonLines) {
            let line = |counted: &&Counted| CountedCode {
                code: counted.code.code,
                name: counted.code.name,
                count: counted.count,
                fixable: counted.fixable,
            };
            let lines: Vec<CountedCode> = all.iter().map(line).collect();
            if format == Format::Json {
                cfg_report::json::write_pretty(&mut *out, &CountedCode::document(&lines, None))?;
                return writeln!(out);
            }
            for line in &lines {
                cfg_report::json::write_line(&mut *out, line)?;
                writeln!(out)?;
            }
            return Ok(());
        }
        for counted in all {
            let fixable = if counted.fixable > 0 { format!("  ({} with a fix)", counted.fixable) } else { String::new() };
            writeln!(out, "{:6}  {}  {}{fixable}", counted.count, counted.code.code, counted.code.name)?;
        }
        Ok(())
    }
}
