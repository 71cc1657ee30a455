//! `cfg check --watch` checks again after a change, and prints nothing in between.

use std::process::{Child, ChildStdout, Stdio};

use serde_json::{Deserializer, StreamDeserializer, Value, de::IoRead};

use super::Folder;

const WRONG: &[u8] = b"# /// config\n# prime_rl = \"0.6.0\"\n# ///\n[inference]\ngpu_memory_utilization = 90\n";
const RIGHT: &[u8] = b"# /// config\n# prime_rl = \"0.6.0\"\n# ///\n[inference]\ngpu_memory_utilization = 0.9\n";

/// A `cfg check --watch` process.
struct Watching {
    child: Child,
    reports: StreamDeserializer<'static, IoRead<ChildStdout>, Value>,
}

impl Watching {
    fn start(folder: &Folder, words: &str) -> Self {
        let mut command = folder.command(&format!("check --watch --format json {words}"));
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
        let reports = Deserializer::from_reader(child.stdout.take().expect("piped")).into_iter();
        Self { child, reports }
    }

    /// The next report, as soon as it arrives.
    fn next(&mut self) -> Value {
        self.reports.next().expect("it goes on").expect("JSON")
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_change_of_a_file_is_checked() {
    let folder = Folder::new(&[]);
    folder.write("rl.toml", WRONG);
    let mut watching = Watching::start(&folder, "rl.toml");
    assert_eq!(watching.next()["summary"]["errors"], 1);
    folder.write("rl.toml", RIGHT);
    assert_eq!(watching.next()["summary"]["errors"], 0);
    folder.write("rl.toml", WRONG);
    assert_eq!(watching.next()["summary"]["errors"], 1);
    // The check depends on the settings file even before it exists.
    folder.write("cfg.toml", b"[lint]\nignore = [\"PRL411\"]\n");
    assert_eq!(watching.next()["summary"]["errors"], 0);
    assert_eq!(watching.child.try_wait().expect("a status"), None, "it goes on");
}

#[test]
fn a_new_file_beside_the_others_is_checked() {
    let folder = Folder::new(&[]);
    folder.write("configs/rl.toml", RIGHT);
    let mut watching = Watching::start(&folder, "configs");
    assert_eq!(watching.next()["summary"]["errors"], 0);
    folder.write("configs/other/rl.toml", RIGHT);
    folder.write("configs/rl2.toml", WRONG);
    // One of the two changes may be noticed before the other.
    let is_seen = |report: &Value| report["summary"]["errors"] == 1;
    assert!((0..3).any(|_| is_seen(&watching.next())));
}

#[test]
fn watch_refuses_options_that_end_by_themselves() {
    let folder = Folder::new(&[]);
    for words in ["--fix", "--diff", "--show-files", "--show-settings"] {
        let ended = folder.run(&format!("check --watch {words} ."));
        assert_eq!(ended.status, Some(2), "{words}: {ended:?}");
    }
}

#[test]
fn a_command_has_a_manual_page() {
    let folder = Folder::new(&[]);
    for (words, name) in
        [("generate man", "cfg"), ("generate man check", "cfg-check"), ("generate man schema import", "cfg-schema-import")]
    {
        let ended = folder.run(words);
        assert_eq!(ended.status, Some(0), "{ended:?}");
        assert!(ended.stdout.contains(&format!(".TH {name} 1")), "{words}: {}", ended.stdout);
        assert!(ended.stdout.contains(".SH OPTIONS"), "{words}");
    }
    let ended = folder.run("generate man chek");
    assert_eq!((ended.status, ended.stdout.as_str()), (Some(2), ""));
    insta::assert_snapshot!("a_manual_page_of_an_unknown_command", ended.stderr);
}
