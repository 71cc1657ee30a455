//! New weights that are sent to the router in front of the inference server, which only passes on requests for completions.

use cfg_diag::codes;
use cfg_schema::Kind;

use super::server_out_of_reach::{address_in, is_local};
use crate::{Check, Context, Finding, FixKind, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::WEIGHTS_TO_ROUTER,
    kinds: &[Kind::Rl],
    versions: VersionRange::ALL,
    fix: FixKind::None,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let (orchestrator, inference) = (cx.plan.orchestrator.as_ref()?, cx.plan.inference.as_ref()?);
    // On several nodes, the job itself passes the addresses of the engines.
    if !cx.plan.is_on_one_node() || !inference.router.is_on() {
        return None;
    }
    let (port, engine) = (inference.port.fact()?, inference.backend_port.fact()?);
    let address = orchestrator.model.admin_base_url.fact().filter(|address| address.is_written())?;
    let url = address.value.iter().find(|url| is_local(url) && port_of(url) == Some(port.value))?;
    let message = format!("the orchestrator sends new weights to {url}, where the router listens, not the engine");
    let help = format!(
        "remove `{}`: prime-rl then uses port {} of the engine, since the router does not pass on weights",
        address.written_key(),
        engine.value
    );
    Some(Finding::new(message).on(address).label("an address of the router").with(port, "the router listens here").help(help))
}

/// The port that a URL states.
fn port_of(url: &str) -> Option<i64> {
    address_in(url).rsplit_once(':')?.1.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::port_of;

    #[test]
    fn ports_of_urls() {
        assert_eq!(port_of("http://localhost:8000/v1"), Some(8000));
        assert_eq!((port_of("localhost:81"), port_of("http://localhost/v1")), (Some(81), None));
    }
}
