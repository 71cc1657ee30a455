//! The core of a web service: a request with a config in, the document of `cfg check` out. Any server can call [`answer`], from any thread.
//!
//! `cargo run -p cfg-prime-rl --example service < rl.toml`

use std::io::{self, Read as _};

use cfg_prime_rl::{Checker, Config, Error};

/// The status of HTTP and the JSON for a config.
fn answer(checker: &Checker, text: &str, target: Option<&str>) -> (u16, String) {
    let config = Config::new(text).path("request.toml");
    let config = target.map_or(config, |target| config.target(target));
    match checker.check(&config) {
        Ok(report) => (200, report.json().to_owned()),
        // The request itself is wrong; an error in the config is a finding.
        Err(error @ (Error::Target(_) | Error::Gpu(_) | Error::Selector(_))) => (400, json_of(&error)),
        Err(error) => (422, json_of(&error)),
    }
}

fn json_of(error: &Error) -> String {
    serde_json::json!({ "error": error.to_string() }).to_string()
}

fn main() -> io::Result<()> {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text)?;
    let checker = Checker::default();
    let (status, body) = answer(&checker, &text, std::env::args().nth(1).as_deref());
    io::Write::write_all(&mut io::stdout(), format!("{status}\n{body}\n").as_bytes())
}
