//! No line of any output is a command of a CI system, and no text of a repository is live in Markdown, whether it comes from a file name, a config or a
//! registry.

use crate::victim::{CLEAN, FORMATS, Victim};

/// Beginnings of lines that GitHub obeys.
const BEGINNINGS: [&str; 4] = ["::stop-commands::x", "  ::error::x", "\u{a0}::set-env name=x::y", "::group::x"];

/// Commands that GitHub, Azure and `TeamCity` find anywhere in a line.
const INSIDE: [&str; 4] = ["##[error]x", "###[command]x", "##vso[task.setvariable variable=x]y", "##teamcity[x 'y']"];

/// Asserts that no CI system finds a command in an output, whether it looks at colours or not.
#[track_caller]
fn is_no_command(of: &str, output: &str) {
    for line in output.lines() {
        let plain: String = line
            .split("\u{1b}[")
            .enumerate()
            .map(|(at, part)| if at == 0 { part } else { part.split_once('m').map_or(part, |(_, rest)| rest) })
            .collect();
        assert!(!plain.trim_start().starts_with("::"), "{of}: {line:?} begins a command");
        for (at, _) in plain.match_indices("##") {
            let name = plain[at..].trim_start_matches('#').trim_start_matches(|character: char| character.is_ascii_alphabetic());
            assert!(!name.starts_with('['), "{of}: {line:?} has a command in it");
        }
    }
}

/// Runs commands in a clone, and asserts that nothing that they print is a command. A name takes the place of `FILE`.
#[track_caller]
fn print_none(victim: &Victim, name: &str, commands: &[&str]) {
    for words in commands {
        let words = words.split(' ').map(|word| if word == "FILE" { name } else { word });
        let ended = victim.finish(&mut victim.command_with(words.clone()), b"");
        let of = words.collect::<Vec<_>>().join(" ");
        is_no_command(&of, &ended.stdout);
        is_no_command(&of, &ended.stderr);
    }
}

/// Commands about one file, whose name and text are shown.
const ABOUT_FILE: [&str; 22] = [
    "check FILE",
    "--color always check --format concise FILE",
    "check --show-files .",
    "check --show-settings FILE",
    "check --fix --diff FILE",
    "compile FILE",
    "compile FILE -o FILE.d",
    "compile --explain FILE",
    "memory FILE --gpu H100",
    "estimate FILE",
    "plan FILE",
    "preflight FILE",
    "launch FILE",
    "curriculum FILE",
    "diff FILE rl.toml",
    "diff rl.toml FILE --markdown",
    "migrate FILE --to 0.5.0",
    "migrate FILE --to 0.5.0 --diff",
    "sweep FILE max_steps=1,2 -o FILE.e",
    "bump FILE -m FILE --force",
    "diagnose FILE",
    "resume FILE",
];

/// Commands about a registry that has what `ABOUT_FILE` registered.
const ABOUT_REGISTRY: [&str; 12] = [
    "log",
    "log FILE",
    "log --graph",
    "log --graph --format mermaid",
    "log --graph --format dot",
    "registry list",
    "registry verify",
    "registry verify --format concise",
    "run add FILE:v1 --id FILE --notes FILE --wandb FILE",
    "run list",
    "run list --markdown",
    "restore FILE:v1 --force",
];

#[test]
fn a_file_name_is_no_command() {
    for name in BEGINNINGS.iter().chain(&INSIDE) {
        let name = format!("{name}.toml");
        let victim = Victim::registered();
        victim.write(&name, &CLEAN.replace("max_steps", "max_setps"));
        victim.commit();
        for format in FORMATS.iter().filter(|format| **format != "github") {
            for words in ["check .", "check FILE", "hook run --all-files", "registry verify"] {
                print_none(&victim, &name, &[&format!("{words} --format {format}")]);
            }
        }
        print_none(&victim, &name, &ABOUT_FILE);
        victim.write(&name, CLEAN);
        print_none(&victim, &name, &["bump FILE -m FILE --force"]);
        print_none(&victim, &name, &ABOUT_REGISTRY);
    }
}

#[test]
fn a_folder_name_is_no_command() {
    let name = "::group::x/##vso[y]/a.toml";
    let victim = Victim::registered();
    victim.write(name, &CLEAN.replace("max_steps", "max_setps"));
    print_none(&victim, name, &["check .", "check --format concise .", "check --format junit .", "check --show-files ."]);
}

#[test]
fn a_line_of_a_config_is_no_command() {
    for text in BEGINNINGS.iter().chain(&INSIDE) {
        let victim = Victim::registered();
        let name = format!("\"\"\"\n{text}\n\"\"\"");
        victim.write("a.toml", &CLEAN.replace("max_steps", "max_setps").replace("\"baseline\"", &name));
        print_none(&victim, "a.toml", &ABOUT_FILE);
    }
}

#[test]
fn what_the_user_did_not_mean_is_no_command() {
    let victim = Victim::registered();
    for text in BEGINNINGS.iter().chain(&INSIDE) {
        let commands = [
            "FILE",
            "explain FILE",
            "check --select FILE .",
            "memory rl.toml --gpu FILE",
            "schema show FILE",
            "models check FILE",
            "run close FILE",
            "show FILE",
            "check --target FILE .",
        ];
        print_none(&victim, text, &commands);
    }
}

/// In the format for GitHub, each line is a command of `cfg` itself, and what is in it ends nowhere but at its end.
#[test]
fn annotations_are_the_only_commands() {
    for name in BEGINNINGS.iter().chain(&INSIDE) {
        let victim = Victim::registered();
        victim.write(&format!("{name}.toml"), &CLEAN.replace("max_steps", "max_setps"));
        let ended = victim.look("check --format github .");
        let lines: Vec<&str> = ended.stdout.lines().collect();
        let is_own = |line: &&str| ["::error file=", "::warning file=", "::notice file="].iter().any(|own| line.starts_with(own));
        assert!(!lines.is_empty() && lines.iter().all(is_own), "{name}: {ended:?}");
        is_no_command(name, &ended.stdout.replace("::error ", "").replace("::warning ", "").replace("::notice ", ""));
    }
}

/// Texts that would become markup, a link, an image or a mention, or that leave the cell of a table.
const MARKUP: [&str; 12] = [
    "<img src=x onerror=alert(1)>",
    "</details><script>x</script>",
    "@someone",
    "[a](https://evil.example)",
    "![a](https://evil.example/a.png)",
    "https://evil.example",
    "www.evil.example",
    "<https://evil.example>",
    "a | @someone | <b>",
    "a\\| @someone \\\\| <b>",
    "`` ` @someone ``",
    "a\n\n# @someone\n| <b> |",
];

/// The text of a line of Markdown outside of code.
fn outside_code(line: &str) -> String {
    let mut outside = String::new();
    let mut rest = line;
    while let Some(at) = rest.find('`') {
        let fence = rest[at..].bytes().take_while(|byte| *byte == b'`').count();
        outside += &rest[..at];
        let inside = &rest[at + fence..];
        let ends = |from: &usize| {
            inside[*from..].bytes().take_while(|byte| *byte == b'`').count() == fence && !inside[..*from].ends_with('`')
        };
        match inside.match_indices('`').map(|(at, _)| at).find(ends) {
            Some(end) => rest = &inside[end + fence..],
            None => return outside + &rest[at..],
        }
    }
    outside + rest
}

#[track_caller]
fn is_not_live(of: &str, page: &str) {
    for line in page.lines() {
        // A line in a table ends no cell if an odd number of backslashes is before it, and GitHub takes two for one.
        let cells: Vec<&str> = line.split(" | ").collect();
        for cell in cells {
            let outside = outside_code(cell.trim());
            for live in ["<img", "<script", "<b>", "</details><", "@someone", "](", "https://", "www."] {
                assert!(!outside.contains(live), "{of}: {live} is live in {line:?}");
            }
        }
        assert!(!line.contains("\\\\|"), "{of}: a cell may end in {line:?}");
    }
}

#[test]
fn a_note_of_a_registry_is_no_markdown() {
    let victim = Victim::registered();
    for (at, text) in MARKUP.iter().enumerate() {
        let id = format!("{at} {text}");
        let words =
            ["run", "add", "rl.toml:v1", "--id", &id, "--notes", text, "--hardware", text, "--pod", text, "--wandb", text];
        assert_eq!(victim.finish(&mut victim.command_with(words), b"").status, Some(0));
    }
    let ended = victim.look("run list --markdown");
    assert_eq!(ended.stdout.lines().count(), 4 + MARKUP.len(), "{ended:?}");
    assert!(ended.stdout.contains("| running |"), "a plain word is no code: {ended:?}");
    is_not_live("run list", &ended.stdout);
}

#[test]
fn a_config_is_no_markdown() {
    for text in MARKUP {
        let victim = Victim::registered();
        let quoted = format!("{text:?}");
        victim.write("a.toml", &CLEAN.replace("\"baseline\"", &quoted).replace("\"planted-faults\"", &quoted));
        let ended = victim.look("diff rl.toml a.toml --markdown");
        assert!(ended.stdout.contains("wandb.name"), "{ended:?}");
        is_not_live("diff", &ended.stdout);
    }
}
