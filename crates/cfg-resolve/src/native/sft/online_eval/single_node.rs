//! On one node training and inference share its GPUs: as many copies of the model are served as the remaining GPUs allow, and the evals use the
//! inference server's address.

use cfg_schema::Behaviour;

use super::{same_model, transfer, whole_groups};
use crate::native::{Failure, ValidatorCtx};

const GPUS: &str = "deployment.num_infer_gpus";
const TENSOR: &str = "inference.vllm.tensor_parallel_size";
const DATA: &str = "inference.vllm.data_parallel_size";
const SERVERS: &str = "inference.vllm.api_server_count";
const URL: &str = "eval.client.base_url";

pub(super) fn run(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    enough_gpus(cx)?;
    same_model(cx)?;
    let world = copies(cx)?;
    if cx.point.lacks(Behaviour::EvalTransfer) {
        transfer::from_disk(cx)?;
    } else {
        transfer::apply(cx, world);
    }
    client(cx)
}

fn enough_gpus(cx: &ValidatorCtx<'_>) -> Result<(), Failure> {
    const TRAIN: &str = "deployment.num_train_gpus";
    const PRESENT: &str = "deployment.gpus_per_node";
    let (Some(train), Some(infer), Some(present)) = (cx.int(TRAIN), cx.int(GPUS), cx.int(PRESENT)) else { return Ok(()) };
    let total = train.saturating_add(infer);
    if total <= present {
        return Ok(());
    }
    let message = format!("`{TRAIN}` is {train} and `{GPUS}` is {infer}, {total} together, but `{PRESENT}` is {present}");
    Err(Failure::value(message, &[TRAIN, GPUS, PRESENT])
        .help("request fewer GPUs, or set `gpus_per_node` to the number that a node has"))
}

/// Serves a copy of the model on each group of GPUs. Returns the total number of these GPUs.
fn copies(cx: &mut ValidatorCtx<'_>) -> Result<i128, Failure> {
    let tensor = cx.int(TENSOR).unwrap_or(1);
    let mut data = cx.int(DATA).unwrap_or(1);
    let gpus = cx.int(GPUS).unwrap_or(1);
    if gpus != data.saturating_mul(tensor) {
        whole_groups(cx, GPUS)?;
        data = gpus.checked_div(tensor).unwrap_or(1);
        cx.from(GPUS).set_int(DATA, data);
    }
    if cx.int(SERVERS).is_some_and(|servers| servers < data) && !cx.bool("inference.vllm.enable_lora") {
        cx.from(DATA).set_int(SERVERS, data);
    }
    Ok(data.saturating_mul(tensor))
}

fn client(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let host = cx.str("inference.server.host").filter(|host| !host.is_empty()).map_or_else(|| "localhost".to_owned(), Into::into);
    let port = cx.int("inference.server.port").unwrap_or_default();
    if !cx.is_set(URL) {
        cx.from("inference.server.port").set_str(URL, &format!("http://{host}:{port}/v1"));
    } else if cx.str(URL).and_then(port_of) != Some(port) {
        let message =
            format!("`{URL}` is {}, but `inference.server.port` is {port}: the evals would connect elsewhere", cx.show(URL));
        return Err(
            Failure::value(message, &[URL, "inference.server.port"]).help("remove `base_url`, which then follows the server")
        );
    }
    if cx.has("inference.router") && !cx.is_set("eval.client.admin_base_url") {
        let backend = cx.int("inference.backend_port").unwrap_or_default();
        let url = format!("http://{host}:{backend}/v1");
        cx.from("inference.backend_port").set_strs("eval.client.admin_base_url", &[url]);
    }
    Ok(())
}

fn port_of(url: &str) -> Option<i128> {
    let (_, rest) = url.split_once("//")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit('@').next()?;
    let after = host.rsplit_once(']').map_or(host, |(_, after)| after);
    let (_, digits) = after.split_once(':')?;
    digits.parse().ok().filter(|port| (0..=65535).contains(port) && !digits.starts_with(['+', '-']))
}

#[cfg(test)]
mod tests {
    use super::port_of;

    #[test]
    fn ports_are_found_where_a_url_has_one() {
        assert_eq!(port_of("http://localhost:8000/v1"), Some(8000));
        assert_eq!(port_of("http://user:pass@[::1]:9000?x=1:2"), Some(9000));
        assert_eq!(port_of("http://localhost/v1:8000"), None);
        assert_eq!(port_of("localhost:8000"), None);
        assert_eq!(port_of("http://localhost:70000"), None);
    }
}
