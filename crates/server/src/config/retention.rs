//! `[retention]`: how long logs are kept. 0 keeps them for ever.

use serde::Deserialize;

use super::loader::Section;

/// The `[retention]` section.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RetentionConfig {
    /// The request log with its attempts, in days.
    pub request_log_days: u32,
    /// The audit log, in days.
    pub audit_log_days: u32,
}

impl Default for RetentionConfig {
    fn default() -> Self {
        Self {
            request_log_days: 90,
            audit_log_days: 730,
        }
    }
}

impl Section for RetentionConfig {
    const NAME: &'static str = "retention";
    const NEEDS_RESTART: &'static [&'static str] = &[];

    fn validate(&self, _: &mut dyn FnMut(&'static str, String)) {}
}
