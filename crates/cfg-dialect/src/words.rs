//! Rewords the findings of the walker so that they apply to any program.

use cfg_diag::{Diagnostic, LocPart, codes, one_line};
use cfg_resolve::nearest;
use cfg_schema::{Interval, Node, Point, Segment};

/// The maximum number of unknown keys for which a similar one is searched for. A file with more is for something else.
const MAX_EXPLAINED: usize = 20;

/// The fields of a dialect exist at all points.
const POINT: Point = Point(0);

/// Rewords the findings of the walker.
pub(crate) struct Words<'t> {
    root: Node,
    text: &'t str,
    /// The number of unknown keys for which a similar one will still be searched for.
    left: usize,
}

impl<'t> Words<'t> {
    /// For a config with this text and the schema at `root`.
    pub(crate) const fn new(root: Node, text: &'t str) -> Self {
        Self { root, text, left: MAX_EXPLAINED }
    }

    /// The finding, reworded without prime-rl.
    pub(crate) fn own(&mut self, found: Diagnostic) -> Diagnostic {
        let Some(native) = &found.native else { return found };
        let (owner, key) = match native.loc.split_last() {
            Some((LocPart::Key(key), owner)) => (owner, &**key),
            _ => (&native.loc[..], ""),
        };
        let mut own = match &*native.kind {
            "extra_forbidden" => self.unknown(&found, owner, key),
            "missing" => self.missing(&found, owner, key),
            _ => {
                let own = Diagnostic::new(&codes::DIALECT_VALUE, found.message.clone());
                Diagnostic { label: found.label, help: found.help, ..own }
            }
        };
        (own.key, own.location, own.related) = (found.key, found.location, found.related);
        own
    }

    fn unknown(&mut self, found: &Diagnostic, owner: &[LocPart], key: &str) -> Diagnostic {
        let table = table(found);
        let shown = one_line(key);
        let mut own = Diagnostic::new(&codes::DIALECT_KEY, format!("{table} has no key `{shown}`")).label("unknown key");
        let tables = self.tables_at(owner);
        if let Some(names) = tables.iter().find_map(|table| others(*table, key)) {
            own.message = format!("{table} has `{shown}` and another name of the same key: {}", names.join(", "));
            own.label = Some("not read".to_owned());
            return own.help("remove one of them: the first of these names is used");
        }
        let written = found.location.and_then(|place| self.text.get(place.span.range())).unwrap_or_default();
        if matches!(key, "true" | "false" | "null") && written.starts_with(char::is_alphabetic) && written != key {
            return own.help(format!("PyYAML reads `{written}` as {key}: put the key in quotes"));
        }
        let names = if self.left > 0 { names_of(&tables) } else { Vec::new() };
        self.left = self.left.saturating_sub(1);
        own.help = match (nearest(key, names.iter().copied()), names.as_slice()) {
            (Some(near), _) => Some(format!("did you mean `{near}`?")),
            (None, []) => None,
            (None, names) if names.len() <= 12 => Some(format!("its keys are {}", names.join(", "))),
            (None, names) => Some(format!("it has {} other keys", names.len())),
        };
        own
    }

    fn missing(&self, found: &Diagnostic, owner: &[LocPart], key: &str) -> Diagnostic {
        let field = self.tables_at(owner).into_iter().find_map(|table| table.field_for_key(key, POINT));
        let names = field.map(|(_, interval)| interval.aliases().collect::<Vec<_>>()).unwrap_or_default();
        let mut own = Diagnostic::new(&codes::DIALECT_KEY, format!("{} needs `{}`", table(found), one_line(key)));
        own.label.clone_from(&found.label);
        let is_table = |(_, interval): (Node, Interval)| matches!(interval.field_type().kind(), cfg_schema::TypeKind::Table(_));
        own.help = if field.is_some_and(is_table) { Some(format!("add `{key}`: a mapping")) } else { found.help.clone() };
        if let Some((_, rest)) = names.split_first().filter(|(_, rest)| !rest.is_empty()) {
            let or = format!("other names of it are {}", rest.join(", "));
            own.help = Some(own.help.map_or(or.clone(), |help| format!("{help}; {or}")));
        }
        own
    }

    /// The tables at a location; for a union, all its variants.
    fn tables_at(&self, loc: &[LocPart]) -> Vec<Node> {
        let mut nodes = vec![self.root];
        for part in loc {
            let step = |node: Node| -> Vec<Node> {
                let field = |key: &str| node.field_for_key(key, POINT).map(|(field, _)| field);
                let below: Vec<Node> = match part {
                    LocPart::Key(key) => field(key).or_else(|| node.map_value()).into_iter().collect(),
                    LocPart::Index(_) => vec![node.item().unwrap_or(node)],
                };
                if below.is_empty() { vec![node] } else { below }
            };
            nodes = nodes.into_iter().flat_map(step).collect();
        }
        let is_variant = |node: &Node| matches!(node.segment(), Segment::Variant(_) | Segment::Class(_));
        let variants: Vec<Node> = nodes.iter().flat_map(|node| node.children().filter(is_variant).collect::<Vec<_>>()).collect();
        nodes.into_iter().chain(variants).collect()
    }
}

/// The name of the table in a finding about one of its keys.
fn table(found: &Diagnostic) -> String {
    let place = found.key.as_deref().and_then(|key| Some(key.rsplit_once('.')?.0));
    place.map_or_else(|| "the config".to_owned(), |place| format!("`{place}`"))
}

/// The aliases of a key of a table, in the order of preference; `None` if the table has no such key, or the key has no alias.
fn others(table: Node, key: &str) -> Option<Vec<&'static str>> {
    let (_, interval) = table.field_for_key(key, POINT)?;
    let names: Vec<&str> = interval.aliases().collect();
    (names.len() > 1).then_some(names)
}

/// The names of the keys of some tables.
fn names_of(tables: &[Node]) -> Vec<&'static str> {
    let fields = tables.iter().flat_map(|table| table.children().collect::<Vec<_>>());
    let names = fields.flat_map(|field| {
        let aliases: Vec<&str> = field.at(POINT).map(|interval| interval.aliases().collect()).unwrap_or_default();
        if aliases.is_empty() { field.field_name().into_iter().collect() } else { aliases }
    });
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// The first name of a field's key.
pub(crate) fn key_of(field: Node) -> Option<&'static str> {
    let name = field.field_name()?;
    Some(field.at(POINT).and_then(|interval| interval.aliases().next()).unwrap_or(name))
}
