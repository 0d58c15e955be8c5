//! Image models behind `:predict`.

use serde::Deserialize;
use serde_json::json;

use super::google::{aspect_ratio, image_size};
use super::{ImageOptions, Pictures};
use crate::canonical::{Failure, FailureKind};
use crate::error_body;
use crate::fields::wrong;
use crate::json;

const RATIOS: [(u32, u32); 5] = [(1, 1), (3, 4), (4, 3), (9, 16), (16, 9)];
/// How many images one call makes.
const MAX_SAMPLES: u64 = 4;

/// Writes the body of a call.
pub fn write_call(prompt: &str, options: &ImageOptions) -> Result<Vec<u8>, Failure> {
    if options.count > MAX_SAMPLES {
        return Err(wrong("n", &format!("at most {MAX_SAMPLES} for this model")));
    }
    let mut parameters = json!({"sampleCount": options.count, "includeRaiReason": true});
    if let Some(ratio) = aspect_ratio(options.pixels(), &RATIOS) {
        parameters["aspectRatio"] = json!(ratio);
    }
    if let Some(quality) = &options.quality {
        parameters["sampleImageSize"] = json!(image_size(quality));
    }
    let body = json!({"instances": [{ "prompt": prompt }], "parameters": parameters});
    Ok(json::text(&body).into_bytes())
}

#[derive(Deserialize)]
struct Body {
    #[serde(default)]
    predictions: Vec<Prediction>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Prediction {
    #[serde(default)]
    mime_type: Option<String>,
    #[serde(default)]
    bytes_base64_encoded: Option<String>,
    #[serde(default)]
    rai_filtered_reason: Option<String>,
}

/// Reads an answer. What was filtered out is no image; where all were, it is a refusal.
pub fn read_reply(body: &[u8]) -> Result<Pictures, Failure> {
    let answer = body;
    let body: Body = serde_json::from_slice(answer)
        .map_err(|_| error_body::unusable("The upstream's answer cannot be read.", answer))?;
    let reason = body
        .predictions
        .iter()
        .find_map(|it| it.rai_filtered_reason.clone());
    let images: Vec<(String, String)> = body
        .predictions
        .into_iter()
        .filter_map(|it| {
            let media_type = it.mime_type.unwrap_or_else(|| "image/png".to_owned());
            Some((media_type, it.bytes_base64_encoded?))
        })
        .collect();
    if images.is_empty() {
        return Err(match reason {
            Some(reason) => Failure::new(FailureKind::ContentBlocked, error_body::mask(&reason)),
            None => error_body::unusable("The model made no image.", answer),
        });
    }
    Ok(Pictures {
        images,
        usage: None,
    })
}
