//! The keys of channels at rest: encrypted, and bound to the channel and the origin that they were
//! given for, so that a row which was moved or pointed elsewhere does not open. It does not know
//! what a key consists of.

use store::ChannelId;
use store::channel_keys::{ChannelKey, NewChannelKey};

use crate::config::Secret;
use crate::randomness::Randomness;
use crate::secrets::{CannotOpen, KeyRing, open, seal};

/// A key as it is stored. `origin` is the scheme, host and port that it may be sent to, as in
/// `https://api.example.com`.
pub fn seal_key(
    ring: &KeyRing,
    randomness: &dyn Randomness,
    channel: ChannelId,
    origin: &str,
    key: &Secret,
) -> NewChannelKey {
    let record = record(channel, origin);
    NewChannelKey {
        secret_encrypted: seal(ring, randomness, &record, key.expose().as_bytes()),
        pinned_host: origin.to_owned(),
        ..NewChannelKey::default()
    }
}

/// The key itself.
pub fn open_key(ring: &KeyRing, key: &ChannelKey) -> Result<Secret, CannotOpen> {
    let record = record(key.channel_id, &key.pinned_host);
    let bytes = open(ring, &record, &key.secret_encrypted)?;
    let text = std::str::from_utf8(&bytes).map_err(|_| CannotOpen::UnknownForm)?;
    Ok(Secret::new(text))
}

fn record(channel: ChannelId, origin: &str) -> String {
    format!("channel_key:{channel}:{origin}")
}

#[cfg(test)]
mod tests {
    use store::ChannelKeyId;

    use super::*;
    use crate::randomness::SystemRandomness;

    fn stored(ring: &KeyRing) -> ChannelKey {
        let secret = Secret::new("sk-vendor");
        let origin = "https://api.example.com";
        let new = seal_key(ring, &SystemRandomness, ChannelId(7), origin, &secret);
        ChannelKey {
            id: ChannelKeyId(1),
            channel_id: ChannelId(7),
            position: 0,
            secret_encrypted: new.secret_encrypted,
            pinned_host: new.pinned_host,
            rpm: None,
            tpm: None,
            concurrency: None,
            created_at: 0,
        }
    }

    #[test]
    fn a_key_opens_for_its_own_channel_and_origin_only() {
        let ring = KeyRing::generate(&SystemRandomness);
        let key = stored(&ring);
        assert_eq!(open_key(&ring, &key).unwrap().expose(), "sk-vendor");
        let elsewhere = ChannelKey {
            pinned_host: "https://evil.example".to_owned(),
            ..key.clone()
        };
        assert_eq!(open_key(&ring, &elsewhere), Err(CannotOpen::Forged));
        let other = ChannelKey {
            channel_id: ChannelId(8),
            ..key
        };
        assert_eq!(open_key(&ring, &other), Err(CannotOpen::Forged));
    }
}
