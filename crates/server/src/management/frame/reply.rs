//! Replies of the management interface: `{"success", "message", "data"}` with real statuses, and
//! a stable `code` on failures. One of the two places that choose HTTP statuses.

use std::borrow::Cow;

use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use store::StoreError;
use store::shared::SharedError;

use crate::accounts::PasswordError;
use crate::refusal::{
    BODY_MEMORY_RETRY_S, INVALID_HOST, MALFORMED_REQUEST, NO_BODY_MEMORY, Refusal,
    UNKNOWN_TRANSFER_CODING,
};

/// Why a management call is refused. Made by the functions below, which choose status and code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiError {
    status: StatusCode,
    code: &'static str,
    message: Cow<'static, str>,
    retry_after_s: Option<u64>,
}

impl std::fmt::Display for ApiError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl ApiError {
    fn new(status: StatusCode, code: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            status,
            code,
            message: message.into(),
            retry_after_s: None,
        }
    }

    /// There is no such path.
    pub fn no_such_path() -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", "There is no such path.")
    }

    /// There is no such record, or none that the caller may know of. `what` begins the sentence.
    pub fn not_found(what: &str) -> Self {
        let message = format!("{what} does not exist.");
        Self::new(StatusCode::NOT_FOUND, "not_found", message)
    }

    /// The path exists, but not for this method.
    pub fn method_not_allowed() -> Self {
        Self::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "method_not_allowed",
            "This path does not take that method.",
        )
    }

    /// The body is larger than the limit.
    pub fn body_too_large() -> Self {
        Self::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "request_too_large",
            "The request body is too large.",
        )
    }

    /// The request as a whole cannot be used.
    pub fn bad_request(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "invalid_request", message)
    }

    /// A field cannot be used: `name: is required`.
    pub fn bad_field(field: &str, problem: &str) -> Self {
        Self::bad_request(format!("{field}: {problem}"))
    }

    /// Fields are required that are not there.
    pub fn missing<T: AsRef<str>>(fields: &[T]) -> Self {
        let texts = fields
            .iter()
            .map(|field| format!("{}: is required", field.as_ref()));
        Self::bad_request(texts.collect::<Vec<_>>().join("; "))
    }

    /// There is no valid credential.
    pub fn not_logged_in() -> Self {
        Self::new(
            StatusCode::UNAUTHORIZED,
            "unauthorized",
            "Log in, or send a personal access token.",
        )
    }

    /// A login, a code or a flow was not accepted.
    pub fn login_refused(code: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, code, message)
    }

    /// The caller may not do this.
    pub fn forbidden(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::FORBIDDEN, "permission_denied", message)
    }

    /// A login session is needed; an access token is not enough.
    pub fn session_required() -> Self {
        Self::forbidden("This takes a login session; an access token is not enough.")
            .with_code("session_required")
    }

    /// The person of the session must prove again who they are.
    pub fn step_up_required() -> Self {
        Self::forbidden("Confirm that it is you (POST /api/verify), then repeat the call.")
            .with_code("step_up_required")
    }

    /// A refusal of the same kind whose reason programs can tell apart.
    #[must_use]
    pub fn with_code(mut self, code: &'static str) -> Self {
        self.code = code;
        self
    }

    /// What was asked for contradicts what is there.
    pub fn conflict(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::CONFLICT, "conflict", message)
    }

    /// An account does not hold enough.
    pub fn insufficient_funds(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::PAYMENT_REQUIRED, "insufficient_quota", message)
    }

    /// Says when it makes sense to try again.
    #[must_use]
    pub fn retry_after(mut self, seconds: u64) -> Self {
        self.retry_after_s = Some(seconds.max(1));
        self
    }

    /// Too many tries; `retry_after_s` is when the next one is taken.
    pub fn too_many(message: impl Into<Cow<'static, str>>, retry_after_s: u64) -> Self {
        Self::new(
            StatusCode::TOO_MANY_REQUESTS,
            "rate_limit_exceeded",
            message,
        )
        .retry_after(retry_after_s)
    }

    /// Something that this needs is away or not configured.
    pub fn unavailable(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", message)
    }

    /// A link would have to lead to this gateway, and nobody has set its address.
    pub fn no_public_url() -> Self {
        Self::unavailable(
            "The setting server.public_url is missing; ask an administrator to set it.",
        )
        .with_code("public_url_missing")
    }

    /// Something outside answered wrongly.
    pub fn bad_gateway(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::BAD_GATEWAY, "upstream_error", message)
    }

    /// The service itself failed; the cause goes to the log only.
    pub fn internal(cause: &dyn std::fmt::Display) -> Self {
        tracing::error!(%cause, "a management call failed");
        Self::broken()
    }

    /// The service itself failed, and that was logged.
    pub fn broken() -> Self {
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "internal_error",
            "The service failed; the request id finds the cause in its log.",
        )
    }
}

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::NoSuchPath => Self::no_such_path(),
            Refusal::MethodNotAllowed => Self::method_not_allowed(),
            Refusal::BodyTooLarge => Self::body_too_large(),
            Refusal::BodyCut => Self::bad_request("The request body ended early."),
            Refusal::MalformedRequest => Self::bad_request(MALFORMED_REQUEST),
            Refusal::InvalidHost => Self::bad_request(INVALID_HOST),
            Refusal::UnknownTransferCoding => Self::new(
                StatusCode::NOT_IMPLEMENTED,
                "not_implemented",
                UNKNOWN_TRANSFER_CODING,
            ),
            Refusal::NoBodyMemory => {
                Self::unavailable(NO_BODY_MEMORY).retry_after(BODY_MEMORY_RETRY_S)
            }
            Refusal::Internal => Self::broken(),
        }
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unavailable(cause) => {
                tracing::warn!(%cause, "the database is unavailable");
                Self::unavailable("The database is unavailable; try again later.")
            }
            StoreError::Conflict(_) => Self::conflict("Something of that name exists already."),
            StoreError::Stale(_) => {
                Self::conflict("It was changed by somebody else meanwhile; read it again.")
            }
            StoreError::Reference(_) => {
                Self::conflict("It refers to something that does not exist, or is still in use.")
            }
            StoreError::InsufficientFunds(_) => {
                Self::insufficient_funds("The account does not hold that much.")
            }
            other => Self::internal(&other),
        }
    }
}

impl From<SharedError> for ApiError {
    fn from(error: SharedError) -> Self {
        if error.is_unavailable() {
            Self::unavailable("The shared state is unavailable; try again later.")
        } else {
            Self::internal(&error)
        }
    }
}

impl From<PasswordError> for ApiError {
    fn from(error: PasswordError) -> Self {
        match error {
            PasswordError::Busy => Self::unavailable("Too many log in at once; try again."),
            other => Self::internal(&other),
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let body = json!({
            "success": false,
            "message": self.message,
            "code": self.code,
            "data": null,
        });
        let mut response = (self.status, json_type(), body.to_string()).into_response();
        if let Some(seconds) = self.retry_after_s {
            response
                .headers_mut()
                .insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

/// The refusal in the management interface's envelope.
pub fn refuse(error: ApiError) -> Response {
    error.into_response()
}

/// The data of a call that has nothing to say but that it worked: `null`.
pub type Nothing = ();

/// A call that worked.
#[derive(Debug)]
pub struct Reply<T> {
    data: T,
    message: &'static str,
    headers: HeaderMap,
}

impl<T: Serialize + JsonSchema> Reply<T> {
    /// The data, and no words.
    pub fn of(data: T) -> Self {
        Self {
            data,
            message: "",
            headers: HeaderMap::new(),
        }
    }

    /// Says something beside the data.
    #[must_use]
    pub fn saying(mut self, message: &'static str) -> Self {
        self.message = message;
        self
    }

    /// Sets a header of the reply; several of one name are all sent.
    #[must_use]
    pub fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.append(name, value);
        self
    }
}

impl Reply<Nothing> {
    /// It is done.
    pub fn done() -> Self {
        Self::of(())
    }
}

impl<T: Serialize> IntoResponse for Reply<T> {
    fn into_response(self) -> Response {
        let envelope = Envelope {
            success: true,
            message: self.message,
            data: &self.data,
        };
        match serde_json::to_string(&envelope) {
            Ok(body) => (self.headers, json_type(), body).into_response(),
            Err(error) => ApiError::internal(&error).into_response(),
        }
    }
}

#[derive(Serialize)]
struct Envelope<'a, T> {
    success: bool,
    message: &'static str,
    data: &'a T,
}

fn json_type() -> [(HeaderName, HeaderValue); 1] {
    [(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/json"),
    )]
}
