//! What the orchestrator's client needs from the server: the number of its data-parallel ranks, and a header by which a router keeps the requests of
//! one example together.

use cfg_schema::Behaviour;

use crate::{
    ResolvedValue,
    native::{Failure, ValidatorCtx},
};

pub(super) fn session_header(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let place = if cx.point.lacks(Behaviour::Student) {
        "orchestrator.client.extra_headers_from_state"
    } else {
        "orchestrator.student.client.extra_headers_from_state"
    };
    if cx.point.lacks(Behaviour::HeaderIsAdded) {
        if cx.is_set(place) {
            return Ok(());
        }
        cx.set(place, ResolvedValue::Map(Vec::new()));
    }
    cx.default_key(place, "X-Session-ID", ResolvedValue::Str("example_id".into()));
    Ok(())
}
pub(super) fn rank_count(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    ranks(cx, "orchestrator.client.dp_rank_count");
    Ok(())
}

/// Sets the number of ranks since `eaf95997f`; for supervised training the client also gets the server's address.
pub(super) fn inference(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    ranks(cx, "orchestrator.student.client.dp_rank_count");
    let place = "orchestrator.student.client.base_url";
    if cx.has("inference") && cx.is("orchestrator.training_mode", "sft") && !cx.is_set(place) {
        let url = address(cx, "inference");
        cx.from("inference.server.port").set_strs(place, &[url]);
    }
    Ok(())
}

fn ranks(cx: &mut ValidatorCtx<'_>, place: &'static str) {
    if !cx.has("inference") || cx.is_set(place) {
        return;
    }
    let local = "inference.data_parallel_size_local";
    let has_local = cx.int(local).is_some_and(|local| local != 0);
    cx.copy(if has_local { local } else { "inference.parallel.dp" }, place);
}

pub(super) fn address(cx: &ValidatorCtx<'_>, server: &str) -> String {
    let host = cx.str(&format!("{server}.server.host")).filter(|host| !host.is_empty()).unwrap_or("localhost");
    let port = cx.int(&format!("{server}.server.port")).unwrap_or(8000);
    format!("http://{host}:{port}/v1")
}
