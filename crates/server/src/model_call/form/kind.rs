//! What must be known of a kind of form, however late it comes.

use dialects::canonical::Failure;

/// A kind of form.
#[derive(Debug)]
pub struct Kind {
    /// The name of its file.
    pub file: &'static str,
    /// Whether there is only one file. Otherwise there may be a list of them, and a mask.
    pub has_one_file: bool,
    /// Texts that the call's price or answer depends on; each may be given once.
    pub options: &'static [&'static str],
    /// Whether such a text can be served. Those that come after a large file were not there when the
    /// call was admitted.
    pub check: fn(name: &str, value: &str) -> Result<(), Failure>,
}

impl Kind {
    /// Checks the name of a file that comes after this many others.
    pub(super) fn check_file(&self, name: &str, former: usize) -> Result<(), Failure> {
        let is_listed = !self.has_one_file && (name == "mask" || name.starts_with(self.file));
        if name != self.file && !is_listed {
            let text = format!("The form has an unexpected file `{name}`.");
            return Err(Failure::bad_request(name, text));
        }
        if self.has_one_file && former > 0 {
            let text = format!("The form must have exactly one `{name}`.");
            return Err(Failure::bad_request(name, text));
        }
        Ok(())
    }
}
