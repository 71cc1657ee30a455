//! The shared `log` table goes over those of trainer and orchestrator; with its defaults too, so that their own levels have no effect.

use cfg_schema::Point;

use super::share;
use crate::native::{Cx, Failure};

/// `3194b161a`
const JSON: Point = Point(155);
/// Log files are no longer a choice (`1692a67d9`).
const NO_FILE: Point = Point(247);
pub(super) fn check(cx: &mut Cx<'_>) -> Result<(), Failure> {
    if !cx.has("log") {
        return Ok(());
    }
    share(cx, "log.level", &["trainer.log.level", "orchestrator.log.level"]);
    if cx.point < NO_FILE {
        share(cx, "log.file", &["trainer.log.file", "orchestrator.log.file"]);
    }
    if cx.point >= JSON {
        cx.copy("log.json_logging", "trainer.log.json_logging");
        cx.copy("log.json_logging", "orchestrator.log.json_logging");
    }
    Ok(())
}
