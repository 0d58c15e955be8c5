//! An answer on its way out: a response, and what nearly every one says beside it. That is not put among the headers of
//! the response, which would take longer than all of writing it: an ordinary connection writes it as it is.

use std::sync::Arc;

use axum::body::Body;
use http::{HeaderName, HeaderValue, Response, header};

use super::caller::REQUEST_ID;
use crate::limits::LimitsTold;

/// An answer.
#[derive(Debug)]
pub struct Answer<B = Body> {
    /// The response.
    pub response: Response<B>,
    /// What is said beside it.
    pub told: Told,
}

/// What an answer says beside its response's own headers, none of which is named like these.
#[derive(Debug, Default)]
pub struct Told {
    /// What the body is.
    pub content_type: Option<HeaderValue>,
    /// How the client stands with its limits.
    pub limits: Option<LimitsTold>,
    /// The request's id, which is made of characters that headers may hold. The edge knows it, and with it goes what
    /// every answer says.
    pub request_id: Option<Arc<str>>,
}

/// Browsers are to believe the content type of an answer.
static NO_SNIFFING: (HeaderName, &[u8]) = (header::X_CONTENT_TYPE_OPTIONS, b"nosniff");
static CONTENT_TYPE: HeaderName = header::CONTENT_TYPE;
static ID: HeaderName = REQUEST_ID;

impl Told {
    /// Tells each header, its name and its value.
    pub fn each(&self, mut tell: impl FnMut(&'static HeaderName, &[u8])) {
        if let Some(kind) = &self.content_type {
            tell(&CONTENT_TYPE, kind.as_bytes());
        }
        if let Some(limits) = &self.limits {
            limits.each(&mut tell);
        }
        if let Some(id) = &self.request_id {
            tell(&NO_SNIFFING.0, NO_SNIFFING.1);
            tell(&ID, id.as_bytes());
        }
    }
}

impl<B> Answer<B> {
    /// The response alone, which says everything itself.
    pub fn into_response(self) -> Response<B> {
        let Self { mut response, told } = self;
        told.each(|name, value| {
            if let Ok(value) = HeaderValue::from_bytes(value) {
                response.headers_mut().insert(name, value);
            }
        });
        response
    }
}

impl<B> From<Response<B>> for Answer<B> {
    fn from(response: Response<B>) -> Self {
        let told = Told::default();
        Self { response, told }
    }
}
