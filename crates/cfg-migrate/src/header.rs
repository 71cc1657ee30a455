//! What a config says of its prime-rl.

use cfg_diag::{Edit, FileId};
use cfg_plan::Metadata;
use cfg_schema::{History, Target};
use cfg_syntax::Dialect;

/// The edit that makes a text name another target, where it names one.
pub(crate) fn retarget(history: History, text: &str, dialect: Dialect, to: &Target) -> Option<Edit> {
    let (document, _) = cfg_syntax::parse(FileId(0), text, dialect);
    let (metadata, _) = Metadata::read(history, FileId(0), text, &document);
    let stated = metadata.target.as_ref().map(|stated| (stated.location, Some(stated.value.point)));
    let (location, point) = stated.or_else(|| metadata.local.as_ref().map(|local| (local.location, None)))?;
    let old = text.get(location.span.range())?;
    let quote = if old.starts_with('\'') { '\'' } else { '"' };
    let new_text = format!("{quote}{}{quote}", to.name);
    let is_meant = Target::parse(history, &to.name).is_ok_and(|parsed| parsed.point == to.point);
    let is_local = to.name.starts_with(Target::LOCAL);
    let is_other = point != Some(to.point) && old.trim_matches(['"', '\'']) != to.name;
    (is_other && (is_meant || is_local)).then_some(Edit { location, new_text })
}
