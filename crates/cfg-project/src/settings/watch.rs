//! `[watch]`: the limits for the measurements of a run.

use std::collections::BTreeMap;

use toml::de::DeValue;

use super::{
    description::names_in,
    reader::{Entry, Reader, joined},
};
use crate::Sourced;

/// The default of the number of minutes without output after which a run is silent.
const SILENT_MINUTES: f64 = 30.0;

/// The limits for the measurements of a run: `entropy = 0.03`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Watch {
    /// The limits by their names.
    pub bounds: BTreeMap<String, Sourced<f64>>,
}

impl Watch {
    /// A limit; `None` if it is not set.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.bounds.get(name).map(|bound| bound.value)
    }

    /// A limit as an integer.
    pub fn integer(&self, name: &str) -> Option<u64> {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a float is cast to the nearest that there is"
        )]
        self.number(name).map(|bound| bound as u64)
    }

    /// The number of seconds without a line of output after which a run is silent.
    pub fn silent_seconds(&self) -> u64 {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a float is cast to the nearest that there is"
        )]
        let seconds = (self.number("silent_minutes").unwrap_or(SILENT_MINUTES) * 60.0) as u64;
        seconds
    }
}

pub(super) fn watch<'t>(reader: &mut Reader<'t>, entry: Entry<'_, 't>) -> Watch {
    let (mut bounds, known) = (BTreeMap::new(), names_in("watch"));
    for (key, value) in reader.table(entry).into_iter().flatten() {
        if !known.contains(&key.get_ref().as_ref()) {
            reader.unknown(key, entry.key, &known);
            continue;
        }
        let name = joined(entry.key, key.get_ref());
        let number = match value.get_ref() {
            DeValue::Integer(number) => number.as_str().parse().ok(),
            DeValue::Float(number) => number.as_str().parse().ok(),
            _ => None,
        };
        match number.filter(|bound: &f64| bound.is_finite() && *bound >= 0.0) {
            Some(bound) => {
                bounds.insert(key.get_ref().to_string(), reader.sourced(bound, value.span()));
            }
            None => {
                let help = "write a number that is at least 0, such as `entropy = 0.03`".to_owned();
                reader.refuse(Entry { key: &name, value }, format!("unknown bound `{name}`"), Some(help));
            }
        }
    }
    Watch { bounds }
}
