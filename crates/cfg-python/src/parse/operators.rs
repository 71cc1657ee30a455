//! Converts the parser's operators to ours.

use ruff_python_ast as py;

use crate::ast::{Comparison, Operator};

pub(super) const fn operator(operator: py::Operator) -> Operator {
    match operator {
        py::Operator::Add => Operator::Add,
        py::Operator::Sub => Operator::Subtract,
        py::Operator::Mult => Operator::Multiply,
        py::Operator::Div => Operator::Divide,
        py::Operator::FloorDiv => Operator::DivideDown,
        py::Operator::Mod => Operator::Remainder,
        py::Operator::Pow => Operator::Power,
        py::Operator::LShift => Operator::ShiftLeft,
        py::Operator::RShift => Operator::ShiftRight,
        py::Operator::BitOr => Operator::Or,
        py::Operator::BitAnd => Operator::And,
        py::Operator::BitXor => Operator::Xor,
        py::Operator::MatMult => Operator::Other,
    }
}

pub(super) const fn comparison(comparison: py::CmpOp) -> Comparison {
    match comparison {
        py::CmpOp::Eq => Comparison::Equal,
        py::CmpOp::NotEq => Comparison::NotEqual,
        py::CmpOp::Lt => Comparison::Less,
        py::CmpOp::LtE => Comparison::LessEqual,
        py::CmpOp::Gt => Comparison::Greater,
        py::CmpOp::GtE => Comparison::GreaterEqual,
        py::CmpOp::Is => Comparison::Is,
        py::CmpOp::IsNot => Comparison::IsNot,
        py::CmpOp::In => Comparison::In,
        py::CmpOp::NotIn => Comparison::NotIn,
    }
}
