//! The patterns of `match`.

use ruff_python_ast as py;
use ruff_text_size::Ranged;

use super::{Lines, name};
use crate::ast::{Case, Expr, ExprKind, Name, Pattern};

impl Lines {
    pub(super) fn case(&self, case: &py::MatchCase) -> Case {
        let guard = case.guard.as_deref().map(|guard| self.expr(guard));
        Case { pattern: self.pattern(&case.pattern), guard, body: self.body(&case.body) }
    }

    fn pattern(&self, pattern: &py::Pattern) -> Pattern {
        let all = |patterns: &[py::Pattern]| patterns.iter().map(|pattern| self.pattern(pattern)).collect::<Vec<_>>();
        match pattern {
            py::Pattern::MatchValue(given) => Pattern::Value(self.expr(&given.value)),
            py::Pattern::MatchSingleton(given) => {
                let kind = match given.value {
                    py::Singleton::None => ExprKind::None,
                    py::Singleton::True => ExprKind::Bool(true),
                    py::Singleton::False => ExprKind::Bool(false),
                };
                Pattern::Singleton(Expr { line: self.at(given.start()), kind })
            }
            py::Pattern::MatchSequence(given) => Pattern::Sequence(all(&given.patterns)),
            py::Pattern::MatchStar(given) => Pattern::Star(given.name.as_ref().map(name)),
            py::Pattern::MatchMapping(given) => Pattern::Mapping {
                entries: self.all(&given.keys).into_iter().zip(all(&given.patterns)).collect(),
                rest: given.rest.as_ref().map(name),
            },
            py::Pattern::MatchClass(given) => Pattern::Class {
                class: self.expr(&given.cls),
                places: all(&given.arguments.patterns),
                named: given.arguments.keywords.iter().map(|one| (name(&one.attr), self.pattern(&one.pattern))).collect(),
            },
            py::Pattern::MatchAs(given) => Pattern::As(
                given.pattern.as_deref().map(|pattern| Box::new(self.pattern(pattern))),
                given.name.as_ref().map(name),
            ),
            py::Pattern::MatchOr(given) => Pattern::Or(all(&given.patterns)),
        }
    }
}

/// The names that a pattern binds.
pub(super) fn bound(pattern: &Pattern) -> Vec<Name> {
    pattern.binds().cloned().into_iter().chain(pattern.parts().into_iter().flat_map(bound)).collect()
}
