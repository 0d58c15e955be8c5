//! What a client sent: one request as the fake upstream received it, for a test to look at.

use bytes::Bytes;
use serde_json::Value;

/// One request, complete with its body.
#[derive(Clone, Debug)]
pub struct RecordedRequest {
    /// The method, as sent.
    pub method: String,
    /// The path without the query.
    pub path: String,
    /// What follows the question mark; empty without one.
    pub query: String,
    /// Headers in the order sent, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body, with any chunked framing removed.
    pub body: Bytes,
    /// Which connection it came on, counted from zero in the order of acceptance.
    pub connection: usize,
}

impl RecordedRequest {
    /// The first header of that name, which is given in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }

    /// The body as JSON. Fails the test when it is not.
    pub fn json(&self) -> Value {
        match serde_json::from_slice(&self.body) {
            Ok(value) => value,
            Err(error) => panic!(
                "the body of {} {} is not JSON: {error}",
                self.method, self.path
            ),
        }
    }

    /// The body as text. Fails the test when it is not.
    pub fn text(&self) -> &str {
        match std::str::from_utf8(&self.body) {
            Ok(text) => text,
            Err(error) => panic!(
                "the body of {} {} is not text: {error}",
                self.method, self.path
            ),
        }
    }
}
