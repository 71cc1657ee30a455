//! Tables that are meant by a value in their place: by a text, a switch, a number, or names of their switches.

use cfg_compose::{Integer, Value};
use cfg_diag::Applicability;
use cfg_schema::{FieldType, Point, Segment, TypeKind};

use super::{
    items::{list_of, listed},
    units::{step_of, table_in},
    value::{NUMBERS, choice_in, is_on},
};
use crate::{
    emit::{inline, key as quoted, string},
    synonyms,
    walk::Walker,
};

impl Walker<'_> {
    /// The table that a value means, as TOML.
    pub(super) fn table_of(
        &self,
        value: &Value,
        ty: FieldType,
        node: Option<cfg_schema::Node>,
    ) -> Option<(String, Applicability)> {
        let (safe, possible) = (Applicability::Safe, Applicability::Unsafe);
        match (ty.kind(), value) {
            (TypeKind::Table(_), Value::Str(_)) if self.path.last_key() == "resume" => match &*step_of(value)? {
                "-1" => Some(("{}".to_owned(), possible)),
                step => Some((format!("{{ step = {step} }}"), possible)),
            },
            // A switch, as others have it.
            (TypeKind::Table(_), Value::Str(text)) if is_on(text) => Some(("{}".to_owned(), possible)),
            (TypeKind::Table(_), Value::Bool(true)) => Some(("{}".to_owned(), safe)),
            (TypeKind::Union, Value::Bool(true)) if ty.discriminator().is_some() => Some(("{}".to_owned(), possible)),
            // A number in place of a table is the one that the table is about.
            (TypeKind::Table(_), Value::Str(text))
                if let Some((key, number)) = self.key_of_number(node).and_then(|key| Some((key, self.counted(key, text)?))) =>
            {
                Some((format!("{{ {key} = {number} }}"), possible))
            }
            // A table as text.
            (TypeKind::Table(_) | TypeKind::Union | TypeKind::Dict, Value::Str(text)) if let Some(table) = table_in(text) => {
                Some((table, possible))
            }
            // Lines of a header, or of variables.
            (TypeKind::Dict, Value::List(items)) => {
                let pairs: Vec<(&str, &str)> = items.iter().map(|item| pair_of(item.value.as_str()?)).collect::<Option<_>>()?;
                let pairs: Vec<String> =
                    pairs.iter().map(|(name, value)| format!("{} = {}", quoted(name), string(value))).collect();
                (!pairs.is_empty()).then(|| (format!("{{ {} }}", pairs.join(", ")), possible))
            }
            (TypeKind::Table(_), Value::Str(text))
                if let Some((name, meant)) = choice_in(text, node?, self.schema.point, &self.path.key()) =>
            {
                Some((format!("{{ {name} = {} }}", string(&meant)), possible))
            }
            (TypeKind::Table(_), Value::Str(text))
                if let Some(table) = node.and_then(|node| switched_on(&listed(text), node, self.schema.point)) =>
            {
                Some((table, possible))
            }
            (TypeKind::Table(_), Value::List(items)) => {
                let texts: Vec<&str> = items.iter().map(|item| item.value.as_str()).collect::<Option<_>>()?;
                Some((switched_on(&texts, node?, self.schema.point)?, possible))
            }
            (TypeKind::Table(_), Value::Str(text))
                if text.contains("://")
                    && let Some(field) = node.and_then(|node| node.field("base_url")) =>
            {
                let is_list = field.at(self.schema.point)?.field_type().kind() == TypeKind::List;
                let address = if is_list { list_of(text) } else { string(text) };
                Some((format!("{{ base_url = {address} }}"), possible))
            }
            (TypeKind::Table(_) | TypeKind::Union, Value::Str(text)) => {
                let meant = ty.discriminator().and_then(|_| synonyms::choice(&self.path.key(), "type", text));
                let text = meant.unwrap_or(text);
                let key = self.key_of_string(text, ty, node?)?;
                Some((format!("{{ {key} = {} }}", string(text)), possible))
            }
            (TypeKind::Table(_), Value::Int(_) | Value::Float(_)) if let Some(key) = self.key_of_number(node) => {
                Some((format!("{{ {key} = {} }}", inline(value)), possible))
            }
            // A switch as a number.
            (TypeKind::Table(_), Value::Int(Integer::Small(1))) => Some(("{}".to_owned(), possible)),
            (TypeKind::Union, Value::Int(_) | Value::Float(_)) => {
                let default =
                    self.fields(&self.path.key()).into_iter().find_map(|field| field.at(self.schema.point)?.default_variant())?;
                let is_it = |variant: &cfg_schema::Node| matches!(variant.segment(), Segment::Variant(tag) if tag == default);
                let key = self.key_of_number(node?.variants(self.schema.point).find(is_it))?;
                Some((format!("{{ {key} = {} }}", inline(value)), possible))
            }
            _ => None,
        }
    }

    /// The key of a table that a bare number means: one of those that such tables are about, or its only one.
    fn key_of_number(&self, node: Option<cfg_schema::Node>) -> Option<&'static str> {
        let point = self.schema.point;
        let is_number = |interval: cfg_schema::Interval| matches!(interval.field_type().kind(), TypeKind::Int | TypeKind::Float);
        let takes = |name: &&str| {
            let field = node.and_then(|node| node.field(name)).and_then(|field| field.at(point));
            field.is_some_and(is_number)
        };
        let of_engine = (self.path.last_key() == "parallel").then_some("tp");
        let only = || {
            let mut fields = node?.fields(point);
            let (field, interval) = fields.next().filter(|_| fields.next().is_none())?;
            field.field_name().filter(|_| is_number(interval))
        };
        of_engine.into_iter().chain(NUMBERS).find(takes).or_else(only)
    }
}

/// The name and the value of a text such as `X-Team: me` or `LEVEL=debug`.
fn pair_of(text: &str) -> Option<(&str, &str)> {
    let (name, value) = text.split_once(['=', ':'])?;
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    // The colon of an address is a part of it.
    (is_name && !value.starts_with("//")).then(|| (name, value.trim()))
}

/// The table with the switches on that texts name.
fn switched_on(texts: &[&str], table: cfg_schema::Node, point: Point) -> Option<String> {
    let is_switch = |text: &str| {
        let interval = table.field(text).and_then(|field| field.at(point));
        interval.is_some_and(|interval| interval.field_type().kind() == TypeKind::Bool)
    };
    let on: Vec<String> = texts.iter().map(|text| format!("{text} = true")).collect();
    (!texts.is_empty() && texts.iter().all(|text| is_switch(text))).then(|| format!("{{ {} }}", on.join(", ")))
}
