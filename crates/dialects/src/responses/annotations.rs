//! Citations in `output_text` parts.

use serde_json::{Value, json};

use crate::DialectId;
use crate::canonical::Annotation;

/// Reads one; kinds that no other dialect has stay as they are.
pub(super) fn read(raw: Value) -> Annotation {
    let url = match raw.get("type").and_then(Value::as_str) {
        Some("url_citation") => raw.get("url").and_then(Value::as_str),
        _ => None,
    };
    let Some(url) = url else {
        return Annotation::Other {
            dialect: DialectId::Responses,
            raw,
        };
    };
    Annotation::Url {
        url: url.to_owned(),
        title: raw.get("title").and_then(Value::as_str).map(str::to_owned),
        start: raw.get("start_index").and_then(Value::as_u64),
        end: raw.get("end_index").and_then(Value::as_u64),
        raw: Some((DialectId::Responses, raw)),
    }
}

/// Writes one for a text of that many characters; `None` where this dialect has no word for it.
pub(super) fn write(annotation: &Annotation, characters: impl FnOnce() -> u64) -> Option<Value> {
    match annotation {
        Annotation::Url {
            raw: Some((DialectId::Responses, raw)),
            ..
        }
        | Annotation::Other {
            dialect: DialectId::Responses,
            raw,
        } => Some(raw.clone()),
        Annotation::Url {
            url,
            title,
            start,
            end,
            ..
        } => Some(json!({
            "type": "url_citation",
            "start_index": start.unwrap_or(0),
            "end_index": end.unwrap_or_else(characters),
            "url": url,
            "title": title.as_deref().unwrap_or(url),
        })),
        Annotation::Other { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_web_citation_is_understood_and_comes_back_as_it_was() {
        let raw = json!({"type": "url_citation", "start_index": 1, "end_index": 4,
            "url": "https://a.example", "title": "A", "more": true});
        let read = read(raw.clone());
        assert!(matches!(
            &read,
            Annotation::Url {
                start: Some(1),
                end: Some(4),
                ..
            }
        ));
        assert_eq!(write(&read, || 0), Some(raw));
    }

    #[test]
    fn a_foreign_citation_without_a_range_covers_the_text() {
        let foreign = Annotation::Url {
            url: "https://a.example".into(),
            title: None,
            start: None,
            end: None,
            raw: None,
        };
        let written = write(&foreign, || 7).expect("a citation");
        assert_eq!(written["end_index"], 7);
        assert_eq!(written["title"], "https://a.example");
        let other = Annotation::Other {
            dialect: DialectId::Messages,
            raw: json!({}),
        };
        assert_eq!(write(&other, || 7), None);
    }
}
