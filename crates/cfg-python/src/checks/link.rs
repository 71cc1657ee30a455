//! Resolves the names in the code of checks while the sources are available.

mod values;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use cfg_schema::{FieldCheck, OwnCheck};

use super::{Changed, Check, Code, Linked, enums::enums_in, key};
use crate::hash::{HashMap, HashSet};
use crate::{
    ast::{Expr, ExprKind, Function, Name, Part, Pattern, Stmt, StmtKind},
    class::Class,
    module::Module,
    names::Reader,
    of_field::{Called, Known},
    revision::Decides,
    value::Value,
};

/// The maximum number of functions that are followed. The checks of all classes of prime-rl need some hundred.
const MAX_FUNCTIONS: usize = 4000;

/// The code of the checks that `known` does not contain with the same revision. `places` has the class of the table at each kind and path.
pub(crate) fn link(reader: &mut Reader<'_>, places: &BTreeMap<(usize, String), Arc<Class>>, known: &Known) -> Code {
    let changed_members = changed_members(reader, places, known);
    let mut follower = Linker {
        reader,
        code: Code::default(),
        seen: HashSet::default(),
        attributes: BTreeSet::new(),
        changed_members,
        work: Vec::new(),
    };
    let mut numbers: HashMap<usize, usize> = HashMap::default();
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
    let of_fields: Vec<Called> =
        follower.code.classes.iter().flat_map(|linked| &linked.called_of_fields).map(|one| one.called.clone()).collect();
    for called in of_fields {
        match called {
            Called::OfClass(home, function) => follower.work.push((Arc::clone(&home.module), function)),
            Called::Attached(value) => follower.value(&value),
        }
    }
    follower.follow();
    let mut code = follower.code;
    let files = code.classes.iter().map(|linked| Arc::clone(&linked.class.module.path));
    let functions = follower.seen.iter().map(|(file, _)| Arc::clone(file));
    let of_fields = code.classes.iter().flat_map(|linked| &linked.called_of_fields).map(|one| Arc::clone(&one.module.path));
    let changed = code.classes.iter().flat_map(|linked| &linked.changed).map(|one| Arc::clone(&one.module.path));
    code.shown = files.chain(functions).chain(of_fields).chain(changed).map(|file| (file, String::new())).collect();
    code
}

/// The names of the functions and constants of classes that `known` does not contain with the same revision, or that use such a one.
fn changed_members(reader: &mut Reader<'_>, places: &BTreeMap<(usize, String), Arc<Class>>, known: &Known) -> BTreeSet<Name> {
    let mut looked_at = HashSet::default();
    let mut changed: BTreeSet<Name> = BTreeSet::new();
    let mut asks: Vec<(Name, Arc<Decides>)> = Vec::new();
    for class in places.values().filter(|class| looked_at.insert(key(class))) {
        for (home, function) in reader.functions_of(class) {
            let decides = reader.decides(Some(class), &home.module, &function);
            if !known.has(&home.name, &function.name, decides.revision) {
                changed.insert(Arc::clone(&function.name));
            }
            asks.push((Arc::clone(&function.name), decides));
        }
        for (name, decides) in reader.constants_of(class) {
            if !known.has(&class.name, &name, decides.revision) {
                changed.insert(Arc::clone(&name));
            }
            asks.push((name, Arc::new(decides)));
        }
    }
    loop {
        let before = changed.len();
        if !reader.pays(asks.len() * 16) {
            return changed;
        }
        for (name, decides) in &asks {
            if !decides.attributes.is_disjoint(&changed) {
                changed.insert(Arc::clone(name));
            }
        }
        if changed.len() == before {
            return changed;
        }
    }
}

struct Linker<'r, 's> {
    reader: &'r mut Reader<'s>,
    code: Code,
    /// The functions that have been visited, by file and line.
    seen: HashSet<(Name, u32)>,
    /// The attributes that the code reads.
    attributes: BTreeSet<Name>,
    /// The names of functions and constants that differ from the base point in at least one class.
    changed_members: BTreeSet<Name>,
    work: Vec<(Arc<Module>, Arc<Function>)>,
}

impl Linker<'_, '_> {
    fn class(&mut self, class: &Arc<Class>, known: &Known) -> Linked {
        let validators = self.reader.validators(class);
        let mut changed = Vec::new();
        let mut checks = Vec::new();
        for one in validators.iter() {
            let Some(function) = one.home.function(&one.name) else { continue };
            let decides = self.reader.decides(Some(class), &one.home.module, function);
            // The parts of other tables that it reads may differ, too.
            let is_known = known.has(&one.home.name, &one.name, decides.revision)
                && !known.lists_otherwise(one)
                && decides.attributes.is_disjoint(&self.changed_members);
            if is_known {
                continue;
            }
            let own = OwnCheck { name: one.name.to_string(), place: String::new(), reads: None };
            changed.push(Changed { own: own.clone(), module: Arc::clone(&one.home.module), line: one.line });
            if one.fields.is_none() && matches!(&*one.mode, "before" | "after") {
                let is_before = &*one.mode == "before";
                checks.push(Check { own, home: Arc::clone(&one.home), function: Arc::clone(function), is_before });
            }
        }
        let changes_itself = validators.iter().any(|one| one.fields.is_none() && &*one.mode == "after");
        if self.reader.opaque(class).is_some() {
            self.code.opaque.insert(key(class));
        }
        let fields = self.reader.fields(class);
        for field in fields.iter() {
            let mut found = Vec::new();
            enums_in(&field.annotation, &mut found);
            found.into_iter().for_each(|class| self.enumeration(class));
        }
        let by_class = self.reader.setting(class, "validate_default").and_then(|value| value.truth());
        let (mut of_fields, mut called_of_fields, mut compared_defaults) = (Vec::new(), Vec::new(), Vec::new());
        for field in fields.iter() {
            let looks_at_default = field.validates_default().or(by_class).unwrap_or(class.is_settings);
            if looks_at_default && field.default.as_ref().is_some_and(Value::is_plain) {
                compared_defaults.push(Arc::clone(&field.name));
            }
            for one in self.reader.of_field(class, field) {
                of_fields.push(FieldCheck {
                    own: OwnCheck { name: one.name.to_string(), place: String::new(), reads: None },
                    field: Arc::clone(&field.name),
                    is_before: one.is_before,
                    looks_at_default,
                    reads_others: one.takes_more(),
                });
                called_of_fields.push(one);
            }
        }
        self.code.fields.insert(key(class), fields);
        Linked { class: Arc::clone(class), checks, of_fields, called_of_fields, compared_defaults, changed, changes_itself }
    }

    /// Visits all functions that the code may call.
    fn follow(&mut self) {
        let mut asked = 0;
        loop {
            while let Some((module, function)) = self.work.pop() {
                if self.seen.len() > MAX_FUNCTIONS || !self.seen.insert((Arc::clone(&module.path), function.line)) {
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

    /// Adds the functions and values of classes that the code reads as attributes.
    fn members(&mut self) {
        let classes: Vec<Arc<Class>> = self.code.classes.iter().map(|linked| Arc::clone(&linked.class)).collect();
        let attributes: Vec<Name> = self.attributes.iter().cloned().collect();
        for class in classes {
            if !self.reader.pays(attributes.len() * 4) {
                return;
            }
            // The bases too, for `super()`.
            for class in class.line().filter(|class| class.is_model) {
                attributes.iter().for_each(|name| self.member(&class, name));
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
        function.decorators.iter().for_each(|decorator| self.expr(module, decorator));
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
                targets.iter().for_each(|target| self.assigned(target));
                targets.iter().for_each(|target| self.expr(module, target));
                self.expr(module, value);
            }
            StmtKind::Annotated { target, value, .. } => {
                self.assigned(target);
                self.expr(module, target);
                value.iter().for_each(|value| self.expr(module, value));
            }
            StmtKind::Augmented { target, value, operator: _ } => {
                self.assigned(target);
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
            StmtKind::Match { subject, cases, .. } => {
                self.expr(module, subject);
                for case in cases {
                    self.pattern(module, &case.pattern);
                    case.guard.iter().for_each(|guard| self.expr(module, guard));
                    self.block(module, &case.body);
                }
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

    /// Records the private attributes to which a target assigns.
    fn assigned(&mut self, target: &Expr) {
        match &target.kind {
            ExprKind::Attribute(_, name) if name.starts_with('_') => {
                self.code.assigned.insert(Arc::clone(name));
            }
            ExprKind::Tuple(targets) | ExprKind::List(targets) => targets.iter().for_each(|target| self.assigned(target)),
            _ => {}
        }
    }

    fn formatted(&mut self, module: &Arc<Module>, parts: &[Part]) {
        for part in parts {
            if let Part::Value { value, layout, .. } = part {
                self.expr(module, value);
                layout.iter().for_each(|layout| self.formatted(module, layout));
            }
        }
    }

    fn pattern(&mut self, module: &Arc<Module>, pattern: &Pattern) {
        if let Pattern::Class { named, .. } = pattern {
            self.attributes.extend(named.iter().map(|(name, _)| Arc::clone(name)));
        }
        pattern.exprs().into_iter().for_each(|expr| self.expr(module, expr));
        pattern.parts().into_iter().for_each(|part| self.pattern(module, part));
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
                self.formatted(module, parts);
            }
            ExprKind::Lambda(lambda) => self.expr(module, &lambda.body),
            ExprKind::Comprehension(made) => made.clauses.iter().for_each(|clause| self.expr(module, &clause.target)),
            ExprKind::Call(call) => {
                // `getattr(config, "name")` also reads an attribute.
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
}
