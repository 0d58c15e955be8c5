//! A client's request in our own format.

use serde_json::Value;
use serde_json::value::RawValue;

use super::Purpose;
use crate::canonical::{Extra, Failure};
use crate::fields::{Fields, in_range, missing, one_of, wrong};

/// How many inputs a request may have.
pub const MAX_INPUTS: usize = 2048;

const KNOWN: [&str; 4] = ["model", "input", "dimensions", "encoding_format"];

/// A client's request.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The format of the client.
    pub client: ClientFormat,
    /// The model; generate content has it in the path.
    pub model: Option<String>,
    /// What is to be embedded.
    pub input: Input,
    /// How the client wants vectors written.
    pub encoding: Encoding,
    /// The length of the vectors.
    pub dimensions: Option<u64>,
    /// What the vectors are for.
    pub purpose: Option<Purpose>,
    /// Fields that only some vendors know.
    pub extra: Extra,
    /// Why only an upstream of the client's own format can serve this, where that is so.
    pub(super) own_format_only: Option<&'static str>,
}

/// The format that a client speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientFormat {
    /// `/v1/embeddings`
    OpenAi,
    /// `:embedContent`
    EmbedContent,
    /// `:batchEmbedContents`
    BatchEmbedContents,
}

/// How vectors are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Encoding {
    /// A list of numbers.
    #[default]
    Float,
    /// Little-endian 32-bit floats in base64.
    Base64,
}

/// What is to be embedded.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// Texts.
    Texts(Vec<String>),
    /// Lists of token ids, by their lengths: ids mean something to one vendor alone, so they only
    /// ever go through as they are.
    Tokens(Vec<usize>),
    /// Objects (texts, images) in the words of some vendor.
    Objects(Vec<Value>),
}

impl Input {
    /// How many vectors are wanted.
    pub fn len(&self) -> usize {
        match self {
            Self::Texts(texts) => texts.len(),
            Self::Tokens(lists) => lists.len(),
            Self::Objects(items) => items.len(),
        }
    }

    /// Whether there is nothing to embed. A request that was read has something.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The exact number of tokens, where the input is tokens.
    pub fn exact_tokens(&self) -> Option<u64> {
        match self {
            Self::Tokens(lists) => Some(lists.iter().map(|length| *length as u64).sum()),
            _ => None,
        }
    }

    /// The texts, for an estimate of their tokens.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let (texts, items): (&[String], &[Value]) = match self {
            Self::Texts(texts) => (texts, &[]),
            Self::Tokens(_) => (&[], &[]),
            Self::Objects(items) => (&[], items),
        };
        let inner = items.iter().filter_map(|item| item.get("text")?.as_str());
        texts.iter().map(String::as_str).chain(inner)
    }
}

impl Request {
    /// Reads a body of `/v1/embeddings`.
    pub fn read(body: &[u8]) -> Result<Self, Failure> {
        let fields = Fields::read(body)?;
        let model = fields.required_string("model")?.into_owned();
        let encoding = fields.string("encoding_format")?;
        one_of("encoding_format", encoding.as_deref(), &["float", "base64"])?;
        let input = fields.raw("input").ok_or_else(|| missing("input"))?;
        let dimensions = fields.whole("dimensions")?;
        let extra = fields.extra(&KNOWN)?;
        Ok(Self {
            client: ClientFormat::OpenAi,
            model: Some(model),
            input: read_input(input)?,
            encoding: match encoding.as_deref() {
                Some("base64") => Encoding::Base64,
                _ => Encoding::Float,
            },
            dimensions: in_range("dimensions", dimensions, &(1..=1 << 20))?,
            purpose: Purpose::find(&extra),
            extra,
            own_format_only: None,
        })
    }
}

/// The four shapes of `input`, and lists of objects: the first element says which one it is.
fn read_input(raw: &RawValue) -> Result<Input, Failure> {
    let text = raw.get();
    let first = text.strip_prefix('[').map(str::trim_start);
    let input = match (
        text.as_bytes().first(),
        first.and_then(|it| it.bytes().next()),
    ) {
        (Some(b'"'), _) => Input::Texts(vec![list(text)?]),
        (_, Some(b'"')) => Input::Texts(list(text)?),
        (_, Some(b'[')) => {
            let lists: Vec<Vec<u32>> = list(text)?;
            Input::Tokens(lists.iter().map(Vec::len).collect())
        }
        (_, Some(b'{')) => Input::Objects(objects(text)?),
        (_, Some(b']')) => Input::Texts(Vec::new()),
        (Some(b'['), _) => Input::Tokens(vec![list::<Vec<u32>>(text)?.len()]),
        _ => return Err(wrong("input", "a string or a list")),
    };
    let has_empty = match &input {
        Input::Texts(texts) => texts.iter().any(String::is_empty),
        Input::Tokens(lists) => lists.contains(&0),
        Input::Objects(_) => false,
    };
    if has_empty || input.is_empty() {
        return Err(Failure::bad_request("input", "`input` must not be empty."));
    }
    if input.len() > MAX_INPUTS {
        let message = format!("`input` must not have more than {MAX_INPUTS} elements.");
        return Err(Failure::bad_request("input", message));
    }
    Ok(input)
}

fn list<'a, T: serde::Deserialize<'a>>(text: &'a str) -> Result<T, Failure> {
    let expected =
        "a string, a list of strings, a list of token ids or a list of such lists, all of one kind";
    serde_json::from_str(text).map_err(|_| wrong("input", expected))
}

fn objects(text: &str) -> Result<Vec<Value>, Failure> {
    let items: Vec<Value> = list(text)?;
    if items.iter().all(Value::is_object) {
        Ok(items)
    } else {
        Err(wrong("input", "a list of one kind"))
    }
}
