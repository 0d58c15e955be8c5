//! Pictures and documents that an upstream does not fetch itself are fetched for it, through a guarded way out that
//! knows no exceptions made for channels, and bounded in number, size and time. What cannot be fetched keeps
//! its address: the upstream's dialect says whether it can be sent so, and the vendor decides.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use dialects::UpstreamDialect;
use dialects::canonical::{Failure, Request};
use dialects::passes::{Address, Fetched, MOST_ADDRESSES, supply};
use http::header;
use providers::transport::{Egress, Timeouts};
use providers::{UpstreamReply, UpstreamRequest};

use crate::app::App;
use crate::outbound::target_of;

/// What is longer is refused.
const LONGEST: usize = 20 << 20;
/// And so is more in all, counted as often as the request shows it: so much of it is written into the request.
const MOST_INLINED: usize = 64 << 20;
/// All of them together may take so long.
const PATIENCE: Duration = Duration::from_secs(20);
/// An address that leads on more often is left as it is.
const MOST_REDIRECTS: usize = 5;

/// Puts what the addresses of a request hold in their place, as far as the upstream's dialect
/// needs that. Says whether there were any.
pub async fn inline(
    app: &App,
    request: &mut Request,
    upstream: &dyn UpstreamDialect,
) -> Result<bool, Failure> {
    let addresses = upstream.urls_to_fetch(request);
    if addresses.is_empty() {
        return Ok(false);
    }
    if addresses.len() > MOST_ADDRESSES {
        let text = format!("More than {MOST_ADDRESSES} addresses cannot be fetched for one call.");
        return Err(Failure::bad_request("url", text));
    }
    let fetching = addresses.iter().map(|address| async {
        let fetched = tokio::time::timeout(PATIENCE, fetch(app, &address.url)).await;
        fetched.unwrap_or(Err("it took too long"))
    });
    let fetched = futures_util::future::join_all(fetching).await;
    let mut room = MOST_INLINED;
    for (address, content) in addresses.iter().zip(fetched) {
        match content {
            Ok(content) => {
                room = room_behind(room, address, &content)?;
                supply(request, &address.url, &content);
            }
            Err(why) => tracing::debug!(why, "an address in a request was not fetched"),
        }
    }
    Ok(true)
}

/// What is left of the room for fetched content behind this one.
fn room_behind(room: usize, address: &Address, content: &Fetched) -> Result<usize, Failure> {
    let needed = content.data.len().saturating_mul(address.uses);
    room.checked_sub(needed).ok_or_else(|| {
        let text = format!(
            "What the addresses of one call hold may be {} MiB in all, each counted as often as it is shown.",
            MOST_INLINED >> 20
        );
        Failure::bad_request("url", text)
    })
}

/// What an address holds, or why that cannot be had. Every redirect passes the guard like the
/// first address.
async fn fetch(app: &App, address: &str) -> Result<Fetched, &'static str> {
    let egress = Egress::default().with_timeouts(Timeouts {
        first_byte: PATIENCE,
        idle: PATIENCE,
        ..Timeouts::default()
    });
    let outbound = app.fetching();
    let mut address = address.to_owned();
    for _ in 0..=MOST_REDIRECTS {
        let target = target_of(&address).ok_or("it is no address that can be fetched")?;
        let sent = outbound.send(UpstreamRequest::get(target), &egress).await;
        let reply = sent.map_err(|_| "its host did not answer")?;
        if !reply.status.is_redirection() {
            return content(reply).await;
        }
        let location = reply.headers.get(header::LOCATION);
        let location = location.and_then(|value| value.to_str().ok());
        address = led_on(&address, location.unwrap_or_default());
    }
    Err("it leads on too often")
}

async fn content(reply: UpstreamReply) -> Result<Fetched, &'static str> {
    if !reply.status.is_success() {
        return Err("its host refused it");
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
    let body = body.map_err(|_| "it is too long or broke off")?;
    Ok(Fetched {
        mime,
        data: STANDARD.encode(body),
    })
}

/// Where a redirect leads: another address, or another path at the same host.
fn led_on(address: &str, location: &str) -> String {
    if !location.starts_with('/') || location.starts_with("//") {
        return location.to_owned();
    }
    let host_at = address.find("://").map_or(0, |at| at + 3);
    let path_at = address[host_at..].find(['/', '?', '#']);
    let origin = path_at.map_or(address, |at| &address[..host_at + at]);
    format!("{origin}{location}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_often_is_counted_as_often() {
        let address = |uses| Address {
            url: "https://a.example/b".to_owned(),
            uses,
        };
        let content = Fetched {
            mime: "image/png".to_owned(),
            data: "a".repeat(1 << 20),
        };
        let behind = |uses| room_behind(MOST_INLINED, &address(uses), &content);
        assert_eq!(behind(3).ok(), Some(61 << 20));
        assert_eq!(behind(64).ok(), Some(0));
        assert!(behind(65).is_err());
    }

    #[test]
    fn a_redirect_leads_to_another_host_or_another_path() {
        let at = "https://a.example/b/c?d";
        assert_eq!(led_on(at, "/e"), "https://a.example/e");
        assert_eq!(led_on("https://a.example?d", "/e"), "https://a.example/e");
        assert_eq!(led_on(at, "http://b.example/"), "http://b.example/");
        // A bare name is no address; fetching it fails.
        assert_eq!(target_of(&led_on(at, "e")), None);
    }
}
