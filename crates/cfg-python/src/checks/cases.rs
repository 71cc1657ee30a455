//! Runs `match`.

use std::{rc::Rc, sync::Arc};

use super::{
    heap,
    object::{Object, Place, Why, too_much},
    operators::type_name,
    run::{Frame, MAX_DEEP, Outcome, Run},
    statement::Flow,
};
use crate::ast::{Case, Comparison, Expr, Name, Pattern};

/// The types whose instances a class pattern with one place compares themselves: `str(text)`.
const WHOLE: [&str; 9] = ["bool", "bytes", "dict", "float", "frozenset", "int", "list", "str", "tuple"];

impl Run<'_> {
    pub(super) fn matches(&mut self, frame: &mut Frame, subject: &Expr, cases: &[Case]) -> Outcome<Flow> {
        let start = self.reads.len();
        let (subject, reads) = self.tracked(frame, subject)?;
        let read: Vec<Place> = reads.to_vec();
        self.reads.truncate(start);
        self.tests.push(read);
        let flow = self.cases(frame, &subject, &reads, cases);
        self.tests.pop();
        flow
    }

    fn cases(&mut self, frame: &mut Frame, subject: &Object, reads: &Rc<[Place]>, cases: &[Case]) -> Outcome<Flow> {
        let tests = self.tests.len();
        let flow = self.first_case(frame, subject, reads, cases);
        self.tests.truncate(tests);
        flow
    }

    fn first_case(&mut self, frame: &mut Frame, subject: &Object, reads: &Rc<[Place]>, cases: &[Case]) -> Outcome<Flow> {
        // Only the cases behind one of which it is unknown whether it fits are in a branch of their own.
        let mut cases = cases;
        let (case, rest, fits, tested) = loop {
            let Some((case, rest)) = cases.split_first() else { return Ok(Flow::Next) };
            let mut fits = self.fits(frame, &case.pattern, subject, reads)?;
            let mut tested = Vec::new();
            if let (Ok(true), Some(guard)) = (&fits, &case.guard) {
                (fits, tested) = self.test(frame, guard)?;
            }
            match fits {
                Ok(false) => {
                    self.tests.push(tested);
                    cases = rest;
                }
                fits => break (case, rest, fits, tested),
            }
        };
        self.tests.push(tested);
        match fits {
            Ok(_) => Ok(self.block(frame, &case.body)),
            Err(why) if self.depth > MAX_DEEP => {
                self.open(&why);
                Ok(Flow::Next)
            }
            Err(why) => {
                Self::lose_names(frame, &case.pattern, &why);
                let guard = case.guard.as_ref();
                self.depth += 1;
                let flow = self.either(
                    frame,
                    &why,
                    |run, frame| match guard.map_or(Ok(()), |guard| run.holds(frame, guard).map(|_| ())) {
                        Ok(()) => run.block(frame, &case.body),
                        Err(raised) => Flow::Raise(raised),
                    },
                    |run, frame| match run.cases(frame, subject, reads, rest) {
                        Ok(flow) => flow,
                        Err(raised) => Flow::Raise(raised),
                    },
                );
                self.depth -= 1;
                Ok(flow)
            }
        }
    }

    /// Makes the names unknown that a pattern binds.
    fn lose_names(frame: &mut Frame, pattern: &Pattern, why: &Why) {
        if let Some(name) = pattern.binds() {
            frame.names.insert(Arc::clone(name), (Object::Unknown(Rc::clone(why)), Rc::default()));
        }
        pattern.parts().into_iter().for_each(|part| Self::lose_names(frame, part, why));
    }

    /// Whether an object fits a pattern, whose names it binds; the inner error says why that is unknown.
    fn fits(
        &mut self,
        frame: &mut Frame,
        pattern: &Pattern,
        subject: &Object,
        reads: &Rc<[Place]>,
    ) -> Outcome<Result<bool, Why>> {
        match pattern {
            Pattern::As(inner, name) => {
                let fits = match inner {
                    Some(inner) => self.fits(frame, inner, subject, reads)?,
                    None => Ok(true),
                };
                if let (Ok(true), Some(name)) = (&fits, name) {
                    frame.names.insert(Arc::clone(name), (subject.clone(), Rc::clone(reads)));
                }
                Ok(fits)
            }
            Pattern::Star(_) => Ok(Ok(true)),
            Pattern::Or(all) => {
                for one in all {
                    match self.fits(frame, one, subject, reads)? {
                        Ok(false) => {}
                        decided => return Ok(decided),
                    }
                }
                Ok(Ok(false))
            }
            _ if matches!(subject, Object::Unknown(_)) => Ok(subject.truth()),
            Pattern::Value(expr) | Pattern::Singleton(expr) => {
                let value = self.eval(frame, expr)?;
                let comparison = if matches!(pattern, Pattern::Value(_)) { Comparison::Equal } else { Comparison::Is };
                self.compare(frame, expr.line, comparison, subject, &value)
            }
            Pattern::Sequence(parts) => self.fits_sequence(frame, parts, subject, reads),
            Pattern::Mapping { entries, rest } => self.fits_mapping(frame, entries, rest.as_ref(), subject, reads),
            Pattern::Class { class, places, named } => self.fits_class(frame, class, places, named, subject, reads),
        }
    }

    fn fits_sequence(
        &mut self,
        frame: &mut Frame,
        parts: &[Pattern],
        subject: &Object,
        reads: &Rc<[Place]>,
    ) -> Outcome<Result<bool, Why>> {
        let items = match subject {
            Object::List(_) | Object::Tuple(_) => subject.items(),
            Object::Path(_) | Object::Table(..) | Object::New(_) => return Ok(Ok(false)),
            other if other.is_builtin() => return Ok(Ok(false)),
            _ => Err(None),
        };
        let items = match items {
            Ok(items) => items,
            Err(why) => return Ok(Err(why.unwrap_or_else(|| self.why(&frame.module, 1, "whether a value is a sequence")))),
        };
        let star = parts.iter().position(|part| matches!(part, Pattern::Star(_)));
        let fixed = parts.len() - usize::from(star.is_some());
        if items.len() < fixed || (star.is_none() && items.len() > fixed) {
            return Ok(Ok(false));
        }
        let taken = items.len() - fixed;
        for (at, part) in parts.iter().enumerate() {
            let fits = match (star, part) {
                (Some(star), Pattern::Star(name)) if star == at => {
                    if let Some(name) = name {
                        let rest = Object::list(items[at..at + taken].to_vec());
                        frame.names.insert(Arc::clone(name), (rest, Rc::clone(reads)));
                    }
                    continue;
                }
                (Some(star), part) if at > star => self.fits(frame, part, &items[at - 1 + taken], reads)?,
                (_, part) => self.fits(frame, part, &items[at], reads)?,
            };
            if !matches!(fits, Ok(true)) {
                return Ok(fits);
            }
        }
        Ok(Ok(true))
    }

    fn fits_mapping(
        &mut self,
        frame: &mut Frame,
        wanted: &[(Expr, Pattern)],
        rest: Option<&Name>,
        subject: &Object,
        reads: &Rc<[Place]>,
    ) -> Outcome<Result<bool, Why>> {
        let Object::Dict(dict) = subject else { return Ok(Ok(false)) };
        if let Some(why) = &*dict.lost.borrow() {
            return Ok(Err(Rc::clone(why)));
        }
        let Some(mut left) = subject.items_of_dict() else { return Ok(Err(too_much())) };
        for (key, pattern) in wanted {
            let line = key.line;
            let key = self.eval(frame, key)?;
            let value = match self.looked_up(dict, &key) {
                Ok(Some(value)) => value,
                Ok(None) => return Ok(Ok(false)),
                Err(()) => return Ok(Err(self.why(&frame.module, line, "a key of a dict"))),
            };
            match self.fits(frame, pattern, &value, reads)? {
                Ok(true) if heap::spend(left.len()) => left.retain(|(own, _)| own.equals(&key) != Some(true)),
                Ok(true) => return Ok(Err(too_much())),
                other => return Ok(other),
            }
        }
        if let Some(name) = rest {
            frame.names.insert(Arc::clone(name), (Object::dict(left), Rc::clone(reads)));
        }
        Ok(Ok(true))
    }

    fn fits_class(
        &mut self,
        frame: &mut Frame,
        class: &Expr,
        places: &[Pattern],
        named: &[(Name, Pattern)],
        subject: &Object,
        reads: &Rc<[Place]>,
    ) -> Outcome<Result<bool, Why>> {
        let line = class.line;
        let class = self.eval(frame, class)?;
        match self.is_instance(subject, &class) {
            Some(true) => {}
            Some(false) => return Ok(Ok(false)),
            None => return Ok(Err(self.why(&frame.module, line, format!("whether a {} fits a class", type_name(subject))))),
        }
        let is_whole =
            matches!(&class, Object::External(name) if WHOLE.iter().any(|whole| name.strip_prefix("builtins.") == Some(whole)));
        match places {
            [] => {}
            [only] if is_whole => match self.fits(frame, only, subject, reads)? {
                Ok(true) => {}
                other => return Ok(other),
            },
            _ => return Ok(Err(self.why(&frame.module, line, "a class pattern with places"))),
        }
        for (name, pattern) in named {
            let start = self.reads.len();
            let value = match self.attribute(frame, line, subject, name) {
                Ok(value) => value,
                Err(raised) if &*raised.name == "AttributeError" => return Ok(Ok(false)),
                Err(raised) => return Err(raised),
            };
            let read: Rc<[Place]> = self.reads[start..].to_vec().into();
            if let Some(tests) = self.tests.last_mut() {
                tests.extend(read.iter().cloned());
            }
            match self.fits(frame, pattern, &value, &read)? {
                Ok(true) => {}
                other => return Ok(other),
            }
        }
        Ok(Ok(true))
    }
}
