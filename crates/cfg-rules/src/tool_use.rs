//! Which environments give the model tools. prime-rl does not know; the sources are declarations, arguments and a few known names.

use cfg_plan::{Environment, Role};

use crate::Context;

/// Environments that give the model tools and have no declaration that says otherwise: those of prime-rl's own examples whose configs turn the tool
/// choice on.
const KNOWN: &[&str] = &["primeintellect/wiki-search", "wiki-search", "math-python"];

/// How it is known that an environment gives the model tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Evidence {
    /// A declaration says so, or its name is known.
    Certain,
    /// An argument is about tools.
    Argument,
}

/// The first training environment that gives the model tools.
pub(crate) fn tool_environment<'a>(cx: &Context<'a>) -> Option<(&'a Environment, Evidence)> {
    let mut environments = cx.plan.environments.iter().enumerate().filter(|(_, environment)| environment.role == Role::Train);
    environments.find_map(|(index, environment)| {
        let declared = cx.environments.get(index).and_then(|declared| declared.tools);
        Some((environment, evidence(environment, declared)?))
    })
}

/// How it is known that an environment gives the model tools; `None` if it is not known to do so.
fn evidence(environment: &Environment, declared: Option<bool>) -> Option<Evidence> {
    let id = environment.base_id()?;
    if let Some(declared) = declared {
        return declared.then_some(Evidence::Certain);
    }
    if KNOWN.contains(&id) {
        return Some(Evidence::Certain);
    }
    let speaks = environment.args.iter().any(|arg| {
        let is_off = arg.value.value.as_bool() == Some(false) || arg.value.value.as_int() == Some(0);
        matches!(&*arg.name, "tools" | "use_tools" | "enable_tools" | "max_tool_calls" | "tool_choice") && !is_off
    });
    speaks.then_some(Evidence::Argument)
}

/// The model that answers: that of the inference server, or else the trained one.
pub(crate) fn answering_model<'a>(cx: &Context<'a>) -> Option<&'a cfg_plan::Fact<Box<str>>> {
    let plan = cx.plan;
    let served = plan.inference.as_ref().and_then(|inference| inference.model_name.fact());
    served.or_else(|| plan.orchestrator.as_ref()?.model.name.fact())
}
