//! From bytes to a document: decoding and parsing, in bytes a second.

use cfg_benches::TYPICAL;
use cfg_diag::FileId;
use cfg_syntax::Dialect;
use divan::{Bencher, black_box, counter::BytesCount};

fn parse(bencher: Bencher<'_, '_>, text: &str) {
    bencher.counter(BytesCount::of_str(text)).bench_local(|| cfg_syntax::parse(FileId(0), black_box(text), Dialect::Toml10));
}

#[divan::bench]
fn parse_typical(bencher: Bencher<'_, '_>) {
    parse(bencher, &TYPICAL.text());
}

#[divan::bench]
fn parse_2003_lines(bencher: Bencher<'_, '_>) {
    parse(bencher, &cfg_benches::long());
}

#[divan::bench]
fn parse_2003_lines_broken(bencher: Bencher<'_, '_>) {
    parse(bencher, &cfg_benches::broken());
}

/// The worst there is for resynchronisation: every line opens a bracket that nothing closes.
#[divan::bench]
fn parse_2003_unclosed_brackets(bencher: Bencher<'_, '_>) {
    parse(bencher, &"tools = [\"search\",\n".repeat(2003));
}

/// One line of ten megabytes, as no one writes it.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn parse_10_megabytes(bencher: Bencher<'_, '_>) {
    parse(bencher, &format!("a = [{}]", "1,".repeat(5_000_000)));
}

#[divan::bench]
fn decode_typical(bencher: Bencher<'_, '_>) {
    let bytes = TYPICAL.text().into_bytes();
    let count = BytesCount::of_slice(&bytes);
    bencher.counter(count).with_inputs(|| bytes.clone()).bench_local_values(|bytes| cfg_syntax::decode(FileId(0), bytes));
}

#[divan::bench]
fn metadata_typical(bencher: Bencher<'_, '_>) {
    let text = TYPICAL.text();
    let (document, _) = cfg_syntax::parse(FileId(0), &text, Dialect::Toml10);
    bencher.bench_local(|| cfg_syntax::metadata(FileId(0), black_box(&text), black_box(&document)));
}
