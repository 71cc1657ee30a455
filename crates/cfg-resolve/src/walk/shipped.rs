//! The classes of the verifiers package, which is always installed. The classes of other packages are known only to those.

use cfg_schema::{Behaviour, Point, Role};

struct Shipped {
    role: Role,
    module: &'static str,
    /// It was added with this.
    with: Behaviour,
    /// It was removed with this.
    without: Option<Behaviour>,
    /// Its extra keys, besides those of every class of this role and those in the schema. Their types are unknown here.
    keys: &'static [&'static str],
}

const fn harness(module: &'static str, with: Behaviour, keys: &'static [&'static str]) -> Shipped {
    Shipped { role: Role::Harness, module, with, without: None, keys }
}

/// By the name of the module. Classes that require a key or another package are omitted: it is unknown whether they are accepted.
const SHIPPED: [Shipped; 20] = [
    Shipped { without: Some(Behaviour::HarnessBash), ..harness("default", Behaviour::Verifiers, &[]) },
    Shipped { without: Some(Behaviour::HarnessTools), ..harness("bash", Behaviour::Verifiers, &[]) },
    Shipped { without: Some(Behaviour::HarnessTools), ..harness("bash_edit", Behaviour::Verifiers, &[]) },
    harness("bash", Behaviour::HarnessBash, &[]),
    harness("null", Behaviour::HarnessTools, &[]),
    harness("codex", Behaviour::Verifiers, &["version", "multi_agent"]),
    harness("kimi_code", Behaviour::Verifiers, &["version", "transport"]),
    harness("mini_swe_agent", Behaviour::Verifiers, &["version"]),
    harness("rlm", Behaviour::Verifiers, &["version", "max_depth", "tools", "skills", "builtin_skills", "summarize_at_tokens"]),
    harness("terminus_2", Behaviour::Verifiers, &["version"]),
    harness("pi", Behaviour::HarnessPi, &["version", "transport"]),
    harness("claude_code", Behaviour::HarnessClaude, &["version"]),
    harness("pool", Behaviour::HarnessPool, &["version"]),
    harness("browser_use", Behaviour::HarnessBrowser, &["browser", "cdp_url"]),
    harness("hermes_agent", Behaviour::HarnessBrowser, &["version", "use_bundled_skill"]),
    harness("openclaw", Behaviour::HarnessBrowser, &["version", "use_bundled_skill"]),
    Shipped { role: Role::Taskset, ..harness("harbor", Behaviour::Harbor, HARBOR) },
    Shipped {
        role: Role::Judge,
        ..harness("reference", Behaviour::Judges, &["answer_field", "question_field", "view", "choices"])
    },
    Shipped { role: Role::Environment, ..harness("single_agent", Behaviour::NestedEnvs, &[]) },
    Shipped { role: Role::Environment, ..harness("best_of_n", Behaviour::NestedEnvs, &["n", "threshold"]) },
];

const HARBOR: &[&str] = &[
    "dataset",
    "repo",
    "registry_path",
    "registry_url",
    "tasks",
    "ignore_timeouts",
    "timeout_multiplier",
    "resource_multiplier",
    "require_image",
    "ignore_dockerfile",
    "ignore_separate_verifier",
];

/// The extra keys of the class that the verifiers package has at this point under the name `id`, if the class needs no further keys.
pub(crate) fn keys(role: Role, id: &str, point: Point) -> Option<&'static [&'static str]> {
    let module = id.replace('-', "_").to_lowercase();
    let holds = |shipped: &&Shipped| point.has(shipped.with) && shipped.without.is_none_or(|gone| point.lacks(gone));
    let named = |shipped: &&Shipped| shipped.role == role && shipped.module == module;
    SHIPPED.iter().filter(holds).find(named).map(|shipped| shipped.keys)
}

/// The extra keys of the environment of a taskset of the verifiers package.
pub(crate) fn keys_of_its_environment(taskset: &str, point: Point) -> Option<&'static [&'static str]> {
    keys(Role::Taskset, taskset, point)?;
    Some(if point.has(Behaviour::HarnessBrowser) { &["verifier_runtime", "verifier_retries"] } else { &[] })
}

/// Whether `field` is a key of the default harness only, and `id` names another one.
pub(crate) fn is_of_default(field: &str, id: &str) -> bool {
    matches!(field, "edit" | "search") && !["", "default", "bash"].iter().any(|name| id.eq_ignore_ascii_case(name))
}
