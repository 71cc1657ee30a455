//! For invalid bytes there is a clear answer, without a panic and without hanging.

use std::fmt::Write as _;

use super::{Ended, Folder, sized::sized};

/// Checks bytes as an rl config for 0.4.0 in each format; returns the concise output.
#[track_caller]
fn check(bytes: &[u8]) -> Ended {
    let folder = Folder::new(&[]);
    folder.write("rl.toml", bytes);
    for format in ["full", "json", "concise"] {
        let ended = folder.run(&format!("check --target 0.4.0 --kind rl --format {format} rl.toml"));
        assert!(matches!(ended.status, Some(0 | 1)), "{format}: {ended:?}");
        assert_eq!(ended.stderr, "", "{format}");
        if format == "concise" {
            return ended;
        }
    }
    unreachable!("the last format is concise")
}

/// The codes with line and column, in order: `3:18 PRL005`.
fn codes(ended: &Ended) -> Vec<String> {
    let finding = |line: &str| {
        let (place, rest) = line.strip_prefix("rl.toml:")?.split_once(": ")?;
        let code = rest.split_once('[')?.1.split_once(']')?.0;
        Some(format!("{place} {code}"))
    };
    ended.stdout.lines().filter_map(finding).collect()
}

#[test]
fn invalid_utf8() {
    let ended = check(b"[trainer]\n[orchestrator]\nbatch_size = 0 # \xff\n");
    assert_eq!(codes(&ended), ["3:18 PRL005", "3:14 PRL106"]);
}

#[test]
fn utf16() {
    let text: Vec<u8> = "\u{feff}[trainer]\n[orchestrator]\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(codes(&check(&text)), ["1:1 PRL005"]);
}

/// A file that can't be read does not also get a finding about its unknown kind.
#[test]
fn utf16_of_unknown_kind() {
    let folder = Folder::new(&[]);
    folder.write("config.toml", b"\xff\xfe[\0a\0]\0");
    let ended = folder.run("check --target 0.4.0 --format concise config.toml");
    assert!(ended.stdout.contains("PRL005") && !ended.stdout.contains("PRL011"), "{ended:?}");
}

#[test]
fn a_null_byte() {
    let ended = check(b"[trainer]\n[orchestrator]\nbatch_size = 4\0\n");
    assert_eq!(codes(&ended), ["3:14 PRL001"]);
    assert!(!ended.stdout.contains('\0'));
}

#[test]
fn only_null_bytes() {
    let ended = check(&[0; 10_000]);
    assert!(codes(&ended).contains(&"1:1 PRL001".to_owned()), "{ended:?}");
}

#[test]
fn a_byte_order_mark() {
    assert_eq!(codes(&check(b"\xef\xbb\xbf[trainer]\n[orchestrator]\nbatch_size = 0\n")), ["1:1 PRL005", "3:14 PRL106"]);
}

#[test]
fn windows_line_ends() {
    assert_eq!(codes(&check(b"[trainer]\r\n[orchestrator]\r\nbatch_size = 0\r\n")), ["3:14 PRL106"]);
}

#[test]
fn an_empty_file() {
    let ended = check(b"");
    assert_eq!(ended.stdout.matches("error[PRL103]").count(), 2, "trainer and orchestrator are required: {ended:?}");
}

#[test]
fn arrays_nested_100_000_deep() {
    let text = format!("trace_path = {}1{}\n[trainer]\n[orchestrator]\n", "[".repeat(100_000), "]".repeat(100_000));
    let ended = check(text.as_bytes());
    assert!(ended.stdout.contains("PRL006"), "{ended:?}");
    assert!(codes(&ended).len() <= 2, "{ended:?}");
}

#[test]
fn open_tables_nested_100_000_deep() {
    let ended = check(format!("[trainer]\n[orchestrator]\nenv = {}", "{a=".repeat(100_000)).as_bytes());
    assert!(ended.stdout.contains("PRL001"), "{ended:?}");
    assert!(codes(&ended).len() <= 4, "{ended:?}");
}

#[test]
fn a_key_of_100_000_parts() {
    let ended = check(format!("[trainer]\n[orchestrator]\n[a{}]\n", ".a".repeat(100_000)).as_bytes());
    assert!(ended.stdout.contains("PRL006"), "{ended:?}");
}

#[test]
fn megabytes() {
    let lines = sized(4_000, 40_000);
    let mut text =
        String::from("[trainer]\n[orchestrator]\nbatch_size = 0\n[[orchestrator.env]]\nid = \"x\"\n[orchestrator.env.args]\n");
    for number in 0..lines {
        writeln!(text, "prompt_{number} = \"{}\"", "a reason to read on, ".repeat(12)).expect("writing to a string");
    }
    text.push_str("[orchestrator.bufer]\n");
    assert!(text.len() > lines * 250);
    let last = format!("{}:15 PRL101", lines + 7);
    assert_eq!(codes(&check(text.as_bytes())), ["3:14 PRL106", &last]);
}

#[test]
fn megabytes_on_one_line() {
    let text = format!("[trainer]\n[orchestrator]\nbatch_size = \"{}\"\n", "x".repeat(sized(2_000_000, 10_000_000)));
    let ended = check(text.as_bytes());
    assert_eq!(codes(&ended), ["3:14 PRL105"]);
    assert!(ended.stdout.len() < 10_000, "the value is not repeated in full: {} bytes", ended.stdout.len());
}

#[test]
fn megabytes_of_open_brackets() {
    // More of them are not read at all.
    let ended = check("[".repeat(1_000_000).as_bytes());
    assert!(codes(&ended).len() < 10, "{}", ended.stdout.len());
}

/// The deepest possible path: a search ends at the depth at which projects end, names the folder, and checks the rest.
#[cfg(target_os = "linux")]
#[test]
fn folders_in_folders() {
    let folder = Folder::new(&[]);
    let deep = "a/".repeat(1800);
    for name in 0..12 {
        folder.write(&format!("{deep}{name}.toml"), b"[trainer]\n[orchestrator]\n");
    }
    let ended = folder.run("check --target 0.4.0 .");
    assert_eq!((ended.status, &*ended.stderr), (Some(2), ""), "{ended:?}");
    assert!(ended.stdout.contains("its path is too deep or too long"), "{ended:?}");
}

/// Each value needs kilobytes of memory during the check, so their number is limited; a text of this size could contain millions.
#[test]
fn more_values_than_anyone_writes() {
    let head = "[trainer]\n[orchestrator]\n";
    for (text, is_read) in [
        (format!("{head}x = [{}]\n", "1,".repeat(50_000 - 3)), true),
        (format!("{head}x = [{}]\n", "1,".repeat(50_000 - 2)), false),
        (format!("{head}env = [{}]\n", "{},".repeat(sized(100_000, 1_000_000))), false),
        (format!("{head}{}", "[[orchestrator.env]]\nid = 'x'\n".repeat(sized(60_000, 300_000))), false),
        // Not TOML, whatever is read of it: its tokens would take a hundred times its memory.
        (format!("{head}x = {}", "[".repeat(1_100_000)), false),
        (format!("{head}x{} = 1", ".x".repeat(550_000)), false),
    ] {
        let folder = Folder::new(&[("rl.toml", &text), ("over.toml", "toml_files = ['rl.toml']\n")]);
        for words in &["rl.toml", "over.toml", "-- rl @ rl.toml"][..sized(2, 3)] {
            let ended = folder.run(&format!("check --target 0.4.0 --format concise {words}"));
            assert_eq!(ended.stdout.contains("PRL007"), !is_read, "{words}: {}", ended.stderr);
            assert_eq!(ended.status, Some(if is_read { 1 } else { 2 }), "{words}: {}", ended.stderr);
        }
    }
}
