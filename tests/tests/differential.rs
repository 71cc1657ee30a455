//! What `cfg` says of fresh configs at the conditions of prime-rl's checks, beside what prime-rl itself says of them.

#![expect(clippy::disallowed_methods, reason = "it starts Python, and the program that is asked")]

use std::process::Command;

use cfg_tests::workspace;

/// Commits of the main line that no recorded config is of.
const COMMITS: [&str; 3] = ["559b44772", "9975d8868", "61f2448d1"];

/// `CFG_PYTHON` names an interpreter that can import what prime-rl's config classes import, `CFG_MIRRORS` a folder with clones, `CFG` the program.
/// `tests/differential/compare.py` says how these are made.
#[test]
#[ignore = "asks prime-rl itself: it takes Python with pydantic from CFG_PYTHON, clones from CFG_MIRRORS, and the program from CFG"]
#[expect(clippy::print_stdout, reason = "says why it is skipped")]
fn fresh_configs_are_judged_as_prime_rl_judges_them() {
    let given = ["CFG", "CFG_PYTHON", "CFG_MIRRORS"].map(|name| std::env::var(name).ok());
    let [Some(program), Some(python), Some(mirrors)] = given else {
        println!("skipped: CFG, CFG_PYTHON and CFG_MIRRORS are not all set");
        return;
    };
    let mut compare = Command::new("python3");
    compare.arg(workspace().join("tests/differential/compare.py")).arg(program);
    compare.args(["--python", &python, "--mirrors", &mirrors, "--cases", "100"]).args(COMMITS);
    let done = compare.output().expect("Python");
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success(), "{said}{}", String::from_utf8_lossy(&done.stderr));
    let counts: Vec<&str> = said.lines().filter(|line| line.contains(" cases, ")).collect();
    assert_eq!(counts.len(), COMMITS.len(), "{said}");
    for count in counts {
        assert!(count.contains("500 cases, 0 wrong, "), "{said}");
    }
}
