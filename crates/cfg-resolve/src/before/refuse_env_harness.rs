//! An environment of the new kind has no harness of its own, because each of its agents has one. The class of another package can have one.

use cfg_compose::Table;
use cfg_diag::{Diagnostic, codes};

use super::{Class, Refusal};
use cfg_schema::Role;

use crate::walk::shipped;

pub(super) fn run(class: Class, table: &mut Table) -> Option<Refusal> {
    let is_installed = |id: &str| !id.is_empty() && !shipped::has(Role::Environment, id, class.point);
    let is_plugin = table.get("id").is_some_and(|id| id.node.value.as_str().is_some_and(is_installed));
    let entry = if is_plugin { None } else { table.remove("harness") }?;
    let mut diagnostic = Diagnostic::new(
        &codes::UNKNOWN_KEY,
        "an environment has no `harness`: it belongs to an agent of the \
        environment",
    )
    .label("unknown key")
    .help("move it to `agent.harness`");
    diagnostic.location = entry.key_origin.place();
    Some(Refusal { diagnostic, kind: "value_error", check: "_refuse_env_level_harness", doubtful: Vec::new(), validator: "" })
}
