//! Images that a vendor of another format made, in our reply.

use serde_json::{Map, Value, json};

use crate::canonical::Usage;
use crate::json;

/// What such a vendor brought back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pictures {
    /// The images in base64, each with its media type.
    pub images: Vec<(String, String)>,
    /// Tokens, where the vendor counts them.
    pub usage: Option<Usage>,
}

impl Pictures {
    /// Adds what another call brought: a vendor that makes one image a call is called several times.
    pub fn add(&mut self, other: Self) {
        self.images.extend(other.images);
        if let Some(more) = other.usage {
            let mut sum = crate::units::Units {
                tokens: self.usage.take().unwrap_or_default(),
                ..crate::units::Units::default()
            };
            sum.add(&crate::units::Units {
                tokens: more,
                ..crate::units::Units::default()
            });
            self.usage = Some(sum.tokens);
        }
    }
}

/// Writes them as a client of `/v1/images/generations` or `/v1/images/edits` expects them. There is no
/// store of files behind the gateway: an image that was asked for as an address is a data URL.
pub fn write_reply(pictures: &Pictures, created: u64, as_url: bool) -> Vec<u8> {
    let data: Vec<Value> = pictures
        .images
        .iter()
        .map(|(media_type, base64)| {
            if as_url {
                json!({"url": format!("data:{media_type};base64,{base64}")})
            } else {
                json!({ "b64_json": base64 })
            }
        })
        .collect();
    let mut body = Map::new();
    body.insert("created".to_owned(), json!(created));
    let format = pictures.images.first().map(|(media_type, _)| media_type);
    if let Some(format) = format.and_then(|it| it.strip_prefix("image/")) {
        body.insert("output_format".to_owned(), json!(format));
    }
    body.insert("data".to_owned(), Value::Array(data));
    if let Some(usage) = &pictures.usage {
        body.insert("usage".to_owned(), write_usage(usage));
    }
    json::text(&Value::Object(body)).into_bytes()
}

/// Tokens in the words of image models.
fn write_usage(usage: &Usage) -> Value {
    let input = usage.input.unwrap_or(0);
    let output = usage.output.unwrap_or(0);
    let input_image = usage.input_image.unwrap_or(0);
    let output_image = usage.output_image.unwrap_or(output);
    json!({
        "total_tokens": input.saturating_add(output),
        "input_tokens": input,
        "output_tokens": output,
        "input_tokens_details": {
            "text_tokens": input.saturating_sub(input_image),
            "image_tokens": input_image,
        },
        "output_tokens_details": {
            "image_tokens": output_image,
            "text_tokens": output.saturating_sub(output_image),
        },
    })
}
