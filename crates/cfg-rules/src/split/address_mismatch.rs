//! The orchestrator uses a server on this machine at another port than the one on which it listens.

use cfg_diag::{Severity, codes};
use cfg_plan::{Fact, Inference};
use cfg_schema::{Behaviour, Kind};
use cfg_syntax::rewrite::Literal;

use super::{local_port, whose};
use crate::{Check, Context, Finding, FixKind, Repair, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::ADDRESS_MISMATCH,
    kinds: &[Kind::Rl, Kind::Trainer, Kind::Orchestrator, Kind::Inference],
    versions: VersionRange::ALL,
    fix: FixKind::Mixed,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let (policy, inference) = (&cx.plan.orchestrator.as_ref()?.model, cx.plan.inference.as_deref()?);
    let (address, listening) = (policy.base_url.fact()?, inference.port.fact()?);
    if policy.elastic.is_on() {
        return None;
    }
    if cx.plan.is_split() { between_files(address, listening, inference) } else { in_one_file(cx, address, listening, inference) }
}

/// Processes that are started separately: nothing compares their settings.
fn between_files(address: &Fact<Vec<Box<str>>>, listening: &Fact<i64>, inference: &Inference) -> Option<Finding> {
    // A router between them listens on its own port, and several servers have several ports.
    let is_single = inference.deployment.fact().is_none_or(|deployment| &*deployment.value == "single_node");
    let [url] = &address.value[..] else { return None };
    let asked = local_port(url).filter(|port| is_single && *port != listening.value)?;
    let help = format!("nothing answers at {url}: use the same port in both files");
    Some(finding(address, listening, &format!("port {asked}")).help(help))
}

/// Components that `rl` starts on one node. On several nodes, the address is that of the router.
fn in_one_file(cx: &Context<'_>, address: &Fact<Vec<Box<str>>>, listening: &Fact<i64>, inference: &Inference) -> Option<Finding> {
    let run = &cx.plan.run;
    let is_given = [address.key.to_string(), listening.key.to_string()].iter().any(|key| cx.usage_passes(key));
    if !cx.plan.is_on_one_node() || run.dry_run.is_on() || is_given {
        return None;
    }
    let is_compared = cx.target.point.has(Behaviour::AddressIsCompared);
    let url = address.value.first()?;
    // Where nothing compares them, another machine may have the server, and other servers may be used beside that of the file.
    let port = if is_compared { port(url) } else { Some(local_port(url).filter(|_| address.value.len() == 1)?) };
    if port == Some(listening.value) {
        return None;
    }
    let asked = port.map_or_else(|| "no port".to_owned(), |port| format!("port {port}"));
    let (what, severity) = if is_compared {
        ("`rl` stops at the start with a ValueError", Severity::Error)
    } else {
        ("the orchestrator waits for a server that never answers", Severity::Warning)
    };
    let host = host(inference);
    let own = if host.contains(':') {
        format!("http://[{host}]:{}/v1", listening.value)
    } else {
        format!("http://{host}:{}/v1", listening.value)
    };
    let (address_key, port_key) = (address.written_key(), listening.written_key());
    let help = match port.filter(|_| address.is_written()) {
        Some(port) => format!("{what}: set `{address_key}` to {own}, or `{port_key}` to {port}"),
        None => format!("{what}: set `{address_key}` to {own}"),
    };
    let finding = finding(address, listening, &asked).severity(severity).help(help);
    if address.value.len() > 1 {
        return Some(finding);
    }
    let title = format!("set `{address_key}` to {own}");
    // Who only moves the server means the address to follow.
    let repair = if address.is_written() { Repair::possible(title) } else { Repair::safe(title) };
    let is_list = cx.target.point.lacks(Behaviour::OneAddress);
    Some(finding.repair(repair.set(address_key, if is_list { Literal::strings([&*own]) } else { Literal::text(&own) })))
}

fn finding(address: &Fact<Vec<Box<str>>>, listening: &Fact<i64>, asked: &str) -> Finding {
    let message = format!(
        "the orchestrator connects to {asked}{}, but the inference server listens on {}{}",
        whose(address),
        listening.value,
        whose(listening)
    );
    if address.is_written() {
        Finding::new(message).on(address).label("requested here").with(listening, "listens here")
    } else {
        Finding::new(message).on(listening).label("listens here")
    }
}

/// Where a process of the same machine reaches the server.
fn host(inference: &Inference) -> &str {
    inference.host.text().filter(|host| !host.is_empty() && !["0.0.0.0", "::"].contains(host)).unwrap_or("localhost")
}

/// The port of a URL as Python's `urlparse` finds it; `None` if there is none.
fn port(url: &str) -> Option<i64> {
    let (_, rest) = url.split_once("//")?;
    let place = rest.split(['/', '?', '#']).next()?;
    let place = place.rsplit_once('@').map_or(place, |(_, place)| place);
    // The address of IPv6 contains colons, in brackets.
    let place = place.rsplit_once(']').map_or(place, |(_, port)| port);
    place.split_once(':')?.1.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::port;

    #[test]
    fn the_port_of_any_address() {
        let urls = ["https://10.0.0.1:8001/v1", "http://me:12@a.b:8001", "http://[::1]:8001/v1", "//x:8001?a:b"];
        assert!(urls.iter().all(|url| port(url) == Some(8001)));
        assert!(
            ["http://localhost/v1", "localhost:8000", "http://[::1]/v1", "http://a:b/v1", ""]
                .iter()
                .all(|url| port(url).is_none())
        );
    }
}
