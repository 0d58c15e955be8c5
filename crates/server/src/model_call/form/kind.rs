//! What must be known of a kind of form, however late it comes.

use dialects::canonical::Failure;

/// A kind of form.
#[derive(Debug)]
pub struct Kind {
    /// The name of its file.
    pub file: &'static str,
    /// Texts that the call's price or answer depends on; each may be given once.
    pub options: &'static [&'static str],
    /// Whether such a text can be served. Those that come after a large file were not there when the
    /// call was admitted.
    pub check: fn(name: &str, value: &str) -> Result<(), Failure>,
}
