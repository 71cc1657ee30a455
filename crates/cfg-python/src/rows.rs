//! Converts the classes of a checkout to fields of the schema history.

use std::{
    collections::{BTreeMap, BTreeSet},
    mem,
    path::PathBuf,
    sync::Arc,
};

use cfg_schema::{
    Kind,
    compiler::{Interval, Type, always},
};
use cfg_system::System;

use crate::hash::HashMap;
use crate::{
    absent::{Base, Beside},
    ast::{ClassDef, Name},
    checks::{self, Code},
    class::Class,
    defaults::{json, variant},
    entrypoint::Script,
    field::{Field, Reach, Validator},
    homes::{HOMES, Home, ONLY_TRAINER, ORDER},
    names::{Modules, Reader},
    of_field::Known,
    revision::Revision,
    shape::Shape,
    sources::Sources,
    value::{Unknown, Value},
};

/// The config classes of a prime-rl, as fields of a history.
#[derive(Debug, Default)]
pub struct Declarations {
    /// The fields of each kind, in the order of [`cfg_schema::compiler::KINDS`]. They apply to all points.
    pub kinds: Vec<Vec<cfg_schema::compiler::Field>>,
    /// The docstrings of fields, by kind and path.
    pub docs: BTreeMap<(usize, String), String>,
    /// The file and line where a field is declared, by kind and path.
    pub places: BTreeMap<(usize, String), (Arc<str>, u32)>,
    /// The class of the table at each kind and path.
    pub(crate) classes: BTreeMap<(usize, String), Arc<Class>>,
    /// The code of the checks that the base point does not have with the same revision.
    pub code: Code,
    /// The functions that affect what the classes accept.
    pub revisions: BTreeSet<Revision>,
    /// The parts of the sources that are not understood.
    pub unknown: BTreeSet<Unknown>,
    /// By kind and path: the fields that accept any value, and the tables that may have further keys, each with the reason.
    pub open: BTreeMap<(usize, String), Unknown>,
    /// The places that use classes of packages whose sources are not available, by kind and path.
    pub seams: BTreeMap<(usize, String), cfg_schema::compiler::Seam>,
}

impl Declarations {
    /// The declarations of sources of which nothing is known: every kind accepts any key.
    fn open(unknown: Unknown) -> Self {
        let root = || {
            let ty = Type { base: "root".to_owned(), policy: Some("allow".to_owned()), ..Type::default() };
            vec![cfg_schema::compiler::Field { path: String::new(), intervals: vec![Interval::plain(ty)], like: None, line: 1 }]
        };
        Self {
            kinds: std::iter::repeat_with(root).take(HOMES.len()).collect(),
            open: (0..HOMES.len()).map(|kind| ((kind, String::new()), unknown.clone())).collect(),
            unknown: BTreeSet::from([unknown]),
            ..Self::default()
        }
    }
}

/// The deepest nesting of tables. Those of prime-rl are nested seven deep.
const MAX_NESTED: usize = 30;

/// The largest number of paths. Tables share the fields of their classes, so a few classes can have more paths than memory. prime-rl has some 20,000.
const MAX_PATHS: usize = 400_000;

/// The units for a row of the history.
const OF_A_ROW: usize = 100;

/// Reads the config classes of prime-rl from the folders that contain its packages. No Python is run. `beside` is the base point: if the source
/// of another package is not available, the fields of its classes are taken from there, and checks that it does not have with the same revision
/// are included as code.
///
/// # Errors
/// If the class of a kind is missing, or can't be read: the reason, as a sentence.
pub fn read(system: &dyn System, roots: Vec<PathBuf>, beside: Option<Beside>) -> Result<Declarations, String> {
    Reading::new(system, roots).read(beside)
}

/// The same without checks, but with the revisions of all functions that affect what the classes accept.
///
/// # Errors
/// The same as [`read`].
pub fn read_with_revisions(system: &dyn System, roots: Vec<PathBuf>, beside: Option<Beside>) -> Result<Declarations, String> {
    let mut rows = Reading::new(system, roots).rows(beside, None, None)?;
    let classes: Vec<Arc<Class>> = rows.found.classes.values().cloned().collect();
    for class in classes {
        let revisions = rows.reader.revisions(&class);
        rows.found.revisions.extend(revisions);
    }
    Ok(rows.found)
}

/// Reads classes from the same folders for several points. Parsed files are kept.
pub struct Reading<'s> {
    system: &'s dyn System,
    roots: Vec<PathBuf>,
    modules: Modules,
}

impl<'s> Reading<'s> {
    /// Creates it for the folders that contain the packages.
    pub fn new(system: &'s dyn System, roots: Vec<PathBuf>) -> Self {
        Self { system, roots, modules: Modules::default() }
    }

    /// See [`read`].
    ///
    /// # Errors
    /// If the class of a kind is missing, or can't be read: the reason, as a sentence.
    pub fn read(&mut self, beside: Option<Beside>) -> Result<Declarations, String> {
        let known = beside.as_ref().map(|beside| Arc::new(Known::at(beside.point)));
        self.read_as(beside, known, None)
    }

    /// As [`read`](Self::read), but the class that a script loads replaces that of the kind which it resembles the most.
    ///
    /// # Errors
    /// If the script loads the class of a kind, or one that resembles none, or an unknown one: the reason, as a sentence.
    pub fn read_script(&mut self, beside: Beside, script: &Script) -> Result<Declarations, String> {
        let known = Some(Arc::new(Known::at(beside.point)));
        self.read_as(Some(beside), known, Some(script))
    }

    fn read_as(
        &mut self,
        beside: Option<Beside>,
        known: Option<Arc<Known>>,
        script: Option<&Script>,
    ) -> Result<Declarations, String> {
        let mut rows = self.rows(beside, known.clone(), script)?;
        if let Some(known) = known {
            rows.found.code = checks::link(&mut rows.reader, &rows.found.classes, &known);
        }
        let spent = rows.reader.spent();
        self.modules = rows.reader.into_modules();
        Ok(spent.map_or(rows.found, Declarations::open))
    }

    fn rows(&mut self, beside: Option<Beside>, known: Option<Arc<Known>>, script: Option<&Script>) -> Result<Rows<'s>, String> {
        let sources = Sources::new(self.system, self.roots.clone());
        let mut reader = Reader::with_modules(sources, mem::take(&mut self.modules));
        reader.known = known;
        let mut rows = Rows::new(reader, beside.map(Base::Point));
        let instead = script.map(|script| rows.of_script(script)).transpose()?;
        for kind in ORDER {
            rows.kind = kind;
            let home = instead.as_ref().filter(|(of, _)| *of == kind).map(|(_, class)| Ok(Arc::clone(class)));
            match home.unwrap_or_else(|| rows.home(&HOMES[kind])) {
                Ok(class) => rows.root(&class),
                // Only the kinds of a run must exist.
                Err(_) if !Kind::ALL[kind].is_run() || rows.reader.spent().is_some() => {}
                Err(_) if Kind::ALL[kind] == Kind::Sft && rows.reader.module(ONLY_TRAINER).is_some() => {}
                Err(why) => return Err(why),
            }
        }
        Ok(rows)
    }
}

pub(crate) struct Rows<'s> {
    pub(crate) reader: Reader<'s>,
    pub(crate) found: Declarations,
    pub(crate) kind: usize,
    pub(crate) base: Option<Base>,
    /// For each class, the kind and path at which its fields are, so that other places can share them.
    shared: HashMap<*const ClassDef, (usize, String)>,
    /// The number of paths below a table of each class, shared fields included.
    paths_of: HashMap<*const ClassDef, usize>,
    /// The number of all paths so far.
    paths: usize,
    /// The classes that contain the current class.
    open: Vec<*const ClassDef>,
}

impl<'s> Rows<'s> {
    pub(crate) fn new(reader: Reader<'s>, base: Option<Base>) -> Self {
        let found =
            Declarations { kinds: std::iter::repeat_with(Vec::new).take(HOMES.len()).collect(), ..Declarations::default() };
        Self {
            reader,
            found,
            kind: 0,
            base,
            shared: HashMap::default(),
            paths_of: HashMap::default(),
            paths: 0,
            open: Vec::new(),
        }
    }

    pub(crate) fn home(&mut self, (kind, modules, names): &Home) -> Result<Arc<Class>, String> {
        let mut why = None;
        // For kinds that are not part of a run, the class is in prime-rl or in verifiers; the code that starts the entrypoint shows which.
        if !Kind::ALL[self.kind].is_run()
            && let Some(found) = self.reader.entrypoint(kind)
        {
            return found;
        }
        for module in *modules {
            let Some(module) = self.reader.module(module) else {
                why = why.or_else(|| self.reader.unreadable(module));
                continue;
            };
            for name in *names {
                match self.reader.global(&module, name) {
                    Some(Value::Class(class)) => return Ok(class),
                    Some(Value::Unknown(unknown)) => why = Some(unknown.to_string()),
                    _ => {}
                }
            }
        }
        Err(why
            .unwrap_or_else(|| format!("the config class of {kind} is in none of the modules in which prime-rl has defined it")))
    }

    pub(crate) fn root(&mut self, class: &Arc<Class>) {
        let prefix = match self.reader.setting(class, "env_prefix") {
            Some(Value::Str(prefix)) if class.is_settings && !prefix.is_empty() => Some(prefix.to_string()),
            _ => None,
        };
        let opaque = self.reader.opaque(class);
        let policy = if opaque.is_some() { "allow" } else { self.reader.policy(class) };
        let ty = Type { base: "root".to_owned(), policy: Some(policy.to_owned()), ..Type::default() };
        self.note(opaque.iter().chain(&class.partial));
        let mut interval = Interval::plain(ty);
        interval.settings = prefix;
        self.add("", interval, Some(class), (&class.module.path, class.def.line));
        match opaque {
            Some(unknown) => {
                let with_stated_version = self.with_stated_version(&unknown);
                self.found.open.insert((self.kind, String::new()), with_stated_version);
            }
            None => self.fields(class, ""),
        }
    }

    fn note<'u>(&mut self, unknown: impl IntoIterator<Item = &'u Arc<Unknown>>) {
        let with_stated_version: Vec<Unknown> = unknown.into_iter().map(|unknown| self.with_stated_version(unknown)).collect();
        self.found.unknown.extend(with_stated_version);
    }

    fn add(&mut self, path: &str, mut interval: Interval, class: Option<&Arc<Class>>, place: (&Arc<str>, u32)) {
        let default = interval.default.as_ref().map_or(0, String::len);
        if !self.reader.pays(OF_A_ROW + path.len() + default) {
            return;
        }
        if let Some(class) = class {
            self.found.classes.insert((self.kind, path.to_owned()), Arc::clone(class));
            let validators = self.reader.validators(class);
            for (mode, is_for_fields) in [("before", false), ("after", false), ("before", true), ("after", true)] {
                let of_mode = validators.iter().filter(|one| &*one.mode == mode && one.fields.is_some() == is_for_fields);
                interval.validators.extend(of_mode.map(Validator::listed));
            }
        }
        let recorded = class.and_then(|class| self.recorded_base(class, path));
        if let Some(known) = recorded.and_then(|(node, point)| node.at(point)) {
            let known = always(known);
            interval.validators.retain(|validator| !known.validators.contains(validator));
            interval.validators.splice(0..0, known.validators);
            interval.ty.policy = known.ty.policy;
        }
        self.paths += 1;
        self.found.places.insert((self.kind, path.to_owned()), (Arc::clone(place.0), place.1));
        let line = self.found.kinds[self.kind].len() + 1;
        self.found.kinds[self.kind].push(cfg_schema::compiler::Field {
            path: path.to_owned(),
            intervals: vec![interval],
            like: None,
            line,
        });
    }

    fn fields(&mut self, class: &Arc<Class>, path: &str) {
        let key = Arc::as_ptr(&class.def);
        if let Some((kind, place)) = self.shared.get(&key)
            && !path.is_empty()
        {
            let like = (cfg_schema::compiler::KINDS[*kind].to_owned(), place.clone());
            if let Some(last) = self.found.kinds[self.kind].last_mut() {
                last.like = Some(like);
            }
            self.paths += self.paths_of.get(&key).copied().unwrap_or(0);
            return;
        }
        if self.open.contains(&key) {
            return;
        }
        self.open.push(key);
        let before = self.paths;
        let fields = self.reader.fields(class);
        let at_all = self.reader.validators(class);
        for field in fields.iter() {
            let path = if path.is_empty() { field.name.to_string() } else { format!("{path}.{}", field.name) };
            let own_way = at_all.iter().find(|one| {
                let looks_at = |names: &Vec<Name>| names.iter().any(|name| *name == field.name || &**name == "*");
                one.fields.as_ref().is_some_and(looks_at) && !matches!(&*one.mode, "before" | "after")
            });
            let own_way = own_way.map(|one| {
                let why = format!("the validator `{}` decides which values `{}` accepts", one.name, field.name);
                Arc::new(Unknown { path: one.home.module.path.to_string(), line: one.line, why, absent: None })
            });
            self.field(class, field, &path, own_way);
        }
        if let Some((known, point)) = self.recorded_base(class, path)
            && let Some(absent) = &class.partial
        {
            for child in known.children() {
                let Some(name) = child.field_name() else { continue };
                if !fields.iter().any(|field| &*field.name == name) {
                    let below = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
                    self.take(child, point, &below, absent);
                }
            }
        }
        self.open.pop();
        self.paths_of.insert(key, self.paths - before);
        self.leave_open(class, path);
        if !fields.is_empty() {
            self.shared.entry(key).or_insert((self.kind, path.to_owned()));
        }
    }

    fn field(&mut self, owner: &Arc<Class>, field: &Field, path: &str, own_way: Option<Arc<Unknown>>) {
        let open = own_way.or_else(|| {
            let is_default = || field.default.as_ref().is_some_and(|default| default.unknown_within().is_some());
            field.unknown.clone().filter(|_| field.reach != Reach::Itself || !is_default())
        });
        let shape = match open {
            Some(unknown) => Shape::open(unknown),
            None => self.reader.field_shape(owner, field),
        };
        let shape = self.bounded(shape, field);
        let absent = self.seam(&shape, path);
        if shape.ty.base == "any"
            && let Some((node, point)) = absent
            && let Some(unknown) = shape.unknown.iter().find(|unknown| unknown.absent.is_some())
        {
            self.found.places.insert((self.kind, path.to_owned()), (Arc::clone(&field.home.module.path), field.line));
            self.take(node, point, path, unknown);
            return;
        }
        // For tables within a list or a union the history also has the policy for keys without a field.
        let known = absent.and_then(|(node, point)| node.at(point)).map(|interval| always(interval).ty);
        let known = known.filter(|known| without_policies(known) == without_policies(&shape.ty));
        self.note(shape.unknown.iter().filter(|unknown| !(known.is_some() && unknown.absent.is_some())));
        let is_open = known.is_none() && has_open_part(&shape.ty);
        if let Some(unknown) = shape.unknown.first().filter(|_| is_open) {
            let with_stated_version = self.with_stated_version(unknown);
            self.found.open.insert((self.kind, path.to_owned()), with_stated_version);
        }
        // A field that is left out of the resolved config needs no default.
        self.note(field.unknown.iter().filter(|_| !field.is_hidden || field.reach != Reach::Itself));
        let mut interval = Interval::plain(known.unwrap_or_else(|| shape.ty.clone()));
        match &field.default {
            None => interval.required = true,
            // An unknown default is left out. The field is not required, even though it has no default here.
            Some(value)
                if value.unknown_within().is_some() && !field.is_hidden && shape.table.is_none() && shape.variants.is_empty() => {
            }
            Some(value) => {
                interval.default = Some(json(value).to_string());
                interval.variant = variant(value, &shape).map(|variant| variant.to_string());
                interval.factory = field.has_factory;
            }
        }
        interval.aliases = field.aliases.iter().map(ToString::to_string).collect();
        interval.hidden = field.is_hidden;
        if let Some(description) = &field.description {
            let words: Vec<&str> = description.split_whitespace().collect();
            self.found.docs.insert((self.kind, path.to_owned()), words.join(" "));
        }
        self.add(path, interval, shape.table.as_ref(), (&field.home.module.path, field.line));
        self.below(&shape, path);
    }

    /// A table that contains itself accepts any value at its second occurrence, and so does one that is nested too deeply.
    fn bounded(&mut self, shape: Shape, field: &Field) -> Shape {
        let classes = classes_of(&shape);
        let again = classes.iter().find(|class| self.open.contains(&Arc::as_ptr(&class.def)));
        let why = match again {
            Some(class) => format!("`{}` contains itself", class.name),
            None if !classes.is_empty() && self.open.len() >= MAX_NESTED => "tables that are nested too deeply".to_owned(),
            None if self.paths_below(&classes) > MAX_PATHS.saturating_sub(self.paths) => "tables with too many keys".to_owned(),
            None => return shape,
        };
        Shape::open(Arc::new(Unknown { path: field.home.module.path.to_string(), line: field.line, why, absent: None }))
    }

    /// The known number of paths below tables of these classes.
    fn paths_below(&self, classes: &[Arc<Class>]) -> usize {
        classes.iter().filter_map(|class| self.paths_of.get(&Arc::as_ptr(&class.def))).sum()
    }

    /// Adds the fields below a path.
    fn below(&mut self, shape: &Shape, path: &str) {
        if let Some(class) = &shape.table {
            self.fields(class, path);
        }
        let tagged = shape.variants.iter().map(|(tag, class)| (format!("{path}<{}={tag}>", shape.tag_key), class));
        let untagged = shape.classes.iter().map(|class| (format!("{path}<{}>", class.name), class));
        for (place, class) in tagged.chain(untagged) {
            let policy = self.reader.policy(class).to_owned();
            let ty = Type { base: "variant".to_owned(), policy: Some(policy), ..Type::default() };
            self.add(&place, Interval::plain(ty), Some(class), (&class.module.path, class.def.line));
            self.fields(class, &place);
        }
        for (inner, step) in [(&shape.item, "[]"), (&shape.value, ".*")] {
            let Some(inner) = inner.as_ref().filter(|inner| inner.has_parts()) else { continue };
            let place = format!("{path}{step}");
            if inner.variants.is_empty() {
                let home = self.found.places.get(&(self.kind, path.to_owned())).cloned().unwrap_or_else(|| ("".into(), 0));
                self.add(&place, Interval::plain(inner.ty.clone()), inner.table.as_ref(), (&home.0, home.1));
            }
            self.below(inner, &place);
        }
    }
}

/// Whether a part of a type accepts any value.
fn has_open_part(ty: &Type) -> bool {
    ty.base == "any" || ty.members.iter().any(has_open_part)
}

/// A type without its tables' policies for unknown keys.
fn without_policies(ty: &Type) -> Type {
    Type { policy: None, members: ty.members.iter().map(without_policies).collect(), ..ty.clone() }
}

/// The classes that occur directly in a type.
fn classes_of(shape: &Shape) -> Vec<Arc<Class>> {
    let own = shape.table.iter().chain(&shape.classes).chain(shape.variants.iter().map(|(_, class)| class));
    let inner = [&shape.item, &shape.value].into_iter().flatten().flat_map(|inner| classes_of(inner));
    own.cloned().chain(inner).collect()
}
