//! The keys that verifiers' own evaluations accept: the set of names with which its loader compares the keys of a file.

use std::path::PathBuf;

use cfg_system::System;

use crate::{
    ast::{ExprKind, Stmt, StmtKind},
    names::Reader,
    sources::Sources,
    value::Value,
};

/// The modules that have contained the loader so far, oldest first.
const MODULES: [&str; 2] = ["verifiers.utils.eval_utils", "verifiers.legacy.utils.eval_utils"];

/// The keys that a loader accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvaluationKeys {
    /// Their names, in the order of the source.
    pub names: Vec<String>,
    /// The place of the list: `.venv/lib/python3.12/site-packages/verifiers/utils/eval_utils.py:412`.
    pub place: String,
}

/// Reads the keys from the verifiers that Python would find in the folders `roots`. `None` if verifiers is not there, or if its loader lists the
/// keys in an unknown form.
pub fn read_evaluation_keys(system: &dyn System, roots: Vec<PathBuf>) -> Option<EvaluationKeys> {
    let mut reader = Reader::new(Sources::new(system, roots));
    let module = MODULES.into_iter().find_map(|name| reader.module(name).filter(|module| module.binds("load_toml_config")))?;
    let Some(Value::Function(home, function)) = reader.global(&module, "load_toml_config") else { return None };
    let (line, names) = function.body.iter().find_map(listed)?;
    if reader.spent().is_some() {
        return None;
    }
    Some(EvaluationKeys { names, place: format!("{}:{line}", home.path) })
}

/// The names in `valid_fields = {"env_id", ...}`.
fn listed(stmt: &Stmt) -> Option<(u32, Vec<String>)> {
    let StmtKind::Assign { targets, value } = &stmt.kind else { return None };
    let [target] = targets.as_slice() else { return None };
    let (ExprKind::Name(name), ExprKind::Set(items)) = (&target.kind, &value.kind) else { return None };
    let text = |kind: &ExprKind| if let ExprKind::Str(text) = kind { Some(text.to_string()) } else { None };
    let names: Option<Vec<String>> = items.iter().map(|item| text(&item.kind)).collect();
    Some((stmt.line, names.filter(|_| &**name == "valid_fields")?))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use cfg_system::MemorySystem;

    use super::read_evaluation_keys;

    fn read(path: &str, text: &str) -> Option<Vec<String>> {
        let system = MemorySystem::with_files([("/lib/verifiers/__init__.py", ""), (path, text)]);
        read_evaluation_keys(&system, vec![PathBuf::from("/lib")]).map(|keys| keys.names)
    }

    #[test]
    fn the_keys_are_those_of_the_loader_in_any_module() {
        let text = "def load_toml_config(path):\n    eval_list = []\n    valid_fields = {\n        # environment\n        \"env_id\",\n        \"debug\",\n    }\n    return eval_list\n";
        for path in ["/lib/verifiers/utils/eval_utils.py", "/lib/verifiers/legacy/utils/eval_utils.py"] {
            assert_eq!(read(path, text).expect("they are listed"), ["env_id", "debug"], "{path}");
        }
    }

    #[test]
    fn keys_in_an_unsupported_form_are_unknown() {
        for text in [
            "def load_toml_config(path):\n    valid_fields = set(CLI)\n",
            "def load_toml_config(path):\n    valid_fields = {name, \"env_id\"}\n",
            "def load(path):\n    valid_fields = {\"env_id\"}\n",
            "",
        ] {
            assert_eq!(read("/lib/verifiers/utils/eval_utils.py", text), None, "{text}");
        }
    }
}
