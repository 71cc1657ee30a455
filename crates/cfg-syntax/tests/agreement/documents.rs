//! The documents for the comparison: generated ones with many corner cases, and broken ones.

use proptest::prelude::*;

fn pick(choices: &'static [&'static str]) -> impl Strategy<Value = String> + Clone {
    proptest::sample::select(choices).prop_map(String::from)
}

fn key() -> impl Strategy<Value = String> + Clone {
    let part = pick(&[
        "a",
        "b",
        "c",
        "a",
        "b",
        "c",
        "d-1",
        "\"a\"",
        "'b'",
        "\"\"",
        "\"\\u0061\"",
        "1",
        "true",
        "ä",
        "a b",
        "\"x\ty\"",
        "'''a'''",
    ]);
    let dot = pick(&[".", ".", ".", " . ", "\t.", "..", ". "]);
    (part.clone(), prop::collection::vec((dot, part), 0..3), 0..6_u8).prop_map(|(first, more, keep)| {
        let more = if keep < 3 { &[] } else { &more[..] };
        more.iter().fold(first, |key, (dot, part)| key + dot + part)
    })
}

const SCALARS: &[&str] = &[
    "1",
    "-0",
    "+5",
    "007",
    "1_000",
    "1__0",
    "_1",
    "1_",
    "0x1F",
    "0xfF_0",
    "0x_1",
    "0X1",
    "-0x1",
    "0o17",
    "0o8",
    "0b101",
    "0b2",
    "0x",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775809",
    "0xffffffffffffffffffff",
    "123456789012345678901234567890",
    "1.5",
    "1.",
    ".5",
    "1.5e10",
    "1e5",
    "1E+5",
    "1e-5",
    "1e",
    "1e5.5",
    "1e400",
    "-1e400",
    "1e-400",
    "0.1_0",
    "0._1",
    "01.5",
    "-0.0",
    "0e0",
    "6.626e-34",
    "inf",
    "-inf",
    "+inf",
    "nan",
    "-nan",
    "infx",
    "Inf",
    "true",
    "false",
    "True",
    "truefalse",
    "none",
    "1979-05-27",
    "1979-05-27T07:32:00",
    "1979-05-27t07:32:00z",
    "1979-05-27 07:32:00",
    "1979-05-27  07:32:00",
    "1979-05-27\t07:32:00",
    "1979-05-27T07:32:00.123456789Z",
    "1979-05-27T07:32:00+01:00",
    "1979-05-27T07:32:00-24:00",
    "1979-05-27 07:32:00-00:60",
    "1979-05-27T07:32",
    "1979-05-27 07:32Z",
    "07:32:00",
    "07:32",
    "24:00:00",
    "07:60:00",
    "07:32:60",
    "07:32:00.5",
    "07:32.5",
    "07:32:00.",
    "07:32:00Z",
    "1979-13-01",
    "1979-02-30",
    "2000-02-29",
    "1900-02-29",
    "2023-02-29",
    "0000-01-01",
    "1979-05-27T",
    "1979-05-27 #",
    "1979-05-27 7",
    "1979-5-27",
    "\"\"",
    "\"a\"",
    "\"\\n\"",
    "\"\\e\"",
    "\"\\x41\"",
    "\"\\xg1\"",
    "\"\\u00e9\"",
    "\"\\ud800\"",
    "\"\\U0001F600\"",
    "\"\\U00110000\"",
    "\"\\u12\"",
    "\"\\q\"",
    "\"\\",
    "\"a",
    "'a",
    "'a\\'",
    "''",
    "'\"'",
    "\"'\"",
    "\"\"\"a\"\"\"",
    "\"\"\"a\"\"",
    "\"\"\"\"\"\"",
    "\"\"\"\"\"\"\"\"",
    "\"\"\"\"\"\"\"\"\"",
    "\"\"\"\na\n\"\"\"",
    "\"\"\"a\\\n  b\"\"\"",
    "\"\"\"a\\  \n\n b\"\"\"",
    "\"\"\"a\\ b\"\"\"",
    "\"\"\"a\\\"\"\"\"",
    "\"\"\"a\\\\\"\"\"",
    "\"\"\"\\\r\n \r\n x\"\"\"",
    "'''a'''",
    "'''a''",
    "''''a'''''",
    "'''\na\r\nb'''",
    "'''\\'''",
    "'''a\rb'''",
    "\"a\rb\"",
    "\"a\tb\"",
    "\"a\u{7f}b\"",
    "\"a\u{1}b\"",
    "\"é𝄞\"",
    "\"\u{feff}\"",
    "é",
    "“a”",
    "\u{a0}1",
    "1\u{a0}",
    "Qwen/Qwen3",
    "=",
    "",
    "1 2",
    "1 # c",
    "1#c",
    "1 # \u{1}",
    "1 # \u{7f}é",
    "1,",
    "1\r",
    "{}",
    "[]",
    "[,]",
    "{,}",
];

fn value() -> impl Strategy<Value = String> + Clone {
    let space = pick(&["", "", " ", " ", "\n", " # c\n", "\r\n  ", "\t"]);
    let scalar = prop_oneof![3 => pick(&["1", "\"x\"", "true", "1.5", "[]", "{}"]), 2 => pick(SCALARS)];
    scalar.prop_recursive(3, 12, 4, move |inner| {
        let comma = pick(&[",", ",", ",", " ,", ",\n", "", ",,"]);
        let ends = pick(&["", "", "", ",", " "]);
        let array = (
            prop::collection::vec((space.clone(), inner.clone(), space.clone(), comma.clone()), 0..4),
            ends.clone(),
            space.clone(),
        )
            .prop_map(|(items, last, space)| {
                let mut text = String::from("[");
                for (position, (before, item, after, comma)) in items.iter().enumerate() {
                    let comma = if position + 1 < items.len() { comma } else { &last };
                    text += &[&before[..], item, after, comma].concat();
                }
                text + &space + "]"
            });
        let narrow = pick(&["", "", " ", " ", " ", " ", "\n", " # c\n"]);
        let table = (prop::collection::vec((narrow.clone(), key(), inner, narrow.clone(), comma), 0..4), ends, narrow).prop_map(
            |(items, last, space)| {
                let mut text = String::from("{");
                for (position, (before, key, item, after, comma)) in items.iter().enumerate() {
                    let comma = if position + 1 < items.len() { comma } else { &last };
                    text += &[&before[..], key, " = ", item, after, comma].concat();
                }
                text + &space + "}"
            },
        );
        prop_oneof![array, table]
    })
}

fn line() -> impl Strategy<Value = String> {
    let end = pick(&["\n", "\n", "\n", "\n", "\r\n", " # c\n", "  \n"]);
    let entry = (key(), pick(&[" = ", " = ", " = ", "=", "\t=", " ", ": ", " =\n"]), value())
        .prop_map(|(key, equals, value)| key + &equals + &value);
    let header = (pick(&["[", "[", "[", "[[", "[[", "[ ", "[ ["]), key(), pick(&["]", "]", "]", "]]", "] ]", "", " ]"]))
        .prop_map(|(open, key, close)| {
            let close = if close == "]" && open == "[[" { "]]" } else { &close };
            open + &key + close
        });
    let other =
        pick(&["", "# comment", "# \u{1}", "\u{feff}", "]", "}", "a", "{", ",", "\r", "\0", "a = \"\"\"", "a = [", "a = {"]);
    (prop_oneof![6 => entry, 4 => header, 1 => other], end).prop_map(|(line, end)| line + &end)
}

fn edit(text: &mut String, choice: u32, at: prop::sample::Index, insert: &str) {
    let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    if places.is_empty() {
        return;
    }
    let at = places[at.index(places.len())];
    match choice {
        0 => drop(text.remove(at)),
        1 => text.insert_str(at, insert),
        2 => {
            text.remove(at);
            text.insert_str(at, insert);
        }
        3 => {
            let line = text[at..].split_inclusive('\n').next().unwrap_or("").to_owned();
            text.insert_str(at, &line);
        }
        _ => text.truncate(at),
    }
}

pub(crate) fn document(samples: Vec<String>) -> impl Strategy<Value = String> {
    let piece = pick(&[
        "\"", "'", "\"\"\"", "'''", "[", "]", "{", "}", ",", "=", ".", "\n", "\r", "\r\n", " ", "#", "\\", "0", "1", "_", "-",
        "+", "e", "a", ":", "T", "é", "\0", "\u{7f}", "\t",
    ]);
    let generated = prop_oneof![
        3 => prop::collection::vec(line(), 0..7).prop_map(|lines| lines.concat()),
        1 => prop::collection::vec(prop_oneof![piece.clone(), key(), pick(SCALARS), pick(&[" = ", "\n"])], 0..30).prop_map(|pieces| pieces.concat()),
    ];
    let base = if samples.is_empty() { generated.boxed() } else { prop_oneof![generated, prop::sample::select(samples)].boxed() };
    (base, prop::collection::vec((0..5_u32, any::<prop::sample::Index>(), piece), 0..4), any::<bool>()).prop_map(
        |(mut text, edits, mutate)| {
            for (choice, at, insert) in edits.into_iter().filter(|_| mutate) {
                edit(&mut text, choice, at, &insert);
            }
            text
        },
    )
}
