//! The list of generated files: each a path and a function that makes its bytes.

use std::{fs, path::PathBuf};

use cfg_schema::History;

use crate::{accuracy, catalogue, history, names};

struct Generated {
    path: &'static str,
    make: fn() -> Result<Vec<u8>, String>,
}

const FILES: &[Generated] = &[
    Generated { path: "crates/cfg-schema/src/history.bin", make: history::compile },
    Generated { path: "crates/cfg-memory/src/catalogue/gpus.rs", make: catalogue::gpus },
    Generated { path: "crates/cfg-memory/src/catalogue/models.rs", make: catalogue::models },
    Generated { path: "docs/memory-accuracy.md", make: accuracy::page },
    Generated { path: "schemas/curriculum.schema.json", make: || pretty(&cfg_report::curriculum::schema()) },
    Generated { path: "schemas/diagnosis.schema.json", make: || pretty(&cfg_report::diagnosis::schema()) },
    Generated { path: "schemas/memory.schema.json", make: || pretty(&cfg_report::memory::schema()) },
    Generated { path: "schemas/preflight.schema.json", make: || pretty(&cfg_report::preflight::schema()) },
    Generated { path: "crates/cfg-rules/src/known_models.rs", make: names::compile },
    Generated { path: "schemas/report.schema.json", make: || pretty(&cfg_report::report_schema()) },
    Generated { path: "schemas/report-line.schema.json", make: || pretty(&cfg_report::line_schema()) },
    Generated { path: "docs/symptoms.md", make: || Ok(cfg_diagnose::table().into_bytes()) },
    Generated { path: "docs/plan.md", make: || Ok(cfg_plan::table(History::built_in()).into_bytes()) },
];

fn pretty(value: &impl serde::Serialize) -> Result<Vec<u8>, String> {
    let mut json = serde_json::to_vec_pretty(value).map_err(|error| error.to_string())?;
    json.push(b'\n');
    Ok(json)
}

/// The workspace's root folder.
pub(crate) fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Makes every file anew.
pub(crate) fn write() -> Result<(), String> {
    for file in FILES {
        let bytes = (file.make)()?;
        fs::write(root().join(file.path), bytes).map_err(|error| format!("{}: {error}", file.path))?;
    }
    Ok(())
}

/// Fails with the names of files that differ from what would be made.
pub(crate) fn check() -> Result<(), String> {
    let mut stale = Vec::new();
    for file in FILES {
        let bytes = (file.make)()?;
        if fs::read(root().join(file.path)).ok() != Some(bytes) {
            stale.push(file.path);
        }
    }
    if stale.is_empty() { Ok(()) } else { Err(format!("stale, run `cargo xtask generate`: {}", stale.join(", "))) }
}
