//! The environments that a text names, determined only from its text: so for every target, and for a text that prime-rl refuses.

use std::collections::HashSet;

use cfg_diag::{Order, Span};
use cfg_syntax::{Document, Table, Value, ValueKind};

/// How an environment is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Naming {
    /// Its name in this config.
    Name,
    /// The id of its package, which other configs may use as well.
    Id,
}

/// The word that names an environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// Its type.
    pub naming: Naming,
    /// The word, with the version after an id.
    pub text: String,
}

/// An environment in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedEnvironment<'t> {
    /// The dotted key of its table or array.
    pub list: String,
    /// Its name, if it has one.
    pub name: Option<(&'t str, Span)>,
    /// Its ids: several if one uses the taskset of another.
    pub ids: Vec<(&'t str, Span)>,
}

/// The places of an id in the table of an environment, at all targets.
const IDS: [&[&str]; 5] = [&["id"], &["legacy", "id"], &["env", "id"], &["taskset", "id"], &["env", "taskset", "id"]];

/// The environments of a text, in the order of its tables.
pub fn environments(document: &Document) -> Vec<NamedEnvironment<'_>> {
    let mut found = Vec::new();
    walk(&document.root, &mut Vec::new(), &mut |place| {
        if let Mention::Environment(environment) = place {
            found.push(environment);
        }
    });
    found
}

/// The environment that is named at `offset`, with the bytes of the word.
pub fn environment_at(document: &Document, offset: u32) -> Option<(Word, Span)> {
    let environments = environments(document);
    for environment in &environments {
        let words = environment.name.map(|name| (Naming::Name, name)).into_iter();
        let mut words = words.chain(environment.ids.iter().map(|id| (Naming::Id, *id)));
        if let Some((naming, (text, span))) = words.find(|(_, (_, span))| span.touches(offset)) {
            return Some((Word { naming, text: text.to_owned() }, span));
        }
    }
    let names: HashSet<&str> = environments.iter().filter_map(|environment| Some(environment.name?.0)).collect();
    let mut referred = None;
    walk(&document.root, &mut Vec::new(), &mut |mention| {
        if let Mention::Reference(text, span, _) = mention
            && span.touches(offset)
            && names.contains(text)
        {
            referred.get_or_insert((Word { naming: Naming::Name, text: text.to_owned() }, span));
        }
    });
    referred
}

/// The places where a text names an environment: its own table, and for a name all tables and arrays about environments. The second of each pair says
/// whether it is a key.
pub fn places(document: &Document, word: &Word) -> Vec<(Span, bool)> {
    let mut found = Vec::new();
    walk(&document.root, &mut Vec::new(), &mut |place| match place {
        Mention::Environment(environment) if word.naming == Naming::Name => {
            found.extend(environment.name.filter(|(text, _)| *text == word.text).map(|(_, span)| (span, false)));
        }
        Mention::Environment(environment) => {
            let same = environment.ids.into_iter().filter(|(id, _)| base(id) == base(&word.text));
            found.extend(same.map(|(_, span)| (span, false)));
        }
        Mention::Reference(text, span, is_key) => {
            if word.naming == Naming::Name && text == word.text {
                found.push((span, is_key));
            }
        }
    });
    found.order_by_key(|(span, _)| *span);
    found.dedup();
    found
}

/// The keys with which a settings file declares the environment of an id.
pub fn declarations(settings: &Document, word: &Word) -> Vec<Span> {
    let Some(ValueKind::Table(declared)) = settings.root.get("environments").map(|entry| &entry.value.kind) else {
        return Vec::new();
    };
    let same = declared.entries.iter().filter(|entry| word.naming == Naming::Id && base(&entry.key.text) == base(&word.text));
    same.map(|entry| entry.key.span).collect()
}

/// An id without the version that it pins.
pub(crate) fn base(id: &str) -> &str {
    id.split_once('@').map_or(id, |(base, _)| base)
}

enum Mention<'t> {
    Environment(NamedEnvironment<'t>),
    /// A word in a table or an array about environments, and whether it is a key.
    Reference(&'t str, Span, bool),
}

fn walk<'t>(table: &'t Table, keys: &mut Vec<&'t str>, found: &mut dyn FnMut(Mention<'t>)) {
    for entry in &table.entries {
        if keys.last().is_some_and(|above| speaks_of_environments(above)) {
            found(Mention::Reference(&entry.key.text, entry.key.span, true));
        }
        keys.push(&entry.key.text);
        value(&entry.value, keys, found);
        keys.pop();
    }
}

fn value<'t>(of: &'t Value, keys: &mut Vec<&'t str>, found: &mut dyn FnMut(Mention<'t>)) {
    match &of.kind {
        ValueKind::Table(inner) => match environment(inner, keys) {
            Some(environment) => found(Mention::Environment(environment)),
            None => walk(inner, keys, found),
        },
        ValueKind::Array(items) => items.iter().for_each(|item| value(item, keys, found)),
        ValueKind::String(text) if keys.last().is_some_and(|key| speaks_of_environments(key)) => {
            found(Mention::Reference(text, of.span, false));
        }
        _ => {}
    }
}

fn speaks_of_environments(key: &str) -> bool {
    key.contains("env") && !["env_vars", "env_version"].contains(&key)
}

/// The environment of a table, if its keys indicate one and it has a name or an id. Its own arguments do not name another one.
fn environment<'t>(table: &'t Table, keys: &[&str]) -> Option<NamedEnvironment<'t>> {
    let (last, above) = keys.split_last()?;
    let is_one = match *last {
        "env" | "environment" | "environments" | "taskset" => true,
        "source" => above.last().is_some_and(|group| ["train", "eval"].contains(group)),
        _ => false,
    };
    let string = |path: &[&str]| {
        let (last, above) = path.split_last()?;
        let mut at = table;
        for key in above {
            let ValueKind::Table(inner) = &at.get(key)?.value.kind else { return None };
            at = inner;
        }
        let value = &at.get(last)?.value;
        if let ValueKind::String(text) = &value.kind { Some((&**text, value.span)) } else { None }
    };
    let (name, ids): (_, Vec<_>) = (string(&["name"]), IDS.into_iter().filter_map(string).collect());
    (is_one && (name.is_some() || !ids.is_empty())).then(|| NamedEnvironment { list: keys.join("."), name, ids })
}

#[cfg(test)]
mod tests {
    use cfg_diag::FileId;
    use cfg_syntax::Dialect;

    use super::{NamedEnvironment, Naming, Word, environment_at, environments};
    use crate::testing::analysis;

    #[test]
    fn each_target_has_its_spelling() {
        let text = "[[orchestrator.env]]\nid = \"a/one\"\nname = \"one\"\n[orchestrator.env.args]\nid = \"no\"\n[[orchestrator.eval.env]]\ntaskset = { id = \"two\" }\n\
                    [[orchestrator.train.source]]\nlegacy.id = \"three@1\"\n[[orchestrator.eval.source]]\nenv = { id = \"player\", taskset = { id = \"four\" } }\n\
                    [[data.source]]\nid = \"no\"\n[model]\nname = \"no\"\n";
        let analysis = analysis(text);
        let told = |found: &NamedEnvironment<'_>| {
            let ids: Vec<&str> = found.ids.iter().map(|(id, _)| *id).collect();
            format!("{} {:?} {}", found.list, found.name.map(|(name, _)| name), ids.join(" "))
        };
        let found: Vec<String> = environments(&analysis.document).iter().map(told).collect();
        assert_eq!(
            found,
            [
                "orchestrator.env Some(\"one\") a/one",
                "orchestrator.eval.env None two",
                "orchestrator.eval.source None player four",
                "orchestrator.train.source None three@1"
            ]
        );
    }

    /// The text is not searched anew for the name of each environment.
    #[test]
    fn one_of_many_environments_is_found() {
        let tables: Vec<String> = (0..20_000).map(|at| format!("[[orchestrator.env]]\nname = \"e{at}\"\nid = \"a\"\n")).collect();
        let text = tables.concat() + "[orchestrator.env_ratios]\ne19999 = 0.5\nnone = 1\n";
        let (document, _) = cfg_syntax::parse(FileId(0), &text, Dialect::Toml10);
        let at = |word: &str| environment_at(&document, text.rfind(word).expect("a word") as u32);
        assert_eq!(at("e19999").map(|(word, _)| word), Some(Word { naming: Naming::Name, text: "e19999".to_owned() }));
        assert_eq!(at("\"a\"").map(|(word, _)| word), Some(Word { naming: Naming::Id, text: "a".to_owned() }));
        assert_eq!(at("none"), None);
    }
}
