//! The rules that each dialect's clients rely on when they read a stream. Read plainly: nothing of
//! the code under test is used.

mod chat;
mod generate;
mod messages;
mod responses;

use dialects::DialectId;
use serde_json::Value;

/// One frame as it stands in the stream.
struct Line {
    event: Option<String>,
    data: String,
}

/// Says which rule a client's stream breaks.
pub fn check(client: DialectId, stream: &[u8]) -> Result<(), String> {
    let text = std::str::from_utf8(stream).map_err(|_| "not UTF-8")?;
    if !text.is_empty() && !text.ends_with("\n\n") && !text.ends_with("\r\n\r\n") {
        return Err("the last frame is not complete".to_owned());
    }
    match client {
        DialectId::ChatCompletions => chat::check(&lines(text)?, false),
        DialectId::TextCompletions => chat::check(&lines(text)?, true),
        DialectId::Messages => messages::check(&lines(text)?),
        DialectId::GenerateContent => generate::check(text),
        DialectId::Responses => responses::check(&lines(text)?),
    }
}

/// The frames, comments left out.
fn lines(text: &str) -> Result<Vec<Line>, String> {
    let mut found = Vec::new();
    for block in text.split("\n\n").filter(|block| !block.is_empty()) {
        let (mut event, mut data) = (None, None);
        for line in block.lines() {
            if let Some(name) = line.strip_prefix("event: ") {
                event = Some(name.to_owned());
            } else if let Some(rest) = line.strip_prefix("data: ") {
                if data.replace(rest.to_owned()).is_some() {
                    return Err("data on two lines".to_owned());
                }
            } else if !line.starts_with(':') {
                return Err(format!("a strange line: {line}"));
            }
        }
        if let Some(data) = data {
            found.push(Line { event, data });
        }
    }
    Ok(found)
}

fn json(data: &str) -> Result<Value, String> {
    serde_json::from_str(data).map_err(|error| format!("no JSON: {error}: {data}"))
}

/// The frame's value, whose `type` must be the event's name.
fn named(line: &Line) -> Result<(String, Value), String> {
    let value = json(&line.data)?;
    let kind = value["type"]
        .as_str()
        .ok_or("an event without a type")?
        .to_owned();
    if line.event.as_deref() != Some(kind.as_str()) {
        return Err(format!("event {:?} holds {kind}", line.event));
    }
    Ok((kind, value))
}

fn ensure(holds: bool, rule: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(rule.to_owned()) }
}

fn is_object(text: &str) -> bool {
    matches!(serde_json::from_str(text), Ok(Value::Object(_)))
}
