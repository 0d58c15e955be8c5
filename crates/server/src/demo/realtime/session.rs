//! One session: events in, events out. What it says is queued; whoever relays takes it one by one,
//! so that a client can cancel a response that is still being told.

use std::collections::VecDeque;
use std::time::Duration;

use dialects::realtime::SessionKind;
use serde_json::{Value, json};

use super::conversation::{Conversation, words};
use super::response::{Response, Wish, tell};
use super::settings::Settings;
use crate::demo::Switches;

/// Tokens of sound that are heard in a second.
const TOKENS_A_SECOND: u64 = 10;

/// A session with the demo model.
#[derive(Debug)]
pub struct Session {
    id: String,
    settings: Settings,
    conversation: Conversation,
    queue: VecDeque<Value>,
    running: Option<Response>,
    events: u64,
    pace: Duration,
    /// How many events of a response are told before the connection breaks.
    cut_after: Option<u64>,
}

impl Session {
    /// A session with this model. The seed makes its id.
    pub fn open(kind: SessionKind, model: &str, seed: &str, switches: &Switches) -> Self {
        let id = format!("sess_{seed}");
        let mut session = Self {
            settings: Settings::new(kind, &id, model),
            id,
            conversation: Conversation::default(),
            queue: VecDeque::new(),
            running: None,
            events: 0,
            pace: switches.pace,
            cut_after: switches.cut_after_tokens,
        };
        let created = json!({"type": "session.created", "session": session.settings.value()});
        session.queue.push_back(created);
        session
    }

    /// Takes a client's event.
    pub fn take(&mut self, frame: &str) {
        let event: Value = match serde_json::from_str(frame) {
            Ok(event @ Value::Object(_)) => event,
            _ => return self.refuse(&Value::Null, "invalid_json", "", "This is no event."),
        };
        let text = |name: &str| event[name].as_str().unwrap_or_default();
        match text("type") {
            "session.update" => self.update(&event),
            "input_audio_buffer.append" => self.conversation.hear(text("audio")),
            "input_audio_buffer.commit" => self.commit(&event),
            "input_audio_buffer.clear" => {
                self.conversation.forget_sound();
                self.say(json!({"type": "input_audio_buffer.cleared"}));
            }
            "conversation.item.create" => self.add_item(&event),
            "conversation.item.retrieve" => match self.conversation.get(text("item_id")).cloned() {
                Some(item) => {
                    let item = public(&item);
                    self.say(json!({"type": "conversation.item.retrieved", "item": item}));
                }
                None => self.no_item(&event),
            },
            "conversation.item.delete" => {
                if self.conversation.remove(text("item_id")) {
                    let id = text("item_id");
                    self.say(json!({"type": "conversation.item.deleted", "item_id": id}));
                } else {
                    self.no_item(&event);
                }
            }
            "conversation.item.truncate" => {
                if self.conversation.get(text("item_id")).is_some() {
                    let mut told = event.clone();
                    told["type"] = json!("conversation.item.truncated");
                    self.say(told);
                } else {
                    self.no_item(&event);
                }
            }
            "response.create" => self.create_response(&event),
            "response.cancel" => self.cancel(&event),
            "" => self.refuse(
                &event,
                "missing_required_parameter",
                "type",
                "`type` is required.",
            ),
            other => {
                let text = format!("There is no event `{other}`.");
                self.refuse(&event, "invalid_value", "type", &text);
            }
        }
    }

    /// The next event for the client; waits for ever where there is nothing to say. None: the
    /// connection breaks.
    pub async fn next(&mut self) -> Option<String> {
        if self.queue.is_empty() && self.running.is_none() {
            std::future::pending::<()>().await;
        }
        if !self.pace.is_zero() {
            tokio::time::sleep(self.pace).await;
        }
        self.ready()
    }

    /// The next event, without waiting.
    fn ready(&mut self) -> Option<String> {
        if let Some(event) = self.queue.pop_front() {
            return Some(self.frame(event));
        }
        let response = self.running.as_mut()?;
        if let Some(event) = response.rest.pop() {
            if let Some(left) = &mut self.cut_after {
                *left = left.checked_sub(1)?;
            }
            return Some(self.frame(event));
        }
        let Response { done, item, .. } = self.running.take()?;
        // At the end of the conversation there is always a place.
        let _ = self.conversation.add(item, None);
        Some(self.frame(done))
    }

    fn frame(&mut self, mut event: Value) -> String {
        self.events += 1;
        event["event_id"] = json!(format!("event_{:04}", self.events));
        event.to_string()
    }

    fn say(&mut self, event: Value) {
        self.queue.push_back(event);
    }

    fn refuse(&mut self, event: &Value, code: &str, param: &str, message: &str) {
        let param = Some(param).filter(|param| !param.is_empty());
        self.say(
            json!({"type": "error", "error": {"type": "invalid_request_error",
            "code": code, "message": message, "param": param, "event_id": event["event_id"]}}),
        );
    }

    fn no_item(&mut self, event: &Value) {
        let text = "There is no item of this id.";
        self.refuse(event, "item_not_found", "item_id", text);
    }

    fn update(&mut self, event: &Value) {
        let update = &event["session"];
        if !update.is_object() {
            let text = "`session` is required.";
            return self.refuse(event, "missing_required_parameter", "session", text);
        }
        match self.settings.update(update) {
            Ok(()) => {
                let session = self.settings.value().clone();
                self.say(json!({"type": "session.updated", "session": session}));
            }
            Err(name) => {
                let (param, text) = (
                    format!("session.{name}"),
                    format!("Unknown parameter: `session.{name}`."),
                );
                self.refuse(event, "unknown_parameter", &param, &text);
            }
        }
    }

    fn commit(&mut self, event: &Value) {
        let Some(item) = self.conversation.commit() else {
            let text = "The input audio buffer is empty.";
            return self.refuse(event, "input_audio_buffer_commit_empty", "", text);
        };
        let (id, heard) = (item["id"].clone(), words(&item));
        let seconds = item["tokens"]
            .as_u64()
            .unwrap_or(0)
            .div_ceil(TOKENS_A_SECOND);
        let before = self
            .conversation
            .add(item.clone(), None)
            .unwrap_or_default();
        self.say(json!({"type": "input_audio_buffer.committed",
            "previous_item_id": before, "item_id": id}));
        self.tell_item(&item, before.as_deref());
        if self.settings.transcription().is_some() {
            let usage = json!({"type": "duration", "seconds": seconds});
            self.say(
                json!({"type": "conversation.item.input_audio_transcription.completed",
                "item_id": id, "content_index": 0, "transcript": heard, "usage": usage}),
            );
        }
    }

    fn add_item(&mut self, event: &Value) {
        let mut item = event["item"].clone();
        if !item.is_object() || !item["type"].is_string() {
            let text = "`item` must be an object with a `type`.";
            return self.refuse(event, "missing_required_parameter", "item", text);
        }
        if !item["id"].is_string() {
            item["id"] = json!(self.conversation.id("item"));
        }
        item["object"] = json!("realtime.item");
        item["status"] = json!("completed");
        let after = event["previous_item_id"].as_str();
        match self.conversation.add(item.clone(), after) {
            Ok(before) => self.tell_item(&item, before.as_deref()),
            Err(()) => self.no_item(event),
        }
    }

    fn tell_item(&mut self, item: &Value, before: Option<&str>) {
        for kind in ["added", "done"] {
            let event = json!({"type": format!("conversation.item.{kind}"),
                "previous_item_id": before, "item": public(item)});
            self.say(event);
        }
    }

    fn create_response(&mut self, event: &Value) {
        if !self.settings.converses() {
            let text = "A transcription session gives no responses.";
            return self.refuse(event, "invalid_value", "type", text);
        }
        if self.running.is_some() {
            let text = "The conversation already has an active response.";
            return self.refuse(event, "conversation_already_has_active_response", "", text);
        }
        let settings = self.settings.with(&event["response"]);
        let (said, is_tool) = self.conversation.last_words();
        let (id, item_id) = (self.conversation.id("resp"), self.conversation.id("item"));
        let conversation_id = format!("conv_{}", self.id);
        self.running = Some(tell(&Wish {
            id: format!("{id}_{}", self.id),
            item_id,
            before: self.conversation.last_id(),
            conversation_id: &conversation_id,
            settings: &settings,
            words: &said,
            is_tool,
            counted: self.conversation.counted(),
        }));
    }

    fn cancel(&mut self, event: &Value) {
        let wanted = event["response_id"].as_str();
        let is_it = |running: &Response| wanted.is_none_or(|id| id == running.id);
        if !self.running.as_ref().is_some_and(is_it) {
            let text = "There is no active response to cancel.";
            return self.refuse(event, "response_cancel_not_active", "", text);
        }
        if let Some(Response { mut done, .. }) = self.running.take() {
            done["response"]["status"] = json!("cancelled");
            done["response"]["status_details"] =
                json!({"type": "cancelled", "reason": "client_cancelled"});
            self.say(done);
        }
    }
}

/// An item as clients see it.
fn public(item: &Value) -> Value {
    let mut item = item.clone();
    if let Some(map) = item.as_object_mut() {
        map.shift_remove("tokens");
    }
    item
}
