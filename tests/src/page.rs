//! Parts of pages that tests write.

use std::{env, fs};

use crate::workspace;

/// Compares the part of a page between `<!-- NAME -->` and `<!-- end of NAME -->` with what it should be, or writes it if the variable `UPDATE` is set.
///
/// # Panics
/// If it differs, with the command that writes it; and if the page has no such part.
pub fn compare_part(page: &str, name: &str, part: &str, command: &str) {
    let (begin, end) = (format!("<!-- {name} -->\n"), format!("<!-- end of {name} -->\n"));
    let file = workspace().join(page);
    let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{page}: {error}"));
    let (head, rest) = text.split_once(&begin).unwrap_or_else(|| panic!("{page} has no {begin}"));
    let (_, tail) = rest.split_once(&end).unwrap_or_else(|| panic!("{page} has no {end}"));
    let new = format!("{head}{begin}{part}{end}{tail}");
    if env::var_os("UPDATE").is_some() {
        fs::write(&file, new).expect("the page can be written");
    } else {
        assert!(new == text, "the {name} of {page} differ: run `UPDATE=1 {command}`");
    }
}
