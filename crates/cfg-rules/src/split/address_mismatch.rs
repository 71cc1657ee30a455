//! The orchestrator uses a server on this machine at another port than the one on which it listens.

use cfg_diag::codes;

use super::{PARTS, inference, orchestrator, whose};
use crate::{Check, Context, Finding, FixKind, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::ADDRESS_MISMATCH,
    kinds: &PARTS,
    versions: VersionRange::ALL,
    fix: FixKind::None,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let (address, inference) = (orchestrator(cx)?.model.base_url.fact()?, inference(cx)?);
    let listening = inference.port.fact()?;
    // A router between them listens on its own port, and several servers have several ports.
    let is_single = inference.deployment.fact().is_none_or(|deployment| &*deployment.value == "single_node");
    let [url] = &address.value[..] else { return None };
    let asked = local_port(url).filter(|port| is_single && *port != listening.value)?;
    let message = format!(
        "the orchestrator connects to port {asked}{}, but the inference server listens on {}{}",
        whose(address),
        listening.value,
        whose(listening)
    );
    let help = format!("nothing answers at {url}: use the same port in both files");
    let finding = if address.is_written() {
        Finding::new(message).on(address).label("requested here").with(listening, "listens here")
    } else {
        Finding::new(message).on(listening).label("listens here")
    };
    Some(finding.help(help))
}

/// The port of a URL if its host is this machine: 8000 for `http://localhost:8000/v1`.
fn local_port(url: &str) -> Option<i64> {
    let rest = url.strip_prefix("http://")?;
    let host = rest.split('/').next()?;
    let (name, port) = host.rsplit_once(':')?;
    ["localhost", "127.0.0.1", "0.0.0.0"].contains(&name).then(|| port.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::local_port;

    #[test]
    fn the_port_of_an_address_on_this_machine() {
        assert_eq!(local_port("http://localhost:8000/v1"), Some(8000));
        assert_eq!(local_port("http://127.0.0.1:9"), Some(9));
        for other in ["http://10.0.0.1:8000/v1", "https://localhost:8000", "http://localhost/v1", "", "http://localhost:x"] {
            assert_eq!(local_port(other), None, "{other}");
        }
    }
}
