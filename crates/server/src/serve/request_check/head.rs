//! Validates a complete request head.

use http::Uri;
use httparse::{EMPTY_HEADER, Request};

use crate::refusal::Refusal;

/// Maximum length of a valid `Host` value: a DNS name and a port.
const MAX_HOST_BYTES: usize = 261;

/// How the body of a request is delimited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BodyFraming {
    /// A number of bytes, which is zero if the head names none.
    Length(u64),
    /// Chunks until an empty one.
    Chunked,
}

/// The result of reading a head.
pub(super) enum CheckedHead {
    /// The head is valid.
    Valid(BodyFraming),
    /// The head must be rejected. The path, if there is one, decides the shape of the response.
    Rejected(Refusal, String),
    /// The head exceeds a limit that the HTTP library reports itself.
    TooLarge,
}

/// Reads and validates a head that ends in an empty line.
pub(super) fn check(head: &[u8], max_headers: usize) -> CheckedHead {
    let mut headers = vec![EMPTY_HEADER; max_headers];
    let mut request = Request::new(&mut headers);
    let outcome = request.parse(head);
    if matches!(outcome, Err(httparse::Error::TooManyHeaders)) {
        return CheckedHead::TooLarge;
    }
    let is_complete =
        matches!(outcome, Ok(httparse::Status::Complete(length)) if length == head.len());
    let checked = if is_complete {
        framing(&request)
    } else {
        Err(Refusal::MalformedRequest)
    };
    match checked {
        Ok(framing) => CheckedHead::Valid(framing),
        Err(refusal) => CheckedHead::Rejected(refusal, path(request.path)),
    }
}

/// Returns the path of a request target, or `/` if it has none.
fn path(target: Option<&str>) -> String {
    let target = target.and_then(|target| target.parse::<Uri>().ok());
    let path = target.as_ref().map_or("/", Uri::path);
    if path.starts_with('/') { path } else { "/" }.to_owned()
}

fn framing(request: &Request<'_, '_>) -> Result<BodyFraming, Refusal> {
    if request.method == Some("CONNECT") {
        return Err(Refusal::MethodNotAllowed);
    }
    let values = |name: &'static str| {
        let is_it = move |header: &&httparse::Header<'_>| header.name.eq_ignore_ascii_case(name);
        request
            .headers
            .iter()
            .filter(is_it)
            .map(|header| header.value)
    };
    let is_http_1_1 = request.version == Some(1);
    let mut hosts = values("host");
    match (hosts.next(), hosts.next()) {
        (Some(host), None) if is_valid_host(host) => {}
        (None, None) if !is_http_1_1 => {}
        _ => return Err(Refusal::InvalidHost),
    }
    let mut lengths = values("content-length");
    let length = lengths.next();
    if lengths.next().is_some() {
        return Err(Refusal::MalformedRequest);
    }
    let length = length.map(|text| decimal(text).ok_or(Refusal::MalformedRequest));
    let length = length.transpose()?;
    if values("transfer-encoding").next().is_none() {
        return Ok(BodyFraming::Length(length.unwrap_or(0)));
    }
    if length.is_some() || !is_http_1_1 {
        return Err(Refusal::MalformedRequest);
    }
    check_codings(values("transfer-encoding"))
}

/// Accepts `chunked` once, and nothing else.
fn check_codings<'a>(values: impl Iterator<Item = &'a [u8]>) -> Result<BodyFraming, Refusal> {
    let mut codings = values
        .flat_map(|value| value.split(|byte| *byte == b','))
        .map(<[u8]>::trim_ascii)
        .filter(|coding| !coding.is_empty());
    let is_chunked = |coding: &[u8]| coding.eq_ignore_ascii_case(b"chunked");
    match (codings.next(), codings.next()) {
        (Some(first), None) if is_chunked(first) => Ok(BodyFraming::Chunked),
        (None, _) => Err(Refusal::MalformedRequest),
        // `chunked` is only valid as the last coding.
        (Some(first), Some(_)) if is_chunked(first) => Err(Refusal::MalformedRequest),
        _ => Err(Refusal::UnknownTransferCoding),
    }
}

fn decimal(text: &[u8]) -> Option<u64> {
    let is_number = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    let text = std::str::from_utf8(text).ok().filter(|_| is_number)?;
    text.parse().ok()
}

/// Reports whether this is a host with an optional port: a name, an IPv4 address, or an IPv6 address in brackets.
pub(in crate::serve) fn is_valid_host(value: &[u8]) -> bool {
    if value.len() > MAX_HOST_BYTES {
        return false;
    }
    let name_bytes = if value.first() == Some(&b'[') {
        let Some(end) = value.iter().position(|byte| *byte == b']') else {
            return false;
        };
        let is_address = std::str::from_utf8(&value[1..end])
            .is_ok_and(|text| text.parse::<std::net::Ipv6Addr>().is_ok());
        if !is_address {
            return false;
        }
        end + 1
    } else {
        let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || b"-._~".contains(byte);
        value.iter().take_while(is_name).count()
    };
    let (name, port) = value.split_at(name_bytes);
    let is_port = |text: &[u8]| text.len() <= 5 && text.iter().all(u8::is_ascii_digit);
    !name.is_empty()
        && match port {
            [] => true,
            [b':', digits @ ..] => is_port(digits) && decimal(digits).unwrap_or(0) <= 0xffff,
            _ => false,
        }
}
