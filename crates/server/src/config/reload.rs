//! Compares two configurations key by key, to say what a reload changes and what has to wait for
//! a restart. Values never appear, only names: some of them are secret.

use super::field_names::field_names;
use super::load::{Config, for_each_section};
use super::loader::Section;

/// Names of the keys that differ between two configurations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// In effect as soon as the new configuration is.
    pub live: Vec<String>,
    /// In effect only after a restart.
    pub needs_restart: Vec<String>,
}

impl Changes {
    /// Whether the two configurations are the same.
    pub fn is_empty(&self) -> bool {
        self.live.is_empty() && self.needs_restart.is_empty()
    }

    fn add<S: Section>(&mut self, old: &Config, new: &Config) {
        for key in field_names::<S>() {
            let place = (S::NAME, (*key).to_owned());
            let value =
                |config: &Config| config.given.0.get(&place).map(|given| given.value.clone());
            if value(old) != value(new) {
                let waits = S::NEEDS_RESTART.contains(key);
                let list = if waits {
                    &mut self.needs_restart
                } else {
                    &mut self.live
                };
                list.push(format!("{}.{key}", S::NAME));
            }
        }
    }
}

macro_rules! define_changes {
    ($($field:ident: $section:ty,)*) => {
        /// What differs between the configuration in use and a new one.
        pub fn changes(old: &Config, new: &Config) -> Changes {
            let mut changes = Changes::default();
            $(if old.$field != new.$field {
                changes.add::<$section>(old, new);
            })*
            changes.live.extend((old.channels != new.channels).then(|| "channels".to_owned()));
            changes.live.extend((old.tokens != new.tokens).then(|| "tokens".to_owned()));
            changes.live.extend((old.prices != new.prices).then(|| "prices".to_owned()));
            changes.live.extend((old.oidc != new.oidc).then(|| "oidc".to_owned()));
            changes.live.extend((old.oauth != new.oauth).then(|| "oauth".to_owned()));
            changes
        }
    };
}
for_each_section!(define_changes);
