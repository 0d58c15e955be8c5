//! A short list that needs no memory of its own: every call makes several, and none is longer than what
//! a token, its user and its group have together.

use std::ops::Deref;

/// Up to `N` items.
#[derive(Debug, Clone, Copy)]
pub(super) struct Few<T, const N: usize> {
    items: [T; N],
    length: usize,
}

impl<T: Copy, const N: usize> Few<T, N> {
    /// None yet; `blank` stands where items will be.
    pub(super) fn new(blank: T) -> Self {
        Self {
            items: [blank; N],
            length: 0,
        }
    }

    /// Adds one.
    pub(super) fn push(&mut self, item: T) {
        self.items[self.length] = item;
        self.length += 1;
    }
}

impl<T, const N: usize> Deref for Few<T, N> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.items[..self.length]
    }
}
