//! Tables whose class an installed package may provide. prime-rl finds the class by the table's `id`, and validates the table within a `before`
//! validator of the table around it: its errors hide all others there.

use std::ops::Range;

use cfg_compose::{Entry, Table, Value};
use cfg_diag::{Applicability, Diagnostic, Location, Native, Proposal, Severity, codes, in_a_row};
use cfg_schema::{Behaviour, Interval, PackageClass, Packages, Point, Role, Segment, TypeKind, Unread, without_indices};

use super::{
    Walker,
    shipped::{self, Shipped},
    shipped_checks::{self, Answer},
};
use crate::{ResolvedTable, ResolvedValue, loc::LocSegment, suggest::nearest, synonyms};

/// Whether one name is the plural of the other.
fn is_number_of(one: &str, other: &str) -> bool {
    one.strip_suffix('s') == Some(other) || other.strip_suffix('s') == Some(one)
}

/// The only table within this one that has a key of this name, if it is a table as well, or if what the package provides is known to have no keys of its
/// own: the classes of others may have any number or text.
fn table_having(key: &str, resolved: &ResolvedTable, point: Point) -> Option<&'static str> {
    let is_table = |interval: Interval| matches!(interval.field_type().kind(), TypeKind::Table(_) | TypeKind::Union);
    let taskset = resolved.given("taskset").map(|taskset| &taskset.resolved.value);
    let is_plain = || match taskset {
        Some(ResolvedValue::Table(taskset)) => match taskset.given("id").map(|id| &id.resolved.value) {
            Some(ResolvedValue::Str(id)) => shipped::has_plain_environment(id, point),
            _ => false,
        },
        _ => false,
    };
    let has_key = |field: cfg_schema::Node| {
        let inner = field.field(key).and_then(|inner| inner.at(point));
        inner.is_some_and(|inner| is_table(inner) || is_plain())
    };
    // What a package provides as well has keys of its own.
    let within = resolved.node.fields(point).filter(|(field, interval)| is_table(*interval) && role(*field).is_none());
    let mut having = within.filter(|(field, _)| !is_part(*field) && has_key(*field)).filter_map(|(field, _)| field.field_name());
    having.next().filter(|_| having.next().is_none())
}

/// How a validator treats one field.
#[derive(Clone, Copy)]
struct Narrowing {
    validator: &'static str,
    field: &'static str,
    /// Whether the field is checked only if it has an `id`.
    needs_id: bool,
    /// Whether its errors are located at the field instead of the table around it.
    is_located: bool,
}

const fn narrowing(validator: &'static str, field: &'static str) -> Narrowing {
    Narrowing { validator, field, needs_id: false, is_located: true }
}

/// The fields that are narrowed to another class, in prime-rl's order.
const NARROWINGS: [Narrowing; 6] = [
    Narrowing { needs_id: true, is_located: false, ..narrowing("_resolve_plugins", "taskset") },
    Narrowing { is_located: false, ..narrowing("_resolve_plugins", "harness") },
    narrowing("_resolve_env", "env"),
    Narrowing { needs_id: true, ..narrowing("_resolve_taskset", "taskset") },
    narrowing("_resolve_harness", "harness"),
    Narrowing { is_located: false, ..narrowing("_resolve_judges", "judges") },
];

/// A field that was checked in this way, and the findings in it.
pub(super) struct Narrowed {
    rank: usize,
    found: Range<usize>,
}

/// The fields whose classes a validator looks up, in their order.
pub(crate) fn looked_up_by(validator: &str) -> impl Iterator<Item = &'static str> {
    NARROWINGS.iter().filter(move |narrowing| narrowing.validator == validator).map(|narrowing| narrowing.field)
}

/// Whether any field of the class at `interval` can be narrowed.
pub(crate) fn narrows(interval: Interval) -> bool {
    let is_narrowing = |validator: &str| NARROWINGS.iter().any(|narrowing| narrowing.validator == validator);
    interval.has_before_validators() && interval.validators().any(|(_, validator)| is_narrowing(validator))
}

/// The rank, in prime-rl's order, of a field that is narrowed to the class of its `id`; `None` if the field of the class at `interval` is not.
pub(crate) fn rank(interval: Interval, field: cfg_schema::Node) -> Option<usize> {
    let name = field.field_name()?;
    let is_run = |narrowing: &Narrowing| interval.validators().any(|(_, validator)| validator == narrowing.validator);
    NARROWINGS.iter().position(|narrowing| narrowing.field == name && is_run(narrowing))
}

/// The intervals of a table in which prime-rl looks up the class of a field by its `id`: the package that has the class decides about its keys.
pub fn looked_up(table: cfg_schema::Node, field: cfg_schema::Node) -> impl Iterator<Item = Interval> {
    // Nearly no field is one of these.
    let is_any = NARROWINGS.iter().any(|narrowing| Some(narrowing.field) == field.field_name());
    let intervals = is_any.then(|| table.intervals()).into_iter().flatten();
    intervals.filter(move |interval| narrows(*interval) && rank(*interval, field).is_some())
}

/// Whether this function of prime-rl runs only after a field of the table has been looked up.
pub(super) fn is_late(check: &str) -> bool {
    matches!(check, "_refuse_env_level_harness" | "resolve_judges" | "default_harness_id")
}

/// Whether the package that provides a table's class also provides that of this field: a taskset also provides the class of its tasks.
pub(crate) fn is_part(field: cfg_schema::Node) -> bool {
    field.segment() == Segment::Field("task")
}

/// The table whose class is looked up at a field: that of its items if it is an array at this point, which some fields are only at early versions.
pub(super) fn declared(field: cfg_schema::Node, interval: Interval) -> cfg_schema::Node {
    field.item().filter(|_| interval.field_type().kind() == TypeKind::List).unwrap_or(field)
}

/// Whether a table names its class: by its own `id`, or by that of its taskset.
pub fn has_id(table: &Table) -> bool {
    let own = |table: &Table| table.get("id").is_some_and(|id| id.node.value.as_str().is_some_and(|id| !id.is_empty()));
    let is_set = |entry: &Entry| matches!(&entry.node.value, Value::Table(taskset) if own(taskset));
    own(table) || table.get("taskset").is_some_and(is_set)
}

/// The name under which the class of a table is looked up.
fn id(table: &Table) -> Option<(&str, Option<Location>)> {
    let node = &table.get("id")?.node;
    Some((node.value.as_str().filter(|id| !id.is_empty())?, node.origin.place()))
}

/// The class of a table, as far as it is known.
#[derive(Clone, Debug)]
pub(super) enum Class {
    /// The class in the schema.
    Known,
    /// A class of a package whose source was read, or a recorded class of the verifiers package.
    Read(PackageClass),
    /// A class of another package.
    Installed,
}

/// The role of a field's classes, or of its items' classes.
pub(crate) fn role(field: cfg_schema::Node) -> Option<Role> {
    match field.segment() {
        Segment::Field(name) => Role::of(name),
        _ => Some(Role::Judge),
    }
}

/// The class that `table` names at `field`; that of a package only if its source is available.
pub(super) fn class(field: cfg_schema::Node, table: &Table, point: Point, packages: Option<&dyn Packages>) -> Class {
    let (read, shipped) = match (id(table), role(field)) {
        (Some((id, _)), Some(role)) => {
            (packages.map(|packages| packages.class(role, id, field, point).map(Some)), shipped::class(role, id, field, point))
        }
        _ if !has_id(table) => return Class::Known,
        _ => {
            let taskset = match table.get("taskset").map(|entry| &entry.node.value) {
                Some(Value::Table(taskset)) => id(taskset),
                _ => None,
            };
            let Some((taskset, _)) = taskset else { return Class::Installed };
            let read = packages.map(|packages| packages.environment_of(taskset, field, point));
            (read, shipped::environment_of(taskset, field, point))
        }
    };
    match read {
        Some(Ok(None)) => Class::Known,
        Some(Ok(Some(class))) if !replaces_a_check(&class, field, point) => Class::Read(class),
        _ => match shipped {
            None => Class::Installed,
            Some(Shipped::Declared) => Class::Known,
            Some(Shipped::Own(class)) => Class::Read(class),
        },
    }
}

/// Whether a class overrides a check that it inherits.
fn replaces_a_check(class: &PackageClass, field: cfg_schema::Node, point: Point) -> bool {
    let Some(declared) = field.at(point) else { return false };
    class.checks.iter().any(|own| declared.validators().any(|(_, name)| name == own.name))
}

/// Whether `key` is a key of the default class that the class named by `table` does not have.
pub(super) fn lacks(key: &str, table: &Table) -> bool {
    id(table).is_some_and(|(id, _)| shipped::is_of_default(key, id))
}

/// A package that prime-rl needs.
pub(super) struct Package {
    /// What it should contain: "the taskset `my-tasks`".
    named: String,
    /// The key that names it.
    key: String,
    /// Where it is named.
    place: Option<Location>,
}

impl Walker<'_> {
    /// Records the packages that prime-rl needs because of a field of this rank.
    pub(super) fn packages(&mut self, rank: usize, field: cfg_schema::Node, value: &Value) {
        let Some(role) = Role::of(NARROWINGS[rank].field) else { return };
        let tables: &[&Value] = &match value {
            Value::List(items) => items.iter().map(|item| &item.value).collect(),
            other => vec![other],
        };
        for table in tables {
            let Value::Table(table) = table else { continue };
            let Some((id, place)) = id(table) else { continue };
            let point = self.schema.point;
            if shipped::has(role, id, point) {
                continue;
            }
            let declared = field.item().filter(|_| matches!(value, Value::List(_))).unwrap_or(field);
            let unclear = match self.names.packages().map(|packages| packages.class(role, id, declared, point)) {
                Some(Ok(_)) => continue,
                Some(Err(Unread::Unclear(why))) => Some(why),
                Some(Err(Unread::Absent)) | None => None,
            };
            let named = format!("the {} `{id}`", role.in_words());
            if !self.named.insert(named.clone()) {
                continue;
            }
            let key = format!("{}.id", self.path.key());
            match unclear {
                None => self.packages.push(Package { named, key, place }),
                Some(why) => {
                    let message =
                        format!("cfg can't read all of the source of {named}, so it does not know what its class checks");
                    let mut diagnostic = Diagnostic::new(&codes::UNREAD_PACKAGE, message).key(key).help(why);
                    diagnostic.location = place;
                    self.diagnostics.push(diagnostic);
                }
            }
        }
    }

    /// One finding for all packages whose sources are not available: most configs of newer releases name some.
    pub(super) fn unread_packages(&mut self) {
        let packages = std::mem::take(&mut self.packages);
        let names: Vec<&str> = packages.iter().map(|package| &*package.named).collect();
        let message = match names.as_slice() {
            [] => return,
            [only] => format!("the source of {only} was not found, so cfg does not know what its class checks"),
            several => {
                let all = in_a_row(several);
                format!("the sources of {all} were not found, so cfg does not know what their classes check")
            }
        };
        let mut packages = packages.into_iter();
        let Some(first) = packages.next() else { return };
        let mut diagnostic = Diagnostic::new(&codes::UNREAD_PACKAGE, message).key(first.key).help(
            "cfg reads packages in the project's folders, such as `environments/`, and in its `.venv`; without the package \
             prime-rl fails with ModuleNotFoundError",
        );
        diagnostic.location = first.place;
        for package in packages {
            if let Some(place) = package.place {
                diagnostic = diagnostic.related(place, format!("{} as well", package.named));
            }
        }
        self.diagnostics.push(diagnostic);
    }

    /// Handles the findings from `start` on, which are in the field of this rank. The walker's path is that of the table around the field.
    pub(super) fn narrowed(&mut self, rank: usize, has_id: bool, start: usize) -> Option<Narrowed> {
        let Narrowing { field, needs_id, is_located, .. } = NARROWINGS[rank];
        if needs_id && !has_id {
            return None;
        }
        let found = start..self.diagnostics.len();
        if !is_located {
            let depth = self.path.loc().len();
            let is_list = field == "judges";
            let mut first = None;
            for native in self.diagnostics[start..].iter_mut().filter_map(|diagnostic| diagnostic.native.as_mut()) {
                if native.loc.len() <= depth + usize::from(is_list) {
                    continue;
                }
                native.loc.remove(depth);
                if is_list {
                    // prime-rl checks the items one by one, and stops at the first invalid one.
                    let item = native.loc.remove(depth);
                    native.masked |= first.get_or_insert_with(|| item.clone()) != &item;
                }
            }
        } else if self.schema.point.has(Behaviour::NestedEnvs) {
            self.crash_at_a_path(start);
        }
        Some(Narrowed { rank, found })
    }

    /// To add locations, prime-rl raises errors again, which itself raises an exception for an invalid path.
    fn crash_at_a_path(&mut self, start: usize) {
        let is_path = |native: &Native| !native.masked && native.kind == "path_type";
        let Some(first) = self.diagnostics[start..].iter_mut().find(|found| found.native.as_ref().is_some_and(is_path)) else {
            return;
        };
        first.code = &codes::LOADING_CRASHES;
        if let Some(native) = &mut first.native {
            native.kind = "KeyError".into();
            native.loc.clear();
        }
    }

    /// Masks the diagnostics from `start` on that prime-rl does not report because a field was refused. Returns whether one was.
    pub(super) fn mask_others(&mut self, start: usize, narrowed: &[Narrowed]) -> bool {
        let is_error = |diagnostic: &Diagnostic| diagnostic.native.as_ref().is_some_and(|native| !native.masked);
        let failing = narrowed.iter().filter(|field| self.diagnostics[field.found.clone()].iter().any(is_error));
        let Some(first) = failing.min_by_key(|field| field.rank) else { return false };
        for (index, diagnostic) in self.diagnostics.iter_mut().enumerate().skip(start) {
            if let Some(native) = diagnostic.native.as_mut().filter(|_| !first.found.contains(&index)) {
                native.masked = true;
            }
        }
        true
    }

    /// Handles the checks of a package's own class that read given values: it is unknown whether they refuse the values.
    pub(super) fn left_to_its_checks(&mut self, class: &PackageClass, resolved: &ResolvedTable, place: Option<Location>) {
        // Recorded checks run only on tables whose fields are valid.
        let is_shipped =
            class.place.is_empty() && resolved.fields.iter().all(|field| !matches!(field.resolved.value, ResolvedValue::Invalid));
        let is_given = |name: &String| resolved.given(name).is_some_and(|field| field.is_set);
        let mut is_refused = false;
        for check in class.checks.iter() {
            match if is_shipped { shipped_checks::answer(&check.name, resolved) } else { Answer::Unknown } {
                Answer::Passes => continue,
                Answer::Refuses { key, message } => {
                    let field = resolved.given(key).and_then(|field| field.resolved.origin.place());
                    let key = format!("{}.{key}", self.path.key());
                    let mut diagnostic = Diagnostic::new(&codes::CONTRADICTION, message).key(key);
                    diagnostic.native = Some(Native {
                        kind: "value_error".into(),
                        loc: self.path.loc(),
                        check: Some(check.name.clone().into()),
                        // The first refusal ends the validation.
                        masked: std::mem::replace(&mut is_refused, true),
                    });
                    diagnostic.location = field.or(place);
                    self.diagnostics.push(diagnostic);
                    continue;
                }
                Answer::Unknown => {}
            }
            // A check that is not understood may read any key except `id`, whose values the package itself provides.
            let decides = match &check.reads {
                Some(fields) => fields.iter().any(is_given),
                None => resolved.fields.iter().any(|field| field.is_set && field.node.field_name() != Some("id")),
            };
            if decides {
                let message = format!(
                    "the package decides whether `{}` is accepted, in its own check `{}` ({})",
                    self.path.key(),
                    check.name,
                    check.place
                );
                let mut diagnostic = Diagnostic::new(&codes::PLUGIN_DECIDES, message).key(self.path.key());
                diagnostic.location = place;
                self.diagnostics.push(diagnostic);
            }
        }
    }

    /// The key of prime-rl within the table of a package that a key of this table means, by its own name or by another trainer's.
    fn within_environment(&self, owner: &str, entry: &Entry, resolved: &ResolvedTable) -> Option<String> {
        if let Some(table) = table_having(&entry.key, resolved, self.schema.point) {
            return Some(format!("{owner}.{table}.{}", entry.key));
        }
        let plain = without_indices(owner);
        let found = synonyms::suggestion(self.names, owner, &entry.key).filter(|_| entry.node.value.as_table().is_some())?;
        let home = found.homes.first().filter(|_| found.form == Some(synonyms::Form::Same))?;
        home.strip_prefix(&*plain).filter(|rest| rest.starts_with('.')).map(|rest| format!("{owner}{rest}"))
    }

    /// Handles a key that the class known to prime-rl does not have but the installed one may have.
    pub(super) fn left_to_plugin(&mut self, entry: Entry, resolved: &mut ResolvedTable) {
        let owner = self.path.key();
        let message = format!("the installed package named by `id` decides whether `{owner}` has a key `{}`", entry.key);
        self.path.push(LocSegment::key(&entry));
        let mut diagnostic = Diagnostic::new(&codes::PLUGIN_DECIDES, message).key(self.path.key());
        self.path.pop();
        diagnostic.location = entry.key_origin.place();
        let fields: Vec<&str> = resolved.node.fields(self.schema.point).filter_map(|(field, _)| field.field_name()).collect();
        // A class of its own may have any key, but hardly one that is only a typing error away from one that all have.
        if let Some(meant) = nearest(&entry.key, fields.iter().copied())
            && self.names.is_slip(&entry.key, meant, &fields)
            && !is_number_of(&entry.key, meant)
        {
            diagnostic.severity = Severity::Warning;
            diagnostic = diagnostic.help(format!("did you mean `{meant}`?")).choices([meant]);
            if let Some(location) = diagnostic.location {
                diagnostic = diagnostic.rename(meant, Applicability::Unsafe, location);
            }
        } else if let Some(to) = self.within_environment(&owner, &entry, resolved) {
            // Nor one that a table of all of them has.
            let from = format!("{owner}.{}", entry.key);
            diagnostic.severity = Severity::Warning;
            let help = format!("`{to}` is a key of prime-rl");
            diagnostic = diagnostic.help(&*help).choices([&*to]).propose(Proposal::relocate(&from, &to).help(help));
        }
        self.diagnostics.push(diagnostic);
        resolved.extra.push((entry.key, entry.node));
    }
}
