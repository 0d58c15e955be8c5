//! What routing and metering need from a request body, read in one pass without parsing the rest.
//! A call whose upstream speaks the client's own dialect goes through as the client's own bytes:
//! only the model's name is replaced in place, and usage is asked for where it must be.
//!
//! What is checked is what is sent: a field that is read here and given twice is refused, and names
//! are case-sensitive.

use std::borrow::Cow;
use std::ops::Range;

use crate::DialectId;
use crate::body_counts::CountLimits;
use crate::canonical::Failure;
use crate::demand::{Demand, Kept, Reader};
use crate::messages::contract::{self, Purpose};
use crate::sighted::Sighted;
use crate::walk::{Passed, body_members, unescaped};

/// What a scan found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Scan<'a> {
    /// The model's name; generate content has it in the path.
    pub model: Option<Cow<'a, str>>,
    /// Where the name stands in the body, quotes included.
    pub model_span: Option<Range<usize>>,
    /// Whether a stream is wanted.
    pub stream: bool,
    /// What the call can cost beyond its own text.
    pub demand: Demand,
    /// Whether tools are declared.
    pub has_tools: bool,
    /// Whether the client asked for a usage chunk (chat and legacy completions).
    pub include_usage: bool,
    /// Where `stream_options` stands in the body.
    stream_options_span: Option<Range<usize>>,
    /// What is wrong with the conversation itself, as far as its first byte tells.
    problem: Option<Failure>,
    passed: Passed,
}

/// A member's JSON text, where the body has it.
type Raw<'a> = Option<&'a [u8]>;

/// Scans a body that asks for an answer.
pub fn scan(dialect: DialectId, body: &[u8]) -> Result<Scan<'_>, Failure> {
    match dialect {
        DialectId::GenerateContent => scan_generate(body, Purpose::Generate),
        DialectId::Messages => scan_messages(body, Purpose::Generate),
        _ => scan_body(dialect, body),
    }
}

/// Scans a body that asks for a token count. On messages it needs no cap; the others are the same.
pub fn scan_count(dialect: DialectId, body: &[u8]) -> Result<Scan<'_>, Failure> {
    match dialect {
        DialectId::GenerateContent => scan_generate(body, Purpose::Count),
        DialectId::Messages => scan_messages(body, Purpose::Count),
        _ => scan(dialect, body),
    }
}

/// Chat completions, legacy completions and responses.
fn scan_body(dialect: DialectId, body: &[u8]) -> Result<Scan<'_>, Failure> {
    let mut reader = Reader::new(dialect);
    let passed = body_members(body, |name, walk| reader.member(name, walk))?;
    let model = reader.kept(Kept::Model);
    // The model's name comes first: it is what a client forgets most often.
    let name = text(model, "model")?;
    reader.take_failure().map_or(Ok(()), Err)?;
    let problem = match dialect {
        DialectId::ChatCompletions => list(reader.kept(Kept::Messages), "messages", "[").err(),
        DialectId::TextCompletions => list(reader.kept(Kept::Prompt), "prompt", "[\"").err(),
        // It may be left out where an earlier answer goes on.
        _ => present(reader.kept(Kept::Input))
            .and_then(|input| list(Some(input), "input", "[\"").err()),
    };
    let options = reader.kept(Kept::StreamOptions);
    let [include_usage] = inner(options, "stream_options", |name| {
        (name == b"include_usage").then_some((0, "include_usage"))
    })?;
    Ok(Scan {
        model: name,
        model_span: present(model).map(|raw| span(body, raw)),
        stream: boolean(reader.kept(Kept::Stream), "stream")?.unwrap_or(false),
        has_tools: reader.has_tools(),
        include_usage: boolean(include_usage, "stream_options.include_usage")?.unwrap_or(false),
        stream_options_span: options.map(|raw| span(body, raw)),
        demand: reader.demand,
        problem,
        passed,
    })
}

fn scan_messages(body: &[u8], purpose: Purpose) -> Result<Scan<'_>, Failure> {
    let found = contract::check(body, purpose)?;
    let model = found.model.text();
    let mut reader = found.reader;
    // A count does not look at the cap, which was checked.
    let cap = found
        .max_tokens
        .text()
        .filter(|_| purpose == Purpose::Generate);
    if let Some(cap) = cap {
        let cap = std::str::from_utf8(cap)
            .ok()
            .and_then(|cap| cap.parse().ok());
        reader.note_cap(cap.unwrap_or(u64::MAX));
    }
    Ok(Scan {
        model: text(model, "model")?,
        model_span: model.map(|raw| span(body, raw)),
        stream: boolean(found.stream.text(), "stream")?.unwrap_or(false),
        has_tools: reader.has_tools(),
        demand: reader.demand,
        passed: found.passed,
        ..Scan::default()
    })
}

/// Generate content, in both spellings.
fn scan_generate(body: &[u8], purpose: Purpose) -> Result<Scan<'_>, Failure> {
    let mut reader = Reader::new(DialectId::GenerateContent);
    let passed = body_members(body, |name, walk| reader.member(name, walk))?;
    reader.take_failure().map_or(Ok(()), Err)?;
    // A count may hold a whole request instead.
    let problem = match purpose {
        Purpose::Generate => list(reader.kept(Kept::Contents), "contents", "[{\"").err(),
        Purpose::Count => None,
    };
    Ok(Scan {
        has_tools: reader.has_tools(),
        demand: reader.demand,
        problem,
        passed,
        ..Scan::default()
    })
}

/// The members that have a place, each there, and what else there is; one that is given twice is
/// refused. A place has a number and a name, for there may be several spellings of it.
fn fields<const N: usize>(
    object: &[u8],
    place: impl Fn(&[u8]) -> Option<(usize, &'static str)>,
) -> Result<([Raw<'_>; N], Passed), Failure> {
    let mut found = [None; N];
    let mut twice = None;
    let passed = body_members(object, |name, walk| {
        let Some((place, name)) = place(name) else {
            return walk.past();
        };
        if found[place].replace(walk.skip()?).is_some() {
            twice = Some(name);
        }
        Ok(())
    })?;
    match twice {
        Some(name) => Err(Failure::given_twice(name)),
        None => Ok((found, passed)),
    }
}

/// The same for an object in the body, which may be absent.
fn inner<'a, const N: usize>(
    object: Raw<'a>,
    field: &str,
    place: impl Fn(&[u8]) -> Option<(usize, &'static str)>,
) -> Result<[Raw<'a>; N], Failure> {
    match present(object) {
        None => Ok([None; N]),
        Some(text) if text.starts_with(b"{") => Ok(fields(text, place)?.0),
        Some(_) => Err(wrong(field, "an object")),
    }
}

impl Scan<'_> {
    /// The same, for as long as it is needed.
    pub fn into_owned(self) -> Scan<'static> {
        Scan {
            model: self.model.map(|model| Cow::Owned(model.into_owned())),
            model_span: self.model_span,
            stream: self.stream,
            demand: self.demand,
            has_tools: self.has_tools,
            include_usage: self.include_usage,
            stream_options_span: self.stream_options_span,
            problem: self.problem,
            passed: self.passed,
        }
    }

    /// How deep the body nests.
    pub fn depth(&self) -> usize {
        self.passed.depth as usize
    }

    /// Rejects a body that holds more messages, parts, tools, schema nodes or stop sequences than this.
    pub fn check_counts(&self, body: &[u8], limits: &CountLimits) -> Result<(), Failure> {
        self.passed.counts.check(body, limits)
    }

    /// The words that matter in the body that was scanned.
    pub fn sighted(&self, body: &[u8]) -> Sighted {
        Sighted::around(body, &self.passed.long_strings)
    }

    /// The same of a body that has something to answer: one without messages (prompt, contents)
    /// need not bother an upstream.
    pub fn complete(self) -> Result<Self, Failure> {
        match self.problem {
            Some(problem) => Err(problem),
            None => Ok(self),
        }
    }

    /// The body for an upstream of the same dialect: the model's name replaced, and usage asked for
    /// where the stream would not tell it by itself. Everything else is the client's own bytes.
    pub fn forward(&self, body: &[u8], model: &str, ask_usage: bool) -> Vec<u8> {
        let name = self.model_span.clone().map(|span| {
            let mut name = Vec::with_capacity(model.len() + 2);
            crate::json::write_str(&mut name, model);
            (span, Cow::Owned(name))
        });
        let wish = (ask_usage && self.stream && !self.include_usage).then(|| self.usage_wish(body));
        let mut edits = [name, wish];
        edits.sort_unstable_by_key(|edit| edit.as_ref().map(|(span, _)| span.start));
        let mut out = Vec::with_capacity(body.len() + model.len() + 64);
        let mut from = 0;
        for (span, text) in edits.into_iter().flatten() {
            out.extend_from_slice(&body[from..span.start]);
            out.extend_from_slice(&text);
            from = span.end;
        }
        out.extend_from_slice(&body[from..]);
        out
    }

    fn usage_wish(&self, body: &[u8]) -> (Range<usize>, Cow<'static, [u8]>) {
        match &self.stream_options_span {
            None => {
                let brace = memchr::memchr(b'{', body).unwrap_or(0) + 1;
                let wish = b"\"stream_options\":{\"include_usage\":true},";
                (brace..brace, Cow::Borrowed(wish))
            }
            Some(span) => {
                let options = serde_json::from_slice::<serde_json::Value>(&body[span.clone()]);
                let mut options = options.unwrap_or_default();
                options["include_usage"] = serde_json::Value::Bool(true);
                let options = crate::json::text(&options).into_bytes();
                (span.clone(), Cow::Owned(options))
            }
        }
    }
}

fn present(raw: Raw<'_>) -> Raw<'_> {
    raw.filter(|raw| *raw != b"null")
}

/// Where a member's text stands in the body that it borrows from.
fn span(body: &[u8], raw: &[u8]) -> Range<usize> {
    let start = raw.as_ptr() as usize - body.as_ptr() as usize;
    start..start + raw.len()
}

fn wrong(field: &str, expected: &str) -> Failure {
    Failure::bad_request(field, format!("`{field}` must be {expected}."))
}

fn text<'a>(raw: Raw<'a>, field: &str) -> Result<Option<Cow<'a, str>>, Failure> {
    let Some(raw) = present(raw) else {
        return Ok(None);
    };
    let text = raw
        .starts_with(b"\"")
        .then(|| unescaped(raw))
        .and_then(|text| match text {
            Cow::Borrowed(text) => std::str::from_utf8(text).map(Cow::Borrowed).ok(),
            Cow::Owned(text) => String::from_utf8(text).map(Cow::Owned).ok(),
        });
    text.map(Some).ok_or_else(|| wrong(field, "a string"))
}

fn boolean(raw: Raw<'_>, field: &str) -> Result<Option<bool>, Failure> {
    match present(raw) {
        None => Ok(None),
        Some(b"true") => Ok(Some(true)),
        Some(b"false") => Ok(Some(false)),
        Some(_) => Err(wrong(field, "true or false")),
    }
}

/// A member that must be there and begin like one of these.
fn list(raw: Raw<'_>, field: &str, first: &str) -> Result<(), Failure> {
    let Some(raw) = present(raw) else {
        let text = format!("`{field}` is required.");
        return Err(Failure::bad_request(field, text));
    };
    if raw
        .first()
        .is_some_and(|byte| first.as_bytes().contains(byte))
    {
        return Ok(());
    }
    let is_text = first.contains('"');
    Err(wrong(
        field,
        if is_text { "text or a list" } else { "a list" },
    ))
}

#[cfg(test)]
#[path = "scan_tests.rs"]
mod tests;
