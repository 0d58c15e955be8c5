//! Values that the gateway itself has put into earlier answers (signatures in envelopes, ids that
//! carry a signature) come back in the client's history. A vendor that speaks the client's own
//! dialect gets the body untouched, except for these.

use memchr::memmem;

use crate::canonical::{PartKind, Request};
use crate::{DialectId, Signature};

/// Whether a body may hold a value of our own making; almost none does, and the rest pass through
/// without being read.
pub fn holds_own_values(body: &[u8]) -> bool {
    memmem::find(body, b"Z3cx").is_some() || memmem::find(body, b"__thought__").is_some()
}

/// Takes our own values out of a request to a vendor of the client's own dialect: what that vendor
/// made is unwrapped, what another made is dropped.
pub fn unwrap_own_values(request: &mut Request) {
    let dialect = request.source;
    request.turns.retain_mut(|turn| {
        let was_empty = turn.parts.is_empty();
        turn.parts
            .retain(|part| match (&part.kind, &part.signature) {
                // A thought that another vendor made is no thought of this one.
                (PartKind::Thinking(_), Some(s)) => is_native(s, dialect),
                _ => true,
            });
        for part in &mut turn.parts {
            part.signature = part.signature.take().filter(|s| is_native(s, dialect));
        }
        was_empty || !turn.parts.is_empty()
    });
}

fn is_native(signature: &Signature, dialect: DialectId) -> bool {
    signature.for_upstream(dialect).is_some()
}
