//! Where an answer comes from: grounding metadata and citations, both ways. The vendor counts
//! bytes, everybody else counts characters.

use serde_json::{Map, Value, json};

use crate::canonical::Annotation;

/// Text beyond this gets no citations; it is only kept for their offsets.
const MAX_NOTED_TEXT: usize = 1 << 20;
/// More citations of one answer are not kept, and none whose address and title are longer: a vendor can
/// name one source any number of times.
const MAX_NOTES: usize = 4096;
const MAX_SOURCE_BYTES: usize = 8 << 10;
/// The place of every so many-th character is kept.
const STRIDE: u64 = 64;

/// The words of one answer, which its citations count in, and the parts that they stand in.
#[derive(Debug, Default)]
pub(super) struct Words {
    joined: String,
    characters: u64,
    /// Where every [`STRIDE`]-th character begins.
    marks: Vec<usize>,
    /// In the order of their numbers.
    parts: Vec<Begin>,
}

/// Where a text part begins.
#[derive(Debug)]
struct Begin {
    /// The part's number.
    part: u32,
    bytes: usize,
    characters: u64,
}

impl Words {
    /// A text part begins.
    pub(super) fn begin(&mut self, part: u32) {
        self.parts.push(Begin {
            part,
            bytes: self.joined.len(),
            characters: self.characters,
        });
    }

    /// More words of the part that began last.
    pub(super) fn push(&mut self, text: &str) {
        if self.joined.len() + text.len() <= MAX_NOTED_TEXT {
            let from = self.joined.len();
            self.joined.push_str(text);
            for (at, _) in text.char_indices() {
                if self.characters.is_multiple_of(STRIDE) {
                    self.marks.push(from + at);
                }
                self.characters += 1;
            }
        }
    }

    fn part(&self, part: u32) -> Option<&Begin> {
        let place = self.parts.binary_search_by_key(&part, |begin| begin.part);
        self.parts.get(place.ok()?)
    }

    /// How many characters stand before this part.
    fn before(&self, part: u32) -> u64 {
        self.part(part).map_or(0, |begin| begin.characters)
    }

    /// Where the part that this byte falls into begins, and where it ends.
    fn around(&self, byte: usize) -> Option<(&Begin, usize)> {
        let after = self.parts.partition_point(|begin| begin.bytes <= byte);
        let end = self
            .parts
            .get(after)
            .map_or(self.joined.len(), |next| next.bytes);
        Some((self.parts.get(after.checked_sub(1)?)?, end))
    }

    /// A byte in the joined words as a character of the part that begins here.
    fn character(&self, begin: &Begin, byte: usize) -> Option<u64> {
        if byte <= begin.bytes {
            return (byte == begin.bytes).then_some(0);
        }
        let after = self.marks.partition_point(|mark| *mark <= byte);
        let place = after.checked_sub(1)?;
        let words = self.joined.get(self.marks[place]..byte)?;
        let character = place as u64 * STRIDE + words.chars().count() as u64;
        Some(character - begin.characters)
    }

    /// Where a character of the joined words begins.
    fn byte(&self, character: u64) -> usize {
        let place = usize::try_from(character / STRIDE).unwrap_or(usize::MAX);
        let found = self.marks.get(place).and_then(|mark| {
            let mut words = self.joined[*mark..].char_indices();
            let (at, _) = words.nth(usize::try_from(character % STRIDE).ok()?)?;
            Some(mark + at)
        });
        found.unwrap_or(self.joined.len())
    }
}

/// The citations in a candidate's metadata, each with the number of the part that it belongs to.
pub(super) fn read(candidate: &Map<String, Value>, words: &Words) -> Vec<(u32, Annotation)> {
    let mut notes = Vec::new();
    if let Some(grounding) = candidate.get("groundingMetadata") {
        read_grounding(grounding, words, &mut notes);
    }
    let citations = candidate
        .get("citationMetadata")
        .and_then(|m| m.get("citations"));
    for citation in citations.and_then(Value::as_array).into_iter().flatten() {
        notes.extend(note(citation, citation, words));
        if notes.len() >= MAX_NOTES {
            break;
        }
    }
    notes
}

fn read_grounding(grounding: &Value, words: &Words, notes: &mut Vec<(u32, Annotation)>) {
    let list = |key: &str| {
        grounding
            .get(key)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
    };
    let chunks: Vec<&Value> = list("groundingChunks").collect();
    for support in list("groundingSupports") {
        let segment = support.get("segment").unwrap_or(&Value::Null);
        let indices = support
            .get("groundingChunkIndices")
            .and_then(Value::as_array);
        for index in indices.into_iter().flatten().filter_map(Value::as_u64) {
            if notes.len() >= MAX_NOTES {
                return;
            }
            let chunk = usize::try_from(index)
                .ok()
                .and_then(|index| chunks.get(index));
            if let Some(web) = chunk.and_then(|chunk| chunk.get("web")) {
                notes.extend(note(web, segment, words));
            }
        }
    }
}

/// One citation. Its range counts bytes of the joined words, or of the part that it names.
fn note(source: &Value, range: &Value, words: &Words) -> Option<(u32, Annotation)> {
    let number = |key: &str| usize::try_from(range.get(key)?.as_u64()?).ok();
    let named = number("partIndex").filter(|part| *part > 0);
    let named = named.and_then(|part| {
        let part = u32::try_from(part).ok()?;
        words.part(part)
    });
    let base = named.map_or(0, |begin| begin.bytes);
    let start = base.saturating_add(number("startIndex").unwrap_or(0));
    let (begin, last) = words.around(start)?;
    let end = number("endIndex").map(|end| base.saturating_add(end));
    // A range that runs over the part's end is cited up to there.
    let end = end.map(|end| {
        if end > last && last < words.joined.len() {
            last
        } else {
            end
        }
    });
    let url = source.get("uri")?.as_str()?;
    let title = source.get("title").and_then(Value::as_str);
    if url.len() + title.map_or(0, str::len) > MAX_SOURCE_BYTES {
        return None;
    }
    let annotation = Annotation::Url {
        url: url.to_owned(),
        title: title.map(str::to_owned),
        start: words.character(begin, start),
        end: end.and_then(|end| words.character(begin, end)),
        raw: None,
    };
    Some((begin.part, annotation))
}

/// `groundingMetadata` for citations of another dialect, each with its part's number.
pub(super) fn write(notes: &[(u32, Annotation)], words: &Words) -> Option<Value> {
    let mut chunks = Vec::new();
    let mut supports = Vec::new();
    for (part, note) in notes {
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
            let before = words.before(*part);
            let byte = |at: u64| words.byte(before.saturating_add(at));
            let segment = json!({"startIndex": byte(*start), "endIndex": byte(*end)});
            supports.push(json!({"segment": segment, "groundingChunkIndices": [chunks.len()]}));
        }
        chunks.push(json!({ "web": web }));
    }
    if chunks.is_empty() {
        return None;
    }
    Some(json!({"groundingChunks": chunks, "groundingSupports": supports}))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(parts: &[&str]) -> Words {
        let mut words = Words::default();
        for (number, text) in (0..).zip(parts) {
            words.begin(number);
            words.push(text);
        }
        words
    }

    #[test]
    fn bytes_become_characters_and_come_back() {
        let words = words(&["grün ist gut"]);
        let metadata = json!({"groundingMetadata": {
            "groundingChunks": [{"web": {"uri": "https://a.test", "title": "A"}}],
            "groundingSupports": [{"segment": {"startIndex": 0, "endIndex": 5},
                "groundingChunkIndices": [0]}]}});
        let notes = read(metadata.as_object().unwrap(), &words);
        let Annotation::Url { start, end, .. } = &notes[0].1 else {
            panic!()
        };
        assert_eq!((*start, *end), (Some(0), Some(4)));
        assert_eq!(
            write(&notes, &words).as_ref(),
            metadata.get("groundingMetadata")
        );
    }

    #[test]
    fn a_range_is_found_in_the_part_that_it_falls_into() {
        let words = words(&["Es ", "ist grün", "."]);
        let metadata = |segment: Value| {
            json!({"groundingMetadata": {
                "groundingChunks": [{"web": {"uri": "https://a.test"}}],
                "groundingSupports": [{"segment": segment, "groundingChunkIndices": [0]}]}})
        };
        for segment in [
            json!({"startIndex": 7, "endIndex": 12}),
            json!({"partIndex": 1, "startIndex": 4, "endIndex": 9}),
        ] {
            let metadata = metadata(segment);
            let notes = read(metadata.as_object().unwrap(), &words);
            let (part, Annotation::Url { start, end, .. }) = &notes[0] else {
                panic!()
            };
            assert_eq!((*part, *start, *end), (1, Some(4), Some(8)));
        }
    }
}
