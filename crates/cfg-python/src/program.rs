//! The config class of a program of a project, found in the code that loads it: `config = cli(Config)`, `Config(**parse_argv())`.

use std::{collections::HashMap, path::PathBuf, sync::Arc};

use cfg_schema::{Kind, Point};
use cfg_system::System;

use crate::{
    absent::{Base, Beside},
    ast::{Call, Expr, ExprKind, Function, Name, Stmt, StmtKind},
    checks,
    class::Class,
    homes::HOMES,
    module::{Bound, Module},
    names::Reader,
    of_field::Known,
    rows::{Declarations, Rows},
    sources::Sources,
    value::Value,
};

/// What a command starts: a module, and its function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Program {
    /// The dotted name of the module.
    pub module: Box<str>,
    /// The function; `None` if the module itself is run.
    pub function: Option<Box<str>>,
}

/// The config of a program.
#[derive(Debug)]
pub enum ProgramConfig {
    /// That of an entrypoint of prime-rl.
    Known(Kind),
    /// A class of its own.
    Own(Box<ProgramClass>),
}

/// The config class of a program.
#[derive(Debug)]
pub struct ProgramClass {
    /// Its name.
    pub name: String,
    /// The place of its definition: `src/zeroband/config.py:12`.
    pub place: String,
    /// The kind at which its fields and checks stand.
    pub kind: Kind,
    /// Its fields and checks.
    pub declared: Declarations,
}

/// The functions of pydantic-config that load a config from the arguments of a command.
const LOADERS: [&str; 2] = ["cli", "parse_argv"];

/// How deep the functions of a program that call each other are followed.
const MOST_DEEP: usize = 6;

/// The most calls that are looked at.
const MOST_CALLS: usize = 2000;

/// Reads the config class of a program. `roots` are the folders in which Python would look for packages.
///
/// # Errors
/// Why the class is unknown, as a sentence without its end.
pub fn read_program(system: &dyn System, roots: Vec<PathBuf>, program: &Program, point: Point) -> Result<ProgramConfig, String> {
    let mut reader = Reader::new(Sources::new(system, roots));
    reader.known = Some(Arc::new(Known::at(point)));
    let Some(module) = reader.module(&program.module) else {
        return Err(reader.unreadable(&program.module).unwrap_or_else(|| format!("there is no module `{}`", program.module)));
    };
    let mut search = Search { reader: &mut reader, calls: 0, seen: Vec::new(), why: None };
    let found = match &program.function {
        None => search.body(&module, &module.program, 0),
        Some(function) => match search.function(&module, function, MOST_DEEP) {
            Some((home, function)) => search.body(&home, &function.body, 0),
            None => return Err(format!("{}: there is no function `{function}`", module.path)),
        },
    };
    let why = search.why;
    let class = match found {
        Some(Value::Class(class)) => class,
        Some(Value::External(name)) => {
            return known(&name).map(ProgramConfig::Known).ok_or_else(|| format!("the source of `{name}` is not here"));
        }
        Some(Value::Unknown(unknown)) => return Err(unknown.to_string()),
        Some(_) => return Err(format!("{}: what it loads is no class", module.path)),
        None => {
            return Err(why.unwrap_or_else(|| {
                let what = program.function.as_ref().map_or("it".to_owned(), |function| format!("`{function}`"));
                format!("{}: {what} loads no config by `cli` or `parse_argv` of pydantic-config", module.path)
            }));
        }
    };
    if let Some(kind) = known(&format!("{}.{}", class.module.name, class.name)) {
        return Ok(ProgramConfig::Known(kind));
    }
    let rows = rows(reader, Kind::Script, point);
    declarations(rows, &class).map(Box::new).map(ProgramConfig::Own)
}

/// The kind whose config class has this dotted name.
fn known(name: &str) -> Option<Kind> {
    let (module, name) = name.rsplit_once('.')?;
    let is_it = |(_, modules, names): &&crate::homes::Home| modules.contains(&module) && names.contains(&name);
    HOMES.iter().find(is_it).and_then(|(kind, ..)| kind.parse().ok())
}

/// Reads the config class of verifiers' evaluations. `roots` are the folders in which Python would look for verifiers.
///
/// # Errors
/// Why the class is unknown, as a sentence without its end.
pub fn read_evaluation(system: &dyn System, roots: Vec<PathBuf>, point: Point) -> Result<ProgramClass, String> {
    let mut reader = Reader::new(Sources::new(system, roots));
    reader.known = Some(Arc::new(Known::at(point)));
    let mut rows = rows(reader, Kind::Eval, point);
    let class = rows.home(&HOMES[Kind::Eval as usize])?;
    declarations(rows, &class)
}

/// Rows for the class of one kind.
fn rows(reader: Reader<'_>, kind: Kind, point: Point) -> Rows<'_> {
    let mut rows = Rows::new(reader, Some(Base::Point(Beside::with_pins(point, Vec::new()))));
    rows.kind = kind.entrypoint() as usize;
    rows
}

fn declarations(mut rows: Rows<'_>, class: &Arc<Class>) -> Result<ProgramClass, String> {
    let kind = if rows.kind == Kind::Eval as usize { Kind::Eval } else { Kind::Script };
    rows.root(class);
    if let Some(known) = rows.reader.known.clone() {
        rows.found.code = checks::link(&mut rows.reader, &rows.found.classes, &known);
    }
    if let Some(why) = rows.reader.spent() {
        return Err(why.to_string());
    }
    let place = format!("{}:{}", class.module.path, class.def.line);
    Ok(ProgramClass { name: class.name.to_string(), place, kind, declared: rows.found })
}

/// The search for the call that loads a config.
struct Search<'r, 's> {
    reader: &'r mut Reader<'s>,
    calls: usize,
    /// The functions that were looked through.
    seen: Vec<*const Function>,
    /// Why a call that looks like one is none.
    why: Option<String>,
}

/// What the callee of a call is.
enum Callee {
    /// A name of a package: `pydantic_config.cli`.
    Named(Name),
    /// A function of the project.
    Function(Arc<Module>, Arc<Function>),
}

impl Search<'_, '_> {
    /// What the statements load; `None` if no call of a loader is among them, or in the functions that they call.
    fn body(&mut self, module: &Arc<Module>, body: &[Stmt], depth: usize) -> Option<Value> {
        let mut locals = HashMap::new();
        imports(module, body, &mut locals);
        let mut calls = Vec::new();
        body.iter().for_each(|stmt| calls_of(stmt, &mut calls));
        calls.truncate(MOST_CALLS.saturating_sub(self.calls));
        self.calls += calls.len();
        let found = calls.iter().find_map(|call| self.loaded(module, call, &locals));
        if found.is_some() || depth >= MOST_DEEP {
            return found;
        }
        for call in calls {
            if let Some(Callee::Function(home, function)) = self.callee(module, &call.function, &locals)
                && !self.seen.contains(&Arc::as_ptr(&function))
            {
                self.seen.push(Arc::as_ptr(&function));
                let found = self.body(&home, &function.body, depth + 1);
                if found.is_some() {
                    return found;
                }
            }
        }
        None
    }

    /// What a call loads: the class that it gives to a loader, or the class that it makes of the arguments that a loader has read.
    fn loaded(&mut self, module: &Arc<Module>, call: &Call, locals: &HashMap<Name, Bound>) -> Option<Value> {
        if let Some(loader) = self.loader(module, &call.function, locals) {
            let class = call.arguments.first().map(|argument| self.value(module, argument, locals));
            return match (loader, class) {
                (Ok(()), class) => class,
                (Err(why), Some(Value::Class(_))) => {
                    self.why = self.why.take().or(Some(why));
                    None
                }
                (Err(_), _) => None,
            };
        }
        let (_, spread) = call.keywords.iter().find(|(name, _)| name.is_none())?;
        let ExprKind::Call(inner) = &spread.kind else { return None };
        match self.loader(module, &inner.function, locals)? {
            Ok(()) if inner.arguments.is_empty() => {}
            Ok(()) => return None,
            Err(why) => {
                self.why = self.why.take().or(Some(why));
                return None;
            }
        }
        if let Some(Callee::Function(home, function)) = self.callee(module, &call.function, locals) {
            let why = format!("{}:{}: the config is the arguments of `{}`, not a class", home.path, function.line, function.name);
            self.why = self.why.take().or(Some(why));
            return None;
        }
        Some(self.value(module, &call.function, locals))
    }

    /// Whether a callee is a loader of pydantic-config: an error says why one of that name is none. `None` if it is another function.
    fn loader(&mut self, module: &Arc<Module>, callee: &Expr, locals: &HashMap<Name, Bound>) -> Option<Result<(), String>> {
        let (ExprKind::Name(name) | ExprKind::Attribute(_, name)) = &callee.kind else { return None };
        match self.callee(module, callee, locals)? {
            Callee::Named(dotted) => {
                let (package, last) = (dotted.split('.').next()?, dotted.rsplit('.').next()?);
                if !LOADERS.contains(&last) {
                    return None;
                }
                let place = format!("{}:{}", module.path, callee.line);
                Some(match package {
                    "pydantic_config" | "prime_rl" => Ok(()),
                    "tyro" => Err(format!("{place}: `tyro.cli` reads no file of TOML")),
                    _ => Err(format!("{place}: what `{dotted}` reads is not known")),
                })
            }
            // prime-rl's own sources have had the loader themselves.
            Callee::Function(home, _) if home.name.starts_with("prime_rl.") && LOADERS.contains(&&**name) => Some(Ok(())),
            Callee::Function(home, _) if home.name.starts_with("pydantic_config") && LOADERS.contains(&&**name) => Some(Ok(())),
            Callee::Function(home, function) if LOADERS.contains(&&*function.name) => Some(Err(format!(
                "{}:{}: `{}` is the project's own loader, which cfg does not read",
                home.path, function.line, function.name
            ))),
            Callee::Function(..) => None,
        }
    }

    fn callee(&mut self, module: &Arc<Module>, callee: &Expr, locals: &HashMap<Name, Bound>) -> Option<Callee> {
        let bound = match &callee.kind {
            ExprKind::Name(name) => locals.get(name).cloned().or_else(|| module.bound(name))?,
            ExprKind::Attribute(of, name) => {
                let ExprKind::Name(of) = &of.kind else { return None };
                match locals.get(of).cloned().or_else(|| module.bound(of))? {
                    Bound::Import(package) => Bound::From(package, Arc::clone(name)),
                    Bound::From(package, inner) => Bound::From(format!("{package}.{inner}").into(), Arc::clone(name)),
                    _ => return None,
                }
            }
            _ => return None,
        };
        self.followed(module, bound, MOST_DEEP)
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
                match other.bound(&name) {
                    Some(bound) => self.followed(&other, bound, depth - 1),
                    None => Some(dotted()),
                }
            }
            _ => None,
        }
    }

    /// A function of a module, or of the one from which it is imported.
    fn function(&mut self, module: &Arc<Module>, name: &str, depth: usize) -> Option<(Arc<Module>, Arc<Function>)> {
        match self.followed(module, module.bound(name)?, depth)? {
            Callee::Function(home, function) => Some((home, function)),
            Callee::Named(_) => None,
        }
    }

    /// The value of a class expression.
    fn value(&mut self, module: &Arc<Module>, expr: &Expr, locals: &HashMap<Name, Bound>) -> Value {
        if let ExprKind::Name(name) = &expr.kind
            && let Some(Bound::From(package, inner)) = locals.get(name)
        {
            return self.reader.of_module(package, inner, module);
        }
        self.reader.eval(module, expr, &[])
    }
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
            _ => blocks(stmt, &mut |block| imports(module, block, locals)),
        }
    }
}

/// Calls a function with the blocks of a statement.
fn blocks<'s>(stmt: &'s Stmt, each: &mut dyn FnMut(&'s [Stmt])) {
    match &stmt.kind {
        StmtKind::If(branches) => branches.iter().for_each(|(_, body)| each(body)),
        StmtKind::With { body, .. } => each(body),
        StmtKind::Match { cases, .. } => cases.iter().for_each(|case| each(&case.body)),
        StmtKind::Try { body, handlers, otherwise, finally } => {
            each(body);
            handlers.iter().for_each(|handler| each(&handler.body));
            each(otherwise);
            each(finally);
        }
        StmtKind::For { body, otherwise, .. } | StmtKind::While { body, otherwise, .. } => {
            each(body);
            each(otherwise);
        }
        _ => {}
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
    blocks(stmt, &mut |block| block.iter().for_each(|stmt| calls_of(stmt, calls)));
}

fn calls_in<'e>(expr: &'e Expr, calls: &mut Vec<&'e Call>) {
    if calls.len() >= MOST_CALLS {
        return;
    }
    if let ExprKind::Call(call) = &expr.kind {
        calls.push(call);
    }
    expr.parts().into_iter().for_each(|part| calls_in(part, calls));
}
