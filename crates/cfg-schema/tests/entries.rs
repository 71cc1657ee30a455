//! Entries of users: the fields that are read from a checkout give the schema of that checkout.

use cfg_schema::{
    History, Kind, Node, Point, Segment, Target,
    compiler::{Field, KINDS, differences, in_notation, nearest, parse, read_entry},
};

fn point(target: &str) -> Point {
    Target::parse(History::built_in(), target).expect("it is known").point
}

/// The fields that would be read from a checkout at a known point, by kind, in the order of the history.
fn texts(point: Point) -> [String; KINDS.len()] {
    Kind::ALL.map(|kind| {
        let mut text = String::new();
        write(History::built_in().root(kind), "", point, &mut text);
        text
    })
}

fn write(node: Node, path: &str, point: Point, text: &mut String) {
    let interval = node.at(point);
    if interval.is_none() && node.intervals().next().is_some() {
        return;
    }
    if let Some(interval) = interval {
        let word = match node.segment() {
            _ if path.is_empty() => "root",
            Segment::Variant(_) | Segment::Class(_) => "variant",
            _ => "table",
        };
        let notation = in_notation(interval).replacen("table(", &format!("{word}("), usize::from(word != "table"));
        text.push_str(&format!("{}\n  ..  {notation}\n", if path.is_empty() { "(root)" } else { path }));
        for (mode, name) in interval.validators() {
            text.push_str(&format!("    {mode}: {name}\n"));
        }
    }
    let tag_key = interval.and_then(|interval| match interval.field_type().discriminator() {
        Some(cfg_schema::Discriminator::Key(key)) => Some(key),
        _ => None,
    });
    for child in node.children() {
        let below = match child.segment() {
            Segment::Field(name) if path.is_empty() => name.to_owned(),
            Segment::Field(name) => format!("{path}.{name}"),
            Segment::Item => format!("{path}[]"),
            Segment::MapValue => format!("{path}.*"),
            Segment::Variant(tag) => format!("{path}<{}={tag}>", tag_key.unwrap_or("type")),
            Segment::Class(name) => format!("{path}<{name}>"),
        };
        write(child, &below, point, text);
    }
}

fn entry(texts: &[String; KINDS.len()], docs: &[(usize, &str, &str)]) -> String {
    let fields = |text: &String| parse(text, &|sha| Err(sha.to_owned())).expect("fields");
    let kinds: Vec<Vec<Field>> = texts.iter().map(fields).collect();
    cfg_schema::compiler::entry(&["made by a test".to_owned()], "2441fd514", &kinds, docs)
}

fn index(kind: &str) -> usize {
    KINDS.iter().position(|name| *name == kind).expect("a kind")
}

#[test]
fn a_known_prime_rl_is_found_again_without_a_difference() {
    for target in ["6b01ba5ae", "0.2", "0.4.0", "0.5.0", "0.8.0", "main"] {
        let wanted = point(target);
        let entry = read_entry(&entry(&texts(wanted), &[])).unwrap_or_else(|error| panic!("{target}: {error}"));
        let (found, differing) = nearest(entry.history);
        assert_eq!(differing, 0, "{target}");
        assert_eq!(differences(entry.history, found), [], "{target}");
        assert_eq!(differences(entry.history, wanted), [], "{target}");
        // An imported field has the description of the built-in history.
        let clean = |history: History, at: Point| history.root(Kind::Trainer).field("model").and_then(|model| model.doc(at));
        assert_eq!(clean(entry.history, Point(0)), clean(History::built_in(), point("main")), "{target}");
    }
}

#[test]
fn changes_of_a_fork_are_listed() {
    let wanted = point("0.8.0");
    let mut texts = texts(wanted);
    let trainer = texts[index("trainer")].clone();
    let forked = trainer.replacen("max_steps\n  ..  int", "max_steps\n  ..  int(ge 5)", 1)
        + "sandbox\n  ..  table(forbid) = {}\n    after: check_sandbox\nsandbox.slots\n  ..  int(ge 1) = 2\n";
    assert_ne!(trainer.len() + 75, forked.len(), "both were changed");
    texts[index("trainer")] = forked;
    let docs = [(index("trainer"), "sandbox.slots", "How many run side by side."), (index("trainer"), "max_steps", "Theirs.")];
    let entry = read_entry(&entry(&texts, &docs)).expect("an entry");
    let (found, _) = nearest(entry.history);
    assert_eq!(
        differences(History::built_in(), found).len(),
        differences(History::built_in(), wanted).len(),
        "it is as near as the release itself"
    );
    let told = differences(entry.history, wanted);
    let paths: Vec<(Kind, &str)> = told.iter().map(|difference| (difference.kind, &*difference.path)).collect();
    assert_eq!(paths, [(Kind::Trainer, "max_steps"), (Kind::Trainer, "sandbox")]);
    assert_eq!(told[1].unknown_validators, ["check_sandbox"]);
    assert_eq!(told[1].known, None);
    let slots =
        entry.history.root(Kind::Trainer).field("sandbox").and_then(|sandbox| sandbox.field("slots")).expect("it is there");
    assert_eq!(slots.doc(Point(0)), Some("How many run side by side."));
    let steps = entry.history.root(Kind::Trainer).field("max_steps").expect("it is there");
    assert_ne!(steps.doc(Point(0)), Some("Theirs."), "our own words come first");
}

#[test]
fn an_invalid_entry_has_its_place() {
    let whole = entry(&texts(point("0.2")), &[]);
    for (wrong, said) in [
        (whole.replace("nearest ", "near "), "nearest COMMIT"),
        (whole.replace("nearest 2441fd514", "nearest 0.99.0"), "nearest"),
        (whole.replace("\n== sft ==", "\n== stf =="), "== sft =="),
        (whole.replacen("  ..  int", "  ..  integer", 1), "integer"),
        (whole.replacen("  ..  int", "  d564195ca..  int", 1), "d564195ca"),
        (
            whole.replacen(
                "== inference ==\n",
                "== inference ==\nloop\n  ..  table(forbid)\nloop.loop\n  ..  table(forbid)\n  fields of inference:loop\n",
                1,
            ),
            "itself",
        ),
    ] {
        let error = read_entry(&wrong).expect_err(said);
        assert!(error.contains(said), "{said}: {error}");
    }
}

/// Lines for tables `n0`, `n1` ..., of which each has these keys, whose fields are those of the next table.
fn chain(length: usize, keys: &[&str]) -> String {
    let mut lines = String::new();
    for level in 0..length {
        lines.push_str(&format!("n{level}\n  ..  table(forbid)\n"));
        for key in keys {
            lines.push_str(&format!("n{level}.{key}\n  ..  table(forbid)\n"));
            if level + 1 < length {
                lines.push_str(&format!("  fields of trainer:n{}\n", level + 1));
            }
        }
    }
    lines
}

#[test]
fn shared_fields_are_bounded() {
    let whole = entry(&texts(point("0.2")), &[]);
    let with = |lines: &str| {
        let (before, section) = whole.split_once("== trainer ==\n").expect("the section");
        let (fields, after) = section.split_once("\n\n").expect("another section");
        read_entry(&format!("{before}== trainer ==\n{fields}\n{lines}\n{after}"))
    };
    with(&chain(10, &["x", "y"])).expect("a thousand fields");
    let error = with(&chain(20_000, &["x"])).expect_err("it is deep");
    assert!(error.contains("nested more than"), "{error}");
    let error = with(&chain(40, &["x", "y"])).expect_err("it doubles with each level");
    assert!(error.contains("more than 200000 fields"), "{error}");
    let error = with(&format!("{}\n  ..  int\n", vec!["a"; 100_000].join("."))).expect_err("a deep key");
    assert!(error.starts_with("trainer:") && error.contains("nested more than"), "{error}");
}
