//! What went wrong with a call, before any dialect has put it into words. No HTTP status here: the
//! server's edge chooses it.

/// A failed call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// What kind of failure.
    pub kind: FailureKind,
    /// What happened, fit for the client's eyes.
    pub message: String,
    /// The field that is wrong, as the client spelled it.
    pub param: Option<String>,
    /// A vendor's own code, passed on where it says more than the kind.
    pub code: Option<String>,
    /// When to try again.
    pub retry_after_ms: Option<u64>,
    /// The text of the upstream with secrets masked, if `message` is not that text. Only for the log.
    pub upstream_text: Option<Box<str>>,
}

impl Failure {
    /// A failure of this kind.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            param: None,
            code: None,
            retry_after_ms: None,
            upstream_text: None,
        }
    }

    /// Returns the text for the log: the upstream's own text if there is one.
    pub fn log_text(&self) -> &str {
        self.upstream_text.as_deref().unwrap_or(&self.message)
    }

    /// A request that breaks its dialect's rules at this field.
    pub fn bad_request(param: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            param: Some(param.into()),
            ..Self::new(FailureKind::BadRequest, message)
        }
    }

    /// A request that says one thing twice: what is checked must be what is sent.
    pub fn given_twice(param: &str) -> Self {
        Self::bad_request(param, format!("The field `{param}` is given twice."))
    }

    /// A request that the target dialect has no way to say.
    pub fn unsupported(param: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            param: Some(param.into()),
            ..Self::new(FailureKind::Unsupported, message)
        }
    }

    /// An upstream answer that cannot be used.
    pub fn upstream(message: impl Into<String>) -> Self {
        Self::new(FailureKind::UpstreamBad, message)
    }
}

/// The kinds of failures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FailureKind {
    /// The request breaks its dialect's rules.
    BadRequest,
    /// The request is fine, but the model's dialect cannot say it.
    Unsupported,
    /// The prompt does not fit the model.
    ContextTooLong,
    /// A content policy forbids it.
    ContentBlocked,
    /// No valid token.
    Unauthenticated,
    /// The wallet or budget is spent.
    NoBalance,
    /// The token may not do this.
    Forbidden,
    /// No such model for this token.
    ModelNotFound,
    /// No such path or object.
    NotFound,
    /// The path does not take this method.
    MethodNotAllowed,
    /// Two requests stand in each other's way.
    Conflict,
    /// The body is too large.
    TooLarge,
    /// The media type or encoding is not taken.
    UnsupportedMedia,
    /// A rate or concurrency limit.
    RateLimited,
    /// Our own fault.
    Internal,
    /// The upstream broke or answered nonsense.
    UpstreamBad,
    /// No capacity.
    Overloaded,
    /// The upstream took too long.
    Timeout,
}
