//! The fields of the schema in command-line form: dotted paths with hyphens.

use cfg_schema::{FieldType, Interval, Node, Point, Schema, Segment, TypeKind};

/// The type of a flag, for the loaders that only follow plain tables.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Flag {
    /// A table that always exists.
    Table,
    /// A table that may be absent, or has variants: its fields are not flags.
    Optional,
    /// A value.
    Leaf(FieldType),
}

/// A field that a dotted path names.
#[derive(Clone, Debug)]
pub(crate) struct NamedField {
    pub(crate) flag: Flag,
    /// The path with the keys in a file's spelling.
    pub(crate) path: String,
}

/// The accepted names of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Names {
    /// Its own.
    Own,
    /// Its own and its aliases.
    All,
}

/// Whether `written` is `name` with hyphens in place of underscores.
pub(crate) fn is_kebab_of(written: &str, name: &str) -> bool {
    written.len() == name.len() && written.bytes().zip(name.bytes()).all(|(a, b)| a == if b == b'_' { b'-' } else { b })
}

/// How a loader that follows plain tables treats a field of this type.
pub(crate) fn flag_of(ty: FieldType) -> Flag {
    let is_table = |ty: FieldType| matches!(ty.kind(), TypeKind::Table(_));
    match ty.kind() {
        TypeKind::Table(_) if !ty.is_nullable() => Flag::Table,
        TypeKind::Table(_) => Flag::Optional,
        // A nullable tagged union is written as a name for the union, or null: the loaders do not see its tables.
        TypeKind::Union if ty.members().all(is_table) && !(ty.is_nullable() && ty.discriminator().is_some()) => Flag::Optional,
        _ => Flag::Leaf(ty),
    }
}

/// The field of a path with hyphens through plain tables.
pub(crate) fn find(schema: Schema, path: &str, names: Names) -> Option<NamedField> {
    let mut node = schema.root();
    let mut spelled = String::new();
    let mut segments = path.split('.').peekable();
    while let Some(segment) = segments.next() {
        let (field, interval, name) = child(node, segment, schema.point, names)?;
        if !spelled.is_empty() {
            spelled.push('.');
        }
        spelled.push_str(name);
        let flag = flag_of(interval.field_type());
        if segments.peek().is_none() {
            return Some(NamedField { flag, path: spelled });
        }
        if !matches!(flag, Flag::Table) {
            return None;
        }
        node = field;
    }
    None
}

fn child(node: Node, segment: &str, point: Point, names: Names) -> Option<(Node, Interval, &'static str)> {
    node.fields(point).find_map(|(field, interval)| {
        let Segment::Field(own) = field.segment() else { return None };
        if is_kebab_of(segment, own) {
            return Some((field, interval, own));
        }
        let alias = (names == Names::All).then(|| interval.aliases().find(|alias| is_kebab_of(segment, alias))).flatten()?;
        Some((field, interval, alias))
    })
}

/// The end of an optional table in `path`, if the path leads below one.
pub(crate) fn below_optional(schema: Schema, path: &str) -> bool {
    path.match_indices('.')
        .any(|(dot, _)| matches!(find(schema, &path[..dot], Names::Own), Some(NamedField { flag: Flag::Optional, .. })))
}

/// Every name that would be valid instead of the last known step of `path`, for "did you mean".
pub(crate) fn neighbours(schema: Schema, path: &str) -> (String, Vec<String>) {
    let mut node = schema.root();
    let mut known = String::new();
    for segment in path.split('.') {
        let Some((field, _, _)) = child(node, segment, schema.point, Names::All) else { break };
        node = field;
        known = if known.is_empty() { segment.to_owned() } else { format!("{known}.{segment}") };
    }
    let names = node.fields(schema.point).filter_map(|(field, _)| match field.segment() {
        Segment::Field(name) => Some(name.replace('_', "-")),
        _ => None,
    });
    (known, names.collect())
}
