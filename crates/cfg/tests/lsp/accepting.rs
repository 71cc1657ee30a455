//! The text after a completion was accepted, in each kind of client: the whole word is replaced, and nothing else.

use serde_json::{Value, json};

use super::client::{Server, URI};

/// How a client applies a completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Client {
    /// It has plain text and one range.
    Plain,
    /// It has snippets.
    Snippets,
    /// It has snippets, and two ranges; its user inserts.
    Inserting,
    /// The same; its user replaces.
    Replacing,
    /// Neovim's own completion: it keeps what is after the cursor, and takes the first word of a plain text.
    Neovim,
}

const CLIENTS: [Client; 5] = [Client::Plain, Client::Snippets, Client::Inserting, Client::Replacing, Client::Neovim];

impl Client {
    fn start(self) -> Server {
        let item = json!({
            "snippetSupport": self != Self::Plain,
            "insertReplaceSupport": matches!(self, Self::Inserting | Self::Replacing),
        });
        let name = if self == Self::Neovim { "Neovim" } else { "Eglot" };
        let params = json!({
            "capabilities": { "textDocument": { "completion": { "completionItem": item } } },
            "clientInfo": { "name": name },
        });
        Server::start_with(&params).0
    }

    /// The text after an item was accepted at a byte offset.
    fn accept(self, text: &str, offset: usize, item: &Value) -> String {
        let edit = &item["textEdit"];
        let range = match self {
            Self::Inserting => &edit["insert"],
            Self::Replacing => &edit["replace"],
            _ => &edit["range"],
        };
        let mut new = edit["newText"].as_str().expect("a text").to_owned();
        assert_eq!(item["insertText"], new.as_str(), "the same for a client without edits");
        let is_snippet = item["insertTextFormat"] == 2;
        assert!(!is_snippet || self != Self::Plain, "{item}");
        let (start, mut end) = (byte(text, &range["start"]), byte(text, &range["end"]));
        assert!(start <= offset && offset <= end, "the cursor is in the range: {item}");
        if self == Self::Neovim {
            end = offset;
            if !is_snippet {
                new = new.split_whitespace().next().unwrap_or_default().to_owned();
            }
        }
        if is_snippet {
            new = expanded(&new);
        }
        format!("{}{new}{}", &text[..start], &text[end..])
    }
}

/// The byte of a position in a text of ASCII.
fn byte(text: &str, position: &Value) -> usize {
    let number = |name: &str| position[name].as_u64().and_then(|number| usize::try_from(number).ok()).expect("a number");
    let line: usize = text.split_inclusive('\n').take(number("line")).map(str::len).sum();
    line + number("character")
}

/// A snippet whose user takes what is suggested.
fn expanded(snippet: &str) -> String {
    let mut text = String::new();
    let mut rest = snippet.chars().peekable();
    let mut is_in_place = false;
    while let Some(c) = rest.next() {
        match c {
            '\\' => text.extend(rest.next()),
            '$' if rest.peek() == Some(&'{') => {
                let opening: String = rest.by_ref().take_while(|c| !matches!(c, ':' | '|')).collect();
                assert!(opening.starts_with('{'), "{snippet}");
                is_in_place = true;
            }
            '$' => assert_eq!(rest.next(), Some('0'), "{snippet}"),
            // The first of several values.
            ',' if is_in_place && snippet.contains("|}") => while rest.next_if(|c| *c != '|').is_some() {},
            '|' if is_in_place => {}
            '}' if is_in_place => is_in_place = false,
            other => text.push(other),
        }
    }
    text
}

/// The items at the `^` of a text, and the text without it.
fn offered(server: &mut Server, version: &mut i64, marked: &str) -> (Vec<Value>, String, usize) {
    let offset = marked.find('^').expect("a cursor");
    let text = marked.replacen('^', "", 1);
    *version += 1;
    if *version == 1 {
        server.open(&text);
    } else {
        server.replace(URI, *version, &text);
    }
    let line = text[..offset].matches('\n').count();
    let character = offset - text[..offset].rfind('\n').map_or(0, |newline| newline + 1);
    let found =
        server.at("textDocument/completion", u32::try_from(line).expect("small"), u32::try_from(character).expect("small"));
    let list = if found.is_array() { found } else { found["items"].clone() };
    let mut items = list.as_array().cloned().unwrap_or_default();
    items.sort_by_key(|item| item["sortText"].as_str().map(str::to_owned));
    (items, text, offset)
}

fn labels(items: &[Value]) -> Vec<&str> {
    items.iter().filter_map(|item| item["label"].as_str()).collect()
}

/// What stands before the tables of a step.
const HEAD: &str = "# /// config\n# prime_rl = \"0.8.0\"\n# ///\n";

/// The text before, the accepted item, and the text after.
const STEPS: &[(&str, &str, &str)] = &[
    // A key with its value.
    ("[trainer.model]\nat^tn = \"auto\"\n", "cp", "[trainer.model]\ncp = \"auto\"\n"),
    ("[trainer.model]\n^attn = \"auto\"\n", "cp", "[trainer.model]\ncp = \"auto\"\n"),
    ("[trainer.model]\nattn^ = \"auto\"\n", "cp", "[trainer.model]\ncp = \"auto\"\n"),
    ("[trainer.model]\natt^n=\"auto\" # why\n", "cp", "[trainer.model]\ncp=\"auto\" # why\n"),
    ("[trainer]\nmod^el.name = \"x\"\n", "optim", "[trainer]\noptim.name = \"x\"\n"),
    ("trainer = { max_st^eps = 1 }\n", "log", "trainer = { log = 1 }\n"),
    // A key without one gets its default.
    ("[trainer.optim]\nl^\n", "lr", "[trainer.optim]\nlr = 1e-06\n"),
    ("[trainer.optim]\n^\n", "lr", "[trainer.optim]\nlr = 1e-06\n"),
    ("[trainer.model]\ntr^  # remote\n", "trust_remote_code", "[trainer.model]\ntrust_remote_code = false  # remote\n"),
    ("[model]\nna^\n", "name", "[model]\nname = \"\"\n"),
    ("trainer = { max_steps = 1, ^ }\n", "matmul_precision", "trainer = { max_steps = 1, matmul_precision = \"high\" }\n"),
    ("max_st^\n[trainer]\n", "max_steps", "max_steps = 20\n[trainer]\n"),
    // Headers.
    ("[[^]]\n", "orchestrator.train.source", "[[orchestrator.train.source]]\n"),
    ("[[^\n", "orchestrator.train.source", "[[orchestrator.train.source]]\n"),
    ("[[orch^]]\n", "orchestrator.train.source", "[[orchestrator.train.source]]\n"),
    ("[[orchestrator.^]]\n", "train.source", "[[orchestrator.train.source]]\n"),
    ("[orchestrator]\n[lora^\n", "trainer.model.lora", "[orchestrator]\n[trainer.model.lora]\n"),
    ("[lora^]\n", "trainer.model.lora", "[trainer.model.lora]\n"),
    ("[trainer.mod^el]\n", "optim", "[trainer.optim]\n"),
    ("[tr^ainer]\nmax_steps = 1\n", "orchestrator", "[orchestrator]\nmax_steps = 1\n"),
    ("[ck^  # kept\n", "ckpt", "[ckpt]  # kept\n"),
    ("[trainer]\nmax_steps = 1\nck^\n", "[ckpt]", "[trainer]\nmax_steps = 1\n[ckpt]\n\n"),
    ("[trainer]\nlor^", "[trainer.model.lora]", "[trainer]\n[trainer.model.lora]\n"),
    ("[trainer]\nop^", "optim", "[trainer]\n[trainer.optim]\n"),
    // Values.
    ("[trainer.model]\nattn = \"fl^ash\"\n", "\"flash_attention_2\"", "[trainer.model]\nattn = \"flash_attention_2\"\n"),
    ("[trainer.model]\nattn = ^\"sdpa\" # x\n", "\"flash_attention_2\"", "[trainer.model]\nattn = \"flash_attention_2\" # x\n"),
    ("[trainer.model]\nattn = ^\n", "\"flash_attention_3\"", "[trainer.model]\nattn = \"flash_attention_3\"\n"),
    ("[trainer.model]\nattn =^\n", "\"flash_attention_3\"", "[trainer.model]\nattn =\"flash_attention_3\"\n"),
    ("[trainer.model]\ntrust_remote_code = tr^\n", "true", "[trainer.model]\ntrust_remote_code = true\n"),
    ("[trainer.model]\ntrust_remote_code = t^rue\n", "false", "[trainer.model]\ntrust_remote_code = false\n"),
    ("[model]\nname = \"Qwen/^\"\n", "\"Qwen/Qwen3-8B\"", "[model]\nname = \"Qwen/Qwen3-8B\"\n"),
    ("[model]\nname = \"^\n", "\"Qwen/Qwen3-8B\"", "[model]\nname = \"Qwen/Qwen3-8B\"\n"),
    ("[trainer.optim]\nlr = 1e^-5\n", "1e-06", "[trainer.optim]\nlr = 1e-06\n"),
    // What a first config needs.
    ("[model]\nname = \"Qwen/Qwen3-8^B\"\n", "\"Qwen/Qwen3-0.6B\"", "[model]\nname = \"Qwen/Qwen3-0.6B\"\n"),
    ("[model]\nname = \"Qwen3-0^\"\n", "\"Qwen/Qwen3-0.6B\"", "[model]\nname = \"Qwen/Qwen3-0.6B\"\n"),
    ("[model]\nname = 'Qwen/^'\n", "\"Qwen/Qwen3-8B\"", "[model]\nname = \"Qwen/Qwen3-8B\"\n"),
    ("[trainer.optim]\ntype = \"^\"\n", "\"muon\"", "[trainer.optim]\ntype = \"muon\"\n"),
    ("[trainer.optim]\nty^\n", "type", "[trainer.optim]\ntype = \"adamw\"\n"),
    ("[trainer]\noptim = { ty^ }\n", "type", "[trainer]\noptim = { type = \"adamw\" }\n"),
    ("[trainer]\noptim = { type = \"^\" }\n", "\"muon\"", "[trainer]\noptim = { type = \"muon\" }\n"),
    ("[trainer]\noptim.^\n", "lr", "[trainer]\noptim.lr = 1e-06\n"),
    ("[trainer]\noptim.l^r = 1.0\n", "weight_decay", "[trainer]\noptim.weight_decay = 1.0\n"),
    ("[trainer.model.lora]\ntarget_modules = [^]\n", "\"q_proj\"", "[trainer.model.lora]\ntarget_modules = [\"q_proj\"]\n"),
    (
        "[trainer.model.lora]\ntarget_modules = [\"q_proj\", \"^\"]\n",
        "\"k_proj\"",
        "[trainer.model.lora]\ntarget_modules = [\"q_proj\", \"k_proj\"]\n",
    ),
    ("[trainer.model.lora]\nra^ # how many\n", "rank", "[trainer.model.lora]\nrank = 16 # how many\n"),
    ("[orchestrator]\nbat^\n", "batch_size", "[orchestrator]\nbatch_size = 128\n"),
    ("[orchestrator]\ngroup^\n", "group_size", "[orchestrator]\ngroup_size = 1\n"),
    ("[orchestrator]\n\n^\n\n[trainer]\n", "batch_size", "[orchestrator]\n\nbatch_size = 128\n\n[trainer]\n"),
    ("[orchestrator]\nbatch_size = 1\n^", "seq_len", "[orchestrator]\nbatch_size = 1\nseq_len = 2048"),
    ("[orchestrator.tr^\n", "train", "[orchestrator.train]\n"),
    ("[orchestrator.train.sam^]\n", "sampling", "[orchestrator.train.sampling]\n"),
    ("[orchestrator.train.sampling]\ntem^\n", "temperature", "[orchestrator.train.sampling]\ntemperature = 1.0\n"),
    (
        "[orchestrator.train.sampling]\nmax_c^ompletion_tokens = 5\n",
        "temperature",
        "[orchestrator.train.sampling]\ntemperature = 5\n",
    ),
    ("[[orchestrator.train.source]]\nen^\n", "env", "[[orchestrator.train.source]]\n[orchestrator.train.source.env]\n\n"),
    ("[[orchestrator.train.source]]\nenv.taskset.i^\n", "id", "[[orchestrator.train.source]]\nenv.taskset.id = \"\"\n"),
    (
        "[[orchestrator.train.source]]\nenv.taskset.id = \"^\"\n",
        "\"reverse-text\"",
        "[[orchestrator.train.source]]\nenv.taskset.id = \"reverse-text\"\n",
    ),
    (
        "[[orchestrator.train.source]]\nenv.taskset.id = \"a\"\n^\n",
        "[[orchestrator.train.source]]",
        "[[orchestrator.train.source]]\nenv.taskset.id = \"a\"\n[[orchestrator.train.source]]\n\n",
    ),
    ("[infer^\n", "inference", "[inference]\n"),
    ("[inference]\ngpu^\n", "gpu_memory_utilization", "[inference]\ngpu_memory_utilization = 0.9\n"),
    ("[inference.model]\nmax_m^\n", "max_model_len", "[inference.model]\nmax_model_len = 8192\n"),
    ("[ckpt]\nin^\n", "interval", "[ckpt]\ninterval = 100\n"),
    ("[ckpt]\ninterval = 5\nke^\n", "keep_last", "[ckpt]\ninterval = 5\nkeep_last = 1\n"),
    ("[wandb]\npro^\n", "project", "[wandb]\nproject = \"\"\n"),
    ("[deployment]\ntype = ^\n", "\"multi_node\"", "[deployment]\ntype = \"multi_node\"\n"),
    ("[dep^\n", "deployment", "[deployment]\n"),
    ("seq^\n[trainer]\n[orchestrator]\n", "seq_len", "seq_len = 2048\n[trainer]\n[orchestrator]\n"),
    ("^\n[trainer]\n[orchestrator]\n", "max_steps", "max_steps = 20\n[trainer]\n[orchestrator]\n"),
    ("max_steps = 1\n\n[trainer]\n[orchestrator]\n\n^\n", "[ckpt]", "max_steps = 1\n\n[trainer]\n[orchestrator]\n\n[ckpt]\n\n"),
    ("[trainer.model]\nac = ^\n", "{  }", "[trainer.model]\nac = {  }\n"),
    ("[trainer.model]\nfsdp_cpu_offload = f^alse\n", "true", "[trainer.model]\nfsdp_cpu_offload = true\n"),
];

#[test]
fn an_accepted_item_replaces_the_word_and_nothing_else() {
    for client in CLIENTS {
        let (mut server, mut version) = (client.start(), 0);
        for (before, label, after) in STEPS {
            let (before, after) = (format!("{HEAD}{before}"), format!("{HEAD}{after}"));
            let (items, text, offset) = offered(&mut server, &mut version, &before);
            let mut named = items.iter().filter(|item| item["label"] == *label);
            let item = named.next().unwrap_or_else(|| panic!("{client:?}: {label} is offered in {before}: {:?}", labels(&items)));
            assert!(named.next().is_none(), "{client:?}: {label} is offered once in {before}");
            let accepted = client.accept(&text, offset, item);
            // A client that keeps the rest of a word can only be given what fits in front of it.
            let rest = text[offset..].chars().next().unwrap_or('\n');
            if client == Client::Neovim && !matches!(rest, '\n' | ' ' | ']' | '"' | '=') {
                continue;
            }
            if client == Client::Neovim && text[offset..].starts_with("\"sdpa\"") {
                continue;
            }
            assert_eq!(accepted, after, "{client:?}: {label} in {before}");
        }
        assert_eq!(server.end(), Some(0));
    }
}

#[test]
fn the_most_used_comes_first_and_what_is_there_is_not_offered() {
    let (mut server, mut version) = (Client::Snippets.start(), 0);
    let mut first = |text: &str, count: usize| -> Vec<String> {
        let (items, ..) = offered(&mut server, &mut version, &format!("{HEAD}{text}"));
        labels(&items).into_iter().take(count).map(str::to_owned).collect()
    };
    assert!(first("^\n[trainer]\n[orchestrator]\n", 3).contains(&"max_steps".to_owned()));
    assert_eq!(first("[orchestrator]\n[trainer.optim]\n^\n", 2), ["lr", "type"]);
    assert_eq!(first("[orchestrator]\n[trainer.model]\nattn = ^\n", 1).len(), 1);
    let models = first("[model]\nname = \"^\"\n", 40);
    let at = |name: &str| models.iter().position(|label| label == name).unwrap_or(usize::MAX);
    assert!(at("\"Qwen/Qwen3-4B-Instruct-2507\"") < at("\"Qwen/Qwen3-8B\""), "{models:?}");
    let all = first("[model]\nname = \"x\"\n[trainer]\n[orchestrator]\n[^\n", 400);
    assert!(!all.contains(&"model".to_owned()) && all.contains(&"ckpt".to_owned()), "{all:?}");
    for text in
        ["[orchestrator.advantage]\ntype = \"^\"\n", "[orchestrator.train]\n^\n", "[[^]]\n", "[^]\n", "^\n", "[trainer]\n^\n"]
    {
        let mut all = first(text, 500);
        let count = all.len();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), count, "each item once in {text}");
    }
    assert_eq!(server.end(), Some(0));
}
