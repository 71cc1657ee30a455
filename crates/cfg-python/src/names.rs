//! The values of the names of modules, which are evaluated on first use.

use std::sync::Arc;

use cfg_meter::Meter;

use crate::hash::HashMap;
use crate::{
    ast::{ClassDef, Function, Name},
    class::{Class, unknown},
    field::{Field, Validator},
    module::{Bound, Module},
    of_field::Known,
    revision::Decides,
    sources::{FoundModule, Sources},
    value::{Unknown, Value},
};

/// The maximum depth of names, types and calls that refer to each other.
pub(crate) const MAX_DEEP: usize = 200;

/// The units for an expression or a type.
const OF_AN_EXPRESSION: usize = 8;

/// The units for the search for a module in the folders.
const OF_A_SEARCH: usize = 5000;

/// Why something is not evaluated.
const TOO_MUCH: &str = "the declarations take too much work or memory to evaluate";

/// Reads declarations. Each module and each name is read once. What it computes is charged to a meter, whose allowance grows with the texts that
/// are read; when that is spent, all that is asked from then on is unknown, and so is the result as a whole ([`Reader::spent`]).
#[derive(Debug)]
pub(crate) struct Reader<'s> {
    pub(crate) sources: Sources<'s>,
    modules: Modules,
    /// By module.
    names: HashMap<Name, HashMap<Name, Value>>,
    /// The names that are being evaluated, to detect cycles.
    busy: Vec<(Name, Name)>,
    pub(crate) classes: HashMap<*const ClassDef, Arc<Class>>,
    pub(crate) fields_of: HashMap<*const ClassDef, Arc<[Field]>>,
    pub(crate) validators_of: HashMap<*const ClassDef, Arc<[Validator]>>,
    pub(crate) opaque_of: HashMap<*const ClassDef, Option<Arc<Unknown>>>,
    /// What the result of each function depends on, by class and function.
    pub(crate) decided: HashMap<(Option<*const ClassDef>, *const Function), Arc<Decides>>,
    /// The functions that the base point has, with their revisions; `None` if there is no base point.
    pub(crate) known: Option<Arc<Known>>,
    pub(crate) depth: usize,
    meter: Meter,
    /// Where the allowance of the meter was spent.
    spent_at: Option<Arc<Unknown>>,
}

/// The packages that have been read, by dotted name.
pub(crate) type Modules = HashMap<Name, Package>;

/// What a dotted name refers to.
#[derive(Clone, Debug)]
pub(crate) enum Package {
    Module(Arc<Module>),
    Namespace,
    Unreadable(Name, Name),
    Nothing,
}

impl<'s> Reader<'s> {
    pub(crate) fn new(sources: Sources<'s>) -> Self {
        Self::with_modules(sources, Modules::default())
    }

    /// Creates a reader with modules that have already been read from the same sources.
    pub(crate) fn with_modules(sources: Sources<'s>, modules: Modules) -> Self {
        Self {
            sources,
            modules,
            names: HashMap::default(),
            busy: Vec::new(),
            classes: HashMap::default(),
            fields_of: HashMap::default(),
            validators_of: HashMap::default(),
            opaque_of: HashMap::default(),
            decided: HashMap::default(),
            known: None,
            depth: 0,
            meter: Meter::begin_source(),
            spent_at: None,
        }
    }

    /// Charges work before it is done; returns whether it may be done.
    pub(crate) fn pays(&self, units: usize) -> bool {
        self.meter.charge_each(units).is_ok()
    }

    /// Charges an expression or a type at a line.
    ///
    /// # Errors
    /// Why it is unknown, if nothing is left.
    pub(crate) fn pays_for(&mut self, module: &Module, line: u32) -> Result<(), Arc<Unknown>> {
        if self.pays(OF_AN_EXPRESSION) {
            return Ok(());
        }
        let spent_at = self.spent_at.get_or_insert_with(|| unknown(module, line, TOO_MUCH));
        Err(Arc::clone(spent_at))
    }

    /// Why nothing of what was read can be relied on: it takes too much work or memory. `None` if it does not.
    pub(crate) fn spent(&self) -> Option<Unknown> {
        let is_spent = self.meter.is_spent();
        is_spent.then(|| match &self.spent_at {
            Some(at) => (**at).clone(),
            None => Unknown { path: self.sources.last_read().to_owned(), line: 1, why: TOO_MUCH.to_owned(), absent: None },
        })
    }

    /// The modules that have been read.
    pub(crate) fn into_modules(self) -> Modules {
        self.modules
    }

    fn package(&mut self, name: &Name) -> Package {
        if let Some(known) = self.modules.get(name) {
            return known.clone();
        }
        if !self.pays(OF_A_SEARCH) {
            return Package::Unreadable(Arc::clone(name), TOO_MUCH.into());
        }
        let found = match self.sources.module(name) {
            FoundModule::Module(module) => Package::Module(module),
            FoundModule::Namespace => Package::Namespace,
            FoundModule::Unreadable(path, why) => Package::Unreadable(path, why.into()),
            FoundModule::Nothing => Package::Nothing,
        };
        self.modules.insert(Arc::clone(name), found.clone());
        found
    }

    /// Why a module can't be read, with its path; `None` if it can, or is not there.
    pub(crate) fn unreadable(&self, name: &str) -> Option<String> {
        match self.modules.get(name)? {
            Package::Unreadable(path, why) => Some(format!("{path}: {why}")),
            _ => None,
        }
    }

    /// The module with this name; `None` if its source is not available.
    pub(crate) fn module(&mut self, name: &str) -> Option<Arc<Module>> {
        let known = self.modules.get(name).cloned();
        match known.unwrap_or_else(|| self.package(&name.into())) {
            Package::Module(module) => Some(module),
            _ => None,
        }
    }

    /// The value of a name of a module; `None` if the module has no such name.
    pub(crate) fn global(&mut self, module: &Arc<Module>, name: &str) -> Option<Value> {
        if let Some(value) = self.names.get(&module.name).and_then(|of_module| of_module.get(name)) {
            return Some(value.clone());
        }
        let Some(bound) = module.bound(name) else {
            for star in &module.stars {
                if self.depth > MAX_DEEP || !self.pays(OF_AN_EXPRESSION) {
                    return Some(Value::unknown(module, 1, format!("`{name}` may come from one of many modules")));
                }
                match self.package(star) {
                    Package::Module(other) if other.name != module.name => {
                        if !self.busy.contains(&(Arc::clone(&other.name), Name::from("*"))) {
                            self.busy.push((Arc::clone(&other.name), Name::from("*")));
                            self.depth += 1;
                            let value = self.global(&other, name);
                            self.depth -= 1;
                            self.busy.pop();
                            if value.is_some() {
                                return value;
                            }
                        }
                    }
                    Package::Module(_) => {}
                    _ => {
                        let why = format!("`{name}` may come from `{star}`, whose source was not found");
                        return Some(Value::unknown(module, 1, why));
                    }
                }
            }
            return None;
        };
        if let Some(star) = self.shadowing(module, name) {
            return Some(Value::unknown(module, 1, format!("`{name}` may be replaced by `{star}`, which is imported later")));
        }
        let key = (Arc::clone(&module.name), Name::from(name));
        if self.busy.contains(&key) {
            return Some(Value::unknown(module, 1, format!("`{name}` depends on itself")));
        }
        if self.depth > MAX_DEEP {
            return Some(Value::unknown(module, 1, "names refer to each other too deeply"));
        }
        self.busy.push(key);
        self.depth += 1;
        let value = match bound {
            Bound::Class(class) => self.class(module, &class),
            Bound::Function(function) => Value::Function(Arc::clone(module), function),
            Bound::Value(expr) => self.eval(module, &expr, &[]),
            Bound::Import(dotted) => self.imported(&dotted),
            Bound::From(base, name) => self.of_module(&base, &name, module),
            Bound::Unclear(line, why) => Value::unknown(module, line, format!("`{name}`: {why}")),
        };
        self.depth -= 1;
        if let Some((module, name)) = self.busy.pop() {
            self.names.entry(module).or_default().insert(name, value.clone());
        }
        Some(value)
    }

    /// A module that may rebind a name, because all its names are imported after the name was bound.
    fn shadowing(&mut self, module: &Arc<Module>, name: &str) -> Option<Name> {
        self.pays(module.late_stars.len());
        let late: Vec<Name> = module
            .late_stars
            .iter()
            .filter(|(_, at)| module.is_bound_before(name, *at))
            .map(|(star, _)| Arc::clone(star))
            .collect();
        late.into_iter().find(|star| match self.package(star) {
            Package::Module(other) => other.binds(name) || !other.stars.is_empty(),
            _ => true,
        })
    }

    fn imported(&mut self, dotted: &Name) -> Value {
        match self.package(dotted) {
            Package::Module(_) | Package::Namespace | Package::Unreadable(..) => Value::Module(Arc::clone(dotted)),
            Package::Nothing => Value::External(canonical(dotted)),
        }
    }

    /// The value of `name` in `from base import name`.
    pub(crate) fn of_module(&mut self, base: &Name, name: &str, asked: &Module) -> Value {
        let inner: Name = format!("{base}.{name}").into();
        match self.package(base) {
            Package::Module(module) => {
                if let Some(value) = self.global(&module, name) {
                    return value;
                }
                if !matches!(self.package(&inner), Package::Nothing) {
                    return Value::Module(inner);
                }
                self.lazily(&module, name)
                    .unwrap_or_else(|| Value::unknown(asked, 1, format!("module `{base}` has no name `{name}`")))
            }
            Package::Namespace if !matches!(self.package(&inner), Package::Nothing) => Value::Module(inner),
            Package::Namespace => Value::unknown(asked, 1, format!("there is no `{inner}`")),
            Package::Unreadable(path, why) => Value::unknown(asked, 1, format!("{path} can't be read: {why}")),
            Package::Nothing => Value::External(canonical(&inner)),
        }
    }

    /// The value of a name that a module provides by `__getattr__` and a dict of names.
    fn lazily(&mut self, module: &Arc<Module>, name: &str) -> Option<Value> {
        module.binds("__getattr__").then_some(())?;
        for table in ["_LAZY", "_LAZY_IMPORTS", "_lazy_imports", "LAZY_IMPORTS"] {
            let Some(Value::Dict(entries)) = module.binds(table).then(|| self.global(module, table)).flatten() else { continue };
            self.pays(entries.len());
            let entry = entries.iter().find(|(key, _)| key.as_str() == Some(name));
            if let Some((_, Value::Str(place))) = entry {
                let place = place.replace(':', ".");
                let (base, attribute) = place.rsplit_once('.')?;
                return Some(self.of_module(&base.into(), attribute, module));
            }
        }
        None
    }

    pub(crate) fn name(&mut self, module: &Arc<Module>, name: &Name, line: u32, env: &[(Name, Value)]) -> Value {
        self.pays(env.len() / 4);
        if let Some((_, value)) = env.iter().rev().find(|(own, _)| own == name) {
            return value.clone();
        }
        if let Some(value) = self.global(module, name) {
            return value;
        }
        if BUILTINS.contains(&&**name) {
            return Value::external(format!("builtins.{name}"));
        }
        Value::unknown(module, line, format!("the name `{name}` is not defined"))
    }
}

/// One name for an object that several modules export.
pub(crate) fn canonical(name: &Name) -> Name {
    let short = match name.split_once('.') {
        Some(("typing_extensions", rest)) => format!("typing.{rest}"),
        Some(("annotated_types", rest)) => format!("annotated_types.{rest}"),
        Some(("collections", rest)) if rest.starts_with("abc.") => format!("typing.{}", &rest[4..]),
        Some(("pydantic", rest)) => format!("pydantic.{}", rest.rsplit('.').next().unwrap_or_default()),
        Some(("pydantic_settings", rest)) => format!("pydantic_settings.{}", rest.rsplit('.').next().unwrap_or_default()),
        _ => return Arc::clone(name),
    };
    match &*short {
        "typing.List" | "typing.Sequence" | "typing.MutableSequence" => "builtins.list".into(),
        "typing.Dict" | "typing.Mapping" | "typing.MutableMapping" => "builtins.dict".into(),
        "typing.Set" => "builtins.set".into(),
        "typing.Tuple" => "builtins.tuple".into(),
        _ => short.into(),
    }
}

/// Python's builtin names that declarations use.
const BUILTINS: [&str; 34] = [
    "int",
    "float",
    "bool",
    "str",
    "bytes",
    "list",
    "dict",
    "set",
    "frozenset",
    "tuple",
    "object",
    "type",
    "len",
    "min",
    "max",
    "sum",
    "abs",
    "round",
    "range",
    "sorted",
    "isinstance",
    "issubclass",
    "getattr",
    "hasattr",
    "property",
    "classmethod",
    "staticmethod",
    "super",
    "ValueError",
    "TypeError",
    "print",
    "any",
    "all",
    "enumerate",
];
