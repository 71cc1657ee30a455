//! Runs the code of a check: calls of functions, and the values of the config.

use std::{cell::RefCell, rc::Rc, sync::Arc};

use cfg_schema::{CheckedTable, Open, Raised, Reason, Ruling, Seen, ValueSegment};

use super::{
    Code,
    call::{Given, Named},
    control::is_exception,
    heap,
    object::{Around, DEEPEST, Exception, Names, Object, Place, Why, below, too_much},
    operators::join,
    places::Places,
    statement::Flow,
    table::Table,
};
use crate::hash::{HashMap, HashSet};
use crate::{
    ast::{Expr, Function, Name, Parameter, ParameterKind},
    class::Class,
    module::Module,
    parts::Parts,
};

/// The maximum number of expressions and statements of one check. prime-rl's own checks need some hundred.
pub(super) const MAX_STEPS: usize = 100_000;

/// The maximum depth of calls and nested expressions.
pub(super) const MAX_DEEP: usize = 120;

/// The units for an expression or a statement.
const OF_A_STEP: usize = 8;

/// The longest reason, in bytes.
const LONGEST_REASON: usize = 300;

/// The longest message of an exception, in bytes.
const LONGEST_MESSAGE: usize = 2000;

/// How many of the paths that led to an exception are shown.
const MAX_READS: usize = 64;

/// An exception that ends the evaluation of an expression.
pub(super) type Raise = Rc<Exception>;

/// A value, or the exception that was raised instead.
pub(super) type Outcome<T> = Result<T, Raise>;

/// The path of the values in `info.data`, which code may read but not change.
pub(super) const DATA: &str = "info.data";

/// The units for copying a name with its value.
const OF_A_NAME: usize = 4;

/// A running function.
pub(super) struct Frame {
    pub(super) module: Arc<Module>,
    pub(super) names: Names,
    /// For a method: the class that defines it, and the name of its first parameter.
    pub(super) class: Option<(Arc<Class>, Name)>,
    /// The values that it may have returned already, each with the reason why that is unknown.
    pub(super) returned: Vec<(Object, Why)>,
    /// The number of times that it was unknown whether the following statements run.
    pub(super) leaves: usize,
    /// The paths that were read by conditions under which it could have ended earlier.
    pub(super) guards: Vec<Place>,
    /// The exception that is being handled.
    pub(super) caught: Option<Raise>,
    /// What a generator has yielded.
    pub(super) yields: Vec<Object>,
    /// Why it is unknown what it yields; `None` if it is known.
    pub(super) lost: Option<Why>,
    /// Its number among the runs of functions.
    pub(super) number: usize,
}

impl Frame {
    pub(super) fn new(module: &Arc<Module>, names: Names, class: Option<(Arc<Class>, Name)>) -> Self {
        let (returned, guards, number) = (Vec::new(), Vec::new(), heap::next_frame());
        let (yields, lost) = (Vec::new(), None);
        Self { module: Arc::clone(module), names, class, returned, leaves: 0, guards, caught: None, yields, lost, number }
    }

    /// A copy of its names. Without anything left, there is no need for them.
    pub(super) fn copy_of_names(&self) -> Names {
        if heap::spend(self.names.len() * OF_A_NAME) { self.names.clone() } else { Names::new() }
    }
}

/// One run of a check over a table.
pub(super) struct Run<'r> {
    pub(super) code: &'r Code,
    pub(super) table: Table<'r>,
    pub(super) steps: usize,
    pub(super) depth: usize,
    /// Why it is unknown whether the current statement runs; `None` if it does run.
    pub(super) maybe: Option<Why>,
    /// The first reason why it is unknown whether the check accepts the table.
    pub(super) opened: Option<Why>,
    /// Where the allowance of the config was spent.
    pub(super) spent: Option<Why>,
    /// The paths that have been read.
    pub(super) reads: Vec<Place>,
    /// The paths that were read by the conditions around the current statement, the outermost condition first.
    pub(super) tests: Vec<Vec<Place>>,
    /// The known part of the last created string, if a part of it is unknown.
    pub(super) partial: Option<String>,
    /// Attributes that are set and read only by code, and are not part of the config.
    pub(super) private: HashMap<(Place, Name), Object>,
    /// Which objects are where in the config.
    pub(super) places: RefCell<Places>,
}

impl<'r> Run<'r> {
    pub(super) fn new(code: &'r Code, table: &'r mut dyn CheckedTable) -> Self {
        let table = Table::new(table);
        let places = Places::sharing(table.shared());
        Self {
            code,
            table,
            steps: 0,
            depth: 0,
            maybe: None,
            opened: None,
            spent: None,
            reads: Vec::new(),
            tests: Vec::new(),
            partial: None,
            private: HashMap::default(),
            places: RefCell::new(places),
        }
    }

    /// The result of a run.
    pub(super) fn ruling(mut self, made: Outcome<Object>) -> Ruling {
        // What was computed after the allowance of the config was spent means nothing.
        if heap::is_empty() {
            let why = self.spent.as_deref().map_or_else(|| (*too_much()).clone(), Clone::clone);
            return Ruling::Open(why);
        }
        let pairs = self.places.borrow().shared();
        self.table.share(pairs);
        match made {
            Err(raised) => Ruling::Refuses(Raised {
                exception: caught_as(&raised).to_owned(),
                message: shortened(&raised.message, LONGEST_MESSAGE),
                reads: raised.reads.iter().map(|place| place.to_vec()).collect(),
                place: raised.place.clone(),
                of_field: raised.of_field.clone(),
            }),
            Ok(_) => self.opened.map_or(Ruling::Accepts, |why| Ruling::Open((*why).clone())),
        }
    }

    pub(super) fn why(&self, module: &Module, line: u32, why: impl Into<String>) -> Why {
        // A name or a value of the code can be of any length.
        let why = shortened(&why.into(), LONGEST_REASON);
        Rc::new(Open { why, place: self.code.place(module, line), reason: Reason::Code })
    }

    pub(super) fn unknown(&self, frame: &Frame, line: u32, why: impl Into<String>) -> Object {
        Object::Unknown(self.why(&frame.module, line, why))
    }

    /// Counts a step of the code at a line. The error says why it is not taken: the code is too long or nested too deeply, or takes too much.
    pub(super) fn step(&mut self, module: &Module, line: u32) -> Result<(), Why> {
        self.steps += 1;
        if !heap::spend(OF_A_STEP) {
            let spent = self.spent.clone().unwrap_or_else(|| self.why(module, line, too_much().why.clone()));
            self.spent = Some(Rc::clone(&spent));
            return Err(spent);
        }
        if self.steps > MAX_STEPS || self.depth > MAX_DEEP {
            return Err(self.why(module, line, "code that is too long or nested too deeply"));
        }
        Ok(())
    }

    /// Records that it is unknown whether the check accepts the table.
    pub(super) fn open(&mut self, why: &Why) {
        // A value with an error is the least helpful reason, so it is replaced by any other.
        if self.opened.as_ref().is_none_or(|known| known.reason == Reason::Fault && why.reason != Reason::Fault) {
            self.opened = Some(Rc::clone(why));
        }
    }

    /// Creates an exception that is raised at this line.
    pub(super) fn raised(&self, frame: &Frame, line: u32, name: &str, message: impl Into<String>) -> Raise {
        let exception = Exception {
            name: name.into(),
            bases: Vec::new(),
            message: message.into(),
            args: Parts::default(),
            place: String::new(),
            reads: Vec::new(),
            of_field: None,
        };
        self.placed(frame, line, exception, &[])
    }

    /// Adds to an exception its place, and the paths that were read on the way to it.
    pub(super) fn placed(&self, frame: &Frame, line: u32, exception: Exception, of: &[Place]) -> Raise {
        let mut reads: Vec<Place> = Vec::new();
        for place in self.tests.iter().rev().flatten().chain(of).chain(&frame.guards) {
            if reads.len() < MAX_READS && heap::spend(1) && !reads.contains(place) {
                reads.push(Rc::clone(place));
            }
        }
        // The path of a value in a table is more specific than the path of the table.
        let all = reads.clone();
        reads.retain(|place| !all.iter().any(|other| other.len() > place.len() && other.starts_with(place)));
        Rc::new(Exception { place: self.code.place(&frame.module, line), reads, ..exception })
    }

    /// Calls a function. `class` is the class that defines it.
    pub(super) fn function(
        &mut self,
        module: &Arc<Module>,
        function: &Arc<Function>,
        class: Option<&Arc<Class>>,
        given: Given,
        named: Named,
    ) -> Outcome<Object> {
        self.closure(module, function, class, &Rc::default(), given, named)
    }

    /// Calls a function that can use the names around its definition.
    pub(super) fn closure(
        &mut self,
        module: &Arc<Module>,
        function: &Arc<Function>,
        class: Option<&Arc<Class>>,
        around: &Rc<Around>,
        given: Given,
        named: Named,
    ) -> Outcome<Object> {
        if self.depth > MAX_DEEP {
            let why = self.why(module, function.line, "functions that call each other too deeply");
            self.open(&why);
            return Ok(Object::Unknown(why));
        }
        self.depth += 1;
        let outcome = self.called(module, function, class, around, given, named);
        self.depth -= 1;
        outcome
    }

    fn called(
        &mut self,
        module: &Arc<Module>,
        function: &Arc<Function>,
        class: Option<&Arc<Class>>,
        around: &Rc<Around>,
        given: Given,
        named: Named,
    ) -> Outcome<Object> {
        let first = function.parameters.first().map_or_else(|| "".into(), |first| Arc::clone(&first.name));
        heap::spend(around.names.len() * OF_A_NAME);
        let mut frame = Frame::new(module, around.names.clone(), class.map(|class| (Arc::clone(class), first)));
        // An inner function may be recursive, so its own name is bound too.
        if !around.names.is_empty() {
            let own = Object::Function(Arc::clone(module), Arc::clone(function), Rc::clone(around));
            frame.names.entry(Arc::clone(&function.name)).or_insert_with(|| (own, Rc::default()));
        }
        if !self.bind(&mut frame, &function.parameters, given, named)? {
            let why = self.why(module, function.line, format!("a call of `{}` whose arguments do not match", function.name));
            self.open(&why);
            return Ok(Object::Unknown(why));
        }
        let (maybe, tests) = (self.maybe.clone(), self.tests.len());
        let flow = self.block(&mut frame, &function.body);
        if let (Flow::Raise(_), Some(why)) = (&flow, self.maybe.clone()) {
            self.open(&why);
        }
        self.maybe = maybe;
        self.tests.truncate(tests);
        if function.is_generator {
            let ended = Self::ended(&frame, flow)?;
            return Ok(match (frame.lost, ended) {
                (Some(why), _) => Object::Unknown(why),
                (None, unknown @ Object::Unknown(_)) => unknown,
                (None, _) => Object::iterator(frame.yields),
            });
        }
        Self::ended(&frame, flow)
    }

    /// The result of a function whose last statement ended in this way.
    fn ended(frame: &Frame, flow: Flow) -> Outcome<Object> {
        let value = match flow {
            Flow::Return(value) => value,
            // If the function may have returned earlier, it is unknown whether the exception is raised.
            Flow::Raise(raised) if frame.returned.is_empty() => return Err(raised),
            Flow::Raise(_) => match frame.returned.first() {
                Some((value, _)) => value.clone(),
                None => Object::None,
            },
            Flow::Next | Flow::Break | Flow::Continue => Object::None,
        };
        let other = frame.returned.iter().find(|(other, _)| !other.is_same(&value));
        Ok(other.map_or(value, |(_, why)| Object::Unknown(Rc::clone(why))))
    }

    /// Binds the arguments of a call to the parameters of a function. Returns whether they match.
    pub(super) fn bind(&mut self, frame: &mut Frame, parameters: &[Parameter], given: Given, mut named: Named) -> Outcome<bool> {
        let mut given = given.into_iter();
        for parameter in parameters {
            let value = match parameter.kind {
                ParameterKind::Rest => (Object::tuple(given.by_ref().map(|(value, _)| value).collect()), Rc::default()),
                ParameterKind::NamedRest => {
                    let rest = std::mem::take(&mut named).into_iter().map(|(name, (value, _))| (Object::Str(name), value));
                    (Object::dict(rest.collect()), Rc::default())
                }
                kind => {
                    let by_place = if kind == ParameterKind::Named { None } else { given.next() };
                    let by_name = || named.iter().position(|(name, _)| *name == parameter.name);
                    match (by_place, &parameter.default) {
                        (Some(value), _) => value,
                        (None, default) => match (by_name(), default) {
                            (Some(at), _) => named.swap_remove(at).1,
                            (None, Some(default)) => {
                                let value = self.eval(frame, default)?;
                                // It is made once, when the function is defined.
                                value.fix(DEEPEST);
                                (value, Rc::default())
                            }
                            (None, None) => return Ok(false),
                        },
                    }
                }
            };
            frame.names.insert(Arc::clone(&parameter.name), value);
        }
        Ok(given.next().is_none() && named.is_empty())
    }

    /// Converts the value at a path of the config to an object.
    pub(super) fn object(&self, seen: Seen, at: &Place) -> Object {
        match seen {
            Seen::Missing => self.strange("no such field"),
            Seen::Faulty => {
                let why = "a value with an error".to_owned();
                Object::Unknown(Rc::new(Open { why, place: String::new(), reason: Reason::Fault }))
            }
            Seen::Strange(why) => self.strange(why),
            Seen::Null => Object::None,
            Seen::Bool(value) => Object::Bool(value),
            Seen::Int(value) => Object::Int(value),
            Seen::Float(value) => Object::Float(value),
            Seen::Str(text) => Object::Str(text),
            Seen::Path(text) => Object::path(join("", &text)),
            Seen::List(_) | Seen::Map(_) => self.container(&seen, at),
            Seen::Table(_) => self.table_at(at),
        }
    }

    /// The list or the dict at a path of the config: the same object whenever it is read.
    fn container(&self, seen: &Seen, at: &Place) -> Object {
        let at = self.places.borrow().known(at);
        if let Some(known) = self.places.borrow().container(&at) {
            return known;
        }
        let container = match seen {
            Seen::List(length) => {
                let item = |index: usize| {
                    let at = below(&at, ValueSegment::Item(index));
                    self.object(self.table.get(&at), &at)
                };
                Object::list_at((0..*length).map(item).collect(), Some(Rc::clone(&at)))
            }
            Seen::Map(keys) => {
                let entry = |key: &Name| {
                    let at = below(&at, ValueSegment::Key(Arc::clone(key)));
                    (Object::Str(Arc::clone(key)), self.object(self.table.get(&at), &at))
                };
                Object::dict_at(keys.iter().map(entry).collect(), Some(Rc::clone(&at)))
            }
            _ => return self.strange("a value of another type"),
        };
        self.places.borrow_mut().keep(&at, &container);
        container
    }

    fn strange(&self, why: &str) -> Object {
        Object::Unknown(self.strange_why(why))
    }

    #[expect(clippy::unused_self, reason = "it is called like `why`, which needs the place")]
    pub(super) fn strange_why(&self, why: &str) -> Why {
        Rc::new(Open { why: why.to_owned(), place: String::new(), reason: Reason::Code })
    }

    /// The value of an expression, with the paths that were read for it.
    pub(super) fn tracked(&mut self, frame: &mut Frame, expr: &Expr) -> Outcome<(Object, Rc<[Place]>)> {
        let start = self.reads.len();
        let value = self.eval(frame, expr)?;
        let reads = each_once(self.reads.get(start..).unwrap_or_default());
        self.reads.truncate(start);
        self.reads.extend(reads.iter().cloned());
        Ok((value, reads.into()))
    }
}

/// A text that is cut off at this number of bytes.
fn shortened(text: &str, longest: usize) -> String {
    match text.get(..text.floor_char_boundary(longest)) {
        Some(start) if start.len() < text.len() => format!("{start}…"),
        _ => text.to_owned(),
    }
}

/// Paths in order, each once.
pub(super) fn each_once(places: &[Place]) -> Vec<Place> {
    heap::spend(places.len());
    let mut seen = HashSet::default();
    let mut all: Vec<Place> = Vec::new();
    for place in places {
        let is_new = if places.len() < 16 { !all.contains(place) } else { seen.insert(place) };
        if is_new {
            all.push(Rc::clone(place));
        }
    }
    all
}

/// The builtin class as which pydantic handles an exception; otherwise the name of its own class.
fn caught_as(raised: &Exception) -> &str {
    let caught = ["ValueError", "AssertionError"];
    caught.into_iter().find(|class| is_exception(raised, class)).unwrap_or(&raised.name)
}
