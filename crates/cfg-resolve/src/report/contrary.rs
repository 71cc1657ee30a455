//! Switches whose name says the contrary of a key beside them: `no_enable_lora`, `--no-enable-lora` of a command line, `disable_lora`.

use cfg_compose::{Entry, Value};
use cfg_diag::{Diagnostic, KeyChange, Proposal, codes};
use cfg_schema::{Node, TypeKind};

use crate::{suggest::respelt, walk::Walker};

impl Walker<'_> {
    /// Reports a switch that turns off what a key of its table turns on.
    pub(super) fn contrary(&self, table: Node, named: &str, owner: &str, entry: &Entry) -> Option<Diagnostic> {
        let Value::Bool(is_so) = entry.node.value else { return None };
        let spelt = respelt(&entry.key);
        let key = spelt.as_deref().unwrap_or(&entry.key);
        let rest = ["no_", "not_", "disable_", "without_"].into_iter().find_map(|prefix| key.strip_prefix(prefix))?;
        let is_switch = |name: &String| {
            let ty = table.field(name).and_then(|field| field.at(self.schema.point)).map(cfg_schema::Interval::field_type);
            ty.is_some_and(|ty| ty.kind() == TypeKind::Bool)
        };
        let name = [rest.to_owned(), format!("enable_{rest}"), format!("use_{rest}")].into_iter().find(is_switch)?;
        let home = if owner.is_empty() { name.clone() } else { format!("{owner}.{name}") };
        let (own, value) = (self.path.key(), (!is_so).to_string());
        let title = format!("write `{home} = {value}` instead");
        let set = KeyChange::Set { key: home, value: value.clone() };
        let message = format!("{named} has no key `{}`", entry.key);
        let diagnostic = Diagnostic::new(&codes::UNKNOWN_KEY, message).label("unknown key").choices([&*name]);
        let diagnostic = diagnostic.help(format!("write `{name} = {value}`, which says the same"));
        Some(diagnostic.propose(Proposal::possible(title, vec![KeyChange::Remove { key: own }, set])))
    }
}

#[cfg(test)]
mod tests {
    use cfg_compose::Tree;
    use cfg_diag::{FileId, KeyChange, codes};
    use cfg_schema::{History, Kind, Target};

    use crate::{Names, resolve};

    /// The key and the value that are written for the first unknown key of a text.
    fn written(text: &str) -> Option<(String, String)> {
        let history = History::built_in();
        let schema = history.schema(Kind::Rl, Target::parse(history, "0.8.0").expect("a target").point);
        let (document, _) = cfg_syntax::parse(FileId(0), text, cfg_syntax::Dialect::Toml10);
        let (_, found) = resolve(schema, &Names::new(schema), Tree::from_document(FileId(0), document));
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
        // A number is not a switch, and neither is a key that takes one.
        for key in ["no_max_loras = true", "no_enable_lora = 1"] {
            assert_eq!(written(&format!("[inference]\n{key}\n")).filter(|(home, _)| home.ends_with("loras")), None, "{key}");
        }
    }
}
