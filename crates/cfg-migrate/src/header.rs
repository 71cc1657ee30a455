//! What a config says of its prime-rl.

use cfg_diag::{Edit, FileId};
use cfg_plan::Metadata;
use cfg_schema::{History, Target};
use cfg_syntax::Dialect;

/// The edit that makes a text name another target, where it names one.
pub(crate) fn retarget(history: History, text: &str, dialect: Dialect, to: &Target) -> Option<Edit> {
    let (document, _) = cfg_syntax::parse(FileId(0), text, dialect);
    let (metadata, _) = Metadata::read(history, FileId(0), text, &document);
    let stated = metadata.target?;
    let old = text.get(stated.location.span.range())?;
    let quote = if old.starts_with('\'') { '\'' } else { '"' };
    let new_text = format!("{quote}{}{quote}", to.name);
    let is_meant = Target::parse(history, &to.name).is_ok_and(|parsed| parsed.point == to.point);
    (stated.value.point != to.point && is_meant).then_some(Edit { location: stated.location, new_text })
}
