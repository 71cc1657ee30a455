//! Changes of a JSON text that leave all other bytes unchanged.

use std::fmt::Write as _;

use serde_json::Value as Json;

use super::{Kind, Member, Node, to_json};

/// The change of a value.
#[derive(Clone, Debug)]
pub enum Patch {
    /// The value is set to this; if it already is equal, its text is not changed.
    Set(Json),
    /// The value is removed.
    Remove,
    /// The value is an object, of which these members change; new members are added at the end.
    Members(Vec<(String, Patch)>),
}

impl Patch {
    /// An object without changes.
    pub const fn none() -> Self {
        Self::Members(Vec::new())
    }

    /// The patch of a member, to be filled in; it is created if it does not exist.
    pub fn member(&mut self, key: &str) -> &mut Self {
        if !matches!(self, Self::Members(_)) {
            *self = Self::none();
        }
        let Self::Members(members) = self else { unreachable!("it was made one") };
        let index = members.iter().position(|(name, _)| name == key).unwrap_or_else(|| {
            members.push((key.to_owned(), Self::none()));
            members.len() - 1
        });
        &mut members[index].1
    }

    /// Sets a member.
    pub fn set(&mut self, key: &str, value: impl Into<Json>) {
        *self.member(key) = Self::Set(value.into());
    }

    /// The value that this patch creates if there was none; `None` if it removes the value.
    fn made(&self) -> Option<Json> {
        match self {
            Self::Set(value) => Some(value.clone()),
            Self::Remove => None,
            Self::Members(members) => {
                Some(Json::Object(members.iter().filter_map(|(key, patch)| Some((key.clone(), patch.made()?))).collect()))
            }
        }
    }
}

/// The text with the changes. `root` is the result of [`parse`](super::parse) for it.
pub fn apply(text: &str, root: &Node, patch: &Patch) -> String {
    let mut writer =
        Writer { text, unit: unit(text, root), line_end: if text.contains("\r\n") { "\r\n" } else { "\n" }, out: String::new() };
    writer.out.reserve(text.len() + 1024);
    writer.out.push_str(&text[..root.span.start as usize]);
    writer.node(root, patch, 0);
    writer.out.push_str(&text[root.span.end as usize..]);
    writer.out
}

/// The indentation of one level: that of the first member.
fn unit<'t>(text: &'t str, root: &Node) -> &'t str {
    let first = root.members().and_then(<[Member]>::first);
    let blank = first.map_or("", |first| &text[root.span.start as usize + 1..first.key_span.start as usize]);
    match blank.rsplit_once('\n') {
        Some((_, unit)) if !unit.is_empty() => unit,
        _ => "  ",
    }
}

struct Writer<'t> {
    text: &'t str,
    unit: &'t str,
    line_end: &'static str,
    out: String,
}

impl<'t> Writer<'t> {
    fn slice(&self, from: u32, to: u32) -> &'t str {
        &self.text[from as usize..to as usize]
    }

    fn node(&mut self, node: &Node, patch: &Patch, depth: usize) {
        match (patch, &node.kind) {
            (Patch::Members(changes), Kind::Object(members)) => self.object(node, members, changes, depth),
            (Patch::Set(value), _) if to_json(node) == *value => self.out.push_str(self.slice(node.span.start, node.span.end)),
            (patch, _) => {
                let style = Style::Lines;
                self.value(&patch.made().unwrap_or(Json::Null), style, depth);
            }
        }
    }

    fn object(&mut self, node: &Node, members: &[Member], changes: &[(String, Patch)], depth: usize) {
        // Of several members with the same name, the last one is used.
        let index =
            changes.iter().enumerate().map(|(at, (key, _))| (key.as_str(), at)).collect::<std::collections::HashMap<_, _>>();
        let change_of = |key: &str| index.get(key).map(|&at| &changes[at].1);
        let mut is_old = vec![false; changes.len()];
        let inside = node.span.start + 1;
        let mut end_of_last = inside;
        let mut has_members = false;
        self.out.push('{');
        for member in members {
            if let Some(&at) = index.get(&*member.key) {
                is_old[at] = true;
            }
            let change = change_of(&member.key);
            let gap = self.slice(end_of_last, member.key_span.start);
            end_of_last = member.value.span.end;
            if matches!(change, Some(Patch::Remove)) {
                continue;
            }
            if has_members || !gap.trim_start().starts_with(',') {
                self.out.push_str(gap);
            } else {
                // All members before it were removed; their comma must be removed too.
                self.out.push_str(gap.trim_start().trim_start_matches(','));
            }
            has_members = true;
            self.out.push_str(self.slice(member.key_span.start, member.value.span.start));
            match change {
                Some(change) => self.node(&member.value, change, depth + 1),
                None => self.out.push_str(self.slice(member.value.span.start, member.value.span.end)),
            }
        }
        let style = self.style_of(node, members);
        for (at, (key, change)) in changes.iter().enumerate() {
            let Some(value) = change.made().filter(|_| !is_old[at]) else { continue };
            if has_members {
                self.out.push(',');
            }
            self.gap(style, depth + 1, has_members);
            has_members = true;
            self.key(key, style);
            self.value(&value, style, depth + 1);
        }
        if !has_members && members.is_empty() {
            self.out.push_str(self.slice(inside, node.span.end));
        } else if !has_members {
            self.out.push('}');
        } else if members.is_empty() {
            self.gap(style, depth, false);
            self.out.push('}');
        } else {
            self.out.push_str(self.slice(end_of_last, node.span.end));
        }
    }

    /// The style of a new member of this object: that of its other members.
    fn style_of(&self, node: &Node, members: &[Member]) -> Style {
        match members {
            [] if self.text.trim_end().contains('\n') || node.span.start == 0 => Style::Lines,
            [] => Style::Spaced,
            [first, rest @ ..] => {
                if self.slice(node.span.start, first.key_span.start).contains('\n') {
                    return Style::Lines;
                }
                let has_space = |from: u32, to: u32| self.slice(from, to).contains(' ');
                let before_last = rest.first().map(|second| has_space(first.value.span.end, second.key_span.start));
                let is_spaced = before_last.unwrap_or_else(|| has_space(first.key_span.end, first.value.span.start));
                if is_spaced { Style::Spaced } else { Style::Packed }
            }
        }
    }

    fn gap(&mut self, style: Style, depth: usize, is_behind_comma: bool) {
        match style {
            Style::Lines => {
                self.out.push_str(self.line_end);
                for _ in 0..depth {
                    self.out.push_str(self.unit);
                }
            }
            Style::Spaced if is_behind_comma => self.out.push(' '),
            Style::Spaced | Style::Packed => {}
        }
    }

    fn key(&mut self, key: &str, style: Style) {
        let _ = write!(self.out, "{}", Json::from(key));
        self.out.push_str(if style == Style::Packed { ":" } else { ": " });
    }

    fn value(&mut self, value: &Json, style: Style, depth: usize) {
        match value {
            Json::Object(members) if !members.is_empty() => {
                self.out.push('{');
                for (at, (key, value)) in members.iter().enumerate() {
                    if at > 0 {
                        self.out.push(',');
                    }
                    self.gap(style, depth + 1, at > 0);
                    self.key(key, style);
                    self.value(value, style, depth + 1);
                }
                self.gap(style, depth, false);
                self.out.push('}');
            }
            Json::Array(items) if !items.is_empty() => {
                self.out.push('[');
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        self.out.push(',');
                    }
                    self.gap(style, depth + 1, at > 0);
                    self.value(item, style, depth + 1);
                }
                self.gap(style, depth, false);
                self.out.push(']');
            }
            plain => {
                let _ = write!(self.out, "{plain}");
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    /// Each member on its own line.
    Lines,
    /// On one line, with spaces after commas and colons.
    Spaced,
    /// Without any spaces.
    Packed,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{super::parse, Patch, apply};

    fn patched(text: &str, change: impl FnOnce(&mut Patch)) -> String {
        let mut patch = Patch::none();
        change(&mut patch);
        apply(text, &parse(text).expect("JSON"), &patch)
    }

    #[test]
    fn only_changed_members_are_rewritten() {
        let text = "{\n    \"a\": 1.50,\n    \"b\": {\n        \"x\": [1,  2],\n        \"y\": \"\\u00e9\"\n    }\n}\n\n";
        assert_eq!(patched(text, |_| {}), text);
        assert_eq!(patched("{ \n}", |patch| *patch.member("a") = Patch::Remove), "{ \n}");
        assert_eq!(patched(text, |patch| patch.set("b", json!({"x": [1, 2], "y": "é"}))), text, "it is that already");
        let expected = text.replace("\"\\u00e9\"\n", "\"\\u00e9\",\n        \"z\": {\n            \"n\": null\n        }\n");
        assert_eq!(patched(text, |patch| patch.member("b").set("z", json!({"n": null}))), expected);
        assert_eq!(patched(text, |patch| patch.set("a", 2)), text.replace("1.50", "2"));
    }

    #[test]
    fn a_new_member_is_written_as_those_beside_it() {
        assert_eq!(patched("{\"a\":1}", |patch| patch.set("b", json!({"c": 2}))), "{\"a\":1,\"b\":{\"c\":2}}");
        assert_eq!(patched("{\"a\": 1}\n", |patch| patch.set("b", 2)), "{\"a\": 1, \"b\": 2}\n");
        assert_eq!(patched("{}", |patch| patch.set("b", 2)), "{\n  \"b\": 2\n}");
        assert_eq!(
            patched("{\r\n\t\"a\": {}\r\n}", |patch| patch.member("a").set("b", 2)),
            "{\r\n\t\"a\": {\r\n\t\t\"b\": 2\r\n\t}\r\n}"
        );
        let notes = "{\n  \"versions\": {\n    \"v1\": {\"created\": \"2026\", \"notes\": \"x\"}\n  }\n}\n";
        let new = patched(notes, |patch| patch.member("versions").member("v1").set("sha256", "ab"));
        assert_eq!(new, notes.replace("\"x\"", "\"x\", \"sha256\": \"ab\""));
    }

    #[test]
    fn members_are_removed_with_their_commas() {
        let text = "{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}\n";
        let without = |keys: &[&str]| patched(text, |patch| keys.iter().for_each(|key| *patch.member(key) = Patch::Remove));
        assert_eq!(without(&["a"]), "{\n  \"b\": 2,\n  \"c\": 3\n}\n");
        assert_eq!(without(&["b"]), "{\n  \"a\": 1,\n  \"c\": 3\n}\n");
        assert_eq!(without(&["c"]), "{\n  \"a\": 1,\n  \"b\": 2\n}\n");
        assert_eq!(without(&["a", "b"]), "{\n  \"c\": 3\n}\n");
        assert_eq!(without(&["a", "b", "c", "d"]), "{}\n");
    }
}
