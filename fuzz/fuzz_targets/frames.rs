//! Any bytes as what an editor sends to the language server: no panic, in the server or in an answer, and every message that it sends is one.
//!
//! The first byte says whether the others are the stream, or messages, one a line, each of which is framed. A session serves until they end.

#![no_main]

use cfg_fuzz::server::{framed, session};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((mode, bytes)) = bytes.split_first() else { return };
    let input = if mode % 2 == 0 { bytes.to_vec() } else { bytes.split(|byte| *byte == b'\n').flat_map(framed).collect() };
    session(input);
});
