//! A file of git is replaced, or asks for more than it contains.

use std::fs;

use super::in_place_of;
use crate::{
    sized::sized,
    victim::{Odd, Victim},
};

#[test]
fn gitattributes_that_are_a_pipe_are_not_waited_for() {
    in_place_of(".gitattributes", Odd::Pipe);
}

#[test]
fn gitattributes_in_a_folder_that_are_a_pipe_are_not_waited_for() {
    in_place_of("configs/.gitattributes", Odd::Pipe);
}

#[test]
fn gitmodules_that_are_a_pipe_are_not_waited_for() {
    in_place_of(".gitmodules", Odd::Pipe);
}

#[test]
fn gitmodules_that_are_a_device_are_not_read() {
    in_place_of(".gitmodules", Odd::Device);
}

#[test]
fn a_git_folder_that_is_a_pipe_is_not_waited_for() {
    in_place_of(".git", Odd::Pipe);
}

#[test]
fn a_git_folder_that_is_a_device_is_not_read() {
    in_place_of(".git", Odd::Device);
}

#[test]
fn a_head_that_is_a_pipe_is_not_waited_for() {
    in_place_of(".git/HEAD", Odd::Pipe);
}

#[test]
fn a_head_that_is_a_device_is_not_read() {
    in_place_of(".git/HEAD", Odd::Device);
}

#[test]
fn a_branch_that_is_a_pipe_is_not_waited_for() {
    in_place_of(".git/refs/heads/main", Odd::Pipe);
}

#[test]
fn an_index_that_is_a_pipe_is_not_waited_for() {
    in_place_of(".git/index", Odd::Pipe);
}

#[test]
fn an_index_that_is_a_device_is_not_read() {
    in_place_of(".git/index", Odd::Device);
}

#[test]
fn an_index_of_two_gib_is_not_read() {
    in_place_of(".git/index", Odd::Huge);
}

#[test]
fn gits_settings_that_are_a_pipe_are_not_waited_for() {
    in_place_of(".git/config", Odd::Pipe);
}

#[test]
fn gits_settings_that_are_a_device_are_not_read() {
    in_place_of(".git/config", Odd::Device);
}

#[test]
fn gits_exclusions_that_are_a_pipe_are_not_waited_for() {
    in_place_of(".git/info/exclude", Odd::Pipe);
}

#[test]
fn packed_references_that_are_a_pipe_are_not_waited_for() {
    in_place_of(".git/packed-refs", Odd::Pipe);
}

#[test]
fn alternates_that_are_a_pipe_are_not_waited_for() {
    in_place_of(".git/objects/info/alternates", Odd::Pipe);
}

#[test]
fn attributes_that_the_settings_of_git_name_are_not_waited_for() {
    let victim = Victim::registered();
    victim.put(Odd::Pipe, "pipe");
    victim.git_with(["config", "core.attributesFile", &victim.path("pipe").display().to_string()]);
    victim.git_with(["config", "core.excludesFile", &victim.path("pipe").display().to_string()]);
    victim.look_at_all();
}

/// A text of many megabytes, more than any file may have, of which git stores a thousandth.
#[test]
fn a_text_of_git_that_grows_when_it_is_read_is_not_read() {
    let victim = Victim::registered();
    let zeros = fs::File::create(victim.at("state/zeros"))
        .and_then(|file| file.set_len(sized(70_000_000, 200_000_000)).map(|()| file))
        .expect("a file");
    drop(zeros);
    victim.git_with(["config", "core.bigFileThreshold", "16m"]);
    let blob = victim.git_with(["hash-object", "-w", "--no-filters", &victim.at("state/zeros").display().to_string()]);
    for name in ["rl.toml", "big.toml", "registry.json", "cfg.toml", "sub/pyproject.toml"] {
        victim.git(&format!("update-index --add --cacheinfo 100644,{},{name}", blob.trim()));
    }
    victim.look("hook run");
    victim.git("commit -qm big");
    for words in ["hook run --all-files", "diff HEAD:rl.toml rl.toml", "registry adopt --dry-run", "registry adopt", "log"] {
        victim.run(words);
    }
}

#[test]
fn a_long_symbolic_reference_of_git_is_bounded() {
    let victim = Victim::registered();
    for (name, target) in
        [("a.toml", "b.toml"), ("b.toml", "c.toml"), ("c.toml", "a.toml"), ("d", "d/d/d/d/d/d"), ("up", "../../../..")]
    {
        victim.link(name, target);
    }
    victim.write("rl.toml", "toml_files = [\"a.toml\", \"d/x.toml\", \"up/up/x.toml\"]\n[trainer]\n[orchestrator]\n");
    victim.git("add -A");
    victim.look("hook run");
    victim.commit();
    for words in ["hook run --all-files", "diff HEAD:a.toml rl.toml", "check ."] {
        victim.look(words);
    }
}
