//! Classes: their bases in Python's order, their settings, and what keeps one from being understood.

use std::{fmt, sync::Arc};

use crate::{
    ast::{ClassDef, Expr, ExprKind, Function, Name, Stmt, StmtKind},
    module::{Bound, Module},
    names::Reader,
    value::{Unknown, Value},
};

/// A class.
pub(crate) struct Class {
    pub(crate) name: Name,
    pub(crate) module: Arc<Module>,
    pub(crate) def: Arc<ClassDef>,
    /// Its bases in the order in which Python looks for attributes, as far as their sources are available; itself is not among them.
    pub(crate) bases: Vec<Arc<Class>>,
    /// Whether it is one of pydantic's models.
    pub(crate) is_model: bool,
    pub(crate) is_enum: bool,
    /// Whether it also reads variables of the environment.
    pub(crate) is_settings: bool,
    /// What follows the bases: `extra="forbid"`.
    keywords: Vec<(Name, Value)>,
    /// Why it isn't known what it accepts at all.
    pub(crate) opaque: Option<Arc<Unknown>>,
    /// Why it may have fields and checks beyond those that are known.
    pub(crate) partial: Option<Arc<Unknown>>,
    /// The bases whose sources are not available, its own and those of its bases: `verifiers.v1.TasksetConfig`.
    pub(crate) absent_bases: Vec<Name>,
}

impl fmt::Debug for Class {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{}", self.module.name, self.name)
    }
}

/// Methods by which a class decides itself how it is made or what it accepts.
const OWN_WAYS: [&str; 9] = [
    "__init__",
    "__new__",
    "__init_subclass__",
    "__pydantic_init_subclass__",
    "__get_pydantic_core_schema__",
    "__get_validators__",
    "__class_getitem__",
    "model_validate",
    "__getattr__",
];

/// Bases that add no fields.
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

impl Class {
    /// Itself and its bases, in the order in which Python looks for attributes.
    pub(crate) fn line(self: &Arc<Self>) -> impl DoubleEndedIterator<Item = Arc<Self>> {
        std::iter::once(Arc::clone(self)).chain(self.bases.clone())
    }

    /// Whether it is this class or one below it.
    pub(crate) fn is_a(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.def, &other.def) || self.bases.iter().any(|base| Arc::ptr_eq(&base.def, &other.def))
    }

    /// The function of this name in its own body: of several, the last counts.
    pub(crate) fn function(&self, name: &str) -> Option<&Arc<Function>> {
        self.def.body.iter().rev().find_map(|stmt| match &stmt.kind {
            StmtKind::Function(function) if &*function.name == name => Some(function),
            _ => None,
        })
    }

    /// The functions of its own body.
    pub(crate) fn functions(&self) -> impl Iterator<Item = &Arc<Function>> {
        self.def.body.iter().filter_map(|stmt| match &stmt.kind {
            StmtKind::Function(function) => Some(function),
            _ => None,
        })
    }

    /// What its own body gives a name.
    fn own(&self, name: &str) -> Option<Arc<Expr>> {
        let is_it = |target: &Expr| matches!(&target.kind, ExprKind::Name(own) if &**own == name);
        self.def.body.iter().rev().find_map(|stmt| match &stmt.kind {
            StmtKind::Assign { targets, value } if targets.iter().any(is_it) => Some(Arc::clone(value)),
            StmtKind::Annotated { target, value: Some(value), .. } if is_it(target) => Some(Arc::clone(value)),
            _ => None,
        })
    }
}

impl Reader<'_> {
    /// The class of a definition.
    pub(crate) fn class(&mut self, module: &Arc<Module>, def: &Arc<ClassDef>) -> Value {
        if let Some(known) = self.classes.get(&Arc::as_ptr(def)) {
            return Value::Class(Arc::clone(known));
        }
        let mut opaque = own_ways(module, def);
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
        let has = |name: &str| external.iter().any(|own| &**own == name);
        let is_enum =
            ["enum.Enum", "enum.StrEnum", "enum.IntEnum"].iter().any(|name| has(name)) || direct.iter().any(|base| base.is_enum);
        let is_settings = has("pydantic_settings.BaseSettings") || direct.iter().any(|base| base.is_settings);
        let is_model = has("pydantic.BaseModel") || is_settings || direct.iter().any(|base| base.is_model);
        let strangers = external.iter().filter(|name| !BARE.contains(&&***name) && &***name != "pydantic_settings.BaseSettings");
        let stranger = strangers.clone().next();
        let mut absent_bases: Vec<Name> =
            strangers.chain(direct.iter().flat_map(|base| &base.absent_bases)).map(Arc::clone).collect();
        absent_bases.dedup();
        if let Some(stranger) = stranger {
            partial.get_or_insert_with(|| Unknown::absent(module, def.line, stranger));
        }
        // A base that isn't known may well be one of pydantic's models.
        let is_model = is_model || (partial.is_some() && !is_enum);
        let bases = linear(&direct).unwrap_or_else(|| {
            opaque.get_or_insert_with(|| unknown(module, def.line, "its bases have no order"));
            direct.clone()
        });
        let mut keywords = Vec::new();
        for (name, value) in &def.keywords {
            match name {
                Some(name) if &**name != "metaclass" => keywords.push((Arc::clone(name), self.eval(module, value, &[]))),
                _ => {
                    opaque.get_or_insert_with(|| unknown(module, value.line, "a class made in a way of its own"));
                }
            }
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
            opaque,
            partial,
            absent_bases,
        });
        self.classes.insert(Arc::as_ptr(def), Arc::clone(&class));
        Value::Class(class)
    }

    /// What the body of a class, or of a base, gives a name.
    pub(crate) fn class_attribute(&mut self, class: &Arc<Class>, name: &str) -> Option<Value> {
        let (home, expr) = class.line().find_map(|class| Some((Arc::clone(&class.module), class.own(name)?)))?;
        Some(self.eval(&home, &expr, &[]))
    }

    /// A setting of a class of configs: `extra`, `env_prefix`.
    pub(crate) fn setting(&mut self, class: &Arc<Class>, key: &str) -> Option<Value> {
        for class in class.line().collect::<Vec<_>>() {
            if let Some((_, value)) = class.keywords.iter().find(|(name, _)| &**name == key) {
                return Some(value.clone());
            }
            let Some(expr) = class.own("model_config") else { continue };
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
        None
    }
}

fn unknown(module: &Module, line: u32, why: impl Into<String>) -> Arc<Unknown> {
    Arc::new(Unknown { path: module.path.to_string(), line, why: why.into(), absent: None })
}

/// What in a class makes it one whose fields can't be read off.
fn own_ways(module: &Module, def: &ClassDef) -> Option<Arc<Unknown>> {
    if let Some(decorator) = def.decorators.first() {
        return Some(unknown(module, decorator.line, format!("`{}` is decorated", def.name)));
    }
    def.body.iter().find_map(|stmt| {
        let why: String = match &stmt.kind {
            StmtKind::Function(function)
                if function.name.ends_with("init_subclass__") && only_looks(module, function, &mut Vec::new()) =>
            {
                return None;
            }
            StmtKind::Function(function) if OWN_WAYS.contains(&&*function.name) => {
                format!("`{}` has a `{}` of its own", def.name, function.name)
            }
            StmtKind::If(_) | StmtKind::Try { .. } | StmtKind::With { .. } => "a condition in the body of a class".into(),
            StmtKind::For { .. } | StmtKind::While { .. } => "a loop in the body of a class".into(),
            StmtKind::Augmented { .. } => "an assignment with an operator in the body of a class".into(),
            StmtKind::Delete(_) => "a deletion in the body of a class".into(),
            StmtKind::Other { word, .. } => format!("{word} in the body of a class"),
            StmtKind::Expression(expr) if !matches!(expr.kind, ExprKind::Str(_) | ExprKind::Ellipsis) => {
                "a call in the body of a class".into()
            }
            StmtKind::Import(_) | StmtKind::ImportFrom { .. } => "an import in the body of a class".into(),
            _ => return None,
        };
        Some(unknown(module, stmt.line, why))
    })
}

/// Whether a hook for the classes below a class changes nothing of them: it computes, and raises where they are not as they should be.
fn only_looks(module: &Module, function: &Function, open: &mut Vec<u32>) -> bool {
    // One that calls itself does nothing more by that.
    if open.contains(&function.line) {
        return true;
    }
    open.push(function.line);
    let looks = function.body.iter().all(|stmt| stmt_looks(module, stmt, open));
    open.pop();
    looks
}

fn stmt_looks(module: &Module, stmt: &Stmt, open: &mut Vec<u32>) -> bool {
    fn is_plain(target: &Expr) -> bool {
        match &target.kind {
            ExprKind::Name(_) => true,
            ExprKind::Tuple(targets) | ExprKind::List(targets) => targets.iter().all(is_plain),
            _ => false,
        }
    }
    let (exprs, bodies): (Vec<&Expr>, Vec<&[Stmt]>) = match &stmt.kind {
        StmtKind::Expression(expr) | StmtKind::Return(Some(expr)) => (vec![expr], Vec::new()),
        StmtKind::Assign { targets, value } if targets.iter().all(is_plain) => (vec![&**value], Vec::new()),
        StmtKind::If(branches) => {
            (branches.iter().filter_map(|(test, _)| test.as_ref()).collect(), branches.iter().map(|(_, body)| &**body).collect())
        }
        StmtKind::For { target, iter, body, otherwise } if is_plain(target) => (vec![iter], vec![body, otherwise]),
        StmtKind::Return(None)
        | StmtKind::Raise(_)
        | StmtKind::Continue
        | StmtKind::Break
        | StmtKind::Pass
        | StmtKind::ImportFrom { .. } => return true,
        _ => return false,
    };
    exprs.into_iter().all(|expr| expr_looks(module, expr, open))
        && bodies.into_iter().flatten().all(|stmt| stmt_looks(module, stmt, open))
}

/// Functions and methods that change nothing.
const PURE: [&str; 23] = [
    "frozenset",
    "set",
    "list",
    "tuple",
    "sorted",
    "len",
    "super",
    "isinstance",
    "issubclass",
    "getattr",
    "hasattr",
    "any",
    "all",
    "get_args",
    "get_origin",
    "type",
    "items",
    "keys",
    "values",
    "get",
    "startswith",
    "endswith",
    "zip",
];

fn expr_looks(module: &Module, expr: &Expr, open: &mut Vec<u32>) -> bool {
    let changes_nothing = match &expr.kind {
        ExprKind::Call(call) => match &call.function.kind {
            ExprKind::Name(name) => match module.bound(name) {
                Some(Bound::Function(function)) => only_looks(module, &function, open),
                _ => PURE.contains(&&**name),
            },
            // The hook of the class above is looked at there.
            ExprKind::Attribute(_, name) => PURE.contains(&&**name) || name.ends_with("init_subclass__"),
            _ => false,
        },
        ExprKind::Other(_) | ExprKind::Lambda(_) => false,
        _ => true,
    };
    changes_nothing && expr.parts().into_iter().all(|part| expr_looks(module, part, open))
}

/// Python's order of the bases (C3); `None` if there is none.
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
