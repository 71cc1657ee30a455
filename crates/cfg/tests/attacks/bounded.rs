//! Reading is bounded: whatever replaces a file, and whatever a file asks for, each command ends soon and needs little memory.

mod configs;
mod dialects;
mod files;
mod git;
mod schemas;
mod settings;

use std::fs;

use crate::victim::{Odd, Victim};

/// Replaces a file of a repository with a registry by something unusual, and runs all commands.
#[track_caller]
fn in_place_of(name: &str, odd: Odd) -> Victim {
    let victim = Victim::registered();
    let path = victim.path(name);
    if path.is_dir() {
        fs::remove_dir_all(&path).expect("it is removed");
    } else if path.exists() {
        fs::remove_file(&path).expect("it is removed");
    }
    victim.put(odd, name);
    victim.look_at_all();
    victim
}

/// The letters `a` and `b` without a pattern, always the same.
fn letters() -> impl Iterator<Item = char> {
    let mut number = 88_172_645_463_325_252_u64;
    std::iter::repeat_with(move || {
        number ^= number << 13;
        number ^= number >> 7;
        number ^= number << 17;
        if number & 1 == 0 { 'a' } else { 'b' }
    })
}
