//! The messages of a request, written. Tool results come right after the calls that they answer,
//! each as a message of its own; what a result holds beside text follows after the last of them.

use serde_json::{Map, Value, json};

use super::reply_write::joined_thoughts;
use super::{calls, parts, spelling};
use crate::DialectId;
use crate::canonical::{
    ContentShape, MediaClass, Part, PartKind, Request, Role, Thinking, ToolResult, Turn,
};
use crate::json::{self, ToJson};

const ID: DialectId = DialectId::ChatCompletions;

/// A message.
pub enum Message<'a> {
    /// One text and who says it, as most are: written without a tree.
    Plain(&'a str, &'a str),
    /// Any other.
    Whole(Value),
}

impl ToJson for Message<'_> {
    fn write_json(&self, out: &mut Vec<u8>) {
        match self {
            Self::Plain(role, text) => {
                out.extend_from_slice(br#"{"role":"#);
                json::write_str(out, role);
                out.extend_from_slice(br#","content":"#);
                json::write_str(out, text);
                out.push(b'}');
            }
            Self::Whole(value) => json::write(out, value),
        }
    }
}

/// The `messages` of a request.
pub fn write(request: &Request) -> Vec<Message<'_>> {
    let mut writer = Turns {
        same: request.source == ID,
        messages: Vec::with_capacity(request.turns.len() + 1),
        attached: Vec::new(),
    };
    writer.system(&request.system);
    for turn in &request.turns {
        match turn.role {
            Role::System => writer.between(turn),
            Role::User => writer.user(turn),
            Role::Assistant => writer.assistant(turn),
        }
    }
    writer.flush_attached();
    writer.messages
}

struct Turns<'a> {
    same: bool,
    messages: Vec<Message<'a>>,
    /// Media of tool results, which a tool message cannot hold.
    attached: Vec<Value>,
}

impl<'a> Turns<'a> {
    /// Leading system text: one message, or as many as the client had.
    fn system(&mut self, system: &'a [Part]) {
        let mut rest = system;
        while !rest.is_empty() {
            let begins = |part: &Part| self.same && part.extra.contains_key(spelling::MESSAGE);
            let length = 1 + rest[1..].iter().take_while(|part| !begins(part)).count();
            let (group, others) = rest.split_at(length);
            self.system_message(group);
            rest = others;
        }
    }

    fn system_message(&mut self, group: &'a [Part]) {
        if let (false, Some(text)) = (self.same, bare_text(group)) {
            self.messages.push(Message::Plain("system", text));
            return;
        }
        let mark = group[0].extra.get(spelling::MESSAGE).filter(|_| self.same);
        let head = mark.and_then(Value::as_object);
        let is_bare = head.is_none_or(|head| head.contains_key(spelling::BARE));
        let mut message = Map::new();
        message.insert("role".to_owned(), "system".into());
        if let Some(role) = head.and_then(|head| head.get("role")) {
            message.insert("role".to_owned(), role.clone());
        }
        message.insert("content".to_owned(), self.content(group, is_bare));
        if let Some(head) = head {
            spelling::add_extra(&mut message, head);
        }
        self.messages.push(Message::Whole(Value::Object(message)));
    }

    fn between(&mut self, turn: &'a Turn) {
        self.flush_attached();
        if let Some(text) = self.only_text(turn) {
            self.messages.push(Message::Plain("system", text));
            return;
        }
        let role = turn.extra.get(spelling::ROLE).filter(|_| self.same);
        let role = role.and_then(Value::as_str).unwrap_or("system").to_owned();
        self.plain_message(&role, turn, &turn.parts);
    }

    fn user(&mut self, turn: &'a Turn) {
        let is_result = |part: &Part| matches!(part.kind, PartKind::ToolResult(_));
        for part in turn.parts.iter().filter(|part| is_result(part)) {
            self.tool_result(part, turn);
        }
        if turn.parts.iter().any(is_result) {
            let rest: Vec<Part> = turn
                .parts
                .iter()
                .filter(|p| !is_result(p))
                .cloned()
                .collect();
            if rest.is_empty() {
                return;
            }
            self.flush_attached();
            self.plain_message("user", turn, &rest);
            return;
        }
        self.flush_attached();
        match self.only_text(turn) {
            Some(text) => self.messages.push(Message::Plain("user", text)),
            None => self.plain_message("user", turn, &turn.parts),
        }
    }

    /// The text of a foreign turn that says nothing else.
    fn only_text(&self, turn: &'a Turn) -> Option<&'a str> {
        bare_text(&turn.parts).filter(|_| !self.same && turn.name.is_none())
    }

    /// A user's or the system's message.
    fn plain_message(&mut self, role: &str, turn: &Turn, parts: &[Part]) {
        if parts.is_empty() && !self.same {
            return;
        }
        let mut message = Map::new();
        message.insert("role".to_owned(), role.into());
        let is_bare = turn.shape == ContentShape::Text || !self.same;
        match (parts.is_empty(), turn.shape) {
            (true, ContentShape::Absent) => {}
            (true, ContentShape::Null) => {
                message.insert("content".to_owned(), Value::Null);
            }
            _ => {
                message.insert("content".to_owned(), self.content(parts, is_bare));
            }
        }
        self.finish(message, Some(turn));
    }

    /// Names a message, adds what only this dialect knows of it, and sends it off.
    fn finish(&mut self, mut message: Map<String, Value>, turn: Option<&Turn>) {
        if let Some(name) = turn.and_then(|turn| turn.name.as_ref()) {
            message.insert("name".to_owned(), name.as_str().into());
        }
        if self.same
            && let Some(turn) = turn
        {
            spelling::add_extra(&mut message, &turn.extra);
        }
        self.messages.push(Message::Whole(Value::Object(message)));
    }

    /// Content as a bare string where one plain text is all there is, else as a list.
    fn content(&self, parts: &[Part], is_bare: bool) -> Value {
        if is_bare && parts.is_empty() {
            return Value::String(String::new());
        }
        if let (true, Some(text)) = (is_bare, bare_text(parts)) {
            return text.into();
        }
        let mut list = Vec::new();
        for part in parts {
            parts::write(part, self.same, &mut list);
        }
        Value::Array(list)
    }

    fn tool_result(&mut self, part: &Part, turn: &Turn) {
        let PartKind::ToolResult(result) = &part.kind else {
            return;
        };
        let mut message = Map::new();
        if self.same && part.extra.contains_key(spelling::OLD_FUNCTION) {
            message.insert("role".to_owned(), "function".into());
            message.insert(
                "name".to_owned(),
                result.name.clone().unwrap_or_default().into(),
            );
        } else {
            message.insert("role".to_owned(), "tool".into());
            message.insert("tool_call_id".to_owned(), result.call_id.as_str().into());
        }
        if let Some(content) = self.result_content(result) {
            message.insert("content".to_owned(), content);
        }
        // The turn's own words belong to the result only where it stands alone in its turn.
        self.finish(message, (turn.parts.len() == 1).then_some(turn));
    }

    fn result_content(&mut self, result: &ToolResult) -> Option<Value> {
        if self.same {
            match (result.parts.is_empty(), result.shape) {
                (true, ContentShape::Absent) => return None,
                (true, ContentShape::Null) => return Some(Value::Null),
                (_, ContentShape::Parts) => {
                    return Some(self.content(&result.parts, false));
                }
                _ => {}
            }
        }
        let mut texts: Vec<String> = Vec::new();
        for part in &result.parts {
            self.result_part(part, &mut texts);
        }
        Some(if texts.len() > 1 {
            texts
                .into_iter()
                .map(|text| json!({"type":"text","text":text}))
                .collect()
        } else {
            Value::String(texts.pop().unwrap_or_default())
        })
    }

    /// A tool message takes text alone: media is announced there and follows in a user message.
    fn result_part(&mut self, part: &Part, texts: &mut Vec<String>) {
        match &part.kind {
            PartKind::Text { text, .. } | PartKind::Refusal(text) => texts.push(text.clone()),
            PartKind::Media(media) => {
                let mut written = Vec::new();
                parts::write(part, self.same, &mut written);
                let is_text = |value: &Value| value["type"] == "text";
                if written.iter().any(|value| !is_text(value)) {
                    texts.push(format!("[{} attached below]", class_word(media.class)));
                }
                for value in written {
                    match value["text"].as_str() {
                        Some(text) if is_text(&value) => texts.push(text.to_owned()),
                        _ => self.attached.push(value),
                    }
                }
            }
            _ => {}
        }
    }

    fn flush_attached(&mut self) {
        if !self.attached.is_empty() {
            let content = std::mem::take(&mut self.attached);
            let message = json!({"role":"user","content":content});
            self.messages.push(Message::Whole(message));
        }
    }

    fn assistant(&mut self, turn: &'a Turn) {
        self.flush_attached();
        if let Some(text) = self.only_text(turn) {
            self.messages.push(Message::Plain("assistant", text));
            return;
        }
        let mut message = Map::new();
        message.insert("role".to_owned(), "assistant".into());
        let has_content = self.assistant_content(turn, &mut message);
        self.thinking(turn, &mut message);
        self.refusal(turn, &mut message);
        let calls = self.calls(turn, &mut message);
        if !self.same && !has_content {
            if !calls && !message.contains_key("refusal") {
                return;
            }
            message.insert("content".to_owned(), Value::Null);
        }
        self.finish(message, Some(turn));
    }

    /// Writes the content; says whether there is any.
    fn assistant_content(&self, turn: &Turn, message: &mut Map<String, Value>) -> bool {
        let is_content = |part: &&Part| match &part.kind {
            PartKind::Text { .. } => true,
            PartKind::Refusal(_) => self.same && !part.extra.contains_key(spelling::FIELD),
            PartKind::Hosted(hosted) => !is_call(&hosted.raw),
            PartKind::Thinking(_) => self.same && part.extra.contains_key(spelling::AS_SENT),
            _ => false,
        };
        let parts: Vec<&Part> = turn.parts.iter().filter(is_content).collect();
        let content = if self.same {
            self.own_content(turn.shape, &parts)
        } else {
            let texts: Vec<&str> = parts.iter().filter_map(|part| part.as_text()).collect();
            (!texts.is_empty()).then(|| Value::String(texts.concat()))
        };
        let has_content = content.is_some();
        if let Some(content) = content {
            message.insert("content".to_owned(), content);
        }
        has_content
    }

    fn own_content(&self, shape: ContentShape, parts: &[&Part]) -> Option<Value> {
        match (shape, parts) {
            (ContentShape::Absent, []) => None,
            (ContentShape::Null, []) => Some(Value::Null),
            (ContentShape::Text, []) => Some("".into()),
            (ContentShape::Text, [part]) if part.cache.is_none() && part.as_text().is_some() => {
                part.as_text().map(Value::from)
            }
            _ => {
                let mut list = Vec::new();
                for part in parts {
                    match part.extra.get(spelling::AS_SENT) {
                        Some(item) if matches!(part.kind, PartKind::Thinking(_)) => {
                            list.push(item.clone());
                        }
                        _ => parts::write(part, self.same, &mut list),
                    }
                }
                Some(Value::Array(list))
            }
        }
    }

    fn thinking(&self, turn: &Turn, message: &mut Map<String, Value>) {
        let in_content = |part: &Part| self.same && part.extra.contains_key(spelling::AS_SENT);
        let mut field = "reasoning_content";
        let mut texts = Vec::new();
        for part in turn.parts.iter().filter(|part| !in_content(part)) {
            if let PartKind::Thinking(Thinking { text, .. }) = &part.kind
                && !text.is_empty()
            {
                texts.push(text.as_str());
                if self.same
                    && let Some(Value::String(name)) = part.extra.get(spelling::FIELD)
                {
                    field = name;
                }
            }
        }
        if !texts.is_empty() {
            message.insert(field.to_owned(), joined_thoughts(&texts).into());
        }
    }

    fn refusal(&self, turn: &Turn, message: &mut Map<String, Value>) {
        let texts: Vec<&str> = turn
            .parts
            .iter()
            .filter(|part| !self.same || part.extra.contains_key(spelling::FIELD))
            .filter_map(|part| match &part.kind {
                PartKind::Refusal(text) => Some(text.as_str()),
                _ => None,
            })
            .collect();
        if !texts.is_empty() {
            message.insert("refusal".to_owned(), texts.concat().into());
        }
    }

    /// Writes the calls and citations; says whether there are calls.
    fn calls(&self, turn: &Turn, message: &mut Map<String, Value>) -> bool {
        let mut list = Vec::new();
        let mut annotations = Vec::new();
        for part in &turn.parts {
            match &part.kind {
                PartKind::ToolCall(call)
                    if self.same && part.extra.contains_key(spelling::OLD_FUNCTION) =>
                {
                    let arguments = calls::arguments_text(call, &part.extra, self.same);
                    let old = json!({"name":call.name,"arguments":arguments});
                    message.insert("function_call".to_owned(), old);
                }
                PartKind::ToolCall(call) => {
                    list.push(calls::write(call, &call.id, &part.extra, self.same));
                }
                PartKind::Hosted(hosted) if hosted.dialect == ID && is_call(&hosted.raw) => {
                    list.push(hosted.raw.clone());
                }
                PartKind::Text {
                    annotations: own, ..
                } if self.same => {
                    annotations.extend(own.iter().filter_map(super::citations::own));
                }
                _ => {}
            }
        }
        if !annotations.is_empty() {
            message.insert("annotations".to_owned(), Value::Array(annotations));
        }
        let has_calls = !list.is_empty();
        if has_calls {
            message.insert("tool_calls".to_owned(), Value::Array(list));
        }
        has_calls
    }
}

/// The text that is all there is, unmarked.
fn bare_text(parts: &[Part]) -> Option<&str> {
    match parts {
        [part] if part.cache.is_none() => part.as_text(),
        _ => None,
    }
}

/// Whether a block that we do not know came as a call: those have an id.
fn is_call(raw: &Value) -> bool {
    raw.get("id").is_some()
}

fn class_word(class: MediaClass) -> &'static str {
    match class {
        MediaClass::Image => "image",
        MediaClass::Audio => "audio",
        MediaClass::Video => "video",
        MediaClass::Document => "document",
    }
}
