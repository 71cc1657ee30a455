//! Maps whose keys are paths: several of them are asked for each config, and most paths are long.

use std::{
    collections::{HashMap, HashSet},
    ffi::OsString,
};

use foldhash::fast::RandomState;

/// Values by the texts of absolute paths. The hash is random in each process, so that nobody can choose names of files that have the same one.
pub type PathMap<V> = HashMap<OsString, V, RandomState>;

/// The texts of absolute paths.
pub type PathSet = HashSet<OsString, RandomState>;
