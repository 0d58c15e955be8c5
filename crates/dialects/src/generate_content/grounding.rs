//! Where an answer comes from: grounding metadata and citations, both ways. The vendor counts
//! bytes, everybody else counts characters.

use serde_json::{Map, Value, json};

use crate::canonical::Annotation;

/// The citations in a candidate's metadata for this text.
pub(super) fn read(candidate: &Map<String, Value>, text: &str) -> Vec<Annotation> {
    let mut notes = Vec::new();
    if let Some(grounding) = candidate.get("groundingMetadata") {
        read_grounding(grounding, text, &mut notes);
    }
    let citations = candidate
        .get("citationMetadata")
        .and_then(|m| m.get("citations"));
    for citation in citations.and_then(Value::as_array).into_iter().flatten() {
        let range = (citation.get("startIndex"), citation.get("endIndex"));
        notes.extend(note(citation, range, text));
    }
    notes
}

fn read_grounding(grounding: &Value, text: &str, notes: &mut Vec<Annotation>) {
    let list = |key: &str| {
        grounding
            .get(key)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
    };
    let chunks: Vec<&Value> = list("groundingChunks").collect();
    for support in list("groundingSupports") {
        let segment = support.get("segment");
        let range = (
            segment.and_then(|s| s.get("startIndex")),
            segment.and_then(|s| s.get("endIndex")),
        );
        let indices = support
            .get("groundingChunkIndices")
            .and_then(Value::as_array);
        for index in indices.into_iter().flatten().filter_map(Value::as_u64) {
            let chunk = usize::try_from(index)
                .ok()
                .and_then(|index| chunks.get(index));
            if let Some(web) = chunk.and_then(|chunk| chunk.get("web")) {
                notes.extend(note(web, range, text));
            }
        }
    }
}

fn note(
    source: &Value,
    (start, end): (Option<&Value>, Option<&Value>),
    text: &str,
) -> Option<Annotation> {
    let characters = |bytes: u64| {
        let bytes = usize::try_from(bytes).ok()?;
        text.get(..bytes)
            .map(|before| before.chars().count() as u64)
    };
    Some(Annotation::Url {
        url: source.get("uri")?.as_str()?.to_owned(),
        title: source
            .get("title")
            .and_then(Value::as_str)
            .map(str::to_owned),
        start: characters(start.and_then(Value::as_u64).unwrap_or(0)),
        end: end.and_then(Value::as_u64).and_then(characters),
        raw: None,
    })
}

/// `groundingMetadata` for citations of another dialect, over the joined text of the answer.
pub(super) fn write(notes: &[Annotation], text: &str) -> Option<Value> {
    let mut chunks = Vec::new();
    let mut supports = Vec::new();
    for note in notes {
        let Annotation::Url {
            url,
            title,
            start,
            end,
            ..
        } = note
        else {
            continue;
        };
        let mut web = json!({ "uri": url });
        if let Some(title) = title {
            web["title"] = json!(title);
        }
        if let (Some(start), Some(end)) = (start, end) {
            let segment = json!({"startIndex": bytes(text, *start), "endIndex": bytes(text, *end)});
            supports.push(json!({"segment": segment, "groundingChunkIndices": [chunks.len()]}));
        }
        chunks.push(json!({ "web": web }));
    }
    if chunks.is_empty() {
        return None;
    }
    Some(json!({"groundingChunks": chunks, "groundingSupports": supports}))
}

fn bytes(text: &str, characters: u64) -> usize {
    let characters = usize::try_from(characters).unwrap_or(usize::MAX);
    text.char_indices()
        .nth(characters)
        .map_or(text.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_become_characters_and_come_back() {
        let text = "grün ist gut";
        let metadata = json!({"groundingMetadata": {
            "groundingChunks": [{"web": {"uri": "https://a.test", "title": "A"}}],
            "groundingSupports": [{"segment": {"startIndex": 0, "endIndex": 5},
                "groundingChunkIndices": [0]}]}});
        let notes = read(metadata.as_object().unwrap(), text);
        let Annotation::Url { start, end, .. } = &notes[0] else {
            panic!()
        };
        assert_eq!((*start, *end), (Some(0), Some(4)));
        assert_eq!(
            write(&notes, text).as_ref(),
            metadata.get("groundingMetadata")
        );
    }
}
