//! Values that the gateway itself has put into earlier answers (signatures in envelopes, ids that
//! carry a signature, ids of items) come back in the client's history. A vendor that speaks the client's own
//! dialect gets the body untouched, except for these.

use serde_json::Value;

use super::{Target, thoughts};
use crate::canonical::{PartKind, Request};
use crate::{DialectId, Signature, ids};

/// Takes our own values out of a request to a vendor of the client's own dialect: what that vendor
/// made is unwrapped, what another made is dropped.
pub fn unwrap_own_values(request: &mut Request, target: &Target) {
    let dialect = request.source;
    let mut took_foreign = false;
    request.turns.retain_mut(|turn| {
        let was_empty = turn.parts.is_empty();
        let item = turn.extra.get("id").and_then(Value::as_str);
        let is_own_item = item.is_some_and(ids::is_own_item);
        turn.parts
            .retain(|part| match (&part.kind, &part.signature) {
                // A thought that another vendor made is no thought of this one.
                (PartKind::Thinking(_), Some(s)) => is_native(s, dialect),
                (PartKind::Thinking(_), None) => !is_own_item,
                _ => true,
            });
        if is_own_item {
            // The vendor would look for it among its own.
            turn.extra.shift_remove("id");
        }
        for part in &mut turn.parts {
            let foreign = part.signature.take_if(|s| !is_native(s, dialect));
            took_foreign |= foreign.is_some();
        }
        was_empty || !turn.parts.is_empty()
    });
    if took_foreign {
        thoughts::mark_calls(request, target);
    }
}

fn is_native(signature: &Signature, dialect: DialectId) -> bool {
    signature.for_upstream(dialect).is_some()
}
