//! Which headers and query fields of a client reach an upstream: an allow-list, and only where both
//! speak one dialect. Everything else is the gateway's own.

use dialects::DialectId;
use http::{HeaderName, HeaderValue};
use providers::Headers;

use super::call::Call;
use crate::channels::{ChannelTarget, Destination};
use crate::demo;

static OF_MESSAGES: [HeaderName; 2] = [
    HeaderName::from_static("anthropic-beta"),
    HeaderName::from_static("anthropic-version"),
];
static OF_OPENAI: [HeaderName; 1] = [HeaderName::from_static("openai-beta")];
static OF_GOOGLE: [HeaderName; 1] = [HeaderName::from_static("x-goog-api-client")];

/// Headers that vendors' own clients use to ask for more.
fn allowed(dialect: DialectId) -> &'static [HeaderName] {
    match dialect {
        DialectId::Messages => &OF_MESSAGES,
        DialectId::ChatCompletions | DialectId::TextCompletions | DialectId::Responses => {
            &OF_OPENAI
        }
        DialectId::GenerateContent => &OF_GOOGLE,
    }
}

/// The headers of a call that pass on to this place, in this dialect. The demo channel gets its switches, too.
pub fn passing(call: &Call, place: &ChannelTarget, upstream: Option<DialectId>) -> Headers {
    let mut passing = Headers::default();
    if upstream == Some(call.dialect) {
        for name in allowed(call.dialect) {
            for value in call.headers().get_all(name) {
                passing.append(name, value.clone());
            }
        }
    }
    if matches!(place.destination(), Destination::Demo(_)) {
        if let Some(value) = call.headers().get(demo::HEADER) {
            passing.insert(HeaderName::from_static(demo::HEADER), value.clone());
        }
        if let Ok(id) = HeaderValue::from_str(&call.caller.request_id) {
            passing.insert(HeaderName::from_static("x-request-id"), id);
        }
    }
    passing
}

/// The query that passes on to an upstream of this dialect: clients of the messages dialect ask
/// for its beta surface so.
pub fn passing_query(call: &Call, upstream: Option<DialectId>) -> Option<&'static str> {
    const BETA: &str = "beta=true";
    let is_same = call.dialect == DialectId::Messages && upstream == Some(DialectId::Messages);
    let query = call.uri().query().filter(|_| is_same)?;
    query.split('&').any(|pair| pair == BETA).then_some(BETA)
}
