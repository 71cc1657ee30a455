//! Whole-program tests live in this package's test files.
