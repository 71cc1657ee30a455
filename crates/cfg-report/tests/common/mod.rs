//! A config with errors, and other texts to report on.
#![allow(dead_code, reason = "each test binary uses a part of it")]

use cfg_diag::{Applicability, Diagnostic, Edit, FileId, LocPart, Location, Span, Verdict, codes};
use cfg_report::{FileReport, Format, RepeatedOptions, Reporter, Sources, Style};

pub(crate) const RL: FileId = FileId(0);
pub(crate) const INFER: FileId = FileId(1);

pub(crate) const RL_TEXT: &str = "\
max_steps = 500
seq_len = 8192

[model]
name = \"Qwen/Qwen3-8B\"

[orchestrator]
batch_size = 128
rollouts_per_exmaple = 16

[trainer.model.lora]
rank = 16
target_modules = [
    \"q_proj\",
    \"k_proj\",
]
";

pub(crate) const INFER_TEXT: &str = "[model]\nname = \"Qwen/Qwen3-8B\"\nmax_model_len = 4096\n";

pub(crate) fn find(file: FileId, text: &str, needle: &str) -> Location {
    let start = text.find(needle).expect("the text has it") as u32;
    Location::new(file, Span::new(start, start + needle.len() as u32))
}

pub(crate) fn sources() -> Sources<'static> {
    let mut sources = Sources::new();
    sources.insert(RL, "configs/rl.toml", RL_TEXT);
    sources.insert(INFER, "configs/infer.toml", INFER_TEXT);
    sources
}

pub(crate) fn key(name: &str) -> LocPart {
    LocPart::Key(name.to_owned())
}

/// Every form of finding: a native error with a safe fix, one with places in two files, a masked one with an unsafe fix, one without a place.
pub(crate) fn diagnostics() -> Vec<Diagnostic> {
    let typo = find(RL, RL_TEXT, "rollouts_per_exmaple");
    let edit = Edit { location: typo, new_text: "rollouts_per_example".to_owned() };
    let unknown = Diagnostic::new(&codes::UNKNOWN_KEY, "`orchestrator` has no key `rollouts_per_exmaple`")
        .at(typo)
        .key("orchestrator.rollouts_per_exmaple")
        .label("did you mean `rollouts_per_example`?")
        .native("extra_forbidden", vec![key("orchestrator"), key("rollouts_per_exmaple")])
        .fix("rename to `rollouts_per_example`", Applicability::Safe, edit);
    let range = Diagnostic::new(
        &codes::OUT_OF_RANGE,
        "sequences of 8192 tokens do not fit the 4096 tokens that the inference server keeps",
    )
    .at(find(RL, RL_TEXT, "8192"))
    .key("seq_len")
    .label("8192 tokens here")
    .related(find(INFER, INFER_TEXT, "4096"), "4096 tokens here")
    .help("raise `max_model_len` to 8192, or lower `seq_len`;\neach costs memory: `cfg memory` says how much");
    let modules = find(RL, RL_TEXT, "target_modules");
    let array = Location::new(RL, Span::new(modules.span.start + 17, RL_TEXT.len() as u32));
    let edit = Edit { location: array, new_text: "\"all-linear\"".to_owned() };
    let mut wrong = Diagnostic::new(&codes::WRONG_TYPE, "`target_modules` takes a name, not an array")
        .at(array)
        .key("trainer.model.lora.target_modules")
        .related(find(RL, RL_TEXT, "trainer.model.lora"), "LoRA is on because of this table")
        .native("string_type", vec![key("trainer"), key("model"), key("lora"), key("target_modules"), LocPart::Index(0)])
        .fix("write \"all-linear\"", Applicability::Unsafe, edit);
    if let Some(native) = &mut wrong.native {
        native.masked = true;
        native.check = Some("check_lora".into());
    }
    let mut other = Diagnostic::new(&codes::OTHER_TARGET_FITS, "this config fits prime-rl 0.2.0 to 0.3.1 better than 0.4.0")
        .help("say which one it is for: `prime_rl = \"0.3.1\"` in its metadata");
    other.severity = cfg_diag::Severity::Info;
    other.folded = vec![Diagnostic::new(&codes::REMOVED_KEY, "`a` was removed").at(find(RL, RL_TEXT, "batch_size")); 3];
    vec![other, range, unknown, wrong]
}

pub(crate) fn report<'a>(path: &'a str, diagnostics: &'a [Diagnostic]) -> FileReport<'a> {
    FileReport {
        path,
        kind: Some("rl"),
        target: Some("0.4.0"),
        verdict: Verdict::Rejected,
        checks: None,
        diagnostics,
        repeated: Some(RepeatedOptions::default()),
        is_common: false,
        is_of_script: false,
        identity: None,
        fixed: None,
    }
}

/// A report with every form of finding, in a format.
pub(crate) fn everything(format: Format, style: Style) -> String {
    render(format, style, &report("configs/rl.toml", &diagnostics()), &sources())
}

pub(crate) fn render(format: Format, style: Style, file: &FileReport<'_>, sources: &Sources<'_>) -> String {
    let mut stream = Reporter::new(format, style).stream(Vec::new());
    stream.file(file, sources).expect("memory can be written");
    let closing = stream.summary().sentence();
    String::from_utf8(stream.finish(&closing).expect("memory can be written")).expect("reports are text")
}

/// A `full` report of one finding at `span` of `text`, 60 columns wide, without colours.
pub(crate) fn draw(text: &str, span: Span, unicode: bool) -> String {
    let diagnostics = [Diagnostic::new(&codes::INVALID_TOML, "here").at(Location::new(RL, span)).label("this")];
    let style = Style { width: 60, unicode, ..Style::default() };
    render(Format::Full, style, &report("a.toml", &diagnostics), &Sources::single("a.toml", text))
}
