//! What a request can cost beyond its own text: fields that cap the output, fields that multiply it, and charges of a
//! vendor in addition to tokens. `table` lists the fields, `tools` the hosted tools.
//!
//! An upstream may honour a field that is foreign to the dialect, so every field counts under every dialect, and the
//! largest cap counts.

mod extra;
mod number;
mod read;
mod table;
mod tools;

pub use extra::{Bound, Extra, ExtraCharges};
pub(crate) use read::{Kept, MOST_TOKENS, Reader};
pub use table::cap_names;
#[cfg(test)]
pub(crate) use table::{COMMON, GENERATE, Rule, Table};

/// What a body allows a vendor to do.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent answers about one body"
)]
pub struct Demand {
    /// The largest cap on the output of one choice.
    cap: Option<u64>,
    /// One of the caps is the dialect's own, so that every upstream of the dialect honours it.
    has_own_cap: bool,
    /// A field says that there is no cap, which some upstreams honour before any other field.
    has_open_cap: bool,
    /// The choices that the dialect's own field asks for.
    choices: u64,
    /// The product of all multipliers.
    times: u64,
    /// The largest budget for reasoning.
    reasoning: u64,
    /// The cap of this dialect includes a smaller budget for reasoning.
    cap_includes_reasoning: bool,
    /// Bytes of a predicted answer; what differs from it is charged as output too.
    predicted: u64,
    /// The body names kinds of answers other than text.
    has_modalities: bool,
    /// A field of the body asks for a search, of which chat completions do not tell.
    has_search_options: bool,
    /// Charges in addition to tokens.
    extra: ExtraCharges,
}

impl Default for Demand {
    fn default() -> Self {
        Self {
            cap: None,
            has_own_cap: false,
            has_open_cap: false,
            choices: 1,
            times: 1,
            reasoning: 0,
            cap_includes_reasoning: false,
            predicted: 0,
            has_modalities: false,
            has_search_options: false,
            extra: ExtraCharges::default(),
        }
    }
}

impl Demand {
    /// Returns the largest cap under any reading of the body. `usual` is the cap of the model, which holds if no field
    /// of the dialect itself gives one.
    pub fn cap(&self, usual: impl FnOnce() -> u64) -> u64 {
        match self.cap {
            Some(cap) if self.has_own_cap && !self.has_open_cap => cap,
            cap => cap.unwrap_or(0).max(usual()),
        }
    }

    /// Returns the output tokens that a choice may have in addition to this cap.
    pub fn beside(&self, cap: u64) -> u64 {
        let is_included = self.cap_includes_reasoning && self.reasoning < cap;
        let reasoning = if is_included { 0 } else { self.reasoning };
        reasoning.saturating_add(self.predicted)
    }

    /// Returns the cap that keeps one choice within so many output tokens. None: there is no such cap.
    pub fn cap_within(&self, output: u64) -> Option<u64> {
        let cap = output.checked_sub(self.beside(output))?;
        let is_possible = cap > 0 && !(self.cap_includes_reasoning && cap <= self.reasoning);
        is_possible.then_some(cap)
    }

    /// Returns how many choices the answer has.
    pub fn choices(&self) -> u64 {
        self.choices
    }

    /// Returns the product of all multipliers.
    pub fn times(&self) -> u64 {
        self.times
    }

    /// Returns whether the body names kinds of answers other than text.
    pub fn has_modalities(&self) -> bool {
        self.has_modalities
    }

    /// Returns whether a field of the body asks for a search, of which chat completions do not tell.
    pub fn has_search_options(&self) -> bool {
        self.has_search_options
    }

    /// Returns the charges in addition to tokens.
    pub fn extra(&self) -> &ExtraCharges {
        &self.extra
    }
}

#[cfg(test)]
#[path = "demand_tests.rs"]
mod tests;
