//! The part of Python's syntax that declares configs, as our own tree: only `parse` depends on the parser.
//!
//! Syntax that is not modelled is kept as `Other` with a name, so that nothing is skipped silently.

use std::sync::{Arc, OnceLock};

use crate::hash::HashMap;

/// A shared name.
pub(crate) type Name = Arc<str>;

/// An expression, and the line on which it begins.
#[derive(Debug)]
pub(crate) struct Expr {
    pub(crate) line: u32,
    pub(crate) kind: ExprKind,
}

#[derive(Debug)]
pub(crate) enum ExprKind {
    None,
    Bool(bool),
    Int(i64),
    Float(f64),
    Str(Name),
    Ellipsis,
    Name(Name),
    List(Vec<Expr>),
    Tuple(Vec<Expr>),
    Set(Vec<Expr>),
    /// The entries in order; an entry without a key is `**value`.
    Dict(Vec<(Option<Expr>, Expr)>),
    Attribute(Box<Expr>, Name),
    Subscript(Box<Expr>, Box<Expr>),
    Binary(Operator, Box<Expr>, Box<Expr>),
    Negative(Box<Expr>),
    /// `+value`.
    Positive(Box<Expr>),
    /// `~value`.
    Inverted(Box<Expr>),
    Not(Box<Expr>),
    And(Vec<Expr>),
    Or(Vec<Expr>),
    Compare(Box<Expr>, Vec<(Comparison, Expr)>),
    /// `then if test else otherwise`.
    Conditional {
        test: Box<Expr>,
        then: Box<Expr>,
        otherwise: Box<Expr>,
    },
    Lambda(Arc<Lambda>),
    Call(Arc<Call>),
    Starred(Box<Expr>),
    Comprehension(Arc<Comprehension>),
    /// An f-string.
    Formatted(Vec<Part>),
    /// `name := value`.
    Named(Name, Box<Expr>),
    /// `yield value`.
    Yield(Option<Box<Expr>>),
    /// `yield from values`.
    YieldFrom(Box<Expr>),
    /// `from:to:step` in brackets.
    Slice([Option<Box<Expr>>; 3]),
    /// Syntax that is not modelled, by name.
    Other(&'static str),
}

impl Expr {
    /// The expressions that it contains, without the body of a lambda and without syntax that is not modelled.
    pub(crate) fn parts(&self) -> Vec<&Self> {
        match &self.kind {
            ExprKind::Attribute(of, _)
            | ExprKind::Not(of)
            | ExprKind::Negative(of)
            | ExprKind::Positive(of)
            | ExprKind::Inverted(of)
            | ExprKind::Starred(of)
            | ExprKind::Yield(Some(of))
            | ExprKind::YieldFrom(of)
            | ExprKind::Named(_, of) => vec![of],
            ExprKind::Slice(bounds) => bounds.iter().flatten().map(|bound| &**bound).collect(),
            ExprKind::Subscript(of, index) | ExprKind::Binary(_, of, index) => vec![of, index],
            ExprKind::List(all) | ExprKind::Tuple(all) | ExprKind::Set(all) | ExprKind::And(all) | ExprKind::Or(all) => {
                all.iter().collect()
            }
            ExprKind::Comprehension(made) => {
                let of = made.clauses.iter().flat_map(|clause| std::iter::once(&clause.iter).chain(&clause.conditions));
                std::iter::once(&made.element).chain(&made.value).chain(of).collect()
            }
            ExprKind::Dict(entries) => entries.iter().flat_map(|(key, value)| key.iter().chain(std::iter::once(value))).collect(),
            ExprKind::Compare(left, rest) => std::iter::once(&**left).chain(rest.iter().map(|(_, right)| right)).collect(),
            ExprKind::Conditional { test, then, otherwise } => vec![test, then, otherwise],
            ExprKind::Call(call) => {
                let keywords = call.keywords.iter().map(|(_, value)| value);
                std::iter::once(&call.function).chain(&call.arguments).chain(keywords).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// `[element for target in iter if condition]`, and similar forms.
#[derive(Debug)]
pub(crate) struct Comprehension {
    pub(crate) makes: Makes,
    /// The result for each item; for a dict, its key.
    pub(crate) element: Expr,
    /// For a dict, the value for each item.
    pub(crate) value: Option<Expr>,
    pub(crate) clauses: Vec<Clause>,
}

/// The type of a comprehension's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Makes {
    List,
    Set,
    Dict,
    /// A generator, which is evaluated on demand.
    Generator,
}

/// `for target in iter if condition`.
#[derive(Debug)]
pub(crate) struct Clause {
    pub(crate) target: Expr,
    pub(crate) iter: Expr,
    pub(crate) conditions: Vec<Expr>,
}

/// A part of an f-string.
#[derive(Debug)]
pub(crate) enum Part {
    Text(Name),
    /// A value, with whether it is formatted by `repr` (`!r`) or `str` (`!s`) first, and the parts of its format.
    Value {
        value: Expr,
        is_quoted: bool,
        is_text: bool,
        layout: Option<Vec<Part>>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    /// `//`
    DivideDown,
    /// `%`
    Remainder,
    Power,
    ShiftLeft,
    ShiftRight,
    /// `|`, which also joins types.
    Or,
    /// `&`
    And,
    /// `^`
    Xor,
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Is,
    IsNot,
    In,
    NotIn,
}

#[derive(Debug)]
pub(crate) struct Lambda {
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) body: Expr,
}

#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) function: Expr,
    pub(crate) arguments: Vec<Expr>,
    /// An argument without a name is `**value`.
    pub(crate) keywords: Vec<(Option<Name>, Expr)>,
}

/// A parameter of a function.
#[derive(Debug)]
pub(crate) struct Parameter {
    pub(crate) name: Name,
    pub(crate) annotation: Option<Expr>,
    pub(crate) default: Option<Expr>,
    pub(crate) kind: ParameterKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ParameterKind {
    Positional,
    Either,
    Named,
    /// `*args`.
    Rest,
    /// `**kwargs`.
    NamedRest,
}

#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) name: Name,
    pub(crate) line: u32,
    /// The range in the text of its module, in bytes, from its name to its end.
    pub(crate) span: (u32, u32),
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) decorators: Vec<Expr>,
    pub(crate) body: Vec<Stmt>,
    /// Whether its body has a `yield`.
    pub(crate) is_generator: bool,
}

#[derive(Debug)]
pub(crate) struct ClassDef {
    pub(crate) name: Name,
    pub(crate) line: u32,
    pub(crate) decorators: Vec<Expr>,
    pub(crate) bases: Vec<Expr>,
    pub(crate) keywords: Vec<(Option<Name>, Expr)>,
    pub(crate) body: Vec<Stmt>,
    /// The value that each name of a long body has last; made when it is needed.
    pub(crate) values: OnceLock<HashMap<Name, Arc<Expr>>>,
}

#[derive(Debug)]
pub(crate) struct Stmt {
    pub(crate) line: u32,
    pub(crate) kind: StmtKind,
}

impl Stmt {
    /// Calls a function with each block of statements in it, in their order. The bodies of classes and functions are none.
    pub(crate) fn each_block<'s>(&'s self, each: &mut dyn FnMut(&'s [Stmt])) {
        match &self.kind {
            StmtKind::If(branches) => branches.iter().for_each(|(_, body)| each(body)),
            StmtKind::With { body, .. } => each(body),
            StmtKind::Match { cases, .. } => cases.iter().for_each(|case| each(&case.body)),
            StmtKind::Try { body, handlers, otherwise, finally } => {
                each(body);
                handlers.iter().for_each(|handler| each(&handler.body));
                each(otherwise);
                each(finally);
            }
            StmtKind::For { body, otherwise, .. } | StmtKind::While { body, otherwise, .. } => {
                each(body);
                each(otherwise);
            }
            _ => {}
        }
    }
}

#[derive(Debug)]
pub(crate) enum StmtKind {
    Class(Arc<ClassDef>),
    Function(Arc<Function>),
    Return(Option<Expr>),
    Assign {
        targets: Vec<Expr>,
        value: Arc<Expr>,
    },
    Annotated {
        target: Expr,
        annotation: Arc<Expr>,
        value: Option<Arc<Expr>>,
    },
    TypeAlias {
        name: Name,
        value: Arc<Expr>,
    },
    /// The dotted name, and its alias.
    Import(Vec<(Name, Option<Name>)>),
    ImportFrom {
        level: u32,
        module: Option<Name>,
        names: Vec<(Name, Option<Name>)>,
    },
    /// Each condition with its block. `else` has no condition.
    If(Vec<(Option<Expr>, Vec<Stmt>)>),
    Try {
        body: Vec<Stmt>,
        handlers: Vec<Handler>,
        otherwise: Vec<Stmt>,
        finally: Vec<Stmt>,
    },
    /// The context managers with their targets, and the block.
    With {
        items: Vec<(Expr, Option<Expr>)>,
        body: Vec<Stmt>,
    },
    Expression(Expr),
    For {
        target: Expr,
        iter: Expr,
        body: Vec<Stmt>,
        otherwise: Vec<Stmt>,
    },
    /// The raised value; `None` if the caught exception is raised again.
    Raise(Option<Expr>),
    /// A condition that must hold, and the message if it does not.
    Assert(Expr, Option<Expr>),
    Continue,
    Break,
    Pass,
    /// `target += value`, or the same with another operator.
    Augmented {
        target: Expr,
        operator: Operator,
        value: Expr,
    },
    While {
        test: Expr,
        body: Vec<Stmt>,
        otherwise: Vec<Stmt>,
    },
    Delete(Vec<Expr>),
    /// `match subject:`, and the names that its blocks bind or change.
    Match {
        subject: Expr,
        cases: Vec<Case>,
        binds: Vec<Name>,
    },
    /// Syntax that is not modelled: the names that it binds or changes, and the name of the syntax.
    Other {
        binds: Vec<Name>,
        word: &'static str,
    },
}

/// A `case` block.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) pattern: Pattern,
    /// The condition after `if`.
    pub(crate) guard: Option<Expr>,
    pub(crate) body: Vec<Stmt>,
}

/// What a subject is compared with.
#[derive(Debug)]
pub(crate) enum Pattern {
    /// A value that it equals.
    Value(Expr),
    /// `None`, `True` or `False`.
    Singleton(Expr),
    /// `[first, *rest]`.
    Sequence(Vec<Pattern>),
    /// `*rest` in a sequence.
    Star(Option<Name>),
    /// `{key: pattern, **rest}`.
    Mapping {
        entries: Vec<(Expr, Pattern)>,
        rest: Option<Name>,
    },
    /// `Class(pattern, name=pattern)`.
    Class {
        class: Expr,
        places: Vec<Pattern>,
        named: Vec<(Name, Pattern)>,
    },
    /// `pattern as name`, `name` alone, or `_`.
    As(Option<Box<Pattern>>, Option<Name>),
    Or(Vec<Pattern>),
}

impl Pattern {
    /// The patterns in it.
    pub(crate) fn parts(&self) -> Vec<&Self> {
        match self {
            Self::Sequence(all) | Self::Or(all) => all.iter().collect(),
            Self::Mapping { entries, .. } => entries.iter().map(|(_, pattern)| pattern).collect(),
            Self::Class { places, named, .. } => places.iter().chain(named.iter().map(|(_, pattern)| pattern)).collect(),
            Self::As(Some(pattern), _) => vec![pattern],
            Self::Value(_) | Self::Singleton(_) | Self::Star(_) | Self::As(None, _) => Vec::new(),
        }
    }

    /// The expressions in it, without those of the patterns in it.
    pub(crate) fn exprs(&self) -> Vec<&Expr> {
        match self {
            Self::Value(expr) | Self::Singleton(expr) | Self::Class { class: expr, .. } => vec![expr],
            Self::Mapping { entries, .. } => entries.iter().map(|(key, _)| key).collect(),
            _ => Vec::new(),
        }
    }

    /// The name that it binds itself.
    pub(crate) const fn binds(&self) -> Option<&Name> {
        match self {
            Self::Star(name) | Self::As(_, name) | Self::Mapping { rest: name, .. } => name.as_ref(),
            _ => None,
        }
    }
}

/// An `except` block.
#[derive(Debug)]
pub(crate) struct Handler {
    /// The class that it catches; `None` if it catches all exceptions.
    pub(crate) catches: Option<Expr>,
    /// The name of the caught exception.
    pub(crate) name: Option<Name>,
    pub(crate) body: Vec<Stmt>,
}
