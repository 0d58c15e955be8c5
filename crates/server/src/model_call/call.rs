//! One model call as it comes in: what its path, headers and connection say, before anything of
//! the body is read.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::Request;
use dialects::{DialectId, Framing, PathHints};
use http::{HeaderMap, Uri};

use crate::middleware::{Caller, Head};
use crate::telemetry::TraceContext;
use crate::tokens::Holder;

/// One model call.
#[derive(Debug, Clone)]
pub struct Call {
    /// The dialect that the client speaks.
    pub dialect: DialectId,
    /// The endpoint's name in rights and in the log, for example `/v1/messages`.
    pub endpoint: &'static str,
    /// What the path says beside the body.
    pub path: PathHints,
    /// How the client wants a stream framed.
    pub framing: Framing,
    /// Who calls.
    pub caller: Caller,
    /// Whose token it is, once that is known.
    pub holder: Option<Arc<Holder>>,
    /// Whether its body may have a `Content-Encoding`, which has not been decoded.
    pub is_encoded: bool,
    /// Its place in a trace, where it is traced.
    pub trace: Option<TraceContext>,
    /// The request's head.
    pub head: Arc<Head>,
}

impl Call {
    /// A call on an endpoint of this dialect, and its body.
    pub fn new(
        dialect: DialectId,
        endpoint: &'static str,
        caller: Caller,
        request: Request,
    ) -> (Self, Body) {
        let (head, body) = request.into_parts();
        let head = Arc::new(Head::new(head));
        (Self::with_head(dialect, endpoint, caller, head), body)
    }

    /// A call with this head.
    pub fn with_head(
        dialect: DialectId,
        endpoint: &'static str,
        caller: Caller,
        head: Arc<Head>,
    ) -> Self {
        Self {
            dialect,
            endpoint,
            path: PathHints::default(),
            framing: Framing::default(),
            caller,
            holder: None,
            is_encoded: head.is_encoded,
            trace: None,
            head,
        }
    }

    /// The request's headers.
    pub fn headers(&self) -> &HeaderMap {
        &self.head.parts.headers
    }

    /// The request's address, which may hold a token.
    pub fn uri(&self) -> &Uri {
        &self.head.parts.uri
    }

    /// The same without its head, for what outlives it: a head may hold on to the buffer that the request was read
    /// into.
    pub fn without_head(&self) -> Self {
        Self {
            dialect: self.dialect,
            endpoint: self.endpoint,
            path: self.path.clone(),
            framing: self.framing,
            caller: self.caller.clone(),
            holder: self.holder.clone(),
            is_encoded: self.is_encoded,
            trace: self.trace,
            head: Head::blank(),
        }
    }
}
