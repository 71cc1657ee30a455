//! What stands before the lines of a log, learned from one of them: any program can write something of its own before each line.

/// A prefix in which numbers may differ from line to line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shape(Box<str>);

/// A longer text before a line is no prefix, in bytes.
const LONGEST: usize = 256;

impl Shape {
    /// The shape of a prefix; `None` if it is blank or too long to be one.
    pub(crate) fn of(prefix: &str) -> Option<Self> {
        // The lines at the left of an exception group are no prefix.
        let is_blank = prefix.trim_matches([' ', '\t', '|', '+', '-']).is_empty();
        (!is_blank && prefix.len() <= LONGEST).then(|| Self(prefix.into()))
    }

    /// A line without its prefix; `None` if it has another one.
    pub(crate) fn strip<'l>(&self, line: &'l str) -> Option<&'l str> {
        let (mut prefix, mut rest) = (&*self.0, line);
        while let Some(next) = prefix.chars().next() {
            if next.is_ascii_digit() {
                let behind = rest.trim_start_matches(|c: char| c.is_ascii_digit());
                if behind.len() == rest.len() {
                    return None;
                }
                (prefix, rest) = (prefix.trim_start_matches(|c: char| c.is_ascii_digit()), behind);
            } else if let Some(behind) = rest.strip_prefix(next) {
                (prefix, rest) = (&prefix[next.len_utf8()..], behind);
            } else {
                // Blanks at the end of an empty line are often lost.
                return (rest.is_empty() && prefix.trim().is_empty()).then_some(rest);
            }
        }
        Some(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::Shape;

    #[test]
    fn numbers_of_a_prefix_may_differ() {
        let shape = Shape::of("<7> worker/3 12:01 -> ").expect("a shape");
        assert_eq!(shape.strip("<1> worker/12 9:59 ->   File \"x\""), Some("  File \"x\""));
        assert_eq!(shape.strip("<1> worker/12 9:59 ->"), Some(""));
        assert_eq!(shape.strip("<1> worker/x 9:59 -> x"), None);
        assert_eq!(shape.strip("x"), None);
        assert_eq!((Shape::of("  | "), Shape::of("  +-+ "), Shape::of(&"x".repeat(300))), (None, None, None));
    }
}
