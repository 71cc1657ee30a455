//! `cfg explain`: the documentation of a code.

use std::io::{self, Write as _};

use cfg_diag::codes;

use crate::{
    Outcome,
    args::{Common, Explain},
    terminal,
};

pub(crate) fn run(_: &Common, explain: &Explain) -> io::Result<Outcome> {
    let mut out = io::stdout().lock();
    let Some(code) = &explain.code else {
        for info in codes::ALL {
            writeln!(out, "{}  {:20}  {}", info.code, info.name, info.summary)?;
        }
        return Ok(Outcome::Clean);
    };
    let Some(info) = codes::find(code) else {
        terminal::complain(&format!("`{code}` is no code; `cfg explain` lists all"));
        return Ok(Outcome::Failed);
    };
    // The page begins with the name as its heading.
    let text = info.page.split_once('\n').map_or("", |(_, text)| text);
    writeln!(out, "{} {}\n{}", info.code, info.name, text.trim_end())?;
    Ok(Outcome::Clean)
}
