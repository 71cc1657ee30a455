//! Checks that there is a key for the service in whose sandboxes the environments run. Without it every rollout fails.

use std::path::{Path, PathBuf};

use cfg_diag::{Diagnostic, codes};
use cfg_plan::Environment;
use cfg_system::Role;
use serde_json::Value;

use super::{Answer, Machine, Run, Situation};

/// A service that runs sandboxes.
struct Service {
    /// The type of runtime.
    runtime: &'static str,
    /// Its name.
    name: &'static str,
    /// The variable that holds its key.
    variable: &'static str,
    /// The command that stores a key on this machine.
    login: &'static str,
    /// The file in the home folder to which that command writes.
    file: &'static str,
}

const SERVICES: [Service; 2] = [
    Service {
        runtime: "prime",
        name: "Prime Intellect",
        variable: "PRIME_API_KEY",
        login: "prime login",
        file: ".prime/config.json",
    },
    Service { runtime: "modal", name: "Modal", variable: "MODAL_TOKEN_ID", login: "modal token new", file: ".modal.toml" },
];

pub(super) fn check(situation: &Situation<'_>) -> Answer {
    let Situation { run: Run { plan, .. }, machine, .. } = situation;
    let (mut found, mut fine) = (Vec::new(), Vec::new());
    for service in &SERVICES {
        let is_its = |environment: &&Environment| {
            environment.address.text().is_none() && environment.runtime.text() == Some(service.runtime)
        };
        let Some(environment) = plan.environments.iter().find(is_its) else { continue };
        match place_of_key(*machine, service) {
            Some(place) => fine.push(format!("a key for {} is in {place}", service.name)),
            None => found.push(missing(service, environment)),
        }
    }
    if found.is_empty() && fine.is_empty() {
        return Answer::NotNeeded("no environment runs in hosted sandboxes");
    }
    Answer::of(found, || fine.join(", "))
}

fn missing(service: &Service, environment: &Environment) -> Diagnostic {
    let Service { name, variable, login, runtime, .. } = service;
    let id = environment.name.text().or_else(|| environment.base_id()).unwrap_or(&environment.key);
    let of_default =
        if environment.runtime.fact().is_some_and(cfg_plan::Fact::is_default) { ", the default of this prime-rl" } else { "" };
    let message = format!("`{id}` runs in {name} sandboxes (runtime `{runtime}`{of_default}), but there is no key for them");
    let key = environment.runtime.key().map_or_else(|| environment.key.clone(), ToString::to_string);
    let help =
        format!("set {variable}, or run `{login}`; to run the rollouts on this machine instead, set `{key}` to \"subprocess\"");
    let finding = Diagnostic::new(&codes::MISSING_SANDBOX_KEY, message).help(help).key(key);
    match environment.runtime.location().or(environment.location) {
        Some(at) => finding.at(at),
        None => finding,
    }
}

/// Where the key of a service is stored; `None` if there is none.
fn place_of_key(machine: Machine<'_>, service: &Service) -> Option<String> {
    if machine.variable(service.variable).is_some() {
        return Some(service.variable.to_owned());
    }
    let file = Path::new(&machine.variable("HOME").map(PathBuf::from)?).join(service.file);
    let is_json = file.extension().is_some_and(|ending| ending == "json");
    let has_key =
        if is_json { machine.text(&file, Role::Netrc).is_ok_and(|text| has_api_key(&text)) } else { machine.exists(&file) };
    has_key.then(|| file.display().to_string())
}

fn has_api_key(text: &str) -> bool {
    let key = serde_json::from_str::<Value>(text).ok().and_then(|config| Some(config.get("api_key")?.as_str()?.to_owned()));
    key.is_some_and(|key| !key.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::has_api_key;

    #[test]
    fn a_config_of_the_service_has_a_key_or_not() {
        assert!(has_api_key("{\"api_key\": \"pit_x\", \"team_id\": null}"));
        assert!(!has_api_key("{\"api_key\": \"\"}"));
        assert!(!has_api_key("{}"));
        assert!(!has_api_key("no json"));
    }
}
