//! Functions, timed by divan. `cargo bench -p cfg-benches -- NAME` runs those whose path holds NAME, such as `check::resolve`.
//!
//! One program, as each more would be linked with all optimisations once more.

mod check;
mod report;
mod schema;
mod syntax;

fn main() {
    divan::main();
}
