//! Fetches what clients point to, through a guarded way out that knows no exceptions made for channels, and bounded in
//! size and time. How many addresses a call may have, and what becomes of one that cannot be fetched, is the caller's.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use dialects::passes::Fetched;
use futures_util::future::join_all;
use http::header;
use providers::transport::{Egress, Timeouts};
use providers::{UpstreamReply, UpstreamRequest};

use super::form::media_type;
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
/// What says nothing about its content.
const VAGUE: &str = "application/octet-stream";

/// What these addresses hold, in their order, or why that cannot be had.
pub async fn fetch_all<'a>(
    app: &App,
    addresses: impl Iterator<Item = &'a str>,
) -> Vec<Result<Fetched, &'static str>> {
    let fetching = addresses.map(|address| async move {
        let fetched = tokio::time::timeout(PATIENCE, fetch(app, address)).await;
        fetched.unwrap_or(Err("it took too long"))
    });
    join_all(fetching).await
}

/// Room for what is fetched for one call.
#[derive(Debug)]
pub struct Room(usize);

impl Room {
    /// All of it.
    pub fn new() -> Self {
        Self(MOST_INLINED)
    }

    /// Takes what this content needs where it is shown so often. Otherwise says why not.
    pub fn take(&mut self, content: &Fetched, uses: usize) -> Result<(), String> {
        let needed = content.data.len().saturating_mul(uses);
        let left = self.0.checked_sub(needed);
        self.0 = left.ok_or_else(|| {
            format!(
                "What the addresses of one call hold may be {} MiB in all, each counted as often as it is shown.",
                MOST_INLINED >> 20
            )
        })?;
        Ok(())
    }
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
    let mime = mime.to_ascii_lowercase();
    let body = reply.body.collect(LONGEST).await;
    let body = body.map_err(|_| "it is too long or broke off")?;
    let mime = match mime.as_str() {
        "" | VAGUE => media_type(&body).unwrap_or(VAGUE).to_owned(),
        _ => mime,
    };
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
        let content = Fetched {
            mime: "image/png".to_owned(),
            data: "a".repeat(1 << 20),
        };
        let mut room = Room::new();
        assert!(room.take(&content, 65).is_err());
        assert!(room.take(&content, 3).is_ok());
        assert!(room.take(&content, 62).is_err());
        assert!(room.take(&content, 61).is_ok());
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
