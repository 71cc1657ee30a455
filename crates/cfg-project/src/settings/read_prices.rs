//! Reads `[prices]`: the price of an hour of each card.

use std::collections::BTreeMap;

use cfg_memory::{catalogue::Gpu, hardware};
use toml::de::DeValue;

use super::reader::{Entry, Reader, joined};
use crate::Sourced;

/// The prices in dollars, by the name of the card.
pub(super) fn prices<'t>(reader: &mut Reader<'t>, entry: Entry<'_, 't>) -> BTreeMap<String, Sourced<f64>> {
    let mut prices = BTreeMap::new();
    for (key, value) in reader.table(entry).into_iter().flatten() {
        let name = joined(entry.key, key.get_ref());
        let item = Entry { key: &name, value };
        let number = match value.get_ref() {
            DeValue::Integer(number) => number.as_str().parse().ok(),
            DeValue::Float(number) => number.as_str().parse().ok(),
            _ => None,
        };
        match number.filter(|dollars: &f64| dollars.is_finite() && *dollars >= 0.0) {
            Some(dollars) => {
                prices.insert(key.get_ref().to_string(), reader.sourced(dollars, value.span()));
            }
            None => {
                let help = "write the price of one card per hour, in dollars: `H100 = 2.5`".to_owned();
                reader.refuse(item, format!("`{name}` is not a price"), Some(help));
            }
        }
    }
    prices
}

/// Warns about prices of unknown cards, which have no effect.
pub(super) fn known_prices(reader: &mut Reader<'_>, prices: &BTreeMap<String, Sourced<f64>>, own: &[Gpu]) {
    for (name, price) in prices {
        if let Err(error) = hardware::find(name, own) {
            reader.warn(price.place.span.range(), "prices", format!("unknown GPU `{name}`"), Some(error.to_string()));
        }
    }
}
