//! verifiers' checks of the hosts that a sandbox may reach, at the commits of verifiers that prime-rl used.

use cfg_tests::Checking;

const RESTRICTED: &str = "a network that `allow` or `block` restricts needs `vm = true`";

/// The findings for a sandbox with these keys.
fn said(target: &str, keys: &str) -> Vec<String> {
    let runtime = format!("runtime = {{ type = \"prime\", {keys} }}");
    let text = format!("[[train.source]]\nenv = {{ taskset = {{ id = \"a-v1\" }}, agent = {{ {runtime} }} }}\n");
    let found = Checking::for_target(target).named("orchestrator.toml").check(&text).diagnostics;
    let found = found.into_iter().filter(|found| found.key.as_ref().is_some_and(|key| key.contains("runtime")));
    found.map(|found| found.message).collect()
}

#[test]
fn hosts_are_either_allowed_or_blocked() {
    let both = "allow = [\"a.com\"], block = [\"b.com\"]";
    assert_eq!(said("2441fd514", both), ["`allow` and `block` both list hosts"]);
    // verifiers' check had another name then.
    assert_eq!(said("0.8.0", &format!("{both}, vm = true")), ["`allow` and `block` both list hosts"]);
    assert_eq!(said("2441fd514", "allow = [\"a.com\"]"), Vec::<String>::new());
    assert_eq!(said("2441fd514", "block = [\"*\", \"b.com\"], allow = [\"a.com\"]"), Vec::<String>::new());
}

#[test]
fn a_restricted_network_needs_a_virtual_machine() {
    assert_eq!(said("2441fd514", "allow = [], vm = false"), [RESTRICTED]);
    assert_eq!(said("2441fd514", "vm = false"), Vec::<String>::new());
    // Before verifiers changed the default, machines were not virtual by default.
    assert_eq!(said("3ad13dd0b", "allow = [\"a.com\"]"), [RESTRICTED]);
    assert_eq!(said("70caa7c61", "allow = [\"a.com\"]"), Vec::<String>::new());
}

#[test]
fn the_idle_limit_of_a_sandbox_applies_at_the_versions_of_verifiers_that_have_it() {
    let longer = "idle_timeout = 100000.0";
    assert_eq!(said("5d0fc8ba2", longer), ["`idle_timeout` 100000 s exceeds the lifetime of a sandbox"]);
    assert_eq!(said("03cdc5157", longer), Vec::<String>::new());
}
