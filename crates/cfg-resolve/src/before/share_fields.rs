//! Since fa191e589 (May 2026), shared keys at the top of an rl config are copied into the components. A component with another value is a conflict.

use cfg_compose::{Entry, Node, Origin, Table, Value};
use cfg_diag::{Diagnostic, KeyChange, Proposal, codes};
use cfg_schema::{Behaviour, Discriminator, Point};

use super::{Class, Refusal, copied, made, python};
use crate::{
    tables::{ALIASES, PRESENCES, SHARES},
    view,
};

const BY: &str = "propagate_shared_fields";

/// A shared key with its targets, and the versions at which it is copied.
pub(crate) struct Share {
    /// It is copied if prime-rl has this behaviour.
    pub(crate) with: Behaviour,
    /// It is not copied if prime-rl has this behaviour.
    pub(crate) without: Option<Behaviour>,
    pub(crate) from: &'static str,
    pub(crate) to: &'static [&'static str],
}

pub(super) fn run(class: Class, root: &mut Table, refusals: &mut Vec<Refusal>) {
    let point = class.point;
    let holds = |share: &&Share| point.has(share.with) && share.without.is_none_or(|later| point.lacks(later));
    for share in SHARES.iter().filter(holds) {
        let Some(mut value) = get(root, share.from).cloned() else { continue };
        let aliases = ALIASES.iter().filter(holds).filter(|alias| alias.from == share.from).flat_map(|alias| alias.to);
        let before = refusals.len();
        for target in share.to.iter().chain(aliases) {
            conflict(point, root, (share.from, &value), (target, &value), refusals);
        }
        if let Some(refusal) = refusals.get_mut(before) {
            // If the user resolves the conflict by removing the shared key, none of them gets a value: all are unknown.
            refusal.doubtful.extend(share.to);
        }
        fill_tag(class, root, share, &mut value);
        for target in share.to {
            fill(root, target, &value);
        }
    }
    output_dir(point, root, refusals);
    let inference =
        if point.lacks(Behaviour::VllmTable) { "inference.model.chat_template" } else { "inference.vllm.chat_template" };
    if let Some(template) = get(root, "trainer.tokenizer.chat_template").cloned() {
        fill(root, inference, &template);
    }
    for share in PRESENCES.iter().filter(holds) {
        presence(point, root, share);
    }
}

/// Until prime-rl had a single output folder, the shared one determined those of the components: the orchestrator's is below the trainer's.
fn output_dir(point: Point, root: &mut Table, refusals: &mut Vec<Refusal>) {
    if point.has(Behaviour::OneAddress) {
        return;
    }
    let Some(shared) = get(root, "output_dir").cloned() else { return };
    // The orchestrator gets a string, whatever the type of the value.
    let below = format!("{}/run_default", python::text(&shared.value));
    let below = Node { value: Value::Str(below.into()), origin: shared.origin };
    for (target, derived) in [("trainer.output_dir", &shared), ("orchestrator.output_dir", &below)] {
        conflict(point, root, ("output_dir", &shared), (target, derived), refusals);
        fill(root, target, derived);
    }
}

/// A table without a tag gets the tag of the first component into which it is copied: prime-rl puts the same table everywhere.
fn fill_tag(class: Class, root: &mut Table, share: &Share, value: &mut Node) {
    let Value::Table(table) = &mut value.value else { return };
    if table.get("type").is_some() {
        return;
    }
    let default_tag = |target: &&str| {
        if get(root, target).is_some() || root.get(target.split('.').next()?)?.node.value.as_table().is_none() {
            return None;
        }
        let field = target.split('.').try_fold(class.node, cfg_schema::Node::field)?;
        let interval = field.at(class.point).filter(|interval| !interval.has_factory())?;
        let is_tagged = interval.field_type().discriminator() == Some(Discriminator::Key("type"));
        interval.default_variant().filter(|_| is_tagged)
    };
    let Some(tag) = share.to.iter().find_map(default_tag) else { return };
    table.insert(made("type", Value::Str(tag.into()), BY));
    if let Some(entry) = root.get_mut(share.from) {
        entry.node.value.clone_from(&value.value);
    }
}

fn presence(point: Point, root: &mut Table, share: &Share) {
    let Some(shared) = get(root, share.from) else { return };
    let is_table = shared.value.as_table().is_some();
    let spread = if is_table || point.lacks(Behaviour::PresenceWantsATable) {
        Value::Table(Table::default())
    } else if point.has(Behaviour::Monitors) && shared.value.as_str() == Some("None") {
        Value::Str("None".into())
    } else {
        return;
    };
    let node = Node { value: spread, origin: shared.origin };
    for target in share.to {
        fill(root, target, &node);
        // A table that was created for a shared value has the origin of the shared table.
        if let Some(made) = get_mut(root, target).filter(|made| made.origin == Origin::Default.through_loader(BY)) {
            made.origin = node.origin.through_loader(BY);
        }
    }
}

/// Reports a component's value that differs from the value of the shared key.
fn conflict(
    point: Point,
    root: &Table,
    shared: (&'static str, &Node),
    target: (&'static str, &Node),
    refusals: &mut Vec<Refusal>,
) {
    let Some(own) = get(root, target.0) else { return };
    if point.has(Behaviour::EqualValuesAgree) && equal(&own.value, &target.1.value) {
        return;
    }
    let message = format!(
        "`{}` and the shared `{}` are both set{}",
        target.0,
        shared.0,
        if point.has(Behaviour::EqualValuesAgree) { " to different values" } else { "" }
    );
    // A table in the place of a value holds keys that belong elsewhere.
    let is_table = |node: &Node| node.value.as_table().is_some_and(|table| !table.entries().is_empty());
    let mut diagnostic = Diagnostic::new(&codes::SHARED_CONFLICT, message)
        .key(target.0)
        .label("the component's value")
        .help(format!("keep one of them; the shared value is copied to each component that does not set `{}`", shared.0));
    if is_table(own) != is_table(shared.1) {
        diagnostic.help = Some(format!("`{}` is one value: what is in this table belongs elsewhere", target.0));
    }
    diagnostic.location = own.origin.place();
    let pairs = [(target.0, shared.0), (shared.0, target.0)];
    for (removed, kept) in pairs.into_iter().filter(|_| is_table(own) == is_table(shared.1)) {
        let changes = vec![KeyChange::Remove { key: removed.to_owned() }];
        diagnostic = diagnostic.propose(Proposal::possible(format!("remove `{removed}`, and keep `{kept}`"), changes));
    }
    if let Some(location) = shared.1.origin.place() {
        diagnostic = diagnostic.related(location, "the shared value");
    }
    refusals.push(Refusal { diagnostic, kind: "value_error", check: BY, doubtful: vec![shared.0, target.0], validator: "" });
}

/// The value at a dotted path.
fn get<'t>(root: &'t Table, path: &str) -> Option<&'t Node> {
    let (tables, last) = view::last_key(path);
    let table = view::keys(tables).try_fold(root, |table, key| table.get(key)?.node.value.as_table())?;
    table.get(last).map(|entry| &entry.node).filter(|node| !matches!(node.value, Value::Null | Value::Unknown))
}

/// The value at a dotted path, mutable.
fn get_mut<'t>(root: &'t mut Table, path: &str) -> Option<&'t mut Node> {
    let (tables, last) = view::last_key(path);
    let table = view::keys(tables).try_fold(root, |table, key| table.get_mut(key)?.node.value.as_table_mut())?;
    table.get_mut(last).map(|entry| &mut entry.node)
}

/// Puts a value at a dotted path if there is none yet. The component itself must exist; tables below it are created.
fn fill(root: &mut Table, path: &str, value: &Node) {
    let mut keys = view::keys(path);
    let Some(component) = keys.next().and_then(|key| root.get_mut(key)) else { return };
    let Some(mut table) = component.node.value.as_table_mut() else { return };
    let mut keys = keys.peekable();
    while let Some(key) = keys.next() {
        if keys.peek().is_none() {
            if table.get(key).is_none() {
                let node = copied(value, BY);
                table.insert(Entry { key: key.into(), written: None, key_origin: node.origin, node });
            }
            return;
        }
        match super::table_below(table, key, BY) {
            Some(below) => table = below,
            None => return,
        }
    }
}

/// Python's equality: numbers and booleans compare by value, all others by type and content.
#[expect(clippy::float_cmp, reason = "equal values are what is asked for")]
fn equal(one: &Value, other: &Value) -> bool {
    let number = |value: &Value| match value {
        Value::Bool(boolean) => Some(f64::from(u8::from(*boolean))),
        Value::Int(integer) => Some(crate::coerce::as_double(integer)),
        Value::Float(float) => Some(*float),
        _ => None,
    };
    match (one, other) {
        (Value::Int(one), Value::Int(other)) => one == other,
        (Value::Str(one), Value::Str(other)) => one == other,
        (Value::Datetime(one), Value::Datetime(other)) => one == other,
        (Value::List(one), Value::List(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| equal(&one.value, &other.value))
        }
        (Value::Table(one), Value::Table(other)) => {
            one.entries().len() == other.entries().len()
                && one
                    .entries()
                    .iter()
                    .all(|entry| other.get(&entry.key).is_some_and(|same| equal(&entry.node.value, &same.node.value)))
        }
        (Value::Null, Value::Null) => true,
        _ => matches!((number(one), number(other)), (Some(one), Some(other)) if one == other),
    }
}
