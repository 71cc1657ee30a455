//! The shared `log` table replaces those of trainer and orchestrator, including its defaults, so the levels that they set themselves have no effect.

use cfg_schema::Behaviour;

use super::share;
use crate::native::{Failure, ValidatorCtx};

pub(super) fn check(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if !cx.has("log") {
        return Ok(());
    }
    share(cx, "log.level", &["trainer.log.level", "orchestrator.log.level"]);
    if cx.point.lacks(Behaviour::NoLogFile) {
        share(cx, "log.file", &["trainer.log.file", "orchestrator.log.file"]);
    }
    if cx.point.has(Behaviour::JsonLogs) {
        cx.copy("log.json_logging", "trainer.log.json_logging");
        cx.copy("log.json_logging", "orchestrator.log.json_logging");
    }
    Ok(())
}
