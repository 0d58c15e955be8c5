//! Headers that tell browsers what our pages and replies may not do.

use http::{HeaderMap, HeaderName, HeaderValue, header};

use crate::area::Area;

/// Pages load only from our own origin. Inline styles are the one exception: the console's
/// components set them.
pub const CONTENT_SECURITY_POLICY: &str = "default-src 'self'; script-src 'self'; \
    style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; media-src 'self' data: blob:; \
    object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// Replies that are no pages load nothing at all.
const NOTHING: &str = "default-src 'none'; frame-ancestors 'none'";

/// Adds what the area needs beyond what every answer says. Model calls need nothing: their clients are programs.
pub(super) fn add(headers: &mut HeaderMap, area: Area, is_https: bool) {
    let policy = match area {
        Area::ModelCall(_) => return,
        Area::Console => CONTENT_SECURITY_POLICY,
        Area::Management | Area::Probe => NOTHING,
    };
    // A handler that serves a page of its own (the API reference, a checkout) sets its policy.
    headers
        .entry(header::CONTENT_SECURITY_POLICY)
        .or_insert(HeaderValue::from_static(policy));
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(
        header::REFERRER_POLICY,
        HeaderValue::from_static("same-origin"),
    );
    let permissions = HeaderName::from_static("permissions-policy");
    headers.insert(
        permissions,
        HeaderValue::from_static("camera=(), geolocation=(), payment=()"),
    );
    if is_https {
        let year = HeaderValue::from_static("max-age=31536000");
        headers.insert(header::STRICT_TRANSPORT_SECURITY, year);
    }
    if area == Area::Management {
        headers
            .entry(header::CACHE_CONTROL)
            .or_insert(HeaderValue::from_static("no-store"));
    }
}
