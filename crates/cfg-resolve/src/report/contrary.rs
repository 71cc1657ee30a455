//! Switches whose name says the contrary of a key beside them: `no_enable_lora`, `--no-enable-lora` of a command line, `disable_lora`.

use cfg_compose::{Entry, Value};
use cfg_diag::{Diagnostic, KeyChange, Proposal, codes};
use cfg_schema::{Node, TypeKind};

use super::places::usual;
use crate::{loc::below, suggest::respelt, synonyms, walk::Walker};

impl Walker<'_> {
    /// Reports a switch that turns off what a key turns on: one of its table, or else the only one of that name. No other key is meant, since with the same
    /// value it would say the contrary.
    pub(super) fn contrary(&self, table: Node, named: &str, owner: &str, entry: &Entry) -> Option<Diagnostic> {
        let Value::Bool(is_so) = entry.node.value else { return None };
        let spelt = respelt(&entry.key);
        let key = spelt.as_deref().unwrap_or(&entry.key);
        let prefix = PREFIXES.into_iter().find(|prefix| key.starts_with(prefix));
        let switches: Vec<String> = match prefix {
            Some(prefix) => {
                let rest = &key[prefix.len()..];
                vec![rest.to_owned(), format!("enable_{rest}"), format!("use_{rest}")]
            }
            None => vec![opposite(key)?],
        };
        let is_switch = |name: &&String| {
            let ty = table.field(name).and_then(|field| field.at(self.schema.point)).map(cfg_schema::Interval::field_type);
            ty.is_some_and(|ty| ty.kind() == TypeKind::Bool)
        };
        let diagnostic = Diagnostic::new(&codes::UNKNOWN_KEY, format!("{named} has no key `{}`", entry.key)).label("unknown key");
        let value = (!is_so).to_string();
        let (name, home) = if let Some(name) = switches.iter().find(is_switch) {
            (name.clone(), below(owner, name))
        } else {
            let prefix = prefix?;
            // A typing error in a key that begins so itself, or a word that is known.
            let mut own = table.fields(self.schema.point).filter_map(|(field, _)| field.field_name());
            if own.any(|name| name.starts_with(prefix)) || synonyms::suggestion(self.names, owner, key).is_some() {
                return None;
            }
            let homes: Vec<&String> = switches.iter().flat_map(|name| usual(self.names.paths(name))).collect();
            let fitting: Vec<&&String> =
                homes.iter().filter(|home| self.types(home).any(|ty| ty.kind() == TypeKind::Bool)).collect();
            let [home] = fitting[..] else {
                let help = format!("remove it, or turn off what it is about: `{} = {value}`", &key[prefix.len()..]);
                return (!fitting.is_empty()).then(|| diagnostic.help(help));
            };
            let home = self.placed(home)?;
            (home.clone(), home)
        };
        let title = format!("write `{home} = {value}` instead");
        let set = KeyChange::Set { key: home, value: value.clone() };
        let diagnostic = diagnostic.choices([&*name]).help(format!("write `{name} = {value}`, which says the same"));
        Some(diagnostic.propose(Proposal::possible(title, vec![KeyChange::Remove { key: self.path.key() }, set])))
    }
}

/// What stands before the name of a switch that is turned off.
const PREFIXES: [&str; 4] = ["no_", "not_", "disable_", "without_"];

/// A name with the contrary of one of its words: `online`, `offline`.
fn opposite(key: &str) -> Option<String> {
    const WORDS: [(&str, &str); 3] = [("online", "offline"), ("enabled", "disabled"), ("on", "off")];
    let contrary = |word: &str| {
        let of_pair = |(one, other): &(&'static str, &'static str)| match word {
            word if word == *one => Some(*other),
            word if word == *other => Some(*one),
            _ => None,
        };
        WORDS.iter().find_map(of_pair)
    };
    let words: Vec<&str> = key.split('_').collect();
    let (at, found) = words.iter().enumerate().find_map(|(at, word)| Some((at, contrary(word)?)))?;
    Some(words.iter().enumerate().map(|(own, word)| if own == at { found } else { word }).collect::<Vec<_>>().join("_"))
}

#[cfg(test)]
mod tests {
    use cfg_diag::{KeyChange, codes};
    use cfg_schema::Kind;

    use crate::testing::found_in;

    /// The key and the value that are written for the first unknown key of a text.
    fn written(text: &str) -> Option<(String, String)> {
        let found = found_in(Kind::Rl, "0.8.0", text);
        let found = found.into_iter().find(|found| found.code == &codes::UNKNOWN_KEY)?;
        match found.proposals.first()?.changes.as_slice() {
            [KeyChange::Remove { .. }, KeyChange::Set { key, value }] => Some((key.clone(), value.clone())),
            _ => None,
        }
    }

    #[test]
    fn a_switch_turns_its_contrary_off() {
        for (key, home) in [
            ("no_enable_lora = true", "inference.enable_lora"),
            ("\"--no-enable-lora\" = true", "inference.enable_lora"),
            ("disable_prefix_caching = true", "inference.enable_prefix_caching"),
        ] {
            let expected = (home.to_owned(), "false".to_owned());
            assert_eq!(written(&format!("[inference]\n{key}\n")), Some(expected), "{key}");
        }
        // In another table, the only switch of that name.
        for (table, key, home) in [
            ("trainer", "no_reshard_after_forward = true", "trainer.model.reshard_after_forward"),
            ("trainer", "no_fsdp_cpu_offload = true", "trainer.model.fsdp_cpu_offload"),
            ("wandb", "online = true", "wandb.offline"),
        ] {
            let expected = (home.to_owned(), "false".to_owned());
            assert_eq!(written(&format!("[{table}]\n{key}\n")), Some(expected), "{key}");
        }
        // A number is not a switch, and neither is a key that takes one. Of several switches none is chosen, and none says the contrary.
        for key in ["no_max_loras = true", "no_trust_remote_code = true"] {
            assert_eq!(written(&format!("[inference]\n{key}\n")), None, "{key}");
        }
    }
}
