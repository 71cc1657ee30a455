//! Classes: their bases in Python's order, their settings, and why a class is not understood.

use std::{fmt, sync::Arc};

use crate::{
    ast::{ClassDef, Expr, ExprKind, Function, Name, StmtKind},
    module::Module,
    names::Reader,
    sources::is_known,
    unmodelled::unmodelled,
    value::{Unknown, Value},
};

/// The number of statements up to which a linear search is the fastest.
const LINEAR: usize = 16;

pub(crate) struct Class {
    pub(crate) name: Name,
    pub(crate) module: Arc<Module>,
    pub(crate) def: Arc<ClassDef>,
    /// Its bases in the order in which Python looks up attributes, without the class itself and without bases whose sources are not
    /// available.
    pub(crate) bases: Vec<Arc<Class>>,
    /// Whether it is a pydantic model.
    pub(crate) is_model: bool,
    pub(crate) is_enum: bool,
    /// Whether it also reads environment variables.
    pub(crate) is_settings: bool,
    /// The keywords after the bases: `extra="forbid"`.
    pub(crate) keywords: Vec<(Name, Value)>,
    /// Its bases as written, without those whose sources are not available.
    direct: Vec<Arc<Class>>,
    /// Why it is unknown what the class accepts; `None` if it is known.
    pub(crate) opaque: Option<Arc<Unknown>>,
    /// Why the class may have fields and checks beyond the known ones; `None` if it has no others.
    pub(crate) partial: Option<Arc<Unknown>>,
    /// The dotted names of the bases whose sources are not available, including bases of bases: `verifiers.v1.TasksetConfig`.
    pub(crate) absent_bases: Vec<Name>,
}

impl fmt::Debug for Class {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{}", self.module.name, self.name)
    }
}

/// Base classes of known packages that add no fields.
const BARE: [&str; 10] = [
    "builtins.object",
    "builtins.str",
    "builtins.int",
    "abc.ABC",
    "typing.Generic",
    "typing.Protocol",
    "enum.Enum",
    "enum.StrEnum",
    "enum.IntEnum",
    "pydantic.BaseModel",
];

/// The largest number of bases, bases of bases included: each class keeps all of its own, and is asked through them. Those of prime-rl have six.
const MAX_BASES: usize = 64;

impl Class {
    /// The class itself and its bases, in the order in which Python looks up attributes.
    pub(crate) fn line(self: &Arc<Self>) -> impl DoubleEndedIterator<Item = Arc<Self>> {
        std::iter::once(Arc::clone(self)).chain(self.bases.clone())
    }

    /// Whether it is this class or derived from it.
    pub(crate) fn is_a(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.def, &other.def) || self.bases.iter().any(|base| Arc::ptr_eq(&base.def, &other.def))
    }

    /// The function with this name in its own body; if there are several, the last one.
    pub(crate) fn function(&self, name: &str) -> Option<&Arc<Function>> {
        self.def.body.iter().rev().find_map(|stmt| match &stmt.kind {
            StmtKind::Function(function) if &*function.name == name => Some(function),
            _ => None,
        })
    }

    /// The functions in its own body.
    pub(crate) fn functions(&self) -> impl Iterator<Item = &Arc<Function>> {
        self.def.body.iter().filter_map(|stmt| match &stmt.kind {
            StmtKind::Function(function) => Some(function),
            _ => None,
        })
    }

    /// The value of a name in its own body; `None` if the body does not bind it.
    pub(crate) fn own(&self, name: &str) -> Option<Arc<Expr>> {
        let def = &self.def;
        if def.body.len() > LINEAR {
            return def.values.get_or_init(|| def.bindings().collect()).get(name).map(Arc::clone);
        }
        def.bindings().filter(|(own, _)| &**own == name).last().map(|(_, value)| value)
    }

    /// Whether its body has a class of this name.
    pub(crate) fn has_class(&self, name: &str) -> bool {
        self.def.body.iter().any(|stmt| matches!(&stmt.kind, StmtKind::Class(inner) if &*inner.name == name))
    }
}

impl ClassDef {
    /// The names that its body binds to values, in the order of its statements.
    fn bindings(&self) -> impl Iterator<Item = (Name, Arc<Expr>)> {
        self.body.iter().flat_map(|stmt| {
            let (targets, value): (&[Expr], _) = match &stmt.kind {
                StmtKind::Assign { targets, value } => (targets, Some(value)),
                StmtKind::Annotated { target, value, .. } => (std::slice::from_ref(target), value.as_ref()),
                _ => (&[], None),
            };
            targets.iter().zip(std::iter::repeat(value)).filter_map(|(target, value)| match &target.kind {
                ExprKind::Name(name) => Some((Arc::clone(name), Arc::clone(value?))),
                _ => None,
            })
        })
    }
}

impl Reader<'_> {
    /// The class of a definition.
    pub(crate) fn class(&mut self, module: &Arc<Module>, def: &Arc<ClassDef>) -> Value {
        if let Some(known) = self.classes.get(&Arc::as_ptr(def)) {
            return Value::Class(Arc::clone(known));
        }
        let mut opaque = unmodelled(module, def);
        let mut partial = None;
        let mut direct: Vec<Arc<Class>> = Vec::new();
        let mut external: Vec<Name> = Vec::new();
        for base in &def.bases {
            match self.eval(module, base, &[]) {
                Value::Class(class) => direct.push(class),
                Value::External(name) | Value::Generic(name, _) => external.push(name),
                Value::Unknown(unknown) if matches!(base.kind, ExprKind::Other(_)) => {
                    opaque.get_or_insert(unknown);
                }
                Value::Unknown(unknown) => {
                    partial.get_or_insert(unknown);
                }
                _ => {
                    opaque.get_or_insert_with(|| unknown(module, base.line, "a base that is not a class"));
                }
            }
        }
        let above: usize = direct.iter().map(|base| 1 + base.bases.len()).sum();
        if above > MAX_BASES {
            opaque.get_or_insert_with(|| unknown(module, def.line, "a class with too many bases"));
            direct.clear();
        }
        self.pays(above * above);
        let has = |name: &str| external.iter().any(|own| &**own == name);
        let is_enum =
            ["enum.Enum", "enum.StrEnum", "enum.IntEnum"].iter().any(|name| has(name)) || direct.iter().any(|base| base.is_enum);
        let is_settings = has("pydantic_settings.BaseSettings") || direct.iter().any(|base| base.is_settings);
        let is_model = has("pydantic.BaseModel") || is_settings || direct.iter().any(|base| base.is_model);
        let strangers = external.iter().filter(|name| !BARE.contains(&&***name) && &***name != "pydantic_settings.BaseSettings");
        let stranger = strangers.clone().next();
        let strange = strangers.clone().find(|name| is_known(name));
        let mut absent_bases: Vec<Name> =
            strangers.chain(direct.iter().flat_map(|base| &base.absent_bases)).map(Arc::clone).collect();
        absent_bases.dedup();
        if let Some(stranger) = stranger {
            partial.get_or_insert_with(|| Unknown::absent(module, def.line, stranger));
        }
        // An unknown base may be one of pydantic's models.
        let is_model = is_model || ((partial.is_some() || above > MAX_BASES) && !is_enum);
        let bases = linear(&direct).unwrap_or_else(|| {
            opaque.get_or_insert_with(|| unknown(module, def.line, "its bases have no consistent order"));
            direct.clone()
        });
        let mut keywords = Vec::new();
        for (name, value) in &def.keywords {
            match name {
                Some(name) if &**name != "metaclass" => keywords.push((Arc::clone(name), self.eval(module, value, &[]))),
                _ => {
                    opaque.get_or_insert_with(|| unknown(module, value.line, "a class with a metaclass"));
                }
            }
        }
        // A base from a known package that is not in the list, such as a named tuple or a model of a single value, is not
        // understood.
        if let Some(strange) = strange {
            opaque.get_or_insert_with(|| {
                unknown(module, def.line, format!("the base `{}`", strange.trim_start_matches("builtins.")))
            });
        }
        let opaque = opaque.or_else(|| direct.iter().find_map(|base| base.opaque.clone()));
        let partial = partial.or_else(|| direct.iter().find_map(|base| base.partial.clone()));
        let class = Arc::new(Class {
            name: Arc::clone(&def.name),
            module: Arc::clone(module),
            def: Arc::clone(def),
            bases,
            is_model,
            is_enum,
            is_settings,
            keywords,
            direct,
            opaque,
            partial,
            absent_bases,
        });
        self.classes.insert(Arc::as_ptr(def), Arc::clone(&class));
        Value::Class(class)
    }

    /// The value of a name in the body of a class or of its bases.
    pub(crate) fn class_attribute(&mut self, class: &Arc<Class>, name: &str) -> Option<Value> {
        let (home, expr) = class.line().find_map(|class| Some((Arc::clone(&class.module), class.own(name)?)))?;
        Some(self.eval(&home, &expr, &[]))
    }

    /// A setting of a config class: `extra`, `env_prefix`.
    pub(crate) fn setting(&mut self, class: &Arc<Class>, key: &str) -> Option<Value> {
        self.setting_among(class, key, &mut Vec::new())
    }

    /// The same, without the classes in `seen`, which do not have it.
    fn setting_among(&mut self, class: &Arc<Class>, key: &str, seen: &mut Vec<*const ClassDef>) -> Option<Value> {
        if seen.contains(&Arc::as_ptr(&class.def)) {
            return None;
        }
        seen.push(Arc::as_ptr(&class.def));
        if let Some((_, value)) = class.keywords.iter().find(|(name, _)| &**name == key) {
            return Some(value.clone());
        }
        if let Some(expr) = class.own("model_config") {
            match self.eval(&class.module, &expr, &[]) {
                Value::Call(call) if call.arguments.is_empty() => {
                    if let Some(value) = call.keyword(key) {
                        return Some(value.clone());
                    }
                }
                Value::Dict(entries) => {
                    if let Some((_, value)) = entries.iter().find(|(name, _)| name.as_str() == Some(key)) {
                        return Some(value.clone());
                    }
                }
                _ => return Some(Value::unknown(&class.module, expr.line, format!("the settings of `{}`", class.name))),
            }
        }
        // Of several bases that have a setting, the last one takes precedence.
        class.direct.clone().iter().rev().find_map(|base| self.setting_among(base, key, seen))
    }
}

pub(crate) fn unknown(module: &Module, line: u32, why: impl Into<String>) -> Arc<Unknown> {
    Arc::new(Unknown { path: module.path.to_string(), line, why: why.into(), absent: None })
}

/// Python's order of the base classes (C3); `None` if there is no valid order.
fn linear(direct: &[Arc<Class>]) -> Option<Vec<Arc<Class>>> {
    let mut lines: Vec<Vec<Arc<Class>>> = direct.iter().map(|base| base.line().collect()).collect();
    lines.push(direct.to_vec());
    let mut order = Vec::new();
    loop {
        lines.retain(|line| !line.is_empty());
        if lines.is_empty() {
            return Some(order);
        }
        let is_free = |class: &Arc<Class>| !lines.iter().any(|line| line[1..].iter().any(|other| Arc::ptr_eq(other, class)));
        let next = lines.iter().map(|line| &line[0]).find(|class| is_free(class)).cloned()?;
        for line in &mut lines {
            if Arc::ptr_eq(&line[0], &next) {
                line.remove(0);
            }
        }
        order.push(next);
    }
}
