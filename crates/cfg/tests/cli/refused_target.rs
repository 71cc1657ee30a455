//! If the stated prime-rl can't be used, the target is unknown, which is reported once.

use serde_json::{Value, json};

use super::{Ended, Folder, MISSPELT};

/// The files of a report, each with its verdict and the codes of its findings.
#[track_caller]
fn found(ended: &Ended) -> Vec<(String, String, Vec<String>)> {
    let report: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let codes =
        |file: &Value| file["diagnostics"].as_array().expect("it has them").iter().map(|one| text(&one["code"])).collect();
    let files = report["files"].as_array().expect("it has them").iter();
    files.map(|file| (text(&file["path"]), text(&file["verdict"]), codes(file))).collect()
}

fn file(path: &str, verdict: &str, codes: &[&str]) -> (String, String, Vec<String>) {
    (path.to_owned(), verdict.to_owned(), codes.iter().map(ToString::to_string).collect())
}

#[test]
fn settings_that_state_no_known_prime_rl_leave_the_config_open() {
    for (name, text, status) in [
        ("cfg.toml", "target = \"0.4.99\"\n", 2),
        ("cfg.toml", "target = \"path:../elsewhere\"\n", 2),
        ("cfg.toml", "target = 4\n", 2),
        ("cfg.toml", "target = 0.4.0\n", 1),
        ("pyproject.toml", "[tool.cfg]\ntarget = \"nothing\"\n", 2),
    ] {
        let folder = Folder::new(&[(name, text), ("rl.toml", MISSPELT)]);
        let ended = folder.run("check --format json rl.toml");
        let wanted = [file("rl.toml", "depends", &[]), file(name, "ok", &["PRL014"])];
        assert_eq!((ended.status, found(&ended).as_slice()), (Some(status), wanted.as_slice()), "{text}");
        let people = folder.run("check rl.toml").stdout;
        insta::assert_snapshot!(
            "the_end_of_a_check_without_a_target",
            people.lines().find(|line| line.starts_with("Found")).expect("a summary")
        );
        // The command line states another target.
        let ended = folder.run("check --format json --target 0.4.0 rl.toml");
        assert_eq!(found(&ended)[0], file("rl.toml", "rejected", &["PRL101"]), "{text}");
    }
    // An invalid target is not replaced by that of settings in an outer folder, but by that of settings in an inner one.
    let nested = [("cfg.toml", "target = \"0.4.0\"\n"), ("in/cfg.toml", "target = \"0.4.99\"\n"), ("in/rl.toml", MISSPELT)];
    assert_eq!(found(&Folder::new(&nested).run("check --format json in/rl.toml"))[0].1, "depends");
    let nested = [("cfg.toml", "target = \"0.4.99\"\n"), ("in/cfg.toml", "target = \"0.4.0\"\n"), ("in/rl.toml", MISSPELT)];
    assert_eq!(found(&Folder::new(&nested).run("check --format json in/rl.toml"))[0].2, ["PRL101"]);
}

#[test]
fn metadata_that_states_no_known_prime_rl_leaves_the_config_open() {
    for stated in ["\"0.4.99\"", "\"nothing\"", "\"path:../elsewhere\"", "\"local:none\"", "4"] {
        let text = format!("# /// config\n# prime_rl = {stated}\n# ///\n{MISSPELT}");
        let code = "PRL012";
        // The settings state one target, and this file another.
        let folder = Folder::new(&[("cfg.toml", "target = \"0.4.0\"\n"), ("rl.toml", &text)]);
        for words in ["check --format json rl.toml", "check --format json -- uv run rl @ rl.toml"] {
            let ended = folder.run(words);
            let all = found(&ended);
            assert_eq!(
                (all.len(), all[0].1.as_str(), all[0].2.as_slice()),
                (1, "depends", [code.to_owned()].as_slice()),
                "{ended:?}"
            );
        }
        let hosted = text.replace("# ///\n[", "# ///\ngpu_type = \"H100\"\n[");
        let folder = Folder::new(&[("rl.toml", &hosted)]);
        let ended = folder.run("check --format json rl.toml");
        let all = found(&ended);
        assert_eq!((all[0].1.as_str(), all[0].2.as_slice()), ("depends", [code.to_owned()].as_slice()), "{ended:?}");
    }
}

#[test]
fn an_unknown_target_on_the_command_line_checks_nothing() {
    let folder = Folder::new(&[("rl.toml", MISSPELT)]);
    for stated in ["0.4.99", "nothing", "path:elsewhere", "local:none"] {
        let ended = folder.run(&format!("check --format json --target {stated} rl.toml"));
        assert_eq!(ended.status, Some(2), "{ended:?}");
        let outcome: Value = serde_json::from_str(&ended.stdout).expect("it is a document");
        assert_eq!((outcome["errors"].as_array().map(Vec::len), &outcome["files"]), (Some(1), &json!([])), "{ended:?}");
    }
}

#[test]
fn no_command_uses_another_prime_rl_than_that_of_the_settings() {
    let clean = include_str!("../../../../tests/fixtures/clean.toml");
    let folder = Folder::new(&[("cfg.toml", "target = \"0.4.99\"\n"), ("rl.toml", clean)]);
    for words in [
        "compile rl.toml",
        "compile -- uv run rl @ rl.toml",
        "memory rl.toml --gpu H100",
        "plan rl.toml",
        "curriculum rl.toml",
        "estimate rl.toml",
        "diff rl.toml rl.toml",
        "launch rl.toml",
        "preflight rl.toml",
        "report rl.toml",
        "migrate rl.toml --to 0.8.0",
    ] {
        let ended = folder.run(words);
        let names_it = ended.stderr.contains("cfg.toml") && ended.stderr.contains("0.4.99");
        assert!(ended.status == Some(2) && names_it, "{words}: {ended:?}");
        assert!(ended.stdout.is_empty(), "{words}: {ended:?}");
    }
    for words in
        ["memory --target 0.4.0 rl.toml --gpu H100", "compile --target 0.4.0 rl.toml", "migrate rl.toml --from 0.4.0 --to 0.4.0"]
    {
        assert_ne!(folder.run(words).status, Some(2), "{words}");
    }
}

#[test]
fn settings_that_cannot_be_read_leave_the_config_open() {
    let folder = Folder::new(&[("rl.toml", MISSPELT)]);
    std::os::unix::net::UnixListener::bind(folder.path().join("cfg.toml")).expect("a socket");
    let ended = folder.run("check --format json rl.toml");
    let wanted = [file("rl.toml", "depends", &[]), file("cfg.toml", "ok", &["PRL007"])];
    assert_eq!((ended.status, found(&ended).as_slice()), (Some(2), wanted.as_slice()));
    assert_eq!(folder.run("plan rl.toml").status, Some(2));
    let ended = folder.run("check --format json --target 0.4.0 rl.toml");
    assert_eq!(found(&ended)[0], file("rl.toml", "rejected", &["PRL101"]));
}

#[test]
fn an_unknown_commit_is_reported_with_the_known_ones() {
    let folder = Folder::new(&[("rl.toml", MISSPELT)]);
    let ended = folder.run("check --target 0123456789abcdef0123456789abcdef01234567 rl.toml");
    assert!(ended.status == Some(2) && ended.stderr.contains("2025-09-01"), "{ended:?}");
}
