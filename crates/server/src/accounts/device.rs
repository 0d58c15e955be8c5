//! Known devices. A browser that has logged a user in keeps a signed mark of that user, and its failed attempts are
//! counted separately: what strangers fail at does not lock it out. The mark is no credential, and no record of it
//! exists: the signature is checked with the master key.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use store::UserId;
use subtle::ConstantTimeEq as _;

use super::one_time::new_secret;
use crate::app::App;
use crate::secrets::hash_token;

/// The name of a mark's cookie begins so; the user's id follows, since people share browsers.
pub const DEVICE_COOKIE: &str = "device-";

/// Marks of one request that are looked at.
pub const MOST_MARKS: usize = 16;

const PURPOSE: &str = "known device";

/// A mark that carries a valid signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    id: String,
    mark: String,
}

impl Device {
    /// Marks a new device of a user.
    pub fn new(app: &App, user: UserId) -> Self {
        let id = new_secret(app.randomness());
        let mark = format!("{id}.{}", signature(app, user, &id));
        Self { id, mark }
    }

    /// The device of this mark; none if its signature is not this user's.
    pub fn read(app: &App, user: UserId, mark: &str) -> Option<Self> {
        let (id, signed) = mark.split_once('.')?;
        let expected = signature(app, user, id);
        let is_ours = bool::from(signed.as_bytes().ct_eq(expected.as_bytes()));
        is_ours.then(|| Self {
            id: id.to_owned(),
            mark: mark.to_owned(),
        })
    }

    /// Names the device in counters.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The value of its cookie.
    pub fn mark(&self) -> &str {
        &self.mark
    }
}

fn signature(app: &App, user: UserId, id: &str) -> String {
    URL_SAFE_NO_PAD.encode(hash_token(app.keys(), PURPOSE, &format!("{user}.{id}")))
}
