//! Nothing: only the features of its dependencies matter.
