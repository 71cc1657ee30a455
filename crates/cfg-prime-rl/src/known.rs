//! The known releases, cards and findings.

use cfg_diag::codes;
use cfg_schema::{History, Target};

/// The known releases of prime-rl, the oldest first.
///
/// ```
/// assert!(cfg_prime_rl::releases().contains(&"0.4.0".to_owned()));
/// ```
pub fn releases() -> Vec<String> {
    History::built_in().releases().map(|release| Target::from(release).name).collect()
}

/// The known cards, by their names in a machine: `2x H100`.
///
/// ```
/// assert!(cfg_prime_rl::cards().iter().any(|card| card == "H100"));
/// ```
pub fn cards() -> Vec<String> {
    cfg_memory::catalogue::gpus().iter().map(|gpu| gpu.name.to_string()).collect()
}

/// The page of a finding, in Markdown, by its code (`PRL101`) or its name (`unknown-key`).
///
/// ```
/// assert!(cfg_prime_rl::explain("PRL101").is_some_and(|page| page.starts_with("# unknown-key")));
/// ```
pub fn explain(code: &str) -> Option<&'static str> {
    codes::find(code).map(|known| known.page)
}
