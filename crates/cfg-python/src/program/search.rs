//! The search for the call of a program that loads its config.

use std::sync::Arc;

use super::{Loader, toml};
use crate::hash::{HashMap, HashSet};
use crate::{
    ast::{Call, Expr, ExprKind, Function, Name, Stmt, StmtKind},
    class::Class,
    module::{Bound, Module},
    names::Reader,
    value::Value,
};

/// The functions of pydantic-config that load a config from the arguments of a command.
const LOADERS: [&str; 2] = ["cli", "parse_argv"];

/// How deep the functions of a program that call each other are followed.
const MAX_DEEP: usize = 6;

/// The most calls that are looked at.
const MAX_CALLS: usize = 2000;

/// The search for the call that loads a config.
pub(super) struct Search<'r, 's> {
    pub(super) reader: &'r mut Reader<'s>,
    calls: usize,
    /// The functions that were looked through.
    seen: Vec<*const Function>,
    /// The functions of which it was asked whether they return what a file of TOML says.
    pub(super) of_toml: HashMap<*const Function, bool>,
    /// Why a call that looks like one is none.
    pub(super) why: Option<String>,
    /// How the call that was found loads, and its place.
    pub(super) how: Option<(Loader, String)>,
}

/// The names of a body.
#[derive(Default)]
pub(super) struct Locals {
    imported: HashMap<Name, Bound>,
    /// Those that hold what a file of TOML says.
    pub(super) of_toml: HashSet<Name>,
    /// The class whose method it is.
    class: Option<Arc<Class>>,
}

impl Locals {
    /// What a body of a module imports.
    pub(super) fn of(module: &Module, body: &[Stmt]) -> Self {
        let mut locals = Self::default();
        imports(module, body, &mut locals.imported);
        locals
    }
}

/// What the callee of a call is.
pub(super) enum Callee {
    /// A name of a package: `pydantic_config.cli`.
    Named(Name),
    /// A function of the project.
    Function(Arc<Module>, Arc<Function>),
    /// A method of a class of the project.
    Method(Arc<Class>, Arc<Class>, Arc<Function>),
}

impl<'r, 's> Search<'r, 's> {
    pub(super) fn new(reader: &'r mut Reader<'s>) -> Self {
        Self { reader, calls: 0, seen: Vec::new(), of_toml: HashMap::default(), why: None, how: None }
    }

    /// What a module loads, or a function of it.
    ///
    /// # Errors
    /// There is no such function.
    pub(super) fn program(&mut self, module: &Arc<Module>, function: Option<&str>) -> Result<Option<Value>, String> {
        let Some(name) = function else {
            let found = self.body(module, &module.program, None, 0);
            return Ok(found.or_else(|| self.commands(module)));
        };
        if let Some((home, function)) = self.function(module, name, MAX_DEEP) {
            let found = self.body(&home, &function.body, None, 0);
            return Ok(found.or_else(|| self.commands(&home)));
        }
        match module.defined(name) {
            // A collection of commands, such as a `Typer`.
            Some(Bound::Value(_) | Bound::Unclear(..)) => Ok(self.commands(module)),
            Some(Bound::From(package, _)) => Ok(self.reader.module(&package).and_then(|home| self.commands(&home))),
            _ => Err(format!("{}: there is no function `{name}`", module.path)),
        }
    }

    /// What the functions of a module load that a library calls, such as the commands of a `Typer`: the only class, if there is one.
    fn commands(&mut self, module: &Arc<Module>) -> Option<Value> {
        let mut found: Option<Arc<Class>> = None;
        for function in module.functions() {
            let Some(value) = self.body(module, &function.body, None, 1) else { continue };
            let Value::Class(class) = value else { return Some(value) };
            if found.as_ref().is_some_and(|other| !Arc::ptr_eq(&other.def, &class.def)) {
                self.why = Some(format!("{}: its functions load several configs", module.path));
                return None;
            }
            found = Some(class);
        }
        found.map(Value::Class)
    }

    /// What the statements load; `None` if no call of a loader is among them, or in the functions that they call.
    fn body(&mut self, module: &Arc<Module>, body: &[Stmt], class: Option<Arc<Class>>, depth: usize) -> Option<Value> {
        let mut locals = Locals { class, ..Locals::of(module, body) };
        toml::names(self, module, body, &mut locals);
        let mut calls = Vec::new();
        body.iter().for_each(|stmt| calls_of(stmt, &mut calls));
        calls.truncate(MAX_CALLS.saturating_sub(self.calls));
        self.calls += calls.len();
        let found = calls.iter().find_map(|call| self.loaded(module, call, &locals));
        if found.is_some() || depth >= MAX_DEEP {
            return found;
        }
        for call in calls {
            let (home, function, class) = match self.callee(module, &call.function, &locals) {
                Some(Callee::Function(home, function)) => (home, function, None),
                Some(Callee::Method(class, home, function)) => (Arc::clone(&home.module), function, Some(class)),
                _ => continue,
            };
            if !self.seen.contains(&Arc::as_ptr(&function)) {
                self.seen.push(Arc::as_ptr(&function));
                let found = self.body(&home, &function.body, class, depth + 1);
                if found.is_some() {
                    return found;
                }
            }
        }
        None
    }

    /// What a call loads: the class that it gives to a loader, or the class that it makes of the arguments that a loader has read.
    fn loaded(&mut self, module: &Arc<Module>, call: &Call, locals: &Locals) -> Option<Value> {
        if let Some(loader) = self.loader(module, &call.function, locals) {
            let class = call.arguments.first().map(|argument| self.value(module, argument, locals));
            return match (loader, class) {
                (Ok(loader), class) => {
                    self.how = Some((loader, place(module, call)));
                    class
                }
                (Err(why), Some(Value::Class(_))) => {
                    self.why = self.why.take().or(Some(why));
                    None
                }
                (Err(_), _) => None,
            };
        }
        if let Some((class, loader)) = toml::class(self, module, call, locals) {
            self.how = Some((loader, place(module, call)));
            return Some(class);
        }
        let (_, spread) = call.keywords.iter().find(|(name, _)| name.is_none())?;
        let ExprKind::Call(inner) = &spread.kind else { return None };
        let loader = match self.loader(module, &inner.function, locals)? {
            Ok(loader) if inner.arguments.is_empty() => loader,
            Ok(_) => return None,
            Err(why) => {
                self.why = self.why.take().or(Some(why));
                return None;
            }
        };
        if let Some(Callee::Function(home, function)) = self.callee(module, &call.function, locals) {
            let why = format!("{}:{}: the config is the arguments of `{}`, not a class", home.path, function.line, function.name);
            self.why = self.why.take().or(Some(why));
            return None;
        }
        self.how = Some((loader, place(module, call)));
        Some(self.value(module, &call.function, locals))
    }

    /// The loader of pydantic-config that a callee is: an error says why one of that name is none. `None` if it is another function.
    fn loader(&mut self, module: &Arc<Module>, callee: &Expr, locals: &Locals) -> Option<Result<Loader, String>> {
        let (ExprKind::Name(name) | ExprKind::Attribute(_, name)) = &callee.kind else { return None };
        match self.callee(module, callee, locals)? {
            Callee::Named(dotted) => {
                let (package, last) = (dotted.split('.').next()?, dotted.rsplit('.').next()?);
                if !LOADERS.contains(&last) {
                    return None;
                }
                let place = format!("{}:{}", module.path, callee.line);
                Some(match package {
                    "pydantic_config" => Ok(of_pydantic_config(last)),
                    "prime_rl" => Ok(Loader::Cli),
                    "tyro" => Err(format!("{place}: `tyro.cli` reads no file of TOML")),
                    _ => Err(format!("{place}: what `{dotted}` reads is not known")),
                })
            }
            // prime-rl's own sources have had the loader themselves.
            Callee::Function(home, _) if home.name.starts_with("prime_rl.") && LOADERS.contains(&&**name) => {
                Some(Ok(Loader::Cli))
            }
            Callee::Function(home, _) if home.name.starts_with("pydantic_config") && LOADERS.contains(&&**name) => {
                Some(Ok(of_pydantic_config(name)))
            }
            Callee::Function(home, function) if LOADERS.contains(&&*function.name) => Some(Err(format!(
                "{}:{}: `{}` is the project's own loader, which cfg does not read",
                home.path, function.line, function.name
            ))),
            Callee::Function(..) | Callee::Method(..) => None,
        }
    }

    pub(super) fn callee(&mut self, module: &Arc<Module>, callee: &Expr, locals: &Locals) -> Option<Callee> {
        let bound = match &callee.kind {
            ExprKind::Name(name) => locals.imported.get(name).cloned().or_else(|| module.defined(name))?,
            ExprKind::Attribute(of, name) => {
                if let Value::Class(class) = self.value(module, of, locals) {
                    let (home, function) =
                        class.line().find_map(|home| home.function(name).cloned().map(|function| (home, function)))?;
                    return Some(Callee::Method(class, home, function));
                }
                let ExprKind::Name(of) = &of.kind else { return None };
                match locals.imported.get(of).cloned().or_else(|| module.defined(of))? {
                    Bound::Import(package) => Bound::From(package, Arc::clone(name)),
                    Bound::From(package, inner) => Bound::From(format!("{package}.{inner}").into(), Arc::clone(name)),
                    _ => return None,
                }
            }
            _ => return None,
        };
        self.followed(module, bound, MAX_DEEP)
    }

    /// A name that modules of the project may only pass on.
    fn followed(&mut self, module: &Arc<Module>, bound: Bound, depth: usize) -> Option<Callee> {
        match bound {
            Bound::Function(function) => Some(Callee::Function(Arc::clone(module), function)),
            Bound::From(package, name) => {
                let dotted = || Callee::Named(format!("{package}.{name}").into());
                // What pydantic-config does is known.
                if depth == 0 || package.starts_with("pydantic_config") {
                    return Some(dotted());
                }
                let Some(other) = self.reader.module(&package) else { return Some(dotted()) };
                match other.defined(&name) {
                    Some(bound) => self.followed(&other, bound, depth - 1),
                    None => Some(dotted()),
                }
            }
            _ => None,
        }
    }

    /// A function of a module, or of the one from which it is imported.
    fn function(&mut self, module: &Arc<Module>, name: &str, depth: usize) -> Option<(Arc<Module>, Arc<Function>)> {
        match self.followed(module, module.defined(name)?, depth)? {
            Callee::Function(home, function) => Some((home, function)),
            Callee::Named(_) | Callee::Method(..) => None,
        }
    }

    /// The value of a class expression.
    pub(super) fn value(&mut self, module: &Arc<Module>, expr: &Expr, locals: &Locals) -> Value {
        if let (ExprKind::Name(name), Some(class)) = (&expr.kind, &locals.class)
            && &**name == "cls"
        {
            return Value::Class(Arc::clone(class));
        }
        if let ExprKind::Name(name) = &expr.kind
            && let Some(Bound::From(package, inner)) = locals.imported.get(name)
        {
            return self.reader.of_module(package, inner, module);
        }
        match &expr.kind {
            ExprKind::Name(name) => match module.defined(name) {
                Some(Bound::Class(class)) => self.reader.class(module, &class),
                Some(Bound::From(package, inner)) => self.reader.of_module(&package, &inner, module),
                _ => self.reader.eval(module, expr, &[]),
            },
            _ => self.reader.eval(module, expr, &[]),
        }
    }
}

/// The loader of pydantic-config with a name.
fn of_pydantic_config(name: &str) -> Loader {
    if name == "parse_argv" { Loader::Argv } else { Loader::Cli }
}

/// The place of a call: `src/train.py:12`.
fn place(module: &Module, call: &Call) -> String {
    format!("{}:{}", module.path, call.function.line)
}

/// The names that a body imports itself.
fn imports(module: &Module, body: &[Stmt], locals: &mut HashMap<Name, Bound>) {
    for stmt in body {
        match &stmt.kind {
            StmtKind::ImportFrom { level, module: from, names } => {
                let base = module.named_from(*level, from.as_deref());
                for (name, known_as) in names {
                    locals
                        .insert(Arc::clone(known_as.as_ref().unwrap_or(name)), Bound::From(Arc::clone(&base), Arc::clone(name)));
                }
            }
            StmtKind::Import(names) => {
                for (dotted, known_as) in names {
                    let name = known_as.clone().unwrap_or_else(|| dotted.split('.').next().unwrap_or_default().into());
                    let package = if known_as.is_some() { Arc::clone(dotted) } else { Arc::clone(&name) };
                    locals.insert(name, Bound::Import(package));
                }
            }
            _ => stmt.each_block(&mut |block| imports(module, block, locals)),
        }
    }
}

/// Adds the calls of a statement, the outer ones first.
fn calls_of<'s>(stmt: &'s Stmt, calls: &mut Vec<&'s Call>) {
    match &stmt.kind {
        StmtKind::Expression(value) | StmtKind::Return(Some(value)) => calls_in(value, calls),
        StmtKind::Assign { value, .. } | StmtKind::Annotated { value: Some(value), .. } => calls_in(value, calls),
        StmtKind::With { items, .. } => items.iter().for_each(|(item, _)| calls_in(item, calls)),
        _ => {}
    }
    stmt.each_block(&mut |block| block.iter().for_each(|stmt| calls_of(stmt, calls)));
}

fn calls_in<'e>(expr: &'e Expr, calls: &mut Vec<&'e Call>) {
    if calls.len() >= MAX_CALLS {
        return;
    }
    if let ExprKind::Call(call) = &expr.kind {
        calls.push(call);
    }
    expr.parts().into_iter().for_each(|part| calls_in(part, calls));
}
