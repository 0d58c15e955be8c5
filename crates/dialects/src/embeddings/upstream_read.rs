//! The vendors' answers: vectors in the order of the inputs, and the tokens that were counted.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Shape, Vector};
use crate::canonical::Failure;
use crate::error_body;
use crate::units::{Counts, count};

/// What one call brought back.
#[derive(Debug, Clone)]
pub struct Vectors<'a> {
    /// The vectors, in the order of the inputs.
    pub list: Vec<Vector<'a>>,
    /// The model's name, where the vendor gives one.
    pub model: Option<String>,
    /// Tokens, where the vendor counts them.
    pub tokens: Option<u64>,
}

/// Reads an answer that must have this many vectors.
pub fn read(shape: Shape, body: &[u8], expected: usize) -> Result<Vectors<'_>, Failure> {
    let read = match shape {
        Shape::OpenAi | Shape::Jina | Shape::Voyage => openai(body)?,
        Shape::Google | Shape::GoogleSingle => google(body)?,
        Shape::VertexPredict => predict(body)?,
        Shape::Cohere => cohere(body)?,
        Shape::Ollama => ollama(body)?,
        Shape::Tei => tei(body)?,
        Shape::Titan => titan(body)?,
    };
    if read.list.len() != expected {
        return Err(Failure::upstream(format!(
            "The upstream answered with {} vectors for {expected} inputs.",
            read.list.len()
        )));
    }
    Ok(read)
}

fn parse<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Result<T, Failure> {
    let message = "The upstream's answer has no vectors that can be read.";
    serde_json::from_slice(body).map_err(|_| error_body::unusable(message, body))
}

fn vectors<'a>(list: &[&'a RawValue]) -> Result<Vec<Vector<'a>>, Failure> {
    list.iter().map(|raw| Vector::read(raw)).collect()
}

#[derive(Deserialize)]
struct OpenAi<'a> {
    #[serde(borrow)]
    data: Vec<Item<'a>>,
    #[serde(borrow, default)]
    model: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    usage: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Item<'a> {
    #[serde(default)]
    index: Option<usize>,
    #[serde(borrow)]
    embedding: &'a RawValue,
}

fn openai(body: &[u8]) -> Result<Vectors<'_>, Failure> {
    let mut read: OpenAi<'_> = parse(body)?;
    // The order is told twice; where the two differ, the index counts.
    if read.data.iter().all(|item| item.index.is_some()) {
        read.data.sort_by_key(|item| item.index);
    }
    let list: Vec<&RawValue> = read.data.iter().map(|item| item.embedding).collect();
    Ok(Vectors {
        list: vectors(&list)?,
        model: read.model.map(Cow::into_owned),
        tokens: Counts::read(read.usage).input_or_total(),
    })
}

#[derive(Deserialize)]
struct Google<'a> {
    #[serde(borrow, default)]
    embedding: Option<Values<'a>>,
    #[serde(borrow, default)]
    embeddings: Vec<Values<'a>>,
    #[serde(borrow, default, rename = "usageMetadata")]
    usage: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Values<'a> {
    #[serde(borrow)]
    values: &'a RawValue,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GoogleUsage<'a> {
    #[serde(borrow)]
    prompt_token_count: Option<&'a RawValue>,
}

fn google(body: &[u8]) -> Result<Vectors<'_>, Failure> {
    let read: Google<'_> = parse(body)?;
    let all = read.embedding.iter().chain(&read.embeddings);
    let list: Vec<&RawValue> = all.map(|it| it.values).collect();
    let usage = read
        .usage
        .and_then(|raw| serde_json::from_str::<GoogleUsage<'_>>(raw.get()).ok());
    Ok(Vectors {
        list: vectors(&list)?,
        model: None,
        tokens: usage.and_then(|usage| count(usage.prompt_token_count)),
    })
}

#[derive(Deserialize)]
struct Predict<'a> {
    #[serde(borrow)]
    predictions: Vec<Prediction<'a>>,
}

#[derive(Deserialize)]
struct Prediction<'a> {
    #[serde(borrow)]
    embeddings: PredictedValues<'a>,
}

#[derive(Deserialize)]
struct PredictedValues<'a> {
    #[serde(borrow)]
    values: &'a RawValue,
    #[serde(borrow, default)]
    statistics: Option<Statistics<'a>>,
}

#[derive(Deserialize)]
struct Statistics<'a> {
    #[serde(borrow, default)]
    token_count: Option<&'a RawValue>,
}

fn predict(body: &[u8]) -> Result<Vectors<'_>, Failure> {
    let read: Predict<'_> = parse(body)?;
    let all = read.predictions.iter().map(|it| &it.embeddings);
    let list: Vec<&RawValue> = all.clone().map(|it| it.values).collect();
    let counts = all.map(|it| count(it.statistics.as_ref()?.token_count));
    Ok(Vectors {
        list: vectors(&list)?,
        model: None,
        // One text without a count would be free: then all are estimated.
        tokens: counts.sum(),
    })
}

#[derive(Deserialize)]
struct Cohere<'a> {
    #[serde(borrow)]
    embeddings: &'a RawValue,
    #[serde(borrow, default)]
    meta: Option<Meta<'a>>,
}

#[derive(Deserialize)]
struct ByType<'a> {
    #[serde(borrow)]
    float: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
struct Meta<'a> {
    #[serde(borrow, default)]
    billed_units: Option<BilledUnits<'a>>,
}

#[derive(Deserialize)]
struct BilledUnits<'a> {
    #[serde(borrow, default)]
    input_tokens: Option<&'a RawValue>,
    #[serde(borrow, default)]
    image_tokens: Option<&'a RawValue>,
}

/// The vectors are keyed by type; the older version has a bare list.
fn cohere(body: &[u8]) -> Result<Vectors<'_>, Failure> {
    let read: Cohere<'_> = parse(body)?;
    let text = read.embeddings.get();
    let list: Vec<&RawValue> = if text.starts_with('[') {
        parse(text.as_bytes())?
    } else {
        parse::<ByType<'_>>(text.as_bytes())?.float
    };
    let billed = read.meta.and_then(|meta| meta.billed_units);
    let tokens = billed.and_then(|billed| {
        let counts = [count(billed.input_tokens), count(billed.image_tokens)];
        counts.into_iter().flatten().reduce(u64::saturating_add)
    });
    Ok(Vectors {
        list: vectors(&list)?,
        model: None,
        tokens,
    })
}

#[derive(Deserialize)]
struct Ollama<'a> {
    #[serde(borrow)]
    embeddings: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    model: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    prompt_eval_count: Option<&'a RawValue>,
}

fn ollama(body: &[u8]) -> Result<Vectors<'_>, Failure> {
    let read: Ollama<'_> = parse(body)?;
    Ok(Vectors {
        list: vectors(&read.embeddings)?,
        model: read.model.map(Cow::into_owned),
        tokens: count(read.prompt_eval_count),
    })
}

fn tei(body: &[u8]) -> Result<Vectors<'_>, Failure> {
    let list: Vec<&RawValue> = parse(body)?;
    Ok(Vectors {
        list: vectors(&list)?,
        model: None,
        tokens: None,
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Titan<'a> {
    #[serde(borrow)]
    embedding: &'a RawValue,
    #[serde(borrow, default)]
    input_text_token_count: Option<&'a RawValue>,
}

fn titan(body: &[u8]) -> Result<Vectors<'_>, Failure> {
    let read: Titan<'_> = parse(body)?;
    Ok(Vectors {
        list: vectors(&[read.embedding])?,
        model: None,
        tokens: count(read.input_text_token_count),
    })
}
