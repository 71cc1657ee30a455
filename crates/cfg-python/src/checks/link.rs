//! What the names in the code of checks stand for, looked up while the sources are available.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    sync::Arc,
};

use cfg_schema::OwnCheck;

use super::{Check, Code, Linked, key};
use crate::{
    ast::{Expr, ExprKind, Function, Name, Part, Stmt, StmtKind},
    class::Class,
    module::Module,
    names::Reader,
    value::Value,
};

/// So many functions are looked at: the checks of all of prime-rl's classes need some hundred.
const MOST_FUNCTIONS: usize = 4000;

/// The code of those `before` and `after` validators of the classes that `known` does not have with the same revision. `places` has the class
/// of the table at each kind and path.
pub(crate) fn link(
    reader: &mut Reader<'_>,
    places: &BTreeMap<(usize, String), Arc<Class>>,
    known: &HashSet<(&str, u64)>,
) -> Code {
    let mut follower =
        Linker { reader, code: Code::default(), seen: HashSet::new(), attributes: BTreeSet::new(), work: Vec::new() };
    let mut numbers: HashMap<usize, usize> = HashMap::new();
    for (place, class) in places {
        let number = match numbers.get(&key(class)) {
            Some(number) => *number,
            None => {
                let linked = follower.class(class, known);
                follower.code.classes.push(linked);
                let number = follower.code.classes.len() - 1;
                numbers.insert(key(class), number);
                number
            }
        };
        follower.code.places.insert(place.clone(), number);
    }
    let checks = follower.code.classes.iter().flat_map(|linked| &linked.checks);
    let functions: Vec<_> = checks.map(|check| (Arc::clone(&check.home.module), Arc::clone(&check.function))).collect();
    follower.work.extend(functions);
    follower.follow();
    let mut code = follower.code;
    let files = code.classes.iter().map(|linked| Arc::clone(&linked.class.module.path));
    let functions = follower.seen.iter().map(|(file, _)| Arc::clone(file));
    code.shown = files.chain(functions).map(|file| (file, String::new())).collect();
    code
}

struct Linker<'r, 's> {
    reader: &'r mut Reader<'s>,
    code: Code,
    /// The functions that were looked at, by their file and line.
    seen: HashSet<(Name, u32)>,
    /// The attributes that code asks for.
    attributes: BTreeSet<Name>,
    work: Vec<(Arc<Module>, Arc<Function>)>,
}

impl Linker<'_, '_> {
    fn class(&mut self, class: &Arc<Class>, known: &HashSet<(&str, u64)>) -> Linked {
        let revisions = self.reader.revisions(class);
        let validators = self.reader.validators(class);
        let is_known = |one: &crate::field::Validator| {
            let revision = revisions.iter().find(|revision| *revision.name == *one.name && revision.place.1 == one.line);
            revision.is_some_and(|revision| known.contains(&(&*one.name, revision.revision)))
        };
        let changed: Vec<Name> = validators.iter().filter(|one| !is_known(one)).map(|one| Arc::clone(&one.name)).collect();
        let of_whole = validators.iter().filter(|one| one.fields.is_none() && matches!(&*one.mode, "before" | "after"));
        let checks = of_whole.clone().filter_map(|one| {
            if is_known(one) {
                return None;
            }
            let function = one.home.function(&one.name)?;
            let own = OwnCheck { name: one.name.to_string(), place: String::new(), reads: None };
            Some(Check { own, home: Arc::clone(&one.home), function: Arc::clone(function), is_before: &*one.mode == "before" })
        });
        let checks: Vec<Check> = checks.collect();
        let changes_itself = of_whole.filter(|one| &*one.mode == "after").count() > 0;
        let fields = self.reader.fields(class);
        self.code.fields.insert(key(class), fields);
        Linked { class: Arc::clone(class), checks, changed, changes_itself }
    }

    /// Looks at all functions that those to be run may lead to.
    fn follow(&mut self) {
        let mut asked = 0;
        loop {
            while let Some((module, function)) = self.work.pop() {
                if self.seen.len() > MOST_FUNCTIONS || !self.seen.insert((Arc::clone(&module.path), function.line)) {
                    continue;
                }
                self.function(&module, &function);
            }
            if asked == self.attributes.len() {
                return;
            }
            asked = self.attributes.len();
            self.members();
        }
    }

    /// The functions and values of classes that code asks for by an attribute.
    fn members(&mut self) {
        let classes: Vec<Arc<Class>> = self.code.classes.iter().map(|linked| Arc::clone(&linked.class)).collect();
        let attributes: Vec<Name> = self.attributes.iter().cloned().collect();
        for class in classes {
            for name in &attributes {
                self.member(&class, name);
            }
        }
    }

    fn member(&mut self, class: &Arc<Class>, name: &Name) {
        let found = class.line().find_map(|home| Some((Arc::clone(&home.module), Arc::clone(home.function(name)?))));
        if let Some(found) = found {
            self.work.push(found);
            return;
        }
        let is_field = self.code.field(class, name).is_some();
        if !is_field
            && !self.code.class_values.contains_key(&(key(class), Arc::clone(name)))
            && let Some(value) = self.reader.class_attribute(class, name)
        {
            self.value(&value);
            self.code.class_values.insert((key(class), Arc::clone(name)), value);
        }
    }

    fn function(&mut self, module: &Arc<Module>, function: &Arc<Function>) {
        for parameter in &function.parameters {
            if let Some(default) = &parameter.default {
                self.expr(module, default);
            }
        }
        self.block(module, &function.body);
    }

    fn block(&mut self, module: &Arc<Module>, body: &[Stmt]) {
        for stmt in body {
            self.stmt(module, stmt);
        }
    }

    fn stmt(&mut self, module: &Arc<Module>, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Return(Some(expr)) | StmtKind::Expression(expr) | StmtKind::Raise(Some(expr)) => self.expr(module, expr),
            StmtKind::Assign { targets, value } => {
                targets.iter().for_each(|target| self.expr(module, target));
                self.expr(module, value);
            }
            StmtKind::Annotated { target, value, .. } => {
                self.expr(module, target);
                value.iter().for_each(|value| self.expr(module, value));
            }
            StmtKind::Augmented { target, value, operator: _ } => {
                self.expr(module, target);
                self.expr(module, value);
            }
            StmtKind::Assert(test, message) => {
                self.expr(module, test);
                message.iter().for_each(|message| self.expr(module, message));
            }
            StmtKind::If(branches) => {
                for (test, body) in branches {
                    test.iter().for_each(|test| self.expr(module, test));
                    self.block(module, body);
                }
            }
            StmtKind::For { target, iter, body, otherwise } => {
                self.expr(module, target);
                self.expr(module, iter);
                self.block(module, body);
                self.block(module, otherwise);
            }
            StmtKind::While { test, body, otherwise } => {
                self.expr(module, test);
                self.block(module, body);
                self.block(module, otherwise);
            }
            StmtKind::Try { body, handlers, otherwise, finally } => {
                self.block(module, body);
                for handler in handlers {
                    handler.catches.iter().for_each(|caught| self.expr(module, caught));
                    self.block(module, &handler.body);
                }
                self.block(module, otherwise);
                self.block(module, finally);
            }
            StmtKind::With { items, body } => {
                for (entered, target) in items {
                    self.expr(module, entered);
                    target.iter().for_each(|target| self.expr(module, target));
                }
                self.block(module, body);
            }
            StmtKind::Delete(targets) => targets.iter().for_each(|target| self.expr(module, target)),
            StmtKind::Function(function) => self.function(module, function),
            StmtKind::Import(names) => {
                for (dotted, _) in names {
                    let is_there = self.reader.module(dotted).is_some();
                    self.code.modules.insert(Arc::clone(dotted), is_there);
                }
            }
            StmtKind::ImportFrom { level, module: from, names } => {
                let base = module.named_from(*level, from.as_deref());
                let is_there = self.reader.module(&base).is_some();
                self.code.modules.insert(Arc::clone(&base), is_there);
                for (name, _) in names {
                    self.of_module(module, &base, name);
                }
            }
            StmtKind::Return(None)
            | StmtKind::Raise(None)
            | StmtKind::Class(_)
            | StmtKind::TypeAlias { .. }
            | StmtKind::Continue
            | StmtKind::Break
            | StmtKind::Pass
            | StmtKind::Other { .. } => {}
        }
    }

    fn expr(&mut self, module: &Arc<Module>, expr: &Expr) {
        match &expr.kind {
            ExprKind::Name(name) => {
                let known = (Arc::clone(&module.name), Arc::clone(name));
                if !self.code.globals.contains_key(&known)
                    && let Some(value) = self.reader.global(module, name)
                {
                    self.value(&value);
                    self.code.globals.insert(known, value);
                }
            }
            ExprKind::Attribute(of, name) => {
                self.attributes.insert(Arc::clone(name));
                self.expr(module, of);
                match self.dotted(module, of) {
                    Some(Value::Module(base)) => self.of_module(module, &base, name),
                    Some(Value::Class(class)) => self.member(&class, name),
                    _ => {}
                }
                return;
            }
            ExprKind::Formatted(parts) => {
                for part in parts {
                    if let Part::Value { value, .. } = part {
                        self.expr(module, value);
                    }
                }
            }
            ExprKind::Lambda(lambda) => self.expr(module, &lambda.body),
            ExprKind::Comprehension(made) => made.clauses.iter().for_each(|clause| self.expr(module, &clause.target)),
            ExprKind::Call(call) => {
                // `getattr(config, "name")` asks for an attribute too.
                for argument in &call.arguments {
                    if let ExprKind::Str(text) = &argument.kind
                        && matches!(&call.function.kind, ExprKind::Name(name) if name.ends_with("attr"))
                    {
                        self.attributes.insert(Arc::clone(text));
                    }
                }
            }
            _ => {}
        }
        for part in expr.parts() {
            self.expr(module, part);
        }
    }

    /// What a dotted name stands for, as far as it leads through modules.
    fn dotted(&mut self, module: &Arc<Module>, expr: &Expr) -> Option<Value> {
        match &expr.kind {
            ExprKind::Name(name) => self.reader.global(module, name),
            ExprKind::Attribute(of, name) => match self.dotted(module, of)? {
                Value::Module(base) => Some(self.reader.of_module(&base, name, module)),
                _ => None,
            },
            _ => None,
        }
    }

    fn of_module(&mut self, asked: &Arc<Module>, base: &Name, name: &Name) {
        let known = (Arc::clone(base), Arc::clone(name));
        if self.code.globals.contains_key(&known) {
            return;
        }
        let value = self.reader.of_module(base, name, asked);
        self.value(&value);
        self.code.globals.insert(known, value);
    }

    /// What code may do with a value.
    fn value(&mut self, value: &Value) {
        match value {
            Value::Function(module, function) => self.work.push((Arc::clone(module), Arc::clone(function))),
            Value::Lambda(module, lambda, _) => self.expr(&Arc::clone(module), &lambda.body),
            Value::Class(class) if class.is_model && !self.code.fields.contains_key(&key(class)) => {
                let fields = self.reader.fields(class);
                self.code.fields.insert(key(class), fields);
            }
            Value::Module(name) => {
                self.code.modules.insert(Arc::clone(name), true);
            }
            Value::Tuple(items) | Value::List(items) | Value::Set(items) | Value::Union(items) => {
                items.iter().for_each(|item| self.value(item));
            }
            Value::Dict(entries) => entries.iter().for_each(|(_, value)| self.value(value)),
            Value::Instance(class, _) => self.value(&Value::Class(Arc::clone(class))),
            _ => {}
        }
    }
}
