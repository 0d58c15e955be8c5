//! Parts, written as content blocks.

use dialects::canonical::{
    Failure, Hosted, Media, MediaClass, MediaSource, Part, PartKind, Thinking, ThinkingForm,
    ToolResult,
};
use serde_json::{Value, json};

use super::document_write::DocumentNames;
use super::model_family::SIGNED_BY;
use super::request_write::cache_point;

/// Writes content; holds what must differ over a whole request.
#[derive(Debug, Default)]
pub(super) struct Contents {
    documents: DocumentNames,
}

/// What stands where Amazon wants text and there is none.
const NO_TEXT: &str = ".";

/// System text, block by block.
pub(super) fn system(parts: &[Part]) -> Vec<Value> {
    let mut blocks = Vec::new();
    for part in parts {
        let Some(text) = part.as_text().filter(|text| !text.trim().is_empty()) else {
            continue;
        };
        blocks.push(json!({ "text": text }));
        blocks.extend(part.cache.as_ref().map(cache_point));
    }
    blocks
}

impl Contents {
    /// One message's content: never empty, and never a document without a word beside it.
    pub(super) fn message(&mut self, parts: &[Part]) -> Result<Vec<Value>, Failure> {
        let mut blocks = self.blocks(parts)?;
        let has = |name: &str| blocks.iter().any(|block| block.get(name).is_some());
        if blocks.is_empty() || (has("document") && !has("text")) {
            blocks.push(json!({ "text": NO_TEXT }));
        }
        Ok(blocks)
    }

    fn blocks(&mut self, parts: &[Part]) -> Result<Vec<Value>, Failure> {
        let mut blocks = Vec::with_capacity(parts.len());
        for part in parts {
            let before = blocks.len();
            self.block(part, &mut blocks)?;
            if blocks.len() > before {
                blocks.extend(part.cache.as_ref().map(cache_point));
            }
        }
        Ok(blocks)
    }

    fn block(&mut self, part: &Part, blocks: &mut Vec<Value>) -> Result<(), Failure> {
        match &part.kind {
            // Blank text is refused.
            PartKind::Text { text, .. } | PartKind::Refusal(text) => {
                if !text.trim().is_empty() {
                    blocks.push(json!({ "text": text }));
                }
            }
            PartKind::Media(media) => self.media(media, blocks)?,
            PartKind::Thinking(thinking) => blocks.extend(thought(part, thinking)),
            PartKind::ToolCall(call) => blocks.push(json!({"toolUse": {
                "toolUseId": call.id, "name": call.name, "input": call.arguments.object(),
            }})),
            PartKind::ToolResult(result) => blocks.push(self.result(result)?),
            PartKind::Hosted(hosted) => blocks.extend(search_result(hosted)),
        }
        Ok(())
    }

    fn result(&mut self, result: &ToolResult) -> Result<Value, Failure> {
        let content = self.blocks(&result.parts)?;
        let mut body = json!({ "toolUseId": result.call_id, "content": content });
        if let Some(is_error) = result.is_error {
            body["status"] = json!(if is_error { "error" } else { "success" });
        }
        Ok(json!({ "toolResult": body }))
    }

    fn media(&mut self, media: &Media, blocks: &mut Vec<Value>) -> Result<(), Failure> {
        match (&media.class, &media.source) {
            // Documents made of parts are read as their parts.
            (_, MediaSource::Parts(parts)) => blocks.extend(self.blocks(parts)?),
            (MediaClass::Image, source) => blocks.push(image(source)?),
            (MediaClass::Document, _) => blocks.push(self.documents.write(media)?),
            (MediaClass::Audio | MediaClass::Video, _) => {
                return Err(refused(&format!("takes no {} here", media.class.name())));
            }
        }
        Ok(())
    }
}

fn image(source: &MediaSource) -> Result<Value, Failure> {
    let (format, source) = match source {
        MediaSource::Inline { mime, data } => (image_format(mime), json!({ "bytes": data })),
        source => {
            let uri = s3_uri(source)?;
            let ending = uri.rsplit('.').next().unwrap_or_default();
            let format = image_format(&format!("image/{}", ending.to_ascii_lowercase()));
            (format, json!({ "s3Location": { "uri": uri } }))
        }
    };
    let format = format.ok_or_else(|| refused("takes PNG, JPEG, GIF and WebP images alone"))?;
    Ok(json!({ "image": { "format": format, "source": source } }))
}

fn image_format(mime: &str) -> Option<&'static str> {
    match mime {
        "image/png" => Some("png"),
        "image/jpeg" | "image/jpg" => Some("jpeg"),
        "image/gif" => Some("gif"),
        "image/webp" => Some("webp"),
        _ => None,
    }
}

/// Amazon fetches from its own store alone; the gateway has fetched what it may.
pub(super) fn s3_uri(source: &MediaSource) -> Result<&str, Failure> {
    match source {
        MediaSource::Url { url, .. } if url.starts_with("s3://") => Ok(url),
        MediaSource::Url { .. } => Err(refused("cannot fetch addresses: send the content itself")),
        _ => Err(refused("knows no files that were uploaded elsewhere")),
    }
}

pub(super) fn refused(what: &str) -> Failure {
    Failure::unsupported("messages", format!("This model's own format {what}."))
}

/// A thought goes back with its signature, or not at all.
fn thought(part: &Part, thinking: &Thinking) -> Option<Value> {
    let signature = part.signature.as_ref()?.for_upstream(SIGNED_BY)?;
    Some(match thinking.form {
        ThinkingForm::Redacted => json!({ "reasoningContent": { "redactedContent": signature } }),
        ThinkingForm::Raw | ThinkingForm::Summary => json!({"reasoningContent": {
            "reasoningText": { "text": thinking.text, "signature": signature },
        }}),
    })
}

/// The messages dialect's block, which has the same members.
fn search_result(hosted: &Hosted) -> Option<Value> {
    let texts: Vec<Value> = hosted
        .raw
        .get("content")?
        .as_array()?
        .iter()
        .filter_map(|block| Some(json!({ "text": block.get("text")?.as_str()? })))
        .collect();
    let mut body = json!({ "content": texts });
    for name in ["source", "title", "citations"] {
        if let Some(value) = hosted.raw.get(name) {
            body[name] = value.clone();
        }
    }
    Some(json!({ "searchResult": body }))
}
