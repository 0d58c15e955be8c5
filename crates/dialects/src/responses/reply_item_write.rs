//! Writes the parts of an answer as output items for a client.

use serde_json::{Map, Value, json};

use super::item_write::{call_item, reasoning_item};
use super::marks::overlay;
use super::part_write::length;
use super::shell::{Outcome, Shell};
use super::{ITEM, annotations, logprobs};
use crate::canonical::{
    Arguments, Choice, Extra, Media, MediaClass, MediaSource, Part, PartKind, Thinking,
    ThinkingForm, ToolCall,
};
use crate::dialect::name_once;
use crate::{DialectId, ReplyContext, Signature};

/// Gathers output items.
pub(super) struct OutputWriter<'a> {
    shell: &'a Shell,
    context: &'a ReplyContext,
    is_own: bool,
    items: Vec<Map<String, Value>>,
    /// Whether the last item is a message that more text may join.
    in_message: bool,
    /// Log probabilities that no part has of its own.
    logprobs: Option<Value>,
    dropped: Vec<String>,
}

impl<'a> OutputWriter<'a> {
    /// A writer for one answer. `is_own`: it came in this dialect.
    pub(super) fn new(shell: &'a Shell, context: &'a ReplyContext, is_own: bool) -> Self {
        Self {
            shell,
            context,
            is_own,
            items: Vec::new(),
            in_message: false,
            logprobs: None,
            dropped: Vec::new(),
        }
    }

    /// Writes a choice's parts.
    pub(super) fn choice(&mut self, choice: &Choice) {
        if !self.is_own {
            let entries = choice.logprobs.as_ref();
            let entries = entries.and_then(|entries| entries.get("content")?.as_array());
            self.logprobs = entries.map(|list| list.iter().map(logprobs::write).collect());
        }
        for part in &choice.parts {
            self.part(part);
        }
        let outcome = Outcome::of_choice(Some(choice));
        if let (Some(last), Outcome::Incomplete(_), false) =
            (self.items.last_mut(), outcome, self.is_own)
            && last.contains_key("status")
        {
            last.insert("status".to_owned(), json!(outcome.item_word()));
        }
    }

    /// The items, and what could not be said.
    pub(super) fn finish(self) -> (Vec<Value>, Vec<String>) {
        let items = self.items.into_iter().map(Value::Object).collect();
        (items, self.dropped)
    }

    fn drop_named(&mut self, name: &str) {
        name_once(&mut self.dropped, name);
    }

    fn part(&mut self, part: &Part) {
        match &part.kind {
            PartKind::Text { .. } | PartKind::Refusal(_) => self.words(part),
            PartKind::Thinking(thinking) => self.thinking(thinking, part),
            PartKind::ToolCall(call) => self.call(call, part),
            PartKind::Media(media) => self.media(media, part),
            PartKind::Hosted(hosted) if hosted.dialect == DialectId::Responses => {
                self.in_message = false;
                if let Value::Object(raw) = &hosted.raw {
                    self.items.push(raw.clone());
                }
            }
            PartKind::Hosted(_) => self.drop_named("hosted_tool_calls"),
            PartKind::ToolResult(_) => {}
        }
    }

    /// The fields of the item that begins with this part, if it came in this dialect.
    fn own_fields<'p>(&self, part: &'p Part) -> Option<&'p Extra> {
        let fields = part.extra.get(ITEM).filter(|_| self.is_own);
        fields.and_then(Value::as_object)
    }

    /// Adds an item: with its own fields, or with an id and a status that we give it.
    fn push(&mut self, mut item: Map<String, Value>, part: &Part, prefix: &str, status: bool) {
        if let Some(fields) = self.own_fields(part) {
            overlay(&mut item, fields);
        } else {
            let id = self.shell.item_id(prefix, self.items.len());
            item.insert("id".to_owned(), Value::String(id));
            if status {
                item.insert("status".to_owned(), json!("completed"));
            }
        }
        self.items.push(item);
    }

    fn words(&mut self, part: &Part) {
        let fields = self.own_fields(part);
        let is_empty = match &part.kind {
            PartKind::Text { text, .. } | PartKind::Refusal(text) => text.is_empty(),
            _ => true,
        };
        if is_empty && fields.is_none() && !self.is_own {
            return;
        }
        if fields.is_some() || !self.in_message {
            let mut item = Map::new();
            item.insert("type".to_owned(), json!("message"));
            item.insert("role".to_owned(), json!("assistant"));
            item.insert("content".to_owned(), json!([]));
            self.push(item, part, "msg", true);
            self.in_message = true;
        }
        if is_empty && fields.is_some_and(|fields| fields.contains_key("content")) {
            return;
        }
        let written = self.content(part);
        if let Some(Value::Array(content)) = self
            .items
            .last_mut()
            .and_then(|item| item.get_mut("content"))
        {
            content.push(written);
        }
    }

    fn content(&mut self, part: &Part) -> Value {
        let mut map = Map::new();
        match &part.kind {
            PartKind::Refusal(text) => {
                map.insert("type".to_owned(), json!("refusal"));
                map.insert("refusal".to_owned(), json!(text));
            }
            PartKind::Text { text, annotations } => {
                map.insert("type".to_owned(), json!("output_text"));
                map.insert("text".to_owned(), json!(text));
                let mut written = Vec::with_capacity(annotations.len());
                for annotation in annotations {
                    match annotations::write(annotation, || length(text)) {
                        Some(annotation) => written.push(annotation),
                        None => self.drop_named("citations"),
                    }
                }
                // The vendor does not always write empty lists; what it wrote is in `extra`.
                if !self.is_own || !written.is_empty() {
                    map.insert("annotations".to_owned(), Value::Array(written));
                }
                if !self.is_own {
                    let entries = self.logprobs.take().unwrap_or_else(|| json!([]));
                    map.insert("logprobs".to_owned(), entries);
                }
            }
            _ => {}
        }
        if self.is_own {
            overlay(&mut map, &part.extra);
        }
        Value::Object(map)
    }

    /// A reasoning item. Its words are for clients that want them, its proof for all.
    fn thinking(&mut self, thinking: &Thinking, part: &Part) {
        let shown = Thinking {
            text: if self.is_own || self.context.show_reasoning {
                thinking.text.clone()
            } else {
                String::new()
            },
            form: thinking.form,
        };
        let is_nothing = shown.text.is_empty() && part.signature.is_none();
        if is_nothing && self.own_fields(part).is_none() {
            return;
        }
        self.reasoning(&shown, part.signature.as_ref(), Some(part));
    }

    fn reasoning(
        &mut self,
        thinking: &Thinking,
        signature: Option<&Signature>,
        part: Option<&Part>,
    ) {
        self.in_message = false;
        let mut item = reasoning_item(thinking);
        if let Some(signature) = signature {
            let data = signature.for_client(DialectId::Responses);
            item.insert("encrypted_content".to_owned(), json!(data));
        }
        match part {
            Some(part) => self.push(item, part, "rs", false),
            None => self.push(item, &Part::text(""), "rs", false),
        }
    }

    /// A call. A proof that came with it travels in a reasoning item before it: clients send back
    /// nothing on a call itself that they do not know.
    fn call(&mut self, call: &ToolCall, part: &Part) {
        if let Some(signature) = &part.signature {
            let nothing = Thinking {
                text: String::new(),
                form: ThinkingForm::Redacted,
            };
            self.reasoning(&nothing, Some(signature), None);
        }
        self.in_message = false;
        let prefix = match call.arguments {
            Arguments::Free(_) => "ctc",
            Arguments::Json(_) | Arguments::Broken(_) => "fc",
        };
        self.push(call_item(call), part, prefix, true);
    }

    fn media(&mut self, media: &Media, part: &Part) {
        match (&media.source, media.class) {
            (MediaSource::Inline { mime, data }, MediaClass::Image) => {
                self.in_message = false;
                let mut item = Map::new();
                item.insert("type".to_owned(), json!("image_generation_call"));
                item.insert("result".to_owned(), json!(data));
                if self.own_fields(part).is_none() {
                    let format = mime.trim_start_matches("image/");
                    item.insert("output_format".to_owned(), json!(format));
                }
                self.push(item, part, "ig", true);
            }
            (_, class) => self.drop_named(class.name()),
        }
    }
}
