//! How the trainer's work is distributed over its GPUs: what `ParallelDims` and the code around it assert after every process has started.

use std::borrow::Cow;

use cfg_compose::{Starter, WrittenLaunch};
use cfg_diag::{Order, Severity};
use cfg_memory::{architecture::Architecture, catalogue};
use cfg_plan::budget::gpus_in_words;
use cfg_plan::{Fact, IntOrWord, Key, Setting, TrainerModel};
use cfg_schema::Kind;

use crate::{Context, Finding, MachineSource, catalogue as names};

pub(crate) mod engine_beyond_gpus;
pub(crate) mod fake_batch_below_ranks;
pub(crate) mod fused_kernel_with_expert_parallelism;
pub(crate) mod indivisible_batch;
pub(crate) mod indivisible_experts;
pub(crate) mod indivisible_gpus;
pub(crate) mod indivisible_sequence;
pub(crate) mod invalid_degree;
pub(crate) mod no_gpus;
pub(crate) mod served_without_experts;
pub(crate) mod server_beyond_node;
pub(crate) mod uneven_context_heads;
pub(crate) mod uneven_expert_parallelism;
pub(crate) mod unsupported_context_parallelism;

/// The entrypoints whose configs have a trainer.
pub(crate) const TRAINS: &[Kind] = &[Kind::Rl, Kind::Trainer, Kind::Sft];

/// The maximum number of values that a message proposes.
const MAX_VALUES: usize = 8;

/// The GPUs on which the trainer is started: one process for each.
#[derive(Clone, Copy, Debug)]
struct World<'a> {
    /// Their number; the config can state 0 or less.
    gpus: i64,
    source: Source<'a>,
}

/// Where the number of GPUs is from.
#[derive(Clone, Copy, Debug)]
enum Source<'a> {
    /// A list of their ids.
    Ids(&'a Fact<Vec<i64>>),
    /// Their count on a single node.
    Count(&'a Fact<i64>),
    /// Nodes, and the GPUs of each.
    Nodes(&'a Fact<i64>, &'a Fact<i64>),
    /// The command that starts the processes.
    Command,
    /// The machine that is stated for the config; all its GPUs are assumed to be used.
    Machine { stated: MachineSource, is_shared: bool },
}

impl<'a> World<'a> {
    /// The GPUs of the trainer, if their number is known.
    fn of(cx: &Context<'a>) -> Option<Self> {
        cx.plan.trainer.as_ref()?;
        if let Starter::Torchrun(processes) = starter(cx) {
            // The config's GPU settings are for prime-rl's own launcher.
            return Some(Self { gpus: processes?, source: Source::Command });
        }
        let gpus = &cx.plan.run.gpus;
        if !gpus.trainer_ids.is_known() || !gpus.num_train.is_known() || !gpus.num_train_nodes.is_known() {
            return None;
        }
        if let Some(ids) = gpus.trainer_ids.fact() {
            return Some(Self { gpus: i64::try_from(ids.value.len()).ok()?, source: Source::Ids(ids) });
        }
        if let Some(count) = gpus.num_train.fact() {
            return Some(Self { gpus: count.value, source: Source::Count(count) });
        }
        if let Some((nodes, each)) = gpus.num_train_nodes.fact().zip(gpus.per_node.fact()) {
            let count = if nodes.value < 1 || each.value < 1 { 0 } else { nodes.value.checked_mul(each.value)? };
            return Some(Self { gpus: count, source: Source::Nodes(nodes, each) });
        }
        if of_kind(cx).next().is_some() {
            // Without torchrun the trainer is a single process.
            return Some(Self { gpus: 1, source: Source::Command });
        }
        Self::machine(cx)
    }

    /// All GPUs of the stated machine that no inference server of the same run has.
    fn machine(cx: &Context<'a>) -> Option<Self> {
        let (machine, stated) = cx.stated_gpus()?;
        let serving = match &cx.plan.inference {
            Some(server) => server.tp.get()?.checked_mul(server.dp.get().unwrap_or(1))?,
            None => 0,
        };
        let gpus = machine.checked_sub(serving).filter(|left| *left > 0).unwrap_or(machine);
        // A trainer of RL also has a server, whose GPUs may be in the same machine.
        let is_shared = cx.kind == Kind::Trainer;
        Some(Self { gpus, source: Source::Machine { stated, is_shared } })
    }

    /// Whether the trainer can also be started on fewer GPUs.
    const fn may_be_fewer(&self) -> bool {
        matches!(self.source, Source::Machine { is_shared: true, .. })
    }

    /// The source of the number: "`deployment.num_train_gpus` is 4".
    fn words(&self) -> String {
        let default = |is_written: bool| if is_written { "" } else { " by default" };
        match self.source {
            Source::Ids(ids) => format!("`{}` names {}", ids.written_key(), gpus_in_words(self.gpus)),
            Source::Count(count) => {
                format!("`{}` is {}{}", count.written_key(), count.value, default(count.is_written()))
            }
            Source::Nodes(nodes, each) => format!(
                "`{}` is {} and `{}` {}{}: {}",
                nodes.written_key(),
                nodes.value,
                each.written_key(),
                each.value,
                default(each.is_written()),
                gpus_in_words(self.gpus)
            ),
            Source::Command => format!("the command starts {}", processes(self.gpus)),
            Source::Machine { is_shared: true, .. } => format!("the trainer may use all {} GPUs of the machine", self.gpus),
            Source::Machine { .. } => format!("the machine has {}", gpus_in_words(self.gpus)),
        }
    }

    /// Shows the places that state it, and lowers the severity if it is not certain.
    fn show(&self, finding: Finding) -> Finding {
        let label = gpus_in_words(self.gpus);
        match self.source {
            Source::Ids(ids) => finding.with(ids, label),
            Source::Count(count) => finding.with(count, label),
            Source::Nodes(nodes, each) => finding
                .with(nodes, format!("{} nodes", nodes.value))
                .with(each, format!("{} of each node", gpus_in_words(each.value))),
            Source::Command | Source::Machine { stated: MachineSource::CommandLine, .. } => finding,
            Source::Machine { stated: MachineSource::Config(stated), .. } => finding.related(stated, format!("{label} here")),
            // Settings of a project or registry apply to many configs, some of which may be for another machine.
            Source::Machine { .. } => finding.severity(Severity::Warning),
        }
    }

    /// Whether their number is a default that the config can replace.
    fn is_default(&self) -> bool {
        matches!(self.source, Source::Count(count) if !count.is_written())
    }

    /// What to do to get one of these numbers of GPUs, in imperative form.
    fn order(&self, counts: &[i64]) -> String {
        let counts = choice(counts);
        match self.source {
            Source::Ids(ids) => format!("list {counts} GPUs in `{}`", ids.written_key()),
            Source::Count(count) => format!("set `{}` to {counts}", count.written_key()),
            Source::Nodes(..) | Source::Machine { .. } => format!("train on {counts} GPUs"),
            Source::Command => format!("start {counts} processes"),
        }
    }
}

/// The commands that are stated for this config.
fn of_kind<'a>(cx: &Context<'a>) -> impl Iterator<Item = &'a WrittenLaunch> {
    cx.metadata.usage.launches().iter().filter(|launch| launch.kind == cx.kind)
}

/// How the stated commands of this config start the trainer; if several differ, the number of processes is unknown.
fn starter(cx: &Context<'_>) -> Starter {
    if !cx.metadata.usage.may_contain("torchrun") {
        return Starter::None;
    }
    let of_torchrun = of_kind(cx).map(|launch| launch.starter).filter(|starter| *starter != Starter::None);
    of_torchrun.reduce(|one, other| if one == other { one } else { Starter::Torchrun(None) }).unwrap_or_default()
}

/// The number of processes in words: `4 processes`.
fn processes(count: i64) -> String {
    if count == 1 { "1 process".to_owned() } else { format!("{count} processes") }
}

/// Degrees of parallelism whose product must divide the number of the trainer's GPUs.
#[derive(Clone, Copy, Debug)]
struct Degrees<'a> {
    replicate: Option<&'a Fact<i64>>,
    cp: Option<&'a Fact<i64>>,
    tp: Option<&'a Fact<i64>>,
}

impl<'a> Degrees<'a> {
    /// The degrees; `None` if one is below 1, or unknown.
    fn of(model: &'a TrainerModel) -> Option<Self> {
        let settings = [&model.dp_replicate, &model.cp, &model.tp];
        let is_sound = |setting: &&Setting<i64>| setting.is_known() && setting.get().is_none_or(|degree| degree >= 1);
        settings.iter().all(is_sound).then_some(())?;
        let [replicate, cp, tp] = settings.map(Setting::fact);
        Some(Self { replicate, cp, tp })
    }

    fn cp(&self) -> i64 {
        value(self.cp)
    }

    fn replicate(&self) -> i64 {
        value(self.replicate)
    }

    /// The number of GPUs that process one sequence together.
    fn of_sequence(&self) -> i64 {
        value(self.cp).saturating_mul(value(self.tp))
    }

    /// The number that must divide the number of GPUs.
    fn product(&self) -> i64 {
        self.of_sequence().saturating_mul(self.replicate())
    }

    /// The degrees above 1.
    fn above_one(&self) -> impl Iterator<Item = &'a Fact<i64>> + Clone {
        [self.cp, self.tp, self.replicate].into_iter().flatten().filter(|degree| degree.value > 1)
    }

    /// The number of GPUs in a replica over which experts can be distributed; `None` if the degrees do not divide the number of GPUs.
    fn group(&self, gpus: i64) -> Option<i64> {
        (gpus > 0 && gpus % self.product() == 0).then(|| gpus / self.replicate() / value(self.tp))
    }

    /// The number of data-parallel ranks on these GPUs; `None` if the degrees do not divide them.
    fn ranks(&self, gpus: i64) -> Option<i64> {
        (gpus > 0 && gpus % self.product() == 0).then(|| gpus / self.of_sequence())
    }
}

fn value(degree: Option<&Fact<i64>>) -> i64 {
    degree.map_or(1, |degree| degree.value)
}

/// The trainer's effective degree of expert parallelism.
#[derive(Clone, Copy, Debug)]
struct Experts<'a> {
    /// The degree.
    ep: i64,
    fact: &'a Fact<IntOrWord>,
    /// Whether it is computed from the number of GPUs.
    is_auto: bool,
}

/// The largest number of GPUs over which `ep = "auto"` distributes the experts.
const AUTO: i64 = 8;

impl<'a> Experts<'a> {
    /// The degree on this number of GPUs; `None` if unknown, for example because it is unknown whether a model has experts.
    fn of(model: &'a TrainerModel, degrees: &Degrees<'_>, gpus: i64) -> Option<Self> {
        let fact = model.ep.fact()?;
        if let Some(ep) = fact.value.int() {
            return Some(Self { ep, fact, is_auto: false });
        }
        let is_own = model.implementation.text().is_none_or(|own| matches!(own, "auto" | "custom"));
        let is_mixture = is_own && names::architecture(&model.name.fact()?.value)?.auto_ep;
        let ep = if is_mixture { (gpus / degrees.replicate()).min(AUTO) } else { 1 };
        Some(Self { ep, fact, is_auto: true })
    }

    /// The degree in words: "`model.ep` is 4".
    fn words(&self) -> String {
        let key = self.fact.written_key();
        if !self.is_auto {
            return format!("`{key}` is {}", self.ep);
        }
        let default = if self.fact.is_written() { "" } else { " by default" };
        format!("`{key}` is \"auto\"{default}, here {}", self.ep)
    }

    /// Shows where it is written, and the values from which it is computed.
    fn show(&self, finding: Finding, world: Option<&World<'_>>, model: &TrainerModel) -> Finding {
        let mut finding = finding.on(self.fact);
        if self.fact.is_written() {
            finding = finding.label(format!("{} here", self.ep));
        }
        if let Some(world) = world {
            finding = world.show(finding);
        }
        match model.name.fact().filter(|_| self.is_auto) {
            Some(name) => finding.with(name, "a mixture of experts"),
            None => finding,
        }
    }
}

/// The model's shape, if known: from the settings, the table, or this machine.
pub(crate) fn shape<'a>(cx: &Context<'a>, name: &str) -> Option<Cow<'a, Architecture>> {
    if let Some(shape) = cx.project.shapes.get(name) {
        return Some(Cow::Borrowed(&shape.architecture));
    }
    // Heads and experts do not change in fine-tuning, so a shape that is taken from the base model counts too.
    if let Some(model) = catalogue::models().iter().find(|model| model.id.eq_ignore_ascii_case(name)) {
        return Some(Cow::Borrowed(model.architecture));
    }
    cx.project.local_shape(name).map(|shape| Cow::Owned(shape.architecture))
}

/// Numbers as alternatives: `1, 2 or 4`.
fn choice(numbers: &[i64]) -> String {
    match numbers {
        [] => String::new(),
        [one] => one.to_string(),
        [others @ .., last] => {
            format!("{} or {last}", others.iter().map(i64::to_string).collect::<Vec<_>>().join(", "))
        }
    }
}

/// The divisors of `of` that satisfy `fits`, in ascending order; at most `MAX_VALUES`, those nearest to `near`.
fn divisors(of: i64, near: i64, fits: impl Fn(i64) -> bool) -> Vec<i64> {
    /// Larger divisors are not tried, so that the search is short.
    const LAST: i64 = 1 << 16;
    let mut found: Vec<i64> = (1..=of.min(LAST)).filter(|divisor| of % divisor == 0 && fits(*divisor)).collect();
    found.order_by_key(|divisor| divisor.abs_diff(near));
    found.truncate(MAX_VALUES);
    found.sort_unstable();
    found
}

/// The multiples of `of` next to `near`, below and above it.
fn multiples(of: i64, near: i64) -> Vec<i64> {
    let below = near / of * of;
    [Some(below).filter(|below| *below > 0), below.checked_add(of)].into_iter().flatten().collect()
}

/// Degrees as a product, for a message: "`cp` 2 × `tp` 3".
fn factors<'a>(degrees: impl Iterator<Item = &'a Fact<i64>>) -> String {
    let words: Vec<String> = degrees.map(|degree| format!("`{}` {}", degree.written_key(), degree.value)).collect();
    words.join(" × ")
}

/// The last part of a key, for a second mention of it.
fn short(key: &Key) -> &str {
    key.name()
}

#[cfg(test)]
mod tests {
    use super::{choice, divisors, multiples};

    #[test]
    fn the_nearest_values_are_offered() {
        assert_eq!(divisors(12, 5, |_| true), [1, 2, 3, 4, 6, 12]);
        assert_eq!(divisors(12, 5, |divisor| divisor % 2 == 0), [2, 4, 6, 12]);
        assert!(divisors(0, 5, |_| true).is_empty());
        assert_eq!(divisors(i64::MAX, 3, |_| true)[0], 1);
        assert_eq!(multiples(3, 4), [3, 6]);
        assert_eq!(multiples(3, 2), [3]);
        assert_eq!(multiples(i64::MAX, i64::MAX), [i64::MAX]);
        assert_eq!(choice(&[1, 2, 4]), "1, 2 or 4");
    }
}
