//! Every page in `docs/rules/` is documentation, the text of `cfg explain` and a test.
//!
//! A page has fixed headings, that of a rule of `cfg-rules` also its source, and examples: blocks of ```` ```toml ```` whose first line names the
//! file and usually the target: `# rl.toml, for 0.4.0`; without `for` no target is stated. A wrong line ends in `# error: [unknown-key]`, or has `#
//! error-below: [unknown-key]` on a line of its own above it. A finding without a place in the file is `# error: [unknown-kind]` on a line of its
//! own. A line `# orch.toml, of the same run` begins a further file of a split run. An example of the project's settings begins with `# file:
//! cfg.toml`. Examples that are introduced with "write instead" must have no findings.

use std::{collections::BTreeSet, fmt::Write as _, fs, path::Path, sync::Arc};

use cfg_check::{Request, Session, check};
use cfg_diag::{Code, Diagnostic, FileId, LineIndex, PositionEncoding, Severity, codes};
use cfg_project::Projects;
use cfg_schema::Target;
use cfg_system::MemorySystem;
use cfg_tests::{check_split, is_split};

const HEADINGS: [&str; 5] = ["What it finds", "Why it matters", "At run time", "Example", "Fix"];

/// An additional heading on the page of a rule that is not prime-rl's own: how the problem is known.
const SOURCE: &str = "Source";

/// The maximum number of lines on a page, examples excluded; longer pages are not read.
const MAX_LINES: usize = 50;

/// Pages of findings that a block of TOML can't show.
const NO_EXAMPLE: [&str; 66] = [
    "checked-with-base",
    "missing-launched",
    "invalid-dialect",
    "refused-lm-eval",
    "lm-eval-trouble",
    "unseeded-lm-eval",
    "changed-check",
    "patched-prime-rl",
    "missing-env-arg",
    "unknown-base",
    "unknown-endpoint",
    "invalid-encoding",
    "invalid-env-declaration",
    "nested-too-deep",
    "unreadable-file",
    "unsupported-file",
    "invalid-json",
    "unusable-argument",
    "mangled-value",
    "handed-to-vllm",
    "include-cycle",
    "includes-beside-files",
    "dropped-table",
    "conflicting-metadata",
    "false-claim",
    "unchecked-claim",
    "unbumped-change",
    "registry-mismatch",
    "unknown-current-version",
    "unknown-parent",
    "lineage-cycle",
    "parent-changed",
    "unknown-active-config",
    "unregistered-config",
    "missing-notes",
    "missing-config",
    "invalid-registry",
    "lost-object",
    "unrecorded-version",
    "run-mismatch",
    "wrong-fingerprint",
    // Only a machine shows these.
    "missing-gpus",
    "gpu-in-use",
    "gpu-memory-short",
    "stale-processes",
    "missing-program",
    "missing-wandb-key",
    "low-file-limit",
    "little-disk",
    "little-host-memory",
    "earlier-run",
    "step-desync",
    "missing-checkpoint",
    "missing-environment",
    "missing-hub-token",
    "missing-sandbox-key",
    "weights-index-mismatch",
    "other-prime-rl",
    "missing-path",
    "missing-env-file",
    "missing-variable",
    "old-driver",
    "other-python",
    "uncached-model",
    "unshared-folder",
    "small-shared-memory",
];

/// The beginning of an example of a settings file: `# file: cfg.toml`.
const SETTINGS_HEAD: &str = "# file: ";

/// A finding as stated on a page: the line, counted from 1 (`None` without a place in the file), and `error: [unknown-key]`.
type Finding = (Option<usize>, String);

/// A block of TOML in a page.
struct Example {
    /// The line of the page at which its text begins.
    page_line: usize,
    text: String,
    /// Whether it is introduced with "write instead".
    is_good: bool,
}

#[test]
fn every_code_has_its_page_and_every_page_its_code() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/rules");
    let pages: BTreeSet<String> = fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("it can be listed").file_name().to_string_lossy().into_owned())
        .collect();
    let codes: BTreeSet<String> = codes::ALL.iter().map(|code| format!("{}.md", code.name)).collect();
    let astray: Vec<&String> = pages.symmetric_difference(&codes).collect();
    assert!(
        astray.is_empty(),
        "pages of docs/rules/ without a code in crates/cfg-diag/src/codes.rs, or codes without a page: {astray:?}"
    );
}

#[test]
fn every_page_has_the_fixed_form() {
    let mut faults = String::new();
    for code in codes::ALL {
        for fault in faults_of_form(code) {
            let _ = writeln!(faults, "docs/rules/{}.md: {fault}", code.name);
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}

fn faults_of_form(code: Code) -> Vec<String> {
    let mut faults = Vec::new();
    let lines: Vec<&str> = outside_of_fences(code.page);
    if lines.first() != Some(&format!("# {}", code.name).as_str()) {
        faults.push(format!("its first line is not `# {}`", code.name));
    }
    let headings: Vec<&str> = lines.iter().filter_map(|line| line.strip_prefix("## ")).collect();
    let is_rule = cfg_rules::ALL.iter().any(|rule| rule.code == code);
    let expected: Vec<&str> = HEADINGS.into_iter().chain(is_rule.then_some(SOURCE)).collect();
    if headings != expected {
        faults.push(format!("its headings are {headings:?}, not {expected:?}"));
    }
    for heading in headings.iter().filter(|heading| section(code.page, heading).trim().is_empty()) {
        faults.push(format!("the section `{heading}` is empty"));
    }
    if lines.len() > MAX_LINES {
        faults.push(format!("it has {} lines besides its examples, more than {MAX_LINES}", lines.len()));
    }
    if !code.page.ends_with('\n') || code.page.ends_with("\n\n") {
        faults.push("it must end with exactly one line break".to_owned());
    }
    let has_example = section(code.page, "Example").contains("```");
    if !has_example {
        faults.push("its section `Example` has no example".to_owned());
    }
    let examples = examples(code.page);
    let own = format!("[{}]", code.name);
    let shows_it = examples.iter().any(|example| stated(&example.text).iter().any(|(_, what)| what.ends_with(&own)));
    match (shows_it, NO_EXAMPLE.contains(&code.name)) {
        (true, true) => {
            faults.push(
                "an example shows its finding, so NO_EXAMPLE (tests/tests/repository/rule_pages.rs) must not list it".to_owned(),
            );
        }
        (false, false) => {
            faults.push(format!("no example shows its finding: a line of one must end in `# error: [{}]`", code.name));
        }
        _ => {}
    }
    if shows_it && !examples.iter().any(|example| example.is_good) {
        faults.push("no example says what to write instead: add one below a line `Write instead:`".to_owned());
    }
    faults
}

#[test]
fn every_example_has_the_findings_of_its_page() {
    let session = Session::default();
    let mut faults = String::new();
    for code in codes::ALL {
        for example in &examples(code.page) {
            if let Err(fault) = run(&session, code, example) {
                let _ = writeln!(faults, "\ndocs/rules/{}.md:{}: {fault}", code.name, example.page_line);
            }
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}

#[test]
fn an_example_with_missing_or_extra_findings_fails() {
    let run = |is_good: bool, text: &str| {
        let example = Example { page_line: 1, text: text.to_owned(), is_good };
        run(&Session::default(), &codes::UNKNOWN_KEY, &example)
    };
    assert_eq!(run(false, "# train.toml, for 0.4.0\nfoo = 1  # error: [unknown-key]\n[optim]\n"), Ok(()));
    assert_eq!(run(false, "# train.toml, for 0.4.0\n# error-below: [unknown-key]\nfoo = 1\n[optim]\n"), Ok(()));
    assert_eq!(run(true, "# train.toml, for 0.4.0\n[optim]\n"), Ok(()));
    let wrong = [
        (true, "# train.toml, for 0.4.0\nfoo = 1\n[optim]\n", "found, but not stated: error: [unknown-key], line 2"),
        (
            false,
            "# train.toml, for 0.4.0\n[optim]  # error: [unknown-key]\n",
            "stated, but not found: error: [unknown-key], line 2",
        ),
        (false, "# train.toml, for 0.4.0\nfoo = 1  # warning: [unknown-key]\n[optim]\n", "found, but not stated: error"),
        (false, "# train.toml, for 0.4.0\n[optim]\n", "it states no finding"),
        (true, "# train.toml, for 0.4.0\nfoo = 1  # error: [unknown-key]\n[optim]\n", "but states a finding"),
        (true, "# train.toml, for 0.4.9\n[optim]\n", "unknown prime-rl version 0.4.9"),
        (true, "[optim]\n", "its first line is `[optim]`"),
    ];
    for (is_good, text, expected) in wrong {
        let fault = run(is_good, text).expect_err(text);
        assert!(fault.contains(expected), "{text}\nsays: {fault}");
    }
}

/// Checks one example, and compares the findings with the stated ones.
fn run(session: &Session, code: Code, example: &Example) -> Result<(), String> {
    let stated = stated(&example.text);
    if example.is_good != stated.is_empty() {
        return Err(if example.is_good {
            "it follows \"Write instead\", but states a finding".to_owned()
        } else {
            format!(
                "it states no finding: end the wrong line in `# error: [{}]`, or write \"Write instead:\" above the example",
                code.name
            )
        });
    }
    let mut diagnostics = diagnose(session, &example.text)?;
    // Infos on other subjects need not be stated on this page.
    let is_stated = |found: &Diagnostic| stated.iter().any(|(_, what)| what.ends_with(&format!("[{}]", found.code.name)));
    diagnostics.retain(|found| found.severity != Severity::Info || found.code == code || is_stated(found));
    let mut found: Vec<Finding> = diagnostics.iter().map(|diagnostic| finding(&example.text, diagnostic)).collect();
    found.sort();
    if found != stated {
        return Err(difference(&stated, &found, &diagnostics, &example.text));
    }
    let at_run_time = section(code.page, "At run time");
    let own = diagnostics.iter().filter(|diagnostic| diagnostic.code.code == code.code);
    for kind in own.filter_map(|diagnostic| diagnostic.native.as_ref()).map(|native| &native.kind) {
        if !at_run_time.contains(&format!("`{kind}`")) {
            return Err(format!("prime-rl's error is `{kind}`, which the section `At run time` does not mention"));
        }
    }
    Ok(())
}

/// All findings in the text of an example.
fn diagnose(session: &Session, text: &str) -> Result<Vec<Diagnostic>, String> {
    let first = text.lines().next().unwrap_or_default();
    if let Some(name) = first.strip_prefix(SETTINGS_HEAD) {
        return Ok(cfg_project::read_settings(&MemorySystem::default(), text, &Path::new("/project").join(name)).1);
    }
    if let Some(path) = of_dialect(first) {
        return Ok(diagnose_of_dialect(path, text));
    }
    let (path, target) = head(session, first)?;
    if is_split(text) {
        let target = target.ok_or("files of one run need a target")?;
        return Ok(check_split(session, &path, &target, text));
    }
    let file = FileId(0);
    let request = Request { file, target, ..Request::new(&path, text) };
    Ok(check(session, request).diagnostics)
}

/// The path of an example that is a config of the dialect in `examples/rlvr`: `# configs/x.yaml, of examples/rlvr`.
fn of_dialect(first: &str) -> Option<&str> {
    first.strip_prefix("# ")?.strip_suffix(", of examples/rlvr")
}

/// All findings in a config of that dialect.
fn diagnose_of_dialect(path: &str, text: &str) -> Vec<Diagnostic> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/rlvr");
    let read = |name: &str| fs::read_to_string(folder.join(name)).expect(name);
    let names = ["cfg.toml", "rlvr.schema", "curricula/gsm8k.txt", "job_log.md"];
    let files: Vec<(String, String)> = names.into_iter().map(|name| (format!("/p/{name}"), read(name))).collect();
    let files = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).chain([("/p/.git/HEAD", "?")]);
    let session = Session::new(Arc::new(Projects::new(Arc::new(MemorySystem::with_files(files)), None)));
    let path = format!("/p/{path}");
    let (file, encoding) = (FileId(0), Vec::new());
    let request = Request { file, encoding, ..Request::new(&path, text) };
    check(&session, request).diagnostics
}

/// The file name and target in the first line.
fn head(session: &Session, first: &str) -> Result<(String, Option<Target>), String> {
    let Some(head) = first.strip_prefix("# ") else {
        return Err(format!("its first line is `{first}`, not `# rl.toml, for 0.4.0`"));
    };
    let (path, target) = match head.split_once(", for ") {
        Some((path, target)) => (path, Some(target)),
        None => (head, None),
    };
    if path.contains(' ') || Path::new(path).extension().is_none_or(|extension| extension != "toml") {
        return Err(format!("`{path}` in its first line is no name of a TOML file"));
    }
    let target = target.map(|target| Target::parse(session.history, target).map_err(|error| error.to_string())).transpose()?;
    Ok((path.to_owned(), target))
}

/// The findings that the comments of an example state, in order.
fn stated(text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        for severity in ["error", "warning", "info"] {
            for (suffix, lines_down) in [("", 1), ("-below", 2)] {
                let opening = format!("# {severity}{suffix}: [");
                for (at, _) in line.match_indices(&opening) {
                    let name = line[at + opening.len()..].split(']').next().unwrap_or_default();
                    let has_place = lines_down == 2 || !line.trim_start().starts_with(&opening);
                    findings.push((has_place.then_some(index + lines_down), format!("{severity}: [{name}]")));
                }
            }
        }
    }
    findings.sort();
    findings
}

fn finding(text: &str, diagnostic: &Diagnostic) -> Finding {
    (line_of(text, diagnostic), format!("{}: [{}]", severity(diagnostic.severity), diagnostic.code.name))
}

fn line_of(text: &str, diagnostic: &Diagnostic) -> Option<usize> {
    let start = diagnostic.location?.span.start;
    Some(LineIndex::new(text).line_column(text, start, PositionEncoding::Utf8).line as usize + 1)
}

fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "info",
    }
}

/// The findings that are stated but not found, and those that are found but not stated.
fn difference(stated: &[Finding], found: &[Finding], diagnostics: &[Diagnostic], text: &str) -> String {
    let place = |line: &Option<usize>| line.map_or("without a place".to_owned(), |line| format!("line {line} of the example"));
    let mut out = "its findings are not those that it states".to_owned();
    let mut unmatched = found.to_vec();
    for finding in stated {
        match unmatched.iter().position(|other| other == finding) {
            Some(at) => drop(unmatched.remove(at)),
            None => {
                let _ = write!(out, "\n  stated, but not found: {}, {}", finding.1, place(&finding.0));
            }
        }
    }
    for (line, what) in &unmatched {
        let _ = write!(out, "\n  found, but not stated: {what}, {}", place(line));
    }
    out.push_str("\n  all that is found:");
    for diagnostic in diagnostics {
        let (line, what) = finding(text, diagnostic);
        let _ = write!(out, "\n    {}: {what} {}", place(&line), diagnostic.message);
    }
    if diagnostics.is_empty() {
        out.push_str(" nothing");
    }
    out
}

/// The lines of a page outside of fenced blocks.
fn outside_of_fences(page: &str) -> Vec<&str> {
    let mut is_inside = false;
    let outside = page.lines().filter(|line| {
        let is_fence = line.starts_with("```");
        is_inside ^= is_fence;
        !is_inside && !is_fence
    });
    outside.collect()
}

/// The text below a heading.
fn section<'p>(page: &'p str, heading: &str) -> &'p str {
    let Some((_, below)) = page.split_once(&format!("\n## {heading}\n")) else { return "" };
    below.split("\n## ").next().unwrap_or_default()
}

/// The TOML blocks of a page, and its YAML blocks, which are configs of a declared dialect.
fn examples(page: &str) -> Vec<Example> {
    let mut examples = Vec::new();
    let mut before = "";
    let mut open: Option<Example> = None;
    for (index, line) in page.lines().enumerate() {
        match &mut open {
            Some(_) if line == "```" => examples.extend(open.take()),
            Some(example) => {
                example.text.push_str(line);
                example.text.push('\n');
            }
            None if matches!(line, "```toml" | "```yaml") => {
                let is_good = before.contains("rite instead");
                open = Some(Example { page_line: index + 2, text: String::new(), is_good });
            }
            None if !line.trim().is_empty() => before = line,
            None => {}
        }
    }
    assert!(open.is_none(), "a block of TOML is never closed:\n{page}");
    examples
}
