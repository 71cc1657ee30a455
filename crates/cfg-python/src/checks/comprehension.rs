//! Comprehensions.

use std::sync::Arc;

use super::{
    equality::put,
    object::{Names, Object, Why, too_much},
    run::{Frame, Outcome, Run},
};
use crate::ast::{Clause, Comprehension, Expr, ExprKind, Makes, Name};

impl Run<'_> {
    /// Ends the scope of a comprehension: its targets are no longer bound, but what it binds by `:=` is.
    pub(super) fn end_scope(frame: &mut Frame, before: &Names, clauses: &[Clause]) {
        let mut targets = Vec::new();
        clauses.iter().for_each(|clause| targets_in(&clause.target, &mut targets));
        for name in targets {
            match before.get(name) {
                Some(value) => frame.names.insert(Arc::clone(name), value.clone()),
                None => frame.names.remove(name),
            };
        }
    }

    pub(super) fn comprehension(&mut self, frame: &mut Frame, made: &Comprehension) -> Outcome<Object> {
        let before = frame.copy_of_names();
        let mut all = Vec::new();
        let outcome = self.clauses(frame, &made.clauses, made, &mut all);
        Self::end_scope(frame, &before, &made.clauses);
        Ok(match outcome? {
            Err(why) => Object::Unknown(why),
            Ok(()) => match made.makes {
                Makes::List => Object::list(all.into_iter().map(|(item, _)| item).collect()),
                Makes::Generator => Object::iterator(all.into_iter().map(|(item, _)| item).collect()),
                Makes::Set => self.hashed_set(frame, made.element.line, all.into_iter().map(|(item, _)| item).collect())?,
                Makes::Dict => {
                    self.all_hashed(frame, made.element.line, all.iter().map(|(key, _)| key))?;
                    let mut entries = Vec::new();
                    match all.into_iter().all(|(key, value)| put(&mut entries, key, value)) {
                        true => Object::dict(entries),
                        false => Object::Unknown(too_much()),
                    }
                }
            },
        })
    }

    fn clauses(
        &mut self,
        frame: &mut Frame,
        clauses: &[Clause],
        made: &Comprehension,
        all: &mut Vec<(Object, Object)>,
    ) -> Outcome<Result<(), Why>> {
        let Some((clause, rest)) = clauses.split_first() else {
            let key = self.eval(frame, &made.element)?;
            let value = made.value.as_ref().map_or(Ok(Object::None), |value| self.eval(frame, value))?;
            all.push((key, value));
            return Ok(Ok(()));
        };
        let (over, reads) = self.tracked(frame, &clause.iter)?;
        let items = match self.iterated(frame, clause.iter.line, &over)? {
            Ok(items) => items,
            Err(why) => return Ok(Err(why)),
        };
        for item in items {
            self.assign(frame, &clause.target, item, &reads)?;
            let mut is_wanted = true;
            for condition in &clause.conditions {
                match self.holds(frame, condition)? {
                    Ok(true) => {}
                    Ok(false) => {
                        is_wanted = false;
                        break;
                    }
                    Err(why) => return Ok(Err(why)),
                }
            }
            if is_wanted && let Err(why) = self.clauses(frame, rest, made, all)? {
                return Ok(Err(why));
            }
        }
        Ok(Ok(()))
    }
}

/// The names that a target binds.
fn targets_in<'t>(target: &'t Expr, found: &mut Vec<&'t Name>) {
    match &target.kind {
        ExprKind::Name(name) => found.push(name),
        ExprKind::Tuple(targets) | ExprKind::List(targets) => targets.iter().for_each(|target| targets_in(target, found)),
        ExprKind::Starred(target) => targets_in(target, found),
        _ => {}
    }
}
