//! Configs whose file is gone: a rename is only followed or asserted where it is known, and what is compared is bounded.

use super::{
    branches::{git, repository},
    bump, read, verify,
};
use crate::{CLEAN, Folder};

/// A config like another one, without its metadata.
fn similar(steps: u32) -> String {
    CLEAN.replace("max_steps = 100", &format!("max_steps = {steps}"))
}

/// A repository with these configs registered and committed.
fn with(configs: &[(&str, &str)]) -> Folder {
    let folder = repository();
    for (name, text) in configs {
        folder.write(name, text.as_bytes());
        assert_eq!(bump(&folder, &format!("{name} -m first")).status, Some(0), "{name}");
    }
    git(&folder, "add -A");
    git(&folder, "commit -qm configs");
    folder
}

#[test]
fn a_file_like_a_removed_config_is_still_not_registered() {
    let folder = repository();
    git(&folder, "rm -q rl.toml");
    assert_eq!(folder.run("registry adopt").status, Some(0));
    assert_eq!(verify(&folder), (Some(0), vec![]));
    folder.write("deep.toml", b"x = 1\n");
    folder.write("new.toml", similar(150).as_bytes());
    assert_eq!(verify(&folder).1, ["PRL717"]);
}

#[test]
fn a_config_that_only_resembles_a_lost_one_is_not_renamed_by_itself() {
    let folder = repository();
    std::fs::remove_file(folder.path().join("rl.toml")).expect("it is there");
    folder.write("new.toml", similar(150).as_bytes());
    let before = read(&folder, "registry.json");
    let ended = folder.run("registry mv");
    assert_eq!(read(&folder, "registry.json"), before, "{ended:?}");
    assert!(
        ended.stderr.contains("new.toml resembles it: if it is the same config, `cfg registry mv rl.toml new.toml`"),
        "{ended:?}"
    );
    // A check of it says no more than what it knows.
    let ended = folder.run("check new.toml --format concise");
    assert!(!ended.stdout.contains("seems to be edited from") && ended.stdout.contains("not registered"), "{ended:?}");
}

/// Many renames by their whole text do not use up the number of texts that are compared.
#[test]
fn renames_with_edits_are_found_behind_many_others() {
    let many: Vec<(String, String)> = (0..70).map(|at| (format!("a{at:02}.toml"), similar(1000 + at))).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(name, text)| (&**name, &**text)).collect();
    let folder = Folder::new(&[("cfg.toml", "target = \"0.4.0\"\n")]);
    git(&folder, "init -q -b main");
    for (name, text) in &many {
        folder.write(name, text.as_bytes());
    }
    folder.write("z.toml", similar(5000).as_bytes());
    assert_eq!(folder.run("registry init").status, Some(0));
    assert_eq!(bump(&folder, "z.toml -m last").status, Some(0));
    assert_eq!(folder.run("registry adopt").status, Some(0));
    for (name, _) in &many {
        std::fs::rename(folder.path().join(name), folder.path().join(format!("b{name}"))).expect("it is there");
    }
    let edited = read(&folder, "z.toml").replace("max_steps = 5000", "max_steps = 6000");
    std::fs::remove_file(folder.path().join("z.toml")).expect("it is there");
    folder.write("zz.toml", edited.as_bytes());
    let ended = folder.run("registry verify --format concise");
    assert!(ended.stdout.contains("`cfg registry mv z.toml zz.toml`"), "{ended:?}");
}

/// What git leaves out of the work tree is not gone.
#[test]
fn what_a_sparse_checkout_leaves_out_was_not_renamed() {
    let folder = with(&[("other/big.toml", &similar(200))]);
    let text = read(&folder, "other/big.toml");
    git(&folder, "sparse-checkout set --no-cone /* !/other/");
    assert!(!folder.path().join("other/big.toml").exists());
    folder.write("copy.toml", text.as_bytes());
    let before = read(&folder, "registry.json");
    let ended = folder.run("registry mv");
    assert!(ended.status == Some(0) && read(&folder, "registry.json") == before, "{ended:?}");
    let ended = folder.run("check copy.toml --format concise");
    assert!(!ended.stdout.contains("whose file is gone"), "{ended:?}");
    let ended = folder.run("registry adopt");
    assert!(!ended.stdout.contains("other/big.toml is"), "{ended:?}");
    assert!(!read(&folder, "registry.json").contains("\"removed\""), "{ended:?}");
}
