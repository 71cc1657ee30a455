//! Parses Python to our own tree. Only the files of this folder depend on the parser.

mod depth;
mod operators;
mod patterns;
mod rebinds;
mod words;
mod yields;

use std::sync::{Arc, OnceLock};

use ruff_python_ast as py;
use ruff_python_parser::{Mode, ParseOptions, parse_expression, parse_unchecked};
use ruff_text_size::{Ranged, TextSize};

use depth::is_shallow;
use operators::{comparison, operator};
use rebinds::rebinds;
pub(crate) use words::{Tokens, deciding_words, statement_words, words_about};

use crate::ast::{
    Call, Case, ClassDef, Clause, Comprehension, Expr, ExprKind, Function, Handler, Lambda, Makes, Name, Parameter,
    ParameterKind, Part, Stmt, StmtKind,
};

/// The most statements in the body of a class, which is searched for each name that is looked up in it. The longest of prime-rl has 150.
const LONGEST_BODY: usize = 1000;

/// A module.
#[derive(Debug)]
pub(crate) struct Parsed {
    pub(crate) body: Vec<Stmt>,
    pub(crate) tokens: Tokens,
}

/// Parses a module that has at most `most` tokens; an error says why it can't be parsed.
pub(crate) fn module(text: &str, most: usize) -> Result<Parsed, String> {
    is_shallow(text, Mode::Module, most)?;
    let parsed = parse_unchecked(text, ParseOptions::from(Mode::Module));
    let lines = Lines::of(text);
    if let Some(error) = parsed.errors().first() {
        return Err(format!("line {}: {}", lines.at(error.location.start()), error.error));
    }
    let tokens = Tokens::new(parsed.tokens());
    match parsed.into_syntax() {
        py::Mod::Module(module) => {
            let mut body = lines.body(&module.body);
            let rebound = rebinds(&module.body);
            if !rebound.is_empty() {
                body.push(Stmt { line: 1, kind: other_stmt("a name that is bound by code", rebound) });
            }
            Ok(Parsed { body, tokens })
        }
        py::Mod::Expression(_) => Err("it is an expression".to_owned()),
    }
}

/// Parses an annotation that is written as a string. `line` is its line in the module.
pub(crate) fn expression(text: &str, line: u32) -> Option<Expr> {
    is_shallow(text, Mode::Expression, usize::MAX).ok()?;
    let parsed = parse_expression(text).ok()?.into_syntax();
    Some(Lines { starts: vec![0], first: line }.expr(&parsed.body))
}

/// The offsets of the lines of a text.
struct Lines {
    starts: Vec<u32>,
    first: u32,
}

impl Lines {
    fn of(text: &str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Self { starts: std::iter::once(0).chain(ends.map(|(at, _)| at as u32 + 1)).collect(), first: 1 }
    }

    fn at(&self, offset: TextSize) -> u32 {
        self.first + self.starts.partition_point(|&start| start <= offset.to_u32()) as u32 - 1
    }

    fn body(&self, body: &[py::Stmt]) -> Vec<Stmt> {
        body.iter().map(|stmt| self.stmt(stmt)).collect()
    }

    fn stmt(&self, stmt: &py::Stmt) -> Stmt {
        let kind = match stmt {
            py::Stmt::ClassDef(class) => StmtKind::Class(Arc::new(self.class(class))),
            py::Stmt::FunctionDef(function) => StmtKind::Function(Arc::new(Function {
                name: name(&function.name),
                line: self.at(function.name.start()),
                span: (function.name.start().to_u32(), function.end().to_u32()),
                parameters: self.parameters(&function.parameters),
                decorators: function.decorator_list.iter().map(|decorator| self.expr(&decorator.expression)).collect(),
                body: self.body(&function.body),
                is_generator: yields::has_yield(&function.body),
            })),
            py::Stmt::Return(given) => StmtKind::Return(given.value.as_deref().map(|value| self.expr(value))),
            py::Stmt::Assign(assign) => {
                StmtKind::Assign { targets: self.all(&assign.targets), value: Arc::new(self.expr(&assign.value)) }
            }
            py::Stmt::AnnAssign(assign) => StmtKind::Annotated {
                target: self.expr(&assign.target),
                annotation: Arc::new(self.expr(&assign.annotation)),
                value: assign.value.as_deref().map(|value| Arc::new(self.expr(value))),
            },
            py::Stmt::TypeAlias(alias) => match &*alias.name {
                py::Expr::Name(name) if alias.type_params.is_none() => {
                    StmtKind::TypeAlias { name: name.id.as_str().into(), value: Arc::new(self.expr(&alias.value)) }
                }
                other => other_stmt("a type with parameters", bound(other)),
            },
            py::Stmt::Import(import) => StmtKind::Import(import.names.iter().map(alias).collect()),
            py::Stmt::ImportFrom(import) => StmtKind::ImportFrom {
                level: import.level,
                module: import.module.as_ref().map(name),
                names: import.names.iter().map(alias).collect(),
            },
            py::Stmt::If(branches) => {
                let first = (Some(self.expr(&branches.test)), self.body(&branches.body));
                let rest = branches.elif_else_clauses.iter();
                let rest = rest.map(|clause| (clause.test.as_ref().map(|test| self.expr(test)), self.body(&clause.body)));
                StmtKind::If(std::iter::once(first).chain(rest).collect())
            }
            py::Stmt::Try(tried) if tried.is_star => other_stmt("`except*`", Vec::new()),
            py::Stmt::Try(tried) => StmtKind::Try {
                body: self.body(&tried.body),
                handlers: tried
                    .handlers
                    .iter()
                    .map(|py::ExceptHandler::ExceptHandler(handler)| Handler {
                        catches: handler.type_.as_deref().map(|caught| self.expr(caught)),
                        name: handler.name.as_ref().map(name),
                        body: self.body(&handler.body),
                    })
                    .collect(),
                otherwise: self.body(&tried.orelse),
                finally: self.body(&tried.finalbody),
            },
            py::Stmt::With(with) => {
                let item = |item: &py::WithItem| {
                    (self.expr(&item.context_expr), item.optional_vars.as_deref().map(|target| self.expr(target)))
                };
                StmtKind::With { items: with.items.iter().map(item).collect(), body: self.body(&with.body) }
            }
            py::Stmt::Expr(expr) => StmtKind::Expression(self.expr(&expr.value)),
            py::Stmt::Raise(raise) => StmtKind::Raise(raise.exc.as_deref().map(|raised| self.expr(raised))),
            py::Stmt::Assert(given) => {
                StmtKind::Assert(self.expr(&given.test), given.msg.as_deref().map(|message| self.expr(message)))
            }
            py::Stmt::Continue(_) => StmtKind::Continue,
            py::Stmt::Break(_) => StmtKind::Break,
            py::Stmt::Pass(_) => StmtKind::Pass,
            py::Stmt::AugAssign(assign) => {
                let (target, value) = (self.expr(&assign.target), self.expr(&assign.value));
                StmtKind::Augmented { target, operator: operator(assign.op), value }
            }
            py::Stmt::Delete(delete) => StmtKind::Delete(self.all(&delete.targets)),
            py::Stmt::For(given) => StmtKind::For {
                target: self.expr(&given.target),
                iter: self.expr(&given.iter),
                body: self.body(&given.body),
                otherwise: self.body(&given.orelse),
            },
            py::Stmt::While(given) => StmtKind::While {
                test: self.expr(&given.test),
                body: self.body(&given.body),
                otherwise: self.body(&given.orelse),
            },
            py::Stmt::Match(given) => {
                let cases: Vec<Case> = given.cases.iter().map(|case| self.case(case)).collect();
                let binds = cases.iter().flat_map(|case| patterns::bound(&case.pattern));
                let binds = binds.chain(given.cases.iter().flat_map(|case| bound_in(&case.body))).collect();
                StmtKind::Match { subject: self.expr(&given.subject), cases, binds }
            }
            _ => other_stmt("a statement", Vec::new()),
        };
        Stmt { line: self.at(stmt.start()), kind }
    }

    fn class(&self, class: &py::StmtClassDef) -> ClassDef {
        let arguments = class.arguments.as_deref();
        let mut bases: Vec<Expr> = arguments.map(|arguments| self.all(&arguments.args)).unwrap_or_default();
        let mut not_modelled = |word| bases.push(Expr { line: self.at(class.start()), kind: ExprKind::Other(word) });
        if class.type_params.is_some() {
            not_modelled("type parameters");
        }
        let is_long = class.body.len() > LONGEST_BODY;
        if is_long {
            not_modelled("a class with too many statements");
        }
        ClassDef {
            name: name(&class.name),
            line: self.at(class.name.start()),
            decorators: class.decorator_list.iter().map(|decorator| self.expr(&decorator.expression)).collect(),
            bases,
            keywords: arguments.map(|arguments| self.keywords(&arguments.keywords)).unwrap_or_default(),
            body: if is_long { Vec::new() } else { self.body(&class.body) },
            values: OnceLock::new(),
        }
    }

    fn parameters(&self, parameters: &py::Parameters) -> Vec<Parameter> {
        let one = |parameter: &py::Parameter, default: Option<&py::Expr>, kind| Parameter {
            name: name(&parameter.name),
            annotation: parameter.annotation.as_deref().map(|annotation| self.expr(annotation)),
            default: default.map(|default| self.expr(default)),
            kind,
        };
        let with = |parameter: &py::ParameterWithDefault, kind| one(&parameter.parameter, parameter.default.as_deref(), kind);
        let mut all: Vec<Parameter> = Vec::new();
        all.extend(parameters.posonlyargs.iter().map(|parameter| with(parameter, ParameterKind::Positional)));
        all.extend(parameters.args.iter().map(|parameter| with(parameter, ParameterKind::Either)));
        all.extend(parameters.vararg.iter().map(|parameter| one(parameter, None, ParameterKind::Rest)));
        all.extend(parameters.kwonlyargs.iter().map(|parameter| with(parameter, ParameterKind::Named)));
        all.extend(parameters.kwarg.iter().map(|parameter| one(parameter, None, ParameterKind::NamedRest)));
        all
    }

    fn keywords(&self, keywords: &[py::Keyword]) -> Vec<(Option<Name>, Expr)> {
        keywords.iter().map(|keyword| (keyword.arg.as_ref().map(name), self.expr(&keyword.value))).collect()
    }

    fn all(&self, exprs: &[py::Expr]) -> Vec<Expr> {
        exprs.iter().map(|expr| self.expr(expr)).collect()
    }

    fn boxed(&self, expr: &py::Expr) -> Box<Expr> {
        Box::new(self.expr(expr))
    }

    fn comprehension(
        &self,
        makes: Makes,
        element: &py::Expr,
        value: Option<&py::Expr>,
        clauses: &[py::Comprehension],
    ) -> ExprKind {
        let clause = |clause: &py::Comprehension| Clause {
            target: self.expr(&clause.target),
            iter: self.expr(&clause.iter),
            conditions: self.all(&clause.ifs),
        };
        ExprKind::Comprehension(Arc::new(Comprehension {
            makes,
            element: self.expr(element),
            value: value.map(|value| self.expr(value)),
            clauses: clauses.iter().map(clause).collect(),
        }))
    }

    /// The parts of an f-string.
    fn formatted(&self, text: &py::FStringValue) -> ExprKind {
        let mut parts = Vec::new();
        for part in text {
            match part {
                py::FStringPart::Literal(literal) => parts.push(Part::Text((&*literal.value).into())),
                py::FStringPart::FString(inner) => parts.extend(inner.elements.iter().map(|element| self.element(element))),
            }
        }
        ExprKind::Formatted(parts)
    }

    fn element(&self, element: &py::InterpolatedStringElement) -> Part {
        match element {
            py::InterpolatedStringElement::Literal(literal) => Part::Text((&*literal.value).into()),
            py::InterpolatedStringElement::Interpolation(given) => {
                // `{value=}` also shows the code, and `!a` replaces characters.
                if given.debug_text.is_some() || given.conversion == py::ConversionFlag::Ascii {
                    let value = Expr { line: self.at(given.start()), kind: ExprKind::Other("an f-string of this form") };
                    return Part::Value { value, is_quoted: false, is_text: false, layout: None };
                }
                let layout = given.format_spec.as_deref();
                let layout = layout.map(|spec| spec.elements.iter().map(|element| self.element(element)).collect());
                let is_quoted = given.conversion == py::ConversionFlag::Repr;
                let is_text = given.conversion == py::ConversionFlag::Str;
                Part::Value { value: self.expr(&given.expression), is_quoted, is_text, layout }
            }
        }
    }

    fn expr(&self, expr: &py::Expr) -> Expr {
        let kind = match expr {
            py::Expr::NoneLiteral(_) => ExprKind::None,
            py::Expr::BooleanLiteral(literal) => ExprKind::Bool(literal.value),
            py::Expr::EllipsisLiteral(_) => ExprKind::Ellipsis,
            // The parser is built without the names of characters (vendor/unicode_names2), and replaces `\N{...}`.
            py::Expr::StringLiteral(literal) if literal.value.to_str().contains(char::REPLACEMENT_CHARACTER) => {
                ExprKind::Other("a character that is given by its name")
            }
            py::Expr::StringLiteral(literal) => ExprKind::Str(literal.value.to_str().into()),
            py::Expr::NumberLiteral(literal) => match &literal.value {
                py::Number::Int(int) => int.as_i64().map_or(
                    ExprKind::Other(
                        "an integer that does not fit in 64 \
                    bits",
                    ),
                    ExprKind::Int,
                ),
                py::Number::Float(float) => ExprKind::Float(*float),
                py::Number::Complex { .. } => ExprKind::Other("a complex number"),
            },
            py::Expr::Name(name) => ExprKind::Name(name.id.as_str().into()),
            py::Expr::List(list) => ExprKind::List(self.all(&list.elts)),
            py::Expr::Tuple(tuple) => ExprKind::Tuple(self.all(&tuple.elts)),
            py::Expr::Set(set) => ExprKind::Set(self.all(&set.elts)),
            py::Expr::Dict(dict) => {
                let item = |item: &py::DictItem| (item.key.as_ref().map(|key| self.expr(key)), self.expr(&item.value));
                ExprKind::Dict(dict.items.iter().map(item).collect())
            }
            py::Expr::Attribute(attribute) => ExprKind::Attribute(self.boxed(&attribute.value), name(&attribute.attr)),
            py::Expr::Subscript(subscript) => ExprKind::Subscript(self.boxed(&subscript.value), self.boxed(&subscript.slice)),
            py::Expr::BinOp(binary) => ExprKind::Binary(operator(binary.op), self.boxed(&binary.left), self.boxed(&binary.right)),
            py::Expr::UnaryOp(unary) => match unary.op {
                py::UnaryOp::USub => ExprKind::Negative(self.boxed(&unary.operand)),
                py::UnaryOp::Not => ExprKind::Not(self.boxed(&unary.operand)),
                py::UnaryOp::UAdd => ExprKind::Positive(self.boxed(&unary.operand)),
                py::UnaryOp::Invert => ExprKind::Inverted(self.boxed(&unary.operand)),
            },
            py::Expr::BoolOp(given) => match given.op {
                py::BoolOp::And => ExprKind::And(self.all(&given.values)),
                py::BoolOp::Or => ExprKind::Or(self.all(&given.values)),
            },
            py::Expr::Compare(compare) => {
                let rest = compare.ops.iter().map(|op| comparison(*op)).zip(self.all(&compare.comparators)).collect();
                ExprKind::Compare(self.boxed(&compare.left), rest)
            }
            py::Expr::If(given) => ExprKind::Conditional {
                test: self.boxed(&given.test),
                then: self.boxed(&given.body),
                otherwise: self.boxed(&given.orelse),
            },
            py::Expr::Lambda(lambda) => ExprKind::Lambda(Arc::new(Lambda {
                parameters: lambda.parameters.as_deref().map(|given| self.parameters(given)).unwrap_or_default(),
                body: self.expr(&lambda.body),
            })),
            py::Expr::Call(call) => ExprKind::Call(Arc::new(Call {
                function: self.expr(&call.func),
                arguments: self.all(&call.arguments.args),
                keywords: self.keywords(&call.arguments.keywords),
            })),
            py::Expr::Starred(starred) => ExprKind::Starred(self.boxed(&starred.value)),
            py::Expr::FString(given) => self.formatted(&given.value),
            py::Expr::TString(_) => ExprKind::Other("a template"),
            py::Expr::BytesLiteral(_) => ExprKind::Other("bytes"),
            py::Expr::ListComp(given) => self.comprehension(Makes::List, &given.elt, None, &given.generators),
            py::Expr::SetComp(given) => self.comprehension(Makes::Set, &given.elt, None, &given.generators),
            py::Expr::Generator(given) => self.comprehension(Makes::Generator, &given.elt, None, &given.generators),
            py::Expr::DictComp(given) => match given.key.as_deref() {
                Some(key) => self.comprehension(Makes::Dict, key, Some(&given.value), &given.generators),
                None => ExprKind::Other("`**` in a comprehension"),
            },
            py::Expr::Named(named) => match &*named.target {
                py::Expr::Name(name) => ExprKind::Named(name.id.as_str().into(), self.boxed(&named.value)),
                _ => ExprKind::Other("an assignment within an expression"),
            },
            py::Expr::Slice(slice) => {
                let bound = |bound: &Option<Box<py::Expr>>| bound.as_deref().map(|bound| self.boxed(bound));
                ExprKind::Slice([bound(&slice.lower), bound(&slice.upper), bound(&slice.step)])
            }
            py::Expr::Yield(given) => ExprKind::Yield(given.value.as_deref().map(|value| self.boxed(value))),
            py::Expr::YieldFrom(given) => ExprKind::YieldFrom(self.boxed(&given.value)),
            py::Expr::Await(_) | py::Expr::IpyEscapeCommand(_) => ExprKind::Other("an expression"),
        };
        Expr { line: self.at(expr.start()), kind }
    }
}

fn other_stmt(word: &'static str, binds: Vec<Name>) -> StmtKind {
    StmtKind::Other { binds, word }
}

/// The names that a target binds, or whose values it changes.
fn bound(target: &py::Expr) -> Vec<Name> {
    match target {
        py::Expr::Name(name) => vec![name.id.as_str().into()],
        py::Expr::Tuple(tuple) => tuple.elts.iter().flat_map(bound).collect(),
        py::Expr::List(list) => list.elts.iter().flat_map(bound).collect(),
        py::Expr::Starred(starred) => bound(&starred.value),
        py::Expr::Attribute(attribute) => bound(&attribute.value),
        py::Expr::Subscript(subscript) => bound(&subscript.value),
        _ => Vec::new(),
    }
}

/// The names that statements bind, at any depth.
fn bound_in(body: &[py::Stmt]) -> Vec<Name> {
    body.iter()
        .flat_map(|stmt| match stmt {
            py::Stmt::ClassDef(class) => vec![name(&class.name)],
            py::Stmt::FunctionDef(function) => vec![name(&function.name)],
            py::Stmt::Assign(assign) => assign.targets.iter().flat_map(bound).collect(),
            py::Stmt::AnnAssign(assign) => bound(&assign.target),
            py::Stmt::AugAssign(assign) => bound(&assign.target),
            py::Stmt::Import(import) => import.names.iter().map(bound_by).collect(),
            py::Stmt::ImportFrom(import) => import.names.iter().map(bound_by).collect(),
            py::Stmt::If(given) => {
                let rest = given.elif_else_clauses.iter().flat_map(|clause| bound_in(&clause.body));
                bound_in(&given.body).into_iter().chain(rest).collect()
            }
            py::Stmt::For(given) => bound(&given.target).into_iter().chain(bound_in(&given.body)).collect(),
            py::Stmt::While(given) => bound_in(&given.body),
            py::Stmt::With(given) => bound_in(&given.body),
            py::Stmt::Match(given) => given.cases.iter().flat_map(|case| bound_in(&case.body)).collect(),
            py::Stmt::Try(given) => {
                let handlers = given.handlers.iter().flat_map(|py::ExceptHandler::ExceptHandler(one)| bound_in(&one.body));
                bound_in(&given.body).into_iter().chain(handlers).chain(bound_in(&given.orelse)).collect()
            }
            _ => Vec::new(),
        })
        .collect()
}

fn bound_by(alias: &py::Alias) -> Name {
    let name = alias.asname.as_ref().unwrap_or(&alias.name).as_str();
    name.split('.').next().unwrap_or_default().into()
}

fn name(identifier: &py::Identifier) -> Name {
    identifier.as_str().into()
}

fn alias(alias: &py::Alias) -> (Name, Option<Name>) {
    (name(&alias.name), alias.asname.as_ref().map(name))
}
