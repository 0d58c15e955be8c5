//! Writes a whole answer for a client.

use serde_json::{Map, Value, json};

use super::stream_state::thought_gap;
use super::{calls, citations, finish, parts, spelling, usage};
use crate::canonical::{
    Choice, Finish, Hosted, Media, MediaClass, MediaSource, Part, PartKind, Reply, Thinking,
};
use crate::dialect::name_once;
use crate::tree::Members;
use crate::{DialectId, ReplyContext, Signature, Written, data_url, ids, json};

const ID: DialectId = DialectId::ChatCompletions;

/// Writes an answer.
pub fn write(reply: &Reply, context: &ReplyContext) -> Written {
    let same = reply.source == ID;
    let mut dropped = Vec::new();
    let mut body = head(reply, context, "chat.completion", "chatcmpl-", same);
    let choices: Vec<Value> = reply
        .choices
        .iter()
        .map(|choice| write_choice(choice, same, context, &mut dropped))
        .collect();
    body.insert("choices".to_owned(), Value::Array(choices));
    if let Some(value) = write_usage(reply, same) {
        body.insert("usage".to_owned(), value);
    }
    if let Some(tier) = reply.tier.as_deref().and_then(|tier| tier_word(tier, same)) {
        body.insert("service_tier".to_owned(), tier.into());
    }
    if same {
        spelling::add_extra(&mut body, &reply.extra);
    }
    Written {
        body: json::bytes(&body),
        dropped,
    }
}

/// The first members of an answer of this kind, whose ids have this prefix.
pub fn head(
    reply: &Reply,
    context: &ReplyContext,
    object: &str,
    prefix: &str,
    same: bool,
) -> Map<String, Value> {
    let id = context.id_or(&reply.id);
    let id = if same && !reply.id.is_empty() {
        id.to_owned()
    } else {
        prefixed_id(prefix, id)
    };
    let created = reply.created.unwrap_or(context.created);
    let model = context.model_or(&reply.model);
    Map::from_iter([
        ("id".to_owned(), id.into()),
        ("object".to_owned(), object.into()),
        ("created".to_owned(), created.into()),
        ("model".to_owned(), model.into()),
    ])
}

/// An answer's id under a dialect's prefix.
pub fn prefixed_id(prefix: &str, id: &str) -> String {
    if id.starts_with(prefix) {
        id.to_owned()
    } else {
        format!("{prefix}{id}")
    }
}

/// The tier that served an answer, where this dialect has a word for it.
pub fn tier_word(tier: &str, same: bool) -> Option<String> {
    if same {
        return Some(tier.to_owned());
    }
    let tier = tier.to_ascii_lowercase();
    match tier.as_str() {
        "standard" => Some("default".to_owned()),
        "auto" | "default" | "flex" | "scale" | "priority" | "fast" => Some(tier),
        _ => None,
    }
}

/// `usage`, as it was sent where that still says the same.
pub fn write_usage(reply: &Reply, same: bool) -> Option<Value> {
    let counts = reply.usage.as_ref()?;
    let original = same
        .then(|| {
            spelling::original(&reply.extra, "usage", counts, |value| {
                Some(usage::read(&Members::of(value.as_object()?)))
            })
        })
        .flatten();
    Some(original.unwrap_or_else(|| usage::write(counts, same)))
}

fn write_choice(
    choice: &Choice,
    same: bool,
    context: &ReplyContext,
    dropped: &mut Vec<String>,
) -> Value {
    let message = Message {
        same,
        context,
        dropped,
    }
    .write(choice);
    let word = match (same, choice.finish.raw.as_str()) {
        (true, raw) if !raw.is_empty() => raw,
        _ => finish_word(&choice.finish, context),
    };
    let mut map = Map::new();
    map.insert("index".to_owned(), choice.index.into());
    map.insert("message".to_owned(), Value::Object(message));
    map.insert(
        "logprobs".to_owned(),
        choice.logprobs.clone().unwrap_or_default(),
    );
    map.insert("finish_reason".to_owned(), word.into());
    if same {
        spelling::add_extra(&mut map, &choice.extra);
    }
    Value::Object(map)
}

/// The word for a finish that a client of this kind understands.
pub fn finish_word(finish: &Finish, context: &ReplyContext) -> &'static str {
    match finish::word(&finish.reason) {
        "tool_calls" if context.old_functions => "function_call",
        _ if finish::is_plain_refusal(finish) => "stop",
        word => word,
    }
}

struct Message<'a> {
    same: bool,
    context: &'a ReplyContext,
    dropped: &'a mut Vec<String>,
}

impl Message<'_> {
    fn write(mut self, choice: &Choice) -> Map<String, Value> {
        let mut message = Map::new();
        message.insert("role".to_owned(), "assistant".into());
        self.words(choice, &mut message);
        self.media(&choice.parts, &mut message);
        self.calls(&choice.parts, &mut message);
        if self.same
            && let Some(Value::Object(rest)) = choice.extra.get("message")
        {
            if message.get("content").is_some_and(Value::is_null) && rest.contains_key("content") {
                message.shift_remove("content");
            }
            spelling::add_extra(&mut message, rest);
        } else if !message.contains_key("annotations") && !self.same {
            message.insert("annotations".to_owned(), json!([]));
        }
        message
    }

    /// Content, reasoning, refusal and citations.
    fn words(&mut self, choice: &Choice, message: &mut Map<String, Value>) {
        let mut content: Option<String> = None;
        let mut refusal: Option<String> = None;
        let mut thoughts: Vec<&str> = Vec::new();
        let mut thought_field = "reasoning_content";
        let mut annotations = Vec::new();
        let mut length = 0;
        for part in &choice.parts {
            match &part.kind {
                PartKind::Text {
                    text,
                    annotations: own,
                } => {
                    let content = content.get_or_insert_default();
                    content.push_str(text);
                    let from = length;
                    length += text.chars().count() as u64;
                    for annotation in own {
                        let own = self.same.then(|| citations::own(annotation)).flatten();
                        match own.or_else(|| citations::write(annotation, from, length)) {
                            Some(value) => annotations.push(value),
                            None => name_once(self.dropped, "citations"),
                        }
                    }
                }
                PartKind::Refusal(text) => refusal.get_or_insert_default().push_str(text),
                PartKind::Thinking(Thinking { text, .. }) if !text.is_empty() => {
                    thoughts.push(text);
                    if let Some(Value::String(field)) = part.extra.get(spelling::FIELD) {
                        thought_field = field;
                    }
                }
                _ => {}
            }
        }
        let explained = || finish::explanation(&choice.finish).map(str::to_owned);
        let refusal = refusal.or_else(explained);
        message.insert(
            "content".to_owned(),
            content.map_or(Value::Null, Value::String),
        );
        message.insert(
            "refusal".to_owned(),
            refusal.map_or(Value::Null, Value::String),
        );
        if !thoughts.is_empty() && self.context.show_reasoning {
            message.insert(thought_field.to_owned(), joined_thoughts(&thoughts).into());
        }
        if !annotations.is_empty() {
            message.insert("annotations".to_owned(), Value::Array(annotations));
        }
    }

    fn media(&mut self, parts: &[Part], message: &mut Map<String, Value>) {
        let mut images = Vec::new();
        for part in parts {
            match &part.kind {
                PartKind::Media(media) if self.same && media.class == MediaClass::Image => {
                    parts::write(part, self.same, &mut images);
                }
                PartKind::Media(media) => match media_value(media) {
                    Some(MediaValue::Image(image)) => images.push(image),
                    Some(MediaValue::Audio(audio)) if !message.contains_key("audio") => {
                        let audio = self.audio(audio, part);
                        message.insert("audio".to_owned(), audio);
                    }
                    _ => name_once(self.dropped, media.class.name()),
                },
                PartKind::Hosted(hosted) if hosted.dialect != ID => {
                    name_once(self.dropped, hosted_name(hosted));
                }
                _ => {}
            }
        }
        if !images.is_empty() {
            message.insert("images".to_owned(), Value::Array(images));
        }
    }

    /// A recording; clients hear of its end of life even where the upstream has none.
    fn audio(&self, mut audio: Map<String, Value>, part: &Part) -> Value {
        if self.same {
            spelling::add_extra(&mut audio, &part.extra);
        }
        if !audio.contains_key("expires_at") {
            audio.insert("expires_at".to_owned(), expires_at(self.context).into());
        }
        Value::Object(audio)
    }

    fn calls(&mut self, parts: &[Part], message: &mut Map<String, Value>) {
        let mut list = Vec::new();
        // A thought's signature rides on the call after it: here a thought has no place for one.
        let mut carried: Option<&Signature> = None;
        for part in parts {
            match &part.kind {
                PartKind::Thinking(thinking) => {
                    let signature = part.signature.as_ref();
                    carried = signature.filter(|s| s.travels(thinking.form)).or(carried);
                }
                PartKind::ToolCall(_)
                    if self.context.old_functions && message.contains_key("function_call") =>
                {
                    name_once(self.dropped, "tool_calls");
                }
                PartKind::ToolCall(call)
                    if self.context.old_functions
                        || (self.same && part.extra.contains_key(spelling::OLD_FUNCTION)) =>
                {
                    let arguments = calls::arguments_text(call, &part.extra, self.same);
                    let old = json!({"name":call.name,"arguments":arguments});
                    message.insert("function_call".to_owned(), old);
                }
                PartKind::ToolCall(call) => {
                    let signature = part.signature.as_ref().or(carried.take());
                    let id = shown_id(&call.id, signature);
                    list.push(calls::write(call, &id, &part.extra, self.same));
                }
                PartKind::Hosted(Hosted { dialect: ID, raw }) => list.push(raw.clone()),
                _ => {}
            }
        }
        if !list.is_empty() {
            message.insert("tool_calls".to_owned(), Value::Array(list));
        }
    }
}

/// Thoughts as one text.
pub fn joined_thoughts(thoughts: &[&str]) -> String {
    let mut text = String::new();
    for thought in thoughts {
        if !text.is_empty() {
            text.push_str(thought_gap(thought));
        }
        text.push_str(thought);
    }
    text
}

/// A call's id as the client sees it: a foreign signature rides on it.
pub fn shown_id(id: &str, signature: Option<&Signature>) -> String {
    match signature {
        Some(signature) if signature.origin != Some(ID) && !signature.data.is_empty() => {
            signature.ride_on(id)
        }
        _ => id.to_owned(),
    }
}

/// When a recording that we hand on is forgotten: an hour after it was made.
pub fn expires_at(context: &ReplyContext) -> u64 {
    context.created.saturating_add(3600)
}

/// Generated media in this dialect's words.
pub enum MediaValue {
    /// An entry of `images`.
    Image(Value),
    /// The members of `audio`.
    Audio(Map<String, Value>),
}

/// Puts generated media into words, where there are any.
pub fn media_value(media: &Media) -> Option<MediaValue> {
    match (&media.source, media.class) {
        (MediaSource::Inline { mime, data }, MediaClass::Image) => {
            let url = data_url::write(mime, data);
            let image = json!({"type":"image_url","image_url":{"url":url}});
            Some(MediaValue::Image(image))
        }
        (MediaSource::Url { url, .. }, MediaClass::Image) => {
            let image = json!({"type":"image_url","image_url":{"url":url}});
            Some(MediaValue::Image(image))
        }
        (MediaSource::Inline { data, .. }, MediaClass::Audio) => {
            let id = match &media.name {
                Some(name) => name.clone(),
                None => format!("audio_{}", ids::hash(&[data], 24)),
            };
            let mut audio = Map::new();
            audio.insert("id".to_owned(), id.into());
            audio.insert("data".to_owned(), data.as_str().into());
            let transcript = media.context.as_deref().unwrap_or_default();
            audio.insert("transcript".to_owned(), transcript.into());
            Some(MediaValue::Audio(audio))
        }
        _ => None,
    }
}

/// What a block of another dialect is called.
pub fn hosted_name(hosted: &Hosted) -> &str {
    let kind = hosted.raw.get("type").and_then(Value::as_str);
    let first = || hosted.raw.as_object()?.keys().next().map(String::as_str);
    kind.or_else(first).unwrap_or("hosted_tool")
}
