//! Close codes, from one leg of a relay to the other.

use crate::canonical::FailureKind;

/// The longest reason that fits into a close frame.
const MAX_REASON_BYTES: usize = 123;

const POLICY: u16 = 1008;
const TOO_BIG: u16 = 1009;
const INTERNAL: u16 = 1011;
const TRY_LATER: u16 = 1013;

/// The code to close one leg with when the other was closed with this one. Some codes only ever
/// stand for a close without a code, or for none at all, and must not be sent; `None` is a close
/// without a code.
pub fn close_code(received: Option<u16>) -> Option<u16> {
    match received {
        None | Some(1005) => None,
        Some(code @ (1000..=1003 | 1007..=1014 | 3000..=4999)) => Some(code),
        Some(_) => Some(INTERNAL),
    }
}

/// The code to close a session with after a failure of this kind.
pub fn close_code_for(kind: FailureKind) -> u16 {
    match kind {
        FailureKind::Unauthenticated
        | FailureKind::NoBalance
        | FailureKind::Forbidden
        | FailureKind::ModelNotFound
        | FailureKind::ContentBlocked
        | FailureKind::BadRequest
        | FailureKind::Unsupported
        | FailureKind::ContextTooLong
        | FailureKind::NotFound
        | FailureKind::MethodNotAllowed
        | FailureKind::Conflict
        | FailureKind::UnsupportedMedia => POLICY,
        FailureKind::TooLarge => TOO_BIG,
        FailureKind::RateLimited | FailureKind::Overloaded => TRY_LATER,
        FailureKind::Internal | FailureKind::UpstreamBad | FailureKind::Timeout => INTERNAL,
    }
}

/// A reason that fits, no character cut in two.
pub fn close_reason(reason: &str) -> &str {
    &reason[..reason.floor_char_boundary(MAX_REASON_BYTES)]
}
