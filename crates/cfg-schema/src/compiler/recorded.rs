//! The fields of a history at one point, converted to fields that apply to all points.

use crate::{Bounds, Discriminator, FieldType, Node, Point, Policy, Segment, TypeKind};

use crate::compiler::{Field, Interval, Type};

/// A field and everything below it at a point, each with its node. The paths begin with `path`.
pub fn recorded(node: Node, point: Point, path: &str) -> Vec<(Node, Field)> {
    let mut fields = Vec::new();
    add(node, point, path, &mut fields);
    fields
}

fn add(node: Node, point: Point, path: &str, fields: &mut Vec<(Node, Field)>) {
    match line(node, point, path) {
        Some(field) => fields.push((node, field)),
        // The items of an array of variants have no entry of their own.
        None if node.intervals().next().is_none() => {}
        None => return,
    }
    for child in node.children() {
        add(child, point, &step(path, child), fields);
    }
}

/// The field of one node at a point; `None` if it does not exist there.
pub(crate) fn line(node: Node, point: Point, path: &str) -> Option<Field> {
    let mut interval = always(node.at(point)?);
    if matches!(node.segment(), Segment::Variant(_) | Segment::Class(_)) {
        "variant".clone_into(&mut interval.ty.base);
    }
    Some(Field { path: path.to_owned(), intervals: vec![interval], ..Field::default() })
}

/// The path of a child below a path.
pub(crate) fn step(path: &str, child: Node) -> String {
    match child.segment() {
        Segment::Field(name) => format!("{path}.{name}"),
        Segment::Item => format!("{path}[]"),
        Segment::MapValue => format!("{path}.*"),
        Segment::Variant(tag) => format!("{path}<type={tag}>"),
        Segment::Class(name) => format!("{path}<{name}>"),
    }
}

/// Converts an interval to one that applies to all points.
pub fn always(interval: crate::Interval) -> Interval {
    Interval {
        since: 0,
        until: None,
        ty: type_of(interval.field_type()),
        default: interval.default_json().map(str::to_owned),
        required: interval.is_required(),
        factory: interval.has_factory(),
        hidden: interval.is_hidden(),
        variant: interval.default_variant_json().map(str::to_owned),
        aliases: interval.aliases().map(str::to_owned).collect(),
        settings: interval.settings_prefix().map(str::to_owned),
        validators: interval.validators().map(|(mode, name)| (mode.to_owned(), name.to_owned())).collect(),
    }
}

/// The textual form of a type of the table.
pub(crate) fn type_of(ty: FieldType) -> Type {
    let (base, policy) = match ty.kind() {
        TypeKind::Any => ("any", None),
        TypeKind::Int => ("int", None),
        TypeKind::Float => ("float", None),
        TypeKind::Bool => ("bool", None),
        TypeKind::Str => ("str", None),
        TypeKind::Path => ("path", None),
        TypeKind::Literal => ("literal", None),
        TypeKind::List => ("list", None),
        TypeKind::Dict => ("dict", None),
        TypeKind::Union => ("union", None),
        TypeKind::Table(Policy::Forbid) => ("table", Some("forbid")),
        TypeKind::Table(Policy::Ignore) => ("table", Some("ignore")),
        TypeKind::Table(Policy::Allow) => ("table", Some("allow")),
    };
    let Bounds { ge, gt, le, lt, min_length, finite } = ty.bounds();
    let limits = [
        ("ge", ge),
        ("gt", gt),
        ("le", le),
        ("lt", lt),
        ("min_length", min_length.and_then(|least| u32::try_from(least).ok()).map(f64::from)),
    ];
    let mut bounds: Vec<(String, f64)> = limits.into_iter().filter_map(|(name, limit)| Some((name.to_owned(), limit?))).collect();
    bounds.extend(finite.then(|| ("finite".to_owned(), 0.0)));
    Type {
        base: base.to_owned(),
        nullable: ty.is_nullable(),
        policy: policy.map(str::to_owned),
        literals: ty.literals().map(str::to_owned).collect(),
        members: ty.members().map(type_of).collect(),
        bounds,
        discriminator: ty.discriminator().map(|discriminator| match discriminator {
            Discriminator::Key(key) => key.to_owned(),
            Discriminator::TypeOrDefault => "fn:type".to_owned(),
        }),
        functions: ty.functions().map(str::to_owned).collect(),
    }
}
