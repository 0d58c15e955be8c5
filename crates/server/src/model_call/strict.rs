//! `x-modelgate-strict: true` turns everything that would be dropped into a refusal.

use dialects::canonical::Failure;
use http::HeaderName;

use super::call::Call;

/// The header.
const HEADER: HeaderName = HeaderName::from_static("x-modelgate-strict");

/// Whether the client wants nothing dropped.
pub fn is_strict(call: &Call) -> bool {
    let value = call.headers().get(HEADER);
    value.is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"true"))
}

/// Refuses a call of which something would be dropped, where the client wants it so.
pub fn check(call: &Call, dropped: &[String]) -> Result<(), Failure> {
    match dropped.first() {
        Some(name) if is_strict(call) => {
            let text = format!("The model cannot be told `{name}`.");
            Err(Failure::unsupported(name.clone(), text))
        }
        _ => Ok(()),
    }
}
