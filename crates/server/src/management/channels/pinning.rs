//! Stored secrets of a channel, its keys and the credentials among its headers, go only the way that
//! they were given for: to the same origin, through the same proxy, under the same authorities.
//! Whoever can send them another way can read them, so such a change needs them given again.

use serde_json::Value;
use store::Document;
use store::channel_keys::ChannelKey;
use store::channels::{Channel, ChannelChanges};

use super::keys::Address;
use crate::app::App;
use crate::channels::open_key;
use crate::config::Secret;
use crate::management::frame::ApiError;

/// A stored channel and its keys.
#[derive(Clone, Copy)]
pub struct Pinned<'a> {
    pub channel: &'a Channel,
    pub keys: &'a [ChannelKey],
}

/// What comes with changes of a channel.
#[derive(Clone, Copy)]
pub struct Given<'a> {
    /// Keys in the place of the stored ones; none: those stay.
    pub keys: &'a [Secret],
    /// Whether stored credentials among the headers stay.
    pub keeps_headers: bool,
}

impl Pinned<'_> {
    /// Refuses changes that would send stored secrets another way.
    pub fn check(
        &self,
        app: &App,
        changes: &ChannelChanges,
        given: Given<'_>,
    ) -> Result<(), ApiError> {
        let what = match given {
            Given { keys: [], .. } if !self.keys.is_empty() => "keys",
            Given {
                keeps_headers: true,
                ..
            } => "secret headers",
            _ => return Ok(()),
        };
        let field = match detour(self.channel, changes) {
            Some(field) => field,
            None if self.is_moved(app, changes, given.keys)? => "base_url",
            None => return Ok(()),
        };
        let problem =
            format!("leads another way than the stored {what} are for; send the {what} again");
        Err(ApiError::bad_field(field, &problem))
    }

    /// Whether calls would go to another origin. A key may say where it belongs, so that new keys can
    /// move a channel whose address stays.
    fn is_moved(
        &self,
        app: &App,
        changes: &ChannelChanges,
        new_keys: &[Secret],
    ) -> Result<bool, ApiError> {
        let (before, after) = (Address::of(self.channel), self.address(changes));
        if before == after && new_keys.is_empty() {
            return Ok(false);
        }
        let mut former: Vec<String> = self
            .keys
            .iter()
            .map(|key| key.pinned_host.clone())
            .collect();
        let mut keys = new_keys.to_vec();
        if keys.is_empty() {
            let open = |key| open_key(app.keys(), key).map_err(|error| ApiError::internal(&error));
            keys = self.keys.iter().map(open).collect::<Result<_, _>>()?;
        }
        if former.is_empty() {
            former.extend(before.origin_of("").ok());
        }
        if keys.is_empty() {
            keys.push(Secret::new(""));
        }
        for key in &keys {
            if !former.contains(&after.origin_of(key.expose().trim())?) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Where calls go after the changes.
    pub fn address<'a>(&'a self, changes: &'a ChannelChanges) -> Address<'a> {
        let before = Address::of(self.channel);
        Address {
            provider: changes.provider.as_deref().unwrap_or(before.provider),
            base_url: changes.base_url.as_deref().unwrap_or(before.base_url),
        }
    }
}

/// The field by which changes lead calls through another proxy, or past other authorities.
pub fn detour(before: &Channel, changes: &ChannelChanges) -> Option<&'static str> {
    let proxy = changes.proxy.as_ref();
    if proxy.is_some_and(|proxy| *proxy != before.proxy) {
        return Some("proxy");
    }
    let stored = before.overrides.as_ref().map(|Document(stored)| stored);
    let wanted = changes.overrides.as_ref();
    wanted
        .is_some_and(|wanted| tls_roots(wanted.as_ref()) != tls_roots(stored))
        .then_some("overrides.tls_roots")
}

fn tls_roots(overrides: Option<&Value>) -> Option<&Value> {
    overrides?.get("tls_roots")
}
