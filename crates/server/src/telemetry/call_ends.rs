//! How calls ended, by cause, whatever model they asked for: also those that reached no channel.

use std::sync::atomic::{AtomicU64, Ordering};

/// The cause of a call that ended well.
pub const NO_CAUSE: &str = "none";
/// The cause of a call whose client went away.
pub const CLIENT_LEFT: &str = "client_left";

/// Every cause, in the order of the counters: those of the error catalogue, and the two above.
pub const CAUSES: [&str; 20] = [
    NO_CAUSE,
    CLIENT_LEFT,
    "invalid_request",
    "unsupported",
    "context_length_exceeded",
    "content_policy_violation",
    "invalid_api_key",
    "insufficient_quota",
    "permission_denied",
    "model_not_found",
    "not_found",
    "method_not_supported",
    "conflict",
    "request_too_large",
    "unsupported_media_type",
    "rate_limit_exceeded",
    "internal_error",
    "bad_upstream_response",
    "overloaded",
    "upstream_timeout",
];

/// The causes that are ours or an upstream's.
const FAILURES: [&str; 4] = [
    "internal_error",
    "bad_upstream_response",
    "overloaded",
    "upstream_timeout",
];

/// How calls ended.
#[derive(Debug, Default)]
pub struct CallEnds([AtomicU64; CAUSES.len()]);

impl CallEnds {
    /// A call ended so.
    pub fn add(&self, cause: &'static str) {
        let position = CAUSES.iter().position(|known| *known == cause);
        // A cause that is not in the list is our own mistake; a test holds the list complete.
        self.0[position.unwrap_or(16)].fetch_add(1, Ordering::Relaxed);
    }

    /// Counts by cause.
    pub fn counts(&self) -> [(&'static str, u64); CAUSES.len()] {
        let mut position = 0;
        CAUSES.map(|cause| {
            let count = self.0[position].load(Ordering::Relaxed);
            position += 1;
            (cause, count)
        })
    }

    /// All calls, and those that failed for our or an upstream's fault.
    pub fn calls_and_failures(&self) -> (u64, u64) {
        self.counts()
            .into_iter()
            .fold((0, 0), |sums, (cause, count)| {
                let failed = if is_failure(cause) { count } else { 0 };
                (sums.0 + count, sums.1 + failed)
            })
    }
}

/// Whether a cause is ours or an upstream's.
pub fn is_failure(cause: &str) -> bool {
    FAILURES.contains(&cause)
}
