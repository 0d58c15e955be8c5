//! The words in which failures are told to routing, logs and circuit breakers.

use dialects::canonical::Failure;

use crate::transport::Phase;

/// Whose fault it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CausedBy {
    /// The client's request.
    Client,
    /// Our own settings: address, credential, account.
    Gateway,
    /// The upstream, or the way there.
    Upstream,
}

/// What can help.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Retry {
    /// Nothing: every upstream would say the same.
    Never,
    /// The same again: the upstream never saw the call.
    SameChannel,
    /// The same without proofs of earlier reasoning, one of which the upstream does not accept.
    WithoutSignatures,
    /// Another channel.
    NextChannel,
    /// A channel with another upstream model, whose context window may be larger.
    OtherModel,
    /// Another key of this channel, or else another channel.
    OtherKey,
}

/// What went wrong with a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fault {
    /// The channel's address, proxy or credential cannot work, or leads to the wrong place.
    Misconfigured,
    /// No connection came about.
    Unreachable,
    /// No secure connection came about.
    Tls,
    /// A deadline of ours passed.
    Timeout(Phase),
    /// The connection ended before the answer did.
    BrokenOff,
    /// What came is no answer: no HTTP, a page for people, too much.
    Nonsense,
    /// Our credential was refused.
    Credential,
    /// Our account at the vendor is empty.
    QuotaSpent,
    /// Too many requests.
    RateLimited,
    /// The upstream has no capacity.
    Overloaded,
    /// The upstream broke.
    ServerError,
    /// The upstream does not know the model.
    ModelMissing,
    /// The request is wrong.
    BadRequest,
    /// The prompt does not fit.
    ContextTooLong,
    /// A content policy forbids it.
    ContentBlocked,
    /// The client's body broke off while it was sent on.
    UploadBroken,
}

impl Fault {
    /// Its name in logs and metrics.
    pub fn name(self) -> &'static str {
        match self {
            Self::Misconfigured => "misconfigured",
            Self::Unreachable => "unreachable",
            Self::Tls => "tls",
            Self::Timeout(Phase::Connect) => "connect_timeout",
            Self::Timeout(Phase::Head | Phase::FirstByte) => "first_byte_timeout",
            Self::Timeout(Phase::Idle) => "idle_timeout",
            Self::BrokenOff => "broken_off",
            Self::Nonsense => "nonsense",
            Self::Credential => "credential",
            Self::QuotaSpent => "quota_spent",
            Self::RateLimited => "rate_limited",
            Self::Overloaded => "overloaded",
            Self::ServerError => "server_error",
            Self::ModelMissing => "model_missing",
            Self::BadRequest => "bad_request",
            Self::ContextTooLong => "context_too_long",
            Self::ContentBlocked => "content_blocked",
            Self::UploadBroken => "upload_broken",
        }
    }
}

/// A failed call to an upstream.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {detail}", .kind.name())]
pub struct UpstreamFailure {
    /// What went wrong.
    pub kind: Fault,
    /// Whose fault it is.
    pub caused_by: CausedBy,
    /// What can help.
    pub retry: Retry,
    /// The upstream's status, where it gave one.
    pub status: Option<u16>,
    /// What the client may be told.
    pub failure: Box<Failure>,
    /// What was said, for logs and administrators; secrets are masked.
    pub detail: String,
    /// When to try again, by the upstream's own words.
    pub retry_after_ms: Option<u64>,
}
