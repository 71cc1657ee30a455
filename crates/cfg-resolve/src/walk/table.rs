//! Tables with known keys.

use cfg_compose::{Entry, Node as RawNode, Origin, Table, Value};
use cfg_diag::Location;
use cfg_schema::{FieldType, Interval, Node, Point, Policy, Reason, TypeKind};

use super::{Walker, narrow, scalar};
use crate::{
    Field, Fields, Resolved, ResolvedTable, ResolvedValue,
    before::{self, Class, Refusal},
    loc::LocSegment,
};

/// The number of fields that prime-rl's checks assign to most tables at most, beside the given ones.
const ASSIGNED_BY_CHECKS: usize = 3;

impl Walker<'_> {
    /// Resolves a table of the class at `node`. `place` is the location of the table in the file, if it is written in one.
    pub(crate) fn table(&mut self, mut table: Table, node: Node, place: Option<Location>) -> ResolvedTable {
        let start = self.diagnostics.len();
        let Some(interval) = node.at(self.schema.point) else { return ResolvedTable::new(node) };
        if !self.has_room(node, place) {
            return self.unseen(node);
        }
        self.left_to_declaration(node, place);
        let before = self.before(node, interval, &mut table, place);
        if before.is_replaced {
            self.refused(before.refusals);
            return self.unseen(node);
        }
        self.table_after(table, place, node, interval, before, start)
    }

    /// The result for a table about which nothing is known.
    pub(super) fn unseen(&self, node: Node) -> ResolvedTable {
        let mut resolved = ResolvedTable::new(node);
        let unseen = |(node, _): (Node, Interval)| {
            let resolved = Resolved { value: ResolvedValue::Invalid, origin: Origin::Default };
            Field { node, resolved, is_set: true }
        };
        resolved.fields.extend(node.fields(self.schema.point).map(unseen));
        resolved.is_valid = false;
        resolved
    }

    /// A table after its `before` validators. The findings since `start` are about this table.
    fn table_after(
        &mut self,
        table: Table,
        place: Option<Location>,
        node: Node,
        interval: Interval,
        Before { refusals, unknown: unknown_paths, declared, .. }: Before,
        start: usize,
    ) -> ResolvedTable {
        let point = self.schema.point;
        let is_refused = !refusals.is_empty();
        let is_late = refusals.iter().any(|refusal| narrow::is_late(refusal.check));
        if is_refused {
            self.refused(refusals);
        }
        let has_own = self.names.has_own();
        let plugin = self.plugins.last().filter(|(place, _)| *place == node);
        let class = match plugin {
            None => narrow::Class::Known,
            Some((_, true)) => narrow::Class::Installed,
            Some((_, false)) => narrow::class(node, &table, point, self.names.packages()),
        };
        // The checks are those of the declared class; the results of the package's own checks are unknown.
        let (declared_node, declared_interval) = (node, interval);
        let (node, fields_of_class) = match &class {
            narrow::Class::Read(class) => (class.node, class.node.at(point).unwrap_or(interval)),
            _ => (node, interval),
        };
        let policy = policy(fields_of_class.field_type());
        let is_plugin = matches!(class, narrow::Class::Installed);
        let may_lack = plugin.is_some() && !matches!(class, narrow::Class::Read(_));
        let entries = if may_lack { table.entries() } else { &[] };
        let lacking: Vec<bool> = entries.iter().map(|entry| narrow::lacks(&entry.key, &table)).collect();
        let mut entries = table.into_entries();
        if has_own {
            self.put_in_order(node, &mut entries);
        }
        let fields = fields_of(node, point, &mut entries, &lacking);
        let is_taken = |field: Node| fields.iter().flatten().any(|(taken, _)| *taken == field);
        for (field, interval) in node.required(point).filter(|(field, _)| !is_taken(*field)) {
            self.missing(field, interval, place);
        }
        let has_unknown = fields.iter().any(Option::is_none);
        let refuses_unknown = policy == Policy::Forbid && !is_plugin && has_unknown;
        if refuses_unknown && self.unknown_decide(node, start, &entries, &fields, is_taken) || self.is_decided(start) {
            return ResolvedTable::new(node);
        }
        let mut narrowed = Vec::new();
        let narrows = before::validators(Class { node, point }, fields_of_class).narrow;
        let fields_of_table = Fields::with_capacity(entries.len() + ASSIGNED_BY_CHECKS);
        let mut resolved = ResolvedTable { fields: fields_of_table, ..ResolvedTable::new(node) };
        for (entry, field) in entries.iter_mut().zip(&fields) {
            let Some((field, field_interval)) = *field else { continue };
            let before = self.diagnostics.len();
            let is_declared = || field.field_name().is_some_and(|name| declared.contains(&name));
            let rank = if narrows && !is_declared() { narrow::rank(fields_of_class, field) } else { None };
            let is_part = is_plugin && narrow::is_part(field);
            // Most values are scalars of their field's type.
            let is_plain = rank.is_none() && !is_part && !has_own;
            if is_plain && let Some(value) = scalar::of_its_type(&mut entry.node.value, field_interval.field_type()) {
                let value = Resolved { value, origin: entry.node.origin };
                resolved.fields.push(Field { node: field, resolved: value, is_set: true });
                continue;
            }
            if rank.is_some() || is_part {
                self.plugins.push((narrow::declared(field, field_interval), is_part));
            }
            let has_id = rank.is_some() && matches!(&entry.node.value, Value::Table(table) if narrow::has_id(table));
            let raw = RawNode { value: std::mem::replace(&mut entry.node.value, Value::Null), origin: entry.node.origin };
            self.path.push(LocSegment::given(std::mem::take(&mut entry.key), entry.written.take()));
            if let Some(rank) = rank {
                self.packages(rank, field, &raw.value);
            }
            let outcome = self.field_value(&mut resolved, field, field_interval, raw);
            self.path.pop();
            if rank.is_some() || is_part {
                self.plugins.pop();
            }
            if let Some(rank) = rank {
                narrowed.extend(self.narrowed(rank, has_id, before));
            }
            if self.is_decided(before) {
                return resolved;
            }
            resolved.fields.push(Field { node: field, resolved: outcome.resolved, is_set: true });
        }
        if has_own {
            self.check_defaults(node, &mut resolved, place);
        }
        // Nearly no table has one.
        let unknown = if has_unknown { entries } else { Vec::new() };
        for (entry, _) in unknown.into_iter().zip(fields).filter(|(_, field)| field.is_none()) {
            self.entry_without_field(entry, policy, is_plugin, &mut resolved);
        }
        if let narrow::Class::Read(class) = &class {
            self.left_to_its_checks(class, &resolved, place);
        }
        // Some refusals occur only after the fields that are looked up.
        let is_refused = is_refused && !(is_late && self.mask_others(start, &narrowed));
        if !is_refused && !is_late {
            self.mask_others(start, &narrowed);
        }
        if is_refused {
            // prime-rl stops at the refusal and does not check the fields: their findings are masked.
            let natives = self.diagnostics[start + 1..].iter_mut().filter_map(|diagnostic| diagnostic.native.as_mut());
            natives.for_each(|native| native.masked = true);
        }
        resolved.is_valid = self.errors_since(start) == 0;
        // prime-rl uses a table without errors as it is, whatever else in the config is wrong.
        if !resolved.is_valid {
            self.mark_doubtful(&mut resolved);
        }
        unknown_paths.iter().for_each(|path| self.mark(&mut resolved, path));
        resolved.is_valid = self.run_after_validators(declared_node, declared_interval, &mut resolved, place);
        resolved
    }

    /// Considers the entries for whose keys the class has no field, before the others. Returns whether they decide that prime-rl refuses the config, and
    /// nothing else is asked.
    fn unknown_decide(
        &mut self,
        node: Node,
        start: usize,
        entries: &[Entry],
        fields: &[FoundField],
        is_taken: impl Fn(Node) -> bool,
    ) -> bool {
        let unknown: Vec<&Entry> =
            entries.iter().zip(fields).filter_map(|(entry, field)| field.is_none().then_some(entry)).collect();
        if self.ends_at_refusal {
            unknown.iter().for_each(|entry| self.unknown(node, entry, None));
        }
        let is_decided = self.is_decided(start);
        if !is_decided {
            self.doubt_meant(node, &unknown, is_taken);
        }
        is_decided
    }

    /// An entry for whose key the class has no field.
    fn entry_without_field(&mut self, entry: Entry, policy: Policy, is_plugin: bool, table: &mut ResolvedTable) {
        match policy {
            Policy::Forbid if is_plugin => self.left_to_plugin(entry, table),
            Policy::Allow => {
                self.free_key(Some(table.node), &entry);
                table.extra.push((entry.key, entry.node));
            }
            Policy::Ignore => self.ignored(table.node, &entry),
            Policy::Forbid => {
                self.unknown(table.node, &entry, Some(table));
                table.refused.push((entry.key, entry.node));
            }
        }
    }

    /// Moves the entries whose checks read other fields to the end, in the order of the class.
    fn put_in_order(&self, class: Node, entries: &mut [Entry]) {
        let waiting = self.names.own_that_read_others(class);
        if waiting.is_empty() {
            return;
        }
        let turn = |entry: &Entry| {
            let (field, _) = class.field_for_key(&entry.key, self.schema.point)?;
            waiting.iter().position(|one| *one == field)
        };
        entries.sort_by_key(|entry| turn(entry).map_or(0, |turn| turn + 1));
    }

    /// Runs the `before` validators of a class over its table.
    fn before(&mut self, node: Node, interval: Interval, table: &mut Table, place: Option<Location>) -> Before {
        let class = Class { node, point: self.schema.point };
        let (refusals, open) = before::validators(class, interval).run(class, table, |name| self.names.before_code(node, name));
        // Nearly every table.
        if refusals.is_empty() && open.is_empty() {
            return Before::default();
        }
        let is_replaced = open.iter().any(|left| left.open.as_ref().is_some_and(|open| open.reason == Reason::Replaced));
        let unknown = open.iter().flat_map(|left| left.doubtful.iter().cloned()).collect();
        let declared = open.iter().flat_map(|left| left.declared.iter().copied()).collect();
        self.before_left_open(node, open, place);
        Before { refusals: self.without_changed(node, refusals, place), is_replaced, unknown, declared }
    }
}

/// What the `before` validators of a class make of its table.
#[derive(Default)]
struct Before {
    refusals: Vec<Refusal>,
    /// Whether they create another table, which is unknown.
    is_replaced: bool,
    /// The paths in it whose values are unknown.
    unknown: Vec<String>,
    /// The fields that keep their declared class, although the known validators look up another.
    declared: Vec<&'static str>,
}

/// The field of an entry; `None` if it has none.
type FoundField = Option<(Node, Interval)>;

/// The field of each entry, if it has one. `lacking` says which entries have none, whatever their key.
fn fields_of(node: Node, point: Point, entries: &mut [Entry], lacking: &[bool]) -> Vec<FoundField> {
    let mut fields: Vec<FoundField> = Vec::with_capacity(entries.len());
    for index in 0..entries.len() {
        let is_lacking = lacking.get(index).is_some_and(|lacks| *lacks);
        let found = node.field_for_key(&entries[index].key, point).filter(|_| !is_lacking);
        let is_same = |taken: &FoundField| taken.map(|(field, _)| field) == found.map(|(field, _)| field);
        // Only a field with aliases has two keys.
        let aliased = found.map(|(_, interval)| interval).filter(|interval| interval.has_aliases());
        match aliased.and_then(|interval| Some((interval, fields.iter().position(is_same)?))) {
            None => fields.push(found),
            // If two keys name the same field, the one that comes first among its aliases is read; the other is an unknown key.
            Some((interval, earlier)) => {
                if rank(interval, &entries[index].key) < rank(interval, &entries[earlier].key) {
                    entries.swap(earlier, index);
                }
                fields.push(None);
            }
        }
    }
    fields
}

fn policy(ty: FieldType) -> Policy {
    if let TypeKind::Table(policy) = ty.kind() { policy } else { Policy::Forbid }
}

/// The rank of a key among the aliases of its field; the lowest is preferred.
fn rank(interval: Interval, key: &str) -> usize {
    interval.aliases().position(|alias| alias == key).unwrap_or(0)
}
