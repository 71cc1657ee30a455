//! The file format of a baseline: JSON, with each finding on a line of its own, so that changes of several people can be merged.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use cfg_diag::Severity;
use cfg_syntax::conflict;
use serde_json::{Map, Value};

use super::{Counts, Finding, relative};

/// The version of the format that is written.
const VERSION: u64 = 2;

/// The version without lines and severities, in which files outside the folder of the baseline have absolute names.
const WITHOUT_LINES: u64 = 1;

/// Reads the findings of each file. The error does not quote the text.
pub(super) fn parse(bytes: &[u8], folder: &Path) -> Result<BTreeMap<String, Counts>, String> {
    let root: Value =
        serde_json::from_slice(bytes).map_err(|error| match std::str::from_utf8(bytes).ok().and_then(conflict) {
            Some(_) => "unresolved merge conflict; keep either side, then run `cfg check --update-baseline`".to_owned(),
            None => format!("line {}, column {} was not written by --update-baseline", error.line(), error.column()),
        })?;
    let foreign = || "it was not written by --update-baseline".to_owned();
    let root = root.as_object().ok_or_else(foreign)?;
    let version = root.get("schema_version").and_then(Value::as_u64).ok_or_else(foreign)?;
    if !(WITHOUT_LINES..=VERSION).contains(&version) {
        return Err(format!("its schema_version is {version}, expected {VERSION}"));
    }
    let mut all: BTreeMap<String, Counts> = BTreeMap::new();
    for (file, entries) in root.get("findings").and_then(Value::as_object).ok_or_else(foreign)? {
        let path = PathBuf::from(file);
        let name = if path.is_absolute() { relative(folder, &path) } else { file.clone() };
        let known = all.entry(name).or_default();
        for entry in entries.as_array().ok_or_else(foreign)? {
            let (finding, count) = entry.as_object().and_then(|entry| finding(entry, version)).ok_or_else(foreign)?;
            let times: &mut usize = known.entry(finding).or_default();
            *times = times.saturating_add(count);
        }
    }
    Ok(all)
}

fn finding(entry: &Map<String, Value>, version: u64) -> Option<(Finding, usize)> {
    let text = |member: &str| entry.get(member).and_then(Value::as_str);
    let count = entry.get("count").map_or(Some(1), Value::as_u64)?;
    let code = text("code")?.to_owned();
    let about = text("about").unwrap_or_default().to_owned();
    if version == WITHOUT_LINES {
        return Some((Finding { code, about, line: None, severity: None }, usize::try_from(count).ok()?));
    }
    // An entry without a severity was kept from a file of the earlier format.
    let severity = match text("severity") {
        None => None,
        Some(name) => Some(severity(name)?),
    };
    let line = match text("line") {
        None => None,
        Some(hash) => Some(u64::from_str_radix(hash, 16).ok()?),
    };
    Some((Finding { code, about, line, severity }, usize::try_from(count).ok()?))
}

const SEVERITIES: [(Severity, &str); 3] = [(Severity::Error, "error"), (Severity::Warning, "warning"), (Severity::Info, "info")];

fn severity(name: &str) -> Option<Severity> {
    SEVERITIES.into_iter().find(|(_, known)| *known == name).map(|(severity, _)| severity)
}

fn name_of(severity: Severity) -> Option<String> {
    SEVERITIES.into_iter().find(|(known, _)| *known == severity).map(|(_, name)| name.to_owned())
}

/// The text of a baseline with these findings.
pub(super) fn written(all: &BTreeMap<String, Counts>) -> String {
    let files: Vec<String> = all.iter().map(|(file, counts)| of_file(file, counts)).collect();
    let findings = if files.is_empty() { "{}".to_owned() } else { format!("{{\n{}\n  }}", files.join(",\n")) };
    format!("{{\n  \"schema_version\": {VERSION},\n  \"findings\": {findings}\n}}\n")
}

fn of_file(file: &str, counts: &Counts) -> String {
    let entries: Vec<String> =
        counts.iter().map(|(finding, count)| format!("      {{ {} }}", members(finding, *count).join(", "))).collect();
    format!("    {}: [\n{}\n    ]", Value::from(file), entries.join(",\n"))
}

fn members(finding: &Finding, count: usize) -> Vec<String> {
    let line = finding.line.map(|line| format!("{line:016x}"));
    let severity = finding.severity.and_then(name_of);
    let about = Some(finding.about.clone()).filter(|about| !about.is_empty());
    let texts = [("code", Some(finding.code.clone())), ("about", about), ("severity", severity), ("line", line)];
    let texts = texts.into_iter().filter_map(|(name, text)| Some(format!("\"{name}\": {}", Value::from(text?))));
    texts.chain((count != 1).then(|| format!("\"count\": {count}"))).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{parse, written};

    #[test]
    fn what_is_written_is_read() {
        let text = "{\n  \"schema_version\": 2,\n  \"findings\": {\n    \"../a.toml\": [\n      \
            { \"code\": \"PRL101\", \"about\": \"a.\\\"b\\\"\", \"severity\": \"error\", \"line\": \"00000000000000ff\" },\n      \
            { \"code\": \"PRL801\", \"severity\": \"info\", \"line\": \"0000000000000001\", \"count\": 2 }\n    ]\n  }\n}\n";
        let read = parse(text.as_bytes(), Path::new("/p")).expect("a baseline");
        assert_eq!(written(&read), text);
        assert_eq!(
            parse(
                written(&parse(b"{\"schema_version\": 2, \"findings\": {}}", Path::new("/p")).expect("one")).as_bytes(),
                Path::new("/p")
            )
            .map(|all| all.len()),
            Ok(0)
        );
    }

    #[test]
    fn the_earlier_format_is_read() {
        let text =
            "{\"schema_version\": 1, \"findings\": {\"/p/c/a.toml\": [{\"code\": \"PRL101\", \"about\": \"a\", \"count\": 1}]}}";
        let read = parse(text.as_bytes(), Path::new("/p/ci")).expect("a baseline");
        assert_eq!(read.keys().collect::<Vec<_>>(), ["../c/a.toml"]);
    }

    #[test]
    fn another_file_is_refused() {
        for text in
            ["", "{}", "[]", "{\"schema_version\": 3, \"findings\": {}}", "{\"schema_version\": 2, \"findings\": {\"a\": [{}]}}"]
        {
            assert!(parse(text.as_bytes(), Path::new("/p")).is_err(), "{text}");
        }
    }
}
