//! The way to a file can be long though the file is not: links that lead to links, names that go forth and back.

use std::os::unix::fs::symlink;

use crate::{
    computed::with_module,
    sized::sized,
    victim::{CLEAN, Victim},
};

/// A way of about 4,000 bytes to the folder in which it begins.
fn back_and_forth() -> String {
    "d/../".repeat(790)
}

#[test]
fn links_to_links_are_followed_a_few_times() {
    let count = sized(20, 1_000);
    let victim = Victim::new(&[("rl.toml", CLEAN), ("d/x", "")]);
    // A chain with long ways, and links into it.
    for at in 0..38 {
        let to = if at == 0 { "rl.toml".to_owned() } else { format!("k{}", at - 1) };
        symlink(back_and_forth() + &to, victim.path(&format!("k{at}"))).expect("a link");
    }
    for at in 0..count {
        symlink(back_and_forth() + "k37", victim.path(&format!("l{at}.toml"))).expect("a link");
    }
    // A circle.
    for at in 0..20 * count {
        symlink(format!("c{}.toml", (at + 1) % (20 * count)), victim.path(&format!("c{at}.toml"))).expect("a link");
    }
    let names: Vec<String> = (0..count).map(|at| format!("\"l{at}.toml\"")).collect();
    victim.write("base.toml", &format!("toml_files = [{}]\n{CLEAN}", names.join(", ")));
    for words in ["check .", "check l0.toml", "check base.toml", "fmt --check .", "migrate --diff --all --to main"] {
        victim.look(words);
    }
}

#[test]
fn names_that_go_back_again_and_again_are_not_looked_up() {
    let way = back_and_forth();
    let names: Vec<String> = (0..sized(50, 3_000)).map(|at| format!("\"{way}{at}.toml\"")).collect();
    let victim = Victim::new(&[("rl.toml", &format!("toml_files = [{}]\n{CLEAN}", names.join(", "))), ("d/x", "")]);
    victim.look("check rl.toml");
}

#[test]
fn the_folder_of_a_script_does_not_grow() {
    let script = format!("cd {}\nuv run rl @ rl.toml\n", back_and_forth()).repeat(250);
    let victim = Victim::new(&[("rl.toml", CLEAN), ("d/x", "")]);
    (0..sized(1, 16)).for_each(|at| victim.write(&format!("s{at}.sh"), &script));
    for words in ["check .", "migrate --diff ."] {
        victim.look(words);
    }
}

#[test]
fn configs_do_not_each_have_what_one_may_cost() {
    let victim = with_module(
        "from pydantic import BaseModel, model_validator\nclass TrainerConfig(BaseModel):\n    n: int = 1\n    \
         @model_validator(mode='after')\n    def v(self):\n        for i in range(9999):\n            for j in range(30): x = i\n        return self\n",
    );
    (0..sized(20, 6_000)).for_each(|at| victim.write(&format!("fork/c{at}.toml"), &format!("n = {at}\n")));
    victim.look("check fork --kind trainer");
}
