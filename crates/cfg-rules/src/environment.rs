//! Environments: their arguments, compared with their declarations.

pub(crate) mod broken_env_version;
pub(crate) mod env_args_conflict;
pub(crate) mod env_limit_mismatch;
pub(crate) mod env_name_with_slash;
pub(crate) mod few_examples;
pub(crate) mod invalid_env_arg;
pub(crate) mod invalid_env_declaration;
pub(crate) mod invalid_env_id;
pub(crate) mod missing_env_arg;
pub(crate) mod no_training_environment;
pub(crate) mod reserved_env_name;
pub(crate) mod slow_executor;
pub(crate) mod unknown_env_arg;
pub(crate) mod wrong_split;

use cfg_plan::{Arg, Environment};

use crate::Finding;

/// Places a finding at an argument.
pub(crate) fn at_arg(finding: Finding, arg: &Arg) -> Finding {
    finding.key(arg.key()).at_place(arg.location())
}

/// Places a finding at the table of an environment: at its id, or at its header.
pub(crate) fn at_environment(finding: Finding, environment: &Environment) -> Finding {
    finding.at_place(environment.id.location().or(environment.location))
}

/// The id, for messages.
pub(crate) fn name(environment: &Environment) -> &str {
    environment.base_id().unwrap_or("the environment")
}
