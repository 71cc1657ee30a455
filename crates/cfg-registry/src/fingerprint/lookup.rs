//! Looks up the class of a key in the lines of `schemas/classes/`.

use std::borrow::Cow;

use cfg_schema::Kind;

use super::{Class, classes::LINES};

/// The rule of a line, for a key and for all keys below it that have no line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClassRule {
    /// It has this class.
    Is(Class),
    /// It has no class, because prime-rl copies its value to other keys, whose classes are used.
    Copied,
    /// Its keys have the classes of those in another kind's table.
    As(Kind, &'static str),
}

/// The class of a key; `None` if prime-rl copies its value to other keys, which are used instead.
///
/// `path` is dotted, without indices and variants: `orchestrator.env.args`. A key without a line has the class training, because it must be assumed
/// to affect the result.
pub fn class_of(kind: Kind, path: &str) -> Option<Class> {
    let mut kind = kind;
    let mut path = Cow::Borrowed(path);
    // A line may refer to another kind, whose line may refer to a third one. A test ensures that there is no cycle, so there are at most as
    // many steps as kinds.
    for _ in Kind::ALL {
        match line(kind, &path) {
            Some((_, ClassRule::Is(class))) => return Some(class),
            Some((_, ClassRule::Copied)) => return None,
            Some((above, ClassRule::As(other, place))) => {
                let rest = path.get(above..).unwrap_or_default();
                path = Cow::Owned(format!("{place}{rest}").trim_start_matches('.').to_owned());
                kind = other;
            }
            None => return Some(Class::Training),
        }
    }
    Some(Class::Training)
}

/// The closest line for a path, and the length of the line's path: the line of the key itself, or else of the nearest table that contains it.
pub(super) fn line(kind: Kind, path: &str) -> Option<(usize, ClassRule)> {
    let lines = LINES.get(kind.entrypoint() as usize)?;
    let mut key = path;
    loop {
        if let Ok(at) = lines.binary_search_by(|(line, _)| (*line).cmp(key)) {
            return Some((key.len(), lines.get(at)?.1));
        }
        key = &key[..key.rfind('.')?];
    }
}

#[cfg(test)]
mod tests {
    use cfg_schema::{History, Kind, Node};

    use super::{ClassRule, class_of, line};
    use crate::fingerprint::{Class, classes::LINES};

    #[test]
    fn a_key_has_the_class_of_the_nearest_line() {
        assert_eq!(class_of(Kind::Rl, "trainer.optim.lr"), Some(Class::Training));
        assert_eq!(class_of(Kind::Rl, "trainer.model.tp"), Some(Class::Resources));
        assert_eq!(class_of(Kind::Rl, "orchestrator.env.args.mode"), Some(Class::Training));
        assert_eq!(class_of(Kind::Rl, "orchestrator.env.address"), Some(Class::Operations));
        assert_eq!(class_of(Kind::Rl, "teacher_inference.model.max_model_len"), Some(Class::Training));
        assert_eq!(class_of(Kind::Rl, "seq_len"), None);
        assert_eq!(class_of(Kind::Sft, "model.ac.freq"), Some(Class::Resources));
        assert_eq!(class_of(Kind::Trainer, "wandb.name"), Some(Class::Operations));
        assert_eq!(class_of(Kind::Trainer, "a_key_of_tomorrow"), Some(Class::Training));
    }

    /// `(kind, path, line)` of every field of every kind that exists at any point.
    fn fields() -> Vec<(Kind, String)> {
        fn collect(node: Node, kind: Kind, path: &str, fields: &mut Vec<(Kind, String)>) {
            for child in node.children() {
                let Some(name) = child.field_name() else {
                    collect(child, kind, path, fields);
                    continue;
                };
                let path = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
                let is_leaf = child.children().next().is_none();
                if is_leaf && child.intervals().any(|interval| !interval.is_hidden()) {
                    fields.push((kind, path.clone()));
                }
                collect(child, kind, &path, fields);
            }
        }
        let mut all = Vec::new();
        for kind in Kind::ALL {
            collect(History::built_in().root(kind), kind, "", &mut all);
        }
        all
    }

    #[test]
    fn every_field_of_every_kind_at_every_point_has_a_class() {
        let fields = fields();
        assert!(fields.len() > 2000, "{}", fields.len());
        let mut unknown: Vec<String> = Vec::new();
        for (kind, path) in fields {
            let mut place = (kind, path.clone());
            while let Some((above, ClassRule::As(other, owner))) = line(place.0, &place.1) {
                place = (other, format!("{owner}{}", &place.1[above..]).trim_start_matches('.').to_owned());
            }
            if line(place.0, &place.1).is_none() {
                unknown.push(format!("{kind}:{path}"));
            }
        }
        assert!(unknown.is_empty(), "taken for training until schemas/classes says what they are about: {unknown:?}");
    }

    #[test]
    fn the_lines_are_sorted_and_redirect_at_most_once() {
        for (kind, lines) in Kind::ALL.into_iter().zip(LINES) {
            assert!(lines.is_sorted_by(|one, other| one.0 < other.0), "{kind}");
            for (key, says) in lines {
                if let ClassRule::As(other, _) = says {
                    assert_ne!(*other, kind, "{key}");
                    assert!(matches!(kind, Kind::Rl | Kind::Sft), "{key}: only what is made of others shares their keys");
                }
            }
        }
    }
}
