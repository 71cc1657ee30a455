//! The edits for changes of a text.

mod properties;

use cfg_diag::{Edit, FileId};
use cfg_syntax::{
    Dialect, parse,
    rewrite::{Change, Comments, Editing, KeyPath, Literal, Obstacle, Rewriter},
};

/// Applies edits to a text.
fn apply(text: &str, edits: &[Edit]) -> String {
    let mut out = String::new();
    let mut at = 0;
    for edit in edits {
        let range = edit.location.span.range();
        assert!(at <= range.start, "edits overlap or are out of order: {edits:?}");
        out.push_str(&text[at..range.start]);
        out.push_str(&edit.new_text);
        at = range.end;
    }
    out + &text[at..]
}

fn rewrite(text: &str, changes: &[Change]) -> Result<String, Obstacle> {
    let rewriter = Rewriter::new(FileId(0), text, Dialect::Toml11).expect("TOML");
    let edits = rewriter.edits(changes)?;
    let new = apply(text, &edits);
    assert_eq!(parse(FileId(0), &new, Dialect::Toml11).1, [], "of {text:?} became {new:?}");
    Ok(new)
}

#[track_caller]
fn becomes(before: &str, change: Change, after: &str) {
    assert_eq!(rewrite(before, &[change]).as_deref(), Ok(after));
}

fn set(path: &str, value: &str) -> Change {
    Change::set(path, Literal::raw(value))
}

fn drop(path: &str) -> Change {
    Change::Remove { path: KeyPath::parse(path), comments: Comments::Drop }
}

#[test]
fn replacing_a_value_keeps_its_comment() {
    becomes("[a]\n  b =  1   # why\r\n", set("a.b", "2"), "[a]\n  b =  2   # why\r\n");
    becomes("a.b.c = 'x'", set("a.b.c", "\"y\""), "a.b.c = \"y\"");
    becomes("a = { b = { c = 1 }, d = 2 }\n", set("a.b.c", "3"), "a = { b = { c = 3 }, d = 2 }\n");
    becomes("a = { b.c = 1, d = 2 }\n", set("a.b.c", "3"), "a = { b.c = 3, d = 2 }\n");
    becomes("a = [1, [2, 3]]\n", set("a[1][0]", "9"), "a = [1, [9, 3]]\n");
    becomes("[[e]]\nid = 1\n[[e]]\nid = 2\n", set("e[1].id", "3"), "[[e]]\nid = 1\n[[e]]\nid = 3\n");
    becomes("[[e]]\n[e.x]\nk = 1\n[[e]]\n[e.x]\nk = 2\n", set("e[0].x.k", "3"), "[[e]]\n[e.x]\nk = 3\n[[e]]\n[e.x]\nk = 2\n");
    becomes("\"a b\".'c.d' = 1\n", set("\"a b\".\"c.d\"", "2"), "\"a b\".'c.d' = 2\n");
    becomes("a = [\n  1, # one\n]\n", set("a", "2"), "# one\na = 2\n");
}

#[test]
fn a_key_is_added_after_the_last_of_its_table() {
    becomes("[a]\nb = 1\n\n[c]\n", set("a.d", "2"), "[a]\nb = 1\nd = 2\n\n[c]\n");
    becomes("[a]\n  b = 1 # x\n  # y\n[c]\n", set("a.d", "2"), "[a]\n  b = 1 # x\n  d = 2\n  # y\n[c]\n");
    becomes("[a]\r\nb = 1\r\n", set("a.d", "2"), "[a]\r\nb = 1\r\nd = 2\r\n");
    becomes("[a]\nb = 1", set("a.d", "2"), "[a]\nb = 1\nd = 2");
    becomes("[a]\n[c]\n", set("a.d", "2"), "[a]\nd = 2\n[c]\n");
    becomes("[[e]]\nid = 1\n\n[[e]]\nid = 2\n", set("e[0].n", "5"), "[[e]]\nid = 1\nn = 5\n\n[[e]]\nid = 2\n");
    becomes("x = 1\n\n[a]\n", set("y", "2"), "x = 1\ny = 2\n\n[a]\n");
    becomes("[a]\nx = [\n 1,\n]\n[b]\n", set("a.y", "2"), "[a]\nx = [\n 1,\n]\ny = 2\n[b]\n");
}

#[test]
fn a_dotted_key_is_added_where_keys_are_dotted() {
    becomes("[m]\nlora.rank = 8\nname = 'x'\n", set("m.lora.alpha", "16"), "[m]\nlora.rank = 8\nlora.alpha = 16\nname = 'x'\n");
    becomes("m.lora.rank = 8\n", set("m.name", "'x'"), "m.lora.rank = 8\nm.name = 'x'\n");
    becomes("[m]\nlora.rank = 8\n", set("m.ac.freq", "1"), "[m]\nlora.rank = 8\nac.freq = 1\n");
    becomes("[m]\nlora.rank = 8\n[m.x]\n", set("m.ac.freq", "1"), "[m]\nlora.rank = 8\n[m.x]\n\n[m.ac]\nfreq = 1\n");
}

#[test]
fn a_key_is_added_inside_braces() {
    becomes("a = { b = 1 }\n", set("a.c", "2"), "a = { b = 1, c = 2 }\n");
    becomes("a = {}\n", set("a.c", "2"), "a = { c = 2 }\n");
    becomes("a = { b = 1 }\n", set("a.c.d", "2"), "a = { b = 1, c = { d = 2 } }\n");
    becomes("a = { b.x = 1 }\n", set("a.b.y", "2"), "a = { b.x = 1, b.y = 2 }\n");
    becomes("a = [{ b = 1 }]\n", set("a[0].c", "2"), "a = [{ b = 1, c = 2 }]\n");
    becomes("a = {\n  b = 1, # x\n}\n", set("a.c", "2"), "a = {\n  b = 1, # x\n  c = 2,\n}\n");
    becomes("a = {\n  b = 1 # x\n}\n", set("a.c", "2"), "a = {\n  b = 1, # x\n  c = 2\n}\n");
}

#[test]
fn a_table_is_added_after_the_tables_of_its_parent() {
    becomes(
        "[a]\nx = 1\n\n[a.b]\ny = 1\n\n# of c\n[c]\n",
        set("a.d.z", "1"),
        "[a]\nx = 1\n\n[a.b]\ny = 1\n\n[a.d]\nz = 1\n\n# of c\n[c]\n",
    );
    becomes("[a]\n[c]\n", set("a.d.z", "1"), "[a]\n\n[a.d]\nz = 1\n\n[c]\n");
    becomes("[a]", set("a.d.z", "1"), "[a]\n\n[a.d]\nz = 1");
    becomes("x = 1\n", set("a.d.z", "1"), "x = 1\n\n[a.d]\nz = 1\n");
    becomes("", set("a.z", "1"), "[a]\nz = 1\n");
    becomes("[a]\r\n\r\n\r\n", set("b.z", "1"), "[a]\r\n\r\n[b]\r\nz = 1\r\n\r\n\r\n");
    becomes("[[e]]\nid = 1\n[[e]]\nid = 2\n", set("e[0].args.n", "5"), "[[e]]\nid = 1\n\n[e.args]\nn = 5\n\n[[e]]\nid = 2\n");
    becomes("# top\n[a.b]\nx = 1\n", set("a.y", "1"), "[a]\ny = 1\n\n# top\n[a.b]\nx = 1\n");
}

#[test]
fn new_tables_of_an_array_have_headers() {
    let tables = |path: &str, ids: &[&str]| Change::InsertTables {
        path: KeyPath::parse(path),
        tables: ids.iter().map(|id| vec![("id".into(), Literal::from(*id))]).collect(),
    };
    becomes(
        "[a]\nx = 1\n\n[c]\n",
        tables("a.t.e", &["x", "y"]),
        "[a]\nx = 1\n\n[[a.t.e]]\nid = \"x\"\n\n[[a.t.e]]\nid = \"y\"\n\n[c]\n",
    );
    becomes("x = 1\r\n", tables("e", &["x"]), "x = 1\r\n\r\n[[e]]\r\nid = \"x\"\r\n");
    becomes("", tables("e", &["x"]), "[[e]]\nid = \"x\"\n");
    let fails = |text: &str, path: &str| rewrite(text, &[tables(path, &["x"])]).expect_err(text);
    assert_eq!(fails("a = { b = 1 }\n", "a.e"), Obstacle::InTheWay);
    assert_eq!(fails("a.b = 1\n", "a.e"), Obstacle::InTheWay);
    assert_eq!(fails("[[e]]\n", "e"), Obstacle::InTheWay);
}

#[test]
fn the_first_root_key_is_added_before_all_tables() {
    becomes("[a]\n", set("x", "1"), "x = 1\n\n[a]\n");
    becomes("# the file\n[a]\n", set("x", "1"), "# the file\nx = 1\n\n[a]\n");
    becomes("# the file\n\n# the table\n[a]\n", set("x", "1"), "# the file\n\nx = 1\n\n# the table\n[a]\n");
    becomes(
        "# /// config\n# version = \"v1\"\n# ///\n[a]\n",
        set("x", "1"),
        "# /// config\n# version = \"v1\"\n# ///\nx = 1\n\n[a]\n",
    );
    becomes("", set("x", "1"), "x = 1\n");
    becomes("# only this", set("x", "1"), "# only this\nx = 1");
}

#[test]
fn a_byte_order_mark_remains_first() {
    for (before, after) in [
        ("\u{feff}", "\u{feff}x = 1\n"),
        ("\u{feff}[a]\n", "\u{feff}x = 1\n\n[a]\n"),
        ("\u{feff}y = 1\n", "\u{feff}y = 1\nx = 1\n"),
    ] {
        let rewriter = Rewriter::new(FileId(0), before, Dialect::Toml10).expect("TOML but for the mark");
        let edits = rewriter.edits(&[set("x", "1")]).expect("there is room");
        assert_eq!(apply(before, &edits), after);
    }
}

#[test]
fn a_key_is_removed_with_its_line() {
    becomes("# above\na = 1 # why\nb = 2\n", drop("a"), "# above\nb = 2\n");
    becomes("a = 1 # why\nb = 2\n", Change::remove("a"), "# why\nb = 2\n");
    becomes("a = 1\nb = 2", Change::remove("b"), "a = 1");
    becomes("a = 1\r\nb = 2", Change::remove("b"), "a = 1");
    becomes("b = 2", Change::remove("b"), "");
    becomes("a = [\n  1, # one\n] # all\nb = 2\n", Change::remove("a"), "# one\n# all\nb = 2\n");
    becomes("[a]\nb = 1\n", Change::remove("a.b"), "[a]\n");
    becomes("[m]\nlora.rank = 8 # x\n", Change::remove("m.lora.rank"), "[m]\nlora = {} # x\n");
    becomes("[m]\nlora.rank = 8\nlora.alpha = 1\n", Change::remove("m.lora.rank"), "[m]\nlora.alpha = 1\n");
}

#[test]
fn a_text_does_not_begin_with_the_blank_lines_below_what_was_its_first_line() {
    becomes("a = 1\n\n  \n# of b\nb = 2\n", Change::remove("a"), "# of b\nb = 2\n");
    becomes("a = 1\r\n\r\n[b]\r\n", Change::remove("a"), "[b]\r\n");
    becomes("a.x = 1\na.y = 2\n\n[b]\n", Change::remove("a"), "[b]\n");
    becomes("a = 1 # why\n\nb = 2\n", Change::remove("a"), "# why\n\nb = 2\n");
    becomes("c = 1\n\na = 1\n\nb = 2\n", Change::remove("a"), "c = 1\n\n\nb = 2\n");
    becomes("\na = 1\n\nb = 2\n", Change::remove("a"), "\n\nb = 2\n");
    becomes("a = 1\n\nc = 2\n[t]\n", Change::relocate("a", "t.a"), "c = 2\n[t]\na = 1\n");
}

#[test]
fn an_item_is_removed_with_its_comma() {
    becomes("a = [1, 2, 3]\n", Change::remove("a[0]"), "a = [2, 3]\n");
    becomes("a = [1, 2, 3]\n", Change::remove("a[2]"), "a = [1, 2]\n");
    becomes("a = [1]\n", Change::remove("a[0]"), "a = []\n");
    becomes("a = [\n  1, # one\n  2, # two\n]\n", drop("a[1]"), "a = [\n  1, # one\n]\n");
    becomes("a = [\n  1, # one\n  2, # two\n]\n", Change::remove("a[1]"), "a = [\n  1, # one\n  # two\n]\n");
    becomes("a = { b = 1, c = 2 }\n", Change::remove("a.b"), "a = { c = 2 }\n");
    becomes("a = { b = 1, c = 2 }\n", Change::remove("a.c"), "a = { b = 1 }\n");
    becomes("a = { b = 1 }\n", Change::remove("a.b"), "a = {}\n");
    becomes("a = { b.c = 1 }\n", Change::remove("a.b.c"), "a = { b = {} }\n");
}

#[test]
fn a_table_is_removed_with_all_below_it() {
    becomes("[a]\nx = 1\n\n[a.b]\ny = 1\n\n# of c\n[c]\nz = 1\n", Change::remove("a"), "# of c\n[c]\nz = 1\n");
    becomes("[a]\nx = 1\n\n[a.b]\ny = 1\n", Change::remove("a.b"), "[a]\nx = 1\n\n");
    becomes("[a.b]\ny = 1 # why\n[c]\n", Change::remove("a.b"), "[a]\n# why\n[c]\n");
    becomes("[[e]]\nid = 1\n[e.x]\n[[e]]\nid = 2\n", Change::remove("e[0]"), "[[e]]\nid = 2\n");
    becomes("[m]\nlora.rank = 8\nlora.alpha = 1\nx = 1\n", Change::remove("m.lora"), "[m]\nx = 1\n");
}

#[test]
fn a_key_is_renamed_in_place() {
    becomes("[a]\nb = 1 # why\n", Change::relocate("a.b", "a.c"), "[a]\nc = 1 # why\n");
    becomes("[a]\nb.x = 1\nb.y = 2\n", Change::relocate("a.b", "a.c"), "[a]\nc.x = 1\nc.y = 2\n");
    becomes("[a]\n[a.b]\nx = 1\n[a.b.c]\n", Change::relocate("a.b", "a.d"), "[a]\n[a.d]\nx = 1\n[a.d.c]\n");
    becomes("a = { b = 1 }\n", Change::relocate("a.b", "a.\"c d\""), "a = { \"c d\" = 1 }\n");
    becomes("[[e]]\nx = 1\n[[e]]\n", Change::relocate("e", "f"), "[[f]]\nx = 1\n[[f]]\n");
    becomes("model = 'x'\n", Change::relocate("model", "model.name"), "model.name = 'x'\n");
}

#[test]
fn a_key_is_moved_with_its_comment() {
    becomes("[a]\nb = 1 # why\nc = 2\n[d]\ne = 3\n", Change::relocate("a.b", "d.b"), "[a]\nc = 2\n[d]\ne = 3\nb = 1  # why\n");
    becomes("[a]\nb = 1\n", Change::relocate("a.b", "d.e.f"), "[a]\n\n[d.e]\nf = 1\n");
    becomes("[a]\nb = 1 # why\n[d]\nx = {}\n", Change::relocate("a.b", "d.x.b"), "[a]\n# why\n[d]\nx = { b = 1 }\n");
    becomes("[t.lora]\nrank = 8\n", Change::relocate("t.lora", "t.model.lora"), "[t.model.lora]\nrank = 8\n");
    becomes(
        "[t]\nlora.rank = 8\nlora.alpha = 1\n",
        Change::relocate("t.lora", "t.model.lora"),
        "[t]\nmodel.lora.rank = 8\nmodel.lora.alpha = 1\n",
    );
}

#[test]
fn changes_are_made_one_after_the_other() {
    let changes = [set("a.b.x", "1"), set("a.b.y", "2"), Change::remove("z")];
    assert_eq!(rewrite("z = 1\n[a]\n", &changes).as_deref(), Ok("[a]\n\n[a.b]\nx = 1\ny = 2\n"));
}

#[test]
fn impossible_changes_are_errors() {
    let fails = |text: &str, change: Change| rewrite(text, &[change]).expect_err(text);
    assert_eq!(fails("a = 1\n", Change::remove("b")), Obstacle::Absent);
    assert_eq!(fails("a = 1\nb = 2\n", Change::relocate("a", "b")), Obstacle::Occupied);
    assert_eq!(fails("a = 1\n", Change::insert("a", 2)), Obstacle::Occupied);
    assert_eq!(fails("a = 1\n", set("a.b", "2")), Obstacle::InTheWay);
    assert_eq!(fails("[a]\n", set("a", "2")), Obstacle::InTheWay);
    assert_eq!(fails("[[a]]\n", set("a.b", "2")), Obstacle::InTheWay);
    assert!(Rewriter::new(FileId(0), "a = [1\n", Dialect::Toml11).is_none());
}

#[test]
fn paths_are_read_as_diagnostics_write_them() {
    let parts = |text: &str| KeyPath::parse(text).parts().iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(parts("orchestrator.env[0].id"), ["orchestrator", "env", "0", "id"]);
    assert_eq!(parts("a.\"b.c\".'d e'"), ["a", "b.c", "d e"]);
    assert_eq!(parts("a.\"b\\\"c\""), ["a", "b\"c"]);
    assert_eq!(parts("a[1][2]"), ["a", "1", "2"]);
    assert_eq!(KeyPath::new(["a", "b c"]).to_string(), "a.\"b c\"");
}

#[test]
fn changes_within_tables_read_no_more_than_these() {
    let read = |count: usize| {
        let text = "[t]\nk = 0\n".to_owned() + &"# one\n[[e.s]]\nid = 1\n[e.s.x]\nk = 2\n\n".repeat(count);
        let mut editing = Editing::new(FileId(0), &text, Dialect::Toml11).expect("TOML");
        for index in 0..count {
            let path = |key: &str| format!("e.s[{index}].{key}");
            let changes = [
                Change::relocate(&path("id"), &path("legacy.id")),
                Change::insert(&path("x.n"), 3),
                Change::remove(&path("x.k")),
                Change::relocate(&path("x"), &path("y")),
            ];
            for change in &changes {
                assert_eq!(editing.make(change), Ok(()), "{change:?}");
            }
        }
        let table = "\n# one\n[[e.s]]\n[e.s.y]\nn = 3\n\n[e.s.legacy]\nid = 1\n";
        assert!(editing.text() == "[t]\nk = 0".to_owned() + &table.repeat(count) + "\n", "of {count}");
        editing.bytes_read()
    };
    let (few, many) = (read(50), read(200));
    assert!(many < 5 * few, "{few} bytes for 50 tables, {many} for 200");
}

#[test]
fn a_table_of_dotted_keys_is_moved_with_its_comments() {
    let before = "[o]\ntop = 1\n# above\na.x = 1 # one\na.y.z = [\n  2, # two\n]\nlast = 3\n";
    let after = "[o]\ntop = 1\n# above\nlast = 3\nb.a.x = 1  # one\nb.a.y.z = [\n  2, # two\n]\n";
    becomes(before, Change::relocate("o.a", "o.b.a"), after);
    becomes("  a.x = 1\n  a.y = 2\n[o]\n", Change::relocate("a", "o.a"), "[o]\n\n[o.a]\nx = 1\ny = 2\n");
    // The table above it stays, as an empty table, unless it has the new place as well.
    becomes(
        "p.a.x = 1 # one\np.a.y = 2 # two\n[o]\n",
        Change::relocate("p.a", "o.a"),
        "p = {} # one\n[o]\n\n[o.a]\nx = 1\ny = 2  # two\n",
    );
    becomes("p.a.x = 1\np.a.y = 2\n", Change::relocate("p.a", "p.b.a"), "p.b.a.x = 1\np.b.a.y = 2\n");
    becomes("a.x = 1\na.y = 2\no = { k = 0 }\n", Change::relocate("a", "o.a"), "o = { k = 0, a = { x = 1, y = 2 } }\n");
}

#[test]
fn a_table_of_many_dotted_keys_is_moved_at_once() {
    let keys = |table: &str| (0..20_000).map(|at| format!("{table}.k{at} = 1\n")).collect::<Vec<_>>().concat();
    let after = "[o]\n\n[o.a]\n".to_owned() + &keys("").replace("\n.", "\n")[1..];
    becomes(&(keys("a") + "[o]\n"), Change::relocate("a", "o.a"), &after);
}

#[test]
fn what_would_be_read_again_and_again_is_too_long() {
    let items: Vec<String> = (0..20_000).map(|at| format!("b.k{at} = 1")).collect();
    let text = format!("a = {{ {} }}\n", items.join(", "));
    assert_eq!(rewrite(&text, &[Change::remove("a.b")]), Err(Obstacle::TooLong));
    let mut editing = Editing::new(FileId(0), &text, Dialect::Toml11).expect("TOML");
    assert_eq!(editing.make(&Change::remove("a.b")), Err(Obstacle::TooLong));
    assert_eq!(editing.text(), text);
}
