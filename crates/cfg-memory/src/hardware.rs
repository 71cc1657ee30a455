//! Hardware as people write it: `2x H100`, `1x H100 80GB SXM5`, `RTX 5090`, `2x RTX 4090 (Vast.ai)`, `ml.p4de.24xlarge`.

use std::{fmt, str::FromStr, sync::LazyLock};

use crate::{
    Recent,
    catalogue::{Gpu, gpus, machine},
};

/// GPUs of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Hardware {
    /// The number; 1 if only the kind is named.
    pub count: u32,
    /// The kind.
    pub gpu: Gpu,
}

/// GPUs by name, whether or not the table has them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The number; 1 if only the kind is named.
    pub count: u32,
    /// Whether the number is given: `1x H100`, not `H100`.
    pub is_counted: bool,
    /// The kind as it was written: `H100`, `RTX 4090`.
    pub name: String,
}

/// Why a text is not hardware.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HardwareError {
    /// It is neither a kind nor a number and a kind.
    Form,
    /// The number is 0 or too large.
    Count,
    /// The table doesn't have this GPU.
    Unknown {
        /// The kind as it was written.
        name: String,
        /// Similar names, the nearest first.
        similar: Vec<String>,
    },
    /// Several GPUs have this name.
    Ambiguous {
        /// The kind as it was written.
        name: String,
        /// The names that are unambiguous.
        choices: Vec<String>,
    },
    /// The GPU doesn't come in this size.
    Size {
        /// The name of the GPU.
        gpu: String,
        /// Its size in GB.
        size_gb: u32,
        /// The size that was written.
        written_gb: u32,
    },
}

impl fmt::Display for HardwareError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Form => formatter.write_str("write a GPU, or a number and a GPU: \"H100\", \"2x H100\""),
            Self::Count => formatter.write_str("not a possible number of GPUs"),
            Self::Unknown { name, similar } => {
                if let Some((card, count)) = with_count_behind(name) {
                    return write!(formatter, "unknown card `{name}`; write the count first: `{count}x {card}`");
                }
                write!(formatter, "unknown card `{name}`")?;
                if similar.is_empty() { Ok(()) } else { write!(formatter, "; did you mean {}?", alternatives(similar)) }
            }
            Self::Ambiguous { name, choices } => {
                write!(formatter, "`{name}` comes in several sizes: write {}", alternatives(choices))
            }
            Self::Size { gpu, size_gb, written_gb } => write!(formatter, "{gpu} has {size_gb} GB, not {written_gb} GB"),
        }
    }
}

impl std::error::Error for HardwareError {}

/// `H100x2`: a known card and the number of it, which could also be a part of a name.
fn with_count_behind(name: &str) -> Option<(&str, &str)> {
    let (card, count) = name.rsplit_once(['x', 'X'])?;
    let is_count = (1..=DIGITS_OF_A_COUNT).contains(&count.len()) && count.bytes().all(|digit| digit.is_ascii_digit());
    (is_count && find(card, &[]).is_ok()).then_some((card, count))
}

impl FromStr for Named {
    type Err = HardwareError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse_name(text)
    }
}

impl fmt::Display for Named {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}x {}", self.count, self.name)
    }
}

/// Names as alternatives: `A, B or C`.
fn alternatives(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => format!("`{one}`"),
        [others @ .., last] => {
            format!("{} or `{last}`", others.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "))
        }
    }
}

/// Reads a number and a kind, without searching the table; for a machine that is rented by name, its GPUs.
pub fn parse_name(text: &str) -> Result<Named, HardwareError> {
    let text = text.trim();
    let (number, name) = number_before(text).or_else(|| number_behind(text)).unwrap_or(("", text));
    let is_counted = !number.is_empty();
    let count = if is_counted { number.parse().map_err(|_| HardwareError::Count)? } else { 1 };
    if count == 0 {
        return Err(HardwareError::Count);
    }
    if let Some(machine) = machine(name) {
        let count = machine.count.checked_mul(count).ok_or(HardwareError::Count)?;
        return Ok(Named { count, is_counted: true, name: machine.gpu.to_owned() });
    }
    let is_name =
        name.chars().next().is_some_and(char::is_alphanumeric) && name.len() <= 64 && !name.chars().any(char::is_control);
    if is_name { Ok(Named { count, is_counted, name: name.to_owned() }) } else { Err(HardwareError::Form) }
}

/// A sign between a number and the counted kind.
const TIMES: [char; 4] = ['x', 'X', '×', '*'];

/// The most digits of a number before a name without a sign between: `6000 Ada` and `3090 Ti` are names.
const DIGITS_OF_A_COUNT: usize = 3;

/// `2x H100`, `8xH100`, `2 H100`: the number and the counted kind.
fn number_before(text: &str) -> Option<(&str, &str)> {
    let digits = text.find(|character: char| !character.is_ascii_digit()).filter(|digits| *digits > 0)?;
    let (number, rest) = text.split_at(digits);
    if let Some(name) = rest.trim_start().strip_prefix(TIMES) {
        return Some((number, name.trim()));
    }
    let name = rest.trim_start();
    let is_apart = name.len() < rest.len() && name.starts_with(char::is_alphabetic);
    (is_apart && number.len() <= DIGITS_OF_A_COUNT).then_some((number, name))
}

/// `H100 x2`, `H100:8`, `A100-80GB x8`: the number and the counted kind. In `RTX 4090` and `MI300X` the letter belongs to the name.
fn number_behind(text: &str) -> Option<(&str, &str)> {
    let before = text.trim_end_matches(|character: char| character.is_ascii_digit());
    let number = &text[before.len()..];
    if number.is_empty() || number.len() > DIGITS_OF_A_COUNT {
        return None;
    }
    let is_sign = |sign: &char| before.ends_with(*sign);
    let (name, is_sure) = match before.strip_suffix(':') {
        Some(name) => (name, true),
        None => (before.strip_suffix(TIMES)?, ['×', '*'].iter().any(is_sign)),
    };
    (is_sure || name.ends_with(char::is_whitespace)).then(|| (number, name.trim_end()))
}

/// Reads hardware with known memory, from `own` first, then from the table.
pub fn parse(text: &str, own: &[Gpu]) -> Result<Hardware, HardwareError> {
    thread_local! {
        static OF_TABLE: Recent<Result<Hardware, HardwareError>> = const { Recent::new() };
    }
    if own.is_empty() { OF_TABLE.with(|recent| recent.of(text, || read(text, own))) } else { read(text, own) }
}

fn read(text: &str, own: &[Gpu]) -> Result<Hardware, HardwareError> {
    let Named { count, name, .. } = parse_name(text)?;
    find(&name, own).map(|gpu| Hardware { count, gpu })
}

/// The names of the table's GPUs, split into parts once: most configs name one.
static KNOWN: LazyLock<Vec<(&Gpu, Vec<String>)>> = LazyLock::new(|| gpus().iter().map(|gpu| (gpu, names(gpu))).collect());

/// All names of a GPU in their parts, without their sizes.
fn names(gpu: &Gpu) -> Vec<String> {
    [&*gpu.name].into_iter().chain(gpu.aliases.iter().map(|alias| &**alias)).map(|name| Written::new(name).name).collect()
}

/// Finds a GPU by any spelling of its name.
pub fn find(name: &str, own: &[Gpu]) -> Result<Gpu, HardwareError> {
    let written = Written::new(name);
    let all = || own.iter().chain(gpus());
    if let Some(gpu) = own.iter().find(|gpu| Written::new(&gpu.name).joined() == written.joined()) {
        return Ok(gpu.clone());
    }
    let is_named = |names: &[String]| names.contains(&written.name);
    let of_table = KNOWN.iter().filter(|(_, names)| is_named(names)).map(|(gpu, _)| *gpu);
    let named: Vec<&Gpu> = own.iter().filter(|gpu| is_named(&names(gpu))).chain(of_table).collect();
    let mut sized: Vec<&Gpu> = Vec::new();
    for gpu in named.iter().copied().filter(|gpu| written.size_gb.is_none_or(|size| size == gpu.size_gb)) {
        // A GPU from `own` replaces the table's.
        if sized.iter().all(|known| known.size_gb != gpu.size_gb || !same_name(known, gpu)) {
            sized.push(gpu);
        }
    }
    match (sized.as_slice(), named.as_slice(), written.size_gb) {
        ([gpu], ..) => Ok((*gpu).clone()),
        // A size after the name may not be the GPU's memory: `GH200 480GB`.
        ([], [gpu], Some(_)) if gpu.aliases.iter().any(|alias| Written::new(alias).joined() == written.joined()) => {
            Ok((*gpu).clone())
        }
        ([], [gpu], Some(written_gb)) => Err(HardwareError::Size { gpu: gpu.name.to_string(), size_gb: gpu.size_gb, written_gb }),
        ([], [], _) => Err(HardwareError::Unknown { name: name.to_owned(), similar: similar(&written, all()) }),
        (_, choices, _) => Err(HardwareError::Ambiguous {
            name: name.to_owned(),
            choices: choices.iter().map(|gpu| gpu.name.to_string()).collect(),
        }),
    }
}

/// Whether two GPUs have the same name, without their sizes.
fn same_name(one: &Gpu, other: &Gpu) -> bool {
    Written::new(&one.name).name == Written::new(&other.name).name
}

/// The size in GB in a name: `H100 NVL 94GB`.
pub(crate) fn size_in(name: &str) -> Option<u32> {
    Written::new(name).size_gb
}

/// Names of at most three similar GPUs.
fn similar<'a>(written: &Written, all: impl Iterator<Item = &'a Gpu>) -> Vec<String> {
    let mut near: Vec<(f64, String)> = all
        .map(|gpu| (strsim::jaro_winkler(&written.name, &Written::new(&gpu.name).name), gpu.name.to_string()))
        .filter(|(likeness, _)| *likeness >= 0.75)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let best = near.first().map_or(0.0, |(likeness, _)| *likeness);
    near.into_iter().take(3).filter(|(likeness, _)| *likeness > best - 0.1).map(|(_, name)| name).collect()
}

/// A name, split into its parts.
struct Written {
    /// Lower case, without spaces, hyphens, manufacturers and connectors.
    name: String,
    /// The size in GB, if given.
    size_gb: Option<u32>,
}

/// Words without information about the memory.
const WITHOUT_MEANING: [&str; 16] = [
    "nvidia", "amd", "geforce", "tesla", "gpu", "gpus", "sxm", "sxm2", "sxm3", "sxm4", "sxm5", "sxm6", "pcie", "hbm3", "hbm3e",
    "ac",
];

impl Written {
    fn new(text: &str) -> Self {
        // The provider is in parentheses: `(Vast.ai)`.
        let text = text.split('(').next().unwrap_or_default().to_lowercase();
        let is_between = |character: char| character.is_whitespace() || matches!(character, '-' | '_' | '/' | ',');
        let mut words: Vec<&str> =
            text.split(is_between).filter(|word| !word.is_empty() && !WITHOUT_MEANING.contains(word)).collect();
        let mut size_gb = None;
        // The size is after the name: `A100 80GB`, `A100-80`, `H100 80 GB`.
        while words.len() > 1 {
            let word = words.last().copied().unwrap_or_default();
            if matches!(word, "gb" | "gib" | "g") {
                words.pop();
            } else if let Some(size) = size(word) {
                // The number in `RTX 4090` belongs to the name and is not a size.
                if size > 1000 || is_part_of_name(&words) {
                    break;
                }
                size_gb = Some(size);
                words.pop();
            } else {
                break;
            }
        }
        Self { name: words.concat(), size_gb }
    }

    /// Name and size as one word.
    fn joined(&self) -> String {
        self.size_gb.map_or_else(|| self.name.clone(), |size| format!("{}-{size}", self.name))
    }
}

/// `80gb`, `80gib`, `80g` or `80`.
fn size(word: &str) -> Option<u32> {
    let digits = word.trim_end_matches(|character: char| character.is_ascii_alphabetic());
    matches!(&word[digits.len()..], "" | "g" | "gb" | "gib").then(|| digits.parse().ok()).flatten()
}

/// Whether the last word is a number that belongs to the name, as in `RTX 6000`.
fn is_part_of_name(words: &[&str]) -> bool {
    matches!(words, [.., "rtx" | "pro" | "gtx", _])
}

#[cfg(test)]
mod tests {
    use super::{HardwareError, Named, parse, parse_name};
    use crate::{catalogue::Gpu, units::Bytes};

    #[test]
    fn every_usual_spelling_is_read() {
        let forms = [
            ("2x H100", 2, "H100"),
            ("1x H100 80GB SXM5", 1, "H100"),
            ("NVIDIA H100 80GB HBM3", 1, "H100"),
            ("H100_80GB", 1, "H100"),
            ("2x H100 PCIE", 2, "H100"),
            ("8x H200", 8, "H200"),
            ("8xA100-80GB", 8, "A100-80"),
            ("A100-80", 1, "A100-80"),
            ("a100 40 gb", 1, "A100-40"),
            ("1x NVIDIA A100-SXM4-80GB", 1, "A100-80"),
            ("2x RTX 4090 (Vast.ai)", 2, "RTX 4090"),
            ("2 × RTX 4090", 2, "RTX 4090"),
            ("NVIDIA GeForce RTX 4090", 1, "RTX 4090"),
            ("RTX4090", 1, "RTX 4090"),
            ("4090", 1, "RTX 4090"),
            ("2x4090", 2, "RTX 4090"),
            ("RTX 5090", 1, "RTX 5090"),
            ("5090 32GB", 1, "RTX 5090"),
            ("2x A6000 48GB", 2, "A6000"),
            ("NVIDIA RTX A6000", 1, "A6000"),
            ("RTX 6000 Ada", 1, "RTX 6000 Ada"),
            ("RTX PRO 6000", 1, "RTX PRO 6000"),
            ("Tesla T4", 1, "T4"),
            ("L40S", 1, "L40S"),
            ("ml.p4de.24xlarge", 8, "A100-80"),
            ("2x p5.48xlarge", 16, "H100"),
            ("a2-ultragpu-4g", 4, "A100-80"),
            ("Standard_ND96asr_v4", 8, "A100-40"),
            ("2 H100", 2, "H100"),
            ("8 A100 80GB", 8, "A100-80"),
            ("2 RTX 4090", 2, "RTX 4090"),
            ("6000 Ada", 1, "RTX 6000 Ada"),
            ("H100 x2", 2, "H100"),
            ("H100:8", 8, "H100"),
            ("A100-80GB x8", 8, "A100-80"),
            ("H100*4", 4, "H100"),
            ("MI300X", 1, "MI300X"),
            ("8x MI300X", 8, "MI300X"),
            ("AMD Instinct MI300X", 1, "MI300X"),
            ("NVIDIA GH200 480GB", 1, "GH200"),
            ("H100 NVL", 1, "H100 NVL"),
            ("NVIDIA B300 SXM6 AC", 1, "B300"),
            ("Tesla V100-SXM2-16GB", 1, "V100-16"),
            ("NVIDIA A10G", 1, "A10G"),
            ("NVIDIA H20", 1, "H20"),
        ];
        for (text, count, name) in forms {
            let hardware = parse(text, &[]).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!((hardware.count, &*hardware.gpu.name), (count, name), "{text}");
        }
    }

    #[test]
    fn unknown_hardware_is_an_error() {
        let errors = [
            ("H100x2", "unknown card `H100x2`; write the count first: `2x H100`"),
            ("H1000", "unknown card `H1000`; did you mean `H100` or `H100 NVL`?"),
            ("A100", "`A100` comes in several sizes: write `A100-80` or `A100-40`"),
            ("V100", "`V100` comes in several sizes: write `V100-32` or `V100-16`"),
            ("GH200 144GB", "GH200 has 96 GB, not 144 GB"),
            ("2x H100 64GB", "H100 has 80 GB, not 64 GB"),
            ("a toaster", "unknown card `a toaster`"),
            ("", "write a GPU, or a number and a GPU: \"H100\", \"2x H100\""),
            ("0x H100", "not a possible number of GPUs"),
            ("99999999999x H100", "not a possible number of GPUs"),
            ("4294967295x p5.48xlarge", "not a possible number of GPUs"),
        ];
        for (text, message) in errors {
            assert_eq!(parse(text, &[]).expect_err(text).to_string(), message, "{text}");
        }
    }

    #[test]
    fn declared_gpus_take_precedence() {
        let own = |name: &'static str, size_gb| Gpu {
            name: name.into(),
            size_gb,
            total: Bytes::gib(f64::from(size_gb) * 0.98),
            aliases: &[],
            measured: false,
            lacks: None,
            source: "settings".into(),
        };
        let gpus = [own("H100 NVL", 94), own("H100", 81)];
        assert_eq!(parse("2x h100-nvl", &gpus).map(|hardware| hardware.gpu.size_gb), Ok(94));
        assert_eq!(parse("H100", &gpus).map(|hardware| hardware.gpu.size_gb), Ok(81));
        let same = [own("H100", 80)];
        assert_eq!(parse("H100 80GB", &same).map(|hardware| hardware.gpu.source), Ok("settings".into()));
    }

    #[test]
    fn a_name_is_read_without_being_known() {
        assert_eq!(parse_name(" 2x  Foo 1 "), Ok(Named { count: 2, is_counted: true, name: "Foo 1".to_owned() }));
        for text in ["", "2x", "-", "2x H100\u{7}!"] {
            assert_eq!(parse_name(text), Err(HardwareError::Form), "{text}");
        }
    }
}
