//! The environment variables that pydantic-settings reads. Each settings class reads them again, without its path as prefix.

use cfg_diag::{Diagnostic, Location, codes};
use cfg_schema::{Interval, Kind, Node, Point, Schema, TypeKind};

use crate::{
    Node as RawNode, Origin, Table, Value,
    cli_args::settings::{child, complexity, tables_of},
    json::{self, JsonPlace},
    merge::wrapped,
};

/// The tables of an rl config that are settings classes.
const OF_RL: [&str; 11] = [
    "ckpt",
    "inference",
    "inference.weight_broadcast",
    "log",
    "model",
    "orchestrator",
    "teacher_inference",
    "teacher_inference.weight_broadcast",
    "trainer",
    "wandb",
    "weight_broadcast",
];

/// The tables of an inference config that are settings classes.
const OF_INFERENCE: [&str; 1] = ["weight_broadcast"];

/// A variable of the environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: Box<str>,
    /// Its value.
    pub value: Box<str>,
    /// The place of both.
    pub location: Location,
}

/// Merges the values of a config over those from the environment for its class and its inner settings classes.
pub(crate) fn lay_below(schema: Schema, variables: &[Variable], table: &mut Table, diagnostics: &mut Vec<Diagnostic>) {
    let Some(prefix) = schema.root().at(schema.point).and_then(Interval::settings_prefix) else { return };
    let settings = match schema.kind {
        Kind::Rl => OF_RL.as_slice(),
        Kind::Inference => OF_INFERENCE.as_slice(),
        _ => &[],
    };
    let reader = Reader { prefix: prefix.to_lowercase(), point: schema.point, variables, settings };
    if variables.iter().any(|variable| variable.name.to_lowercase().starts_with(&reader.prefix)) {
        reader.class("", schema.root(), table, diagnostics);
    }
}

struct Reader<'a> {
    /// In lower case.
    prefix: String,
    point: Point,
    variables: &'a [Variable],
    /// The paths of the tables that are settings classes.
    settings: &'static [&'static str],
}

impl Reader<'_> {
    fn class(&self, path: &str, class: Node, table: &mut Table, diagnostics: &mut Vec<Diagnostic>) {
        let mut own = self.own(class, diagnostics);
        own.merge_deep(std::mem::take(table));
        *table = own;
        for (field, interval) in class.fields(self.point) {
            let Some(name) = field.field_name() else { continue };
            let path = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
            let [below] = tables_of(field, interval.field_type(), self.point)[..] else { continue };
            if !self.settings.contains(&path.as_str()) {
                continue;
            }
            match table.get_mut(name) {
                Some(entry) => {
                    if let Some(inner) = entry.node.value.as_table_mut() {
                        self.class(&path, below, inner, diagnostics);
                    }
                }
                // A default that is a table was created when prime-rl was imported, from the same environment.
                None if interval.default_json().is_some_and(|json| json.starts_with('{')) => {
                    let mut inner = Table::default();
                    self.class(&path, below, &mut inner, &mut Vec::new());
                    if let Some(origin) = inner.entries().first().map(|entry| entry.key_origin) {
                        table.insert(wrapped(name, RawNode { value: Value::Table(inner), origin }, origin));
                    }
                }
                None => {}
            }
        }
    }

    /// The variables for the fields of a class.
    fn own(&self, class: Node, diagnostics: &mut Vec<Diagnostic>) -> Table {
        let mut table = Table::default();
        for (field, interval) in class.fields(self.point) {
            let Some(name) = field.field_name() else { continue };
            let ty = interval.field_type();
            let key = format!("{}{name}", self.prefix);
            let variable = self.variables.iter().rev().find(|variable| variable.name.to_lowercase() == key);
            let complex = complexity(ty);
            let Some(may_stand_for_itself) = complex else {
                if let Some(variable) = variable {
                    table.insert(wrapped(name, text(variable), origin(variable)));
                }
                continue;
            };
            let mut is_table = true;
            if let Some(variable) = variable {
                let Some(node) = decoded(variable, may_stand_for_itself, diagnostics) else { continue };
                is_table = node.value.as_table().is_some();
                table.insert(wrapped(name, node, origin(variable)));
            }
            if is_table {
                let below = self.below(field, interval, &format!("{key}__"), diagnostics);
                if let Some(origin) = below.entries().first().map(|entry| entry.key_origin) {
                    let mut one = Table::default();
                    one.insert(wrapped(name, RawNode { value: Value::Table(below), origin }, origin));
                    table.merge_deep(one);
                }
            }
        }
        table
    }

    /// The variables for the keys below a field.
    fn below(&self, field: Node, interval: Interval, prefix: &str, diagnostics: &mut Vec<Diagnostic>) -> Table {
        let mut table = Table::default();
        for variable in self.variables {
            let lower = variable.name.to_lowercase();
            let Some(path) = lower.strip_prefix(prefix) else { continue };
            let keys: Vec<&str> = path.split("__").collect();
            let [parents @ .., last] = keys.as_slice() else { continue };
            if keys.len() > cfg_syntax::MAX_DEPTH {
                continue;
            }
            let is_map = interval.field_type().kind() == TypeKind::Dict;
            let complex = self.is_text_allowed(field, interval, &keys, is_map);
            let node = match complex {
                Some(may) if !variable.value.is_empty() => decoded(variable, may, diagnostics),
                _ => Some(text(variable)),
            };
            if let (Some(node), Some(target)) = (node, table.table_at(parents, origin(variable))) {
                target.insert(wrapped(last, node, origin(variable)));
            }
        }
        table
    }

    /// Whether the value at the end of a path is JSON but may also be plain text; `None` if it is never JSON. A key without a field belongs to a map,
    /// if there is one.
    fn is_text_allowed(&self, field: Node, interval: Interval, keys: &[&str], is_map: bool) -> Option<bool> {
        let mut tables = tables_of(field, interval.field_type(), self.point);
        let mut complex = None;
        for key in keys {
            let is_meant = |name: &str| name.eq_ignore_ascii_case(key);
            let Some((node, ty, _)) = tables.iter().find_map(|table| child(*table, self.point, is_meant)) else {
                return is_map.then_some(true);
            };
            tables = tables_of(node, ty, self.point);
            complex = complexity(ty);
        }
        complex
    }
}

fn origin(variable: &Variable) -> Origin {
    Origin::Environment(variable.location)
}

fn text(variable: &Variable) -> RawNode {
    RawNode { value: Value::Str(variable.value.clone()), origin: origin(variable) }
}

fn decoded(variable: &Variable, may_stand_for_itself: bool, diagnostics: &mut Vec<Diagnostic>) -> Option<RawNode> {
    match json::parse(&variable.value, JsonPlace::Whole(origin(variable)), Origin::Environment) {
        Ok(node) => Some(node),
        Err(_) if may_stand_for_itself => Some(text(variable)),
        Err(fault) => {
            let message = format!("the value of `{}` is not valid JSON: {}", variable.name, fault.message);
            let diagnostic = Diagnostic::new(&codes::INVALID_JSON, message).at(variable.location);
            diagnostics.push(diagnostic.native("SettingsError", Vec::new()));
            None
        }
    }
}
