//! Every item at every position of whole configs: the text stays valid, and nothing else changes.

use std::{collections::BTreeSet, fs, path::Path};

use cfg_check::Session;
use cfg_diag::{FileId, Span};
use cfg_syntax::{Dialect, Table, Value, ValueKind};

use crate::{
    Item, complete,
    skeletons::{Skeletons, skeletons},
    testing::analysis,
};

/// The values of a table by their dotted keys, with the places of key and value.
fn leaves(table: &Table, above: &str, found: &mut Vec<(String, [Span; 2])>, text: &str) {
    for entry in &table.entries {
        let name = format!("{above}.{}", entry.key.text);
        value(&entry.value, &name, entry.key.span, found, text);
    }
}

fn value(value: &Value, name: &str, key: Span, found: &mut Vec<(String, [Span; 2])>, text: &str) {
    match &value.kind {
        ValueKind::Table(table) => leaves(table, name, found, text),
        ValueKind::Array(items) if value.is_array_of_tables() => {
            // A new item may come before the others.
            items.iter().for_each(|item| self::value(item, name, key, found, text));
        }
        _ => found.push((format!("{name} = {}", &text[value.span.range()]), [key, value.span])),
    }
}

fn of(text: &str) -> Option<Vec<(String, [Span; 2])>> {
    let (document, faults) = cfg_syntax::parse(FileId(0), text, Dialect::Toml11);
    let mut found = Vec::new();
    leaves(&document.root, "", &mut found, text);
    faults.is_empty().then_some(found)
}

/// Why an item can't be accepted; `None` if all is well.
fn fault(text: &str, before: &[(String, [Span; 2])], offset: u32, item: &Item) -> Option<String> {
    let mut new = text.to_owned();
    new.replace_range(item.span.range(), &item.insert);
    let Some(after) = of(&new) else { return Some("the text is not valid".to_owned()) };
    if !(item.span.start <= offset && offset <= item.span.end) || text[item.span.range()].contains('\n') {
        return Some("the range is not around the cursor in its line".to_owned());
    }
    let line = cfg_diag::line_start(text, offset as usize);
    if text[line..].trim_start().starts_with('[') && !item.insert.starts_with('[') {
        // Another header is another place for its body.
        return None;
    }
    let after: BTreeSet<&str> = after.iter().map(|(leaf, _)| leaf.as_str()).collect();
    // The statement at the cursor is the one that changes.
    let statement = line..offset as usize + text[offset as usize..].lines().next().map_or(0, str::len);
    let is_replaced = |spans: &[Span; 2]| {
        statement.contains(&(spans[0].start as usize)) || spans[0].start <= item.span.start && item.span.end <= spans[1].end
    };
    let lost = before.iter().find(|(leaf, spans)| !is_replaced(spans) && !after.contains(leaf.as_str()));
    lost.map(|(leaf, _)| format!("{leaf} is lost"))
}

#[test]
fn every_item_leaves_a_valid_text_and_changes_nothing_else() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders =
        ["configs/prime-rl", "configs/prime-rl/qwen2.5-7b-h100-v080", "configs/swe-grep-oss/rl", "crates/cfg-plan/tests/configs"];
    let files = folders.iter().flat_map(|folder| fs::read_dir(root.join(folder)).expect("a folder"));
    let mut paths: Vec<_> = files.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    paths.sort();
    let read = |path: &std::path::PathBuf| (path.display().to_string(), fs::read_to_string(path).expect("text"));
    let mut texts: Vec<(String, String)> = paths.iter().map(read).collect();
    // Configs as they are offered for an empty file.
    let drafts = skeletons(&Session::default(), &analysis(""), 0, &Skeletons::default());
    texts.extend(drafts.into_iter().map(|draft| (draft.label, draft.insert)));
    assert!(texts.len() >= 40, "{}", texts.len());
    let (mut positions, mut items) = (0, 0);
    let mut faults = Vec::new();
    for (number, (name, text)) in texts.iter().enumerate() {
        let Some(before) = of(text) else { continue };
        let analysis = analysis(text);
        // Each text has another share of its positions, so that all kinds of places are among them.
        for offset in (0..=text.len()).filter(|at| text.is_char_boundary(*at)).skip(number % 23).step_by(23) {
            positions += 1;
            let line = cfg_diag::line_start(text, offset);
            let rest = text[offset..].lines().next().unwrap_or_default();
            let place = format!("{name}: {}^{rest}", &text[line..offset]);
            let mut labels = BTreeSet::new();
            for item in complete(&analysis, offset as u32) {
                items += 1;
                if let Some(why) = fault(text, &before, offset as u32, &item) {
                    faults.push(format!("{place}: {}: {why}", item.label));
                }
                if !labels.insert(item.label.clone()) {
                    faults.push(format!("{place}: {} is offered twice", item.label));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{} faults: {:#?}", faults.len(), &faults[..faults.len().min(20)]);
    assert!(positions > 300 && items > 3000, "{positions} positions, {items} items");
}

/// Forms that few configs have: tables in a line, dotted and quoted keys, values of several lines, other line ends and blanks, what is half written.
const ODD: [&str; 8] = [
    "max_steps=10\nmodel = { name = \"Qwen/Qwen3-0.6B\" }\nckpt = {}\n\
     trainer = { model = { attn = \"sdpa\", lora = { rank = 8, target_modules = [\"q_proj\"] } }, optim = { lr = 1e-5 } } # both\n\
     orchestrator = { batch_size = 16, log = { level = \"info\" } }\ninference = { gpu_memory_utilization = 0.8 }\n",
    "trainer.optim.lr = 3e-6\ntrainer.model.lora.rank = 8\ntrainer.\"optim\".type = \"muon\"\norchestrator.batch_size = 32\nckpt.interval = 10\n",
    "[trainer.model.lora]\ntarget_modules = [\n  \"q_proj\", # query\n  # key\n  \"k_proj\"\n]\n[trainer.tokenizer]\nname = \"\"\"\nx\"\"\"\n\
     [orchestrator]\n[orchestrator.client]\nbase_url = [\n\t\"http://localhost:8000/v1\",\n]\n",
    "max_steps = 10\r\n[model]\r\nname = \"Qwen/Qwen3-0.6B\" # \u{fc}\r\n[trainer.optim]\r\nlr = 1e-6\r\n[orchestrator]\r\n\r\n",
    "\tmax_steps\t=\t10\t# c\n\t[ trainer . optim ]\t# h\n\t\tlr\t=\t1e-6\n\t[ orchestrator ]\n\t[ 'inference' ]\n",
    "[trainer]\n[[orchestrator.train.env]]\nid = \"a\"\t# \u{6a21}\nargs = { split = \"train\" }\n\n[[orchestrator.train.env]]\nid = \"b\"\n\
     [orchestrator.train.env.args]\nsplit = \"train\"\n[inference.vllm_extra]\nmax_num_seqs = 8\n",
    "max_steps =\nseq_len = 40\nmod\n[model\nname = \"Qwen/\n[trainer.optim]\nlr\ntype = \n[trainer.model.lora]\ntarget_modules = [\"q_proj\", \n\
     [orchestrator]\nbatch_size = \n[[\n[inference]\ngpu_memory_utilization = 0.\n",
    "[[]]\n[]\n[.]\n[[.a]]\n[a.\n[\"\n = \n.x = 1\na.\n{\n}\n[[a]]x\n]]\n\"\"\"",
];

#[test]
fn every_item_leaves_an_odd_text_valid_and_changes_nothing_else() {
    let mut faults = Vec::new();
    for (target, first) in [("0.4.0", 0), ("main", 1)] {
        for (number, odd) in ODD.iter().enumerate() {
            let end = if odd.contains('\r') { "\r\n" } else { "\n" };
            let text = format!("# /// config{end}# prime_rl = \"{target}\"{end}# ///{end}{odd}");
            let (analysis, before) = (analysis(&text), of(&text));
            // What is half written is tried everywhere, since it is where a fault would be.
            let step = if before.is_some() { 3 } else { 1 };
            let is_place = |at: &usize| text.is_char_boundary(*at) && !text[..*at].ends_with('\r');
            for offset in (0..=text.len()).filter(is_place).skip((first + number) % step).step_by(step) {
                let items = complete(&analysis, offset as u32);
                let Some(before) = &before else { continue };
                let wrong = items.iter().filter_map(|item| Some((item, fault(&text, before, offset as u32, item)?)));
                let place = |(item, why): (&Item, String)| {
                    let around = text[..offset].lines().next_back().unwrap_or_default();
                    format!("{target}: {around}^{}: {}: {why}", text[offset..].lines().next().unwrap_or_default(), item.label)
                };
                faults.extend(wrong.map(place));
            }
        }
    }
    assert!(faults.is_empty(), "{} faults: {:#?}", faults.len(), &faults[..faults.len().min(20)]);
}
