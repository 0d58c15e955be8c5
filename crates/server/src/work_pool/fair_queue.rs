//! A queue with one line per user, served in turn: a user with many items does not delay another user's item by
//! more than one item.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

/// Items by user. It has no bound of its own.
#[derive(Debug)]
pub(super) struct FairQueue<U, T> {
    lines: HashMap<U, VecDeque<T>>,
    /// The users with items, in the order in which they are served.
    turns: VecDeque<U>,
    len: usize,
}

impl<U, T> Default for FairQueue<U, T> {
    fn default() -> Self {
        Self {
            lines: HashMap::new(),
            turns: VecDeque::new(),
            len: 0,
        }
    }
}

impl<U: Copy + Eq + Hash, T> FairQueue<U, T> {
    /// Appends an item to the user's line.
    pub(super) fn push(&mut self, user: U, item: T) {
        let line = self.lines.entry(user).or_default();
        if line.is_empty() {
            self.turns.push_back(user);
        }
        line.push_back(item);
        self.len += 1;
    }

    /// Removes the oldest item of the user whose turn it is.
    pub(super) fn pop(&mut self) -> Option<T> {
        let user = self.turns.pop_front()?;
        let line = self.lines.get_mut(&user)?;
        let item = line.pop_front();
        if line.is_empty() {
            self.lines.remove(&user);
        } else {
            self.turns.push_back(user);
        }
        self.len -= 1;
        item
    }

    /// Returns the number of items.
    pub(super) fn len(&self) -> usize {
        self.len
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_are_served_in_turn_and_each_in_order() {
        let mut queue = FairQueue::default();
        for item in 0..3 {
            queue.push('a', item);
        }
        queue.push('b', 10);
        queue.push('c', 20);
        assert_eq!(queue.len(), 5);
        let order: Vec<i32> = std::iter::from_fn(|| queue.pop()).collect();
        assert_eq!(order, [0, 10, 20, 1, 2]);
        assert_eq!((queue.len(), queue.lines.len()), (0, 0));
    }
}
