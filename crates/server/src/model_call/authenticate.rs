//! Who calls: the token in any of its places. One text for every reason to refuse, so that nothing
//! can be learnt from it.

use std::borrow::Cow;
use std::sync::Arc;

use dialects::canonical::{Failure, FailureKind};
use dialects::realtime::Offer;
use http::{HeaderMap, Uri, header};

use super::call::Call;
use super::query;
use crate::app::App;
use crate::tokens::{Holder, NotLookedUp};

/// What comes before a token in the header that most clients give it in.
const BEARER: &str = "bearer ";
/// When a client may ask again whose token cannot be looked up.
const RETRY_AFTER_MS: u64 = 2_000;

/// The holder of the call's token.
pub async fn holder(app: &App, call: &Call, now_ms: i64) -> Result<Arc<Holder>, Failure> {
    let unknown = || {
        let text = "No valid API key was given.";
        Failure {
            code: None,
            ..Failure::new(FailureKind::Unauthenticated, text)
        }
    };
    let (tokens, last) = (app.tokens(), &call.head.holder);
    let holder = if let Some(holder) = last.get(tokens, now_ms) {
        holder
    } else {
        let secret = secret_of(call.headers(), call.uri()).ok_or_else(unknown)?;
        let found = tokens.find_for(app, &secret, (last, now_ms)).await;
        found
            .map_err(|error| not_looked_up(&error))?
            .ok_or_else(unknown)?
    };
    let is_valid = holder.is_valid(now_ms);
    is_valid.then_some(holder).ok_or_else(unknown)
}

fn not_looked_up(error: &NotLookedUp) -> Failure {
    tracing::error!(%error, "a token could not be looked up");
    let text = "The gateway cannot look up tokens right now.";
    Failure {
        retry_after_ms: Some(RETRY_AFTER_MS),
        ..Failure::new(FailureKind::Overloaded, text)
    }
}

/// The token as the client gave it. Of several, the first in this order counts.
fn secret_of<'a>(headers: &'a HeaderMap, uri: &'a Uri) -> Option<Cow<'a, str>> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let bearer = headers.get(header::AUTHORIZATION).and_then(|value| {
        let text = value.to_str().ok()?.trim();
        let (scheme, token) = text.split_at_checked(BEARER.len())?;
        scheme.eq_ignore_ascii_case(BEARER).then_some(token.trim())
    });
    let given = bearer
        .or_else(|| text("x-api-key"))
        .or_else(|| text("x-goog-api-key"));
    given
        .map(Cow::Borrowed)
        .or_else(|| query::decoded(uri, "key"))
        // Azure's clients have no other place for it.
        .or_else(|| text("api-key").map(Cow::Borrowed))
        .or_else(|| in_subprotocol(headers).map(Cow::Owned))
        .filter(|token| !token.is_empty())
}

/// Browsers cannot set headers of web sockets; their offer of protocols holds the token.
fn in_subprotocol(headers: &HeaderMap) -> Option<String> {
    let offered = headers.get_all(header::SEC_WEBSOCKET_PROTOCOL);
    let offered = offered.iter().filter_map(|value| value.to_str().ok());
    Offer::read(offered).token
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(headers: &[(&'static str, &'static str)], uri: &'static str) -> Option<String> {
        let map = headers.iter().map(|(name, value)| {
            (
                http::HeaderName::from_static(name),
                http::HeaderValue::from_static(value),
            )
        });
        secret_of(&map.collect(), &Uri::from_static(uri)).map(Cow::into_owned)
    }

    #[test]
    fn the_first_place_that_holds_a_token_counts() {
        let all = [
            ("authorization", "Bearer one"),
            ("x-api-key", "two"),
            ("x-goog-api-key", "three"),
        ];
        assert_eq!(secret(&all, "/?key=four").as_deref(), Some("one"));
        assert_eq!(secret(&all[1..], "/?key=four").as_deref(), Some("two"));
        assert_eq!(secret(&all[2..], "/?key=four").as_deref(), Some("three"));
        assert_eq!(secret(&[], "/?alt=sse&key=fo%75r").as_deref(), Some("four"));
        let basic = [("authorization", "Basic abc"), ("x-api-key", "two")];
        assert_eq!(secret(&basic, "/").as_deref(), Some("two"));
        assert_eq!(
            secret(&[("authorization", "bearer x")], "/").as_deref(),
            Some("x")
        );
        assert_eq!(secret(&[], "/?monkey=1"), None);
        let azure = [("api-key", "six")];
        assert_eq!(secret(&azure, "/").as_deref(), Some("six"));
        assert_eq!(secret(&azure, "/?key=four").as_deref(), Some("four"));
        let offer = "realtime, openai-insecure-api-key.five";
        let browser = [("sec-websocket-protocol", offer)];
        assert_eq!(secret(&browser, "/").as_deref(), Some("five"));
        assert_eq!(secret(&browser, "/?key=four").as_deref(), Some("four"));
    }
}
