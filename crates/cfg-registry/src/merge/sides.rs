//! The sides of a text with the marks of a conflict.

/// The texts of both sides of a conflict, and of their common ancestor if the marks show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sides {
    /// The common ancestor, as far as the marks show it.
    pub base: Option<String>,
    /// The upper side.
    pub ours: String,
    /// The lower side.
    pub theirs: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum In {
    Both,
    Ours,
    Base,
    Theirs,
}

/// The sides of a text; `None` if it has no marks, or they are not in order.
pub fn sides(text: &str) -> Option<Sides> {
    let mut sides = Sides { base: None, ours: String::new(), theirs: String::new() };
    let (mut base, mut is_base_shown, mut conflicts) = (String::new(), true, 0);
    let mut at = In::Both;
    for line in text.split_inclusive('\n') {
        let is_mark = |mark: &str| {
            let rest = line.trim_end_matches(['\n', '\r']).strip_prefix(mark);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        };
        match at {
            In::Both if is_mark("<<<<<<<") => (at, conflicts) = (In::Ours, conflicts + 1),
            In::Ours if is_mark("|||||||") => at = In::Base,
            In::Ours if is_mark("=======") => (at, is_base_shown) = (In::Theirs, false),
            In::Base if is_mark("=======") => at = In::Theirs,
            In::Theirs if is_mark(">>>>>>>") => at = In::Both,
            In::Both if is_mark(">>>>>>>") => return None,
            _ if is_mark("<<<<<<<") => return None,
            In::Both => {
                base.push_str(line);
                sides.ours.push_str(line);
                sides.theirs.push_str(line);
            }
            In::Ours => sides.ours.push_str(line),
            In::Base => base.push_str(line),
            In::Theirs => sides.theirs.push_str(line),
        }
    }
    if at != In::Both || conflicts == 0 {
        return None;
    }
    sides.base = is_base_shown.then_some(base);
    Some(sides)
}

#[cfg(test)]
mod tests {
    use super::sides;

    #[test]
    fn the_sides_of_a_conflict_are_read() {
        let plain = sides("a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> x\nd\n").expect("two sides");
        assert_eq!((plain.base, &*plain.ours, &*plain.theirs), (None, "a\nb\nd\n", "a\nc\nd\n"));
        let shown = sides("<<<<<<< HEAD\nb\n||||||| 0\no\n=======\nc\n>>>>>>> x\n").expect("three sides");
        assert_eq!((shown.base.as_deref(), &*shown.ours, &*shown.theirs), (Some("o\n"), "b\n", "c\n"));
        for none in ["a\n", "<<<<<<< HEAD\n", "<<<<<<< a\n<<<<<<< b\n=======\n>>>>>>> c\n", ">>>>>>> x\n"] {
            assert_eq!(sides(none), None, "{none}");
        }
    }
}
