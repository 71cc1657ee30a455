//! `cargo xtask new rule`: the file and the page of a new rule, and its lines in the lists that name it.

use std::fs;

use crate::generate::root;

const CODES: &str = "crates/cfg-diag/src/codes.rs";
const FIXTURE: &str = "tests/fixtures/codes.txt";
const RULES: &str = "crates/cfg-rules/src/lib.rs";

/// Writes a rule that finds nothing yet. `place` is `group/name-of-the-rule`, `severity` its usual one, `summary` its line in lists.
///
/// # Errors
///
/// If there is no such group, the name is taken or is not in kebab case, or a list is not in the expected form. Nothing is written then.
pub(crate) fn rule(place: &str, severity: &str, summary: &str) -> Result<(), String> {
    let (group, name) = place.split_once('/').ok_or("the rule's place is GROUP/NAME, such as sampling/zero-temperature")?;
    let is_kebab = |name: &str| {
        name.split('-')
            .all(|word| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()))
    };
    if !is_kebab(name) {
        return Err(format!("`{name}` is not in kebab case, such as zero-temperature"));
    }
    if !["Error", "Warning", "Info"].contains(&severity) {
        return Err(format!("`{severity}` is not a severity: Error, Warning or Info"));
    }
    let module = name.replace('-', "_");
    let group_path = format!("crates/cfg-rules/src/{group}.rs");
    let (codes, fixture, rules) = (read(CODES)?, read(FIXTURE)?, read(RULES)?);
    let group_text =
        read(&group_path).map_err(|_| format!("there is no group `{group}`: make {group_path} first, and name it in {RULES}"))?;
    if codes.contains(&format!("\"{name}\"")) {
        return Err(format!("`{name}` is taken"));
    }

    let number = free_number(&codes, &fixture, &rules, group)?;
    let code = format!("    {} = \"PRL{number}\" \"{name}\" {severity} {summary:?};", module.to_uppercase());
    let written = [
        (CODES.to_owned(), with_line_before(&codes, &code, |line| code_of(line).is_some_and(|other| other > number))?),
        (RULES.to_owned(), registered(&rules, &codes, group, &module, number)?),
        (group_path, declared(&group_text, &module)),
        (format!("crates/cfg-rules/src/{group}/{module}.rs"), source(&module, summary)),
        (format!("docs/rules/{name}.md"), page(name, severity, summary)),
    ];
    for (path, text) in &written {
        fs::write(root().join(path), text).map_err(|error| format!("{path}: {error}"))?;
    }
    crate::say(&format!(
        "PRL{number} {name}\n\
         1. docs/rules/{name}.md: write the failing and the passing config; they are tests.\n\
         2. crates/cfg-rules/src/{group}/{module}.rs: write the check.\n\
         3. UPDATE=1 cargo test -p cfg-tests --test repository rules: look at each new line of tests/fixtures/rule-findings.txt.\n\
         4. cargo xtask generate, and a line in CHANGELOG.md."
    ));
    Ok(())
}

fn read(path: &str) -> Result<String, String> {
    fs::read_to_string(root().join(path)).map_err(|error| format!("{path}: {error}"))
}

/// The number of a line of the table of codes.
fn code_of(line: &str) -> Option<u32> {
    line.split_once(" = \"PRL")?.1.get(..3)?.parse().ok()
}

/// The first number after those of the group that no finding ever had.
fn free_number(codes: &str, fixture: &str, rules: &str, group: &str) -> Result<u32, String> {
    let last = rules.lines().rev().find_map(|line| code_of_rule(codes, line, Some(group)));
    let last = last.ok_or_else(|| format!("`ALL` in {RULES} has no rule of the group `{group}`"))?;
    let is_free = |number: &u32| !fixture.contains(&format!("PRL{number} ")) && !codes.contains(&format!("\"PRL{number}\""));
    (last + 1..last / 100 * 100 + 100).find(is_free).ok_or_else(|| format!("no number is free after PRL{last}"))
}

/// The number of the rule that a line of `ALL` names, if it is of the group.
fn code_of_rule(codes: &str, line: &str, group: Option<&str>) -> Option<u32> {
    let (of, rest) = line.trim().strip_prefix('&')?.split_once("::")?;
    let module = rest.strip_suffix("::RULE,")?;
    let name = format!("    {} = ", module.to_uppercase());
    group.is_none_or(|group| group == of).then(|| codes.lines().find(|line| line.starts_with(&name)).and_then(code_of)).flatten()
}

/// A text with a line before the first one that `is_after` it.
fn with_line_before(text: &str, new: &str, is_after: impl Fn(&str) -> bool) -> Result<String, String> {
    let at = text.lines().position(is_after).ok_or_else(|| format!("no line comes after `{}`", new.trim()))?;
    let mut lines: Vec<&str> = text.lines().collect();
    lines.insert(at, new);
    Ok(lines.join("\n") + "\n")
}

fn registered(rules: &str, codes: &str, group: &str, module: &str, number: u32) -> Result<String, String> {
    let mut lines: Vec<&str> = rules.lines().collect();
    // Lists of some of the rules follow `ALL`.
    let end = lines.iter().position(|line| *line == "];").unwrap_or(lines.len());
    let before = lines[..end].iter().rposition(|line| code_of_rule(codes, line, None).is_some_and(|other| other < number));
    let before = before.ok_or_else(|| format!("`ALL` in {RULES} has no rule before PRL{number}"))?;
    let new = format!("    &{group}::{module}::RULE,");
    lines.insert(before + 1, &new);
    Ok(lines.join("\n") + "\n")
}

/// The file of a group with the module among the others.
fn declared(group: &str, module: &str) -> String {
    let new = format!("pub(crate) mod {module};");
    let mut lines: Vec<&str> = group.lines().collect();
    let is_later = |line: &&str| line.starts_with("pub(crate) mod ") && **line > *new;
    let after_last = || lines.iter().rposition(|line| line.starts_with("pub(crate) mod ")).map_or(lines.len(), |at| at + 1);
    let at = lines.iter().position(is_later).unwrap_or_else(after_last);
    lines.insert(at, &new);
    lines.join("\n") + "\n"
}

fn source(module: &str, summary: &str) -> String {
    format!(
        "//! {summary}.

use cfg_diag::codes;
use cfg_schema::Kind;

use crate::{{Check, Context, Finding, FixKind, Rule, VersionRange}};

pub(crate) static RULE: Rule = Rule {{
    code: &codes::{},
    kinds: &[Kind::Rl, Kind::Orchestrator],
    versions: VersionRange::ALL,
    fix: FixKind::None,
    check: Check::Once(check),
}};

fn check(cx: &Context<'_>) -> Option<Finding> {{
    let orchestrator = cx.plan.orchestrator.as_ref()?;
    let steps = orchestrator.max_steps.fact().filter(|steps| steps.value < 0)?;
    Some(Finding::new(\"what is wrong, in ten words\").on(steps).help(\"what to write instead\"))
}}
",
        module.to_uppercase()
    )
}

fn page(name: &str, severity: &str, summary: &str) -> String {
    format!(
        "# {name}

## What it finds

{summary}.

## Why it matters

What happens with such a config, and when.

## At run time

What the log shows.

## Example

```toml
# rl.toml, for 0.8.0
max_steps = -1  # {}: [{name}]
```

Write instead:

```toml
# rl.toml, for 0.8.0
max_steps = 100
```

## Fix

There is no automatic fix.

## Source

Where it is known from: prime-rl's code at which versions, a thread, a measurement.
",
        severity.to_lowercase()
    )
}

#[cfg(test)]
mod tests {
    use super::{code_of_rule, declared, free_number, registered, with_line_before};

    const CODES: &str = "codes! {\n    COLD = \"PRL307\" \"cold\" Error \"x\";\n    WARM = \"PRL309\" \"warm\" Info \"y\";\n    BIG = \"PRL401\" \"big\" Error \"z\";\n}\n";
    const RULES: &str = "pub static ALL: &[&Rule] = &[\n    &sampling::cold::RULE,\n    &batch::warm::RULE,\n    &memory::big::RULE,\n];\n\nfn some() {\n    [&sampling::cold::RULE,\n    ];\n}\n";

    #[test]
    fn a_rule_gets_the_next_free_number_of_its_group_and_its_lines() {
        assert_eq!(code_of_rule(CODES, "    &batch::warm::RULE,", Some("batch")), Some(309));
        assert_eq!(free_number(CODES, "PRL308 retired Error\n", RULES, "sampling"), Ok(310));
        assert!(free_number(CODES, "", RULES, "lora").is_err());
        let codes = with_line_before(CODES, "    HOT = \"PRL310\"", |line| line.contains("PRL401")).expect("a line");
        assert!(codes.contains("\"y\";\n    HOT = \"PRL310\"\n    BIG"), "{codes}");
        let rules = registered(RULES, CODES, "sampling", "hot", 310).expect("a list");
        assert!(rules.contains("&batch::warm::RULE,\n    &sampling::hot::RULE,\n    &memory::big"), "{rules}");
        assert_eq!(
            declared("//! How.\n\npub(crate) mod cold;\npub(crate) mod warm;\n\nfn f() {}\n", "hot"),
            "//! How.\n\npub(crate) mod cold;\npub(crate) mod hot;\npub(crate) mod warm;\n\nfn f() {}\n"
        );
        assert!(
            declared("pub(crate) mod cold;\n\nfn f() {}\n", "hot").starts_with("pub(crate) mod cold;\npub(crate) mod hot;\n\n")
        );
    }
}
