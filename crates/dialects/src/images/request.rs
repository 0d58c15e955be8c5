//! A client's `/v1/images/generations`.

use super::ImageOptions;
use crate::canonical::Failure;
use crate::fields::{Fields, wrong};

/// No model takes a longer prompt.
const MAX_PROMPT_CHARACTERS: usize = 32_000;

/// A client's request, as far as it is checked and priced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GenerationRequest {
    /// The model. The vendor has a default; here routing and price need a name.
    pub model: String,
    /// What to draw.
    pub prompt: String,
    /// How.
    pub options: ImageOptions,
}

impl GenerationRequest {
    /// Reads a body.
    pub fn read(body: &[u8]) -> Result<Self, Failure> {
        let fields = Fields::read(body)?;
        Ok(Self {
            model: fields.required_string("model")?.into_owned(),
            prompt: read_prompt(&fields)?,
            options: ImageOptions::read(&fields)?,
        })
    }

    /// The client's body for an upstream that knows the model by this name; fields that are not
    /// known here go with it.
    pub fn forward(body: &[u8], model: &str) -> Result<Vec<u8>, Failure> {
        Ok(Fields::read(body)?.with_model(model))
    }
}

pub(super) fn read_prompt(fields: &Fields<'_>) -> Result<String, Failure> {
    let prompt = fields.required_string("prompt")?;
    if prompt.chars().count() > MAX_PROMPT_CHARACTERS {
        let expected = format!("at most {MAX_PROMPT_CHARACTERS} characters");
        return Err(wrong("prompt", &expected));
    }
    Ok(prompt.into_owned())
}
