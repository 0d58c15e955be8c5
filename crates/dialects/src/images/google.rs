//! Image models behind `:generateContent`. They make one image a call: the caller makes as many calls
//! as images are wanted and adds up what they bring.

use serde_json::{Map, Value, json};

use super::{ImageOptions, Pictures, Size};
use crate::canonical::Failure;
use crate::google_media::MediaReply;
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

/// Names of what a client asked for and such a call cannot say. `asks`: whether the client gave a
/// field or a form's text of this name.
pub fn dropped(asks: impl Fn(&str) -> bool) -> Vec<String> {
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
    let named = unsaid.iter().filter(|name| asks(name));
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

/// Reads one call's answer. An answer in words alone, or one that was blocked, is a refusal.
pub fn read_reply(body: &[u8]) -> Result<Pictures, Failure> {
    let reply = MediaReply::read(body)?;
    if reply.media.is_empty() {
        return Err(reply.refusal("image"));
    }
    let images = reply.media.into_iter().map(|(media_type, base64)| {
        let media_type = media_type.unwrap_or_else(|| "image/png".to_owned());
        (media_type, base64)
    });
    Ok(Pictures {
        images: images.collect(),
        usage: reply.usage,
    })
}
