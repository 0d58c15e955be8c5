//! Citations of an answer, whose places count characters of the whole content.

use serde_json::{Value, json};

use crate::DialectId;
use crate::canonical::Annotation;

const ID: DialectId = DialectId::ChatCompletions;

/// A citation as this dialect wrote it itself.
pub fn own(annotation: &Annotation) -> Option<Value> {
    match annotation {
        Annotation::Url {
            raw: Some((ID, raw)),
            ..
        }
        | Annotation::Other { dialect: ID, raw } => Some(raw.clone()),
        _ => None,
    }
}

/// A citation of a text that stands at `from..to` of the content. One that names no place is for
/// the whole text; one of a kind that this dialect has no word for gives nothing.
pub fn write(annotation: &Annotation, from: u64, to: u64) -> Option<Value> {
    let (url, title, start, end) = match annotation {
        Annotation::Url {
            url,
            title,
            start,
            end,
            ..
        } => (url, title, start, end),
        Annotation::Other { dialect: ID, raw } => return Some(raw.clone()),
        Annotation::Other { .. } => return None,
    };
    let start = start.map_or(from, |start| from.saturating_add(start));
    let end = end.map_or(to, |end| from.saturating_add(end));
    let title = title.as_deref().unwrap_or_default();
    Some(json!({"type":"url_citation","url_citation":{
        "start_index": start,
        "end_index": end.max(start),
        "url": url,
        "title": title,
    }}))
}
