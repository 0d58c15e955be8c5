//! The body of a call that is JSON: what its head must say, and all of its bytes.

use axum::body::Body;
use bytes::Bytes;
use dialects::canonical::{Failure, FailureKind};
use dialects::json_depth::is_deeper_than;
use dialects::messages::contract;
use dialects::{DialectId, check_unicode};
use http::{HeaderName, HeaderValue, header};

use super::call::Call;
use super::pipeline::Refused;
use crate::app::App;
use crate::area::Area;
use crate::middleware::read_body;

/// The whole body of a call that must be JSON.
pub async fn json_body(app: &App, call: &Call, body: Body) -> Result<Bytes, Refused> {
    let body = whole_body(call, body).await?;
    check_depth(app, &body)?;
    check_unicode(&body)?;
    Ok(body)
}

/// The same, where whoever reads it sees how deep it nests.
pub async fn whole_body(call: &Call, body: Body) -> Result<Bytes, Refused> {
    check_head(call)?;
    let body = read_body(body).await.map_err(|refusal| {
        let area = Area::ModelCall(call.dialect);
        Refused::Response(Box::new(refusal.respond(area, &call.caller.request_id)))
    })?;
    if body.is_empty() {
        let text = "The request body is empty.";
        return Err(Failure::bad_request("body", text).into());
    }
    Ok(body)
}

/// Refuses a body that nests too deep.
pub fn check_depth(app: &App, body: &[u8]) -> Result<(), Failure> {
    let most = app.config().limits.json_depth;
    if is_deeper_than(body, most) {
        let text = format!("The request body nests deeper than {most} levels.");
        return Err(Failure::bad_request("body", text));
    }
    Ok(())
}

/// The media type of JSON as most clients write it.
const JSON: &str = "application/json";

/// Whether a media type is JSON, however it is written. One that cannot be read may be.
pub fn is_json(kind: &HeaderValue) -> bool {
    let Ok(kind) = kind.to_str() else {
        return true;
    };
    let kind = kind.split(';').next().unwrap_or_default().trim();
    let kind = kind.to_ascii_lowercase();
    kind == JSON || kind.ends_with("+json")
}

/// The headers that may say which version of messages a client speaks.
static VERSIONS: [HeaderName; 2] = [
    HeaderName::from_static(contract::VERSION_HEADER),
    HeaderName::from_static(contract::VENDOR_VERSION_HEADER),
];

/// What headers must say before a body is read.
fn check_head(call: &Call) -> Result<(), Failure> {
    let kind = call.headers().get(header::CONTENT_TYPE);
    if kind.is_some_and(|kind| kind != JSON && !is_json(kind)) {
        let text = "The request body must be sent as application/json.";
        return Err(Failure::new(FailureKind::UnsupportedMedia, text));
    }
    if call.dialect == DialectId::Messages {
        let version = VERSIONS
            .iter()
            .find_map(|name| call.headers().get(name)?.to_str().ok());
        contract::check_version(version)?;
    }
    Ok(())
}
