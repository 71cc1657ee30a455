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
