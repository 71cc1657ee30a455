//! From findings to text.

use cfg_benches::TYPICAL;
use cfg_check::{Checked, Request, Session};
use cfg_diag::Verdict;
use cfg_report::{FileReport, Format, RepeatedOptions, Reporter, Sources, Style};
use divan::{Bencher, black_box, counter::ItemsCount};

const FORMATS: [&str; 3] = ["full", "concise", "json"];

fn render(bencher: Bencher<'_, '_>, text: &str, format: &str) {
    let format = match format {
        "full" => Format::Full,
        "concise" => Format::Concise,
        _ => Format::Json,
    };
    let Checked { diagnostics, .. } = check(text);
    let reporter = Reporter::new(format, Style { unicode: true, width: 100, ..Style::default() });
    let report = FileReport {
        kind: Some("rl"),
        target: Some("0.3.0"),
        verdict: Verdict::Rejected,
        repeated: Some(RepeatedOptions::default()),
        ..FileReport::about("rl.toml", &diagnostics)
    };
    bencher
        .counter(ItemsCount::new(diagnostics.len()))
        .bench_local(|| reporter.render(black_box(&report), &Sources::single("rl.toml", text)));
}

fn check(text: &str) -> Checked {
    let request = Request::new("rl.toml", text);
    cfg_check::check(&Session::default(), request)
}

#[divan::bench(args = FORMATS)]
fn nothing_wrong(bencher: Bencher<'_, '_>, format: &str) {
    render(bencher, &TYPICAL.text(), format);
}

#[divan::bench(args = FORMATS)]
fn one_misspelt_key(bencher: Bencher<'_, '_>, format: &str) {
    render(bencher, &TYPICAL.text().replacen("rollouts_per_example", "rollouts_per_exmaple", 1), format);
}

/// Several hundred findings in one file: the cost of each must not grow with their number.
#[divan::bench(args = FORMATS)]
fn hundreds_of_findings(bencher: Bencher<'_, '_>, format: &str) {
    render(bencher, &cfg_benches::faulty(), format);
}
