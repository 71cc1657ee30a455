//! `cfg generate skill`: the instructions for assistants are correct, and are written to the right places.

use std::fs;

use super::{CLEAN, Folder, finish};

const FILES: [&str; 2] = [".claude/skills/cfg/SKILL.md", ".agents/skills/cfg/SKILL.md"];

fn text(folder: &Folder, path: &str) -> String {
    fs::read_to_string(folder.path().join(path)).unwrap_or_default()
}

#[test]
fn it_is_short_and_has_the_required_metadata() {
    let shown = Folder::new(&[]).run("generate skill show").stdout;
    assert!(shown.starts_with("---\nname: cfg\ndescription: ") && shown.lines().count() <= 149, "{shown}");
    let description = shown.lines().nth(2).expect("a description");
    assert!(description.len() <= 1024, "{description}");
}

/// The words of a command in the skill, split like in a shell.
fn words(line: &str) -> Vec<String> {
    let parts = line.split('"').enumerate();
    parts
        .flat_map(
            |(index, part)| {
                if index % 2 == 1 { vec![part.to_owned()] } else { part.split_whitespace().map(str::to_owned).collect() }
            },
        )
        .collect()
}

#[test]
fn every_command_that_it_names_runs() {
    let folder =
        Folder::new(&[("rl.toml", CLEAN), ("outputs/logs/trainer.log", "step 1\n"), ("cfg.toml", "target = \"0.4.0\"\n")]);
    assert_eq!(folder.run("registry init .").status, Some(0));
    let bumped = finish(folder.command("bump rl.toml").args(["-m", "first"]), b"");
    assert_eq!(bumped.status, Some(0), "{bumped:?}");
    let shown = folder.run("generate skill show").stdout;
    let (_, block) = shown.split_once("```sh\n").expect("a block of commands");
    let (block, _) = block.split_once("```").expect("its end");
    let mut count = 0;
    for line in block.lines() {
        let (command, purpose) = line.split_once("  # ").unwrap_or_else(|| panic!("{line} has no purpose"));
        // Without a description of its own, a command has that of the whole program.
        assert!(!purpose.is_empty() && purpose != "Check prime-rl configs before you rent a GPU", "{line}");
        let ended = finish(folder.command("").args(words(command.strip_prefix("cfg ").expect("a command"))), b"");
        assert!(matches!(ended.status, Some(0 | 1)), "{line}: {ended:?}");
        count += 1;
    }
    assert!(count >= 12, "{count}");
    // Commands inside sentences are checked as well.
    let inline = shown.split('`').skip(1).step_by(2).filter_map(|code| code.strip_prefix("cfg "));
    for command in inline.filter_map(|words| words.split_whitespace().next()) {
        assert_eq!(folder.run(&format!("{command} --help")).status, Some(0), "cfg {command}");
    }
}

#[test]
fn it_is_written_to_the_folders_of_assistants_and_a_changed_one_is_kept() {
    let folder = Folder::new(&[]);
    let dry = folder.run("generate skill install --dry-run");
    assert_eq!((dry.status, text(&folder, FILES[0])), (Some(0), String::new()), "{dry:?}");
    let first = folder.run("generate skill install");
    assert_eq!(first.status, Some(0), "{first:?}");
    for file in FILES {
        assert!(first.stderr.contains(&format!("{file}: written, ")), "{first:?}");
        assert!(text(&folder, file).starts_with(&folder.run("generate skill show").stdout));
        assert!(text(&folder, file).lines().count() <= 150);
    }
    insta::assert_snapshot!("an_installed_skill", folder.run("generate skill install").stderr);
    let changed = text(&folder, FILES[0]).replace("The loop", "My loop");
    folder.write(FILES[0], changed.as_bytes());
    let refused = folder.run("generate skill install");
    assert_eq!((refused.status, text(&folder, FILES[0])), (Some(1), changed), "{refused:?}");
    assert_eq!(folder.run("generate skill install --force").status, Some(0));
    assert!(text(&folder, FILES[0]).contains("The loop"));
}

#[cfg(unix)]
#[test]
fn nothing_is_written_through_a_link() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new(&[]);
    let outside = folder.home().with_file_name("outside");
    fs::create_dir_all(&outside).expect("a folder");
    symlink(&outside, folder.path().join(".claude")).expect("a link");
    fs::create_dir_all(folder.path().join(".agents/skills/cfg")).expect("a folder");
    fs::write(outside.join("mine.md"), "mine").expect("a file");
    symlink(outside.join("mine.md"), folder.path().join(FILES[1])).expect("a link");
    let ended = folder.run("generate skill install --force");
    assert_eq!(ended.status, Some(2), "{ended:?}");
    let names: Vec<_> = fs::read_dir(&outside).expect("a folder").flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(names, ["mine.md"]);
    assert_eq!(fs::read_to_string(outside.join("mine.md")).expect("a file"), "mine");
}
