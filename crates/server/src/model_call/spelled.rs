//! Bodies whose names are escaped without need: they are spelled out before anything is looked for in them.

use bytes::Bytes;
use dialects::canonical::Failure;
use dialects::escapes::spelled_out;
use dialects::scan::Scan;
use dialects::{DialectId, Sighted, Word};

/// A reader of bodies; see [`dialects::scan`].
type Scanner = for<'a> fn(DialectId, &'a [u8]) -> Result<Scan<'a>, Failure>;

/// A body and what a look at it found.
pub struct Spelled {
    /// The body, spelled out.
    pub body: Bytes,
    /// What routing and metering need of it.
    pub scan: Scan<'static>,
    /// The words in it that matter.
    pub sighted: Sighted,
}

impl Spelled {
    /// Spells out a body that was scanned with this scanner. Nearly all stay as they are.
    pub fn out(
        dialect: DialectId,
        body: Bytes,
        scan: Scan<'static>,
        scanner: Scanner,
    ) -> Result<Self, Failure> {
        let sighted = scan.sighted(&body);
        if !sighted.has(Word::Escaped) {
            return Ok(Self {
                body,
                scan,
                sighted,
            });
        }
        let body = Bytes::from(spelled_out(&body));
        let scan = scanner(dialect, &body)?.into_owned();
        Ok(Self {
            sighted: scan.sighted(&body),
            body,
            scan,
        })
    }
}
