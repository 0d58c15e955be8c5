//! Every stream there is: recorded ones where they are at hand, and our own fixtures.

use dialects::DialectId;
use serde_json::Value;

use crate::calls::{self, BOTH_SIDES};
use crate::fixtures::{self, Kind};
use crate::recorded::Traffic;

/// One upstream's stream.
pub struct Recorded {
    pub upstream: DialectId,
    pub title: String,
    pub bytes: Vec<u8>,
}

/// All streams, fixtures first.
pub fn all() -> Vec<Recorded> {
    let mut found = own();
    let Some(traffic) = Traffic::open() else {
        return found;
    };
    for upstream in BOTH_SIDES {
        let names = ["response-streaming", "followup-response-streaming"];
        for (title, events) in traffic.all(upstream, &names) {
            let Value::Array(events) = events else {
                continue;
            };
            found.push(Recorded {
                upstream,
                title,
                bytes: calls::as_stream(upstream, &events),
            });
        }
    }
    found
}

/// Our own streams.
pub fn own() -> Vec<Recorded> {
    let own = fixtures::of(Kind::Stream).into_iter();
    own.map(|fixture| Recorded {
        upstream: fixture.dialect,
        title: fixture.title,
        bytes: fixture.bytes,
    })
    .collect()
}
