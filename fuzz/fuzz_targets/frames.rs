//! Any bytes as what an editor sends to the language server: no panic, in the server or in an answer, and every message that it sends is one.
//!
//! The first byte says whether the others are the stream, or messages, one a line, each of which is framed. A session serves until they end.

#![no_main]

use std::{path::Path, sync::Arc};

use cfg_check::{Checked, Session};
use cfg_diag::Diagnostic;
use cfg_lsp::{Overrides, Standing, Versions, serve};
use cfg_project::Projects;
use cfg_system::{MemorySystem, WritableSystem};
use libfuzzer_sys::fuzz_target;

/// There are no registries.
struct Unregistered;

impl Versions for Unregistered {
    fn session(&self, projects: &Arc<Projects>) -> Session {
        Session::new(Arc::clone(projects))
    }

    fn standing(&self, _: &Session, _: &Path, _: &str, _: &Checked) -> Option<Standing> {
        Some(Standing::Unregistered)
    }

    fn verify(&self, _: &Session, _: &Path, _: &str) -> Vec<Diagnostic> {
        Vec::new()
    }

    fn lineage(&self, _: &Path) -> Result<String, String> {
        Err("there are no registries".to_owned())
    }

    fn bump(&self, _: &Path, _: &str, _: &str) -> Result<String, String> {
        Err("there are no registries".to_owned())
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Some((mode, bytes)) = bytes.split_first() else { return };
    let framed = |line: &[u8]| [format!("Content-Length: {}\r\n\r\n", line.len()).as_bytes(), line].concat();
    let input = if mode % 2 == 0 { bytes.to_vec() } else { bytes.split(|byte| *byte == b'\n').flat_map(framed).collect() };
    let files = [
        ("/here/.git/HEAD", "ref: refs/heads/main\n"),
        ("/here/cfg.toml", "target = \"0.4.0\"\n"),
        ("/here/base.toml", "[trainer]\n[orchestrator]\nbatch_size = 16\n"),
    ];
    let system = Arc::new(MemorySystem::with_files(files).with_input(input));
    let writable: Arc<dyn WritableSystem> = Arc::<MemorySystem>::clone(&system);
    serve(&writable, Arc::new(Unregistered), Overrides::default()).expect("threads can be started");
    let output = system.output();
    let mut rest = &*output;
    while !rest.is_empty() {
        let end = rest.windows(4).position(|window| window == b"\r\n\r\n").expect("a header ends");
        let header = std::str::from_utf8(&rest[..end]).expect("a header is a text");
        let length: usize = header.strip_prefix("Content-Length: ").and_then(|length| length.parse().ok()).expect("a length");
        let Some(body) = rest.get(end + 4..end + 4 + length) else { break };
        serde_json::from_slice::<serde_json::Value>(body).expect("a message is JSON");
        rest = &rest[end + 4 + length..];
    }
});
