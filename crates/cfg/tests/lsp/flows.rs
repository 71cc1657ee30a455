//! From an empty file to a config that trains, by completion alone.

use serde_json::{Value, json};

use super::{
    accepting::{Client, offered},
    client::{Server, URI},
};

/// The metadata block of a config.
fn head(release: &str, kind: &str) -> String {
    format!("# /// config\n# prime_rl = \"{release}\"\n# kind = \"{kind}\"\n# hardware = \"2x H100\"\n# ///\n")
}

/// The errors and warnings of the text that the server has.
fn findings(server: &mut Server) -> Vec<Value> {
    let report = server.ask("textDocument/diagnostic", &json!({ "textDocument": { "uri": URI } }));
    let items = report["items"].as_array().cloned().unwrap_or_default();
    items.into_iter().filter(|item| item["severity"].as_u64().is_some_and(|severity| severity <= 2)).collect()
}

#[test]
fn an_accepted_skeleton_trains() {
    for client in [Client::Plain, Client::Replacing, Client::Neovim] {
        let (mut server, mut version) = (client.start(), 0);
        for release in ["0.4.0", "0.6.0", "0.8.0", "main"] {
            for kind in ["rl", "sft", "orchestrator", "inference"] {
                let (items, text, offset) = offered(&mut server, &mut version, &format!("{}^", head(release, kind)));
                let first = items.first().expect("something is offered");
                assert_eq!(first["detail"], format!("a config for {kind}"), "{client:?}, {release}");
                // Neovim inserts the first word of a plain text, so it gets snippets.
                let text = client.accept(&mut server, &mut version, &text, offset, first);
                version += 1;
                server.replace(URI, version, &text);
                let found = findings(&mut server);
                assert!(found.is_empty(), "{client:?}, {release}, {kind}: {found:?}\n{text}");
            }
        }
        assert_eq!(server.end(), Some(0));
    }
}

/// What is typed, and the item that is accepted then.
type Step = (&'static str, &'static str);

const MODEL: &[Step] = &[("\n\n[mod", "model"), ("\nname = \"Qwen3-0.6", "\"Qwen/Qwen3-0.6B\"")];

/// The steps of writing a config for a release, without the entry of its environment.
fn steps(release: &str, kind: &str) -> Vec<Step> {
    let is_new = matches!(release, "0.8.0" | "main");
    let group = if is_new { ("\ngroup_size = ", "8") } else { ("\nrollouts_per_example = ", "8") };
    let source: &[Step] = match (release, kind) {
        ("main", "rl") => &[("\n\n[[sou", "orchestrator.train.source"), ("\nenv.taskset.id = \"rev", "\"reverse-text\"")],
        ("main", _) => &[("\n\n[[sou", "train.source"), ("\nenv.taskset.id = \"rev", "\"reverse-text\"")],
        ("0.8.0", "rl") => &[("\n\n[[sou", "orchestrator.train.source"), ("\nenv.taskset.id = \"rev", "\"reverse-text-v1\"")],
        ("0.8.0", _) => &[("\n\n[[sou", "train.source"), ("\nenv.taskset.id = \"rev", "\"reverse-text-v1\"")],
        ("0.6.0", "rl") => &[("\n\n[[env", "orchestrator.train.env"), ("\nid = \"rev", "\"reverse-text\"")],
        ("0.6.0", _) => &[("\n\n[[env", "train.env"), ("\nid = \"rev", "\"reverse-text\"")],
        (_, "rl") => &[("\n\n[[env", "orchestrator.env"), ("\nid = \"rev", "\"reverse-text\"")],
        _ => &[("\n\n[[env", "env"), ("\nid = \"rev", "\"reverse-text\"")],
    };
    let mut all = vec![("max_s", "max_steps")];
    match kind {
        "rl" => {
            all.push(("\nseq", "seq_len"));
            all.extend(MODEL);
            all.extend([("\n\n[trai", "trainer"), ("\n\n[trainer.opt", "optim"), ("\nl", "lr")]);
            all.extend([("\n\n[orch", "orchestrator"), ("\nbatch", "batch_size"), group]);
            all.extend(source);
            all.push(("\n\n[inf", "inference"));
        }
        "sft" => {
            all.extend(MODEL);
            all.extend([("\n\n[da", "data"), ("\nname = \"", "\"PrimeIntellect/Reverse-Text-SFT\""), ("\nseq_len = ", "1024")]);
            all.extend([("\n\n[opt", "optim"), ("\nl", "lr"), ("\n\n[ck", "ckpt"), ("\nint", "interval")]);
        }
        "orchestrator" => {
            all.extend([("\nbatch", "batch_size"), group]);
            let student = [("\n\n[mod", "student.model"), MODEL[1]];
            all.extend(if release == "0.6.0" { &student } else { MODEL });
            all.extend(source);
        }
        _ if release == "main" => {
            all = vec![("[vl", "vllm"), ("\nmodel = \"Qwen3-0.6", "\"Qwen/Qwen3-0.6B\""), ("\nmax_mo", "max_model_len")];
            all.push(("\ntensor_p", "tensor_parallel_size"));
        }
        _ => {
            all = vec![("gpu_m", "gpu_memory_utilization")];
            all.extend(MODEL);
            all.extend([("\nmax_mo", "max_model_len"), ("\n\n[par", "parallel"), ("\nt", "tp")]);
        }
    }
    all
}

#[test]
fn a_config_is_written_key_by_key() {
    for client in [Client::Plain, Client::Snippets, Client::Neovim] {
        let (mut server, mut version) = (client.start(), 0);
        for release in ["0.4.0", "0.6.0", "0.8.0", "main"] {
            for kind in ["rl", "sft", "orchestrator", "inference"] {
                let mut text = head(release, kind);
                for (typed, label) in steps(release, kind) {
                    text.push_str(typed);
                    let (items, _, offset) = offered(&mut server, &mut version, &format!("{text}^"));
                    let mut named = items.iter().filter(|item| item["label"] == label);
                    let item = named.next().unwrap_or_else(|| panic!("{release}, {kind}: {label} is offered in {text}"));
                    assert!(named.next().is_none(), "{release}, {kind}: {label} is offered once in {text}");
                    text = client.accept(&mut server, &mut version, &text, offset, item);
                }
                version += 1;
                server.replace(URI, version, &text);
                let found = findings(&mut server);
                assert!(found.is_empty(), "{client:?}, {release}, {kind}: {found:?}\n{text}");
            }
        }
        assert_eq!(server.end(), Some(0));
    }
}
