//! Configs that claim to train the same as others.

use std::sync::Arc;

use cfg_check::{Registries, Request, Session, check};
use cfg_diag::codes;
use cfg_project::Projects;
use cfg_registry::fingerprint::Digest;
use cfg_schema::Target;
use cfg_system::{MemorySystem, System};

const OTHER: &str = "max_steps = 100\nseq_len = 2048\n[trainer.optim]\nlr = 1e-5\n[orchestrator]\nbatch_size = 64\n[[orchestrator.env]]\nid = \"a/b\"\nargs = { mode = \"easy\" }\n";

/// The codes and messages of the findings about claims in a config with this metadata.
fn claims(members: &str, text: &str) -> Vec<(&'static str, String)> {
    const FAULTY: &str = "max_steps = \"x\"\n[trainer]\n[orchestrator]\n";
    let config = |path: &str, version: &str, text: &str| {
        let sha256 = Digest::of(text.as_bytes());
        format!(
            r#""{path}": {{ "current_version": "{version}", "versions": {{ "{version}": {{ "created": "2026-01-05", "sha256": "{sha256}" }} }} }}"#
        )
    };
    let registry =
        format!(r#"{{ "configs": {{ {}, {} }} }}"#, config("b.toml", "v3", OTHER), config("faulty.toml", "v1", FAULTY));
    let files = [("registry.json", registry.as_str()), ("b.toml", OTHER), ("faulty.toml", FAULTY)];
    let system: Arc<dyn System> = Arc::new(MemorySystem::with_files(files));
    let registries = Arc::new(Registries::new(Arc::clone(&system)));
    let session = Session::new(Arc::new(Projects::new(system, None))).with_registries(registries);
    let text = format!("# /// config\n{members}# ///\n{text}");
    let request = Request {
        target: Some(Target::parse(session.history, "0.4.0").expect("it is a release")),
        ..Request::new("a.toml", &text)
    };
    let found = check(&session, request).diagnostics;
    let about = [&codes::FALSE_CLAIM, &codes::UNCHECKED_CLAIM];
    found.into_iter().filter(|found| about.contains(&found.code)).map(|found| (found.code.name, found.message)).collect()
}

#[test]
fn a_claim_holds_if_only_excepted_keys_differ() {
    let same_as = "# same_as = \"b.toml:v3\"\n";
    let silent = [
        (String::new(), OTHER.to_owned()),
        // Machines and names may differ.
        (String::new(), format!("{OTHER}[wandb]\nname = \"arm-a\"\n[trainer.model.ac]\nfreq = 1\n")),
        ("# except = [\"orchestrator.env\"]\n".to_owned(), OTHER.replace("easy", "hard")),
        ("# except = [\"orchestrator.env[0].args.mode\"]\n".to_owned(), OTHER.replace("easy", "hard")),
        ("# except = [\"seq_len\", \"trainer.optim\"]\n".to_owned(), OTHER.replace("2048", "4096").replace("1e-5", "2e-5")),
    ];
    for (except, text) in silent {
        let found = claims(&format!("{same_as}{except}"), &text);
        assert!(found.is_empty(), "{found:?}\n{text}");
    }
}

#[test]
fn a_claim_fails_if_another_training_key_differs() {
    let same_as = "# same_as = \"b.toml:v3\"\n";
    let found = claims(same_as, &OTHER.replace("1e-5", "2e-5"));
    let message = "this does not train the same as `b.toml:v3`: `trainer.optim.lr` is 2e-5 here and 1e-5 there";
    assert_eq!(found, [("false-claim", message.to_owned())]);
    let found =
        claims(&format!("{same_as}# except = [\"trainer.optim\"]\n"), &OTHER.replace("1e-5", "2e-5").replace("easy", "hard"));
    assert_eq!(found.len(), 1);
    assert!(found[0].1.contains("orchestrator.env[0].args.mode") && !found[0].1.contains("optim"), "{}", found[0].1);
    // An excepted key does not match another key that begins with it.
    assert_eq!(claims(&format!("{same_as}# except = [\"trainer.opt\"]\n"), &OTHER.replace("1e-5", "2e-5")).len(), 1);
}

#[test]
fn a_claim_that_cant_be_checked_is_reported() {
    let found = claims("# same_as = \"c.toml:v1\"\n", OTHER);
    assert_eq!(
        found,
        [("unchecked-claim", "can't compare training with `c.toml:v1`: the registry has no config `c.toml`".to_owned())]
    );
    assert_eq!(claims("# same_as = \"faulty.toml:v1\"\n", OTHER)[0].0, "unchecked-claim");
    assert!(claims("# version = \"v1\"\n", OTHER).is_empty());
}
