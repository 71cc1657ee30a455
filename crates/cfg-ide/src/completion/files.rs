//! Configs that `toml_files`, or a group of the settings, could name.

use cfg_diag::Span;

use super::{Item, ItemKind, sort, values::value, whole_word};
use crate::{
    Analysis,
    context::{Context, context, is_closed_string},
    place::PathSegment,
};

/// The names of a folder's entries, those of folders with a trailing `/`. The folder is relative to the file, as in `toml_files`.
pub type Listing<'a> = &'a dyn Fn(&str) -> Vec<String>;

/// The configs and folders that could be named at a byte offset; empty outside `toml_files`. In a file with settings, `settings` is their table, and a
/// config is named by a component of a `[[group]]`.
pub fn complete_files(analysis: &Analysis, settings: Option<&[&str]>, offset: u32, list: Listing<'_>) -> Vec<Item> {
    let Some(Context::Value { path, span, .. }) = context(&analysis.document, &analysis.text, offset) else { return Vec::new() };
    let word = &analysis.text[span.range()];
    let detail = match settings {
        Some(table) if is_of_group(&path, table) => "a config of this run",
        None if is_of_overlay(&path) => "a config to use as a base of this one",
        _ => return Vec::new(),
    };
    if is_closed_string(word) {
        return Vec::new();
    }
    let quote = if word.starts_with('\'') { '\'' } else { '"' };
    let written = word.trim_start_matches(['"', '\'']);
    let folder = written.rfind('/').map_or("", |slash| &written[..=slash]);
    let span = whole_word(&analysis.text, span);
    let mut names = list(folder);
    if folder.is_empty() || folder.ends_with("../") {
        names.push("../".to_owned());
    }
    // Other names would need escapes.
    names.retain(|name| !name.contains([quote, '\\']) && !name.chars().any(char::is_control));
    let mut items: Vec<Item> = names.iter().map(|name| item(quote, folder, name, detail, span)).collect();
    sort(&mut items);
    items
}

/// Whether a path is that of an item of `toml_files`.
fn is_of_overlay(path: &[PathSegment]) -> bool {
    matches!(path, [PathSegment::Key(key), PathSegment::Index(_)] if **key == *"toml_files")
}

/// Whether a path is that of a component of a group, in a file whose settings are in a table.
fn is_of_group(path: &[PathSegment], table: &[&str]) -> bool {
    let Some((above, own)) = path.split_at_checked(table.len()) else { return false };
    let is_named = |(step, name): (&PathSegment, &&str)| matches!(step, PathSegment::Key(key) if **key == **name);
    let is_component = |key: &str| matches!(key, "trainer" | "orchestrator" | "inference");
    above.iter().zip(table).all(is_named)
        && matches!(own, [PathSegment::Key(group), PathSegment::Index(_), PathSegment::Key(key)] if **group == *"group" && is_component(key))
}

fn item(quote: char, folder: &str, name: &str, of_config: &'static str, span: Span) -> Item {
    let text = format!("{quote}{folder}{name}{quote}");
    let (detail, rank) = match name {
        "../" => ("a folder", 3),
        _ if name.ends_with('/') => ("a folder", 2),
        _ => (of_config, 1),
    };
    // After a folder the name continues.
    let cursor = name.ends_with('/').then(|| text.len() - quote.len_utf8());
    Item { cursor, ..value(text, detail, ItemKind::Value, span, rank) }
}

#[cfg(test)]
mod tests {
    use super::complete_files;
    use crate::testing::with_cursor;

    fn offered(text: &str) -> Vec<(String, Option<usize>)> {
        offered_in(None, text)
    }

    fn offered_in(settings: Option<&[&str]>, text: &str) -> Vec<(String, Option<usize>)> {
        let (analysis, offset) = with_cursor(text);
        let list = |folder: &str| match folder {
            "" => vec!["base.toml".to_owned(), "parts/".to_owned(), "a\"b.toml".to_owned()],
            "parts/" => vec!["long.toml".to_owned()],
            _ => Vec::new(),
        };
        let items = complete_files(&analysis, settings, offset, &list);
        items.into_iter().map(|item| (item.insert, item.cursor)).collect()
    }

    #[test]
    fn an_overlay_completes_neighbouring_files() {
        let beside = [("\"base.toml\"".to_owned(), None), ("\"parts/\"".to_owned(), Some(7)), ("\"../\"".to_owned(), Some(4))];
        for text in ["toml_files = [\"^\"]\n", "toml_files = [\"^", "toml_files = [\n  \"x.toml\",\n  \"b^\n]\n[orchestrator]\n"]
        {
            assert_eq!(offered(text), beside, "{text}");
        }
        assert_eq!(offered("toml_files = ['parts/lo^']\n"), [("'parts/long.toml'".to_owned(), None)]);
        assert_eq!(offered("toml_files = [\"../^\"]\n"), [("\"../../\"".to_owned(), Some(7))]);
    }

    #[test]
    fn a_group_names_configs() {
        let (settings, project) = (Some(&[][..]), Some(&["tool", "cfg"][..]));
        let base = ("\"base.toml\"".to_owned(), None);
        assert!(offered_in(settings, "[[group]]\ntrainer = \"b^\"\n").contains(&base));
        assert!(offered_in(project, "[[tool.cfg.group]]\ninference = ^\n").contains(&base));
        for text in ["target = \"^\"\n", "[[group]]\nother = \"^\"\n", "toml_files = [\"^\"]\n"] {
            assert!(offered_in(settings, text).is_empty(), "{text}");
        }
        assert!(offered_in(project, "[[group]]\ntrainer = \"^\"\n").is_empty());
    }

    #[test]
    fn other_strings_of_the_line_are_unchanged() {
        let replaced = |text: &str| {
            let (analysis, offset) = with_cursor(text);
            let items = complete_files(&analysis, None, offset, &|_| vec!["x.toml".to_owned()]);
            items.first().map(|item| analysis.text[item.span.range()].to_owned())
        };
        assert_eq!(replaced("toml_files = [\"a.toml\"^, \"b.toml\"]\n"), None);
        assert_eq!(replaced("toml_files = [\"a.toml\"^] # a \"note\"\n"), None);
        assert_eq!(replaced("toml_files = [\"^, \"b.toml\"]\n").as_deref(), Some("\""));
        assert_eq!(replaced("toml_files = [\"a^.toml\", \"b.toml\"]\n").as_deref(), Some("\"a.toml\""));
    }

    #[test]
    fn no_other_key_is() {
        assert!(offered("output_dir = \"^\"\n[orchestrator]\n").is_empty());
        assert!(offered("toml_files = ^\n").is_empty() && offered("toml_files = \"^\"\n").is_empty(), "it is an array");
        assert!(offered("[orchestrator]\ntoml_files = [\"^\"]\n").is_empty(), "it counts at the top alone");
    }
}
