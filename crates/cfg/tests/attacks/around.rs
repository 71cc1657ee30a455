//! What is looked for around a config is bounded: its launches in scripts, the prime-rl of its project, the packages of its environments. A text of a
//! kilobyte, or many small ones, can name more folders than can be looked at.

use std::fmt::Write as _;

use crate::victim::{CLEAN, Victim};

/// The limits of the unoptimized program: without bounds, each of these takes minutes or gigabytes.
const LIMITS: &str = "ulimit -v 1572864; ulimit -t 30";

#[track_caller]
fn ends(victim: &Victim, words: &str) {
    victim.finish(&mut victim.limited(LIMITS, words.split_whitespace()), b"");
}

/// Texts for each of some numbers, together.
fn each(count: usize, text: impl Fn(usize) -> String) -> String {
    (0..count).map(text).collect::<Vec<String>>().concat()
}

/// A config with an environment for each of these ids.
fn with_environments(ids: impl Iterator<Item = String>) -> String {
    let mut entries = String::new();
    for (at, id) in ids.enumerate() {
        // Writing to a string does not fail.
        let _ = write!(entries, "[[orchestrator.env]]\nid = \"{id}\"\nname = \"e{at}\"\n");
    }
    CLEAN.replace("[[orchestrator.env]]\nid = \"reverse-text\"\n", &entries)
}

/// A clone without settings, so that the prime-rl of its project is looked for.
fn project(files: &[(&str, &str)]) -> Victim {
    let victim = Victim::with_clone(files);
    victim.write("rl.toml", CLEAN);
    victim
}

const DEPENDENCY: &str = "[project]\nname = \"x\"\ndependencies = [\"prime-rl\"]\n";

#[test]
fn variables_of_a_script_that_double_end() {
    let doubled = each(40, |at| format!("A{}=${{A{at}}}${{A{at}}}\n", at + 1));
    let script = format!("# prime-rl\nA0=aaaaaaaaaaaaaaaa\n{doubled}cd $A40\ngit clone https://x/prime-rl $A40\n");
    ends(&project(&[("run.sh", &script), ("scripts/set-up.sh", &script)]), "check .");
}

#[test]
fn folders_and_clones_that_a_script_names_are_not_compared_with_each_other() {
    let folders = format!("# prime-rl\n{}", each(100_000, |at| format!("cd a{at}\n")));
    let clones = each(20_000, |at| format!("git clone x/prime-rl q{at}\n")) + &"cd z\n".repeat(90_000);
    ends(&project(&[("folders.sh", &folders), ("clones.sh", &clones)]), "check .");
}

#[test]
fn launches_are_not_looked_up_in_all_folders_that_scripts_name() {
    let victim = Victim::new(&[]);
    let folders = each(16, |at| format!("cd d{at}\n"));
    for script in 0..50 {
        let launches = each(1_000, |at| format!("uv run rl @ x{script}-{at}.toml\n"));
        victim.write(&format!("a/b/c/d/e/f/g/h/i/j/k/l/m/n/{script}.sh"), &format!("{folders}{launches}"));
    }
    ends(&victim, "check .");
}

#[test]
fn requirements_without_number_are_not_looked_up() {
    let included = each(100_000, |at| format!("-r a{at}\n"));
    ends(&project(&[("requirements.txt", &included)]), "check .");
    let paths = each(50_000, |at| format!("-e ./prime-rl/a{at}\n"));
    ends(&project(&[("requirements.txt", &paths)]), "check .");
    let sources = each(45_000, |at| format!("{{ path = \"p{at}\" }},"));
    ends(&project(&[("pyproject.toml", &format!("{DEPENDENCY}[tool.uv.sources]\nprime-rl = [{sources}]\n"))]), "check .");
}

#[test]
fn members_of_a_workspace_are_looked_at_once() {
    let members = "\"p/*\",".repeat(80_000);
    let sources = "[tool.uv.sources]\nprime-rl = { workspace = true }\n[tool.uv.workspace]\n";
    let victim = project(&[("pyproject.toml", &format!("{DEPENDENCY}{sources}members = [{members}]\n"))]);
    for at in 0..300 {
        victim.write(&format!("p/{at}/pyproject.toml"), "[project]\nname = \"m\"\n");
    }
    ends(&victim, "check .");
    let (members, excluded) = ("\"p/*\",".repeat(256), each(256, |at| format!("\"z{at}*y\",")));
    let victim = Victim::new(&[("rl.toml", &with_environments(std::iter::once("nobody".to_owned())))]);
    for at in 0..2_000 {
        victim.write(&format!("p/{at}/pyproject.toml"), "");
    }
    victim.write("pyproject.toml", &format!("[tool.uv.workspace]\nmembers = [{members}]\nexclude = [{excluded}]\n"));
    ends(&victim, "check .");
    let long = format!("[tool.uv.workspace]\nmembers = [\"{}*\"]\n", "a/".repeat(400_000));
    victim.write("pyproject.toml", &long);
    ends(&victim, "check .");
}

#[test]
fn environments_are_not_looked_for_in_all_members_or_folders() {
    let victim = Victim::new(&[("rl.toml", &with_environments((0..6_000).map(|at| format!("nobody-{at}"))))]);
    victim.write("pyproject.toml", "[tool.uv.workspace]\nmembers = [\"m/*\"]\n");
    for at in 0..1_000 {
        victim.write(&format!("m/{at}/pyproject.toml"), "");
    }
    ends(&victim, "check .");
}

#[test]
fn the_names_of_distributions_are_read_once() {
    let victim = Victim::new(&[("rl.toml", &with_environments(std::iter::once("nobody".to_owned())))]);
    victim.write("a/pyproject.toml", &format!("[project]\nname = \"x\"\ndependencies = [{}]\n", "\"abc\",".repeat(120_000)));
    for at in 0..800 {
        victim.write(&format!("a/x{at}/nobody.py"), "def load_environment(): pass\n");
    }
    ends(&victim, "check .");
}

/// Many functions, and an environment.
fn large() -> String {
    let functions = each(12_000, |at| format!("def f{at}(a, b=1):\n    return [a, b, {at}]\n"));
    format!("{functions}def load_environment(a=1):\n    pass\n")
}

#[test]
fn a_module_that_many_environments_share_is_read_once() {
    let victim = Victim::new(&[("shared.py", &large())]);
    for at in 0..600 {
        victim.write(&format!("x{at}.py"), "from shared import load_environment\n");
    }
    victim.write("rl.toml", &with_environments((0..600).map(|at| format!("x{at}"))));
    ends(&victim, "check .");
    victim.write("rl.toml", &with_environments((0..1_000).map(|at| format!("o{at}/shared"))));
    ends(&victim, "check .");
}

#[test]
fn a_declaration_is_not_copied_for_each_environment() {
    let environments = with_environments(std::iter::repeat_n("reverse-text".to_owned(), 4_000));
    let victim = Victim::new(&[("rl.toml", &environments)]);
    victim.write(
        "cfg.toml",
        &format!(
            "target = \"0.4.0\"\n[environments.\"reverse-text\".args]\n{}",
            each(2_000, |at| format!("argument_{at} = {{ type = \"int\" }}\n"))
        ),
    );
    ends(&victim, "check .");
    ends(&victim, "plan --curriculum rl.toml");
    let module = |count| format!("def load_environment({}):\n    pass\n", each(count, |at| format!("argument_{at}=1,")));
    victim.write("cfg.toml", "target = \"0.4.0\"\n");
    victim.write("environments/reverse-text/reverse_text.py", &module(400));
    ends(&victim, "check .");
    victim.write("environments/reverse-text/reverse_text.py", &module(60_000));
    let args = format!("id = \"reverse-text\"\nargs = {{ {} }}\n", each(4_000, |at| format!("b{at} = 1,")).trim_end_matches(','));
    victim.write("rl.toml", &CLEAN.replace("id = \"reverse-text\"\n", &args));
    ends(&victim, "check .");
}
