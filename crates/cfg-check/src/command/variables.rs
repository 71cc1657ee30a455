//! The variables of a command.

use cfg_compose::{CommandLine, Launch, Texts, loader};
use cfg_diag::{Location, Span};

use super::ENVIRONMENT;

/// The variables that may set values: those before the command override those of the environment.
pub(super) fn variables(
    texts: &mut Texts,
    line: &CommandLine,
    launch: &Launch,
    environment: &[(String, String)],
) -> Vec<cfg_compose::Variable> {
    let mut variables = Vec::new();
    let prefix = loader::at(cfg_schema::Point(0)).environment.unwrap_or_default();
    let sets_values = |name: &str| name.to_ascii_uppercase().starts_with(prefix);
    if environment.iter().any(|(name, _)| sets_values(name)) {
        let file = texts.next_id();
        let mut text = String::new();
        for (name, value) in environment.iter().filter(|(name, _)| sets_values(name)) {
            let start = text.len() as u32;
            text.push_str(&format!("{name}={}", value.replace(['\n', '\r'], " ")));
            let location = Location::new(file, Span::new(start, text.len() as u32));
            text.push('\n');
            variables.push(cfg_compose::Variable { name: name.as_str().into(), value: value.as_str().into(), location });
        }
        texts.add(ENVIRONMENT, text);
    }
    for (name, value, word) in launch.variables.iter().filter(|(name, _, _)| sets_values(name)) {
        variables.retain(|variable| variable.name != *name);
        variables.push(cfg_compose::Variable { name: name.clone(), value: value.clone(), location: line.words[*word].location });
    }
    variables
}
