//! The walker: compares each raw value with the type of its field, and returns the typed value together with the diagnostics.

mod again;
mod defaults;
mod doubt;
pub(crate) mod narrow;
mod of_field;
mod room;
mod scalar;
pub(crate) mod shipped;
mod shipped_checks;
mod table;
mod union;

use std::collections::{BTreeSet, HashSet};

use cfg_compose::{Entry, Node, Origin, Table, Tree, Value};
use cfg_diag::{Diagnostic, LocPart, Location, codes};
use cfg_meter::{Allowance, Meter, charge, charge_bytes, charge_each, is_spent};
use cfg_schema::{FieldType, Interval, Schema, TypeKind};

pub(crate) use of_field::OwnOfField;

use crate::{
    Names, Resolved, ResolvedTable, ResolvedValue, before,
    coerce::Exactness,
    loc::{LocSegment, Path},
    native::NoTable,
    report, view,
};

/// Resolves a tree with a schema. `names` has the other places of a key; it should be made once for each schema.
pub fn resolve(schema: Schema, names: &Names, mut tree: Tree) -> (ResolvedTable, Vec<Diagnostic>) {
    before::collapse_aliases::run(schema, &mut tree.root);
    walk(schema, names, |walker| {
        walker.run = report::run::Run::of(&tree.root);
        walker.table(std::mem::take(&mut tree.root), schema.root(), None)
    })
}

/// Whether prime-rl accepts a tree. What is wrong with keys that it does not know is not looked for.
pub fn is_accepted(schema: Schema, names: &Names, mut tree: Tree) -> bool {
    before::collapse_aliases::run(schema, &mut tree.root);
    let (_, found) = walk(schema, names, |walker| {
        (walker.explains, walker.ends_at_refusal) = (false, true);
        walker.table(std::mem::take(&mut tree.root), schema.root(), None)
    });
    found.iter().all(|diagnostic| diagnostic.native.as_ref().is_none_or(|native| native.masked))
}

/// What prime-rl refuses of a tree. What is wrong with keys that it does not know is not looked for.
pub fn refusals(schema: Schema, names: &Names, mut tree: Tree) -> Vec<Diagnostic> {
    before::collapse_aliases::run(schema, &mut tree.root);
    let (_, found) = walk(schema, names, |walker| {
        walker.explains = false;
        walker.table(std::mem::take(&mut tree.root), schema.root(), None)
    });
    found
}

/// Resolves a tree as tyro constructs its tables: each with a constructor of its own, the inner ones first.
pub(crate) fn resolve_constructed(schema: Schema, names: &Names, mut tree: Tree) -> (ResolvedTable, Vec<Diagnostic>) {
    before::collapse_aliases::run(schema, &mut tree.root);
    walk(schema, names, |walker| {
        walker.constructs = true;
        walker.table(std::mem::take(&mut tree.root), schema.root(), None)
    })
}

/// Resolves what `table`, a part of another resolved config, says when it is written to a file and read as a config of its own.
pub(crate) fn resolve_again(schema: Schema, names: &Names, table: &ResolvedTable) -> (ResolvedTable, Vec<Diagnostic>) {
    walk(schema, names, |walker| walker.again(table, schema.root(), None))
}

/// Whether a field accepts a value unchanged, or the type of its error; `None` if not only its type decides that, or if the value is converted.
pub(crate) fn accepts(schema: Schema, field: cfg_schema::Node, interval: Interval, raw: Node) -> Option<Result<(), String>> {
    let mut exactness = None;
    let (_, diagnostics) = walk(schema, &Names::new(schema), |walker| {
        let outcome = walker.value(raw, interval.field_type(), Some(field), interval.default_variant());
        exactness = Some(outcome.exactness);
        ResolvedTable::new(field)
    });
    match diagnostics.first() {
        None => exactness.filter(|exactness| *exactness > Exactness::Lax).map(|_| Ok(())),
        Some(_) => diagnostics.iter().find_map(|found| Some(Err(found.native.as_ref()?.kind.to_string()))),
    }
}

/// The units for comparing a value with a type.
const OF_A_VALUE: u64 = 8;

/// The units for a finding, beside those for its texts.
const OF_A_FINDING: usize = 32;

/// The finding for a config that can't be walked to its end. A schema that a repository declares or imports may have unions of unions, each of which
/// doubles the work, and a key of a megabyte is in every finding below it.
fn too_much() -> Diagnostic {
    let message = "comparing it with its schema takes too much work or memory: cfg does not check all of this config";
    Diagnostic::new(&codes::UNREADABLE_FILE, message).help("use fewer values, or shorter keys")
}

fn walk(schema: Schema, names: &Names, root: impl FnOnce(&mut Walker<'_>) -> ResolvedTable) -> (ResolvedTable, Vec<Diagnostic>) {
    let _meter = Meter::begin(Allowance::CONFIG);
    let mut walker = Walker {
        schema,
        names,
        path: Path::default(),
        unions: Vec::new(),
        plugins: Vec::new(),
        doubtful: BTreeSet::new(),
        wordless: Vec::new(),
        packages: Vec::new(),
        named: HashSet::new(),
        foreign_tables: 0,
        constructs: false,
        explains: true,
        ends_at_refusal: false,
        meant: Vec::new(),
        run: report::run::Run::default(),
        tasksets: HashSet::new(),
        room: room::Room::default(),
        diagnostics: Vec::new(),
    };
    let mut root = root(&mut walker);
    for path in &walker.meant {
        view::leave_unknown(&mut root, path, schema.point);
    }
    walker.unread_packages();
    mask_behind_a_crash(&mut walker.diagnostics);
    if !walker.wordless.is_empty() {
        crash_in_wording(&mut walker.diagnostics, &walker.wordless);
    }
    mark_echoes(&mut walker.diagnostics);
    report::nameless::fold(&mut walker.diagnostics, &walker.tasksets, schema.point);
    report::misspelt::name_for_missing(&mut walker.diagnostics);
    if is_spent() {
        walker.diagnostics.push(too_much());
    }
    (root, walker.diagnostics)
}

/// After an uncaught exception, prime-rl reports nothing else: masks all other errors.
fn mask_behind_a_crash(diagnostics: &mut [Diagnostic]) {
    let crash = |diagnostic: &Diagnostic| {
        diagnostic.code == &codes::LOADING_CRASHES && diagnostic.native.as_ref().is_some_and(|native| !native.masked)
    };
    let Some(first) = diagnostics.iter().position(crash) else { return };
    for (index, diagnostic) in diagnostics.iter_mut().enumerate() {
        if let Some(native) = diagnostic.native.as_mut().filter(|_| index != first) {
            native.masked = true;
        }
    }
}

/// If prime-rl can't print an error, it ends with an exception, which is then the only error that it reports.
fn crash_in_wording(diagnostics: &mut [Diagnostic], wordless: &[Location]) {
    let is_said = |diagnostic: &Diagnostic| diagnostic.native.as_ref().is_some_and(|native| !native.masked);
    if diagnostics.iter().any(|diagnostic| is_said(diagnostic) && diagnostic.code == &codes::LOADING_CRASHES) {
        return;
    }
    let wordless: HashSet<&Location> = wordless.iter().collect();
    let is_wordless = |diagnostic: &Diagnostic| diagnostic.location.is_some_and(|location| wordless.contains(&location));
    let Some(first) = diagnostics.iter_mut().find(|diagnostic| is_said(diagnostic) && is_wordless(diagnostic)) else { return };
    first.code = &codes::LOADING_CRASHES;
    if let Some(native) = &mut first.native {
        native.kind = "ValueError".into();
        native.loc.clear();
    }
    mask_behind_a_crash(diagnostics);
}

/// Marks repeated errors: a value that prime-rl copies to several components is wrong in each of them, but counts as one error.
fn mark_echoes(diagnostics: &mut [Diagnostic]) {
    let mut seen = HashSet::new();
    for diagnostic in diagnostics {
        if let (Some(location), Some(native)) = (diagnostic.location, &diagnostic.native)
            && native.check.is_none()
            && !seen.insert((location, native.kind.clone()))
        {
            diagnostic.is_echo = true;
        }
    }
}

pub(crate) struct Walker<'a> {
    pub(crate) schema: Schema,
    pub(crate) names: &'a Names,
    pub(crate) path: Path,
    /// The variants on the walker's path.
    pub(crate) unions: Vec<Chosen>,
    /// The tables on the walker's path whose class an installed package may provide, and whether it does so without an `id` there.
    pub(crate) plugins: Vec<(cfg_schema::Node, bool)>,
    /// The keys whose value is unknown.
    doubtful: BTreeSet<doubt::Doubtful>,
    /// The locations of errors whose value Python can't print.
    pub(crate) wordless: Vec<Location>,
    /// The packages that prime-rl needs, and whose sources are not available.
    packages: Vec<narrow::Package>,
    /// The names of these packages.
    named: HashSet<String>,
    /// Whether each table is constructed by itself, and then validated again as a field of the table around it.
    pub(crate) constructs: bool,
    /// Whether unknown keys are explained.
    pub(crate) explains: bool,
    /// Whether nothing more is checked once prime-rl has refused something. It is off within a union without a tag, which may accept what one of its types
    /// refuses.
    ends_at_refusal: bool,
    /// The keys of this version that are written under a name that they have at another one. Their value is what that key states, not their default.
    pub(crate) meant: Vec<String>,
    /// What the config states about the whole run.
    pub(crate) run: report::run::Run,
    /// The refused keys `id` whose text names an environment of the new kind, a taskset.
    pub(crate) tasksets: HashSet<String>,
    /// How many tables were compared with those of other trainers.
    pub(crate) foreign_tables: usize,
    /// What the defaults add to the config.
    room: room::Room,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// The variant of a table that its tag chooses.
#[derive(Clone, Copy)]
pub(crate) struct Chosen {
    pub(crate) variant: cfg_schema::Node,
    /// The field that it belongs to.
    pub(crate) union: cfg_schema::Node,
    pub(crate) tag_key: &'static str,
    /// Whether the tag is written; otherwise it is the default.
    pub(crate) is_written: bool,
}

/// A typed value, and how much conversion the raw one needed.
pub(crate) struct Outcome {
    pub(crate) resolved: Resolved,
    pub(crate) exactness: Exactness,
}

impl Outcome {
    fn new(value: ResolvedValue, origin: Origin, exactness: Exactness) -> Self {
        Self { resolved: Resolved { value, origin }, exactness }
    }

    /// The result for an error that has been reported.
    pub(crate) fn invalid(origin: Origin) -> Self {
        Self::new(ResolvedValue::Invalid, origin, Exactness::Lax)
    }
}

impl Walker<'_> {
    /// Whether a finding from `start` on decides that prime-rl refuses the config, and nothing else is asked.
    fn is_decided(&self, start: usize) -> bool {
        let is_refusal = |found: &Diagnostic| found.native.as_ref().is_some_and(|native| !native.masked);
        self.ends_at_refusal && self.diagnostics[start..].iter().any(is_refusal)
    }

    /// Adds a finding, unless there is no space for it.
    pub(crate) fn push(&mut self, found: Diagnostic) {
        let size = |part: &LocPart| if let LocPart::Key(key) = part { key.len() } else { 0 };
        let native = found.native.as_ref().map_or(0, |native| native.loc.iter().map(size).sum());
        let texts = [&found.key, &found.label, &found.help].into_iter().flatten().chain(&found.choices).map(String::len);
        // It is kept until the command ends, and is written several times.
        if charge_each(OF_A_FINDING + native + found.message.len() + texts.sum::<usize>()).is_ok() {
            self.diagnostics.push(found);
        }
    }

    /// A value of the type `ty`. `node` is the type's place in the schema, if it has one: its fields and variants are below it. `variant` is the
    /// variant of the field's default.
    fn value(&mut self, raw: Node, ty: FieldType, node: Option<cfg_schema::Node>, variant: Option<&str>) -> Outcome {
        let size = raw.value.as_str().map_or(0, str::len);
        let of_choices = ty.literals().len() as u64 / 4;
        if self.room.is_full() || charge(OF_A_VALUE + of_choices).and_then(|()| charge_bytes(size)).is_err() {
            return Outcome::invalid(raw.origin);
        }
        let is_watched = ty.functions().len() > 0;
        let raw = if is_watched { attached_before(raw, ty) } else { raw };
        if matches!(raw.value, Value::Unknown) {
            return Outcome::invalid(raw.origin);
        }
        if matches!(raw.value, Value::Null) && ty.is_nullable() {
            return Outcome::new(ResolvedValue::Null, raw.origin, Exactness::Exact);
        }
        let outcome = match ty.kind() {
            TypeKind::Table(_) => self.single_table(raw, ty, node),
            TypeKind::List => self.list(raw, ty, node),
            TypeKind::Dict => self.dict(raw, ty, node),
            TypeKind::Union => match ty.discriminator() {
                Some(discriminator) => self.tagged_union(raw, ty, discriminator, node, variant),
                None => self.untagged_union(&raw, ty, node),
            },
            TypeKind::Any => Outcome::new(free(raw.value), raw.origin, Exactness::Exact),
            _ => self.scalar(raw, ty),
        };
        if is_watched { self.attached_after(outcome, ty) } else { outcome }
    }

    fn single_table(&mut self, raw: Node, ty: FieldType, node: Option<cfg_schema::Node>) -> Outcome {
        match (raw.value, node) {
            (Value::Table(table), Some(node)) => {
                let resolved = self.table(table, node, raw.origin.place());
                Outcome::new(resolved.into(), raw.origin, Exactness::Exact)
            }
            (value, Some(node)) if self.is_asked_for_keys(node) => {
                let message = format!("`{}` must be a table; prime-rl crashes on anything else", self.path.last_key());
                let mut diagnostic = Diagnostic::new(&codes::LOADING_CRASHES, message).native("AttributeError", Vec::new());
                diagnostic.key = Some(self.path.key());
                diagnostic.location = raw.origin.place();
                let diagnostic = self.rewritten(diagnostic, &Node { value, origin: raw.origin }, ty, Some(node));
                self.diagnostics.push(diagnostic);
                Outcome::invalid(raw.origin)
            }
            // The declaration of this class is not understood, so the class may accept a value that is not a table.
            (_, Some(node)) if self.names.open_at(node).is_some() => {
                self.left_to_declaration(node, raw.origin.place());
                Outcome::invalid(raw.origin)
            }
            (value, node) => {
                let raw = Node { value, origin: raw.origin };
                // The class's validators of the raw value run for any value.
                if let Some(node) = node {
                    match self.looked_at_no_table(node, &raw) {
                        NoTable::LeftOpen => return Outcome::new(self.unseen(node).into(), raw.origin, Exactness::Exact),
                        NoTable::Refused => return Outcome::invalid(raw.origin),
                        NoTable::Unchanged => {}
                    }
                }
                let Node { value, .. } = raw;
                let help = node.zip(value.as_str()).map(|(node, text)| self.table_for(node, text));
                let outcome = self.wrong_at("model_type", &Node { value, origin: raw.origin }, ty, node);
                // A fix says what to write.
                if let Some(last) = self.diagnostics.last_mut().filter(|last| help.is_some() && last.fix.is_none()) {
                    last.help = help;
                }
                outcome
            }
        }
    }

    /// Whether a validator of the class at `node` reads keys of its value without checking that it is a table.
    fn is_asked_for_keys(&self, node: cfg_schema::Node) -> bool {
        let asks = |interval: Interval| interval.validators().any(|(_, name)| name == "_resolve_plugins");
        node.at(self.schema.point).is_some_and(asks)
    }

    fn list(&mut self, raw: Node, ty: FieldType, node: Option<cfg_schema::Node>) -> Outcome {
        let Value::List(items) = raw.value else {
            let outcome = self.wrong_at("list_type", &raw, ty, node);
            self.single_item(&raw, node);
            return outcome;
        };
        let count = items.len();
        let before = self.diagnostics.len();
        let (item_type, item_node) = (ty.members().next(), node.and_then(cfg_schema::Node::item));
        let mut resolved = Vec::with_capacity(count);
        self.room.around += 1;
        for (index, item) in items.into_iter().enumerate() {
            let Some(item_type) = item_type else {
                resolved.push(Resolved { origin: item.origin, value: free(item.value) });
                continue;
            };
            self.path.push(LocSegment::Index(index));
            resolved.push(self.value(item, item_type, item_node, None).resolved);
            self.path.pop();
        }
        self.room.around -= 1;
        if self.errors_since(before) == 0
            && let Some(least) = ty.bounds().min_length.filter(|&least| count < least)
        {
            self.too_short("too_short", raw.origin, count, least);
            return Outcome::invalid(raw.origin);
        }
        Outcome::new(ResolvedValue::List(resolved), raw.origin, Exactness::Exact)
    }

    fn dict(&mut self, raw: Node, ty: FieldType, node: Option<cfg_schema::Node>) -> Outcome {
        let Value::Table(_) = &raw.value else { return self.wrong("dict_type", &raw, ty) };
        let Some(value_type) = ty.members().nth(1) else {
            if let Value::Table(table) = &raw.value {
                self.free_keys(table);
            }
            return Outcome::new(free(raw.value), raw.origin, Exactness::Exact);
        };
        let Value::Table(table) = raw.value else { return Outcome::invalid(raw.origin) };
        self.free_keys(&table);
        let value_node = node.and_then(cfg_schema::Node::map_value);
        let mut map = Vec::with_capacity(table.entries().len());
        self.room.around += 1;
        for Entry { key, written, node: raw, .. } in table.into_entries() {
            self.path.push(LocSegment::given(key, written));
            let resolved = self.value(raw, value_type, value_node, None).resolved;
            if let Some(LocSegment::Key { key, .. }) = self.path.pop() {
                map.push((key.into_owned().into(), resolved));
            }
        }
        self.room.around -= 1;
        Outcome::new(ResolvedValue::Map(map), raw.origin, Exactness::Exact)
    }

    /// The number of prime-rl's own errors among the diagnostics from `start` on.
    fn errors_since(&self, start: usize) -> usize {
        self.diagnostics[start..].iter().filter(|diagnostic| diagnostic.native.is_some()).count()
    }
}

/// Applies the functions that prime-rl runs before the type's own check.
fn attached_before(mut raw: Node, ty: FieldType) -> Node {
    if ty.functions().any(|name| name == "BeforeValidator:_normalize_optimizer_in_backward_offload") {
        match raw.value {
            Value::Bool(true) => raw.value = Value::Table(Table::default()),
            Value::Bool(false) => raw.value = Value::Null,
            _ => {}
        }
    }
    raw
}

/// A value of a field that accepts any type.
pub(crate) fn free(value: Value) -> ResolvedValue {
    match value {
        Value::Null => ResolvedValue::Null,
        Value::Bool(boolean) => ResolvedValue::Bool(boolean),
        Value::Int(integer) => ResolvedValue::Int(integer),
        Value::Float(float) => ResolvedValue::Float(float),
        Value::Str(text) => ResolvedValue::Str(text),
        Value::Datetime(datetime) => ResolvedValue::Datetime(datetime),
        Value::List(items) => {
            ResolvedValue::List(items.into_iter().map(|item| Resolved { origin: item.origin, value: free(item.value) }).collect())
        }
        Value::Table(table) => {
            let pair = |entry: Entry| (entry.key, Resolved { origin: entry.node.origin, value: free(entry.node.value) });
            ResolvedValue::Map(table.into_entries().into_iter().map(pair).collect())
        }
        Value::Unknown => ResolvedValue::Invalid,
    }
}
