//! `cfg schema export`: the configs of a target as JSON Schemas.

use std::{io::Write as _, path::Path};

use cfg_schema::{Kind, Target};
use cfg_system::{NewMode, Role};

use crate::{CommandResult, Outcome, args::Format, context::Context, write::put};

pub(super) fn run(cx: &Context, target: &Target, folder: Option<&Path>) -> CommandResult {
    let kind = cx.common.kind();
    let schema = |kind| cfg_resolve::emit::json_schema(target.schema(kind), &target.name);
    let text = |kind| cfg_resolve::emit::json_schema_text(&schema(kind));
    let Some(folder) = folder else {
        if cx.common.format == Format::JsonLines {
            let mut out = cx.out();
            cfg_report::json::write_line(&mut out, &schema(kind.unwrap_or(Kind::Rl)))?;
            writeln!(out)?;
            return Ok(Outcome::Clean);
        }
        cx.out_of_lines().write_all(text(kind.unwrap_or(Kind::Rl)).as_bytes())?;
        return Ok(Outcome::Clean);
    };
    // Without `--kind`, all kinds that exist at the target.
    let is_there = |kind: &Kind| target.schema(*kind).root().at(target.point).is_some();
    let kinds = kind.map_or_else(|| Kind::ALL.into_iter().filter(is_there).collect(), |kind| vec![kind]);
    let file = |kind: &Kind| folder.join(format!("{kind}.json"));
    let may_be_written = kinds.iter().try_for_each(|kind| cx.writer.may_write(&file(kind)));
    if let Err(error) = may_be_written.and_then(|()| cx.writer.create_folder(folder)) {
        cx.complain(&format!("{}: {error}", folder.display()));
        return Ok(Outcome::Failed);
    }
    for kind in kinds {
        let path = file(&kind);
        if let Err(error) = put(&*cx.writer, &path, Role::Config, NewMode::Plain, text(kind).as_bytes()) {
            cx.complain(&format!("{}: {error}", path.display()));
            return Ok(Outcome::Failed);
        }
        cx.say(&format!("wrote {}", path.display()));
    }
    Ok(Outcome::Clean)
}
