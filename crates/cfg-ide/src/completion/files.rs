//! Files that a value can name: configs in `toml_files` and in a group of the settings, and those that a run reads or writes.

use cfg_diag::Span;
use cfg_schema::{Behaviour, FieldType, Kind, TypeKind};

use super::{Item, ItemKind, known, sort, spacing, values::value, whole_value, whole_word};
use crate::{
    Analysis,
    context::{Context, context, is_closed_string},
    intended_path::IntendedPath,
    place::{self, PathSegment},
};

/// What a listing has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listed {
    /// Configs, in a folder relative to the file.
    Configs,
    /// All files, in a folder relative to that in which runs are started. Of no folder, those beside the file belong to it, with their folders.
    FilesOfRun,
}

/// The names of a folder's entries, those of folders with a trailing `/`.
pub type Listing<'a> = &'a dyn Fn(Listed, &str) -> Vec<String>;

/// The most files that are offered. Of more, those whose names contain what is typed come first.
pub const MOST_FILES: usize = 1000;

/// The endings of files that are templates.
const TEMPLATES: [&str; 3] = [".jinja", ".jinja2", ".j2"];

/// The files and folders that could be named at a byte offset; empty where no file is named. In a file with settings, `settings` is their table, and a
/// config is named by a component of a `[[group]]`.
pub fn complete_files(analysis: &Analysis, settings: Option<&[&str]>, offset: u32, list: Listing<'_>) -> Vec<Item> {
    let Some(Context::Value { path, span, open }) = context(&analysis.document, &analysis.text, offset) else {
        return Vec::new();
    };
    let word = &analysis.text[span.range()];
    let (detail, listed) = match settings {
        Some(table) if is_of_group(&path, table) => ("a config of this run", Listed::Configs),
        None if is_of_overlay(&path) => ("a config to use as a base of this one", Listed::Configs),
        None if names_file(analysis, &path, word) => ("relative to the folder in which the run is started", Listed::FilesOfRun),
        _ => return Vec::new(),
    };
    if is_closed_string(word) {
        return Vec::new();
    }
    let whole = match listed {
        Listed::Configs => Some(whole_word(&analysis.text, span)),
        Listed::FilesOfRun => whole_value(analysis, &path, span),
    };
    let Some(span) = whole else { return Vec::new() };
    let quote = if word.starts_with('\'') { '\'' } else { '"' };
    let written = word.trim_start_matches(['"', '\'']);
    let folder = written.rfind('/').map_or("", |slash| &written[..=slash]);
    let mut names = list(listed, folder);
    if folder.is_empty() && listed == Listed::Configs || folder.ends_with("../") {
        names.push("../".to_owned());
    }
    let only_folders = listed == Listed::FilesOfRun && !names_template(&path) && is_folder(&path);
    names.retain(|name| {
        // Other names would need escapes.
        let is_plain = !name.contains([quote, '\\']) && !name.chars().any(char::is_control);
        is_plain && (!only_folders || name.ends_with('/'))
    });
    let is_template = |name: &str| names_template(&path) && TEMPLATES.iter().any(|ending| name.ends_with(ending));
    if names.len() > MOST_FILES {
        let typed = written[folder.len()..].trim_end_matches(quote);
        names.sort_by_cached_key(|name| (!name.contains(typed), !is_template(name), name.clone()));
        names.truncate(MOST_FILES);
    }
    let ranked = |name: &String| {
        let item = item(quote, folder, name, detail, span);
        if is_template(name) { Item { rank: 0, ..item } } else { item }
    };
    let mut items: Vec<Item> = names.iter().map(ranked).collect();
    items.iter_mut().for_each(|item| spacing::set_off(item, &analysis.text, open.as_ref()));
    sort(&mut items);
    items
}

/// Whether the value at a path, of which `word` is typed, can be the path of a file that a run reads or writes.
fn names_file(analysis: &Analysis, path: &[PathSegment], word: &str) -> bool {
    let meant = IntendedPath::at(analysis, path);
    if names_template(path) {
        // The tokenizers of an older prime-rl take the text itself.
        let is_of_server = meant.schema.kind == Kind::Inference
            || matches!(&*meant.path, [PathSegment::Key(first), ..] if **first == *"inference");
        return is_of_server || meant.schema.point.has(Behaviour::ChatTemplateFromFile);
    }
    // A model is named by its repository, unless the path is clear.
    let is_written_as_path = || word.trim_start_matches(['"', '\'']).starts_with("./");
    known::is_model(path) && is_written_as_path()
        || place::types(meant.schema, &analysis.document.root, &meant.path).into_iter().any(is_path)
}

fn is_path(ty: FieldType) -> bool {
    match ty.kind() {
        TypeKind::Path => true,
        TypeKind::Union => ty.discriminator().is_none() && ty.members().any(is_path),
        _ => false,
    }
}

fn names_template(path: &[PathSegment]) -> bool {
    matches!(path.last(), Some(PathSegment::Key(key)) if **key == *"chat_template")
}

/// Whether a key names a folder.
fn is_folder(path: &[PathSegment]) -> bool {
    matches!(path.last(), Some(PathSegment::Key(key)) if key.ends_with("_dir"))
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
    // One beside the file is found by its name, too.
    let own = name.trim_end_matches('/').rsplit_once('/').map(|(_, own)| format!("{quote}{own} {text}"));
    Item { cursor, filter: own, ..value(text, detail, ItemKind::Value, span, rank) }
}

#[cfg(test)]
mod tests {
    use super::{Listed, MOST_FILES, complete_files};
    use crate::testing::with_cursor;

    fn offered(text: &str) -> Vec<(String, Option<usize>)> {
        offered_in(None, text)
    }

    fn offered_in(settings: Option<&[&str]>, text: &str) -> Vec<(String, Option<usize>)> {
        let (analysis, offset) = with_cursor(text);
        let list = |listed: Listed, folder: &str| match (listed, folder) {
            (Listed::Configs, "") => vec!["base.toml".to_owned(), "parts/".to_owned(), "a\"b.toml".to_owned()],
            (Listed::Configs, "parts/") => vec!["long.toml".to_owned()],
            (Listed::FilesOfRun, "") => vec!["notes.md".to_owned(), "templates/".to_owned(), "configs/chat.jinja".to_owned()],
            (Listed::FilesOfRun, "templates/") => vec!["qwen.jinja".to_owned()],
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
            let items = complete_files(&analysis, None, offset, &|_, _| vec!["x.toml".to_owned()]);
            items.first().map(|item| analysis.text[item.span.range()].to_owned())
        };
        assert_eq!(replaced("toml_files = [\"a.toml\"^, \"b.toml\"]\n"), None);
        assert_eq!(replaced("toml_files = [\"a.toml\"^] # a \"note\"\n"), None);
        assert_eq!(replaced("toml_files = [\"^, \"b.toml\"]\n").as_deref(), Some("\""));
        assert_eq!(replaced("toml_files = [\"a^.toml\", \"b.toml\"]\n").as_deref(), Some("\"a.toml\""));
    }

    #[test]
    fn what_a_run_reads_or_writes_is_relative_to_its_folder() {
        let of = |target: &str, text: &str| {
            let found = offered(&format!("# /// config\n# prime_rl = \"{target}\"\n# ///\n[trainer]\n[orchestrator]\n{text}"));
            found.into_iter().map(|(insert, _)| insert).collect::<Vec<_>>()
        };
        let all = ["\"configs/chat.jinja\"", "\"notes.md\"", "\"templates/\""];
        assert_eq!(of("0.8.0", "[inference.model]\nchat_template = \"^\"\n"), all);
        assert_eq!(of("0.8.0", "[inference.model]\nchat_template = ^\n"), all);
        assert_eq!(of("0.8.0", "[tokenizer]\nchat_template = \"templates/q^\"\n"), ["\"templates/qwen.jinja\""]);
        assert_eq!(of("0.8.0", "[tokenizer]\nchat_template =^\n")[0], " \"configs/chat.jinja\"");
        // There, it is the text of the template.
        assert_eq!(of("0.4.0", "[trainer.tokenizer]\nchat_template = \"^\"\n"), [""; 0]);
        assert_eq!(of("0.8.0", "[ckpt]\noutput_dir = \"^\"\n"), ["\"templates/\""]);
        assert_eq!(of("0.8.0", "[slurm]\ntemplate_path = \"n^\"\n").len(), 3);
        assert_eq!(of("0.8.0", "[model]\nname = \"Qwen/^\"\n"), [""; 0]);
        assert_eq!(of("0.8.0", "[model]\nname = \"./^\"\n"), [""; 0], "the listing has no such folder");
    }

    #[test]
    fn of_many_files_the_typed_ones_and_templates_are_offered() {
        let offered = |text: &str| {
            let (analysis, offset) = with_cursor(&format!("[inference]\n[inference.model]\n{text}"));
            let mut names: Vec<String> = (0..20_000).map(|number| format!("{number:05}.json")).collect();
            names.push("z.jinja".to_owned());
            complete_files(&analysis, None, offset, &|_, _| names.clone())
        };
        let all = offered("chat_template = \"^\"\n");
        assert_eq!((all.len(), &*all[0].label), (MOST_FILES, "\"z.jinja\""));
        let typed = offered("chat_template = \"199^\"\n");
        assert!(typed.len() == MOST_FILES && typed.iter().any(|item| item.label == "\"19999.json\""), "{}", typed.len());
    }

    #[test]
    fn no_other_key_is() {
        assert!(offered("job_name = \"^\"\n[orchestrator]\n").is_empty());
        assert!(offered("toml_files = ^\n").is_empty() && offered("toml_files = \"^\"\n").is_empty(), "it is an array");
        assert!(offered("[orchestrator]\ntoml_files = [\"^\"]\n").is_empty(), "it counts at the top alone");
    }
}
