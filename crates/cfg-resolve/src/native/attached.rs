//! prime-rl's checks that belong to a field's type instead of a class.

use cfg_diag::{Diagnostic, Native, codes};
use cfg_schema::{Behaviour, FieldType, Point};

use super::Failure;
use crate::{
    ResolvedValue,
    walk::{Outcome, Walker},
};

/// Variables that the launcher sets itself, each with the behaviour since which the check refuses it, and the one since which it no longer does.
const LAUNCHERS: [(&str, Behaviour, Option<Behaviour>); 9] = [
    ("CUDA_VISIBLE_DEVICES", Behaviour::LaunchersVariables, None),
    ("WANDB_SHARED_MODE", Behaviour::LaunchersVariables, None),
    ("WANDB_SHARED_LABEL", Behaviour::LaunchersVariables, None),
    ("WANDB_SHARED_RUN_ID", Behaviour::LaunchersVariables, Some(Behaviour::RunTable)),
    ("WANDB_RUN_ID", Behaviour::RunTable, None),
    ("PRL_RUN_ID", Behaviour::RunTable, None),
    ("PRL_RUN_NAME", Behaviour::RunTable, None),
    ("WANDB_SHARED_PRIMARY", Behaviour::SharedWandbRoles, None),
    ("WANDB_SHARED_FINISHER", Behaviour::SharedWandbRoles, None),
];

/// Runs one such check, named `AfterValidator:function` in the schema.
pub(crate) fn check(function: &str, value: &ResolvedValue, point: Point) -> Result<(), Failure> {
    match (function.trim_start_matches("AfterValidator:"), value) {
        ("reject_protected_env_vars", ResolvedValue::Map(entries)) => {
            let is_set =
                |with: Behaviour, without: Option<Behaviour>| point.has(with) && without.is_none_or(|gone| point.lacks(gone));
            let is_launchers = |key: &str| LAUNCHERS.iter().any(|&(name, with, without)| name == key && is_set(with, without));
            match entries.iter().find(|(key, _)| is_launchers(key)) {
                Some((key, _)) => {
                    Err(Failure::value(format!("prime-rl's launcher sets `{key}` itself; a config must not set it"), &[])
                        .help(format!("remove `{key}`")))
                }
                None => Ok(()),
            }
        }
        ("_validate_id" | "_validate_env_id", ResolvedValue::Str(id)) if !is_id(id) => {
            Err(Failure::value(format!("\"{id}\" is not a package id: with a slash, it must have the form \"org/name\""), &[])
                .help("write \"name\" for an installed package, \"org/name\" or \"org/name@version\" for one from the hub"))
        }
        _ => Ok(()),
    }
}

/// Whether an id is a plain name, a path, or an organisation and a name.
pub(crate) fn is_id(id: &str) -> bool {
    if !id.contains('/') || id.starts_with('/') || id.starts_with("./") {
        return true;
    }
    let named = id.rsplit_once('@').map_or(id, |(named, _)| named);
    matches!(named.split_once('/'), Some((org, name)) if !org.is_empty() && !name.is_empty() && !name.contains('/'))
}

impl Walker<'_> {
    /// Runs the checks that belong to a type, after the value has been compared with the type.
    pub(crate) fn attached_after(&mut self, outcome: Outcome, ty: FieldType) -> Outcome {
        let point = self.schema.point;
        let failed = ty.functions().find_map(|name| Some((name, check(name, &outcome.resolved.value, point).err()?)));
        let Some((name, failure)) = failed else { return outcome };
        let origin = outcome.resolved.origin;
        let mut diagnostic = Diagnostic::new(&codes::CONTRADICTION, failure.message).key(self.path.key());
        diagnostic.help = failure.help;
        diagnostic.location = origin.place();
        let name = name.trim_start_matches("AfterValidator:");
        diagnostic.native =
            Some(Native { kind: failure.kind.name(), loc: self.path.loc(), check: Some(name.into()), masked: false });
        self.diagnostics.push(diagnostic);
        Outcome::invalid(origin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids() {
        for id in ["", "gsm8k", "org/gsm8k", "org/gsm8k@1.0", "./here", "/abs/path", "a@b"] {
            assert!(is_id(id), "{id}");
        }
        for id in ["org/", "a/b/c", "org/@1.0", "a/b/c@1"] {
            assert!(!is_id(id), "{id}");
        }
    }
}
