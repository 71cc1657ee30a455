//! Evaluates the comparisons in a check.

use std::{cmp::Ordering, rc::Rc, sync::Arc};

use cfg_schema::ValueSegment;

use super::{
    equality::contains,
    heap,
    object::{DEEPEST, Object, Why, below, too_much},
    operators::type_name,
    places::Where,
    run::{Frame, Outcome, Run},
};
use crate::ast::{Comparison, Name};

impl Run<'_> {
    /// Whether a comparison holds; the inner error says why that is unknown.
    pub(super) fn compare(
        &self,
        frame: &Frame,
        line: u32,
        comparison: Comparison,
        left: &Object,
        right: &Object,
    ) -> Outcome<Result<bool, Why>> {
        if matches!(comparison, Comparison::In | Comparison::NotIn) {
            return self.is_in(frame, line, left, right).map(|found| found.map(|found| found == (comparison == Comparison::In)));
        }
        if let (Object::Unknown(why), _) | (_, Object::Unknown(why)) = (left, right) {
            return Ok(Err(Rc::clone(why)));
        }
        let unknown = |run: &Self| Ok(Err(run.why(&frame.module, line, "a comparison")));
        match comparison {
            Comparison::Equal | Comparison::NotEqual => match self.are_equal(left, right) {
                Some(equal) => Ok(Ok(equal == (comparison == Comparison::Equal))),
                None => unknown(self),
            },
            Comparison::Is | Comparison::IsNot => {
                let is_it = match (left, right) {
                    (Object::None, other) | (other, Object::None) => Some(matches!(other, Object::None)),
                    (Object::Bool(one), Object::Bool(other)) => Some(one == other),
                    (Object::Bool(_), other) | (other, Object::Bool(_)) if !matches!(other, Object::External(_)) => Some(false),
                    (Object::Member(one), Object::Member(other)) => Some(one.is_same(other)),
                    (Object::Class(_), Object::Class(_)) | (Object::External(_), Object::External(_)) => left.equals(right),
                    (Object::Table(..) | Object::New(_), Object::Table(..) | Object::New(_)) => self.are_one(left, right),
                    (Object::List(_) | Object::Set(_) | Object::Dict(_), Object::List(_) | Object::Set(_) | Object::Dict(_)) => {
                        Some(left.is_same(right))
                    }
                    _ => None,
                };
                match is_it {
                    Some(is_it) => Ok(Ok(is_it == (comparison == Comparison::Is))),
                    None => unknown(self),
                }
            }
            _ => {
                let (left, right) = (left.based(), right.based());
                let ordering = match (left, right) {
                    (Object::Str(one), Object::Str(other)) => {
                        heap::spend(one.len().min(other.len()) / 64);
                        Some(one.cmp(other))
                    }
                    (Object::List(_), Object::List(_)) | (Object::Tuple(_), Object::Tuple(_)) => {
                        return self.compare_items(frame, line, comparison, left, right);
                    }
                    (Object::Set(_), Object::Set(_)) => {
                        let (Ok(one), Ok(other)) = (left.items(), right.items()) else { return unknown(self) };
                        return Ok(
                            are_within(comparison, &one, &other).ok_or_else(|| self.why(&frame.module, line, "a comparison"))
                        );
                    }
                    _ => match (left.as_int(), right.as_int()) {
                        (Some(one), Some(other)) => Some(one.cmp(&other)),
                        _ => match (left.as_float(), right.as_float()) {
                            (Some(one), Some(other)) => match one.partial_cmp(&other) {
                                Some(ordering) => Some(ordering),
                                // A comparison with NaN is false.
                                None => return Ok(Ok(false)),
                            },
                            _ => None,
                        },
                    },
                };
                let Some(ordering) = ordering else {
                    if left.is_builtin() && right.is_builtin() {
                        let message = format!(
                            "'{}' not supported between instances of '{}' and '{}'",
                            sign(comparison),
                            type_name(left),
                            type_name(right)
                        );
                        return Err(self.raised(frame, line, "TypeError", message));
                    }
                    return unknown(self);
                };
                Ok(Ok(match comparison {
                    Comparison::Less => ordering == Ordering::Less,
                    Comparison::LessEqual => ordering != Ordering::Greater,
                    Comparison::Greater => ordering == Ordering::Greater,
                    _ => ordering != Ordering::Less,
                }))
            }
        }
    }

    /// Compares lists or tuples by their first items that differ.
    fn compare_items(
        &self,
        frame: &Frame,
        line: u32,
        comparison: Comparison,
        left: &Object,
        right: &Object,
    ) -> Outcome<Result<bool, Why>> {
        let why = || self.why(&frame.module, line, "a comparison");
        let (Ok(one), Ok(other)) = (left.items(), right.items()) else { return Ok(Err(why())) };
        for (left, right) in one.iter().zip(&other) {
            match self.are_equal(left, right) {
                Some(true) => {}
                Some(false) if heap::spend(1) => return self.compare(frame, line, comparison, left, right),
                _ => return Ok(Err(why())),
            }
        }
        let ordering = one.len().cmp(&other.len());
        Ok(Ok(match comparison {
            Comparison::Less => ordering == Ordering::Less,
            Comparison::LessEqual => ordering != Ordering::Greater,
            Comparison::Greater => ordering == Ordering::Greater,
            _ => ordering != Ordering::Less,
        }))
    }

    /// Whether two tables are the same object; `None` if that is unknown.
    fn are_one(&self, left: &Object, right: &Object) -> Option<bool> {
        match (self.whereabouts(left), self.whereabouts(right)) {
            (Where::At(one), Where::At(other)) => Some(one == other),
            (Where::Nowhere, Where::Nowhere) => Some(left.is_same(right)),
            (Where::Gone, _) | (_, Where::Gone) => None,
            _ => Some(false),
        }
    }

    /// Whether two objects are equal; for tables, whether all their values are. `None` if that is unknown.
    fn are_equal(&self, left: &Object, right: &Object) -> Option<bool> {
        self.are_equal_within(left, right, DEEPEST)
    }

    fn are_equal_within(&self, left: &Object, right: &Object, depth: usize) -> Option<bool> {
        if depth == 0 || !heap::spend(1) {
            return None;
        }
        let is_table = |object: &Object| matches!(object, Object::Table(..) | Object::New(_));
        if let Some(equal) = left.equals(right) {
            return Some(equal);
        }
        if let (Object::List(_), Object::List(_)) | (Object::Tuple(_), Object::Tuple(_)) = (left, right) {
            let (one, other) = (left.items().ok()?, right.items().ok()?);
            let all: Vec<Option<bool>> =
                one.iter().zip(&other).map(|(one, other)| self.are_equal_within(one, other, depth - 1)).collect();
            return if all.contains(&Some(false)) {
                Some(false)
            } else {
                all.into_iter().collect::<Option<Vec<_>>>().map(|_| true)
            };
        }
        if !is_table(left) || !is_table(right) {
            return None;
        }
        let (one, other) = (self.class_of(left)?, self.class_of(right)?);
        if !Arc::ptr_eq(&one.def, &other.def) {
            return Some(false);
        }
        if one.partial.is_some() || one.line().any(|home| home.function("__eq__").is_some()) {
            return None;
        }
        let mut is_known = true;
        let fields = self.code.fields(&one)?;
        heap::spend(fields.len() * fields.len() / 8);
        for field in fields {
            match self.are_equal_within(&self.value_of(left, &field.name)?, &self.value_of(right, &field.name)?, depth - 1) {
                Some(true) => {}
                Some(false) => return Some(false),
                None => is_known = false,
            }
        }
        is_known.then_some(true)
    }

    /// The value of a field of a table; `None` if it has no such field.
    pub(super) fn value_of(&self, of: &Object, name: &Name) -> Option<Object> {
        let place = match (self.whereabouts(of), of) {
            (Where::At(place), _) => place,
            (Where::Nowhere, Object::New(new)) => {
                let given = new.given.borrow().iter().find(|(own, _)| own == name).map(|(_, value)| value.clone());
                return given.or_else(|| self.default_of(new, name));
            }
            _ => return None,
        };
        let at = below(&place, ValueSegment::Field(Arc::clone(name)));
        let seen = self.table.get(&at);
        Some(self.field(of, name, seen, &at))
    }

    /// Whether an object is among others; `None` if that is unknown.
    fn is_among(&self, all: &[Object], wanted: &Object) -> Option<bool> {
        let mut is_known = heap::spend(all.len());
        for item in all.iter().take_while(|_| !heap::is_empty()) {
            match self.are_equal(item, wanted) {
                Some(true) => return Some(true),
                // It may be the same object, which is found although it does not equal itself.
                Some(false) if matches!((item, wanted), (Object::Float(one), Object::Float(_)) if one.is_nan()) => {
                    is_known = false;
                }
                Some(false) => {}
                None => is_known = false,
            }
        }
        is_known.then_some(false)
    }

    fn is_in(&self, frame: &Frame, line: u32, wanted: &Object, all: &Object) -> Outcome<Result<bool, Why>> {
        if let Object::Class(class) = all
            && let Some(members) = self.members(class)
        {
            return Ok(self
                .is_among(&members, wanted)
                .ok_or_else(|| self.why(&frame.module, line, "whether a value contains another")));
        }
        match (wanted.based(), all.based()) {
            (_, Object::Unknown(why)) => Ok(Err(Rc::clone(why))),
            (Object::Str(part), Object::Str(text)) => match heap::spend(text.len() / 8 + part.len() / 8) {
                true => Ok(Ok(text.contains(&**part))),
                false => Ok(Err(too_much())),
            },
            (_, Object::None) => Err(self.raised(frame, line, "TypeError", "argument of type 'NoneType' is not iterable")),
            (Object::Str(key), Object::External(name)) if let Some(holds) = self.table.holds(name, key) => Ok(Ok(holds)),
            (_, Object::External(name)) if &**name == "os.environ" => Ok(self.is_variable(frame, line, Some(wanted))),
            (_, Object::External(name)) => Ok(Err(self.why(&frame.module, line, format!("the contents of `{name}`")))),
            (_, Object::Str(_)) if !matches!(wanted, Object::Unknown(_)) => {
                Err(self.raised(frame, line, "TypeError", "'in <string>' requires string as left operand"))
            }
            (_, Object::Bool(_) | Object::Int(_) | Object::Float(_)) => {
                let message = format!("argument of type '{}' is not iterable", type_name(all));
                Err(self.raised(frame, line, "TypeError", message))
            }
            (wanted, Object::Set(_) | Object::Dict(_))
                if !matches!(wanted, Object::Unknown(_))
                    && let Some(why) = self.hashed(frame, line, wanted)? =>
            {
                Ok(Err(why))
            }
            (_, all) => match all.items() {
                Ok(items) => Ok(match self.is_among(&items, wanted) {
                    Some(found) => Ok(found),
                    None => Err(match wanted {
                        Object::Unknown(why) => Rc::clone(why),
                        _ => self.why(&frame.module, line, "whether a value contains another"),
                    }),
                }),
                Err(why) => Ok(Err(why.unwrap_or_else(|| self.why(&frame.module, line, "the contents of a value")))),
            },
        }
    }
}

/// Whether a set is below another one, as the comparison asks; `None` if that is unknown.
fn are_within(comparison: Comparison, one: &[Object], other: &[Object]) -> Option<bool> {
    let (below, above) = if matches!(comparison, Comparison::Less | Comparison::LessEqual) { (one, other) } else { (other, one) };
    let found: Option<Vec<bool>> = below.iter().map(|item| contains(above, item)).collect();
    let is_proper = matches!(comparison, Comparison::Less | Comparison::Greater);
    Some(!found?.contains(&false) && (!is_proper || below.len() < above.len()))
}

const fn sign(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Less => "<",
        Comparison::LessEqual => "<=",
        Comparison::Greater => ">",
        _ => ">=",
    }
}
