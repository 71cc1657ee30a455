#![allow(missing_docs, clippy::print_stdout)]
use cfg_diag::FileId;
use cfg_syntax::{Dialect, parse};
use std::time::Instant;
fn main() {
    let mut texts = vec![];
    for path in std::env::args().skip(1) {
        texts.push((path.clone(), std::fs::read_to_string(&path).unwrap_or_default()));
    }
    let total: usize = texts.iter().map(|(_, t)| t.len()).sum();
    for _ in 0..3 {
        let start = Instant::now();
        let rounds = (100_000_000 / total).max(1);
        for _ in 0..rounds {
            for (_, t) in &texts {
                std::hint::black_box(parse(FileId(0), t, Dialect::Toml10));
            }
        }
        let seconds = start.elapsed().as_secs_f64();
        println!("{} files, {total} bytes: {:.1} MB/s", texts.len(), (rounds * total) as f64 / seconds / 1e6);
    }
}
