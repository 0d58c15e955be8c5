//! A client's `/v1/images/edits` as a JSON body. (As a form, the server reads it part by part.)

use serde_json::Value;
use serde_json::value::RawValue;

use super::ImageOptions;
use super::request::read_prompt;
use crate::canonical::Failure;
use crate::data_url::DataUrl;
use crate::fields::{Fields, missing, wrong};
use crate::json;

const MAX_SOURCES: usize = 16;
const MAX_URL_BYTES: usize = 20_971_520;

/// A client's request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditRequest {
    /// The model.
    pub model: String,
    /// What to change.
    pub prompt: String,
    /// How.
    pub options: ImageOptions,
    /// The images, in their order.
    pub images: Vec<ImageSource>,
    /// Where to change the first of them.
    pub mask: Option<ImageSource>,
}

/// Where an image is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImageSource {
    /// At an address, or in a data URL.
    Url(String),
    /// In the files of one vendor's account: such a call cannot move to another channel.
    File(String),
}

impl ImageSource {
    /// What a data URL holds: its media type, and its content in base64.
    pub fn data(&self) -> Option<(String, String)> {
        let Self::Url(url) = self else { return None };
        DataUrl::read(url).map(|read| (read.mime, read.data))
    }
}

impl EditRequest {
    /// Reads a body.
    pub fn read(body: &[u8]) -> Result<Self, Failure> {
        let fields = Fields::read(body)?;
        let images: Vec<&RawValue> = fields
            .parsed("images", "a list of images")?
            .ok_or_else(|| missing("images"))?;
        if images.is_empty() || images.len() > MAX_SOURCES {
            let expected = format!("a list of 1 to {MAX_SOURCES} images");
            return Err(wrong("images", &expected));
        }
        let image = |(index, raw)| source(raw, &format!("images[{index}]"));
        Ok(Self {
            model: fields.required_string("model")?.into_owned(),
            prompt: read_prompt(&fields)?,
            options: ImageOptions::read(&fields)?,
            images: images
                .into_iter()
                .enumerate()
                .map(image)
                .collect::<Result<_, _>>()?,
            mask: fields
                .raw("mask")
                .map(|raw| source(raw, "mask"))
                .transpose()?,
        })
    }

    /// Whether it names files of a vendor's account.
    pub fn is_bound_to_a_vendor(&self) -> bool {
        let mut all = self.images.iter().chain(&self.mask);
        all.any(|source| matches!(source, ImageSource::File(_)))
    }

    /// What a body says beside its images and its model, each as a form has it.
    pub fn texts(body: &[u8]) -> Result<Vec<(String, String)>, Failure> {
        let mut said = Fields::read(body)?.extra(&["model", "images", "mask"])?;
        // A form without a size means another one than a JSON body without it.
        said.entry("size").or_insert_with(|| Value::from("auto"));
        let texts = said.into_iter().map(|(name, value)| match value {
            Value::String(text) => (name, text),
            other => (name, json::text(&other)),
        });
        Ok(texts.collect())
    }

    /// The client's body for an upstream that knows the model by this name.
    pub fn forward(body: &[u8], model: &str) -> Result<Vec<u8>, Failure> {
        Ok(Fields::read(body)?.with_model(model))
    }
}

fn source(raw: &RawValue, path: &str) -> Result<ImageSource, Failure> {
    let fields = Fields::of(raw, path)?;
    match (fields.string("image_url")?, fields.string("file_id")?) {
        (Some(url), None) if (1..=MAX_URL_BYTES).contains(&url.len()) => {
            Ok(ImageSource::Url(url.into_owned()))
        }
        (None, Some(id)) if !id.is_empty() => Ok(ImageSource::File(id.into_owned())),
        _ => Err(wrong(path, "an image with either `image_url` or `file_id`")),
    }
}
