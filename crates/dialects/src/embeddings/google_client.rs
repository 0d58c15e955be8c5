//! Clients of `:embedContent` and `:batchEmbedContents`. Both spellings of every field count, and
//! the settings may stand flat or in an object of their own.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::{ClientFormat, Encoding, Input, MAX_INPUTS, Purpose, Request};
use crate::canonical::{Extra, Failure};
use crate::fields::{Fields, missing};

#[derive(Deserialize)]
struct Content {
    #[serde(default)]
    parts: Vec<Value>,
}

/// One text and what is wanted of it.
#[derive(PartialEq)]
struct Wish {
    text: String,
    dimensions: Option<u64>,
    task: Option<String>,
    title: Option<Value>,
    /// Whether it has parts that are no text.
    has_media: bool,
}

/// Reads a body of `:embedContent`. `model` is the path's.
pub fn read_embed_content(body: &[u8], model: &str) -> Result<Request, Failure> {
    let wish = wish(&Fields::read(body)?, model, "")?;
    Ok(request(ClientFormat::EmbedContent, model, vec![wish]))
}

/// Reads a body of `:batchEmbedContents`. `model` is the path's; every inner one must be the same.
pub fn read_batch_embed_contents(body: &[u8], model: &str) -> Result<Request, Failure> {
    let fields = Fields::read(body)?;
    let requests: Vec<&RawValue> = fields
        .parsed("requests", "a list of objects")?
        .ok_or_else(|| missing("requests"))?;
    if requests.is_empty() || requests.len() > MAX_INPUTS {
        let message = format!("`requests` must have between 1 and {MAX_INPUTS} elements.");
        return Err(Failure::bad_request("requests", message));
    }
    let mut wishes = Vec::with_capacity(requests.len());
    for (index, raw) in requests.into_iter().enumerate() {
        let path = format!("requests[{index}]");
        wishes.push(wish(&Fields::of(raw, &path)?, model, &path)?);
    }
    Ok(request(ClientFormat::BatchEmbedContents, model, wishes))
}

fn wish(fields: &Fields<'_>, model: &str, path: &str) -> Result<Wish, Failure> {
    if let Some(inner) = fields.string("model")? {
        let plain = |name: &str| name.trim_start_matches("models/").to_owned();
        if plain(&inner) != plain(model) {
            let message = "The model in the body must be the one in the path.";
            return Err(Failure::bad_request(at(path, "model"), message));
        }
    }
    let content: Content = fields
        .parsed("content", "an object with `parts`")?
        .ok_or_else(|| missing(&at(path, "content")))?;
    let text: String = content
        .parts
        .iter()
        .filter_map(|part| part.get("text")?.as_str())
        .collect();
    let has_media = content.parts.iter().any(|part| part.get("text").is_none());
    if text.is_empty() && !has_media {
        let name = at(path, "content");
        let message = format!("`{name}` must have text.");
        return Err(Failure::bad_request(name, message));
    }
    let settings = Settings::read(fields)?;
    Ok(Wish {
        text,
        dimensions: settings.dimensions,
        task: settings.task,
        title: settings.title,
        has_media,
    })
}

struct Settings {
    dimensions: Option<u64>,
    task: Option<String>,
    title: Option<Value>,
}

impl Settings {
    /// The newer place first, then the flat fields.
    fn read(fields: &Fields<'_>) -> Result<Self, Failure> {
        let flat = Self::of(fields)?;
        let nested = fields
            .raw("embedContentConfig")
            .or_else(|| fields.raw("embed_content_config"));
        let Some(nested) = nested else {
            return Ok(flat);
        };
        let nested = Self::of(&Fields::of(nested, "embedContentConfig")?)?;
        Ok(Self {
            dimensions: nested.dimensions.or(flat.dimensions),
            task: nested.task.or(flat.task),
            title: nested.title.or(flat.title),
        })
    }

    fn of(fields: &Fields<'_>) -> Result<Self, Failure> {
        let dimensions = match fields.whole("outputDimensionality")? {
            None => fields.whole("output_dimensionality")?,
            dimensions => dimensions,
        };
        let task = match fields.string("taskType")? {
            None => fields.string("task_type")?,
            task => task,
        };
        Ok(Self {
            dimensions: dimensions.filter(|dimensions| *dimensions > 0),
            task: task.map(std::borrow::Cow::into_owned),
            title: fields
                .string("title")?
                .map(|title| Value::from(title.as_ref())),
        })
    }
}

fn at(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

fn request(client: ClientFormat, model: &str, wishes: Vec<Wish>) -> Request {
    let first = wishes.first();
    let same = |is_same: fn(&Wish, &Wish) -> bool| {
        let pair = |other: &Wish| first.is_some_and(|first| is_same(first, other));
        wishes.iter().all(pair)
    };
    let own_format_only = if wishes.iter().any(|wish| wish.has_media) {
        Some("This model embeds text alone.")
    } else if !same(|a, b| a.dimensions == b.dimensions) {
        Some("This model takes one `outputDimensionality` for a whole batch.")
    } else {
        None
    };
    let mut extra = Extra::new();
    let task = first.and_then(|wish| wish.task.clone());
    if let Some(task) = task.clone() {
        extra.insert("task_type".to_owned(), Value::String(task));
    }
    if let Some(title) = first.and_then(|wish| wish.title.clone()) {
        extra.insert("title".to_owned(), title);
    }
    let has_one_task = same(|a, b| a.task == b.task);
    Request {
        client,
        model: Some(model.to_owned()),
        dimensions: first.and_then(|wish| wish.dimensions),
        purpose: task
            .filter(|_| has_one_task)
            .and_then(|task| Purpose::from_word(&task)),
        input: Input::Texts(wishes.into_iter().map(|wish| wish.text).collect()),
        encoding: Encoding::Float,
        extra,
        own_format_only,
    }
}
