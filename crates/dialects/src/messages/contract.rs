//! What every body on `/v1/messages` must keep to, whichever dialect its upstream speaks. Nothing
//! here depends on the model: a field that the contract does not name is not looked at. The body is
//! read once and not parsed, so that a call that goes through unchanged is checked in the same words
//! as one that is converted.

use super::extra::within;
use crate::DialectId;
use crate::canonical::Failure;
use crate::demand::{MOST_TOKENS, Reader};
use crate::walk::{Broken, Kind, Passed, Walk, body_members, unescaped};

/// The header that says which version of the dialect a client speaks.
pub const VERSION_HEADER: &str = "provider-version";
/// The same header as the vendor's own clients name it.
pub const VENDOR_VERSION_HEADER: &str = "anthropic-version";

/// What a body is sent for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// An answer; needs `max_tokens`.
    Generate,
    /// A token count.
    Count,
}

/// Checks the version header's value: any date will do, but there must be one.
pub fn check_version(value: Option<&str>) -> Result<(), Failure> {
    let Some(value) = value.map(str::trim).filter(|value| !value.is_empty()) else {
        return Err(Failure::bad_request(
            VERSION_HEADER,
            format!("The header `{VERSION_HEADER}` (or `{VENDOR_VERSION_HEADER}`) is required."),
        ));
    };
    if is_date(value) {
        return Ok(());
    }
    Err(Failure::bad_request(
        VERSION_HEADER,
        format!("The header `{VERSION_HEADER}` must be a date of the form YYYY-MM-DD."),
    ))
}

fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    if bytes.len() != 10 || bytes[4] != b'-' || bytes[7] != b'-' {
        return false;
    }
    let number = |digits: &[u8]| {
        digits.iter().try_fold(0_u32, |sum, digit| {
            digit
                .is_ascii_digit()
                .then(|| sum * 10 + u32::from(digit - b'0'))
        })
    };
    let (Some(year), Some(month), Some(day)) = (
        number(&bytes[..4]),
        number(&bytes[5..7]),
        number(&bytes[8..]),
    ) else {
        return false;
    };
    (1..=days_in(year, month)).contains(&day)
}

fn days_in(year: u32, month: u32) -> u32 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => 0,
    }
}

/// The fields that the contract names, as JSON text.
#[derive(Debug)]
pub(crate) struct Fields<'a> {
    pub(crate) model: Field<'a>,
    pub(crate) max_tokens: Field<'a>,
    pub(crate) stream: Field<'a>,
    temperature: Field<'a>,
    top_p: Field<'a>,
    top_k: Field<'a>,
    stop_sequences: Field<'a>,
    /// These are judged where they stand.
    messages: Option<Verdict>,
    system: Option<Verdict>,
    twice: Option<Failure>,
    /// What else billing and routing read.
    pub(crate) reader: Reader<'a>,
    pub(crate) passed: Passed,
}

/// One member of the body.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Field<'a>(Option<&'a [u8]>);

type Verdict = Result<(), Failure>;

impl<'a> Field<'a> {
    /// Its text; `null` counts as absent.
    pub(crate) fn text(self) -> Option<&'a [u8]> {
        self.0.filter(|text| text != b"null")
    }
}

/// Reads a body and checks its fields; the failure names the first one that is wrong.
pub(crate) fn check(body: &[u8], purpose: Purpose) -> Result<Fields<'_>, Failure> {
    let mut fields = Fields::new();
    let passed = body_members(body, |name, walk| fields.member(name, walk))?;
    fields.check(purpose)?;
    fields.passed = passed;
    Ok(fields)
}

impl<'a> Fields<'a> {
    fn new() -> Self {
        Self {
            model: Field::default(),
            max_tokens: Field::default(),
            stream: Field::default(),
            temperature: Field::default(),
            top_p: Field::default(),
            top_k: Field::default(),
            stop_sequences: Field::default(),
            messages: None,
            system: None,
            twice: None,
            reader: Reader::new(DialectId::Messages),
            passed: Passed::default(),
        }
    }

    fn member(&mut self, name: &[u8], walk: &mut Walk<'a>) -> Result<(), Broken> {
        let is_second = match name {
            b"messages" => self.messages.replace(messages(walk)?).is_some(),
            b"system" => self.system.replace(system(walk)?).is_some(),
            _ => match self.field(name) {
                Some(field) => field.0.replace(walk.skip()?).is_some(),
                None => return self.reader.member(name, walk),
            },
        };
        if is_second {
            self.twice = Some(Failure::given_twice(&String::from_utf8_lossy(name)));
        }
        Ok(())
    }

    fn field(&mut self, name: &[u8]) -> Option<&mut Field<'a>> {
        Some(match name {
            b"model" => &mut self.model,
            b"max_tokens" => &mut self.max_tokens,
            b"stream" => &mut self.stream,
            b"temperature" => &mut self.temperature,
            b"top_p" => &mut self.top_p,
            b"top_k" => &mut self.top_k,
            b"stop_sequences" => &mut self.stop_sequences,
            _ => return None,
        })
    }

    fn check(&mut self, purpose: Purpose) -> Result<(), Failure> {
        self.twice.take().map_or(Ok(()), Err)?;
        check_model(self.model)?;
        let messages = self.messages.take();
        messages.unwrap_or_else(|| Err(required("messages")))?;
        if purpose == Purpose::Generate {
            check_max_tokens(self.max_tokens)?;
        }
        check_each(
            self.temperature,
            "temperature",
            "a number from 0 to 1",
            is_temperature,
        )?;
        check_each(self.top_p, "top_p", "a number", is_number)?;
        check_each(self.top_k, "top_k", "a whole number", is_whole)?;
        check_each(self.stream, "stream", "true or false", is_boolean)?;
        check_each(
            self.stop_sequences,
            "stop_sequences",
            "a list of strings",
            is_strings,
        )?;
        self.system.take().unwrap_or(Ok(()))?;
        self.reader.take_failure().map_or(Ok(()), Err)
    }
}

fn required(key: &str) -> Failure {
    Failure::bad_request(key, format!("`{key}` is required."))
}

fn wrong(key: &str, expected: &str) -> Failure {
    Failure::bad_request(key, format!("`{key}` must be {expected}."))
}

fn check_each(
    field: Field<'_>,
    key: &str,
    expected: &str,
    fits: impl Fn(&[u8]) -> bool,
) -> Result<(), Failure> {
    match field.text() {
        Some(text) if !fits(text) => Err(wrong(key, expected)),
        _ => Ok(()),
    }
}

fn check_model(model: Field<'_>) -> Result<(), Failure> {
    match model.text().ok_or_else(|| required("model"))? {
        [b'"', _, .., b'"'] => Ok(()),
        _ => Err(wrong("model", "a model's name")),
    }
}

fn check_max_tokens(field: Field<'_>) -> Result<(), Failure> {
    let text = field.text().ok_or_else(|| required("max_tokens"))?;
    match number::<u64>(text) {
        Some(1..=MOST_TOKENS) => Ok(()),
        Some(0) | None => Err(wrong("max_tokens", "a whole number of at least 1")),
        Some(_) => Err(wrong("max_tokens", "a whole number of at most 10000000")),
    }
}

fn system(walk: &mut Walk<'_>) -> Result<Verdict, Broken> {
    Ok(match content(walk)? {
        Content::Wrong => Err(wrong("system", "text or a list of blocks")),
        Content::Fits | Content::Absent => Ok(()),
    })
}

fn messages(walk: &mut Walk<'_>) -> Result<Verdict, Broken> {
    match walk.kind()? {
        Kind::List => {}
        Kind::Null => {
            walk.past()?;
            return Ok(Err(required("messages")));
        }
        _ => {
            walk.past()?;
            return Ok(Err(wrong("messages", "a list of messages")));
        }
    }
    let mut count = 0;
    let mut verdict = Ok(());
    walk.entries(|walk| {
        if let Err(failure) = message(walk)?
            && verdict.is_ok()
        {
            verdict = Err(within(failure, &format!("messages.{count}")));
        }
        count += 1;
        Ok(())
    })?;
    if count == 0 {
        return Ok(Err(wrong("messages", "a list of at least one message")));
    }
    Ok(verdict)
}

fn message(walk: &mut Walk<'_>) -> Result<Verdict, Broken> {
    if walk.kind()? != Kind::Object {
        walk.past()?;
        let message = "A message must be an object.";
        return Ok(Err(Failure::bad_request("", message)));
    }
    let (mut role, mut said, mut twice) = (None, None, None);
    walk.members(|name, walk| {
        let (field, is_second) = match name {
            b"role" => ("role", role.replace(walk.skip()?).is_some()),
            b"content" => ("content", said.replace(content(walk)?).is_some()),
            _ => return walk.past(),
        };
        twice = twice.or(is_second.then_some(field));
        Ok(())
    })?;
    Ok(match twice {
        Some(field) => Err(Failure::given_twice(field)),
        None => check_message(role, said.unwrap_or(Content::Absent)),
    })
}

fn check_message(role: Option<&[u8]>, content: Content) -> Result<(), Failure> {
    let role = Field(role).text().ok_or_else(|| required("role"))?;
    let known: [&[u8]; 3] = [b"user", b"assistant", b"system"];
    if !role.starts_with(b"\"") || !known.contains(&unescaped(role).as_ref()) {
        return Err(wrong("role", "`user`, `assistant` or `system`"));
    }
    match content {
        Content::Fits => Ok(()),
        Content::Absent => Err(required("content")),
        Content::Wrong => Err(wrong("content", "text or a list of blocks")),
    }
}

/// What stands where text or a list of blocks should.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Content {
    Absent,
    Fits,
    Wrong,
}

fn content(walk: &mut Walk<'_>) -> Result<Content, Broken> {
    let kind = walk.kind()?;
    if kind != Kind::List {
        walk.past()?;
        return Ok(match kind {
            Kind::Text => Content::Fits,
            Kind::Null => Content::Absent,
            _ => Content::Wrong,
        });
    }
    let mut fits = Content::Fits;
    walk.entries(|walk| {
        if walk.kind()? != Kind::Object {
            fits = Content::Wrong;
        }
        walk.past()
    })?;
    Ok(fits)
}

fn is_strings(text: &[u8]) -> bool {
    let mut all = true;
    let walked = Walk::new(text).entries(|walk| {
        all &= walk.kind()? == Kind::Text;
        walk.past()
    });
    walked.is_ok() && all
}

fn is_number(text: &[u8]) -> bool {
    Walk::new(text).kind() == Ok(Kind::Number)
}

fn is_boolean(text: &[u8]) -> bool {
    Walk::new(text).kind() == Ok(Kind::Boolean)
}

fn is_temperature(text: &[u8]) -> bool {
    is_number(text) && number::<f64>(text).is_some_and(|number| (0.0..=1.0).contains(&number))
}

fn is_whole(text: &[u8]) -> bool {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

fn number<T: std::str::FromStr>(text: &[u8]) -> Option<T> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

#[cfg(test)]
#[path = "contract_tests.rs"]
mod tests;
