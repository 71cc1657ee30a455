//! Repository chores: `cargo xtask generate [--check]` makes every generated file from its source, or says which one is stale; `cargo xtask new rule` begins a rule;
//! `cargo xtask screen` draws a session in an editor; `cargo xtask speed` fits the model of speeds; `cargo xtask dist`, `cargo xtask wheel` and `cargo xtask vsix` make what is shipped, `cargo xtask workflows` checks
//! what GitHub runs, and `cargo xtask release` prepares a release.

mod accuracy;
mod ahead;
mod behaviours;
mod catalogue;
mod classes;
mod commands;
mod commits;
mod days;
mod dist;
mod docs;
mod entrypoints;
mod generate;
mod history;
mod llms;
mod mirror;
mod moves;
mod names;
mod needs;
mod pictures;
mod playground;
mod release;
mod revisions;
mod scaffold;
mod screen;
mod server;
mod site;
mod sockets;
mod speed;
mod synonyms;
mod tables;
mod tools;
mod trained;
mod unchecked;
mod vsix;
mod wheel;
mod workflows;

use std::process::ExitCode;

const USAGE: &str = "usage:
  cargo xtask generate [--check | PATH...]
  cargo xtask new rule GROUP/NAME Error|Warning|Info SUMMARY
  cargo xtask history update [FOLDER] [--from PRIME-RL VERIFIERS] [--only-read]
  cargo xtask history decisions [SINCE]
  cargo xtask history add [--again SINCE] PRIME-RL VERIFIERS [SITE]
  cargo xtask history revisions PRIME-RL VERIFIERS [SITE]
  cargo xtask history entrypoints PRIME-RL
  cargo xtask history kinds PRIME-RL VERIFIERS [SITE]
  cargo xtask history release PACKAGE VERSION WHEEL PRIME-RL VERIFIERS
  cargo xtask history evaluation VERSION WHEEL
  cargo xtask history shipped PRIME-RL VERIFIERS
  cargo xtask history environments PRIME-RL VERIFIERS
  cargo xtask screen
  cargo xtask speed CSV
  cargo xtask dist
  cargo xtask wheel [--check | --reproducible | --sources | --target TARGET]
  cargo xtask vsix [--check | --pictures]
  cargo xtask playground [--check]
  cargo xtask site
  cargo xtask workflows
  cargo xtask release VERSION";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["generate"] => generate::write(),
        ["generate", "--check"] => generate::check(),
        ["generate", words @ ..] => generate::write_only(words),
        ["new", "rule", place, severity, summary] => scaffold::rule(place, severity, summary),
        ["history", "add", words @ ..] => history::add(words),
        ["history", "release", words @ ..] => history::release(words),
        ["history", "update", words @ ..] => history::update(words),
        ["history", "decisions"] => history::decisions(None),
        ["history", "decisions", since] => history::decisions(Some(since)),
        ["history", "entrypoints", prime_rl] => history::entrypoints(prime_rl),
        ["history", "revisions", prime_rl, verifiers] => history::revisions(prime_rl, verifiers, None),
        ["history", "revisions", prime_rl, verifiers, site] => history::revisions(prime_rl, verifiers, Some(site)),
        ["history", "kinds", prime_rl, verifiers] => history::kinds(prime_rl, verifiers, None),
        ["history", "kinds", prime_rl, verifiers, site] => history::kinds(prime_rl, verifiers, Some(site)),
        ["history", "shipped", prime_rl, verifiers] => history::shipped(prime_rl, verifiers),
        ["history", "evaluation", version, wheel] => history::evaluation(version, wheel),
        ["history", "environments", prime_rl, verifiers] => history::environments(prime_rl, verifiers),
        ["screen"] => screen::write(),
        ["speed", csv] => speed::fit::report(csv.as_ref()).map(|report| say(&report)),
        ["dist"] => dist::write(),
        ["release", version] => release::prepare(version),
        ["wheel"] => wheel::write(),
        ["wheel", "--check"] => wheel::check(),
        ["wheel", "--reproducible"] => wheel::reproducible(),
        ["wheel", "--sources"] => wheel::check_sources(),
        ["wheel", "--target", triple] => wheel::write_for(triple),
        ["vsix"] => vsix::write(),
        ["vsix", "--check"] => vsix::check(),
        ["vsix", "--pictures"] => vsix::pictures(),
        ["playground"] => playground::write(),
        ["playground", "--check"] => playground::check(),
        ["site"] => site::write(),
        ["workflows"] => workflows::check(),
        _ => Err(USAGE.to_owned()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            say(&message);
            ExitCode::FAILURE
        }
    }
}

/// A line for the maintainer.
#[expect(clippy::print_stderr, reason = "a chore talks to the maintainer at the terminal")]
fn say(line: &str) {
    eprintln!("{line}");
}
