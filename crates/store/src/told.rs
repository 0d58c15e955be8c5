//! Texts for people, and the same as data. What the data mean is the server's business.

/// What people are told, in English.
#[derive(Clone, Copy, Debug)]
pub struct Told<'a> {
    /// The text.
    pub text: &'a str,
    /// The same as JSON, for clients that say it in another language; none where somebody wrote the text.
    pub note: Option<&'a str>,
}

impl<'a> From<&'a str> for Told<'a> {
    fn from(text: &'a str) -> Self {
        Self { text, note: None }
    }
}

impl<'a> From<&'a String> for Told<'a> {
    fn from(text: &'a String) -> Self {
        text.as_str().into()
    }
}
