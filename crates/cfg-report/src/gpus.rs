//! The known cards and machines, for programs and for people.

use std::io::{self, Write};

use cfg_memory::{
    Bytes,
    catalogue::{Gpu, Machine},
};
use schemars::{JsonSchema, Schema};
use serde::Serialize;

use crate::{Style, paint::BOLD};

/// The JSON Schema of [`GpusReport`].
pub fn schema() -> Schema {
    crate::json::schema_of::<GpusReport>()
}

/// What `cfg gpu --format json` writes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GpusReport {
    /// The cards, the smallest first.
    pub cards: Vec<KnownCard>,
    /// Machines that are rented by name.
    pub machines: Vec<KnownMachine>,
}

/// A card whose memory is known.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct KnownCard {
    /// Its name in messages.
    pub name: String,
    /// Its size in GB in its product name.
    pub size_gb: u32,
    /// Its memory as the driver reports it.
    pub total_bytes: u64,
    /// Other names.
    pub aliases: Vec<String>,
    /// Whether the memory of prime-rl runs was measured on it.
    pub validated: bool,
    /// Whether `cfg estimate` has its speed.
    pub has_speed: bool,
    /// NVIDIA's compute capability, such as "9.0"; null for cards without CUDA, and for those of the settings.
    pub compute: Option<String>,
    /// The kind of its memory: "HBM3".
    pub memory: Option<String>,
    /// What joins the cards of a machine: `NVLink` or `PCIe`.
    pub links: Option<String>,
    /// A feature that prime-rl needs and the card doesn't have.
    pub lacks: Option<String>,
    /// Where its memory was read.
    pub source: String,
}

/// A machine that is rented by name.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct KnownMachine {
    /// Its name at the provider.
    pub name: String,
    /// Its card.
    pub gpu: String,
    /// The number of cards.
    pub count: u32,
    /// Where that was read.
    pub source: String,
}

impl GpusReport {
    /// These cards and machines. `has_speed` returns whether the speed of a card is known, by its name.
    pub fn new(cards: &[Gpu], machines: &[Machine], has_speed: impl Fn(&str) -> bool) -> Self {
        let card = |gpu: &Gpu| KnownCard {
            name: gpu.name.to_string(),
            size_gb: gpu.size_gb,
            total_bytes: gpu.total.rounded(),
            aliases: gpu.aliases.iter().map(ToString::to_string).collect(),
            validated: gpu.measured,
            has_speed: has_speed(&gpu.name),
            compute: gpu.traits().map(|traits| format!("{}.{}", traits.compute.0, traits.compute.1)),
            memory: gpu.traits().map(|traits| traits.memory.to_owned()),
            links: gpu.traits().map(|traits| traits.links.name().to_owned()),
            lacks: gpu.lacks.map(str::to_owned),
            source: gpu.source.to_string(),
        };
        let machine = |machine: &Machine| KnownMachine {
            name: machine.name.to_owned(),
            gpu: machine.gpu.to_owned(),
            count: machine.count,
            source: machine.source.to_owned(),
        };
        Self { cards: cards.iter().map(card).collect(), machines: machines.iter().map(machine).collect() }
    }
}

/// Writes them as tables.
pub fn write_tables(out: &mut impl Write, style: Style, report: &GpusReport) -> io::Result<()> {
    let width = |names: &mut dyn Iterator<Item = &str>| names.map(str::len).max().unwrap_or_default().max("machine".len());
    let cards = width(&mut report.cards.iter().map(|card| &*card.name));
    writeln!(out, "{}", style.paint(BOLD, &format!("{:<cards$}     memory  remarks", "card")))?;
    for card in &report.cards {
        #[expect(clippy::cast_precision_loss, reason = "no card has 2^53 bytes")]
        let total = Bytes::new(card.total_bytes as f64);
        let mut remarks = Vec::new();
        if let (Some(compute), Some(memory), Some(links)) = (&card.compute, &card.memory, &card.links) {
            remarks.push(format!("SM {compute}, {memory}, {links}"));
        }
        remarks.extend(card.lacks.as_ref().map(|lacks| format!("lacks {lacks}")));
        remarks.extend((!card.validated).then(|| "not validated".to_owned()));
        remarks.extend((!card.has_speed).then(|| "no estimate of its speed".to_owned()));
        let line = format!(
            "{:<cards$}  {:>9}  {}",
            cfg_diag::one_line(&card.name),
            total.to_string(),
            cfg_diag::one_line(&remarks.join("; "))
        );
        writeln!(out, "{}", line.trim_end())?;
    }
    let machines = width(&mut report.machines.iter().map(|machine| &*machine.name));
    writeln!(out, "\n{}", style.paint(BOLD, &format!("{:<machines$}  cards", "machine")))?;
    for machine in &report.machines {
        writeln!(out, "{:<machines$}  {}x {}", machine.name, machine.count, machine.gpu)?;
    }
    Ok(())
}
