//! `[redis]`: the state that several nodes share.

use serde::Deserialize;

use super::loader::Section;
use super::secret::Secret;

/// The `[redis]` section.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RedisConfig {
    /// `redis://…` of a Redis or Valkey; absent: state in this process, for a single node.
    pub url: Option<Secret>,
    /// Begins every key, so that several installations can share one Redis.
    pub prefix: String,
}

impl Default for RedisConfig {
    fn default() -> Self {
        Self {
            url: None,
            prefix: "modelgate".to_owned(),
        }
    }
}

impl Section for RedisConfig {
    const NAME: &'static str = "redis";
    const NEEDS_RESTART: &'static [&'static str] = &["url", "prefix"];

    fn validate(&self, refuse: &mut dyn FnMut(&'static str, String)) {
        if let Some(url) = &self.url {
            let schemes = ["redis://", "unix://", "redis+unix://"];
            let has = |scheme: &&str| url.expose().starts_with(*scheme);
            if has(&"rediss://") {
                let text = "rediss:// is not supported: use redis:// through a tunnel, or beside the nodes";
                refuse("url", text.to_owned());
            } else if !schemes.iter().any(has) {
                let text = "must begin with redis:// (or unix:// for a socket)";
                refuse("url", text.to_owned());
            }
        }
        if self.prefix.is_empty() || self.prefix.contains([':', '{', '}', ' ']) {
            refuse(
                "prefix",
                "must be a word without colons, braces or spaces".to_owned(),
            );
        }
    }
}
