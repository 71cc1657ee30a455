//! The variables before a launch command. They are not part of a config, so no rule sees them.

use cfg_diag::{Diagnostic, Location, codes};

use crate::{operations::vllm_variable_without_effect, placeholders::placeholder};

/// A variable that is set for a launch.
#[derive(Clone, Copy, Debug)]
pub struct Variable<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its value.
    pub value: &'a str,
    /// Where it is.
    pub location: Location,
}

/// The finding for a variable: its value is a placeholder, or it has no effect.
pub fn variable(variable: Variable<'_>) -> Option<Diagnostic> {
    let Variable { name, value, location } = variable;
    if placeholder::is_placeholder(value, false) {
        let message = format!("`{value}` is a placeholder that was never filled in");
        let help = format!("write the value of `{name}`, or remove the variable if the shell already sets it");
        return Some(Diagnostic::new(&codes::PLACEHOLDER, message).at(location).key(name).help(help));
    }
    let (why, order) = vllm_variable_without_effect::dead(name)?;
    let message = format!("`{name}` has no effect here: {why}");
    Some(Diagnostic::new(&codes::VLLM_VARIABLE_WITHOUT_EFFECT, message).at(location).key(name).help(order))
}
