//! Models and GPUs that are known by name. The tables are compiled from `schemas/models/` and `schemas/gpus.toml`; everything else is
//! unknown and never guessed.

mod gpus;
mod models;
mod names;
mod shapes;

use std::borrow::Cow;

use crate::{architecture::Architecture, precision::Precision, units::Bytes};

pub use names::{Likeness, Named, named, stated_format, unquantised};

/// A model whose shape is known.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// Its name on the Hugging Face hub.
    pub id: &'static str,
    /// Its shape.
    pub architecture: &'static Architecture,
    /// Its published number of parameters.
    pub published: u64,
    /// The model whose shape it was taken to have, if its own file was not read.
    pub of: Option<&'static str>,
    /// How its published weights are stored.
    pub precision: Precision,
    /// Whether the shape comes from its own `config.json`.
    pub confirmed: bool,
    /// Where and when the shape was read.
    pub source: &'static str,
}

/// A GPU whose memory is known.
#[derive(Clone, Debug, PartialEq)]
pub struct Gpu {
    /// Its name in messages.
    pub name: Cow<'static, str>,
    /// Its size in GB in its product name.
    pub size_gb: u32,
    /// Its memory as the driver reports it.
    pub total: Bytes,
    /// Other names.
    pub aliases: &'static [&'static str],
    /// Whether the memory of prime-rl runs was measured on it.
    pub measured: bool,
    /// A feature that prime-rl needs and the card doesn't have: `bfloat16, in which prime-rl trains`.
    pub lacks: Option<&'static str>,
    /// Where and when the memory was read.
    pub source: Cow<'static, str>,
}

/// What a card can compute, beside the size of its memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traits {
    /// NVIDIA's compute capability: (9, 0) for Hopper.
    pub compute: (u8, u8),
    /// The kind of its memory: `HBM3`.
    pub memory: &'static str,
    /// What joins the cards of a machine.
    pub links: Links,
}

/// What joins the cards of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// `NVLink` between all of them.
    NvLink,
    /// PCI Express; some cards also have a bridge between two.
    Pcie,
}

impl Links {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NvLink => "NVLink",
            Self::Pcie => "PCIe",
        }
    }
}

/// A rented machine with a name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Machine {
    /// Its name at the provider.
    pub name: &'static str,
    /// The name of its card in the table of cards.
    pub gpu: &'static str,
    /// The number of cards.
    pub count: u32,
    /// Its main memory, if it is known.
    pub main_memory: Option<Bytes>,
    /// Where and when that was read.
    pub source: &'static str,
}

impl Gpu {
    /// What it can compute; `None` if the table doesn't have it, or it is no NVIDIA card.
    pub fn traits(&self) -> Option<Traits> {
        gpus::TRAITS.iter().find(|(name, _)| *name == self.name).map(|(_, traits)| *traits)
    }

    /// A GPU that the table doesn't have: its name, its memory as the driver reports it, and the source of both.
    pub fn own(name: impl Into<String>, total: Bytes, source: impl Into<String>) -> Self {
        let name = name.into();
        let size_gb = crate::hardware::size_in(&name).unwrap_or_else(|| sold_as(total));
        Self { name: name.into(), size_gb, total, aliases: &[], measured: false, lacks: None, source: source.into().into() }
    }
}

/// The size in GB in the product name of a card with this memory: the driver keeps a little for itself.
fn sold_as(total: Bytes) -> u32 {
    const SOLD: [u32; 22] = [4, 6, 8, 10, 11, 12, 16, 20, 24, 32, 40, 48, 64, 72, 80, 94, 96, 128, 141, 180, 192, 288];
    const KEPT: f64 = 0.1;
    let gib = total.as_gib();
    let is_sold = |size: &u32| (f64::from(*size) * (1.0 - KEPT)..=f64::from(*size)).contains(&gib);
    SOLD.into_iter().find(is_sold).unwrap_or_else(|| u32::try_from(Bytes::new(gib).rounded()).unwrap_or(u32::MAX))
}

/// A model that isn't in the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownModel {
    /// Its name.
    pub id: Box<str>,
}

impl UnknownModel {
    /// The format that its name states and that neither the trainer nor the server reads: `GGUF`.
    pub fn foreign_format(&self) -> Option<&'static str> {
        names::foreign_format(&self.id)
    }

    /// The family of the model, if its name states one whose memory isn't computed, with a `config.json` neither: `Zamba`.
    pub fn unsupported_family(&self) -> Option<&'static str> {
        names::unsupported_family(&self.id)
    }

    /// What a user can do about it, as a clause.
    pub fn advice(&self) -> String {
        match self.unsupported_family() {
            Some(family) => format!("cfg can't compute the memory of its family ({family}), not even with its config.json"),
            None => "pass its config.json with --model-config, which is enough for most architectures".to_owned(),
        }
    }

    /// At most three known models with similar names, the nearest first.
    pub fn similar(&self) -> Vec<&'static str> {
        similar(&self.id)
    }
}

/// All models, by name.
pub fn models() -> &'static [Model] {
    models::MODELS
}

/// The machine with this name. Case and the prefix `ml.`, which AWS jobs use, are ignored.
pub fn machine(name: &str) -> Option<&'static Machine> {
    let name = name.strip_prefix("ml.").unwrap_or(name);
    gpus::MACHINES.iter().find(|machine| machine.name.eq_ignore_ascii_case(name))
}

/// All machines of the table.
pub fn machines() -> &'static [Machine] {
    gpus::MACHINES
}

/// Of the machines of the table with this card, the one with the most main memory for each card; `None` if none is known.
pub fn most_main_memory(gpu: &str) -> Option<(&'static Machine, Bytes)> {
    let of_card = gpus::MACHINES.iter().filter(|machine| machine.gpu == gpu);
    let each = of_card.filter_map(|machine| Some((machine, machine.main_memory? / f64::from(machine.count.max(1)))));
    each.max_by(|(_, one), (_, other)| one.as_f64().total_cmp(&other.as_f64()))
}

/// All GPUs of the table.
pub fn gpus() -> &'static [Gpu] {
    gpus::GPUS
}

/// The model with this name; case is ignored, as on the hub.
pub fn model(id: &str) -> Result<&'static Model, UnknownModel> {
    models().iter().find(|model| model.id.eq_ignore_ascii_case(id)).ok_or_else(|| UnknownModel { id: id.into() })
}

/// At most three known models with similar names.
fn similar(id: &str) -> Vec<&'static str> {
    if id.len() > 200 {
        return Vec::new();
    }
    let id = id.to_ascii_lowercase();
    let likeness = |known: &str| {
        // A name that continues the other one is another version of the same model.
        let is_version = id.starts_with(known) || known.starts_with(&id);
        strsim::jaro_winkler(&id, known) + if is_version { 1.0 } else { 0.0 }
    };
    let mut near: Vec<(f64, &str)> = models()
        .iter()
        .map(|model| (likeness(&model.id.to_ascii_lowercase()), model.id))
        .filter(|(likeness, _)| *likeness > 0.9)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    near.into_iter().take(3).map(|(_, id)| id).collect()
}

#[cfg(test)]
mod tests {
    use super::{Gpu, gpus, model, models};

    #[test]
    fn own_gpus_have_the_size_under_which_they_are_sold() {
        for gpu in gpus() {
            assert_eq!(Gpu::own("x", gpu.total, "").size_gb, gpu.size_gb, "{}", gpu.name);
        }
        let sizes = [("RTX 6000 Ada", 48.0, 48), ("H100 NVL 94GB", 93.1, 94), ("Odd", 7.3, 8), ("Huge", 1000.4, 1000)];
        for (name, gib, size) in sizes {
            assert_eq!(Gpu::own(name, crate::Bytes::gib(gib), "").size_gb, size, "{name}");
        }
    }

    #[test]
    fn each_nvidia_card_has_its_compute_capability() {
        let without: Vec<&str> = gpus().iter().filter(|gpu| gpu.traits().is_none()).map(|gpu| &*gpu.name).collect();
        assert_eq!(without, ["MI300X"]);
    }

    #[test]
    fn formula_and_published_number_of_parameters_agree() {
        for model in models() {
            let published = crate::units::real(model.published);
            let error = (model.architecture.parameters() - published).abs() / published;
            assert!(error < 1e-2, "{}: {} of {published}", model.id, model.architecture.parameters());
        }
    }

    #[test]
    fn models_are_found_in_any_case_and_strange_ones_are_compared() {
        assert_eq!(model("qwen/QWEN3-8b").map(|model| model.id), Ok("Qwen/Qwen3-8B"));
        let unknown = model("Qwen/Qwen3-8B-Instruct").expect_err("there is none of this name");
        assert_eq!(unknown.similar().first(), Some(&"Qwen/Qwen3-8B"));
        assert_eq!(model("nobody/nothing-at-all").expect_err("unknown").similar(), Vec::<&str>::new());
    }
}
