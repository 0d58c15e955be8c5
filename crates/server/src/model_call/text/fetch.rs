//! Pictures and documents that an upstream does not fetch itself are fetched for it, through the
//! same guarded way out as calls, and bounded in number, size and time.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use dialects::UpstreamDialect;
use dialects::canonical::{Failure, Request};
use dialects::passes::{Fetched, supply};
use http::header;
use providers::transport::{Egress, Timeouts};
use providers::{BaseUrl, UpstreamRequest};

use crate::app::App;

/// More addresses in one request are refused.
const MOST_ADDRESSES: usize = 16;
/// What is longer is refused.
const LONGEST: usize = 20 << 20;
/// All of them together may take so long.
const PATIENCE: Duration = Duration::from_secs(20);

/// Puts what the addresses of a request hold in their place, as far as the upstream's dialect
/// needs that.
pub async fn inline(
    app: &App,
    request: &mut Request,
    upstream: &dyn UpstreamDialect,
) -> Result<(), Failure> {
    let addresses = upstream.urls_to_fetch(request);
    if addresses.is_empty() {
        return Ok(());
    }
    if addresses.len() > MOST_ADDRESSES {
        let text = format!("More than {MOST_ADDRESSES} addresses cannot be fetched for one call.");
        return Err(Failure::bad_request("url", text));
    }
    let fetching =
        futures_util::future::try_join_all(addresses.iter().map(|address| fetch(app, address)));
    let fetched = tokio::time::timeout(PATIENCE, fetching).await;
    let fetched = fetched.map_err(|_| unfetched("took too long"))??;
    for (address, content) in addresses.iter().zip(&fetched) {
        supply(request, address, content);
    }
    Ok(())
}

async fn fetch(app: &App, address: &str) -> Result<Fetched, Failure> {
    let target = target(address).ok_or_else(|| unfetched("is no address that can be fetched"))?;
    let egress = Egress::default().with_timeouts(Timeouts {
        first_byte: PATIENCE,
        idle: PATIENCE,
        ..Timeouts::default()
    });
    let outbound = app.outbound();
    let sent = outbound.send(UpstreamRequest::get(target), &egress);
    let reply = sent.await.map_err(|error| {
        tracing::debug!(%error, "an address in a request could not be fetched");
        unfetched("could not be fetched")
    })?;
    if !reply.status.is_success() {
        return Err(unfetched("could not be fetched"));
    }
    let kind = reply.headers.get(header::CONTENT_TYPE);
    let kind = kind.and_then(|value| value.to_str().ok()).unwrap_or("");
    let mime = kind.split(';').next().unwrap_or_default().trim();
    let mime = if mime.is_empty() {
        "application/octet-stream".to_owned()
    } else {
        mime.to_ascii_lowercase()
    };
    let body = reply.body.collect(LONGEST).await;
    let body = body.map_err(|_| unfetched("is too long or broke off"))?;
    Ok(Fetched {
        mime,
        data: STANDARD.encode(body),
    })
}

/// Where an address leads. Fragments are not sent; redirects are not followed.
fn target(address: &str) -> Option<providers::Target> {
    let address = address.split('#').next()?;
    let rest = address.split_once("://")?.1;
    let path_at = address.len() - rest.len() + rest.find(['/', '?']).unwrap_or(rest.len());
    let (origin, path) = address.split_at(path_at);
    let path = if path.starts_with('/') {
        path.to_owned()
    } else {
        format!("/{path}")
    };
    BaseUrl::parse(origin).ok()?.target(&path).ok()
}

fn unfetched(what: &str) -> Failure {
    Failure::bad_request("url", format!("An address in the request {what}."))
}
