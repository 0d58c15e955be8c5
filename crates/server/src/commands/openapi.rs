//! `modelgate openapi`: the description of the interface, as `/api/openapi.json` serves it.

use std::io::{self, Write as _};

use crate::management::description;

/// Prints the document.
pub(super) fn run() -> io::Result<()> {
    writeln!(io::stdout(), "{:#}", description())
}
