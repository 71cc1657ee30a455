//! The server of a client, and the header by which a router keeps a rollout on one server.

use cfg_schema::Behaviour;

use crate::{
    ResolvedValue,
    native::{Failure, ValidatorCtx},
};

const OPENAI: &str = "https://api.openai.com/v1";

/// A client with the address of `OpenAI`'s own service gets the type for that service.
pub(super) fn server_type(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let listed = match cx.value("base_url").map(|url| url.value) {
        Some(ResolvedValue::List(items)) => {
            items.iter().any(|item| matches!(&item.value, ResolvedValue::Str(text) if &**text == OPENAI))
        }
        _ => cx.is("base_url", OPENAI),
    };
    if listed {
        cx.set_str("server_type", "openai");
    }
    Ok(())
}

/// Sets the value that is sent as the session header, unless the file sets one.
pub(super) fn session_headers(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let client = if cx.exists("student.client") { "student.client" } else { "model.client" };
    let value = if cx.point.lacks(Behaviour::SessionPerTrajectory) { "example_id" } else { "trajectory_id" };
    let value = ResolvedValue::Str(value.into());
    cx.default_key(&format!("{client}.extra_headers_from_state"), "X-Session-ID", value);
    Ok(())
}
