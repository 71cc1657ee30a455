//! JSON-RPC 2.0: parsing of requests, and the two forms of responses.

use serde_json::{Map, Value, json};

/// The message is not JSON.
pub(crate) const PARSE_ERROR: i32 = -32700;
/// The message is JSON, but not a request.
pub(crate) const INVALID_REQUEST: i32 = -32600;
/// The server has no such method.
pub(crate) const METHOD_NOT_FOUND: i32 = -32601;
/// There is no such resource.
pub(crate) const RESOURCE_NOT_FOUND: i32 = -32002;
/// The parameters do not fit the method.
pub(crate) const INVALID_PARAMS: i32 = -32602;

/// A valid message.
#[derive(Debug, PartialEq)]
pub(crate) enum Message {
    /// A request, which must be answered.
    Request { id: Value, method: String, params: Map<String, Value> },
    /// The notification that the answer to a request is not needed any more, with the id of that.
    Cancelled(Value),
    /// A message that needs no answer: a notification, or a response, although the server sends no requests.
    Other,
}

/// Parses a message; an error is the response to send.
pub(crate) fn read(bytes: &[u8]) -> Result<Message, Value> {
    let refuse = |code, message: &str| Err(error(&Value::Null, code, message));
    let Ok(value) = serde_json::from_slice::<Value>(bytes) else { return refuse(PARSE_ERROR, "the message is not JSON") };
    let Value::Object(mut message) = value else {
        return refuse(INVALID_REQUEST, "a message must be an object; batches are not supported");
    };
    let method = match message.remove("method") {
        Some(Value::String(method)) => method,
        None if message.contains_key("result") || message.contains_key("error") => return Ok(Message::Other),
        _ => return refuse(INVALID_REQUEST, "the message has no `method`"),
    };
    let id = match message.remove("id") {
        None if method == "notifications/cancelled" => {
            let of = message.get("params").and_then(|params| params.get("requestId")).cloned();
            return Ok(of.map_or(Message::Other, Message::Cancelled));
        }
        None => return Ok(Message::Other),
        Some(id @ (Value::String(_) | Value::Number(_))) => id,
        Some(_) => return refuse(INVALID_REQUEST, "`id` must be a string or a number"),
    };
    match message.remove("params") {
        None | Some(Value::Null) => Ok(Message::Request { id, method, params: Map::new() }),
        Some(Value::Object(params)) => Ok(Message::Request { id, method, params }),
        Some(_) => Err(error(&id, INVALID_PARAMS, "`params` must be an object")),
    }
}

/// The response to a request.
pub(crate) fn result(id: &Value, result: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

/// A response with an error.
pub(crate) fn error(id: &Value, code: i32, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
}
