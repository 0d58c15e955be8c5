//! A request as it goes out: without what belongs to connections.

use http::uri::{Authority, PathAndQuery, Uri};
use http::{Method, Request};

use super::out_body::{Content, OutBody};
use super::outbound::strip_connection_headers;
use super::watchdog::Progress;
use crate::{Headers, Origin, UpstreamRequest};

/// A request on its way.
pub(crate) struct Message {
    pub(super) method: Method,
    pub(super) path: PathAndQuery,
    pub(super) headers: Headers,
    pub(super) content: Content,
}

impl Message {
    /// The request, where it goes, and the progress of its upload.
    pub(super) fn new(request: UpstreamRequest) -> (Self, Origin, Option<Progress>) {
        let mut headers = request.headers;
        strip_connection_headers(&mut headers);
        let (content, upload) = Content::new(request.body);
        let message = Self {
            method: request.method,
            path: request.target.path,
            headers,
            content,
        };
        (message, request.target.origin, upload)
    }

    /// The request with the whole of its address, as HTTP/2 wants it.
    pub(super) fn for_http2(self, origin: &Origin) -> Request<OutBody> {
        let mut parts = Uri::from(self.path).into_parts();
        parts.scheme = origin.scheme.name().parse().ok();
        parts.authority = Authority::try_from(origin.authority()).ok();
        let mut request = Request::new(OutBody::from_content(self.content));
        *request.method_mut() = self.method;
        *request.uri_mut() = Uri::from_parts(parts).expect("a path with a whole origin");
        *request.headers_mut() = self.headers.into_map();
        request
    }

    /// The same back, where it was not sent.
    pub(super) fn of_http2(request: Request<OutBody>) -> Self {
        let (parts, body) = request.into_parts();
        let path = parts.uri.path_and_query().cloned();
        Self {
            method: parts.method,
            path: path.unwrap_or_else(|| PathAndQuery::from_static("/")),
            headers: parts.headers.into(),
            content: body.into_content(),
        }
    }
}
