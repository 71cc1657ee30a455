//! The Python objects of a running check.

use std::{
    cell::{Cell, RefCell},
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
    sync::Arc,
};

use cfg_schema::{Open, Reason, ValueSegment};

use super::{enums::Member, heap, operators::LONGEST, places::Spot, regex::Match, url::Url};
use crate::{
    ast::{Function, Lambda, Name},
    class::Class,
    module::Module,
    parts::{Measured, Parts, Size},
};

/// Why something is unknown.
pub(super) type Why = Rc<Open>;

/// A path relative to the checked table.
pub(super) type Place = Rc<[ValueSegment]>;

/// The names of a function with their values. The paths are those of the config's values from which the value was computed.
pub(super) type Names = BTreeMap<Name, (Object, Rc<[Place]>)>;

/// The maximum depth to which containers are searched.
pub(super) const DEEPEST: usize = 64;

/// An object. What is not modelled is [`Object::Unknown`] and never guessed.
#[derive(Clone, Debug)]
pub(super) enum Object {
    Unknown(Why),
    None,
    Bool(bool),
    Int(i64),
    Float(f64),
    Str(Name),
    Path(Name),
    List(Rc<Shared<Vec<Object>>>),
    Tuple(Parts<Object>),
    Set(Rc<Shared<Vec<Object>>>),
    Dict(Rc<Shared<Vec<(Object, Object)>>>),
    /// A table of the config, and how often the object at its path had been replaced when it was read.
    Table(Place, u32),
    /// A table that the check creates.
    New(Rc<New>),
    Class(Arc<Class>),
    /// A member of an enumeration.
    Member(Rc<Member>),
    /// Several types, as an argument of `isinstance`.
    Types(Parts<Object>),
    Function(Arc<Module>, Arc<Function>, Rc<Around>),
    Lambda(Arc<Module>, Arc<Lambda>, Rc<Around>),
    /// A function of a module without its decorators.
    Plain(Arc<Module>, Arc<Function>),
    /// The items of an iterator that have not been taken yet.
    Iterator(Rc<Shared<Vec<Object>>>),
    /// A type with parameters: `list[int]`, `Literal["a", "b"]`.
    Generic(Name, Parts<Object>),
    /// A function with its first arguments.
    Partial(Rc<(Object, Parts<Object>)>),
    /// A method of a class: the object to which it is bound, the class that defines it, and the function.
    Bound(Rc<Object>, Arc<Class>, Arc<Function>),
    /// A builtin method and the object to which it is bound.
    Method(Rc<Object>, Name),
    External(Name),
    Module(Name),
    /// A regular expression.
    Pattern(Name),
    /// A place in a text that a regular expression fits.
    Match(Rc<Match>),
    /// A URL that was split.
    Url(Rc<Url>),
    Exception(Rc<Exception>),
    /// pydantic's description of a field of a class (`model_fields`).
    Field(Arc<Class>, Name),
    /// The information about the validation that pydantic passes to a check (`info`).
    Validation(Rc<Validation>),
}

/// pydantic's `ValidationInfo`.
#[derive(Debug)]
pub(super) struct Validation {
    /// The checked field; `None` for a check of a whole table.
    pub(super) field: Option<Name>,
    /// The previous fields with their values.
    pub(super) data: Object,
}

/// The names around the definition of a function.
#[derive(Debug, Default)]
pub(super) struct Around {
    pub(super) names: Names,
    /// The number of the run of a function that they belong to; 0 for names of a declaration.
    pub(super) frame: usize,
}

/// A value that several names can refer to and change.
#[derive(Debug)]
pub(super) struct Shared<T> {
    pub(super) value: RefCell<T>,
    /// Its path in the config; `None` if it is not in the config.
    pub(super) home: RefCell<Option<Place>>,
    /// Whether it has been removed from the config.
    pub(super) is_taken: Cell<bool>,
    /// Why it has become unknown; `None` if it is known.
    pub(super) lost: RefCell<Option<Why>>,
    /// The table or the list of which it was made by `model_dump`; `None` if it was made otherwise.
    pub(super) dump_of: RefCell<Option<Object>>,
    /// Whether it belongs to the code, so that all checks share it.
    pub(super) is_constant: Cell<bool>,
    /// For a dict: what a missing key has (`Counter`, `defaultdict`).
    pub(super) missing: RefCell<Option<Object>>,
}

impl<T> Shared<T> {
    pub(super) fn new(value: T, home: Option<Place>) -> Rc<Self> {
        Rc::new(Self {
            value: RefCell::new(value),
            home: RefCell::new(home),
            is_taken: Cell::new(false),
            lost: RefCell::new(None),
            dump_of: RefCell::new(None),
            is_constant: Cell::new(false),
            missing: RefCell::new(None),
        })
    }
}

impl<T> Shared<T> {
    /// Its path in the config; `None` if it is not in the config.
    pub(super) fn home(&self) -> Option<Place> {
        self.home.borrow().clone()
    }

    fn set_home(&self, home: Option<&Place>) {
        *self.home.borrow_mut() = home.cloned();
        self.is_taken.set(false);
    }
}

/// A table that a check creates.
#[derive(Debug)]
pub(super) struct New {
    pub(super) class: Arc<Class>,
    pub(super) given: RefCell<Vec<(Name, Object)>>,
    /// The names of these values that do not count as given: copies of defaults.
    pub(super) not_given: RefCell<BTreeSet<Name>>,
    /// Whether the checks of its class have run on it.
    pub(super) is_checked: Cell<bool>,
    /// Its path in the config, if it was put there. From then on, the value at that path is used.
    pub(super) home: RefCell<Option<Spot>>,
}

/// A raised exception.
#[derive(Clone, Debug)]
pub(super) struct Exception {
    /// The name of its class.
    pub(super) name: Name,
    /// The builtin classes above its own class: `ValueError` for an error class that the code defines.
    pub(super) bases: Vec<Name>,
    pub(super) message: String,
    /// The arguments of its call.
    pub(super) args: Parts<Object>,
    pub(super) place: String,
    pub(super) reads: Vec<Place>,
    /// If a field of a table that the check creates refuses its value: the type of the error, and the key of the field.
    pub(super) of_field: Option<(String, String)>,
}

impl Object {
    pub(super) fn str(text: impl Into<Name>) -> Self {
        let text: Name = text.into();
        heap::spend(text.len() / cfg_meter::BYTES + 1);
        Self::Str(text)
    }

    /// A path; unknown if it is too long.
    pub(super) fn path(text: String) -> Self {
        if text.len() < LONGEST && heap::spend(text.len() / cfg_meter::BYTES + 1) {
            Self::Path(text.into())
        } else {
            Self::unknown("a path that is too long")
        }
    }

    pub(super) fn list(items: Vec<Object>) -> Self {
        Self::list_at(items, None)
    }

    pub(super) fn set(items: Vec<Object>) -> Self {
        let items = Shared::new(items, None);
        heap::keep_items(&items);
        Self::Set(items)
    }

    pub(super) fn dict(entries: Vec<(Object, Object)>) -> Self {
        Self::dict_at(entries, None)
    }

    /// An iterator over items, each of which it yields once.
    pub(super) fn iterator(items: Vec<Object>) -> Self {
        let items = Shared::new(items, None);
        heap::keep_items(&items);
        Self::Iterator(items)
    }

    /// A list, with its path in the config; `None` if it is not in the config.
    pub(super) fn list_at(items: Vec<Object>, home: Option<Place>) -> Self {
        let items = Shared::new(items, home);
        heap::keep_items(&items);
        Self::List(items)
    }

    /// A dict, with its path in the config; `None` if it is not in the config.
    pub(super) fn dict_at(entries: Vec<(Object, Object)>, home: Option<Place>) -> Self {
        let entries = Shared::new(entries, home);
        heap::keep_entries(&entries);
        Self::Dict(entries)
    }

    /// A tuple; unknown if it is too large.
    pub(super) fn tuple(items: Vec<Object>) -> Self {
        heap::spend(items.len() * 2 + 1);
        Self::Tuple(items.into()).within_bounds()
    }

    /// A type with parameters; unknown if it is too large.
    pub(super) fn generic(name: &Name, members: Vec<Object>) -> Self {
        heap::spend(members.len() * 2 + 1);
        Self::Generic(Arc::clone(name), members.into()).within_bounds()
    }

    /// Several types; unknown if they are too large.
    pub(super) fn types(members: Vec<Object>) -> Self {
        heap::spend(members.len() * 2 + 1);
        Self::Types(members.into()).within_bounds()
    }

    /// A function with its first arguments; unknown if they are too large.
    pub(super) fn partial(function: Object, first: Vec<Object>) -> Self {
        heap::spend(first.len() * 2 + 1);
        Self::Partial(Rc::new((function, first.into()))).within_bounds()
    }

    fn within_bounds(self) -> Self {
        if self.size().is_too_large() { Self::unknown("a value that is too large") } else { self }
    }

    /// The units for going through it once, without what its items contain.
    pub(super) fn length(&self) -> usize {
        match self {
            Self::Str(text) | Self::Path(text) => text.len() / 8 + 1,
            Self::List(items) | Self::Set(items) | Self::Iterator(items) => items.value.borrow().len() + 1,
            Self::Dict(entries) => entries.value.borrow().len() * 2 + 1,
            Self::Exception(exception) => exception.message.len() / 8 + 1,
            Self::Match(found) => found.text.len() / 8 + 1,
            Self::Url(_) => 64,
            other => other.size().nodes as usize,
        }
    }

    /// A table that a check creates.
    pub(super) fn new(class: &Arc<Class>, given: Vec<(Name, Object)>) -> Self {
        let new = Rc::new(New {
            class: Arc::clone(class),
            given: RefCell::new(given),
            not_given: RefCell::default(),
            is_checked: Cell::new(false),
            home: RefCell::default(),
        });
        heap::keep_new(&new);
        Self::New(new)
    }

    pub(super) fn unknown(why: impl Into<String>) -> Self {
        Self::Unknown(Rc::new(Open { why: why.into(), place: String::new(), reason: Reason::Code }))
    }

    /// The path of a list, a set or a dict in the config; `None` if it is not in the config.
    pub(super) fn home(&self) -> Option<Place> {
        match self {
            Self::List(items) | Self::Set(items) => items.home(),
            Self::Dict(entries) => entries.home(),
            _ => None,
        }
    }

    /// Records the path of a list, a set or a dict in the config.
    pub(super) fn set_home(&self, home: Option<&Place>) {
        match self {
            Self::List(items) | Self::Set(items) => items.set_home(home),
            Self::Dict(entries) => entries.set_home(home),
            _ => {}
        }
    }

    /// Records that it has been removed from the config.
    pub(super) fn take(&self) {
        match self {
            Self::List(list) if list.home().is_some() && !list.is_taken.replace(true) => {
                list.value.borrow().iter().for_each(Self::take);
            }
            Self::Dict(dict) if dict.home().is_some() && !dict.is_taken.replace(true) => {
                dict.value.borrow().iter().for_each(|(_, value)| value.take());
            }
            _ => {}
        }
    }

    /// The items of an iterable: a list, a tuple, a set, the keys of a dict, or the characters of a string. An error says why they
    /// are unknown; it is `None` if the object is not iterable.
    pub(super) fn items(&self) -> Result<Vec<Object>, Option<Why>> {
        // Each letter becomes a string of its own.
        let of_an_item = if let Self::Str(_) = self { 16 } else { 1 };
        if !heap::spend(self.length() * of_an_item) {
            return Err(Some(too_much()));
        }
        match self {
            Self::List(items) | Self::Set(items) => match &*items.lost.borrow() {
                Some(why) => Err(Some(Rc::clone(why))),
                None => Ok(items.value.borrow().clone()),
            },
            Self::Tuple(items) => Ok(items.to_vec()),
            Self::Iterator(items) => match &*items.lost.borrow() {
                Some(why) => Err(Some(Rc::clone(why))),
                None => Ok(items.value.take()),
            },
            Self::Dict(entries) => match &*entries.lost.borrow() {
                Some(why) => Err(Some(Rc::clone(why))),
                None => Ok(entries.value.borrow().iter().map(|(key, _)| key.clone()).collect()),
            },
            Self::Url(url) => Ok(url.items()),
            Self::Str(text) => Ok(text.chars().map(|letter| Self::str(letter.to_string())).collect()),
            Self::Unknown(why) => Err(Some(Rc::clone(why))),
            _ => Err(None),
        }
    }

    /// The entries of a dict; `None` if it is not a dict, or they are unknown.
    pub(super) fn items_of_dict(&self) -> Option<Vec<(Object, Object)>> {
        let Self::Dict(entries) = self else { return None };
        if !heap::spend(self.length()) {
            return None;
        }
        entries.lost.borrow().is_none().then(|| entries.value.borrow().clone())
    }

    /// Whether it is true as a condition; an error says why that is unknown.
    pub(super) fn truth(&self) -> Result<bool, Why> {
        Ok(match self {
            Self::Unknown(why) => return Err(Rc::clone(why)),
            Self::None => false,
            Self::Bool(value) => *value,
            Self::Int(value) => *value != 0,
            Self::Float(value) => *value != 0.0,
            Self::Str(text) => !text.is_empty(),
            Self::List(items) | Self::Set(items) => match &*items.lost.borrow() {
                Some(why) => return Err(Rc::clone(why)),
                None => !items.value.borrow().is_empty(),
            },
            Self::Dict(entries) => match &*entries.lost.borrow() {
                Some(why) => return Err(Rc::clone(why)),
                None => !entries.value.borrow().is_empty(),
            },
            Self::Tuple(items) => !items.is_empty(),
            Self::Member(member) => match member.base() {
                Some(base) => base.truth()?,
                None => true,
            },
            _ => true,
        })
    }

    /// The value of an integer or boolean.
    pub(super) fn as_int(&self) -> Option<i64> {
        match self {
            Self::Int(value) => Some(*value),
            Self::Bool(value) => Some(i64::from(*value)),
            Self::Member(member) => member.base()?.as_int(),
            _ => None,
        }
    }

    /// The value of a number as a float.
    pub(super) fn as_float(&self) -> Option<f64> {
        match self {
            Self::Float(value) => Some(*value),
            other => other.as_int().map(crate::value::double),
        }
    }
}

/// Why something is unknown after all that a config may cost has been spent.
pub(super) fn too_much() -> Why {
    let why = "the checks take too much work or memory to evaluate".to_owned();
    Rc::new(Open { why, place: String::new(), reason: Reason::Code })
}

impl Measured for Object {
    fn size(&self) -> Size {
        match self {
            Self::Tuple(items) | Self::Types(items) | Self::Generic(_, items) => items.size(),
            Self::Partial(partial) => partial.0.size().with(partial.1.size()).wrapped(),
            Self::Exception(exception) => exception.args.size(),
            Self::Bound(of, ..) | Self::Method(of, _) => of.size().wrapped(),
            _ => Size::ONE,
        }
    }
}

/// A path with one more step.
pub(super) fn below(place: &[ValueSegment], step: ValueSegment) -> Place {
    place.iter().cloned().chain(std::iter::once(step)).collect()
}
