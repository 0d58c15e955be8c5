//! Image models behind `:generateContent`. They make one image a call: the caller makes as many calls
//! as images are wanted and adds up what they bring.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{ImageOptions, Pictures, Size};
use crate::canonical::{Failure, FailureKind, Usage};
use crate::json;

/// An image that goes in.
#[derive(Debug, Clone, Copy)]
pub struct InlineImage<'a> {
    /// Its media type.
    pub media_type: &'a str,
    /// Its bytes in base64.
    pub base64: &'a str,
}

/// The ratios that these models know.
const RATIOS: [(u32, u32); 8] = [
    (1, 1),
    (2, 3),
    (3, 2),
    (3, 4),
    (4, 3),
    (9, 16),
    (16, 9),
    (21, 9),
];

/// Writes the body of one call. `has_mask`: these models cannot be told where to paint, and an edit
/// somewhere else would be wrong.
pub fn write_call(
    prompt: &str,
    options: &ImageOptions,
    images: &[InlineImage<'_>],
    has_mask: bool,
) -> Result<Vec<u8>, Failure> {
    if has_mask {
        return Err(Failure::unsupported("mask", "This model takes no mask."));
    }
    let mut parts = vec![json!({ "text": prompt })];
    parts.extend(
        images.iter().map(
            |image| json!({"inlineData": {"mimeType": image.media_type, "data": image.base64}}),
        ),
    );
    let mut config = Map::new();
    if let Some(ratio) = aspect_ratio(options.pixels(), &RATIOS) {
        config.insert("aspectRatio".to_owned(), json!(ratio));
    }
    if let Some(quality) = &options.quality {
        config.insert("imageSize".to_owned(), json!(image_size(quality)));
    }
    let mut generation = json!({"responseModalities": ["TEXT", "IMAGE"]});
    if !config.is_empty() {
        generation["imageConfig"] = Value::Object(config);
    }
    let body = json!({
        "contents": [{"role": "user", "parts": parts}],
        "generationConfig": generation,
    });
    Ok(json::text(&body).into_bytes())
}

/// Names of what a client asked for and such a call cannot say.
pub fn dropped(fields: &crate::fields::Fields<'_>) -> Vec<String> {
    let unsaid = [
        "output_format",
        "output_compression",
        "background",
        "moderation",
        "style",
        "partial_images",
        "input_fidelity",
        "user",
    ];
    let named = unsaid.iter().filter(|name| fields.raw(name).is_some());
    named.map(|name| (*name).to_owned()).collect()
}

/// A ratio is taken literally, a size becomes the nearest ratio.
pub(super) fn aspect_ratio(size: Size, ratios: &[(u32, u32)]) -> Option<String> {
    if let Size::Ratio(width, height) = size {
        return Some(format!("{width}:{height}"));
    }
    let wanted = size.ratio()?;
    let distance = |(width, height): &&(u32, u32)| {
        Size::Ratio(*width, *height)
            .ratio()
            .map_or(u64::MAX, |ratio| ratio.abs_diff(wanted))
    };
    let (width, height) = ratios.iter().min_by_key(distance)?;
    Some(format!("{width}:{height}"))
}

pub(super) fn image_size(quality: &str) -> &'static str {
    match quality {
        "high" | "hd" => "2K",
        _ => "1K",
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Body {
    #[serde(default)]
    candidates: Vec<Candidate>,
    #[serde(default)]
    prompt_feedback: Option<Feedback>,
    #[serde(default)]
    usage_metadata: Option<UsageMetadata>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate {
    #[serde(default)]
    content: Option<Content>,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Content {
    #[serde(default)]
    parts: Vec<Part>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Part {
    #[serde(default)]
    thought: bool,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    inline_data: Option<InlineData>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct InlineData {
    #[serde(default)]
    mime_type: Option<String>,
    data: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Feedback {
    #[serde(default)]
    block_reason: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct UsageMetadata {
    prompt_token_count: Option<u64>,
    candidates_token_count: Option<u64>,
    thoughts_token_count: Option<u64>,
    prompt_tokens_details: Vec<Detail>,
    candidates_tokens_details: Vec<Detail>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Detail {
    modality: String,
    token_count: u64,
}

/// Reads one call's answer. An answer in words alone, or one that was blocked, is a refusal.
pub fn read_reply(body: &[u8]) -> Result<Pictures, Failure> {
    let body: Body = serde_json::from_slice(body)
        .map_err(|_| Failure::upstream("The upstream's answer cannot be read."))?;
    let mut images = Vec::new();
    let mut words = String::new();
    let contents = body.candidates.iter().filter_map(|it| it.content.as_ref());
    // Drafts are marked as thoughts.
    for part in contents.flat_map(|it| &it.parts).filter(|it| !it.thought) {
        if let Some(data) = &part.inline_data {
            let media_type = data.mime_type.clone();
            let media_type = media_type.unwrap_or_else(|| "image/png".to_owned());
            images.push((media_type, data.data.clone()));
        }
        words.push_str(part.text.as_deref().unwrap_or_default());
    }
    if images.is_empty() {
        return Err(refusal(&body, &words));
    }
    Ok(Pictures {
        images,
        usage: body.usage_metadata.map(|usage| usage.read()),
    })
}

fn refusal(body: &Body, words: &str) -> Failure {
    let feedback = body.prompt_feedback.as_ref();
    let blocked = feedback.and_then(|feedback| feedback.block_reason.as_deref());
    let finish = body
        .candidates
        .iter()
        .find_map(|it| it.finish_reason.as_deref());
    let reason = blocked.or(finish.filter(|finish| *finish != "STOP"));
    let is_silent = body.candidates.is_empty() && blocked.is_none();
    if is_silent {
        return Failure::upstream("The upstream's answer has no image.");
    }
    let message = match (words.trim(), reason) {
        ("", Some(reason)) => format!("The model made no image ({reason})."),
        ("", None) => "The model made no image.".to_owned(),
        (words, _) => format!("The model made no image: {words}"),
    };
    Failure::new(FailureKind::ContentBlocked, message)
}

impl UsageMetadata {
    fn read(&self) -> Usage {
        let of = |details: &[Detail], modality: &str| {
            let found = details.iter().filter(|it| it.modality == modality);
            found.map(|it| it.token_count).reduce(u64::saturating_add)
        };
        let output = [self.candidates_token_count, self.thoughts_token_count];
        Usage {
            input: self.prompt_token_count,
            input_image: of(&self.prompt_tokens_details, "IMAGE"),
            output: output.into_iter().flatten().reduce(u64::saturating_add),
            output_image: of(&self.candidates_tokens_details, "IMAGE"),
            reasoning: self.thoughts_token_count,
            ..Usage::default()
        }
    }
}
