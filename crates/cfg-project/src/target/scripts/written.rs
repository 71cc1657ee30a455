//! Forms of scripts and recipes in which prime-rl is written otherwise than in a command of a shell.

use std::borrow::Cow;

use super::super::reference;
use crate::scripts::is_python;

/// The beginning and the end of the metadata of a script (PEP 723).
const METADATA: (&str, &str) = ("# /// script", "# ///");

/// A text whose references to variables are all written as in a shell, and of a source of Python only what its metadata states.
pub(super) fn as_shell<'t>(name: &str, text: &'t str) -> Cow<'t, str> {
    if is_python(name) && name != "setup.py" {
        return Cow::Owned(metadata(text));
    }
    if !text.contains("$(") && !text.contains("{{") {
        return Cow::Borrowed(text);
    }
    let mut all = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['$', '{']) {
        let (before, behind) = rest.split_at(at);
        all.push_str(before);
        match reference_in(behind) {
            Some((name, length)) => {
                all.push_str("${");
                all.push_str(name);
                all.push('}');
                rest = &behind[length..];
            }
            None => {
                all.push_str(&behind[..1]);
                rest = &behind[1..];
            }
        }
    }
    all.push_str(rest);
    Cow::Owned(all)
}

/// The name in `$(NAME)` of a `Makefile` or `{{NAME}}` of a `justfile` at the beginning of a text, and the length of the reference.
fn reference_in(text: &str) -> Option<(&str, usize)> {
    let (open, close) = [("$(", ")"), ("{{", "}}")].into_iter().find(|(open, _)| text.starts_with(open))?;
    let inside = &text[open.len()..];
    let blanks = inside.len() - inside.trim_start_matches(' ').len();
    let name = inside[blanks..].split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').next()?;
    let behind = inside[blanks + name.len()..].trim_start_matches(' ');
    let length = text.len() - behind.strip_prefix(close)?.len();
    (!name.is_empty()).then_some((name, length))
}

/// The lines of the metadata of a script, without their marks, in their places.
fn metadata(text: &str) -> String {
    let mut is_inside = false;
    let line = |line: &str| {
        let was_inside = is_inside;
        is_inside = if is_inside { line.trim_end() != METADATA.1 } else { line.trim_end() == METADATA.0 };
        if was_inside && is_inside { format!("{}\n", line.trim_start_matches('#')) } else { "\n".to_owned() }
    };
    text.lines().map(line).collect()
}

/// A checkout by a step of a workflow: `repository: PrimeIntellect-ai/prime-rl`, with `ref: v0.6.0` beside it.
#[derive(Default)]
pub(super) struct Step {
    indent: usize,
    is_of_prime_rl: bool,
    revision: Option<(u32, String)>,
}

impl Step {
    /// Takes a line of a workflow; the revision and its line, once both are known.
    pub(super) fn line(&mut self, number: u32, line: &str) -> Option<(u32, String)> {
        let inside = line.trim_start();
        let (key, value) = inside.split_once(": ")?;
        let indent = line.len() - inside.len();
        if indent != self.indent {
            *self = Self { indent, ..Self::default() };
        }
        let value = value.split(" #").next().unwrap_or(value).trim().trim_matches(['"', '\'']);
        match key {
            "repository" => self.is_of_prime_rl = reference::names_prime_rl(value),
            "ref" => self.revision = Some((number, value.to_owned())),
            _ => {}
        }
        self.is_of_prime_rl.then(|| self.revision.take()).flatten()
    }
}

/// The tag of an image of prime-rl: `ghcr.io/primeintellect-ai/prime-rl:v0.6.0`.
pub(super) fn tag_of_image(word: &str) -> Option<&str> {
    let (image, tag) = word.rsplit_once(':').filter(|(image, tag)| !image.contains(':') && !tag.contains('/'))?;
    let tag = tag.split('@').next()?;
    (image.contains('/') && reference::names_prime_rl(image)).then_some(tag)
}

#[cfg(test)]
mod tests {
    use super::{as_shell, tag_of_image};

    #[test]
    fn references_are_written_as_in_a_shell() {
        for (text, wanted) in [
            ("a $(B) $C {{d}} {{ e }}", "a ${B} $C ${d} ${e}"),
            ("$(shell x) {{ f(g) }} {{", "$(shell x) {{ f(g) }} {{"),
            ("é$(B", "é$(B"),
        ] {
            assert_eq!(as_shell("Makefile", text), wanted);
        }
        assert_eq!(as_shell("a.py", "x\n# /// script\n# a = 1\n# ///\n# y\n"), "\n\n a = 1\n\n\n");
    }

    #[test]
    fn an_image_of_prime_rl_has_a_tag() {
        assert_eq!(tag_of_image("ghcr.io/primeintellect-ai/prime-rl:v0.6.0"), Some("v0.6.0"));
        for word in ["host:prime-rl", "prime-rl:v1", "a/prime-rl", "https://a/prime-rl:80/x", "localhost:5000/prime-rl"] {
            assert_eq!(tag_of_image(word), None, "{word}");
        }
    }
}
