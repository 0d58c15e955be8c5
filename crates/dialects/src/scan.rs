//! What routing and metering need from a request body, read in one pass without parsing the rest.
//! A call whose upstream speaks the client's own dialect goes through as the client's own bytes:
//! only the model's name is replaced in place, and usage is asked for where it must be.
//!
//! What is checked is what is sent: a field that is read here and given twice is refused, and names
//! are case-sensitive.

use std::borrow::Cow;
use std::ops::Range;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use crate::DialectId;
use crate::canonical::Failure;

/// What a scan found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Scan<'a> {
    /// The model's name; generate content has it in the path.
    pub model: Option<Cow<'a, str>>,
    /// Where the name stands in the body, quotes included.
    pub model_span: Option<Range<usize>>,
    /// Whether a stream is wanted.
    pub stream: bool,
    /// The cap on generated tokens.
    pub max_output: Option<u64>,
    /// How many choices are wanted.
    pub choices: Option<u64>,
    /// Whether tools are declared.
    pub has_tools: bool,
    /// Whether the client asked for a usage chunk (chat and legacy completions).
    pub include_usage: bool,
    /// Where `stream_options` stands in the body.
    stream_options_span: Option<Range<usize>>,
}

/// Fields of chat completions, legacy completions, messages and responses. One struct serves all
/// four: a field that a dialect does not have is simply not there.
#[derive(Deserialize)]
struct Body<'a> {
    #[serde(borrow)]
    model: Option<&'a RawValue>,
    #[serde(borrow)]
    stream: Option<&'a RawValue>,
    #[serde(borrow)]
    stream_options: Option<&'a RawValue>,
    #[serde(borrow)]
    max_tokens: Option<&'a RawValue>,
    #[serde(borrow)]
    max_completion_tokens: Option<&'a RawValue>,
    #[serde(borrow)]
    max_output_tokens: Option<&'a RawValue>,
    #[serde(borrow)]
    n: Option<&'a RawValue>,
    #[serde(borrow)]
    tools: Option<&'a RawValue>,
}

/// Fields of messages, which are also checked.
#[derive(Deserialize)]
struct MessagesBody<'a> {
    #[serde(borrow)]
    model: Option<&'a RawValue>,
    #[serde(borrow)]
    stream: Option<&'a RawValue>,
    #[serde(borrow)]
    max_tokens: Option<&'a RawValue>,
    #[serde(borrow)]
    messages: Option<&'a RawValue>,
    #[serde(borrow)]
    system: Option<&'a RawValue>,
    #[serde(borrow)]
    temperature: Option<&'a RawValue>,
    #[serde(borrow)]
    top_p: Option<&'a RawValue>,
    #[serde(borrow)]
    top_k: Option<&'a RawValue>,
    #[serde(borrow)]
    stop_sequences: Option<&'a RawValue>,
    #[serde(borrow)]
    tools: Option<&'a RawValue>,
}

/// Fields of generate content, in both spellings.
#[derive(Deserialize)]
struct GenerateBody<'a> {
    #[serde(borrow, rename = "generationConfig", alias = "generation_config")]
    config: Option<GenerateConfig<'a>>,
    #[serde(borrow)]
    tools: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct GenerateConfig<'a> {
    #[serde(borrow, rename = "maxOutputTokens", alias = "max_output_tokens")]
    max_output: Option<&'a RawValue>,
    #[serde(borrow, rename = "candidateCount", alias = "candidate_count")]
    choices: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct StreamOptions<'a> {
    #[serde(borrow)]
    include_usage: Option<&'a RawValue>,
}

/// Scans a body.
pub fn scan(dialect: DialectId, body: &[u8]) -> Result<Scan<'_>, Failure> {
    match dialect {
        DialectId::GenerateContent => scan_generate(body),
        DialectId::Messages => scan_messages(body),
        _ => scan_body(body),
    }
}

fn scan_body(body: &[u8]) -> Result<Scan<'_>, Failure> {
    let found: Body<'_> = read(body)?;
    let model = present(found.model);
    let options = present(found.stream_options);
    let include_usage = match options {
        Some(raw) => read::<StreamOptions<'_>>(raw.get().as_bytes())?.include_usage,
        None => None,
    };
    let caps = [
        found.max_completion_tokens,
        found.max_output_tokens,
        found.max_tokens,
    ];
    let names = ["max_completion_tokens", "max_output_tokens", "max_tokens"];
    let mut max_output = None;
    for (raw, name) in caps.into_iter().zip(names) {
        max_output = max_output.or(whole(raw, name)?);
    }
    Ok(Scan {
        model: text(model, "model")?,
        model_span: model.map(|raw| span(body, raw)),
        stream: boolean(found.stream, "stream")?.unwrap_or(false),
        max_output,
        choices: whole(found.n, "n")?,
        has_tools: has_entries(found.tools),
        include_usage: boolean(include_usage, "stream_options.include_usage")?.unwrap_or(false),
        stream_options_span: options.map(|raw| span(body, raw)),
    })
}

fn scan_messages(body: &[u8]) -> Result<Scan<'_>, Failure> {
    let found: MessagesBody<'_> = read(body)?;
    let model = present(found.model);
    check_messages(&found)?;
    Ok(Scan {
        model: text(model, "model")?,
        model_span: model.map(|raw| span(body, raw)),
        stream: boolean(found.stream, "stream")?.unwrap_or(false),
        max_output: whole(found.max_tokens, "max_tokens")?,
        has_tools: has_entries(found.tools),
        ..Scan::default()
    })
}

fn scan_generate(body: &[u8]) -> Result<Scan<'_>, Failure> {
    let found: GenerateBody<'_> = read(body)?;
    let config = found.config.as_ref();
    Ok(Scan {
        max_output: whole(
            config.and_then(|c| c.max_output),
            "generationConfig.maxOutputTokens",
        )?,
        choices: whole(
            config.and_then(|c| c.choices),
            "generationConfig.candidateCount",
        )?,
        has_tools: has_entries(found.tools),
        ..Scan::default()
    })
}

/// The contract's checks of `/v1/messages`. `max_tokens` may be absent here: counting tokens needs
/// none, and the caller knows which of the two it serves.
fn check_messages(body: &MessagesBody<'_>) -> Result<(), Failure> {
    if present(body.max_tokens).is_some() && whole(body.max_tokens, "max_tokens")? == Some(0) {
        return Err(Failure::bad_request(
            "max_tokens",
            "max_tokens: must be at least 1",
        ));
    }
    let in_range = |number: f64| (0.0..=1.0).contains(&number);
    if number(body.temperature, "temperature")?.is_some_and(|t| !in_range(t)) {
        return Err(Failure::bad_request(
            "temperature",
            "temperature: must be between 0 and 1",
        ));
    }
    number(body.top_p, "top_p")?;
    if let Some(raw) = present(body.top_k) {
        raw.get()
            .parse::<i64>()
            .map_err(|_| wrong("top_k", "an integer"))?;
    }
    if let Some(raw) = present(body.stop_sequences) {
        serde_json::from_str::<Vec<Cow<'_, str>>>(raw.get())
            .map_err(|_| wrong("stop_sequences", "a list of strings"))?;
    }
    if let Some(raw) = present(body.system)
        && !raw.get().starts_with(['"', '['])
    {
        return Err(wrong("system", "text or a list of blocks"));
    }
    check_turns(body.messages)
}

fn check_turns(messages: Option<&RawValue>) -> Result<(), Failure> {
    /// A message, as far as it is checked.
    #[derive(Deserialize)]
    struct Message {
        role: Option<IgnoredAny>,
        content: Option<IgnoredAny>,
    }
    let Some(raw) = present(messages) else {
        return Err(Failure::bad_request("messages", "messages: Field required"));
    };
    let turns: Vec<Message> = serde_json::from_str(raw.get())
        .map_err(|_| wrong("messages", "a list of objects with `role` and `content`"))?;
    for (index, turn) in turns.iter().enumerate() {
        for (missing, field) in [
            (turn.role.is_none(), "role"),
            (turn.content.is_none(), "content"),
        ] {
            if missing {
                let path = format!("messages.{index}.{field}");
                return Err(Failure::bad_request(
                    &path,
                    format!("{path}: Field required"),
                ));
            }
        }
    }
    Ok(())
}

impl Scan<'_> {
    /// The body for an upstream of the same dialect: the model's name replaced, and usage asked for
    /// where the stream would not tell it by itself. Everything else is the client's own bytes.
    pub fn forward(&self, body: &[u8], model: &str, ask_usage: bool) -> Vec<u8> {
        let mut edits: Vec<(Range<usize>, Vec<u8>)> = Vec::new();
        if let Some(span) = &self.model_span {
            let mut name = Vec::with_capacity(model.len() + 2);
            crate::json::write_str(&mut name, model);
            edits.push((span.clone(), name));
        }
        if ask_usage && self.stream && !self.include_usage {
            edits.push(self.usage_wish(body));
        }
        edits.sort_by_key(|(span, _)| span.start);
        let mut out = Vec::with_capacity(body.len() + 64);
        let mut from = 0;
        for (span, text) in edits {
            out.extend_from_slice(&body[from..span.start]);
            out.extend_from_slice(&text);
            from = span.end;
        }
        out.extend_from_slice(&body[from..]);
        out
    }

    fn usage_wish(&self, body: &[u8]) -> (Range<usize>, Vec<u8>) {
        const WISH: &[u8] = b"\"include_usage\":true";
        match &self.stream_options_span {
            None => {
                let brace = memchr::memchr(b'{', body).unwrap_or(0) + 1;
                (
                    brace..brace,
                    [b"\"stream_options\":{", WISH, b"},"].concat(),
                )
            }
            Some(span) => {
                let options = serde_json::from_slice::<serde_json::Value>(&body[span.clone()]);
                let mut options = options.unwrap_or_default();
                options["include_usage"] = serde_json::Value::Bool(true);
                (span.clone(), crate::json::text(&options).into_bytes())
            }
        }
    }
}

fn read<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Result<T, Failure> {
    serde_json::from_slice(body).map_err(|error| {
        let message = error.to_string();
        match message
            .strip_prefix("duplicate field `")
            .and_then(|rest| rest.split('`').next())
        {
            Some(field) => {
                Failure::bad_request(field, format!("The field `{field}` is given twice."))
            }
            None if error.is_data() => {
                Failure::bad_request("body", "The request body must be a JSON object.")
            }
            None => Failure::bad_request(
                "body",
                format!("The request body is not valid JSON: {error}."),
            ),
        }
    })
}

fn present(raw: Option<&RawValue>) -> Option<&RawValue> {
    raw.filter(|raw| raw.get() != "null")
}

/// Where a raw value stands in the body that it borrows from.
fn span(body: &[u8], raw: &RawValue) -> Range<usize> {
    let start = raw.get().as_ptr() as usize - body.as_ptr() as usize;
    start..start + raw.get().len()
}

fn wrong(field: &str, expected: &str) -> Failure {
    Failure::bad_request(field, format!("`{field}` must be {expected}."))
}

fn text<'a>(raw: Option<&'a RawValue>, field: &str) -> Result<Option<Cow<'a, str>>, Failure> {
    let Some(raw) = raw else { return Ok(None) };
    let read = serde_json::from_str(raw.get()).map_err(|_| wrong(field, "a string"));
    read.map(Some)
}

fn boolean(raw: Option<&RawValue>, field: &str) -> Result<Option<bool>, Failure> {
    match present(raw).map(RawValue::get) {
        None => Ok(None),
        Some("true") => Ok(Some(true)),
        Some("false") => Ok(Some(false)),
        Some(_) => Err(wrong(field, "true or false")),
    }
}

/// A whole number; generate content may write it as text.
fn whole(raw: Option<&RawValue>, field: &str) -> Result<Option<u64>, Failure> {
    let Some(raw) = present(raw) else {
        return Ok(None);
    };
    let digits = raw.get().trim_matches('"');
    digits
        .parse()
        .map(Some)
        .map_err(|_| wrong(field, "a whole number, not negative"))
}

fn number(raw: Option<&RawValue>, field: &str) -> Result<Option<f64>, Failure> {
    let Some(raw) = present(raw) else {
        return Ok(None);
    };
    let is_number = raw
        .get()
        .starts_with(|c: char| c == '-' || c.is_ascii_digit());
    let number = raw.get().parse().ok().filter(|_| is_number);
    number.map(Some).ok_or_else(|| wrong(field, "a number"))
}

fn has_entries(raw: Option<&RawValue>) -> bool {
    present(raw).is_some_and(|raw| {
        let inner = raw.get().trim_start_matches('[').trim_start();
        !inner.is_empty() && !inner.starts_with(']')
    })
}

#[cfg(test)]
#[path = "scan_tests.rs"]
mod tests;
