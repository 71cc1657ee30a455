//! The parts of composite values, which several values can share.
//!
//! A few lines of code can build a value whose parts are shared so often that it has more nodes than memory, if each is counted wherever it occurs:
//! `x = (x, x)`, sixty times. Therefore parts know their [`Size`] from the moment they are made. Values that are too large, or nested too deeply, are
//! refused there, so that whatever goes through a value later ends, and dropping it does not need the whole stack.

use std::{fmt, ops::Deref, sync::Arc};

/// The size of a value as it would be written out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    /// The number of values in it, itself included, each as often as it occurs.
    pub(crate) nodes: u32,
    /// The depth to which they are nested.
    pub(crate) depth: u16,
}

/// The largest number of nodes. Constants of prime-rl have some hundred.
const MAX_NODES: u32 = 70_000;

/// The maximum length of strings in bytes, and of lists in items. Those of configs are far shorter.
pub(crate) const LONGEST: usize = 1 << 16;

/// The deepest nesting.
const MAX_DEEP: u16 = 40;

impl Size {
    /// The size of a value without parts.
    pub(crate) const ONE: Self = Self { nodes: 1, depth: 0 };

    /// The size of a value that contains both.
    #[must_use]
    pub(crate) fn with(self, other: Self) -> Self {
        Self { nodes: self.nodes.saturating_add(other.nodes), depth: self.depth.max(other.depth) }
    }

    /// The size of a value around it.
    #[must_use]
    pub(crate) const fn wrapped(self) -> Self {
        Self { nodes: self.nodes.saturating_add(1), depth: self.depth.saturating_add(1) }
    }

    /// Whether a value of this size is too large to be used.
    pub(crate) const fn is_too_large(self) -> bool {
        self.nodes > MAX_NODES || self.depth > MAX_DEEP
    }
}

/// What has a size.
pub(crate) trait Measured {
    /// Its size, without going through it.
    fn size(&self) -> Size;
}

/// Parts in order, with their size.
pub(crate) struct Parts<T>(Arc<Inner<T>>);

struct Inner<T> {
    size: Size,
    all: Vec<T>,
}

impl<T> Parts<T> {
    /// The size of a value with these parts.
    pub(crate) fn size(&self) -> Size {
        self.0.size
    }
}

impl<T: Measured> From<Vec<T>> for Parts<T> {
    fn from(all: Vec<T>) -> Self {
        let empty = Size { nodes: 0, depth: 0 };
        let size = all.iter().fold(empty, |size, part| size.with(part.size())).wrapped();
        Self(Arc::new(Inner { size, all }))
    }
}

impl<T: Measured + Clone> From<&[T]> for Parts<T> {
    fn from(all: &[T]) -> Self {
        all.to_vec().into()
    }
}

impl<T: Measured> FromIterator<T> for Parts<T> {
    fn from_iter<I: IntoIterator<Item = T>>(all: I) -> Self {
        all.into_iter().collect::<Vec<T>>().into()
    }
}

impl<T: Measured> Default for Parts<T> {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl<T> Clone for Parts<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Deref for Parts<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0.all
    }
}

impl<'p, T> IntoIterator for &'p Parts<T> {
    type Item = &'p T;
    type IntoIter = std::slice::Iter<'p, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T: fmt::Debug> fmt::Debug for Parts<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.all.fmt(formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::Parts;
    use crate::value::Value;

    #[test]
    fn shared_parts_count_wherever_they_occur() {
        let mut value = Value::Int(0);
        for _ in 0..16 {
            value = Value::Tuple(vec![value.clone(), value].into());
        }
        let size = Parts::from(vec![value.clone()]).size();
        assert_eq!((size.nodes, size.depth), (2_u32.pow(17), 17));
        assert!(size.is_too_large());
    }
}
