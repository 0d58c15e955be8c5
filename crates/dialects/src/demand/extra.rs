//! Charges of a vendor in addition to the tokens of the call.

use crate::canonical::usage::{SEARCHES, SOURCES};

/// The most entries that a body may have.
const MOST: usize = 64;
/// Longer names of tools are cut.
const LONGEST_NAME: usize = 64;

/// The uses of a hosted tool that a vendor guarantees not to exceed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// The body or the vendor allows at most so many.
    Uses(u64),
    /// One by an answer, for those models of Google that are charged by the answer; unlimited for others.
    OneByAnswer,
    /// No bound is known.
    Unlimited,
}

/// A charge in addition to tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extra {
    /// The tool or field, as the body names it.
    pub name: String,
    /// The name under which price sheets price it. None: it has no price of its own.
    pub charge: Option<String>,
    /// The vendor's bound.
    pub bound: Bound,
    /// Each use adds input tokens.
    pub adds_input: bool,
    /// It is in the list of tools, so that a limit on the uses of all tools holds for it.
    pub is_tool: bool,
}

impl Extra {
    /// Returns whether no answer tells how often it was used, so that it is charged as it was reserved.
    pub fn is_untold(&self) -> bool {
        let is_search = matches!(self.charge.as_deref(), Some(SEARCHES | SOURCES));
        !self.is_tool && self.charge.is_some() && !is_search
    }
}

/// All charges in addition to tokens that a body allows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExtraCharges {
    list: Vec<Extra>,
    /// The most uses of all hosted tools together.
    most_calls: Option<u64>,
}

impl ExtraCharges {
    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns the charges, each with its bound lowered to that of all tools together.
    pub fn iter(&self) -> impl Iterator<Item = (&Extra, Bound)> {
        self.list.iter().map(|extra| {
            let bound = match (extra.bound, self.most_calls) {
                (Bound::Uses(uses), Some(most)) if extra.is_tool => Bound::Uses(uses.min(most)),
                (Bound::Unlimited, Some(most)) if extra.is_tool => Bound::Uses(most),
                (bound, _) => bound,
            };
            (extra, bound)
        })
    }

    /// Adds a charge. False: there are too many.
    pub(super) fn add(&mut self, mut extra: Extra) -> bool {
        let end = extra.name.floor_char_boundary(LONGEST_NAME);
        extra.name.truncate(end);
        if self.list.len() < MOST {
            self.list.push(extra);
            return true;
        }
        self.list.contains(&extra)
    }

    /// Sets the most uses of all hosted tools together.
    pub(super) fn limit_calls(&mut self, most: u64) {
        self.most_calls = Some(most);
    }
}
