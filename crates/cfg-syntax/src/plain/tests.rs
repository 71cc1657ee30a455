use cfg_diag::FileId;
use proptest::prelude::*;

use super::document;
use crate::{Dialect, parser::Parser};

/// Compares with the parser; whether the text is read without it, but for some lines.
fn compare(text: &str) -> bool {
    let mut is_plain = true;
    for dialect in [Dialect::Toml10, Dialect::Toml11] {
        match document(FileId(0), text, dialect) {
            Some(plain) => {
                let parsed = Parser::new(FileId(0), text, dialect).run();
                // Compared as texts: a number may be none.
                assert_eq!(format!("{plain:?}"), format!("{parsed:?}"), "{text:?}");
            }
            None => is_plain = false,
        }
    }
    is_plain
}

#[test]
fn most_texts_of_the_repository_are_plain() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs/prime-rl");
    let texts: Vec<String> = std::fs::read_dir(folder)
        .expect("a folder")
        .filter_map(|entry| std::fs::read_to_string(entry.expect("an entry").path()).ok())
        .collect();
    let plain = texts.iter().filter(|text| compare(text)).count();
    assert!(plain * 10 > texts.len() * 9 && plain > 0, "{plain} of {}", texts.len());
}

#[test]
fn the_rarer_forms_of_plain_texts() {
    for text in [
        "",
        "# c",
        " [ a . b ] # c\n\n[[ c ]]\n[[c]]\n[c.d]\nx.y = 1\nx.z = 2",
        "a = [ # c\n 'x', \"é\" # d\n, [], [1,2,],\n]\n",
        "a = {b.c = 1 , d={}, e = [\n1]}\n",
        "a = 2026-01-05\nb = 1_000\nc = -inf # é\nd = ''\ne = \"\"#\n",
        r#"a = "\"\\" # b
c = ["\u00e9\n", '\'] "#,
    ] {
        assert!(compare(text), "{text:?}");
    }
    let deep = |open: &str, close: &str, depth: usize| format!("a = {}1{}\n", open.repeat(depth), close.repeat(depth));
    for text in [deep("[", "]", 200), deep("{a = ", "}", 200)] {
        assert!(!compare(&text));
    }
    compare(&format!("{} = 1\n", vec!["a"; 200].join(".")));
    for depth in 60..130 {
        compare(&deep("[", "]", depth));
        compare(&deep("{a = ", "}", depth));
        compare(&format!("[{}]\na.a = [[1]]\n", vec!["a"; depth].join(".")));
    }
}

#[test]
fn a_text_that_is_being_written_is_read_as_by_the_parser() {
    let lines = [
        "a",
        "a.",
        "a.b",
        "a =",
        "a = ",
        "a = # c",
        "a = \"x",
        "a b",
        "a: 1",
        "a = 1 2",
        "a = 4k",
        "seq_len = 4k # k",
        "[t",
        "[t.",
        "[[t",
        "[t]]",
        "t]",
        "= 1",
        "a = 2,",
        "\"a",
        "b.c = tru",
    ];
    let around = [
        ("", ""),
        ("x = 1\n\n[t]\ny = 2\n", "\nz = 3 # c\n[u]\n"),
        ("[[t]]\n", "\n[[t]]\n"),
        ("# c\n[t.b]\n", "\n1\n"),
        ("[t]\n", "\n\"v\"\na = 1\n"),
        ("[a]\nb = 1\n[c]\n", "\n\n\n[a.b]\n"),
        ("", "\n[a]\n"),
        ("a.b = 1\n", "\na.c = 2\nb = "),
    ];
    let mut read = 0;
    for (before, behind) in around {
        for line in lines {
            read += usize::from(compare(&format!("{before}{line}{behind}")));
        }
    }
    assert!(read > around.len() * lines.len() / 2, "{read}");
    let config = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs/prime-rl/qwen3-8b-2xh100.toml");
    let text = std::fs::read_to_string(config).expect("a config");
    for (at, _) in text.char_indices().step_by(11) {
        let line_end = text[at..].find('\n').map_or(text.len(), |end| at + end);
        compare(&format!("{}{}", &text[..at], &text[line_end..]));
        compare(&text[..at]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn plain_texts_are_read_as_by_the_parser(
        text in r##"(([ab]|[ab]\.[ab]) = ("[a #'é]{0,3}"|'[a"#]{0,3}'|1|-0\.5|true|2026-01-05( 10:00:00)?|\[(1|"a"|\{a = 1\})?(, ?(\n|# c\n)?2)?,?\]|\{[ab] = 1(, [ab] = \[\])?,?\}) ?(# c)?\n|\[{1,2}[ab](\.[ab])?\]{1,2}( # c)?\n|# é\n|\n){0,7}"##,
    ) {
        compare(&text);
    }

    #[test]
    fn texts_with_some_faults_are_read_as_by_the_parser(
        text in r#"([ab](\.[ab])?( = )?("a"|1|tru|4k)?( # c)?\n|\[{0,2}[ab](\.[ab]?)?\]{0,2}\n|[ab] =\n|[ab]: ?1?\n| *(1|"x)\n|\n){0,9}"#,
    ) {
        compare(&text);
    }

    #[test]
    fn nearly_plain_texts_are_read_as_by_the_parser(text in r#"([ab1.=,#\[\]{}"'\\ \n\t\r:é-]|"""|a = |\n\[a\]\n|true|10:00){0,16}"#) {
        compare(&text);
    }
}
