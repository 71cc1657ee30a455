//! Benchmarks live in this package's bench files.
