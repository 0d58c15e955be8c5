//! A finished span.

use std::borrow::Cow;

/// On which side of a call a span is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpanKind {
    /// It was called.
    Server,
    /// It calls.
    Client,
}

/// The value of an attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Attribute {
    /// A text.
    Text(Cow<'static, str>),
    /// A number.
    Number(i64),
    /// Yes or no.
    Switch(bool),
}

/// A finished span. It holds no text of clients or vendors: names, numbers and causes only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// The trace.
    pub trace_id: [u8; 16],
    /// The span.
    pub id: [u8; 8],
    /// The span above.
    pub parent_id: Option<[u8; 8]>,
    /// Its name.
    pub name: String,
    /// On which side of a call.
    pub kind: SpanKind,
    /// When it began, in unix nanoseconds.
    pub start_ns: u64,
    /// When it ended.
    pub end_ns: u64,
    /// What is known of it.
    pub attributes: Vec<(&'static str, Attribute)>,
    /// Whether it failed.
    pub is_error: bool,
}

impl Span {
    /// Adds a text.
    pub fn text(&mut self, name: &'static str, value: impl Into<Cow<'static, str>>) {
        self.attributes.push((name, Attribute::Text(value.into())));
    }

    /// Adds a number; one beyond all bounds is cut.
    pub fn number(&mut self, name: &'static str, value: impl TryInto<i64>) {
        let value = value.try_into().unwrap_or(i64::MAX);
        self.attributes.push((name, Attribute::Number(value)));
    }

    /// Adds a switch.
    pub fn switch(&mut self, name: &'static str, value: bool) {
        self.attributes.push((name, Attribute::Switch(value)));
    }
}
