//! The resolved config as a config again.

use std::io::{self, Write as _};

use cfg_check::reread;
use cfg_compose::Tree;

use super::Config;
use crate::{Outcome, terminal};

pub(super) fn run(config: &Config<'_>) -> io::Result<Outcome> {
    let schema = config.checked.target.schema(config.kind());
    let resolve = |tree: Tree| reread(config.session, schema, tree);
    let made = cfg_emit::faithful(config.resolved, config.point(), &config.input.command.tree.root, &resolve);
    let (text, unwritable) = cfg_emit::toml(&made.table);
    let lost: Vec<&str> = made.lost.iter().map(String::as_str).chain(unwritable.iter().map(|value| &*value.key)).collect();
    if !lost.is_empty() {
        terminal::complain(&format!(
            "no file of prime-rl {} can state what {} resolves to here: {}",
            config.checked.target,
            config.name,
            lost.join(", ")
        ));
        return Ok(Outcome::Failed);
    }
    if !made.left_out.is_empty() {
        let keys = made.left_out.join(", ");
        terminal::note(&format!("not written, because prime-rl makes these values only where no file states them: {keys}"));
    }
    let mut out = io::BufWriter::new(io::stdout().lock());
    writeln!(out, "# {} as prime-rl {} resolves it", cfg_report::one_line(config.name), config.checked.target)?;
    if !text.starts_with('[') {
        writeln!(out)?;
    }
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(Outcome::Clean)
}
