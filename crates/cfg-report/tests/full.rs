//! The format for people.

mod common;

use std::fmt::Write;

use cfg_diag::{Diagnostic, Location, Span, codes};
use cfg_report::{Format, Sources, Style};
use common::{RL, draw, everything, render, report};

#[test]
fn unicode_without_colors() {
    insta::assert_snapshot!(everything(Format::Full, Style { unicode: true, ..Style::default() }));
}

#[test]
fn ascii() {
    insta::assert_snapshot!(everything(Format::Full, Style::default()));
}

#[test]
fn wide() {
    insta::assert_snapshot!(everything(Format::Full, Style { width: 200, unicode: true, ..Style::default() }));
}

#[test]
fn narrow() {
    insta::assert_snapshot!(everything(Format::Full, Style { width: 40, unicode: true, ..Style::default() }));
}

#[test]
fn colors_and_links() {
    let drawn = everything(Format::Full, Style { color: true, links: true, unicode: true, width: 80 });
    insta::assert_snapshot!(drawn.replace('\x1b', "␛"));
}

#[test]
fn awkward_places() {
    let text = "a = 1\n";
    let mut all = String::new();
    for (what, text, span) in [
        ("end of file", text, Span::empty(6)),
        ("far behind the end", text, Span::new(70, 90)),
        ("end of a line", text, Span::empty(5)),
        ("the line break", text, Span::new(5, 6)),
        ("an empty file", "", Span::empty(0)),
        ("no line break at the end", "a = [", Span::empty(5)),
        ("CRLF", "a = 1\r\nb = 2\r\nc = 3\r\n", Span::new(11, 12)),
        ("tabs", "\t\ta =\t1\n", Span::new(6, 7)),
        ("wide characters", "漢字 = \"👩‍💻 e\u{301}\" # 1\n", Span::new(9, 27)),
        ("within a character", "é = 1\n", Span::new(1, 2)),
        ("control characters", "a = \"\u{1b}[31m\u{7}\u{9b}2J\u{202e}\" # x\n", Span::new(20, 21)),
        ("several lines", "a = [\n  1,\n  2,\n", Span::new(4, 16)),
        ("reversed", text, Span::new(4, 1)),
    ] {
        writeln!(all, "--- {what}\n{}", draw(text, span, true)).expect("memory can be written");
    }
    insta::assert_snapshot!(all);
}

#[test]
fn long_lines_are_cut_around_the_place() {
    let line = format!("a = [{}]\nb = 1\n", "\"0123456789\", ".repeat(8_000));
    let mut all = String::new();
    for (what, span) in [
        ("start", Span::new(0, 1)),
        ("middle", Span::new(5 + 14 * 4_000, 5 + 14 * 4_000 + 12)),
        ("middle to end", Span::new(5 + 14 * 4_000, 5 + 14 * 8_000)),
        ("end", Span::new(5 + 14 * 8_000, 6 + 14 * 8_000)),
        ("next line", Span::new(7 + 14 * 8_000, 8 + 14 * 8_000)),
    ] {
        let drawn = draw(&line, span, true);
        assert!(drawn.lines().all(|line| line.chars().count() <= 60), "{drawn}");
        writeln!(all, "--- {what}\n{drawn}").expect("memory can be written");
    }
    insta::assert_snapshot!(all);
}

#[test]
fn zero_width_characters_do_not_extend_a_line() {
    let line = format!("a = \"{0}here{0}\"\n", "e\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}".repeat(9_000));
    for at in [0, 70_000, line.find("here").expect("it is there") as u32, line.len() as u32 - 1] {
        let drawn = draw(&line, Span::empty(at), false);
        assert!(drawn.len() < 2_000 && drawn.contains("^\n") && drawn.contains("`-- this"), "{drawn}");
    }
}

#[test]
fn places_on_one_line() {
    let text = "x = { type = \"a\", size = 1, size = 2 }\n";
    let at = |start, end| Location::new(RL, Span::new(start, end));
    let long = "the first definition, which stands here with a label that is too long for what is left of the line";
    let diagnostics = [Diagnostic::new(&codes::DUPLICATE_KEY, "duplicate key `size`")
        .at(at(28, 32))
        .label("second")
        .related(at(18, 22), long)
        .related(at(4, 38), "the table")];
    let style = Style { width: 60, unicode: true, ..Style::default() };
    insta::assert_snapshot!(render(Format::Full, style, &report("a.toml", &diagnostics), &Sources::single("a.toml", text)));
}

#[test]
fn distant_places_and_many_of_them() {
    let text = (1..=60).map(|number| format!("key{number} = {number}")).collect::<Vec<_>>().join("\n");
    let mut diagnostic = Diagnostic::new(&codes::DUPLICATE_KEY, "defined again").at(common::find(RL, &text, "key50"));
    for number in [2, 5, 9, 10, 11, 12, 13, 14, 15, 16] {
        diagnostic = diagnostic.related(common::find(RL, &text, &format!("key{number} ")), "first here");
    }
    let style = Style { width: 60, unicode: true, ..Style::default() };
    insta::assert_snapshot!(render(Format::Full, style, &report("a.toml", &[diagnostic]), &Sources::single("a.toml", &text)));
}

#[test]
fn every_span_of_an_awkward_text_can_be_drawn() {
    let text = "\u{feff}a\t=\t\"漢\u{301}👩‍💻\"\r\n\r\n\u{0}b = '\u{1b}'\n\n  [x]";
    for start in 0..=text.len() as u32 + 2 {
        for end in 0..=text.len() as u32 + 2 {
            for width in [0, 40, 41] {
                let places = [(start, end), (end, start), (0, 3), (9, 30)].map(|(s, e)| Location::new(RL, Span::new(s, e)));
                let diagnostics = [Diagnostic::new(&codes::INVALID_TOML, "here")
                    .at(places[0])
                    .related(places[1], "b")
                    .related(places[2], "c")
                    .related(places[3], "d")];
                let style = Style { width, ..Style::default() };
                let drawn = render(Format::Full, style, &report("a.toml", &diagnostics), &Sources::single("a.toml", text));
                assert!(drawn.contains('^'), "{start}..{end}\n{drawn}");
                assert!(!drawn.contains(|c: char| c.is_control() && c != '\n'), "{drawn}");
            }
        }
    }
}

#[test]
fn only_the_first_findings_are_drawn_and_the_rest_counted() {
    let text = (0..250).map(|number| format!("key{number} = 1")).collect::<Vec<_>>().join("\n");
    let of = |number| {
        let place = common::find(RL, &text, &format!("key{number} "));
        Diagnostic::new(&codes::UNKNOWN_KEY, format!("no key {number}!")).at(place)
    };
    let diagnostics: Vec<Diagnostic> = (0..250).map(of).collect();
    let sources = Sources::single("a.toml", &text);
    let written = |number| render(Format::Full, Style::default(), &report("a.toml", &diagnostics[..number]), &sources);
    assert!(!written(100).contains("further"));
    assert!(written(101).contains("and 1 further finding in a.toml"));
    let all = written(250);
    assert!(all.contains("no key 99!") && !all.contains("no key 100!"));
    assert!(
        all.ends_with("  note: and 150 further findings in a.toml; use `--format concise` to list all\n\nFound 250 errors\n"),
        "{all}"
    );
}
