//! What the tests of this package share. Each file of `tests/` has one topic; topics that need the built program are in `crates/cfg/tests/`.

mod checking;
mod packages;
mod page;
mod place;
mod recorded;
mod shares;
mod sized;
mod split;

pub use checking::{CLEAN, Checking, Found, position, spread};
pub use packages::{Dependency, Package, packages};
pub use page::compare_part;
pub use place::{configs_below, shared, workspace};
pub use recorded::{Error, Recorded, compare};
pub use shares::in_shares;
pub use sized::sized;
pub use split::{check_split, is_split};
