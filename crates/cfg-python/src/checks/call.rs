//! Evaluates the calls in a check.

use std::{rc::Rc, sync::Arc};

use cfg_schema::{Open, Reason};

use super::{
    builtins::is_error,
    heap,
    object::{Around, Names, Object, Place, Why},
    run::{Frame, Outcome, Run},
};
use crate::{
    ast::{Call, Clause, Expr, ExprKind, Function, Name},
    module::Module,
};

/// The arguments of a call.
pub(super) type Given = Vec<(Object, Rc<[Place]>)>;
pub(super) type Named = Vec<(Name, (Object, Rc<[Place]>))>;

impl Run<'_> {
    pub(super) fn call_expr(&mut self, frame: &mut Frame, line: u32, call: &Call) -> Outcome<Object> {
        let function = match self.any_or_all(frame, call)? {
            Ok(value) => return Ok(value),
            Err(function) => function,
        };
        let mut given: Given = Vec::new();
        for argument in &call.arguments {
            match &argument.kind {
                ExprKind::Starred(inner) => {
                    let inner = self.eval(frame, inner)?;
                    match self.iterated(frame, line, &inner)? {
                        Ok(items) => given.extend(items.into_iter().map(|item| (item, Rc::default()))),
                        Err(why) => return Ok(Object::Unknown(why)),
                    }
                }
                // All items are taken, so what it raises is raised here.
                ExprKind::Comprehension(made) if takes_all(&function) => {
                    let start = self.reads.len();
                    let made = self.comprehension(frame, made)?;
                    given.push((made, self.reads[start..].to_vec().into()));
                }
                _ => given.push(self.tracked(frame, argument)?),
            }
        }
        let mut named: Named = Vec::new();
        for (name, value) in &call.keywords {
            let (value, reads) = self.tracked(frame, value)?;
            match name {
                Some(name) => named.push((Arc::clone(name), (value, reads))),
                None => match &value {
                    Object::Dict(entries) if entries.lost.borrow().is_none() => {
                        for (key, value) in entries.value.borrow().iter() {
                            let Object::Str(key) = key else { continue };
                            heap::spend(named.len());
                            if named.iter().any(|(own, _)| own == key) {
                                let message = format!("got multiple values for keyword argument '{key}'");
                                return Err(self.raised(frame, line, "TypeError", message));
                            }
                            named.push((Arc::clone(key), (value.clone(), Rc::default())));
                        }
                    }
                    Object::Unknown(_) => return Ok(value),
                    _ => return Ok(self.unknown(frame, line, "`**` of a value that is not a dict")),
                },
            }
        }
        self.call(frame, line, &function, given, named)
    }

    /// The result of `any` or `all` of a generator, which is evaluated only until the result is known. For any other call, the inner
    /// error is the function to call.
    fn any_or_all(&mut self, frame: &mut Frame, call: &Call) -> Outcome<Result<Object, Object>> {
        let function = self.eval(frame, &call.function)?;
        let Object::External(name) = &function else { return Ok(Err(function)) };
        let stops_at = match &**name {
            "builtins.any" => true,
            "builtins.all" => false,
            "builtins.next" => return self.next_of(frame, call).map(|found| found.ok_or(function)),
            _ => return Ok(Err(function)),
        };
        let [Expr { kind: ExprKind::Comprehension(made), .. }] = call.arguments.as_slice() else { return Ok(Err(function)) };
        let before = frame.copy_of_names();
        let mut found = Found { stops_at, unknown: None };
        let outcome = self.any(frame, &made.clauses, &made.element, &mut found);
        Self::end_scope(frame, &before, &made.clauses);
        let is_there = outcome?;
        Ok(Ok(if is_there { Object::Bool(stops_at) } else { found.unknown.map_or(Object::Bool(!stops_at), Object::Unknown) }))
    }

    /// The result of `next` of a generator, of which only the first item is evaluated. `None` if it is another call, or the result is unknown.
    fn next_of(&mut self, frame: &mut Frame, call: &Call) -> Outcome<Option<Object>> {
        let (made, default) = match call.arguments.as_slice() {
            [Expr { kind: ExprKind::Comprehension(made), .. }] => (made, None),
            [Expr { kind: ExprKind::Comprehension(made), .. }, default] => (made, Some(default)),
            _ => return Ok(None),
        };
        let default = default.map(|default| self.eval(frame, default)).transpose()?;
        let before = frame.copy_of_names();
        let mut found = First { value: None, unknown: None };
        let outcome = self.first(frame, &made.clauses, &made.element, &mut found);
        Self::end_scope(frame, &before, &made.clauses);
        outcome?;
        Ok(Some(match (found.unknown, found.value) {
            (Some(why), _) => Object::Unknown(why),
            (None, Some(value)) => value,
            (None, None) => match default {
                Some(default) => default,
                None => return Err(self.raised(frame, call.function.line, "StopIteration", "")),
            },
        }))
    }

    /// Looks for the first item of a generator, until one is found or it is unknown whether there is one.
    fn first(&mut self, frame: &mut Frame, clauses: &[Clause], element: &Expr, found: &mut First) -> Outcome<()> {
        let Some((clause, rest)) = clauses.split_first() else {
            found.value = Some(self.eval(frame, element)?);
            return Ok(());
        };
        let (over, reads) = self.tracked(frame, &clause.iter)?;
        let items = match self.iterated(frame, clause.iter.line, &over)? {
            Ok(items) => items,
            Err(why) => {
                found.unknown = Some(why);
                return Ok(());
            }
        };
        'items: for item in items {
            self.assign(frame, &clause.target, item, &reads)?;
            for condition in &clause.conditions {
                match self.holds(frame, condition)? {
                    Ok(true) => {}
                    Ok(false) => continue 'items,
                    Err(why) => {
                        found.unknown = Some(why);
                        return Ok(());
                    }
                }
            }
            self.first(frame, rest, element, found)?;
            if found.value.is_some() || found.unknown.is_some() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Whether a generator yields the searched value. Unknown values are recorded in `found`.
    fn any(&mut self, frame: &mut Frame, clauses: &[Clause], element: &Expr, found: &mut Found) -> Outcome<bool> {
        let Some((clause, rest)) = clauses.split_first() else {
            let holds = match found.unknown.clone() {
                None => self.holds(frame, element)?,
                // It is unknown whether this item is reached.
                Some(why) => self.perhaps(frame, &why, |run, frame| run.holds(frame, element)).unwrap_or(Err(why)),
            };
            return Ok(match holds {
                Ok(truth) => truth == found.stops_at,
                Err(why) => {
                    found.unknown.get_or_insert(why);
                    false
                }
            });
        };
        let (over, reads) = self.tracked(frame, &clause.iter)?;
        let items = match self.iterated(frame, clause.iter.line, &over)? {
            Ok(items) => items,
            Err(why) => {
                found.unknown.get_or_insert(why);
                return Ok(false);
            }
        };
        'items: for item in items {
            self.assign(frame, &clause.target, item, &reads)?;
            for condition in &clause.conditions {
                match self.holds(frame, condition)? {
                    Ok(true) => {}
                    Ok(false) => continue 'items,
                    Err(why) => {
                        found.unknown.get_or_insert(why);
                        continue 'items;
                    }
                }
            }
            if self.any(frame, rest, element, found)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Calls an object.
    pub(super) fn call(
        &mut self,
        frame: &mut Frame,
        line: u32,
        function: &Object,
        given: Given,
        named: Named,
    ) -> Outcome<Object> {
        if let Some(found) = self.look_up(frame, line, function, &given) {
            return found;
        }
        match function {
            Object::Function(module, function, around) => {
                if function.decorators.iter().all(is_harmless) {
                    let around = now(frame, around);
                    self.closure(module, function, None, &around, given, named)
                } else {
                    self.decorated(frame, line, module, function, given, named)
                }
            }
            Object::Plain(module, function) => self.closure(module, function, None, &Rc::default(), given, named),
            Object::Lambda(module, lambda, around) => {
                let around = now(frame, around);
                heap::spend(around.names.len() * 4);
                let mut inner = Frame::new(module, around.names.clone(), None);
                if self.bind(&mut inner, &lambda.parameters, given, named)? {
                    self.eval(&mut inner, &lambda.body)
                } else {
                    Ok(self.unknown(frame, line, "a lambda whose arguments do not match"))
                }
            }
            Object::Bound(this, home, function) => {
                let given = match () {
                    () if is_decorated(function, &["staticmethod"]) => given,
                    () if is_decorated(function, &["classmethod"]) => {
                        let class = match &**this {
                            Object::Class(class) => Arc::clone(class),
                            other => self.class_of(other).unwrap_or_else(|| Arc::clone(home)),
                        };
                        std::iter::once((Object::Class(class), Rc::default())).chain(given).collect()
                    }
                    // A method is called with the object.
                    () if matches!(**this, Object::Class(_)) => given,
                    () => std::iter::once(((**this).clone(), Rc::default())).chain(given).collect(),
                };
                self.function(&home.module, function, Some(home), given, named)
            }
            Object::Class(class) => {
                let mut bases: Vec<Name> = class.absent_bases.iter().filter_map(exception_base).collect();
                if !bases.is_empty() {
                    bases.extend(class.bases.iter().map(|base| Arc::clone(&base.name)));
                }
                match () {
                    () if !bases.is_empty() => Ok(self.exception(&class.name, bases, &given)),
                    () if class.is_enum && named.is_empty() && given.len() == 1 => {
                        self.call_enum(frame, line, class, &given[0].0)
                    }
                    () if class.is_model => self.make(frame, line, class, &given, named),
                    () => Ok(self.unknown(frame, line, format!("an instance of `{}`", class.name))),
                }
            }
            Object::External(name) => self.call_external(frame, line, name, &given, &named),
            Object::Method(of, name) => self.call_method(frame, line, of, name, &given, &named),
            Object::Partial(partial) => {
                let (function, first) = &**partial;
                match (function, given.as_slice()) {
                    (Object::External(name), [(object, _)]) if &**name == "operator.itemgetter" => {
                        let found = first.iter().map(|key| self.item(frame, line, object, key)).collect::<Outcome<Vec<_>>>()?;
                        Ok(one_or_all(found))
                    }
                    (Object::External(name), [(object, _)]) if &**name == "operator.attrgetter" => {
                        let found = first.iter().map(|path| self.attribute_at(frame, line, object, path));
                        Ok(one_or_all(found.collect::<Outcome<Vec<_>>>()?))
                    }
                    _ => {
                        let given = first.iter().map(|first| (first.clone(), Rc::default())).chain(given).collect();
                        self.call(frame, line, function, given, named)
                    }
                }
            }
            Object::Unknown(why) => {
                // An external function may read, refuse or change a table.
                if given.iter().any(|(object, _)| matches!(object, Object::Table(..))) {
                    self.open(why);
                }
                Ok(function.clone())
            }
            Object::None => Err(self.raised(frame, line, "TypeError", "'NoneType' object is not callable")),
            _ => Ok(self.unknown(frame, line, "a call")),
        }
    }

    /// The attribute at a dotted path.
    fn attribute_at(&mut self, frame: &mut Frame, line: u32, of: &Object, path: &Object) -> Outcome<Object> {
        let Object::Str(path) = path else { return Ok(self.unknown(frame, line, "an attribute")) };
        path.split('.').try_fold(of.clone(), |of, name| self.attribute(frame, line, &of, &name.into()))
    }

    /// Calls a function of a module that has decorators of the code's own.
    fn decorated(
        &mut self,
        frame: &mut Frame,
        line: u32,
        module: &Arc<Module>,
        function: &Arc<Function>,
        given: Given,
        named: Named,
    ) -> Outcome<Object> {
        let mut outer = Frame::new(module, Names::new(), None);
        let mut made = Object::Plain(Arc::clone(module), Arc::clone(function));
        for decorator in function.decorators.iter().rev().filter(|decorator| !is_harmless(decorator)) {
            let decorator = self.eval(&mut outer, decorator)?;
            let is_own = matches!(decorator, Object::Function(..) | Object::Lambda(..));
            if !is_own {
                return Ok(self.unmodelled(frame, line, &function.name, &given));
            }
            made = self.call(&mut outer, function.line, &decorator, vec![(made, Rc::default())], Vec::new())?;
        }
        self.call(frame, line, &made, given, named)
    }

    /// A call of a function that is not modelled.
    pub(super) fn unmodelled(&mut self, frame: &Frame, line: u32, name: &str, given: &[(Object, Rc<[Place]>)]) -> Object {
        let why = self.why(&frame.module, line, format!("a call of `{}`", name.trim_start_matches("builtins.")));
        if given.iter().any(|(object, _)| matches!(object, Object::Table(..))) {
            self.open(&why);
        }
        Object::Unknown(why)
    }
}

/// The names around a function as they are now: of the running function that defines it they may have got other values.
fn now(frame: &Frame, around: &Rc<Around>) -> Rc<Around> {
    if around.frame == 0 || around.frame != frame.number {
        return Rc::clone(around);
    }
    let mut names = frame.copy_of_names();
    for name in around.names.keys().filter(|name| !frame.names.contains_key(*name)) {
        // It was bound in a comprehension, and has its last value.
        let why = Open { why: format!("`{name}` in a function"), place: String::new(), reason: Reason::Code };
        names.insert(Arc::clone(name), (Object::Unknown(Rc::new(why)), Rc::default()));
    }
    Rc::new(Around { names, frame: around.frame })
}

/// The only item, or a tuple of several.
fn one_or_all(mut found: Vec<Object>) -> Object {
    match (found.pop(), found.is_empty()) {
        (Some(only), true) => only,
        (Some(last), false) => {
            found.push(last);
            Object::tuple(found)
        }
        (None, _) => Object::None,
    }
}

/// Whether a function takes all items of its argument at once.
fn takes_all(function: &Object) -> bool {
    const FUNCTIONS: [&str; 13] = [
        "builtins.list",
        "builtins.tuple",
        "builtins.set",
        "builtins.frozenset",
        "builtins.dict",
        "builtins.sorted",
        "builtins.sum",
        "builtins.min",
        "builtins.max",
        "collections.Counter",
        "math.prod",
        "builtins.dict.fromkeys",
        "builtins.len",
    ];
    match function {
        Object::External(name) => FUNCTIONS.contains(&&**name),
        Object::Method(_, name) => matches!(&**name, "join" | "extend" | "update" | "union"),
        _ => false,
    }
}

/// The first item of a generator, and why it is unknown whether there is one.
struct First {
    value: Option<Object>,
    unknown: Option<Why>,
}

/// The value for which `any` or `all` searches, and why a value before it is unknown.
struct Found {
    stops_at: bool,
    unknown: Option<Why>,
}

/// Whether a function has a decorator with one of these names.
pub(super) fn is_decorated(function: &Function, words: &[&str]) -> bool {
    function.decorators.iter().any(|decorator| match &decorator.kind {
        ExprKind::Name(name) | ExprKind::Attribute(_, name) => words.contains(&&**name),
        _ => false,
    })
}

/// Whether a decorator returns the function with the same result.
pub(super) fn is_harmless(decorator: &Expr) -> bool {
    let words =
        ["lru_cache", "cache", "staticmethod", "classmethod", "override", "deprecated", "final", "no_type_check", "wraps"];
    match &decorator.kind {
        ExprKind::Name(name) | ExprKind::Attribute(_, name) => words.contains(&&**name),
        ExprKind::Call(call) => is_harmless(&call.function),
        _ => false,
    }
}

/// The name of a base class without `builtins.`; `None` if it is not a builtin exception.
fn exception_base(base: &Name) -> Option<Name> {
    base.strip_prefix("builtins.").filter(|base| is_error(base)).map(Name::from)
}
