//! Untrusted text in Markdown.

/// A text as code in the cell of a table.
pub fn cell(text: &str) -> String {
    code(text).replace('|', "\\|")
}

/// A text as code in a line of Markdown: nothing in it is read as Markdown, HTML or a mention of a user.
pub fn code(text: &str) -> String {
    let text = cfg_diag::one_line(text);
    let longest = text.split(|character| character != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let gap = if text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']) || text.is_empty() { " " } else { "" };
    format!("{fence}{gap}{text}{gap}{fence}")
}

#[cfg(test)]
mod tests {
    use super::{cell, code};

    #[test]
    fn text_does_not_escape_the_code_span() {
        assert_eq!(code("lr = 1e-5"), "`lr = 1e-5`");
        assert_eq!(cell("a|b\n<img src=x> @all"), "`a\\|b <img src=x> @all`");
        assert_eq!(code("a|b"), "`a|b`");
        assert_eq!(code("``x`"), "``` ``x` ```");
        assert_eq!(code(""), "`  `");
    }
}
