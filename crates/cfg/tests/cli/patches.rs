//! A patch next to a config that changes prime-rl's config classes.

use serde_json::Value;

use super::{Folder, document_of};

const PATCH: &str = "\
--- a/packages/prime-rl-configs/src/prime_rl/configs/trainer.py
+++ b/packages/prime-rl-configs/src/prime_rl/configs/trainer.py
@@ -281,3 +281,5 @@ class TokenizerConfig(BaseConfig):
     chat_template: str | None = None
+    eos_token: str | None = None
+
--- a/packages/prime-rl-configs/src/prime_rl/configs/algorithm.py
+++ b/packages/prime-rl-configs/src/prime_rl/configs/algorithm.py
@@ -10,2 +10,5 @@
+class OwnAlgoConfig(GRPOAlgoConfig):
+    type: Literal[\"own\"] = \"own\"
+
";

fn config(more: &str) -> String {
    format!(
        "max_steps = 5
[trainer]
[inference]
[orchestrator]
batch_size = 64
group_size = 8
{more}"
    )
}

/// The verdict on `rl.toml` in a repository with these files, and the codes of its findings.
fn judged(files: &[(&str, &str)]) -> (String, Vec<String>) {
    let folder = Folder::repository(files);
    let ended = folder.run("check --format json --target main rl.toml");
    let report = document_of(&ended, &serde_json::json!({}));
    let file = &report["files"][0];
    let code = |found: &Value| found["code"].as_str().map(str::to_owned);
    let codes = file["diagnostics"].as_array().into_iter().flatten().filter_map(code);
    (file["verdict"].to_string(), codes.filter(|code| code.starts_with("PRL1")).collect())
}

#[test]
fn keys_that_a_patch_may_add_are_unknown() {
    let own = config("[orchestrator.algo]\ntype = \"own\"\n[tokenizer]\neos_token = \"x\"\n");
    let (verdict, codes) = judged(&[("rl.toml", &own)]);
    assert_eq!((&*verdict, codes), ("\"rejected\"", vec!["PRL108".to_owned(), "PRL101".to_owned()]));
    let (verdict, codes) = judged(&[("rl.toml", &own), ("patches/own.patch", PATCH)]);
    assert_eq!((&*verdict, codes), ("\"depends\"", vec!["PRL116".to_owned(); 2]));
}

#[test]
fn keys_that_no_patch_adds_are_judged() {
    let wrong = config("[tokenizer]\neos_tokens = \"x\"\n");
    for path in ["patches/own.patch", "own.diff"] {
        let (verdict, codes) = judged(&[("rl.toml", &wrong), (path, PATCH)]);
        assert_eq!((&*verdict, codes), ("\"rejected\"", vec!["PRL101".to_owned()]), "{path}");
    }
    // A patch of another program's classes does not affect prime-rl.
    let other = PATCH.replace("prime_rl", "other");
    let own = config("[tokenizer]\neos_token = \"x\"\n");
    assert_eq!(judged(&[("rl.toml", &own), ("patches/own.patch", &other)]).0, "\"rejected\"");
}
