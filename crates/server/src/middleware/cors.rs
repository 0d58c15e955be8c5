//! Browsers on other sites may make model calls, which take tokens and never cookies. The
//! management interface gets none of this and so stays same-origin.

use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};

/// Reply headers that scripts may read.
const EXPOSED: &str = "x-request-id, x-modelgate-dropped, retry-after";

/// The `access-control-allow-origin` value for a request, where its origin is allowed.
pub(super) fn allowed_origin(headers: &HeaderMap, origins: &[String]) -> Option<HeaderValue> {
    let origin = headers.get(header::ORIGIN)?;
    if origins.iter().any(|allowed| allowed == "*") {
        return Some(HeaderValue::from_static("*"));
    }
    origins
        .iter()
        .any(|allowed| allowed.as_bytes() == origin.as_bytes())
        .then(|| origin.clone())
}

/// Whether a request only asks for permission.
pub(super) fn is_preflight(method: &Method, headers: &HeaderMap) -> bool {
    method == Method::OPTIONS
        && headers.contains_key(header::ORIGIN)
        && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

/// The answer to a preflight; without an allowed origin it permits nothing.
pub(super) fn preflight(request: &HeaderMap, origin: Option<&HeaderValue>) -> Response {
    let mut response = StatusCode::NO_CONTENT.into_response();
    if origin.is_some() {
        let headers = response.headers_mut();
        let methods = HeaderValue::from_static("GET, POST, DELETE, OPTIONS");
        headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, methods);
        headers.insert(
            header::ACCESS_CONTROL_MAX_AGE,
            HeaderValue::from_static("86400"),
        );
        if let Some(wanted) = request.get(header::ACCESS_CONTROL_REQUEST_HEADERS) {
            headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, wanted.clone());
        }
    }
    response
}

/// Marks a reply as readable by the origin.
pub(super) fn permit(response: &mut Response, origin: HeaderValue) {
    const VARY_ORIGIN: (HeaderName, HeaderValue) =
        (header::VARY, HeaderValue::from_static("origin"));
    let headers = response.headers_mut();
    if origin != "*" {
        headers.append(VARY_ORIGIN.0, VARY_ORIGIN.1);
    }
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(
        header::ACCESS_CONTROL_EXPOSE_HEADERS,
        HeaderValue::from_static(EXPOSED),
    );
}
