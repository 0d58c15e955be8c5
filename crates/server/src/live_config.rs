//! The configuration in effect: what the machine says (file, environment, flags), and over it the
//! settings that were changed while the service ran, which all nodes share.

use std::sync::Arc;

use arc_swap::{ArcSwap, Guard};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use parking_lot::Mutex;
use store::{Store, settings};
use tokio::sync::Notify;

use crate::config::{Config, Overrides};
use crate::randomness::Randomness;
use crate::secrets::{KeyRing, open, seal};
use crate::settings::{Settings, StoredOption};

/// The configuration in effect and what it is made of.
pub struct LiveConfig {
    in_effect: ArcSwap<Config>,
    parts: Mutex<Parts>,
    is_stale: Notify,
}

struct Parts {
    given: Config,
    overrides: Overrides,
}

impl Parts {
    fn put_together(&self) -> Config {
        let (config, left_out) = self.given.with_usable_overrides(&self.overrides);
        for problem in left_out {
            tracing::warn!(%problem, "a stored setting cannot be used and is left out");
        }
        config
    }
}

impl LiveConfig {
    /// Puts both together.
    pub fn new(given: Config, overrides: Overrides) -> Self {
        let parts = Parts { given, overrides };
        Self {
            in_effect: ArcSwap::from_pointee(parts.put_together()),
            parts: Mutex::new(parts),
            is_stale: Notify::new(),
        }
    }

    /// What is in effect.
    pub fn in_effect(&self) -> Guard<Arc<Config>> {
        self.in_effect.load()
    }

    /// What is in effect, to be held across waits.
    pub fn in_effect_in_full(&self) -> Arc<Config> {
        self.in_effect.load_full()
    }

    /// What the machine says, without the settings that were changed.
    pub fn given(&self) -> Config {
        self.parts.lock().given.clone()
    }

    /// The machine says something else now.
    pub fn set_given(&self, given: Config) {
        let mut parts = self.parts.lock();
        parts.given = given;
        self.in_effect.store(Arc::new(parts.put_together()));
    }

    /// Other settings were changed.
    pub fn set_overrides(&self, overrides: Overrides) {
        let mut parts = self.parts.lock();
        parts.overrides = overrides;
        self.in_effect.store(Arc::new(parts.put_together()));
    }

    /// Says that settings were changed somewhere.
    pub fn mark_stale(&self) {
        self.is_stale.notify_one();
    }

    /// Waits until settings were changed somewhere.
    pub async fn stale(&self) {
        self.is_stale.notified().await;
    }
}

/// The settings that were changed, as the records have them.
pub async fn stored_overrides(store: &Store, keys: &KeyRing) -> store::Result<Overrides> {
    let stored = settings::load::<Settings>(store.read()).await?;
    let settings = stored.map(|stored| stored.document).unwrap_or_default();
    Ok(overrides_of(&settings, keys))
}

/// The settings that a document holds. One that does not open is left out: the others still count.
pub fn overrides_of(settings: &Settings, keys: &KeyRing) -> Overrides {
    let mut overrides = Overrides::default();
    for (key, option) in &settings.options {
        if let Some(value) = opened(key, option, keys) {
            overrides.0.insert(key.clone(), value);
        } else {
            tracing::warn!(key, "a stored setting cannot be read and is left out");
        }
    }
    overrides
}

fn opened(key: &str, option: &StoredOption, keys: &KeyRing) -> Option<toml::Value> {
    match option {
        StoredOption::Plain(value) => toml_of(value),
        StoredOption::Sealed(text) => {
            let sealed = STANDARD.decode(text).ok()?;
            let opened = open(keys, &record(key), &sealed).ok()?;
            let text = String::from_utf8(opened.to_vec()).ok()?;
            Some(toml::Value::String(text))
        }
    }
}

/// A secret as it is stored.
pub fn sealed_option(
    key: &str,
    secret: &str,
    keys: &KeyRing,
    randomness: &dyn Randomness,
) -> StoredOption {
    let sealed = seal(keys, randomness, &record(key), secret.as_bytes());
    StoredOption::Sealed(STANDARD.encode(sealed))
}

fn record(key: &str) -> String {
    format!("setting:{key}")
}

/// A value of the interface as one of the configuration; none for objects and nulls, which no
/// setting takes.
pub fn toml_of(value: &serde_json::Value) -> Option<toml::Value> {
    use serde_json::Value;
    Some(match value {
        Value::String(text) => toml::Value::String(text.clone()),
        Value::Bool(is_on) => toml::Value::Boolean(*is_on),
        Value::Number(number) => match number.as_i64() {
            Some(number) => toml::Value::Integer(number),
            None => toml::Value::Float(number.as_f64()?),
        },
        Value::Array(values) => {
            toml::Value::Array(values.iter().map(toml_of).collect::<Option<_>>()?)
        }
        Value::Null | Value::Object(_) => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::randomness::SystemRandomness;

    #[test]
    fn a_secret_is_stored_encrypted_and_only_under_its_own_key() {
        let keys = KeyRing::generate(&SystemRandomness);
        let sealed = sealed_option("mail.password", "hush", &keys, &SystemRandomness);
        assert!(!format!("{sealed:?}").contains("hush"));
        let mut settings = Settings::default();
        settings
            .options
            .insert("mail.password".to_owned(), sealed.clone());
        settings.options.insert("mail.username".to_owned(), sealed);
        let overrides = overrides_of(&settings, &keys);
        assert_eq!(overrides.0.len(), 1);
        assert_eq!(overrides.0["mail.password"].as_str(), Some("hush"));
    }
}
