//! What was said so far in a session, and what of it counts.

use serde_json::{Value, json};

use crate::demo::tokens;

/// More than this is forgotten from the front: a session lives long.
const MOST_ITEMS: usize = 500;
/// Bytes of sound behind each token that is heard: 100 milliseconds.
const BYTES_A_TOKEN: u64 = 4_800;

/// The items of a conversation, in their order.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    items: Vec<Value>,
    made: u64,
    /// Bytes of sound that were sent and not yet committed.
    buffered: u64,
}

/// What the conversation so far counts.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Counted {
    pub(super) text: u64,
    pub(super) audio: u64,
}

impl Conversation {
    /// An id that was not given before.
    pub(super) fn id(&mut self, prefix: &str) -> String {
        self.made += 1;
        format!("{prefix}_{:04}", self.made)
    }

    /// Adds an item after the one of this id, at the front (`root`), or at the end. The id of the item
    /// before it comes back; an unknown id is refused.
    pub(super) fn add(&mut self, item: Value, after: Option<&str>) -> Result<Option<String>, ()> {
        let place = match after {
            None => self.items.len(),
            Some("root") => 0,
            Some(id) => self.place(id).ok_or(())? + 1,
        };
        let before = place.checked_sub(1).map(|before| &self.items[before]["id"]);
        let before = before.and_then(Value::as_str).map(str::to_owned);
        self.items.insert(place, item);
        if self.items.len() > MOST_ITEMS {
            self.items.remove(0);
        }
        Ok(before)
    }

    /// The id of the last item.
    pub(super) fn last_id(&self) -> Value {
        let last = self.items.last();
        last.map_or(Value::Null, |item| item["id"].clone())
    }

    pub(super) fn get(&self, id: &str) -> Option<&Value> {
        self.place(id).map(|place| &self.items[place])
    }

    pub(super) fn remove(&mut self, id: &str) -> bool {
        let place = self.place(id);
        place.map(|place| self.items.remove(place)).is_some()
    }

    fn place(&self, id: &str) -> Option<usize> {
        self.items.iter().position(|item| item["id"] == id)
    }

    /// Takes sound in base64.
    pub(super) fn hear(&mut self, base64: &str) {
        self.buffered = self.buffered.saturating_add(base64.len() as u64 / 4 * 3);
    }

    pub(super) fn forget_sound(&mut self) {
        self.buffered = 0;
    }

    /// Makes an item of the sound so far; none where there is none.
    pub(super) fn commit(&mut self) -> Option<Value> {
        let bytes = std::mem::take(&mut self.buffered);
        if bytes == 0 {
            return None;
        }
        let id = self.id("item");
        let words = format!("{} milliseconds of sound", bytes / 48);
        Some(json!({
            "id": id,
            "object": "realtime.item",
            "type": "message",
            "status": "completed",
            "role": "user",
            "content": [{"type": "input_audio", "transcript": words}],
            "tokens": bytes.div_ceil(BYTES_A_TOKEN),
        }))
    }

    /// What the user said last, or what a tool said.
    pub(super) fn last_words(&self) -> (String, bool) {
        for item in self.items.iter().rev() {
            if item["type"] == "function_call_output" {
                return (item["output"].as_str().unwrap_or_default().to_owned(), true);
            }
            if item["role"] == "user" {
                return (words(item), false);
            }
        }
        (String::new(), false)
    }

    pub(super) fn counted(&self) -> Counted {
        let mut counted = Counted::default();
        for item in &self.items {
            match item["tokens"].as_u64() {
                Some(tokens) => counted.audio += tokens,
                None => counted.text += tokens::count(&words(item)),
            }
        }
        counted
    }
}

/// The words of an item.
pub(super) fn words(item: &Value) -> String {
    let said = |part: &Value| {
        let text = part["text"]
            .as_str()
            .or_else(|| part["transcript"].as_str());
        text.unwrap_or_default().to_owned()
    };
    let content = item["content"].as_array().into_iter().flatten();
    let mut all: Vec<String> = content.map(said).collect();
    for name in ["output", "arguments"] {
        all.extend(item[name].as_str().map(str::to_owned));
    }
    all.join(" ")
}
