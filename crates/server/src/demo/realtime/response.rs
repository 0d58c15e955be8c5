//! One response as the events that tell it, in their order.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::conversation::Counted;
use super::settings::Settings;
use crate::demo::arguments::sample;
use crate::demo::{sound, tokens};

/// Bytes of sound behind each token that is spoken: 50 milliseconds.
const BYTES_A_TOKEN: usize = 2_400;

/// What a response is made from.
pub(super) struct Wish<'a> {
    pub(super) id: String,
    pub(super) item_id: String,
    /// The id of the item before it.
    pub(super) before: Value,
    pub(super) conversation_id: &'a str,
    pub(super) settings: &'a Settings,
    /// What was said last.
    pub(super) words: &'a str,
    /// Whether a tool said it.
    pub(super) is_tool: bool,
    pub(super) counted: Counted,
}

/// A response that is being told.
#[derive(Debug)]
pub(super) struct Response {
    pub(super) id: String,
    /// The events that are still to come, the next one last.
    pub(super) rest: Vec<Value>,
    /// The last event, which is told too where the response is cancelled.
    pub(super) done: Value,
    /// The item that the conversation gets.
    pub(super) item: Value,
}

/// Tells a response.
pub(super) fn tell(wish: &Wish<'_>) -> Response {
    let tool = wish
        .settings
        .called_tool(wish.words)
        .filter(|_| !wish.is_tool);
    let mut told = Told::new(wish);
    told.push(json!({"type": "response.created", "response": told.response("in_progress")}));
    let item = match tool {
        Some(tool) => told.call(tool),
        None => told.message(),
    };
    let mut done = told.response("completed");
    done["output"] = json!([item]);
    done["usage"] = told.usage();
    let done = json!({"type": "response.done", "response": done});
    let mut rest = told.events;
    rest.reverse();
    Response {
        id: wish.id.clone(),
        rest,
        done,
        item,
    }
}

struct Told<'a> {
    wish: &'a Wish<'a>,
    events: Vec<Value>,
    text: u64,
    audio: u64,
}

impl<'a> Told<'a> {
    fn new(wish: &'a Wish<'a>) -> Self {
        Self {
            wish,
            events: Vec::new(),
            text: 0,
            audio: 0,
        }
    }

    fn push(&mut self, event: Value) {
        self.events.push(event);
    }

    fn response(&self, status: &str) -> Value {
        let mut response = json!({
            "object": "realtime.response",
            "id": self.wish.id,
            "status": status,
            "status_details": null,
            "output": [],
            "conversation_id": self.wish.conversation_id,
            "usage": null,
        });
        if let Some(map) = response.as_object_mut() {
            map.extend(self.wish.settings.repeated());
        }
        response
    }

    fn usage(&self) -> Value {
        let Counted { text, audio } = self.wish.counted;
        let (input, output) = (text + audio, self.text + self.audio);
        json!({
            "total_tokens": input + output,
            "input_tokens": input,
            "output_tokens": output,
            "input_token_details": {"text_tokens": text, "audio_tokens": audio, "image_tokens": 0,
                "cached_tokens": 0,
                "cached_tokens_details": {"text_tokens": 0, "audio_tokens": 0, "image_tokens": 0}},
            "output_token_details": {"text_tokens": self.text, "audio_tokens": self.audio},
        })
    }

    /// An event of the response's one item.
    fn of_item(&mut self, kind: &str, more: &Value) {
        let mut event = json!({"type": format!("response.{kind}"),
            "response_id": self.wish.id, "item_id": self.wish.item_id, "output_index": 0});
        add(&mut event, more);
        self.push(event);
    }

    /// An event of the item's one content.
    fn of_content(&mut self, kind: &str, more: &Value) {
        let mut content = json!({"content_index": 0});
        add(&mut content, more);
        self.of_item(kind, &content);
    }

    /// The item begins or ends, in the response and in the conversation.
    fn item_event(&mut self, kind: &str, item: &Value) {
        let event = json!({"type": format!("response.output_item.{kind}"),
            "response_id": self.wish.id, "output_index": 0, "item": item});
        self.push(event);
        let event = json!({"type": format!("conversation.item.{kind}"),
            "previous_item_id": self.wish.before, "item": item});
        self.push(event);
    }

    /// The call of a tool.
    fn call(&mut self, tool: &Value) -> Value {
        let arguments = sample(&tool["parameters"]).to_string();
        let call_id = format!("call_{}", self.wish.item_id);
        let item = |status: &str, arguments: &str| {
            json!({"id": self.wish.item_id, "object": "realtime.item", "type": "function_call",
                "status": status, "name": tool["name"], "call_id": call_id,
                "arguments": arguments})
        };
        let (begun, whole) = (item("in_progress", ""), item("completed", &arguments));
        self.item_event("added", &begun);
        for token in tokens::each(&arguments) {
            let delta = json!({"call_id": call_id, "delta": token});
            self.of_item("function_call_arguments.delta", &delta);
        }
        let done = json!({"call_id": call_id, "name": tool["name"], "arguments": arguments});
        self.of_item("function_call_arguments.done", &done);
        self.item_event("done", &whole);
        self.text = tokens::count(&arguments);
        whole
    }

    /// Words, written or spoken.
    fn message(&mut self) -> Value {
        let text = self.said();
        let speaks = self.wish.settings.speaks();
        let part = |text: &str| {
            if speaks {
                json!({"type": "output_audio", "transcript": text})
            } else {
                json!({"type": "output_text", "text": text})
            }
        };
        let item = |status: &str, content: Value| {
            json!({"id": self.wish.item_id, "object": "realtime.item", "type": "message",
                "status": status, "role": "assistant", "content": content})
        };
        let (begun, whole) = (
            item("in_progress", json!([])),
            item("completed", json!([part(&text)])),
        );
        self.item_event("added", &begun);
        self.of_content("content_part.added", &json!({"part": part("")}));
        if speaks {
            self.speak(&text);
        } else {
            for token in tokens::each(&text) {
                self.of_content("output_text.delta", &json!({"delta": token}));
            }
            self.of_content("output_text.done", &json!({"text": text}));
        }
        self.of_content("content_part.done", &json!({"part": part(&text)}));
        self.item_event("done", &whole);
        self.text = tokens::count(&text);
        whole
    }

    fn speak(&mut self, text: &str) {
        let sound = sound::bytes(&sound::play(&sound::notes(text, 1.0)));
        self.audio = sound.len().div_ceil(BYTES_A_TOKEN) as u64;
        let mut pieces = sound.chunks(BYTES_A_TOKEN * 4);
        for token in tokens::each(text) {
            self.of_content("output_audio_transcript.delta", &json!({"delta": token}));
            if let Some(piece) = pieces.next() {
                let delta = json!({"delta": STANDARD.encode(piece)});
                self.of_content("output_audio.delta", &delta);
            }
        }
        for piece in pieces {
            let delta = json!({"delta": STANDARD.encode(piece)});
            self.of_content("output_audio.delta", &delta);
        }
        self.of_content("output_audio.done", &json!({}));
        self.of_content("output_audio_transcript.done", &json!({"transcript": text}));
    }

    fn said(&self) -> String {
        let words = self.wish.words.trim();
        let text = if self.wish.is_tool {
            format!("The tool says: {words}")
        } else if words.is_empty() {
            "Hello from the demo model.".to_owned()
        } else {
            format!("You said: {words}")
        };
        tokens::cut(&text, self.wish.settings.most_output()).to_owned()
    }
}

fn add(event: &mut Value, more: &Value) {
    if let (Some(event), Some(more)) = (event.as_object_mut(), more.as_object()) {
        event.extend(more.clone());
    }
}
