//! prime-rl's `before` validators: how a class changes a raw table before its fields are checked. The schema history lists the validators of
//! each class; the body of each is in a separate file here.

mod coerce_dict_values;
pub(crate) mod collapse_aliases;
mod default_tags;
mod drop_shared;
mod env_to_train;
mod fold_student;
mod installed_class;
mod none_strings;
mod normalize_attn;
mod normalize_deployment;
mod normalize_node_counts;
mod num_workers_to_pool;
pub(crate) mod own;
mod parse_extra_values;
mod propagate_model;
mod python;
mod refuse_env_harness;
mod share_fields;
mod stub_teacher;

use cfg_compose::{Entry, Node, Origin, Table, Value};
use cfg_diag::Diagnostic;
use cfg_schema::{self as schema, Interval, NodeMap, Point};

pub(crate) use share_fields::Share;

use crate::{suggest::Own, walk::narrow};

/// The class whose table is checked next.
#[derive(Clone, Copy)]
pub(crate) struct Class {
    /// Its place in the schema.
    pub(crate) node: schema::Node,
    /// The point of the check.
    pub(crate) point: Point,
}

/// A refusal by a validator. prime-rl stops after it; if a validator refuses several values, prime-rl's error contains all of them.
pub(crate) struct Refusal {
    pub(crate) diagnostic: Diagnostic,
    /// `value_error`, or the name of an uncaught exception.
    pub(crate) kind: &'static str,
    /// prime-rl's function that refuses the table.
    pub(crate) check: &'static str,
    /// The validator that calls it; [`BeforeValidators::run`] fills it in.
    pub(crate) validator: &'static str,
    /// The paths of the keys whose values are unknown because of it.
    pub(crate) doubtful: Vec<&'static str>,
}

/// The `before` validators of a class at a point.
pub(crate) struct BeforeValidators {
    /// In prime-rl's order: the one declared last runs first, and those of single fields run at the end.
    all: Vec<BeforeValidator>,
    /// Whether each of them treats every entry of the table independently of the others.
    pub(crate) are_of_entries: bool,
    /// Whether they narrow a field to the class of its `id`.
    pub(crate) narrow: bool,
}

struct BeforeValidator {
    name: &'static str,
    /// `None` if it changes and refuses nothing here, unless the project's prime-rl has another revision of it.
    body: Option<Body>,
}

/// The body of a validator, which gets the validator's name.
type Body = fn(Class, &'static str, &mut Table, &mut Vec<Refusal>);

/// The `before` validators of a class. They are looked up once for each class, not for each table.
pub(crate) fn validators(class: Class, interval: Interval) -> &'static BeforeValidators {
    static NONE: BeforeValidators = BeforeValidators { all: Vec::new(), are_of_entries: true, narrow: false };
    static KNOWN: NodeMap<BeforeValidators, 512> = NodeMap::new();
    if interval.has_before_validators() {
        KNOWN.of(class.node, class.point, || BeforeValidators::new(class, interval))
    } else {
        &NONE
    }
}

impl BeforeValidators {
    fn new(class: Class, interval: Interval) -> Self {
        let names = || interval.validators_of("before").rev().chain(interval.validators_of("before field"));
        let validator = |name| BeforeValidator { name, body: body(name).filter(|_| may_act(class, name)) };
        Self {
            all: names().map(validator).collect(),
            are_of_entries: names().all(is_of_entries),
            narrow: narrow::narrows(interval),
        }
    }

    /// Whether none of them changes or refuses anything, unless the project's prime-rl has another revision of one.
    pub(crate) fn is_empty(&self) -> bool {
        self.all.iter().all(|validator| validator.body.is_none())
    }

    /// Runs them over a table of the class. If the project's prime-rl has another revision of a validator and `own` has its code, that code is run.
    pub(crate) fn run(
        &self,
        class: Class,
        table: &mut Table,
        own: impl Fn(&str) -> Option<Own>,
    ) -> (Vec<Refusal>, Vec<own::LeftOpen>) {
        let (mut refusals, mut open) = (Vec::new(), Vec::new());
        for BeforeValidator { name, body } in &self.all {
            match own(name) {
                Some(Own::Runs(code)) => open.push(own::run(&*code, class, name, table, &mut refusals)),
                Some(Own::OfField) => {}
                None => {
                    let start = refusals.len();
                    if let Some(body) = body {
                        body(class, name, table, &mut refusals);
                    }
                    refusals[start..].iter_mut().for_each(|refusal| refusal.validator = name);
                }
            }
        }
        (refusals, open)
    }
}

/// Validators that leave every raw table unchanged, or whose effect is in other code.
const WITHOUT_BODY: [&str; 2] = [
    // This one only warns.
    "_deprecate_max_tokens",
    // This one merges a role's table over the default of its class; the walker does that for every table.
    "_merge_role_defaults",
];

/// Whether a `before` validator has a body, or is known to need none.
pub(crate) fn is_known(name: &str) -> bool {
    WITHOUT_BODY.contains(&name) || body(name).is_some()
}

/// The body of a validator; `None` if it has none.
fn body(name: &str) -> Option<Body> {
    Some(match name {
        "_none_str_to_none" | "empty_str_to_none(*)" => |_, _, table, _| none_strings::run(table),
        "_coerce_dict_str_values" => |class, _, table, _| coerce_dict_values::run(class, table),
        "_default_discriminator_types" => |class, _, table, _| default_tags::run(class, table),
        "_env_to_train" => |_, _, table, _| env_to_train::env_and_sampling(table),
        "_sampling_to_train" => |_, _, table, _| env_to_train::sampling(table),
        "fold_student_shortcuts" => |class, _, table, _| fold_student::run(class, table),
        "_resolve_plugins" | "_resolve_env" | "_resolve_taskset" | "_resolve_harness" | "_resolve_judges" => {
            |class, name, table, refusals| {
                refusals.extend(narrow::looked_up_by(name).find_map(|field| installed_class::run(class, table, field, name)));
            }
        }
        "_normalize_attn_alias" => |_, _, table, refusals| refusals.extend(normalize_attn::run(table)),
        "_refuse_env_level_harness" => |class, _, table, refusals| refusals.extend(refuse_env_harness::run(class, table)),
        "normalize_deployment" => |class, _, table, _| normalize_deployment::run(class, table),
        "normalize_node_counts" => |_, _, table, refusals| refusals.extend(normalize_node_counts::run(table)),
        "_migrate_num_workers" => |_, _, table, _| num_workers_to_pool::run(table),
        "parse_extra_values" => |class, _, table, _| parse_extra_values::run(class, table),
        "propagate_model_to_inference" => |_, _, table, _| propagate_model::run(table),
        "_stub_orchestrator_teacher_for_auto_setup" => |_, _, table, _| stub_teacher::run(table),
        "auto_setup_shared_configs" => |class, _, table, refusals| share_fields::run(class, table, refusals),
        "deprecate_shared_field" => |_, _, table, _| drop_shared::run(table),
        _ => return None,
    })
}

/// Whether a validator treats every entry of the table independently of the others, and leaves unchanged what it has made.
fn is_of_entries(name: &str) -> bool {
    matches!(name, "_none_str_to_none" | "empty_str_to_none(*)" | "_coerce_dict_str_values" | "_default_discriminator_types")
}

/// Whether a validator that nearly every class has, but which is for some types of fields, may change a table of this class.
fn may_act(class: Class, name: &str) -> bool {
    let any = |concerns: fn(Interval) -> bool| class.node.fields(class.point).any(|(_, interval)| concerns(interval));
    match name {
        "_coerce_dict_str_values" => any(coerce_dict_values::concerns),
        "_default_discriminator_types" => any(|interval| default_tags::tag(interval).is_some()),
        _ => true,
    }
}

/// The keys that a validator accepts although the class has no such field.
fn also_reads(validator: &str) -> &'static [&'static str] {
    match validator {
        "_env_to_train" => &["env", "sampling"],
        "_sampling_to_train" => &["sampling"],
        "fold_student_shortcuts" => &["client", "model"],
        "_migrate_num_workers" => &["num_workers"],
        "deprecate_shared_field" => &["shared"],
        _ => &[],
    }
}

/// The keys that a validator reads although its table has no such fields, and the interval in which it does.
pub type OldPlaces = (&'static [&'static str], Interval);

/// What the validators of a table read at old places. They are looked up once for each table.
pub fn old_places(table: schema::Node) -> &'static [OldPlaces] {
    static KNOWN: NodeMap<Box<[OldPlaces]>, 512> = NodeMap::new();
    let of_interval = |interval: Interval| {
        let read = interval.validators().map(|(_, name)| also_reads(name)).filter(|keys| !keys.is_empty());
        read.map(move |keys| (keys, interval))
    };
    // They are the same whatever the point.
    KNOWN.of(table, Point(0), || table.intervals().flat_map(of_interval).collect())
}

/// An entry that is created by prime-rl's function `by`.
pub(crate) fn made(key: &str, value: Value, by: &'static str) -> Entry {
    made_from(Origin::Default, key, value, by)
}

/// An entry that prime-rl's function `by` creates from a value with this origin.
fn made_from(source: Origin, key: &str, value: Value, by: &'static str) -> Entry {
    let origin = source.through_loader(by);
    Entry { key: key.into(), written: None, key_origin: origin, node: Node { value, origin } }
}

/// A copy of a value with everything in it, created by prime-rl's function `by`.
fn copied(source: &Node, by: &'static str) -> Node {
    let copied_entry =
        |entry: &Entry| Entry { key_origin: entry.key_origin.through_loader(by), node: copied(&entry.node, by), ..entry.clone() };
    let value = match &source.value {
        Value::List(items) => Value::List(items.iter().map(|item| copied(item, by)).collect()),
        Value::Table(table) => {
            let mut copy = Table::default();
            table.entries().iter().for_each(|entry| copy.insert(copied_entry(entry)));
            Value::Table(copy)
        }
        plain => plain.clone(),
    };
    Node { value, origin: source.origin.through_loader(by) }
}

/// The table at a key; if the key is absent, an empty one is created. `None` if the key has another value.
fn table_below<'t>(table: &'t mut Table, key: &str, by: &'static str) -> Option<&'t mut Table> {
    if table.get(key).is_none() {
        table.insert(made(key, Value::Table(Table::default()), by));
    }
    table.get_mut(key)?.node.value.as_table_mut()
}

/// Moves an entry into the table `into`, if that is a table or absent. If the table already has the key, the entry is dropped.
fn move_below(table: &mut Table, key: &str, into: &str, by: &'static str) {
    if table.get(key).is_none() {
        return;
    }
    let Some(below) = table_below(table, into, by) else { return };
    let is_free = below.get(key).is_none();
    if let Some(entry) = table.remove(key)
        && is_free
        && let Some(below) = table_below(table, into, by)
    {
        below.insert(entry);
    }
}

#[cfg(test)]
mod tests {
    use cfg_schema::{Interval, Node};

    use super::{WITHOUT_BODY, body};

    fn unported_names(_: Node, interval: Interval) -> Vec<&'static str> {
        let names = interval.validators_of("before").chain(interval.validators_of("before field"));
        names.filter(|name| body(name).is_none()).collect()
    }

    #[test]
    fn every_before_validator_has_a_body() {
        assert_eq!(
            crate::testing::in_every_class(&unported_names),
            WITHOUT_BODY,
            "write the body of the validator in crates/cfg-resolve/src/before/, or say in `WITHOUT_BODY` why it needs none"
        );
    }
}
