//! What vLLM reads in the version that a prime-rl pins: `schemas/vllm.tsv`, and the versions in `schemas/days.toml`.

use std::{
    collections::BTreeMap,
    sync::{LazyLock, OnceLock, PoisonError, RwLock},
};

use cfg_diag::FileId;
use cfg_schema::{CacheMap, History, Point, Target};
use cfg_syntax::{Dialect, Value};

/// The part of vLLM that reads a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// An argument of the server.
    Server,
    /// A field of a request.
    Request,
    /// An environment variable.
    Variable,
}

/// A name, and the versions that have it.
#[derive(Clone, Copy, Debug)]
struct Known {
    name: &'static str,
    /// The first version, as an index into [`VERSIONS`].
    since: usize,
    /// The first version that does not have it.
    until: Option<usize>,
    /// Its type, as in the data; empty if that states none.
    ty: &'static str,
}

/// A version of vLLM that some prime-rl pins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version(usize);

/// The versions by their age, and the commits of prime-rl from which on they are pinned, each with the index of its version.
type Versions = (Vec<String>, Vec<(usize, String)>);

/// As they are in the data.
static VERSIONS: LazyLock<Versions> = LazyLock::new(|| {
    let (document, _) = cfg_syntax::parse(FileId(0), include_str!("../../../schemas/days.toml"), Dialect::Toml10);
    let tables = document.root.value("vllm").map_or(&[][..], Value::items).iter().filter_map(Value::as_table);
    let pins: Vec<(String, String)> = tables
        .filter_map(|table| Some((table.value("version")?.as_str()?.to_owned(), table.value("since")?.as_str()?.to_owned())))
        .collect();
    let mut versions: Vec<String> = pins.iter().map(|(version, _)| version.clone()).collect();
    let parts = |version: &String| -> Vec<u32> { version.split('.').filter_map(|part| part.parse().ok()).collect() };
    versions.sort_by_key(parts);
    versions.dedup();
    let index = |version: &String| versions.iter().position(|other| other == version).unwrap_or_default();
    let pinned = pins.iter().map(|(version, since)| (index(version), since.clone())).collect();
    (versions, pinned)
});

/// The data: lines in the order of the names of each part, in which a name is searched for. Most processes ask for a few of them, or for none.
const DATA: &str = include_str!("../../../schemas/vllm.tsv");

impl Part {
    /// The beginning of its lines in the data, with the end of the line before.
    const fn column(self) -> &'static str {
        match self {
            Self::Server => "\nserver\t",
            Self::Request => "\nrequest\t",
            Self::Variable => "\nvariable\t",
        }
    }

    /// The lines of the data about it.
    fn lines(self) -> &'static str {
        static LINES: [OnceLock<&str>; 3] = [const { OnceLock::new() }; 3];
        LINES[self as usize].get_or_init(|| {
            let column = self.column();
            let (Some(start), Some(last)) = (DATA.find(column), DATA.rfind(column)) else { return "" };
            let end = DATA[last + 1..].find('\n').map_or(DATA.len(), |end| last + 1 + end + 1);
            &DATA[start + 1..end]
        })
    }

    /// What it reads, in whatever version.
    fn all(self) -> impl Iterator<Item = Known> {
        self.lines().lines().filter_map(Known::read)
    }

    /// What it reads by this name, in whatever version: thousands of keys can be looked up.
    fn named(self, name: &str) -> impl Iterator<Item = Known> {
        let lines = self.lines();
        // Where the first line begins whose name is not before this one.
        let (mut from, mut to) = (0, lines.len());
        while from < to {
            let middle = from + (to - from) / 2;
            let start = lines[..middle].rfind('\n').map_or(0, |end| end + 1);
            let end = lines[middle..].find('\n').map_or(lines.len(), |end| middle + end + 1);
            if name_in(&lines[start..end]) < name { from = end } else { to = start }
        }
        lines[from..].lines().take_while(move |line| name_in(line) == name).filter_map(Known::read)
    }
}

/// The name in a line of the data.
fn name_in(line: &str) -> &str {
    line.split('\t').nth(1).unwrap_or_default()
}

/// Variables of other programs that configs set, beside those of vLLM.
const VARIABLES: [&str; 24] = [
    "CUDA_DEVICE_MAX_CONNECTIONS",
    "CUDA_HOME",
    "CUDA_LAUNCH_BLOCKING",
    "CUDA_VISIBLE_DEVICES",
    "HF_DATASETS_CACHE",
    "HF_HOME",
    "HF_HUB_DISABLE_XET",
    "HF_HUB_ENABLE_HF_TRANSFER",
    "HF_HUB_OFFLINE",
    "HF_TOKEN",
    "NCCL_CUMEM_ENABLE",
    "NCCL_DEBUG",
    "NCCL_IB_DISABLE",
    "NCCL_NVLS_ENABLE",
    "NCCL_P2P_DISABLE",
    "NCCL_SOCKET_IFNAME",
    "OMP_NUM_THREADS",
    "PYTORCH_ALLOC_CONF",
    "PYTORCH_CUDA_ALLOC_CONF",
    "TOKENIZERS_PARALLELISM",
    "TRANSFORMERS_OFFLINE",
    "WANDB_API_KEY",
    "WANDB_MODE",
    "WANDB_PROJECT",
];

impl Known {
    /// A line of the data.
    fn read(line: &'static str) -> Option<Self> {
        let index = |version: &str| VERSIONS.0.iter().position(|known| known == version);
        let mut columns = line.split('\t').skip(1);
        let (name, since) = (columns.next()?, index(columns.next()?)?);
        let until = columns.next().filter(|until| !until.is_empty()).and_then(index);
        Some(Self { name, since, until, ty: columns.next().unwrap_or_default() })
    }

    /// Whether a version has it.
    fn is_in(self, version: Version) -> bool {
        self.since <= version.0 && self.until.is_none_or(|until| version.0 < until)
    }
}

impl Version {
    /// The version that prime-rl's main line pins at a point; `None` before it pinned one that is known.
    pub(crate) fn at(history: History, point: Point) -> Option<Self> {
        // Each unknown key asks, and a commit is found by its name among all of them.
        static PINNED: CacheMap<(History, Point), Option<Version>, 64> = CacheMap::new();
        *PINNED.of((history, point), point.0.into(), || {
            let is_pinned = |(_, since): &(usize, String)| Target::parse(history, since).is_ok_and(|since| since.point <= point);
            let pins = &VERSIONS.1;
            pins.partition_point(is_pinned).checked_sub(1).map(|last| Self(pins[last].0))
        })
    }

    /// The version with a number: `0.26` is that of `0.26.1`.
    pub(crate) fn numbered(number: &str) -> Option<Self> {
        let is_it = |known: &String| number.strip_prefix(&**known).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        VERSIONS.0.iter().position(is_it).map(Self)
    }

    /// Its number: `0.26`.
    pub(crate) fn name(self) -> &'static str {
        VERSIONS.0.get(self.0).map_or("", String::as_str)
    }

    /// The names that this part of it reads.
    pub(crate) fn names(self, part: Part) -> impl Iterator<Item = &'static str> {
        self.typed_names(part).map(|(name, _)| name)
    }

    /// The names that this part of it reads, each with its type as in the data, which is empty if that states none. Variables are also those of other
    /// programs.
    pub(crate) fn typed_names(self, part: Part) -> impl Iterator<Item = (&'static str, &'static str)> {
        let own = part.all().filter(move |known| known.is_in(self)).map(|known| (known.name, known.ty));
        let others: &[&str] = if part == Part::Variable { &VARIABLES } else { &[] };
        own.chain(others.iter().map(|name| (*name, "")))
    }

    /// Whether this part of it reads a name.
    pub(crate) fn has(self, part: Part, name: &str) -> bool {
        let of_others = part == Part::Variable && VARIABLES.contains(&name);
        of_others || part.named(name).any(|known| known.is_in(self))
    }
}

/// The values that vLLM has for an argument of its server, in the version that a prime-rl pins.
#[derive(Debug, PartialEq, Eq)]
pub struct VllmChoices {
    /// That version: `0.24`.
    pub version: &'static str,
    /// The values, in alphabetical order.
    pub values: Vec<&'static str>,
    argument: &'static str,
}

/// The values of an argument; `None` if it takes any text, or is unknown in that version.
pub fn vllm_choices(history: History, point: Point, argument: &str) -> Option<&'static VllmChoices> {
    /// What each config asks for, once it has been read off the data: no more than the data names.
    static KNOWN: RwLock<BTreeMap<(Version, &str), &VllmChoices>> = RwLock::new(BTreeMap::new());
    let version = Version::at(history, point)?;
    if let Some(known) = KNOWN.read().unwrap_or_else(PoisonError::into_inner).get(&(version, argument)) {
        return Some(known);
    }
    let known = of_server(argument).find(|known| known.is_in(version))?;
    let found = VllmChoices { version: version.name(), values: choices(known.ty)?.collect(), argument: known.name };
    let mut all = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
    Some(*all.entry((version, known.name)).or_insert_with(|| Box::leak(Box::new(found))))
}

/// The values of an argument in the last version that names them all; empty if none does. A later version may take others, too.
pub fn vllm_last_choices(argument: &str) -> Vec<&'static str> {
    let named = of_server(argument).filter_map(|known| Some((known.since, choices(known.ty)?)));
    named.max_by_key(|(since, _)| *since).map(|(_, values)| values.collect()).unwrap_or_default()
}

/// An argument of the server, as it is in each version.
fn of_server(argument: &str) -> impl Iterator<Item = Known> {
    Part::Server.named(argument)
}

/// The values that a type of the data names: those of `literal("a", "b")?`.
fn choices(ty: &'static str) -> Option<impl Iterator<Item = &'static str>> {
    let list = ty.strip_suffix('?').unwrap_or(ty).strip_prefix("literal(")?.strip_suffix(')')?;
    Some(list.split(", ").map(|value| value.trim_matches('"')))
}

impl VllmChoices {
    /// Whether this version has a value.
    pub fn has(&self, value: &str) -> bool {
        self.values.contains(&value)
    }

    /// The first version with a value that this one does not have: `0.26`; `None` if no known version has it.
    pub fn first_with(&self, value: &str) -> Option<&'static str> {
        let has = |known: &Known| choices(known.ty).is_some_and(|mut values| values.any(|other| other == value));
        let since = of_server(self.argument).filter(has).map(|known| known.since).min()?;
        VERSIONS.0.get(since).map(String::as_str)
    }
}

/// The versions that read a name, if this one does not, in words: "until 0.18".
pub(crate) fn at_another_version(part: Part, name: &str, version: Version) -> Option<String> {
    let known: Vec<Known> = part.named(name).collect();
    let number = |index: usize| VERSIONS.0.get(index).map_or("", String::as_str);
    let ended = known.iter().filter_map(|known| known.until).filter(|until| *until <= version.0).max();
    let begins = || known.iter().map(|known| known.since).filter(|since| *since > version.0).min();
    match ended {
        Some(until) => Some(format!("it was removed before {}", number(until))),
        None => begins().map(|since| format!("it came with {}", number(since))),
    }
}

#[cfg(test)]
mod tests {
    use cfg_schema::{History, Target};

    use super::{DATA, Part, VERSIONS, Version, at_another_version, vllm_choices};

    #[test]
    fn each_prime_rl_has_the_arguments_of_its_vllm() {
        let history = History::built_in();
        let at = |target: &str| Version::at(history, Target::parse(history, target).expect("a target").point);
        for (target, version) in [("0.2", "0.10"), ("0.4.0", "0.14"), ("0.8.0", "0.24"), ("main", "0.26")] {
            assert!(at(target).is_some_and(|found| found.name() >= "0.10"), "{target}: {version}");
        }
        let main = at("main").expect("a version");
        assert_eq!(main.name(), "0.26");
        for name in
            ["tensor_parallel_size", "max_num_seqs", "gpu_memory_utilization", "headless", "api_server_count", "tool_call_parser"]
        {
            assert!(main.has(Part::Server, name), "{name}");
        }
        for name in ["temperature", "n", "top_k"] {
            assert!(main.has(Part::Request, name) && !main.has(Part::Server, name), "{name}");
        }
        assert!(main.has(Part::Variable, "VLLM_LOGGING_LEVEL"));
        assert_eq!(at_another_version(Part::Server, "tensor_parallel_size", main), None);
        assert!(
            at_another_version(Part::Request, "best_of", main).is_some_and(|words| words.starts_with("it was removed before"))
        );
    }

    #[test]
    fn an_argument_has_the_values_of_its_version() {
        let history = History::built_in();
        let of = |target: &str, argument: &str| {
            vllm_choices(history, Target::parse(history, target).expect("a target").point, argument)
        };
        let at_main = of("main", "kv_cache_dtype").expect("choices");
        assert!(at_main.has("int4_per_token_head") && at_main.has("auto") && !at_main.has("fp9"));
        assert_eq!(at_main.first_with("fp9"), None);
        let before = of("0.7.0", "kv_cache_dtype").expect("choices");
        assert!(!before.has("int4_per_token_head"));
        assert_eq!(before.first_with("int4_per_token_head"), Some("0.26"));
        assert_eq!(of("main", "max_num_seqs"), None);
        for target in ["0.3.0", "0.4.0", "0.5.0", "0.6.0", "0.7.0", "0.8.0", "main"] {
            let parsers = of(target, "reasoning_parser").expect("choices");
            assert!(parsers.has("deepseek_r1") && parsers.has("qwen3"), "{target}: {parsers:?}");
            assert!(of(target, "tool_call_parser").expect("choices").has("hermes"), "{target}");
        }
    }

    #[test]
    fn every_line_of_the_data_is_read() {
        let lines: Vec<&str> = DATA.lines().filter(|line| !line.starts_with('#') && !line.starts_with("part\t")).collect();
        let parts = [Part::Server, Part::Request, Part::Variable];
        let all: Vec<_> = parts.into_iter().flat_map(|part| part.all().map(move |known| (part, known))).collect();
        assert_eq!(all.len(), lines.len());
        assert!(VERSIONS.1.len() >= VERSIONS.0.len() && all.len() > 600, "{}", all.len());
        for (part, known) in &all {
            let alike = |(of, other): &&(Part, super::Known)| of == part && other.name == known.name;
            let found: Vec<usize> = part.named(known.name).map(|found| found.since).collect();
            assert_eq!(found, all.iter().filter(alike).map(|(_, other)| other.since).collect::<Vec<_>>(), "{}", known.name);
        }
        for (part, name) in parts.into_iter().flat_map(|part| ["", "A", "no", "zzz", "VLLM"].map(|name| (part, name))) {
            assert_eq!(part.named(name).count(), 0, "{name}");
        }
    }

    #[test]
    fn pins_are_in_the_order_of_their_commits() {
        let history = History::built_in();
        let points: Vec<_> = VERSIONS.1.iter().map(|(_, since)| Target::parse(history, since).expect("a commit").point).collect();
        assert!(points.is_sorted(), "{points:?}");
    }
}
