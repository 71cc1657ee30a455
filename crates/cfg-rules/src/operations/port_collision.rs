//! Two processes of a run listen on the same port. The second one to start ends, and the launcher with it.

use std::collections::HashMap;

use cfg_diag::codes;
use cfg_plan::Socket;
use cfg_schema::Kind;

use crate::{Check, Context, Finding, FixKind, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::PORT_COLLISION,
    kinds: &[Kind::Rl, Kind::Sft, Kind::Inference],
    versions: VersionRange::ALL,
    fix: FixKind::None,
    check: Check::Each(check),
};

/// One finding for each port: that of the first two which need it.
fn check(cx: &Context<'_>) -> Vec<Finding> {
    let sockets = cx.sockets();
    // The sockets of each port so far, until two exclude each other. A run with thousands of environments has as many ports.
    let mut of_port: HashMap<i64, Option<Vec<&Socket>>> = HashMap::new();
    let mut findings = Vec::new();
    for second in sockets {
        let known = of_port.entry(second.port).or_insert_with(|| Some(Vec::new()));
        let Some(earlier) = known else { continue };
        match earlier.iter().find(|first| first.excludes(second)) {
            Some(first) => {
                findings.push(finding(first, second));
                *known = None;
            }
            None => earlier.push(second),
        }
    }
    findings
}

fn finding(first: &Socket, second: &Socket) -> Finding {
    let is_written = second.place.is_some() && !second.key.is_empty();
    let (here, there) = if is_written || first.key.is_empty() { (second, first) } else { (first, second) };
    let message = format!("{} and {} both listen on port {} of {}", here.owner, there.owner, here.port, here.node.in_words());
    let help = if there.key.is_empty() {
        format!("set `{}` to another port", here.key)
    } else if here.key == there.key {
        format!("set `{}` to a port from which the ports of all of them differ", here.key)
    } else {
        format!("set `{}` or `{}` to another port", here.key, there.key)
    };
    let label = format!("{} listens on {}", here.owner, here.port);
    let mut finding = Finding::new(message).key(&*here.key).at_place(here.place).label(label);
    if let Some(place) = there.place {
        finding = finding.related(place, format!("{} listens here", there.owner));
    }
    finding.help(help)
}
