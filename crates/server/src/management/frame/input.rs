//! What comes in: JSON bodies, query parameters and ids in paths, refused with the name of what is
//! wrong. Unknown fields are ignored, so that a record that was read can be sent back changed.

use std::sync::Arc;

use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use bytes::Bytes;
use http::Uri;
use http::request::Parts;
use http_body_util::{BodyExt as _, Limited};
use schemars::{JsonSchema, generate::SchemaSettings};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::reply::ApiError;
use crate::app::App;
use crate::middleware::receive_body;

/// Largest JSON body that the management interface takes.
const MAX_BODY: usize = 1 << 20;

const NUL: &str = "The request holds a NUL character, which no text here may.";

/// A JSON body. An empty one is an empty object, so that the reply can name what is required.
#[derive(Debug)]
pub struct Input<T>(pub T);

impl<T> FromRequest<Arc<App>> for Input<T>
where
    T: DeserializeOwned + JsonSchema,
{
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, ApiError> {
        let body =
            axum::body::Body::new(Limited::new(request.into_body().boxed_unsync(), MAX_BODY));
        parse(&receive_body(body, app.reserve_body_memory(None)).await?).map(Self)
    }
}

fn parse<T: DeserializeOwned + JsonSchema>(body: &Bytes) -> Result<T, ApiError> {
    let text = if body.trim_ascii().is_empty() {
        b"{}".as_slice()
    } else {
        body.as_ref()
    };
    if has_nul(text) {
        return Err(ApiError::bad_request(NUL));
    }
    let mut reader = serde_json::Deserializer::from_slice(text);
    let read = serde_path_to_error::deserialize(&mut reader);
    match read {
        Ok(input) => reader
            .end()
            .map(|()| input)
            .map_err(|_| ApiError::bad_request("The body goes on after its JSON object.")),
        Err(error) => Err(problem::<T>(text, &error)),
    }
}

/// Whether a text in JSON holds the one character that not every database takes.
fn has_nul(text: &[u8]) -> bool {
    let mut rest = text;
    while let Some(at) = rest.iter().position(|byte| *byte == b'\\') {
        let escape = &rest[at + 1..];
        if escape.starts_with(b"u0000") {
            return true;
        }
        rest = escape.get(1..).unwrap_or_default();
    }
    false
}

/// Refuses an address whose path or query holds that character.
pub(super) fn check_address(uri: &Uri) -> Result<(), ApiError> {
    let has_nul = |text: &str| text.contains("%00");
    if has_nul(uri.path()) || uri.query().is_some_and(has_nul) {
        return Err(ApiError::bad_request(NUL));
    }
    Ok(())
}

/// Names every required field that is missing, or else the first that is wrong.
fn problem<T: JsonSchema>(
    text: &[u8],
    error: &serde_path_to_error::Error<serde_json::Error>,
) -> ApiError {
    let Ok(value) = serde_json::from_slice::<Value>(text) else {
        return ApiError::bad_request("The body is not valid JSON.");
    };
    let Value::Object(given) = value else {
        return ApiError::bad_request("The body must be a JSON object.");
    };
    let missing = missing::<T>(&given);
    if !missing.is_empty() {
        return ApiError::missing(&missing);
    }
    let path = error.path().to_string();
    let cause = error.inner().to_string();
    // The place in the text means nothing to whoever built the object in a program.
    let cause = cause.split(" at line ").next().unwrap_or_default();
    ApiError::bad_field(&path, cause)
}

fn missing<T: JsonSchema>(given: &Map<String, Value>) -> Vec<String> {
    let schema = SchemaSettings::draft2020_12()
        .for_deserialize()
        .into_generator()
        .into_root_schema_for::<T>();
    let required = schema.get("required").and_then(Value::as_array).cloned();
    let names = required.unwrap_or_default().into_iter();
    names
        .filter_map(|name| name.as_str().map(str::to_owned))
        .filter(|name| !given.contains_key(name))
        .collect()
}

/// Query parameters.
#[derive(Debug)]
pub struct Search<T>(pub T);

impl<T, S> FromRequestParts<S> for Search<T>
where
    T: DeserializeOwned,
    S: Send + Sync,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let read = Query::<T>::from_request_parts(parts, state).await;
        let Query(search) = read.map_err(|error| {
            let text = error.body_text();
            let text = text.strip_prefix("Failed to deserialize query string: ");
            ApiError::bad_request(text.unwrap_or("The query cannot be read.").to_owned())
        })?;
        Ok(Self(search))
    }
}

/// What the `{…}` of a path stands for. Whatever cannot be one names nothing that exists.
#[derive(Debug)]
pub struct At<T>(pub T);

impl<T, S> FromRequestParts<S> for At<T>
where
    T: DeserializeOwned + Send,
    S: Send + Sync,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let read = Path::<T>::from_request_parts(parts, state).await;
        let Path(value) = read.map_err(|_| ApiError::not_found("That"))?;
        Ok(Self(value))
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::super::{Moment, Patch};
    use super::*;

    #[derive(Debug, Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only read")]
    struct Sample {
        id: i64,
        name: String,
        #[serde(default)]
        expires_at: Patch<Moment>,
        extra: Option<Value>,
    }

    fn refusal(text: &'static str) -> String {
        let refused = parse::<Sample>(&Bytes::from_static(text.as_bytes()));
        format!("{:?}", refused.expect_err("must refuse"))
    }

    #[test]
    fn everything_that_is_missing_is_named() {
        for text in ["", "  ", "{}", r#"{"unknown":1}"#] {
            let refusal = refusal(text);
            assert!(
                refusal.contains("id: is required; name: is required"),
                "{refusal}"
            );
        }
        assert!(refusal(r#"{"id":1}"#).contains("\"name: is required\""));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, words) in [
            (r#"{"id":"x","name":"n"}"#, "id: invalid type"),
            (r#"{"id":1,"name":null}"#, "name: invalid type"),
            (
                r#"{"id":1,"name":"n","expires_at":"soon"}"#,
                "expires_at: expected a time",
            ),
            (r#"{"id":1,"id":2,"name":"n"}"#, "duplicate field"),
            ("[]", "must be a JSON object"),
            (r#"{"id":1,"name":"a\u0000"}"#, "a NUL character"),
            (r#"{"id":1,"name":"\\\\\u0000"}"#, "a NUL character"),
            ("{", "not valid JSON"),
            (r#"{"id":1,"name":"n"} x"#, "goes on after"),
        ] {
            let refusal = refusal(text);
            assert!(refusal.contains(words), "{text}: {refusal}");
        }
    }

    #[test]
    fn an_escaped_backslash_begins_no_nul() {
        let text = r#"{"id":1,"name":"\\u0000 \u00001"}"#;
        assert!(has_nul(text.as_bytes()));
        let text = r#"{"id":1,"name":"\\u0000 \u0001"}"#;
        assert!(parse::<Sample>(&Bytes::from_static(text.as_bytes())).is_ok());
        assert!(!has_nul(b"{\\"), "a text that is cut");
    }

    #[test]
    fn unknown_fields_are_ignored_and_numbers_keep_their_digits() {
        let text = r#"{"id":9007199254740993,"name":"n","x":1,"extra":{"n":1.10},"expires_at":1767225600}"#;
        let sample: Sample = parse(&Bytes::from_static(text.as_bytes())).unwrap();
        assert_eq!(sample.id, 9_007_199_254_740_993);
        assert_eq!(sample.expires_at, Patch::Set(Moment(1_767_225_600_000)));
        assert_eq!(sample.extra.unwrap().to_string(), r#"{"n":1.10}"#);
    }
}
