//! Maps whose keys are paths: several are looked up for each config, and most paths are long.

use std::{
    collections::{HashMap, HashSet},
    ffi::{OsStr, OsString},
};

use foldhash::fast::RandomState;

/// Values by the texts of absolute paths. The hash differs from process to process, so that names of files with the same one are hard to prepare.
pub type PathMap<V> = HashMap<OsString, V, RandomState>;

/// The texts of absolute paths.
pub type PathSet = HashSet<OsString, RandomState>;

/// As [`PathSet`], of paths that are kept elsewhere.
pub type PathRefs<'p> = HashSet<&'p OsStr, RandomState>;
