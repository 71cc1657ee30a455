//! Fingerprints by which a program recognises findings in the next report.

use std::{collections::HashMap, io};

use cfg_diag::Diagnostic;
use serde::Serialize;

use crate::{FileReport, Sources, json::write_line};

/// This many bytes at the start of a line distinguish it from others.
const ENOUGH: usize = 256;

/// Makes the fingerprints of one file's findings.
///
/// A fingerprint depends on the file's path, the code and the dotted key; without a key on the text of the line; without a place on the
/// message. Lines that are added elsewhere don't change it. Findings that agree in all this are distinguished by their order.
#[derive(Default)]
pub(crate) struct Fingerprints {
    seen: HashMap<u128, u32>,
}

impl Fingerprints {
    /// The fingerprint of the next finding: 32 hexadecimal digits.
    pub(crate) fn next(&mut self, diagnostic: &Diagnostic, file: &str, sources: &Sources<'_>) -> String {
        let source = diagnostic.location.and_then(|location| Some((sources.get(location.file)?, location.span.start)));
        let path = source.map_or(file, |(source, _)| source.path);
        let path = path.strip_prefix("./").unwrap_or(path);
        let what = match (&diagnostic.key, source) {
            (Some(key), _) => key,
            (None, Some((source, offset))) => beginning(source.line_around(offset).trim()),
            (None, None) => &without_folders(&diagnostic.message),
        };
        let hash = [path, diagnostic.code.code, what].into_iter().fold(BASIS, |hash, part| add(add(hash, part.as_bytes()), &[0]));
        let earlier = self.seen.entry(hash).or_insert(0);
        let hash = add(hash, &earlier.to_le_bytes());
        *earlier += 1;
        format!("{hash:032x}")
    }
}

/// Writes an item for each finding of a file that is not an echo, with a comma before each except the first in `out`.
pub(crate) fn write_each<'a, T: Serialize>(
    out: &mut Vec<u8>,
    file: &FileReport<'a>,
    sources: &Sources<'_>,
    item: impl Fn(&'a Diagnostic, String) -> T,
) -> io::Result<()> {
    let mut fingerprints = Fingerprints::default();
    for diagnostic in file.diagnostics.iter().filter(|diagnostic| !diagnostic.is_echo) {
        if !out.is_empty() {
            out.extend_from_slice(b",\n");
        }
        let fingerprint = fingerprints.next(diagnostic, file.path, sources);
        write_line(out, &item(diagnostic, fingerprint))?;
    }
    Ok(())
}

fn beginning(line: &str) -> &str {
    let enough = (0..=ENOUGH).rev().find(|&end| line.is_char_boundary(end)).unwrap_or(0);
    line.get(..enough).unwrap_or(line)
}

/// A message in which paths have no folders: these depend on where the program runs.
fn without_folders(message: &str) -> String {
    message.split(' ').map(|word| word.rsplit('/').next().unwrap_or(word)).collect::<Vec<_>>().join(" ")
}

/// The hash of a text.
pub(crate) fn of_text(text: &str) -> u128 {
    add(BASIS, text.as_bytes())
}

/// FNV-1a with 128 bits: it must be the same on every machine and in every version, but need not be secure.
const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;

fn add(hash: u128, bytes: &[u8]) -> u128 {
    bytes.iter().fold(hash, |hash, &byte| (hash ^ u128::from(byte)).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests {
    use super::{BASIS, add};

    #[test]
    fn the_hash_is_the_published_one() {
        assert_eq!(add(BASIS, b""), 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);
        assert_eq!(add(BASIS, b"a"), 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964);
    }
}
