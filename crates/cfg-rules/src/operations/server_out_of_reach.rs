//! An inference server that listens on one address of the machine only, which is not the one to which the orchestrator connects.

use cfg_diag::codes;
use cfg_schema::Kind;

use crate::{Check, Context, Finding, FixKind, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::SERVER_OUT_OF_REACH,
    kinds: &[Kind::Rl],
    versions: VersionRange::ALL,
    fix: FixKind::None,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let (orchestrator, inference) = (cx.plan.orchestrator.as_ref()?, cx.plan.inference.as_ref()?);
    let host = inference.host.fact().filter(|host| host.is_written() && is_other_address(&host.value))?;
    if !cx.plan.is_on_one_node() {
        return None;
    }
    let address = orchestrator.model.base_url.fact().filter(|_| !orchestrator.model.elastic.is_on())?;
    let url = address.value.iter().find(|url| is_local(url))?;
    let own = if address.is_written() { "" } else { ", its default" };
    let message = format!("the inference server listens on {} only, but the orchestrator connects to {url}{own}", host.value);
    let help = format!(
        "the orchestrator waits for the server until its timeout: remove `{}`, which makes the server listen on all addresses, or set `{}` \
         to that host",
        host.written_key(),
        address.written_key()
    );
    Some(Finding::new(message).on(host).label("listens here only").with(address, "connects here").help(help))
}

/// Whether it is an address in numbers that is neither that of `localhost` nor all addresses. What a name means is known to the machine alone.
fn is_other_address(host: &str) -> bool {
    let address: Option<std::net::IpAddr> = host.parse().ok();
    address.is_some_and(|address| !address.is_loopback() && !address.is_unspecified())
}

/// The host of a URL, with its port if it has one.
pub(super) fn address_in(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split_once('/').map_or(rest, |(address, _)| address)
}

/// Whether a URL is that of this machine by itself.
pub(super) fn is_local(url: &str) -> bool {
    let address = address_in(url);
    matches!(address.split_once(':').map_or(address, |(host, _)| host), "localhost" | "127.0.0.1")
}

#[cfg(test)]
mod tests {
    use super::{is_local, is_other_address};

    #[test]
    fn only_addresses_that_localhost_does_not_reach_count() {
        assert!(is_other_address("10.0.0.5") && is_other_address("fe80::1"));
        for host in ["0.0.0.0", "::", "127.0.0.1", "127.0.0.2", "::1", "localhost", "node1", ""] {
            assert!(!is_other_address(host), "{host}");
        }
        assert!(is_local("http://localhost:8000/v1") && is_local("http://127.0.0.1/v1"));
        assert!(!is_local("http://10.0.0.5:8000/v1") && !is_local("http://localhost.example:8000"));
    }
}
