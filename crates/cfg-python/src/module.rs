//! Modules: their files, and the values of their names.

use std::sync::Arc;

use crate::hash::HashMap;
use crate::{
    ast::{ClassDef, Expr, ExprKind, Function, Name, Stmt, StmtKind},
    parse::{Parsed, Tokens},
};

/// A parsed module.
#[derive(Debug)]
pub(crate) struct Module {
    /// Its dotted name.
    pub(crate) name: Name,
    /// The path of its file, as it is shown in messages.
    pub(crate) path: Name,
    pub(crate) is_package: bool,
    pub(crate) text: Arc<str>,
    pub(crate) tokens: Tokens,
    /// Its names, each with how it is bound, and with its number among the names in the order in which they are bound first.
    binds: HashMap<Name, (usize, Bound)>,
    /// The modules from which it imports all names (`import *`), in order.
    pub(crate) stars: Vec<Name>,
    /// Names whose objects are changed after they were bound, each with the line of the change.
    changed: HashMap<Name, u32>,
    /// The line of code that may change the value of any name, such as `globals()["T"] = int`.
    all_changed: Option<u32>,
    /// The modules from which all names are imported after others were bound, each with the number of these.
    pub(crate) late_stars: Vec<(Name, usize)>,
    /// What it does if it is run: its own assignments and calls, and those below `if __name__ == "__main__"`.
    pub(crate) program: Vec<Stmt>,
}

/// How a name of a module is bound.
#[derive(Clone, Debug)]
pub(crate) enum Bound {
    Class(Arc<ClassDef>),
    Function(Arc<Function>),
    Value(Arc<Expr>),
    /// `import a.b as c`, or the first part of `import a.b`.
    Import(Name),
    From(Name, Name),
    /// It is unknown how the name is bound: the line and the reason.
    Unclear(u32, &'static str),
}

/// Whether a statement of a module is run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Run {
    Always,
    /// Only by type checkers, so that the names are used only in annotations.
    ForTypes,
    /// If an import succeeds, which is assumed.
    Tried,
    /// If an import fails.
    Rescue,
    Maybe,
}

impl Module {
    pub(crate) fn new(name: Name, path: Name, is_package: bool, text: &str, parsed: Parsed) -> Self {
        let mut module = Self {
            name,
            path,
            is_package,
            text: text.into(),
            tokens: parsed.tokens,
            binds: HashMap::default(),
            stars: Vec::new(),
            changed: HashMap::default(),
            all_changed: None,
            late_stars: Vec::new(),
            program: Vec::new(),
        };
        module.collect(&parsed.body, Run::Always);
        module.program = program(parsed.body);
        module
    }

    /// How a name is bound; `None` if the module does not bind it.
    pub(crate) fn bound(&self, name: &str) -> Option<Bound> {
        if let Some(line) = self.all_changed {
            return Some(Bound::Unclear(line, "code of its module may change any name"));
        }
        if let Some(&line) = self.changed.get(name) {
            return Some(Bound::Unclear(line, "its value is changed after it was created"));
        }
        self.binds.get(name).map(|(_, bound)| bound.clone())
    }

    /// What a name is that the module imports or defines as a function or a class, even if its code may change names: a program that calls a function
    /// may, and rarely does.
    pub(crate) fn defined(&self, name: &str) -> Option<Bound> {
        let is_defined =
            |bound: &&Bound| matches!(bound, Bound::Class(_) | Bound::Function(_) | Bound::Import(_) | Bound::From(..));
        self.binds.get(name).map(|(_, bound)| bound).filter(is_defined).cloned().or_else(|| self.bound(name))
    }

    /// The functions that it defines, by name.
    pub(crate) fn functions(&self) -> Vec<Arc<Function>> {
        let functions = self.binds.values().filter_map(|(_, bound)| match bound {
            Bound::Function(function) => Some(Arc::clone(function)),
            _ => None,
        });
        let mut functions: Vec<_> = functions.collect();
        functions.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        functions
    }

    /// Whether a name is among the first ones that are bound.
    pub(crate) fn is_bound_before(&self, name: &str, count: usize) -> bool {
        self.binds.get(name).is_some_and(|(number, _)| *number < count)
    }

    fn insert(&mut self, name: &Name, bound: Bound) {
        let number = self.binds.len();
        match self.binds.get_mut(name) {
            Some((_, known)) => *known = bound,
            None => {
                self.binds.insert(Arc::clone(name), (number, bound));
            }
        }
    }

    /// The names of the classes that it defines, in order.
    pub(crate) fn class_names(&self) -> Vec<Name> {
        let mut names: Vec<Name> = self
            .binds
            .iter()
            .filter(|(_, (_, bound))| matches!(bound, Bound::Class(_)))
            .map(|(name, _)| Arc::clone(name))
            .collect();
        names.sort_unstable();
        names
    }

    /// Whether the module binds a name.
    pub(crate) fn binds(&self, name: &str) -> bool {
        self.binds.contains_key(name)
    }

    /// The absolute name of the module in `from ..a import b`.
    pub(crate) fn named_from(&self, level: u32, module: Option<&str>) -> Name {
        let mut parts: Vec<&str> = if level == 0 { Vec::new() } else { self.name.split('.').collect() };
        let up = (level as usize).saturating_sub(usize::from(self.is_package));
        parts.truncate(parts.len().saturating_sub(up));
        parts.extend(module);
        parts.join(".").into()
    }

    fn bind(&mut self, name: &Name, bound: Bound, line: u32, run: Run) {
        let made = |bound: &Bound| matches!(bound, Bound::Class(_) | Bound::Value(_));
        let before = self.binds.get(name).map(|(_, bound)| bound);
        let bound = match run {
            // A value that was computed from the name in between used the first value.
            Run::Always if made(&bound) && before.is_some_and(made) => Bound::Unclear(line, "it is bound more than once"),
            Run::ForTypes | Run::Rescue if before.is_some() => return,
            Run::Always | Run::Tried | Run::ForTypes => bound,
            Run::Rescue | Run::Maybe => Bound::Unclear(line, "it is bound under a condition"),
        };
        self.insert(name, bound);
    }

    fn collect(&mut self, body: &[Stmt], run: Run) {
        for stmt in body {
            let line = stmt.line;
            match &stmt.kind {
                StmtKind::Class(class) => self.bind(&class.name, Bound::Class(Arc::clone(class)), line, run),
                StmtKind::Function(function) => self.bind(&function.name, Bound::Function(Arc::clone(function)), line, run),
                StmtKind::Assign { targets, value } => {
                    self.mutated_in(value);
                    for target in targets {
                        self.assign(target, value, run);
                    }
                }
                StmtKind::Annotated { target, value: Some(value), .. } => {
                    self.mutated_in(value);
                    self.assign(target, value, run);
                }
                StmtKind::TypeAlias { name, value } => self.bind(name, Bound::Value(Arc::clone(value)), line, run),
                StmtKind::Import(names) => {
                    for (dotted, known_as) in names {
                        let head: Name = dotted.split('.').next().unwrap_or_default().into();
                        match known_as {
                            Some(name) => self.bind(name, Bound::Import(Arc::clone(dotted)), line, run),
                            None => self.bind(&Arc::clone(&head), Bound::Import(head), line, run),
                        }
                    }
                }
                StmtKind::ImportFrom { level, module, names } => {
                    let base = self.named_from(*level, module.as_deref());
                    for (name, known_as) in names {
                        if &**name == "*" {
                            if !self.binds.is_empty() {
                                self.late_stars.push((Arc::clone(&base), self.binds.len()));
                            }
                            self.stars.push(Arc::clone(&base));
                        } else {
                            let bound = Bound::From(Arc::clone(&base), Arc::clone(name));
                            self.bind(known_as.as_ref().unwrap_or(name), bound, line, run);
                        }
                    }
                }
                StmtKind::If(branches) => self.branches(branches, run),
                StmtKind::Try { body, handlers, otherwise, finally } => {
                    self.collect(body, below(run, Run::Tried));
                    self.collect(otherwise, below(run, Run::Tried));
                    for handler in handlers {
                        self.collect(&handler.body, below(run, Run::Rescue));
                    }
                    self.collect(finally, run);
                }
                StmtKind::With { body, .. } => self.collect(body, below(run, Run::Tried)),
                StmtKind::Expression(expr) => self.effect(expr),
                StmtKind::For { target, iter, body, otherwise } => {
                    self.mutated_in(iter);
                    self.assign_several(target);
                    self.collect(body, Run::Maybe);
                    self.collect(otherwise, Run::Maybe);
                }
                StmtKind::Augmented { target, value, .. } => {
                    self.mutated_in(value);
                    self.change(target);
                }
                StmtKind::Delete(targets) => targets.iter().for_each(|target| self.change(target)),
                StmtKind::While { body, otherwise, .. } => {
                    self.collect(body, Run::Maybe);
                    self.collect(otherwise, Run::Maybe);
                }
                StmtKind::Match { binds, .. } | StmtKind::Other { binds, .. } => {
                    for name in binds {
                        self.insert(name, Bound::Unclear(line, "it is bound in a loop, or changed"));
                    }
                }
                StmtKind::Annotated { .. }
                | StmtKind::Return(_)
                | StmtKind::Raise(_)
                | StmtKind::Assert(..)
                | StmtKind::Continue
                | StmtKind::Break
                | StmtKind::Pass => {}
            }
        }
    }

    /// Records that the value to which a target refers is changed.
    fn change(&mut self, target: &Expr) {
        match &target.kind {
            ExprKind::Tuple(targets) | ExprKind::List(targets) => targets.iter().for_each(|target| self.change(target)),
            ExprKind::Starred(target) => self.change(target),
            _ => {
                if let Some(name) = root_name(target) {
                    self.insert(name, Bound::Unclear(target.line, "it is bound in a loop, or changed"));
                }
            }
        }
    }

    fn branches(&mut self, branches: &[(Option<Expr>, Vec<Stmt>)], run: Run) {
        let is_for_types = |test: &Option<Expr>| test.as_ref().is_some_and(|test| last_name(test) == Some("TYPE_CHECKING"));
        let is_program = |test: &Option<Expr>| test.as_ref().is_some_and(names_program);
        for (index, (test, body)) in branches.iter().enumerate() {
            let below_types = index > 0 && is_for_types(&branches[0].0) && test.is_none();
            match () {
                () if is_for_types(test) => self.collect(body, below(run, Run::ForTypes)),
                () if below_types => self.collect(body, run),
                // `if __name__ == "__main__"` does not run if the module is imported.
                () if is_program(test) => {}
                () => self.collect(body, Run::Maybe),
            }
        }
    }

    fn assign(&mut self, target: &Expr, value: &Arc<Expr>, run: Run) {
        match &target.kind {
            ExprKind::Name(name) => self.bind(name, Bound::Value(Arc::clone(value)), target.line, run),
            ExprKind::Tuple(_) | ExprKind::List(_) => self.assign_several(target),
            // `Model.field = ...`
            _ => {
                if let Some(name) = root_name(target) {
                    self.touch(name, target);
                }
            }
        }
    }

    /// Records that the statement `by` changes the value of `name`, or of all names if it is their container.
    fn touch(&mut self, name: &Name, by: &Expr) {
        if matches!(&**name, "globals" | "vars" | "locals" | "exec" | "eval") || names_modules(by) {
            self.all_changed.get_or_insert(by.line);
        }
        self.changed.insert(Arc::clone(name), by.line);
    }

    /// Binds names to unknown parts of a value.
    fn assign_several(&mut self, target: &Expr) {
        match &target.kind {
            ExprKind::Tuple(targets) | ExprKind::List(targets) => targets.iter().for_each(|target| self.assign_several(target)),
            _ => {
                if let Some(name) = root_name(target) {
                    self.insert(name, Bound::Unclear(target.line, "it is bound to a part of a value"));
                }
            }
        }
    }

    /// Records the values of the module that calls of methods within an expression change, also if the results are used.
    fn mutated_in(&mut self, expr: &Expr) {
        if let ExprKind::Call(call) = &expr.kind
            && let ExprKind::Attribute(of, method) = &call.function.kind
            && MUTATORS.contains(&&**method)
            && let Some(name) = root_name(of)
            && !matches!(self.binds.get(name), None | Some((_, Bound::Import(_))))
        {
            self.touch(name, &call.function);
        }
        for part in expr.parts() {
            self.mutated_in(part);
        }
    }

    /// A call whose result is not used may change the values that it refers to.
    fn effect(&mut self, expr: &Expr) {
        self.mutated_in(expr);
        let ExprKind::Call(call) = &expr.kind else { return };
        // Of a module, only `sys.path` and the like have items to append to.
        let is_of_module =
            || matches!(root_name(&call.function).and_then(|name| self.binds.get(name)), Some((_, Bound::Import(_))));
        let is_harmless = match last_name(&call.function) {
            Some("model_rebuild" | "update_forward_refs" | "info" | "debug" | "warning" | "filterwarnings") => true,
            Some("append") => is_of_module(),
            _ => false,
        };
        if is_harmless {
            return;
        }
        let named = std::iter::once(&call.function).chain(&call.arguments);
        for (name, by) in named.filter_map(|named| Some((root_name(named)?, named))) {
            self.touch(name, by);
        }
    }
}

/// The methods that change a list, a set or a dict.
const MUTATORS: [&str; 17] = [
    "append",
    "extend",
    "insert",
    "remove",
    "pop",
    "popitem",
    "clear",
    "sort",
    "reverse",
    "add",
    "discard",
    "update",
    "setdefault",
    "difference_update",
    "intersection_update",
    "symmetric_difference_update",
    "__setitem__",
];

/// Whether a statement within a block is run, if the block itself is run as `outer`.
fn below(outer: Run, inner: Run) -> Run {
    if outer == Run::Always || outer == inner { inner } else { Run::Maybe }
}

/// The last part of a dotted name.
fn last_name(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Name(name) | ExprKind::Attribute(_, name) => Some(name),
        _ => None,
    }
}

/// The first part of a dotted name, which may contain calls and indices.
fn root_name(expr: &Expr) -> Option<&Name> {
    match &expr.kind {
        ExprKind::Name(name) => Some(name),
        ExprKind::Attribute(of, _) | ExprKind::Subscript(of, _) => root_name(of),
        ExprKind::Call(call) => root_name(&call.function),
        _ => None,
    }
}

/// Whether an expression refers to `sys.modules`.
fn names_modules(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Attribute(of, name) => &**name == "modules" || names_modules(of),
        ExprKind::Subscript(of, _) => names_modules(of),
        ExprKind::Call(call) => names_modules(&call.function),
        _ => false,
    }
}

/// The statements of a module that do something if it is run as a program.
fn program(body: Vec<Stmt>) -> Vec<Stmt> {
    let mut kept = Vec::new();
    for stmt in body {
        match stmt.kind {
            StmtKind::If(branches) => {
                for (_, body) in branches.into_iter().filter(|(test, _)| test.as_ref().is_some_and(names_program)) {
                    kept.extend(body);
                }
            }
            StmtKind::Assign { ref value, .. } if matches!(value.kind, ExprKind::Call(_)) => kept.push(stmt),
            StmtKind::Expression(ref value) if matches!(value.kind, ExprKind::Call(_)) => kept.push(stmt),
            _ => {}
        }
    }
    kept
}

fn names_program(test: &Expr) -> bool {
    matches!(&test.kind, ExprKind::Compare(left, _) if last_name(left) == Some("__name__"))
}
