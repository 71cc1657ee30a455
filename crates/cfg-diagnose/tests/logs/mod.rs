//! The logs of a run, as `cfg run diagnose` reads them.

use std::path::Path;

use cfg_diagnose::{Finding, Log, Matcher, RunContext, ScannedLog, conclude};

/// Logs by path and text.
pub(crate) fn scanned(logs: &[(&str, &str)]) -> Vec<ScannedLog> {
    let matcher = Matcher::new();
    let read = |(path, text): &(&str, &str)| {
        let mut log = Log::new(&matcher);
        // A traceback may be cut anywhere.
        text.as_bytes().chunks(61).for_each(|piece| log.feed(piece));
        log.finish().at(Path::new(path))
    };
    logs.iter().map(read).collect()
}

/// What is found in them without a config.
pub(crate) fn found(logs: &[(&str, &str)]) -> Vec<Finding> {
    conclude(&scanned(logs), &RunContext::default())
}
