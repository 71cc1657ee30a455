//! Removed tables whose content is one value at the target.

use cfg_compose::{Entry, Integer, Value};
use cfg_diag::{KeyChange, Proposal};
use cfg_schema::moved::Moved;

use super::items::list_of;
use crate::{emit::string, synonyms, walk::Walker};

impl Walker<'_> {
    /// The one address that a host and a port are at the target.
    pub(super) fn address(&self, key: &str, entry: &Entry) -> Option<Proposal> {
        let table = entry.node.value.as_table()?;
        let of = |name: &str| table.get(name).map(|entry| &entry.node.value);
        let host = of("host").and_then(Value::as_str);
        let port = match of("port") {
            Some(Value::Int(Integer::Small(port @ 1..=65535))) => Some(*port),
            _ => None,
        };
        let is_all = table.entries().iter().all(|entry| matches!(&*entry.key, "host" | "port"));
        if !is_all || host.is_none() && port.is_none() {
            return None;
        }
        let home =
            self.names.paths("base_url").iter().filter(|home| home.ends_with("client.base_url")).min_by_key(|home| home.len())?;
        let url = format!("\"http://{}:{}/v1\"", host.unwrap_or("localhost"), port.unwrap_or(8000));
        let value = if self.is_list(home) { format!("[{url}]") } else { url };
        let help = format!("write `{home} = {value}` instead: host and port are one address");
        let changes = vec![KeyChange::Remove { key: key.to_owned() }, KeyChange::Set { key: home.clone(), value: value.clone() }];
        Some(Proposal::possible(format!("write `{home} = {value}`"), changes).help(help))
    }

    /// The one address that the host and the port of a client are, which are keys of its table.
    pub(super) fn address_of_client(&self, owner: &str, key: &str) -> Option<Proposal> {
        let home = format!("{owner}.base_url");
        let is_part = matches!(key, "host" | "port") && owner.rsplit('.').next() == Some("client");
        if !is_part || !self.names.paths("base_url").contains(&home) {
            return None;
        }
        let client = self.run.clients.iter().find(|client| client.path == owner)?;
        let (host, port) = (client.host.as_deref(), client.port);
        let url = string(&format!("http://{}:{}/v1", host.unwrap_or("localhost"), port.unwrap_or(8000)));
        let value = if self.is_list(&home) { format!("[{url}]") } else { url };
        let written = [("host", host.is_some()), ("port", port.is_some())].into_iter().filter(|(_, is_written)| *is_written);
        let removed = written.map(|(name, _)| KeyChange::Remove { key: format!("{owner}.{name}") });
        let set = KeyChange::Set { key: home, value: value.clone() };
        let help = format!("write `base_url = {value}` in its place: host and port are one address");
        Some(Proposal::possible(format!("write `base_url = {value}` instead"), removed.chain([set]).collect()).help(help))
    }

    /// The key that a text in place of a removed table means: what the name in that table is at the target.
    pub(super) fn named_by_text(&self, key: &str, entry: &Entry) -> Option<Proposal> {
        entry.node.value.as_str()?;
        let path = self.path.schema_path();
        let find = |name: &str| {
            Moved::find(self.schema.history, self.schema.kind, &format!("{path}.{name}"), None, self.schema.point)?.to
        };
        let home = ["name", "id"].into_iter().find_map(find).filter(|home| !home.contains("[]"))?;
        Some(Proposal::relocate(key, &home).help(format!("write `{home}` instead")))
    }

    /// The choice that the `type` of a removed table, or a text in its place, is at the target under another trainer's name.
    pub(super) fn chosen_by_type(key: &str, entry: &Entry, to: &str) -> Option<Proposal> {
        let value = match &entry.node.value {
            Value::Table(table) => &table.get("type").filter(|_| table.entries().len() == 1)?.node.value,
            value => value,
        };
        let choice = synonyms::choice(to, "type", value.as_str()?)?;
        let home = format!("{to}.type");
        let help = format!("write `{home} = \"{choice}\"` instead");
        let set = KeyChange::Set { key: home, value: format!("\"{choice}\"") };
        let changes = vec![KeyChange::Remove { key: key.to_owned() }, set];
        Some(Proposal::possible(help.clone(), changes).help(help))
    }

    /// The list that a single text is at the target.
    pub(super) fn listed(&self, key: &str, entry: &Entry, to: &str) -> Option<Proposal> {
        if !self.is_list(to) {
            return None;
        }
        // It may be a list already.
        let is_plain = |value: &Value| !matches!(value, Value::Table(_) | Value::List(_));
        if let Value::List(items) = &entry.node.value
            && !items.is_empty()
            && items.iter().all(|item| is_plain(&item.value))
        {
            let help = format!("write `{to}` instead");
            return Some(Proposal::relocate(key, to).help(help));
        }
        let text = entry.node.value.as_str()?;
        if let Some(tables) = self.as_items(key, to, &entry.node.value) {
            return Some(tables);
        }
        let value = list_of(text);
        let help = format!("write `{to} = {value}` instead");
        let changes =
            vec![KeyChange::Remove { key: key.to_owned() }, KeyChange::Set { key: to.to_owned(), value: value.clone() }];
        Some(Proposal::possible(format!("write `{to} = {value}`"), changes).help(help))
    }
}
