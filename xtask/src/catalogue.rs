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
    main_gib: Option<f64>,
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
    #[serde(default)]
    hosted: Vec<String>,
    #[serde(default)]
    variants: Vec<Variant>,
    layers: u32,
    hidden: u32,
    heads: u32,
    kv_heads: u32,
    head_dim: u32,
    intermediate: u32,
    vocab: u32,
    tied_embeddings: bool,
    context: u64,
    #[serde(default)]
    norms: Norms,
    #[serde(default)]
    qk_norm: QkNorm,
    #[serde(default)]
    qkv_bias: bool,
    #[serde(default)]
    output_bias: bool,
    #[serde(default)]
    extra_attention: i64,
    moe: Option<Moe>,
    mla: Option<Mla>,
    value_dim: Option<u32>,
    #[serde(default)]
    key_is_value: bool,
    window: Option<Window>,
    recurrent: Option<Recurrent>,
    #[serde(default)]
    shared_kv_layers: u32,
    mlp_layers: Option<u32>,
    #[serde(default = "gated")]
    mlp_matrices: u32,
    #[serde(default)]
    mtp_layers: u32,
    #[serde(default)]
    towers: u64,
    #[serde(default)]
    other: u64,
    parameters: u64,
    #[serde(default)]
    precision: Precision,
    weights_on_disk_gb: Option<f64>,
    source: String,
    confirmed: bool,
    recorded: Datetime,
}

/// Names with the same shape and another length of context, or another precision.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Variant {
    ids: Vec<String>,
    context: u64,
    precision: Option<Precision>,
}

const fn gated() -> u32 {
    3
}

const fn wide() -> u8 {
    4
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Norms {
    #[default]
    Before,
    After,
    Both,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum QkNorm {
    #[default]
    None,
    Head,
    Full,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Precision {
    #[default]
    Half,
    Fp8,
    Int4,
    Mxfp4,
}

// The fields have the names of `cfg_memory::architecture`, because `Debug` writes the table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "read by `Debug`")]
struct Moe {
    experts: u32,
    top_k: u32,
    intermediate: u32,
    #[serde(default)]
    shared_experts: u32,
    shared_intermediate: Option<u32>,
    #[serde(default)]
    dense_layers: u32,
    latent: Option<u32>,
    #[serde(default)]
    extra: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "read by `Debug`")]
struct Mla {
    kv_rank: u32,
    q_rank: Option<u32>,
    qk_nope: u32,
    qk_rope: u32,
    value: u32,
    index: Option<Index>,
    compressed: Option<Compressed>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "read by `Debug`")]
struct Compressed {
    quarter: u32,
    sparse: u32,
    window: u32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "read by `Debug`")]
struct Index {
    heads: u32,
    dim: u32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Window {
    size: u64,
    layers: u32,
    heads: Option<u32>,
    kv_heads: Option<u32>,
    head_dim: Option<u32>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Recurrent {
    layers: u32,
    conv: u32,
    #[serde(default)]
    extra: i64,
    #[serde(default = "wide")]
    state_bytes: u8,
    #[serde(default)]
    beside_attention: bool,
    delta: Option<Delta>,
    mamba: Option<Mamba>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "read by `Debug`")]
struct Delta {
    key_heads: u32,
    value_heads: u32,
    key_dim: u32,
    value_dim: u32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "read by `Debug`")]
struct Mamba {
    heads: u32,
    head_dim: u32,
    groups: u32,
    state: u32,
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
    for Machine { name, gpu, count, main_gib, source, recorded } in machines {
        let source = format!("{source}; recorded {recorded}");
        let main_memory = main_gib.map_or("None".to_owned(), |gib| format!("Some(Bytes::gib({gib:?}))"));
        let _ = writeln!(
            table,
            "    Machine {{ name: {name:?}, gpu: {gpu:?}, count: {count}, main_memory: {main_memory}, source: {source:?} }},"
        );
    }
    table.push_str("];\n\n#[rustfmt::skip]\npub(super) static TRAITS: &[(&str, Traits)] = &[\n");
    table.push_str(&traits);
    table.push_str("];\n");
    Ok(table.into_bytes())
}

/// Models of one line of the table, so that it is not too long for a source.
const IN_LINE: usize = 3;

/// The table of models, by name.
pub(crate) fn models() -> Result<Vec<u8>, String> {
    let (mut names, _) = tables()?;
    names.sort_unstable();
    if let Some(twice) = names.windows(2).find(|pair| pair[0].split('"').nth(1) == pair[1].split('"').nth(1)) {
        return Err(format!("schemas/models: stated twice: {}", twice[0].trim()));
    }
    let mut table = String::from(
        "//! Generated from `schemas/models/` by `cargo xtask generate`.\n\n#![allow(clippy::unreadable_literal, reason = \"numbers as published\")]\n\n\
         use super::{Model, shapes::SHAPES};\nuse crate::{\n    precision::{Format, Precision},\n    units::Bytes,\n};\n\n\
         #[rustfmt::skip]\npub(super) static MODELS: &[Model] = &[\n",
    );
    for line in names.chunks(IN_LINE) {
        let _ = writeln!(table, "    {}", line.join(" "));
    }
    table.push_str("];\n");
    Ok(table.into_bytes())
}

/// The shapes of these models.
pub(crate) fn shapes() -> Result<Vec<u8>, String> {
    let (_, shapes) = tables()?;
    let mut table = format!(
        "//! Generated from `schemas/models/` by `cargo xtask generate`.\n\n#![allow(clippy::unreadable_literal, reason = \"numbers as `config.json` has them\")]\n\n\
         use crate::{{\n    architecture::{{Architecture, Compressed, Index, Mla, Moe, Norms, QkNorm, Recurrent, RecurrentKind, Window}},\n    units::Tokens,\n}};\n\n\
         #[rustfmt::skip]\npub(super) static SHAPES: [Architecture; {}] = [\n",
        shapes.len()
    );
    for shape in shapes {
        let _ = writeln!(table, "    {shape},");
    }
    table.push_str("];\n");
    Ok(table.into_bytes())
}

/// All names, each as an entry of the table, and all shapes.
fn tables() -> Result<(Vec<String>, Vec<String>), String> {
    let (mut names, mut shapes) = (Vec::new(), Vec::new());
    for path in files()? {
        for model in read::<Models>(&path)?.model {
            let of = model.ids.first().ok_or(format!("{path}: a model without a name"))?;
            let Model { parameters, recorded, .. } = &model;
            let source = format!("{}; recorded {recorded}", model.source);
            let further = format!("taken for the shape of {of}; recorded {recorded}");
            let own = model.weights_on_disk_gb.map_or("None".to_owned(), |gb| format!("Some(Bytes::gb({gb:?}))"));
            let mut add = |ids: &[String], context: u64, precision: Option<&Precision>, is_own: bool| {
                let format = precision.unwrap_or(&model.precision);
                // The size is that of the files in the model's own precision.
                let on_disk = if precision.is_none() { &own } else { "None" };
                let precision = format!("Precision {{ format: Format::{format:?}, on_disk: {on_disk} }}");
                let shape = shape(&model, context);
                // Names of one shape share it, also those of other entries.
                let index = shapes.iter().position(|known| *known == shape).unwrap_or_else(|| {
                    shapes.push(shape);
                    shapes.len() - 1
                });
                for id in ids {
                    let (base, source) = if is_own { ("None".to_owned(), &source) } else { (format!("Some({of:?})"), &further) };
                    let confirmed = is_own && model.confirmed;
                    names.push(format!(
                        "Model {{ id: {id:?}, architecture: &SHAPES[{index}], published: {parameters}, of: {base}, precision: {precision}, \
                         confirmed: {confirmed}, source: {source:?} }},",
                    ));
                }
            };
            add(&model.ids, model.context, None, true);
            for variant in &model.variants {
                add(&variant.ids, variant.context, variant.precision.as_ref(), true);
            }
            let others: Vec<String> = model.fine_tuned.iter().chain(&model.hosted).cloned().collect();
            if !others.is_empty() {
                add(&others, model.context, None, false);
            }
        }
    }
    Ok((names, shapes))
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

/// A shape as Rust: the fields that differ from those of a plain dense model.
fn shape(model: &Model, context: u64) -> String {
    let Model { layers, hidden, heads, kv_heads, head_dim, intermediate, vocab, tied_embeddings, .. } = model;
    let Model { norms, qk_norm, qkv_bias, output_bias, extra_attention, moe, mla, value_dim, key_is_value, .. } = model;
    let Model { shared_kv_layers, mlp_layers, mlp_matrices, mtp_layers, towers, other, .. } = model;
    let window = model.window.as_ref().map_or("None".to_owned(), |window| {
        let Window { size, layers, heads, kv_heads, head_dim } = window;
        format!(
            "Some(Window {{ size: Tokens({size}), layers: {layers}, heads: {heads:?}, kv_heads: {kv_heads:?}, head_dim: {head_dim:?} }})"
        )
    });
    let recurrent = model.recurrent.as_ref().map_or("None".to_owned(), |recurrent| {
        let Recurrent { layers, conv, extra, state_bytes, beside_attention, delta, mamba } = recurrent;
        let kind = match (delta, mamba) {
            (Some(delta), _) => format!("{delta:?}"),
            (None, Some(mamba)) => format!("{mamba:?}"),
            (None, None) => "Convolution".to_owned(),
        };
        format!("Some(Recurrent {{ layers: {layers}, kind: RecurrentKind::{kind}, conv: {conv}, extra: {extra}, state_bytes: {state_bytes}, beside_attention: {beside_attention} }})")
    });
    let fields = [
        ("norms", format!("Norms::{norms:?}"), "Norms::Before"),
        ("qk_norm", format!("QkNorm::{qk_norm:?}"), "QkNorm::None"),
        ("qkv_bias", qkv_bias.to_string(), "false"),
        ("output_bias", output_bias.to_string(), "false"),
        ("extra_attention", extra_attention.to_string(), "0"),
        ("moe", format!("{moe:?}"), "None"),
        ("mla", format!("{mla:?}"), "None"),
        ("value_dim", format!("{value_dim:?}"), "None"),
        ("key_is_value", key_is_value.to_string(), "false"),
        ("window", window, "None"),
        ("recurrent", recurrent, "None"),
        ("shared_kv_layers", shared_kv_layers.to_string(), "0"),
        ("mlp_layers", format!("{mlp_layers:?}"), "None"),
        ("mlp_matrices", mlp_matrices.to_string(), "3"),
        ("mtp_layers", mtp_layers.to_string(), "0"),
        ("towers", towers.to_string(), "0"),
        ("other", other.to_string(), "0"),
    ];
    let further = fields.iter().filter(|(_, value, plain)| value != plain).fold(String::new(), |mut text, (name, value, _)| {
        let _ = write!(text, "{name}: {value}, ");
        text
    });
    format!(
        "Architecture {{ layers: {layers}, hidden: {hidden}, heads: {heads}, kv_heads: {kv_heads}, head_dim: {head_dim}, \
         intermediate: {intermediate}, vocab: {vocab}, tied_embeddings: {tied_embeddings}, context: Tokens({context}), \
         {further}..Architecture::PLAIN }}"
    )
}
