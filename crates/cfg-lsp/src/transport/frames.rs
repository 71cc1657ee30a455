//! Reads and writes the messages of a stream: a header with a length, and JSON.

use std::io::{self, BufRead, Read as _, Write};

use serde_json::Value;
use tower_lsp_server::jsonrpc::{Error, Request, Response};

/// A message of a client.
#[derive(Debug)]
pub(crate) enum Incoming {
    /// A request or a notification.
    Request(Request),
    /// The answer to a request of the server.
    Response(Response),
    /// Bytes that are not a message.
    Malformed(Error),
}

/// The maximum length of a message. A longer one is not read.
const MAX_BYTES: usize = 256 << 20;

/// The maximum length of a line of a header. A longer one is not read.
const MAX_HEADER_LINE_BYTES: u64 = 8 << 10;

/// Reads the next message; `None` at the end of the stream. Bytes that are not a message are skipped up to the next header, and
/// reported.
pub(crate) fn read(input: &mut impl BufRead) -> io::Result<Option<Incoming>> {
    let mut length = None;
    let mut has_nonsense = false;
    let mut line = Vec::new();
    loop {
        line.clear();
        if input.by_ref().take(MAX_HEADER_LINE_BYTES).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let words = String::from_utf8_lossy(&line);
        let words = words.trim();
        match words.split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                length = value.trim().parse::<usize>().ok().filter(|length| *length <= MAX_BYTES);
                has_nonsense |= length.is_none();
            }
            Some((name, _)) if name.eq_ignore_ascii_case("content-type") => {}
            None if words.is_empty() => match length {
                Some(length) => return body(input, length),
                None if has_nonsense => return Ok(Some(Incoming::Malformed(Error::parse_error()))),
                None => {}
            },
            _ => has_nonsense = true,
        }
    }
}

fn body(input: &mut impl BufRead, length: usize) -> io::Result<Option<Incoming>> {
    let mut bytes = Vec::new();
    input.by_ref().take(length as u64).read_to_end(&mut bytes)?;
    if bytes.len() < length {
        return Ok(None);
    }
    // A response has no method, and is read with an empty one.
    if let Ok(request) = serde_json::from_slice::<Request>(&bytes)
        && !request.method().is_empty()
    {
        return Ok(Some(Incoming::Request(request)));
    }
    if let Ok(response) = serde_json::from_slice::<Response>(&bytes) {
        return Ok(Some(Incoming::Response(response)));
    }
    let is_json = serde_json::from_slice::<Value>(&bytes).is_ok();
    Ok(Some(Incoming::Malformed(if is_json { Error::invalid_request() } else { Error::parse_error() })))
}

/// Writes a message and flushes it.
pub(crate) fn write(output: &mut impl Write, message: &[u8]) -> io::Result<()> {
    let mut frame = format!("Content-Length: {}\r\n\r\n", message.len()).into_bytes();
    frame.extend_from_slice(message);
    output.write_all(&frame)?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use super::{Incoming, read, write};

    fn all(bytes: &[u8]) -> Vec<String> {
        let mut input = bytes;
        let mut found = Vec::new();
        while let Some(message) = read(&mut input).expect("a slice can be read") {
            found.push(match message {
                Incoming::Request(request) => request.method().to_owned(),
                Incoming::Response(_) => "response".to_owned(),
                Incoming::Malformed(error) => format!("{}", error.code.code()),
            });
        }
        found
    }

    fn framed(bodies: &[&str]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for body in bodies {
            write(&mut bytes, body.as_bytes()).expect("a vector can be written");
        }
        bytes
    }

    #[test]
    fn requests_notifications_and_responses_are_distinguished() {
        let bytes = framed(&[
            r#"{"jsonrpc":"2.0","id":1,"method":"a"}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":null}"#,
            r#"{"jsonrpc":"2.0","method":"b","params":{}}"#,
        ]);
        assert_eq!(all(&bytes), ["a", "response", "b"]);
    }

    #[test]
    fn an_invalid_message_does_not_affect_the_next() {
        let good = r#"{"jsonrpc":"2.0","method":"b"}"#;
        assert_eq!(all(&framed(&["{", good])), ["-32700", "b"]);
        assert_eq!(all(&framed(&["[]", "", good])), ["-32600", "-32700", "b"]);
        let mut bytes = b"nonsense\r\n\r\nContent-Length: minus one\r\n\r\n".to_vec();
        bytes.extend(framed(&[good]));
        assert_eq!(all(&bytes), ["-32700", "-32700", "b"]);
        assert_eq!(all(b"Content-Length: 99999999999999999999\r\n\r\n"), ["-32700"]);
    }

    #[test]
    fn a_stream_that_ends_in_a_message_has_ended() {
        let mut bytes = framed(&[r#"{"jsonrpc":"2.0","method":"b"}"#]);
        bytes.truncate(bytes.len() - 3);
        assert_eq!(all(&bytes), Vec::<String>::new());
        assert_eq!(all(b"Content-Len"), Vec::<String>::new());
    }
}
