//! `[billing]`: how sure a charge must be before the reply ends, and what unpriced models do.

use serde::Deserialize;

use super::loader::Section;

/// When a reply may end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Durability {
    /// Only after its charge is on disk.
    Strict,
    /// Without waiting for the disk.
    Relaxed,
}

/// What happens to a call of a model that has no price.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unpriced {
    /// It is refused.
    Refuse,
    /// It is free.
    Free,
}

/// The `[billing]` section.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BillingConfig {
    /// `strict` or `relaxed`.
    pub durability: Durability,
    /// `refuse` or `free`.
    pub unpriced: Unpriced,
    /// How long a node may keep a slice of a wallet to itself, in seconds; at most 60.
    pub lease_s: u32,
    /// The uses of a hosted tool that are reserved if neither the call nor the vendor bounds them.
    pub hosted_tool_uses: u32,
    /// The input tokens that are reserved for each possible use of a hosted tool, whose results are read as input.
    pub hosted_tool_tokens: u32,
}

impl Default for BillingConfig {
    fn default() -> Self {
        Self {
            durability: Durability::Strict,
            unpriced: Unpriced::Refuse,
            lease_s: 30,
            hosted_tool_uses: 10,
            hosted_tool_tokens: 8000,
        }
    }
}

impl Section for BillingConfig {
    const NAME: &'static str = "billing";
    const NEEDS_RESTART: &'static [&'static str] = &["durability", "lease_s"];

    fn validate(&self, refuse: &mut dyn FnMut(&'static str, String)) {
        if !(1..=60).contains(&self.lease_s) {
            refuse("lease_s", "must be between 1 and 60".to_owned());
        }
        if !(1..=1000).contains(&self.hosted_tool_uses) {
            refuse("hosted_tool_uses", "must be between 1 and 1000".to_owned());
        }
        if self.hosted_tool_tokens > 1_000_000 {
            refuse("hosted_tool_tokens", "must be at most 1000000".to_owned());
        }
    }
}
