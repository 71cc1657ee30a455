//! Values of one of several types.

use cfg_compose::{Node, Origin, Table, Value};
use cfg_schema::{Bounds, Discriminator, FieldType, Segment, TypeKind};

use super::{Chosen, Outcome, Walker, scalar::of_its_type};
use crate::{ResolvedValue, coerce::Exactness, loc::LocSegment};

impl Walker<'_> {
    /// Resolves one of several tables, selected by its tag.
    pub(super) fn tagged_union(
        &mut self,
        mut raw: Node,
        ty: FieldType,
        discriminator: Discriminator,
        node: Option<cfg_schema::Node>,
        default: Option<&str>,
    ) -> Outcome {
        let Some(node) = node else { return Outcome::invalid(raw.origin) };
        let Value::Table(table) = &mut raw.value else { return self.not_tagged(&raw, ty, discriminator, node) };
        let tag_key = match discriminator {
            Discriminator::Key(key) => key,
            Discriminator::TypeOrDefault => "type",
        };
        if table.get(tag_key).is_none() {
            match (discriminator, default.filter(|_| self.merges_defaults())) {
                (Discriminator::TypeOrDefault, _) => {
                    let variant = node.variant("default").filter(|variant| variant.at(self.schema.point).is_some());
                    return match variant {
                        Some(variant) => {
                            let chosen = Chosen { variant, union: node, tag_key, is_written: false };
                            self.variant(std::mem::take(table), chosen, "default", raw.origin)
                        }
                        None => Outcome::invalid(raw.origin),
                    };
                }
                (_, Some(tag)) => {
                    table.insert(crate::before::made(tag_key, Value::Str(tag.into()), "default"));
                }
                (_, None) if self.is_doubtful(tag_key) => return Outcome::invalid(raw.origin),
                (_, None) => {
                    let table = std::mem::take(table);
                    self.missing_tag(node, tag_key, &table, raw.origin);
                    return Outcome::invalid(raw.origin);
                }
            }
        }
        let Some(tag) = table.get(tag_key) else { return Outcome::invalid(raw.origin) };
        if matches!(tag.node.value, Value::Unknown) {
            return Outcome::invalid(raw.origin);
        }
        let known =
            tag.node.value.as_str().and_then(|tag| node.variant(tag)).filter(|variant| variant.at(self.schema.point).is_some());
        let Some(variant) = known else {
            let tag = tag.node.clone();
            self.unknown_tag(node, tag_key, &tag);
            return Outcome::invalid(raw.origin);
        };
        let is_written = tag.key_origin.place().is_some();
        let Segment::Variant(tag) = variant.segment() else { return Outcome::invalid(raw.origin) };
        let chosen = Chosen { variant, union: node, tag_key, is_written };
        self.variant(std::mem::take(table), chosen, tag, raw.origin)
    }

    /// Resolves a table as a variant.
    fn variant(&mut self, table: Table, chosen: Chosen, tag: &'static str, origin: Origin) -> Outcome {
        self.path.push(LocSegment::Label(tag.into()));
        self.unions.push(chosen);
        let resolved = self.table(table, chosen.variant, origin.place());
        self.unions.pop();
        self.path.pop();
        Outcome::new(resolved.into(), origin, Exactness::Exact)
    }

    fn not_tagged(&mut self, raw: &Node, ty: FieldType, discriminator: Discriminator, node: cfg_schema::Node) -> Outcome {
        match discriminator {
            Discriminator::Key(_) => self.wrong_at("model_attributes_type", raw, ty, Some(node)),
            Discriminator::TypeOrDefault => {
                self.path.push(LocSegment::Label("default".into()));
                let outcome = self.wrong_at("model_type", raw, ty, Some(node));
                self.path.pop();
                outcome
            }
        }
    }

    /// Whether the loader merges the user's table over a field's default. pydantic-settings does, which prime-rl used at early versions.
    fn merges_defaults(&self) -> bool {
        self.schema.point.lacks(cfg_schema::Behaviour::DefaultsNoLongerMerged)
    }

    /// Resolves a value of one of several types: the best match.
    pub(super) fn untagged_union(&mut self, raw: &Node, ty: FieldType, node: Option<cfg_schema::Node>) -> Outcome {
        if let Some(value) = of_a_member(&raw.value, ty) {
            return Outcome::new(value, raw.origin, Exactness::Exact);
        }
        let start = self.diagnostics.len();
        let ends_at_refusal = std::mem::replace(&mut self.ends_at_refusal, false);
        let mut best: Option<Outcome> = None;
        // What is said of the members that leave open whether they accept it.
        let mut open = Vec::new();
        let point = self.schema.point;
        let mut classes = node.into_iter().flat_map(cfg_schema::Node::classes).filter(|class| class.at(point).is_some());
        for member in ty.members() {
            let class = if matches!(member.kind(), TypeKind::Table(_)) { classes.next() } else { None };
            self.path.push(LocSegment::Label(self.label(member, class).into()));
            let before = self.diagnostics.len();
            let outcome = self.value(raw.clone(), member, class.or(node), None);
            self.path.pop();
            let is_refused = self.errors_since(before) > 0;
            let fits = !is_refused && !matches!(outcome.resolved.value, ResolvedValue::Invalid);
            if !is_refused && !fits {
                open.extend(self.diagnostics.drain(before..));
            }
            if fits && best.as_ref().is_none_or(|best| rank(&outcome) > rank(best)) {
                best = Some(outcome);
            }
        }
        self.ends_at_refusal = ends_at_refusal;
        match best {
            Some(best) => {
                // The findings of members that do not match are dropped.
                self.diagnostics.truncate(start);
                best
            }
            None => {
                if open.is_empty() {
                    self.one_of_several(start, raw, ty);
                } else {
                    self.diagnostics.truncate(start);
                    self.diagnostics.append(&mut open);
                }
                Outcome::invalid(raw.origin)
            }
        }
    }

    /// pydantic's name for a member of an untagged union in locations.
    fn label(&self, member: FieldType, class: Option<cfg_schema::Node>) -> String {
        if let Some(class) = class
            && let Segment::Class(name) = class.segment()
        {
            let after = class.at(self.schema.point).into_iter().flat_map(cfg_schema::Interval::validators);
            return after
                .filter(|(mode, _)| *mode == "after")
                .fold(name.to_owned(), |inner, (_, validator)| format!("function-after[{validator}(), {inner}]"));
        }
        type_label(member)
    }
}

/// A value that is exactly of the type of a member, where no member before it can be as good a match; `None` if only trying all of them shows that. What
/// the others would say of it is dropped anyway.
fn of_a_member(value: &Value, ty: FieldType) -> Option<ResolvedValue> {
    let is_scalar = |kind: TypeKind| {
        matches!(kind, TypeKind::Int | TypeKind::Float | TypeKind::Bool | TypeKind::Str | TypeKind::Literal | TypeKind::Path)
    };
    if !ty.members().all(|member| is_scalar(member.kind()) && member.functions().len() == 0) {
        return None;
    }
    for member in ty.members() {
        let kind = member.kind();
        let may_be_exact = match value {
            Value::Str(_) => matches!(kind, TypeKind::Str | TypeKind::Literal),
            Value::Int(_) => kind == TypeKind::Int,
            Value::Float(_) => kind == TypeKind::Float,
            Value::Bool(_) => kind == TypeKind::Bool,
            _ => return None,
        };
        if may_be_exact {
            match of_its_type(&mut value.clone(), member) {
                Some(value) => return Some(value),
                None if kind == TypeKind::Literal => {}
                None => return None,
            }
        }
    }
    None
}

/// How well a member of an untagged union matches; among tables, the one that has most of the given keys is best.
fn rank(outcome: &Outcome) -> (usize, Exactness) {
    let known = match &outcome.resolved.value {
        ResolvedValue::Table(table) => table.fields.len(),
        _ => 0,
    };
    (known, outcome.exactness)
}

/// pydantic's name for a type.
pub(crate) fn type_label(ty: FieldType) -> String {
    // The condition that a number is finite does not change pydantic's name.
    let constrained = Bounds { finite: false, ..ty.bounds() } != Bounds::default();
    let name = match ty.kind() {
        TypeKind::Int => "int",
        TypeKind::Float => "float",
        TypeKind::Bool => "bool",
        TypeKind::Str => "str",
        TypeKind::Path => "path",
        TypeKind::Any => "any",
        TypeKind::Literal => {
            let literals: Vec<String> = ty.literals().map(|literal| format!("'{literal}'")).collect();
            return format!("literal[{}]", literals.join(","));
        }
        TypeKind::List | TypeKind::Dict => {
            let name = if ty.kind() == TypeKind::List { "list" } else { "dict" };
            let members: Vec<String> = ty.members().map(type_label).collect();
            let members = if members.is_empty() { "str,any".to_owned() } else { members.join(",") };
            return nullable(ty, format!("{name}[{members}]"));
        }
        TypeKind::Union => "union",
        TypeKind::Table(_) => "table",
    };
    nullable(ty, if constrained { format!("constrained-{name}") } else { name.to_owned() })
}

fn nullable(ty: FieldType, label: String) -> String {
    if ty.is_nullable() { format!("nullable[{label}]") } else { label }
}
