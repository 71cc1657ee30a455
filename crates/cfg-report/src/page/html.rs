//! Writes HTML: markup is always a text of this program, and all other text is escaped.

use std::fmt::Display;

use cfg_diag::one_line;

/// A document while it is written.
#[derive(Default)]
pub(super) struct Html(String);

impl Html {
    /// Markup. Because it is `'static`, it can't be text from a file.
    pub(super) fn raw(&mut self, markup: &'static str) -> &mut Self {
        self.0.push_str(markup);
        self
    }

    /// A text of any origin, within an element or a quoted attribute; control characters are made visible.
    pub(super) fn text(&mut self, text: &str) -> &mut Self {
        self.escaped(&one_line(text))
    }

    /// A text of several lines, for a `pre`.
    pub(super) fn lines(&mut self, text: &str) -> &mut Self {
        for (number, line) in text.lines().enumerate() {
            if number > 0 {
                self.0.push('\n');
            }
            self.text(line);
        }
        self
    }

    /// A number, or words of this program with numbers in them.
    pub(super) fn shown(&mut self, value: impl Display) -> &mut Self {
        self.text(&value.to_string())
    }

    /// A coordinate.
    pub(super) fn at(&mut self, value: f64) -> &mut Self {
        let text = format!("{value:.1}");
        self.0.push_str(text.strip_suffix(".0").unwrap_or(&text));
        self
    }

    /// `<TAG>text</TAG>`, with the tag's attributes in `open`.
    pub(super) fn element(&mut self, open: &'static str, text: &str, close: &'static str) -> &mut Self {
        self.raw(open).text(text).raw(close)
    }

    pub(super) fn into_text(self) -> String {
        self.0
    }

    fn escaped(&mut self, text: &str) -> &mut Self {
        for character in text.chars() {
            match character {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                '\'' => self.0.push_str("&#39;"),
                hazard if cfg_diag::is_hazard(hazard) => self.0.push('\u{fffd}'),
                other => self.0.push(other),
            }
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::Html;

    #[test]
    fn untrusted_text_is_escaped_in_html() {
        let mut html = Html::default();
        html.raw("<p title=\"")
            .text("a\" onload='x' \u{1b}[31m\u{202e}")
            .raw("\">")
            .text("<script>&amp;\n\0</script>")
            .raw("</p>");
        let text = html.into_text();
        assert!(!text.contains("<script") && !text.contains("a\" "), "{text}");
        assert!(text.chars().all(|character| !cfg_diag::is_hazard(character)), "{text:?}");
        assert!(text.contains("a&quot; onload=&#39;x&#39;") && text.contains("&lt;script&gt;&amp;amp;"), "{text}");
    }
}
