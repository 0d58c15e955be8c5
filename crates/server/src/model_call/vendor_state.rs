//! Ids of what a vendor keeps (files, containers, conversations, prompts, caches) are refused: many people call through one
//! channel's key, and nobody can tell whether an id is the caller's own.

use dialects::canonical::{Failure, Request};
use dialects::{Sighted, Word, vendor_state};

use crate::app::App;

/// Whether a body with these words must be looked through.
pub fn is_suspected(app: &App, sighted: &Sighted) -> bool {
    sighted.has(Word::VendorState) && !is_passed(app)
}

/// Whether such ids are handed on to vendors here.
pub fn is_passed(app: &App) -> bool {
    app.config().routing.pass_vendor_state
}

/// Refuses a request that has such an id.
pub fn check(request: &Request) -> Result<(), Failure> {
    vendor_state(request).map_or(Ok(()), |name| Err(refusal(name)))
}

/// The refusal of an id in this field.
pub fn refusal(name: &str) -> Failure {
    let text = format!(
        "`{name}` names something that the vendor keeps, which is not found here: it may be another caller's. Send the content itself."
    );
    Failure::bad_request(name, text)
}
