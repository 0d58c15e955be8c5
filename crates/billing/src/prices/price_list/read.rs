//! Reading a whole list: every entry that prices something, under the name that clients ask for.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::entry::{Entry, sheet_of};
use super::vendors::{Listed, listed, ranked};
use crate::pricing::{ImagePrice, PriceSheet};

/// What models of these kinds cost can be said here; entries that do not say their kind are taken.
const MODES: [&str; 11] = [
    "audio_speech",
    "audio_transcription",
    "chat",
    "completion",
    "embedding",
    "image_edit",
    "image_generation",
    "moderation",
    "realtime",
    "rerank",
    "responses",
];
const LONGEST_NAME: usize = 256;

/// A price list.
#[derive(Clone, Debug, Default)]
pub struct PriceList {
    /// What models cost.
    pub models: BTreeMap<String, PriceSheet>,
    /// Entries that price something and cannot be used.
    pub left_out: Vec<LeftOut>,
}

/// An entry that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Its name in the list.
    pub name: String,
    /// What is wrong with it.
    pub reason: String,
}

/// Why a text is no price list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PriceListError {
    /// It is not JSON.
    #[error("it is not valid JSON")]
    NotJson,
    /// It is not an object of objects.
    #[error("it must be a JSON object with an object for each model")]
    NotAList,
    /// It prices nothing.
    #[error("it has no price of any model")]
    Empty,
}

impl PriceList {
    /// Reads a list.
    pub fn read(text: &[u8]) -> Result<Self, PriceListError> {
        let entries = match serde_json::from_slice(text) {
            Ok(Value::Object(entries)) => entries,
            Ok(_) => return Err(PriceListError::NotAList),
            Err(_) => return Err(PriceListError::NotJson),
        };
        let mut list = Self::default();
        let mut images: BTreeMap<&str, Vec<ImagePrice>> = BTreeMap::new();
        for (name, entry) in in_order(&entries)? {
            let sheet = match sheet_of(entry) {
                Ok(sheet) if sheet == PriceSheet::default() => continue,
                Ok(sheet) => sheet,
                Err(reason) => {
                    list.leave_out(name, reason);
                    continue;
                }
            };
            match listed(name) {
                Listed::Variant => {}
                Listed::Model(model) if is_name(model) => {
                    list.models.entry(model.to_owned()).or_insert(sheet);
                }
                Listed::Image {
                    model,
                    size,
                    quality,
                } if is_name(model) => {
                    let quality = quality.map(str::to_owned);
                    let (size, price) = (Some(size), sheet.per_image);
                    let price = price.map(|price| ImagePrice {
                        size,
                        quality,
                        price: Some(price),
                    });
                    images.entry(model).or_default().extend(price);
                }
                _ => list.leave_out(name, "its name cannot be a model's".to_owned()),
            }
        }
        for (model, prices) in images {
            list.add_images(model, prices);
        }
        match (list.models.is_empty(), list.left_out.is_empty()) {
            (true, true) => Err(PriceListError::Empty),
            _ => Ok(list),
        }
    }

    /// Adds prices by size, unless the model's images are priced by their tokens.
    fn add_images(&mut self, model: &str, prices: Vec<ImagePrice>) {
        let sheet = self.models.entry(model.to_owned()).or_default();
        let by_tokens = [
            sheet.input,
            sheet.output,
            sheet.image_input,
            sheet.image_output,
        ];
        if by_tokens.iter().all(Option::is_none) {
            sheet.images = prices;
        }
    }

    fn leave_out(&mut self, name: &str, reason: String) {
        let name = name.chars().take(LONGEST_NAME).collect();
        self.left_out.push(LeftOut { name, reason });
    }
}

/// The entries with their names, those that win a name first.
fn in_order(entries: &Map<String, Value>) -> Result<Vec<(&str, &Entry)>, PriceListError> {
    let mut found = Vec::with_capacity(entries.len());
    for (name, entry) in entries {
        let entry = entry.as_object().ok_or(PriceListError::NotAList)?;
        let text = |field: &str| entry.get(field).and_then(Value::as_str);
        if text("mode").is_none_or(|mode| MODES.contains(&mode)) {
            let (rank, name) = ranked(name, text("litellm_provider"));
            found.push((rank, name, entry));
        }
    }
    found.sort_by_key(|(rank, ..)| *rank);
    let named = found.into_iter().map(|(_, name, entry)| (name, entry));
    Ok(named.collect())
}

/// Whether models can have this name here.
fn is_name(name: &str) -> bool {
    !name.trim().is_empty() && name.len() <= LONGEST_NAME && !name.chars().any(char::is_control)
}
