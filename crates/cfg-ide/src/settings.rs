//! Completions and explanations in settings files, from the one description of all settings.

use std::path::Path;

use cfg_diag::{Order, Span, codes};
use cfg_memory::catalogue;
use cfg_project::{Level, Setting, SettingType, setting_at, settings_in};
use cfg_schema::{ExtraType, History, Tag};
use cfg_syntax::ValueKind;

use crate::{
    Analysis, Hover, Item, ItemKind, Next,
    completion::{Behind, MACHINES, find_by_name, is_followed, prefer_beginnings, whole_key, whole_value},
    context::{Context, context},
    place::{self, PathSegment},
    spot,
};

/// The settings that a file begins with, the most useful one first.
const FIRST: [&str; 2] = ["target", "gpu"];

/// Two names of one setting, of which a file has one.
const SAME: [&str; 2] = ["gpu", "hardware"];

/// The rank of tables, after all other settings.
const LAST: u8 = 9;

/// The table of a file that has settings: all of a `cfg.toml`, and `[tool.cfg]` of a `pyproject.toml`; `None` for another file.
pub fn settings_table(path: &Path) -> Option<&'static [&'static str]> {
    match path.file_name()?.to_str()? {
        "cfg.toml" => Some(&[]),
        "pyproject.toml" => Some(&["tool", "cfg"]),
        _ => None,
    }
}

/// The completions at a byte offset of a settings file; `table` is that of its settings.
pub fn complete_settings(analysis: &Analysis, table: &[&str], offset: u32) -> Vec<Item> {
    let root = &analysis.document.root;
    let mut items = match context(&analysis.document, &analysis.text, offset) {
        Some(Context::Key { path, span, is_inline, .. }) => {
            let span = whole_key(&analysis.text, span);
            let behind = Behind::of(&analysis.text, span.end);
            let Some(own) = own_keys(&path, table).filter(|_| behind != Behind::Other) else { return Vec::new() };
            let written = place::table(root, &path);
            let is_set = |name: &str| {
                let entry = written.and_then(|table| table.get(name));
                entry.is_some_and(|entry| !entry.key.span.touches(span.end) || !matches!(entry.value.kind, ValueKind::Missing))
            };
            let is_free =
                |setting: &&Setting| !(is_set(setting.name()) || SAME.contains(&setting.path) && SAME.into_iter().any(is_set));
            let header = (!is_inline && behind == Behind::Nothing).then(|| names(&path).join("."));
            let key = |setting: &Setting| named_key(setting, span, behind, header.as_deref());
            let fits = |setting: &&Setting| setting.name() != "*" && !(behind == Behind::Value && is_table(setting));
            let named = settings_in(&own).filter(fits).filter(is_free).map(key);
            let chosen = settings_in(&own).filter(|setting| setting.name() == "*").flat_map(|setting| {
                chosen_keys(setting).into_iter().filter(|(name, _)| !is_set(name)).map(|(name, detail)| {
                    let name = if is_bare(&name) { name } else { format!("\"{name}\"") };
                    with_value(setting, &name, detail, span, behind)
                })
            });
            named.chain(chosen).collect()
        }
        Some(Context::Header { path, span, array }) => headers(analysis, table, &path, span, array),
        Some(Context::Value { path, span, .. }) => {
            let Some(setting) = own_keys(&path, table).and_then(|own| setting_at(&own)) else { return Vec::new() };
            let is_item = matches!(path.last(), Some(PathSegment::Index(_)));
            match whole_value(analysis, &path, span) {
                Some(whole) => {
                    let mut items = values(setting, is_item, whole);
                    items.iter_mut().for_each(|item| find_by_name(item, &analysis.text[span.range()]));
                    if is_item && is_followed(&analysis.text[whole.end as usize..]) {
                        items.iter_mut().for_each(|item| item.insert.push(','));
                    }
                    items
                }
                None => Vec::new(),
            }
        }
        Some(Context::Metadata { .. } | Context::Opening { .. }) | None => Vec::new(),
    };
    items.iter_mut().for_each(|item| prefer_beginnings(item, &analysis.text, offset));
    items.order_by(|one, other| (one.rank, &one.label).cmp(&(other.rank, &other.label)));
    items
}

/// Explains the setting at a byte offset.
pub fn hover_settings(analysis: &Analysis, table: &[&str], offset: u32) -> Option<Hover> {
    let spot = spot(&analysis.document, offset)?;
    let setting = own_keys(spot.path(), table).and_then(|own| setting_at(&own))?;
    let markdown = format!("`{}`: {}\n\n{}\n", names(spot.path()).join("."), setting.ty.in_words(), setting.meaning);
    Some(Hover { span: spot.span(), markdown })
}

fn names(path: &[PathSegment]) -> Vec<&str> {
    path.iter().filter_map(|step| if let PathSegment::Key(key) = step { Some(&**key) } else { None }).collect()
}

/// The keys of a path below the table of the settings.
fn own_keys<'p>(path: &'p [PathSegment], table: &[&str]) -> Option<Vec<&'p str>> {
    let names = names(path);
    let is_below = names.len() >= table.len() && names.iter().zip(table).all(|(name, own)| name == own);
    is_below.then(|| names[table.len()..].to_vec())
}

const fn is_table(setting: &Setting) -> bool {
    matches!(setting.ty, SettingType::Table | SettingType::Tables)
}

fn is_bare(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// A key of a table: with a value to start with, or a header if `above`, the dotted table around it, can be extended by one.
fn named_key(setting: &Setting, span: Span, behind: Behind, above: Option<&str>) -> Item {
    let name = setting.name();
    let full = match above {
        Some("") | None => name.to_owned(),
        Some(above) => format!("{above}.{name}"),
    };
    let item = |insert: String| Item {
        detail: setting.ty.in_words().to_owned(),
        documentation: Some(setting.meaning),
        ..Item::new(ItemKind::Table, name, span, insert)
    };
    match (setting.ty, above) {
        (SettingType::Table, Some(_)) => Item { rank: LAST, ..item(format!("[{full}]\n")) },
        (SettingType::Tables, Some(_)) => Item { rank: LAST, ..item(format!("[[{full}]]\n")) },
        (SettingType::Table, None) => Item { rank: LAST, ..item(format!("{name} = {{}}")) },
        (SettingType::Tables, None) => Item { rank: LAST, ..item(format!("{name} = []")) },
        _ => with_value(setting, name, setting.ty.in_words().to_owned(), span, behind),
    }
}

/// A key with a value to start with.
fn with_value(setting: &Setting, name: &str, detail: String, span: Span, behind: Behind) -> Item {
    let example = match setting.ty {
        SettingType::Target => History::built_in().releases().next_back().map(|newest| format!("\"{}\"", newest.name())),
        _ => None,
    };
    let example = example.as_deref().unwrap_or(setting.example);
    // An array is composed of its items.
    let is_array = matches!(setting.ty, SettingType::Codes | SettingType::Texts);
    let example = if is_array { "[]" } else { example };
    let has_value = behind != Behind::Nothing || example.is_empty();
    let insert = if has_value { name.to_owned() } else { format!("{name} = {example}") };
    let value = insert.len().saturating_sub(example.len());
    let rank = FIRST.iter().zip(0..).find(|(first, _)| **first == setting.path).map_or(LAST - 1, |(_, rank)| rank);
    Item {
        detail,
        rank,
        documentation: Some(setting.meaning),
        stops: (!has_value && !is_array).then_some(value..insert.len()).into_iter().collect(),
        cursor: (!has_value && is_array).then_some(insert.len() - 1),
        next: if has_value { Next::Nothing } else { Next::Something },
        ..Item::new(ItemKind::Key, name, span, insert)
    }
}

/// The tables that a header can name.
fn headers(analysis: &Analysis, table: &[&str], path: &[PathSegment], span: Span, array: bool) -> Vec<Item> {
    let (whole, names) = (whole_key(&analysis.text, span), names(path));
    let rest = analysis.text[whole.end as usize..].lines().next().unwrap_or_default().trim_start();
    // What stands behind a part must be in the table that replaces it.
    let next = rest.strip_prefix('.').map(|rest| rest.split(['.', ']']).next().unwrap_or_default().trim());
    let close = if rest.starts_with([']', '.']) {
        ""
    } else if array {
        "]]"
    } else {
        "]"
    };
    // In a file of other programs, only a header that begins with the settings' own table is theirs.
    if let [above @ .., last] = table
        && above == names.as_slice()
        && !array
    {
        return vec![Item::new(ItemKind::Table, *last, whole, format!("{last}{close}"))];
    }
    let Some(own) = own_keys(path, table) else { return Vec::new() };
    let is_written = |name: &str| {
        let mut full = path.to_vec();
        full.push(PathSegment::Key(name.into()));
        place::value(&analysis.document.root, &full).is_some_and(|value| !array && !value.span.touches(whole.start))
    };
    let leads_on = |name: &str| {
        let below: Vec<&str> = own.iter().copied().chain([name]).collect();
        next.is_none_or(|next| settings_in(&below).any(|inner| inner.name() == "*" || inner.name() == next))
    };
    let fits = |setting: &&Setting| {
        let is_form = (setting.ty == SettingType::Tables) == array || next.is_some();
        is_form && is_table(setting) && setting.name() != "*" && leads_on(setting.name())
    };
    let free = settings_in(&own).filter(fits).filter(|setting| next.is_some() || !is_written(setting.name()));
    let item = |setting: &Setting| Item {
        documentation: Some(setting.meaning),
        ..Item::new(ItemKind::Table, setting.name(), whole, format!("{}{close}", setting.name()))
    };
    free.map(item).collect()
}

/// The keys that a table with keys of the user's choice is likely to have.
fn chosen_keys(setting: &Setting) -> Vec<(String, String)> {
    match setting.path {
        "prices.*" | "gpus.*" => catalogue::gpus().iter().map(|gpu| (gpu.name.to_string(), String::new())).collect(),
        "lint.severities.*" | "lint.per-file-severities.*.*" => {
            let named = codes::ALL.iter().map(|code| (code.name.to_owned(), code.code.to_owned()));
            named.chain(codes::ALL.iter().map(|code| (code.code.to_owned(), code.name.to_owned()))).collect()
        }
        _ => Vec::new(),
    }
}

/// The values of a setting, or the items of its array.
fn values(setting: &Setting, is_item: bool, span: Span) -> Vec<Item> {
    let quoted = |text: &str, detail: &str, rank: u8| {
        let text = format!("\"{text}\"");
        Item { detail: detail.to_owned(), rank, ..Item::new(ItemKind::Value, text.clone(), span, text) }
    };
    let mut items: Vec<Item> = match setting.ty {
        SettingType::Target => {
            let releases = History::built_in().releases().map(Tag::name).collect::<Vec<_>>();
            // The newest release first, then the main line, then older ones.
            let ranked = releases.iter().rev().zip([0].into_iter().chain(2..));
            let ranked = ranked.map(|(release, rank)| quoted(release, "a release", rank));
            ranked.chain([quoted("main", "the newest known commit", 1)]).collect()
        }
        SettingType::Codes if is_item => {
            let named = codes::ALL.iter().map(|code| quoted(code.name, &format!("{}: {}", code.code, code.summary), 1));
            let numbered = codes::ALL.iter().map(|code| quoted(code.code, &format!("{}: {}", code.name, code.summary), 2));
            named.chain(numbered).chain([quoted("ALL", "all codes", 0)]).collect()
        }
        SettingType::Severity => Level::NAMES.iter().map(|name| quoted(name, "", 1)).collect(),
        SettingType::KeyType => ExtraType::NAMES.iter().map(|name| quoted(name, "", 1)).collect(),
        SettingType::Machine => {
            let common = MACHINES.iter().zip(0..).map(|(machine, rank)| quoted(machine, "", rank));
            let all = catalogue::gpus().iter().flat_map(|gpu| [1, 2, 4, 8].map(|count| format!("{count}x {}", gpu.name)));
            let others = all.filter(|machine| !MACHINES.contains(&&**machine)).map(|machine| quoted(&machine, "", u8::MAX));
            common.chain(others).collect()
        }
        _ => Vec::new(),
    };
    if !is_item && !setting.example.is_empty() && items.iter().all(|item| item.insert != setting.example) {
        let text = setting.example.to_owned();
        items.push(Item { detail: "an example".to_owned(), ..Item::new(ItemKind::Value, text.clone(), span, text) });
    }
    items
}

#[cfg(test)]
mod tests {
    use super::{complete_settings, hover_settings};
    use crate::{Item, testing::with_cursor};

    fn offered(table: &[&str], text: &str) -> Vec<Item> {
        let (analysis, offset) = with_cursor(text);
        complete_settings(&analysis, table, offset)
    }

    fn labels(text: &str) -> Vec<String> {
        offered(&[], text).into_iter().map(|item| item.label).collect()
    }

    /// The text after the item with a label was accepted.
    fn accepted(table: &[&str], text: &str, label: &str) -> String {
        let items = offered(table, text);
        let item = items.iter().find(|item| item.label == label).unwrap_or_else(|| panic!("{label} is offered: {items:?}"));
        let mut text = text.replacen('^', "", 1);
        text.replace_range(item.span.range(), &item.insert);
        text
    }

    #[test]
    fn settings_are_offered_with_a_value() {
        assert_eq!(accepted(&[], "tar^\n", "target"), "target = \"0.8.0\"\n");
        assert_eq!(accepted(&[], "tar^get = \"x\"\n", "baseline"), "baseline = \"x\"\n");
        assert!(!labels("tar^get = \"x\"\n").contains(&"lint".to_owned()), "it is a table");
        assert_eq!(accepted(&[], "target = \"main\"\nli^\n", "lint"), "target = \"main\"\n[lint]\n\n");
        assert_eq!(accepted(&[], "[lint]\nign^\n", "ignore"), "[lint]\nignore = []\n");
        let ignore = offered(&[], "[lint]\nign^\n").into_iter().find(|item| item.label == "ignore").expect("it is offered");
        assert_eq!(ignore.cursor, Some("ignore = [".len()));
        assert_eq!(accepted(&[], "[lint.sev^]\n", "severities"), "[lint.severities]\n");
        assert_eq!(accepted(&[], "[[gr^\n", "group"), "[[group]]\n");
        assert!(!labels("target = \"main\"\n^\n").contains(&"target".to_owned()));
        assert!(!labels("gpu = \"2x H100\"\n^\n").contains(&"hardware".to_owned()), "it is the same setting");
        assert!(labels("gpu = \"2x H100\"\n[lint]\n^\n").contains(&"select".to_owned()));
    }

    #[test]
    fn what_stands_behind_the_cursor_is_kept_or_replaced() {
        assert_eq!(accepted(&[], "[l^int.per-file-ignores]\n", "lint"), "[lint.per-file-ignores]\n");
        assert!(!labels("[l^int.per-file-ignores]\n").contains(&"watch".to_owned()));
        let before = "[lint]\nignore = [^\n  \"PRL302\",\n]\n";
        assert_eq!(accepted(&[], before, "\"ALL\""), before.replacen('^', "\"ALL\",", 1));
        assert_eq!(accepted(&[], "[lint]\nselect = ^[\"PRL301\"]\n", "[\"ALL\"]"), "[lint]\nselect = [\"ALL\"]\n");
    }

    #[test]
    fn settings_of_a_pyproject_are_in_their_table() {
        assert_eq!(accepted(&["tool", "cfg"], "[tool.cfg]\ngp^\n", "gpu"), "[tool.cfg]\ngpu = \"8x H100\"\n");
        assert_eq!(accepted(&["tool", "cfg"], "[tool.cfg.li^]\n", "lint"), "[tool.cfg.lint]\n");
        assert_eq!(accepted(&["tool", "cfg"], "[tool.^\n", "cfg"), "[tool.cfg]\n");
        assert!(offered(&["tool", "cfg"], "[project]\nna^\n").is_empty());
    }

    #[test]
    fn values_are_those_of_the_type() {
        assert_eq!(labels("^\n")[..2], ["target", "gpu"]);
        assert_eq!(labels("target = ^\n")[..3], ["\"0.8.0\"", "\"main\"", "\"0.7.0\""]);
        assert_eq!(labels("gpu = ^\n")[..2], ["\"2x H100\"", "\"8x H100\""]);
        let found = labels("[lint]\nselect = [\"^\"]\n");
        assert!(found.contains(&"\"context-overflow\"".to_owned()) && found.contains(&"\"PRL301\"".to_owned()), "{found:?}");
        assert!(labels("[lint.severities]\nPRL4^\n").contains(&"PRL401".to_owned()));
        let found = labels("[lint.severities]\nPRL402 = \"^\"\n");
        assert!(found.contains(&"\"off\"".to_owned()), "{found:?}");
        assert!(labels("[prices]\n^\n").contains(&"H100".to_owned()));
        assert_eq!(labels("# com^ment\n"), [""; 0]);
        // A string is found before its quote is typed.
        let found = offered(&[], "gpu = 8x^\n");
        assert!(found.iter().any(|item| item.filter.as_deref() == Some("8x H100\"")), "{found:?}");
    }

    #[test]
    fn a_setting_is_explained() {
        let (analysis, offset) = with_cursor("[watch]\nentr^opy = 0.1\n");
        let hover = hover_settings(&analysis, &[], offset).expect("it is known");
        assert!(hover.markdown.starts_with("`watch.entropy`: a number") && hover.markdown.contains("entropy."), "{hover:?}");
        let (analysis, offset) = with_cursor("nons^ense = 0.1\n");
        assert_eq!(hover_settings(&analysis, &[], offset), None);
    }
}
