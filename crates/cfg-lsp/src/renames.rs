//! The edits that are necessary when a config gets another path: in files that name it in `toml_files` or `based_on`, the registry, and the
//! settings.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use cfg_diag::{LineIndex, Span};
use cfg_ide::{LeadsTo, document_links, path_of};
use cfg_system::Role;
use tower_lsp_server::ls_types as lsp;

use crate::{
    convert, files,
    surroundings::AnalyzedText,
    workspace::{Workspace, for_each},
};

/// A file or a folder with its new path.
pub(crate) struct Renamed {
    pub(crate) old: PathBuf,
    pub(crate) new: PathBuf,
}

impl Renamed {
    /// The new path of the file at `path`; `None` if it is not affected.
    fn new_path(&self, path: &Path) -> Option<PathBuf> {
        let below = path.strip_prefix(&self.old).ok()?;
        Some(if below.as_os_str().is_empty() { self.new.clone() } else { self.new.join(below) })
    }
}

/// The files besides configs whose strings may be paths: the registry, and the settings with their groups.
const OF_PROJECT: [&str; 2] = ["registry.json", "cfg.toml"];

/// The edits that keep all references valid.
pub(crate) fn edits(workspace: &Workspace, renamed: &[Renamed]) -> lsp::WorkspaceEdit {
    let new_path = |path: &Path| renamed.iter().find_map(|renamed| renamed.new_path(path));
    let mut changes: HashMap<lsp::Uri, Vec<lsp::TextEdit>> = HashMap::new();
    let mut add = |path: &Path, edits: Vec<lsp::TextEdit>| {
        if let Some(uri) = lsp::Uri::from_file_path(path).filter(|_| !edits.is_empty()) {
            changes.entry(uri).or_default().extend(edits);
        }
    };
    let configs = workspace.files();
    let of_config = |path: &PathBuf| of_config(workspace, path, &new_path);
    for_each(&configs, &of_config, &mut |at, edits, _| add(&configs[at], edits));
    let mut folders: Vec<&Path> = renamed.iter().flat_map(|renamed| cfg_system::around(&renamed.old).skip(1)).collect();
    folders.sort_unstable();
    folders.dedup();
    for folder in folders {
        for name in OF_PROJECT {
            let path = folder.join(name);
            // Files above the repository are not changed.
            if let Some(text) = workspace.surroundings.system().text(&path, Role::Config) {
                add(&path, of_strings(workspace, folder, &text, &new_path));
            }
        }
    }
    lsp::WorkspaceEdit { changes: Some(changes), ..lsp::WorkspaceEdit::default() }
}

/// The edits of one config: of its references to moved files, and, if it is moved itself, of its references to other files.
fn of_config(workspace: &Workspace, path: &Path, new_path: &dyn Fn(&Path) -> Option<PathBuf>) -> Vec<lsp::TextEdit> {
    let text = workspace.text(path).filter(|text| text.contains("toml_files") || text.contains("based_on"));
    let Some(text) = text else { return Vec::new() };
    let own_new = new_path(path).unwrap_or_else(|| path.to_owned());
    let AnalyzedText { analysis, .. } = workspace.surroundings.analyze_found(path, text);
    let folder = path.parent().unwrap_or(path);
    let system = workspace.surroundings.system();
    let edit = |link: cfg_ide::Link| {
        let written = &analysis.text[link.span.range()];
        let new = match &link.leads_to {
            LeadsTo::Page(..) => return None,
            LeadsTo::File(named) => {
                let named = files::normal(&folder.join(named));
                files::way(&own_new, &new_path(&named).unwrap_or(named))
            }
            LeadsTo::FileOfProject(named) => {
                // The path stays relative to the same folder.
                let base = cfg_system::around(folder).find(|base| system.is_file(&files::normal(&base.join(named))))?;
                let file = files::normal(&base.join(named));
                let file = new_path(&file)?;
                let version = &written[path_of(written).len()..];
                format!("{}{version}", files::way(&base.join("x"), &file))
            }
        };
        let is_same = match &link.leads_to {
            LeadsTo::File(named) => files::normal(Path::new(named)) == files::normal(Path::new(&new)),
            _ => written == new,
        };
        let range = || convert::range(&analysis.text, &analysis.lines, link.span, workspace.encoding);
        (!is_same).then(|| lsp::TextEdit::new(range(), new))
    };
    document_links(&analysis).into_iter().filter_map(edit).collect()
}

/// The edits of a file whose strings may be paths relative to its folder, each optionally followed by a version.
fn of_strings(
    workspace: &Workspace,
    folder: &Path,
    text: &str,
    new_path: &dyn Fn(&Path) -> Option<PathBuf>,
) -> Vec<lsp::TextEdit> {
    let lines = LineIndex::new(text);
    let edit = |span: Span| {
        let written = &text[span.range()];
        let path = path_of(written);
        if path.is_empty() || path.contains('\\') {
            return None;
        }
        let new = new_path(&files::normal(&folder.join(path)))?;
        let new = format!("{}{}", files::way(&folder.join("x"), &new), &written[path.len()..]);
        Some(lsp::TextEdit::new(convert::range(text, &lines, span, workspace.encoding), new))
    };
    strings(text).into_iter().filter_map(edit).collect()
}

/// The spans of the strings in double quotes on one line, in JSON and in TOML.
fn strings(text: &str) -> Vec<Span> {
    let mut found = Vec::new();
    let mut start = None;
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match (byte, start) {
            (b'\n', _) => (start, is_escaped) = (None, false),
            (b'\\', Some(_)) => is_escaped = !is_escaped,
            (b'"', None) => start = Some(at + 1),
            (b'"', Some(from)) if !is_escaped => {
                found.push(Span::from(from..at));
                start = None;
            }
            _ => is_escaped = false,
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::strings;

    #[test]
    fn strings_are_found_in_their_lines() {
        let text = "{\"a\": \"b\\\"c\", \"open\n\"d\": \"\"}";
        let words: Vec<&str> = strings(text).into_iter().map(|span| &text[span.range()]).collect();
        assert_eq!(words, ["a", "b\\\"c", "d", ""]);
    }
}
