//! Compiles `schemas/gpus.toml` and `schemas/models/` into the tables of `cfg-memory`.

use std::{fmt::Write as _, fs, path::Path};

use serde::{Deserialize, de::DeserializeOwned};
use toml::value::Datetime;

use crate::generate::root;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Gpus {
    gpu: Vec<Gpu>,
    machine: Vec<Machine>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Machine {
    name: String,
    gpu: String,
    count: u32,
    source: String,
    recorded: Datetime,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Gpu {
    name: String,
    size_gb: u32,
    total_gib: f64,
    aliases: Vec<String>,
    compute: Option<String>,
    memory: Option<String>,
    links: Option<Links>,
    #[serde(default)]
    measured: bool,
    lacks: Option<String>,
    source: String,
    recorded: Datetime,
}

#[derive(Debug, Deserialize)]
enum Links {
    #[serde(rename = "NVLink")]
    NvLink,
    #[serde(rename = "PCIe")]
    Pcie,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Models {
    model: Vec<Model>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "an entry of the file")]
struct Model {
    ids: Vec<String>,
    #[serde(default)]
    fine_tuned: Vec<String>,
    layers: u32,
    hidden: u32,
    heads: u32,
    kv_heads: u32,
    head_dim: u32,
    intermediate: u32,
    vocab: u32,
    tied_embeddings: bool,
    context: u64,
    norms: Norms,
    qk_norm: QkNorm,
    qkv_bias: bool,
    #[serde(default)]
    output_bias: bool,
    #[serde(default)]
    extra_attention: u64,
    moe: Option<Moe>,
    mla: Option<Mla>,
    parameters: u64,
    weights_on_disk_gb: Option<f64>,
    source: String,
    confirmed: bool,
    recorded: Datetime,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Norms {
    Before,
    After,
    Both,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum QkNorm {
    None,
    Head,
    Full,
}

// The fields have the names of `cfg_memory::architecture`, because `Debug` writes the table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "read by `Debug`")]
struct Moe {
    experts: u32,
    top_k: u32,
    intermediate: u32,
    shared_experts: u32,
    dense_layers: u32,
    extra: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "read by `Debug`")]
struct Mla {
    kv_rank: u32,
    qk_nope: u32,
    qk_rope: u32,
    value: u32,
}

fn read<T: DeserializeOwned>(path: &str) -> Result<T, String> {
    let text = fs::read_to_string(root().join(path)).map_err(|error| format!("{path}: {error}"))?;
    toml::from_str(&text).map_err(|error| format!("{path}: {error}"))
}

/// The table of GPUs.
pub(crate) fn gpus() -> Result<Vec<u8>, String> {
    let mut table = String::from(
        "//! Generated from `schemas/gpus.toml` by `cargo xtask generate`.\n\nuse std::borrow::Cow;\n\nuse super::{Gpu, Links, Machine, Traits};\nuse crate::units::Bytes;\n\n\
         #[rustfmt::skip]\npub(super) static GPUS: &[Gpu] = &[\n",
    );
    let Gpus { gpu: gpus, machine: machines } = read::<Gpus>("schemas/gpus.toml")?;
    if let Some(stray) = machines.iter().find(|machine| gpus.iter().all(|gpu| gpu.name != machine.gpu)) {
        return Err(format!("schemas/gpus.toml: {} has an unknown card: {}", stray.name, stray.gpu));
    }
    let mut traits = String::new();
    for gpu in gpus {
        let Gpu { name, size_gb, total_gib, aliases, compute, memory, links, measured, lacks, source, recorded } = gpu;
        if let (Some(compute), Some(memory), Some(links)) = (compute, memory, links) {
            let compute = compute.replacen('.', ", ", 1);
            let _ = writeln!(
                traits,
                "    ({name:?}, Traits {{ compute: ({compute}), memory: {memory:?}, links: Links::{links:?} }}),"
            );
        }
        let aliases = aliases.join("\", \"");
        let aliases = if aliases.is_empty() { String::new() } else { format!("\"{aliases}\"") };
        let _ = writeln!(
            table,
            "    Gpu {{ name: Cow::Borrowed({name:?}), size_gb: {size_gb}, total: Bytes::gib({total_gib:?}), aliases: &[{aliases}], \
             measured: {measured}, lacks: {lacks:?}, source: Cow::Borrowed({:?}) }},",
            format!("{source}; recorded {recorded}")
        );
    }
    table.push_str("];\n\n#[rustfmt::skip]\npub(super) static MACHINES: &[Machine] = &[\n");
    for Machine { name, gpu, count, source, recorded } in machines {
        let source = format!("{source}; recorded {recorded}");
        let _ = writeln!(table, "    Machine {{ name: {name:?}, gpu: {gpu:?}, count: {count}, source: {source:?} }},");
    }
    table.push_str("];\n\n#[rustfmt::skip]\npub(super) static TRAITS: &[(&str, Traits)] = &[\n");
    table.push_str(&traits);
    table.push_str("];\n");
    Ok(table.into_bytes())
}

/// The table of models, by name.
pub(crate) fn models() -> Result<Vec<u8>, String> {
    let mut lines = Vec::new();
    for path in files()? {
        for model in read::<Models>(&path)?.model {
            let shape = shape(&model);
            let of = model.ids.first().ok_or(format!("{path}: a model without a name"))?;
            let recorded = format!("{}; recorded {}", model.source, model.recorded);
            let further = format!("taken for the shape of {of}; recorded {}", model.recorded);
            let own = model.ids.iter().map(|id| (id, &recorded, model.confirmed));
            let fine_tuned = model.fine_tuned.iter().map(|id| (id, &further, false));
            for (id, source, confirmed) in own.chain(fine_tuned) {
                let parameters = model.parameters;
                lines.push(format!(
                    "    Model {{ id: {id:?}, architecture: {shape}, published: {parameters}, weights_on_disk: {}, confirmed: {confirmed}, \
                     source: {source:?} }},\n",
                    model.weights_on_disk_gb.map_or("None".to_owned(), |gb| format!("Some(Bytes::gb({gb:?}))")),
                ));
            }
        }
    }
    lines.sort_unstable();
    if let Some(twice) = lines.windows(2).find(|pair| pair[0].split('"').nth(1) == pair[1].split('"').nth(1)) {
        return Err(format!("schemas/models: stated twice: {}", twice[0].trim()));
    }
    let mut table = String::from(
        "//! Generated from `schemas/models/` by `cargo xtask generate`.\n\n#![allow(clippy::unreadable_literal, reason = \"numbers as `config.json` has them\")]\n\nuse super::Model;\nuse crate::{\n    architecture::{Architecture, \
         Mla, Moe, Norms, QkNorm},\n    units::{Bytes, Tokens},\n};\n\n#[rustfmt::skip]\npub(super) static MODELS: &[Model] = &[\n",
    );
    table.extend(lines);
    table.push_str("];\n");
    Ok(table.into_bytes())
}

fn files() -> Result<Vec<String>, String> {
    let folder = "schemas/models";
    let entries = fs::read_dir(root().join(folder)).map_err(|error| format!("{folder}: {error}"))?;
    let mut files = Vec::new();
    for entry in entries {
        let name = entry.map_err(|error| format!("{folder}: {error}"))?.file_name();
        let path = format!("{folder}/{}", name.to_string_lossy());
        if Path::new(&path).extension().is_some_and(|extension| extension == "toml") {
            files.push(path);
        }
    }
    files.sort_unstable();
    Ok(files)
}

fn shape(model: &Model) -> String {
    let Model { layers, hidden, heads, kv_heads, head_dim, intermediate, vocab, tied_embeddings, context, .. } = model;
    let Model { norms, qk_norm, qkv_bias, output_bias, extra_attention, moe, mla, .. } = model;
    format!(
        "Architecture {{ layers: {layers}, hidden: {hidden}, heads: {heads}, kv_heads: {kv_heads}, head_dim: {head_dim}, \
         intermediate: {intermediate}, vocab: {vocab}, tied_embeddings: {tied_embeddings}, context: Tokens({context}), \
         norms: Norms::{norms:?}, qk_norm: QkNorm::{qk_norm:?}, qkv_bias: {qkv_bias}, output_bias: {output_bias}, \
         extra_attention: {extra_attention}, moe: {moe:?}, mla: {mla:?} }}"
    )
}
