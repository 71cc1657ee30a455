//! How much the tests try.

use std::env;

/// Of how much a test could try: `part` in an ordinary run, which has each kind of case, and `whole` if the environment variable `CFG_TESTS` is `all`.
#[allow(unreachable_pub, reason = "it is a module of test programs, too")]
pub fn sized<T>(part: T, whole: T) -> T {
    if env::var_os("CFG_TESTS").is_some_and(|tests| tests == "all") { whole } else { part }
}
