//! What a vendor keeps: files, containers, prompts, conversations, caches. It is kept under the key of a channel, which
//! many people call through, and an id of it is all that it takes to read it.

use serde_json::Value;

use crate::DialectId;
use crate::canonical::{Media, MediaSource, Part, PartKind, Request, ToolKind};
use crate::passes::policy::{OWN_FIELDS, OwnField};

/// Blocks that name what a vendor keeps. Fields of requests that do are in the table of
/// [`crate::passes::policy`].
const BLOCKS: [&str; 2] = ["container_upload", "item_reference"];

/// Fields of hosted tools that do.
const TOOL_FIELDS: [&str; 4] = [
    "container",
    "file_ids",
    "vector_store_ids",
    "fileSearchStoreNames",
];

/// The first place of a request that names something which its vendor keeps.
pub fn vendor_state(request: &Request) -> Option<&'static str> {
    let mut named = kept_fields(request.source);
    if let Some(name) = named.find(|name| request.extra.get(*name).is_some_and(says_something)) {
        return Some(name);
    }
    let mut parts = request.turns.iter().flat_map(|turn| &turn.parts);
    parts.find_map(of_part).or_else(|| {
        request.tools.iter().find_map(|tool| match &tool.kind {
            ToolKind::Hosted(hosted) => of_tool(&hosted.raw),
            _ => None,
        })
    })
}

/// Fields of this dialect that name what its vendor keeps.
fn kept_fields(dialect: DialectId) -> impl Iterator<Item = &'static str> {
    let kept = move |own: &&OwnField| own.is_kept_by_vendor && own.dialect == dialect;
    OWN_FIELDS.iter().filter(kept).map(|own| own.field)
}

fn of_part(part: &Part) -> Option<&'static str> {
    match &part.kind {
        PartKind::Media(media) => of_media(media),
        PartKind::ToolResult(result) => result.parts.iter().find_map(of_part),
        PartKind::Hosted(hosted) => {
            let kind = hosted.raw.get("type").and_then(Value::as_str);
            BLOCKS.into_iter().find(|block| kind == Some(block))
        }
        _ => None,
    }
}

fn of_media(media: &Media) -> Option<&'static str> {
    match &media.source {
        MediaSource::File { dialect, .. } if *dialect == DialectId::GenerateContent => {
            Some("fileUri")
        }
        MediaSource::File { .. } => Some("file_id"),
        MediaSource::Parts(parts) => parts.iter().find_map(of_part),
        _ => None,
    }
}

/// A container can be described rather than named, and its files are named within.
fn of_tool(raw: &Value) -> Option<&'static str> {
    let fields = raw.as_object()?;
    let named = |name: &&str| {
        fields
            .get(*name)
            .is_some_and(|value| !value.is_object() && says_something(value))
    };
    let here = TOOL_FIELDS.into_iter().find(named);
    here.or_else(|| fields.values().find_map(of_tool))
}

fn says_something(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Array(list) => !list.is_empty(),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::convert::dialect;
    use crate::{PathHints, Sighted, Word};

    /// What a body names, and whether a look at its words was enough to suspect it.
    fn named(id: DialectId, body: &Value) -> (Option<&'static str>, bool) {
        let text = body.to_string();
        let request = dialect(id)
            .read_request(text.as_bytes(), &PathHints::default())
            .expect("it reads");
        let is_suspected = Sighted::of(text.as_bytes()).has(Word::VendorState);
        (vendor_state(&request), is_suspected)
    }

    #[test]
    fn ids_of_what_a_vendor_keeps_are_found() {
        use DialectId::{ChatCompletions, GenerateContent, Messages, Responses};
        let says = |content: Value| json!([{"role": "user", "content": content}]);
        let user = says(json!("Hi"));
        let ask = |name: &str, value: Value| json!({"model": "m", "max_tokens": 9, "messages": user, "input": user, name: value});
        let file = json!({"type": "file", "file_id": "file_1"});
        let google = |part: Value| json!({"contents": [{"role": "user", "parts": [part]}]});
        let tool = |tool: Value| ask("tools", json!([tool]));
        for (id, body, name) in [
            (Messages, ask("container", json!("c_1")), "container"),
            (
                Messages,
                ask("messages", says(json!([{"type": "image", "source": file}]))),
                "file_id",
            ),
            (
                Messages,
                ask(
                    "messages",
                    says(json!([{"type": "container_upload", "file_id": "f"}])),
                ),
                "container_upload",
            ),
            (
                ChatCompletions,
                ask(
                    "messages",
                    says(json!([{"type": "file", "file": {"file_id": "f"}}])),
                ),
                "file_id",
            ),
            (
                Responses,
                ask(
                    "input",
                    says(json!([{"type": "input_file", "file_id": "f"}])),
                ),
                "file_id",
            ),
            (
                Responses,
                ask("input", json!([{"type": "item_reference", "id": "msg_1"}])),
                "item_reference",
            ),
            (
                Responses,
                ask("conversation", json!("conv_1")),
                "conversation",
            ),
            (Responses, ask("prompt", json!({"id": "pmpt_1"})), "prompt"),
            (
                Responses,
                tool(json!({"type": "file_search", "vector_store_ids": ["vs_1"]})),
                "vector_store_ids",
            ),
            (
                Responses,
                tool(json!({"type": "code_interpreter", "container": "cntr_1"})),
                "container",
            ),
            (
                Responses,
                tool(
                    json!({"type": "code_interpreter", "container": {"type": "auto", "file_ids": ["f"]}}),
                ),
                "file_ids",
            ),
            (
                GenerateContent,
                google(json!({"fileData": {"mimeType": "image/png", "fileUri": "files/abc"}})),
                "fileUri",
            ),
        ] {
            assert_eq!(named(id, &body), (Some(name), true), "{body}");
        }
    }

    #[test]
    fn every_field_that_names_what_a_vendor_keeps_is_suspected() {
        let fields: Vec<&str> = DialectId::ALL.into_iter().flat_map(kept_fields).collect();
        assert_eq!(
            fields,
            ["container", "cachedContent", "conversation", "prompt"]
        );
        for field in fields {
            let text = format!("{{\"{field}\":1}}");
            assert!(
                Sighted::of(text.as_bytes()).has(Word::VendorState),
                "{field}"
            );
        }
    }

    #[test]
    fn the_same_words_elsewhere_are_no_ids() {
        let call =
            json!({"type": "tool_use", "id": "t", "name": "look", "input": {"file_id": "mine"}});
        let messages = json!({"model": "m", "max_tokens": 9, "messages": [
            {"role": "user", "content": "container, prompt"},
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "ok"}]}]});
        assert_eq!(named(DialectId::Messages, &messages).0, None);
        let auto = json!({"model": "m", "input": "Hi", "tools": [
            {"type": "code_interpreter", "container": {"type": "auto"}}]});
        assert_eq!(named(DialectId::Responses, &auto).0, None);
        let picture = json!({"contents": [{"role": "user", "parts": [
            {"fileData": {"mimeType": "image/png", "fileUri": "https://a.example/b.png"}}]}]});
        assert_eq!(named(DialectId::GenerateContent, &picture).0, None);
    }
}
