//! How much an answer has said so far, for counting where the upstream does not tell: a sample of
//! its words and the length of all of them. Memory is bounded, whatever the upstream sends.

use serde_json::Value;

/// As much is kept of the words.
const SAMPLE_BYTES: usize = 8 * 1024;

/// What was said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Said {
    /// The beginning of it.
    pub sample: String,
    /// How long all of it is.
    pub bytes: u64,
}

impl Said {
    /// Hears more words.
    pub fn hear(&mut self, words: &str) {
        self.bytes = self.bytes.saturating_add(words.len() as u64);
        let room = SAMPLE_BYTES.saturating_sub(self.sample.len());
        self.sample
            .push_str(&words[..words.floor_char_boundary(room)]);
    }

    /// Hears what the model wrote into a call of a vendor's own tool.
    pub(crate) fn hear_call(&mut self, call: &Value) {
        for name in ["input", "arguments", "code", "action", "operation"] {
            match call.get(name) {
                Some(Value::String(text)) => self.hear(text),
                Some(value @ (Value::Object(_) | Value::Array(_))) => self.hear(&value.to_string()),
                _ => {}
            }
        }
    }

    /// Hears what was said later.
    pub fn add(&mut self, later: &Self) {
        let bytes = self.bytes.saturating_add(later.bytes);
        self.hear(&later.sample);
        self.bytes = bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_is_bounded_and_the_length_is_not() {
        let mut said = Said::default();
        for _ in 0..3_000 {
            said.hear("größer");
        }
        assert_eq!(said.bytes, 3_000 * 8);
        assert!(said.sample.len() <= SAMPLE_BYTES);
    }
}
