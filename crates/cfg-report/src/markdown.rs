//! Foreign text in Markdown.

/// A text as code in a line of Markdown, also in a table: nothing in it is read as Markdown or HTML, and nobody is mentioned.
pub fn code(text: &str) -> String {
    let text = cfg_diag::one_line(text).replace('|', "\\|");
    let longest = text.split(|character| character != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let gap = if text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']) || text.is_empty() { " " } else { "" };
    format!("{fence}{gap}{text}{gap}{fence}")
}

#[cfg(test)]
mod tests {
    use super::code;

    #[test]
    fn nothing_leaves_the_code() {
        assert_eq!(code("lr = 1e-5"), "`lr = 1e-5`");
        assert_eq!(code("a|b\n<img src=x> @all"), "`a\\|b <img src=x> @all`");
        assert_eq!(code("``x`"), "``` ``x` ```");
        assert_eq!(code(""), "`  `");
    }
}
