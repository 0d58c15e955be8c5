//! What is kept of an answer.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// An answer and what it answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    /// The answer's id, as the client knows it.
    pub id: String,
    /// The answer that it goes on from.
    pub previous_id: Option<String>,
    /// Everything that went in, earlier turns included.
    pub input: Vec<Value>,
    /// The answer as the client had it.
    pub response: Map<String, Value>,
}

impl Kept {
    /// How far the answer came.
    pub fn status(&self) -> &str {
        let status = self.response.get("status").and_then(Value::as_str);
        status.unwrap_or("completed")
    }

    /// What was answered.
    pub fn output(&self) -> &[Value] {
        let output = self.response.get("output").and_then(Value::as_array);
        output.map_or(&[], Vec::as_slice)
    }

    /// The same, cancelled by its owner.
    #[must_use]
    pub fn cancelled(mut self) -> Self {
        let status = json!("cancelled");
        self.response.insert("status".to_owned(), status);
        self
    }

    /// The same, failed; `said` is what is known of why.
    #[must_use]
    pub fn failed(mut self, said: Option<&Value>) -> Self {
        let text = |name: &str| said.and_then(|said| said.get(name)).cloned();
        let error = json!({
            "code": text("code").unwrap_or_else(|| json!("server_error")),
            "message": text("message").unwrap_or_else(|| json!("The answer failed.")),
        });
        self.response.insert("status".to_owned(), json!("failed"));
        self.response.insert("error".to_owned(), error);
        self
    }

    /// The same, failed because the node that made it has ended.
    #[must_use]
    pub fn left(self) -> Self {
        let text = "The node that made the answer stopped before it was finished; ask again.";
        self.failed(Some(&json!({"message": text})))
    }

    /// Puts the finished answer in the place of the promise, under the id that was promised.
    #[must_use]
    pub fn answered(mut self, mut response: Map<String, Value>) -> Self {
        // The upstream was asked for an answer of its own, which nobody keeps and which goes on from nothing.
        for (name, promised) in [
            ("id", json!(self.id)),
            ("background", json!(true)),
            ("store", json!(true)),
            ("previous_response_id", json!(self.previous_id)),
        ] {
            response.insert(name.to_owned(), promised);
        }
        self.response = response;
        self
    }
}
