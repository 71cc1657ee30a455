//! A session of the language server over files in memory.

use std::{path::Path, sync::Arc};

use cfg_check::{Checked, Session};
use cfg_diag::Diagnostic;
use cfg_lsp::{Overrides, Standing, Versions, serve};
use cfg_project::Projects;
use cfg_system::{MemorySystem, WritableSystem};
use serde_json::Value;

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

/// A message as it is in the stream.
pub fn framed(message: &[u8]) -> Vec<u8> {
    [format!("Content-Length: {}\r\n\r\n", message.len()).as_bytes(), message].concat()
}

/// Serves until the input ends, over the files of a small project. Returns what the server sends: each is a message.
pub fn session(input: Vec<u8>) -> Vec<Value> {
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
    let mut messages = Vec::new();
    while !rest.is_empty() {
        let end = rest.windows(4).position(|window| window == b"\r\n\r\n").expect("a header ends");
        let header = std::str::from_utf8(&rest[..end]).expect("a header is a text");
        let length: usize = header.strip_prefix("Content-Length: ").and_then(|length| length.parse().ok()).expect("a length");
        let Some(body) = rest.get(end + 4..end + 4 + length) else { break };
        messages.push(serde_json::from_slice(body).expect("a message is JSON"));
        rest = &rest[end + 4 + length..];
    }
    messages
}
