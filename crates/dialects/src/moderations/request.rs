//! A client's request.

use serde_json::Value;

use crate::canonical::Failure;
use crate::fields::{Fields, missing, wrong};

/// A client's request, as far as it is checked and counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The model; vendors have a default, so a client may leave it to the gateway.
    pub model: Option<String>,
    /// Its texts, for an estimate of their tokens.
    pub texts: Vec<String>,
    /// How many images it has.
    pub images: usize,
}

impl Request {
    /// Reads a body.
    pub fn read(body: &[u8]) -> Result<Self, Failure> {
        let fields = Fields::read(body)?;
        let model = match fields.raw("model") {
            Some(_) => Some(fields.required_string("model")?.into_owned()),
            None => None,
        };
        let input: Value = fields
            .parsed("input", EXPECTED)?
            .ok_or_else(|| missing("input"))?;
        let mut request = Self {
            model,
            texts: Vec::new(),
            images: 0,
        };
        match input {
            Value::String(text) => request.texts.push(text),
            Value::Array(items) if !items.is_empty() => {
                for (index, item) in items.into_iter().enumerate() {
                    request.take(index, item)?;
                }
            }
            Value::Array(_) => return Err(wrong("input", "a list that is not empty")),
            _ => return Err(wrong("input", EXPECTED)),
        }
        Ok(request)
    }

    fn take(&mut self, index: usize, item: Value) -> Result<(), Failure> {
        let kind = item["type"].as_str();
        if let Value::String(text) = item {
            self.texts.push(text);
        } else if let (Some("text"), Value::String(text)) = (kind, &item["text"]) {
            self.texts.push(text.clone());
        } else if kind == Some("image_url") && item["image_url"]["url"].is_string() {
            self.images += 1;
        } else {
            let name = format!("input[{index}]");
            return Err(wrong(&name, "a string, a text part or an image part"));
        }
        Ok(())
    }

    /// The client's body for an upstream that knows the model by this name.
    pub fn forward(body: &[u8], model: &str) -> Result<Vec<u8>, Failure> {
        Ok(Fields::read(body)?.with_model(model))
    }
}

const EXPECTED: &str = "a string, a list of strings or a list of parts";
