//! Settings that were changed while the service ran: they win over the file, and the environment and
//! flags win over them. Where they are kept is not decided here.

use std::collections::BTreeMap;
use std::fmt;

use toml::Value;

use super::field_names::field_names;
use super::layers::{Layers, Setting};
use super::load::{Config, place_of, read};
use super::loader::{Loader, Section};
use super::problem::{Origin, Problem, Problems};

/// Changed settings by their full key, for example `login.failures`. They may hold secrets, so their
/// `Debug` shows none.
#[derive(Clone, Default)]
pub struct Overrides(pub BTreeMap<String, Value>);

impl fmt::Debug for Overrides {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.0.keys()).finish()
    }
}

/// Where a setting can be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// While the service runs, for all nodes.
    Anywhere,
    /// In the file or the environment of each node.
    Machine,
    /// The same, and only with a restart.
    Restart,
}

impl Place {
    pub(super) fn of<S: Section>(key: &str) -> Option<Self> {
        if !field_names::<S>().contains(&key) {
            None
        } else if S::NEEDS_RESTART.contains(&key) {
            Some(Self::Restart)
        } else if S::ON_THE_MACHINE.contains(&key) {
            Some(Self::Machine)
        } else {
            Some(Self::Anywhere)
        }
    }
}

impl Config {
    /// What is in effect when these settings were changed; all that is wrong with them otherwise.
    pub fn with_overrides(&self, overrides: &Overrides) -> Result<Self, Problems> {
        let settings = self.given.0.iter();
        let settings = settings.map(|((section, key), setting)| {
            let place = ((*section).to_owned(), key.clone());
            (place, setting.clone())
        });
        let mut layers = Layers {
            settings: settings.collect(),
            ..Layers::default()
        };
        for (full, value) in &overrides.0 {
            let (section, key) = full.rsplit_once('.').unwrap_or(("", full));
            let place = (section.to_owned(), key.to_owned());
            let is_locked = layers.settings.get(&place).is_some_and(is_locked);
            let is_elsewhere = place_of(section, key).is_some_and(|at| at != Place::Anywhere);
            if !is_locked && !is_elsewhere {
                let setting = Setting {
                    value: value.clone(),
                    origin: Origin::Database,
                };
                layers.settings.insert(place, setting);
            }
        }
        let environment = BTreeMap::new();
        let mut loader = Loader::new(layers, &environment);
        let mut config = read(&mut loader);
        let problems = loader.finish();
        if !problems.is_empty() {
            return Err(Problems(problems));
        }
        config.channels.clone_from(&self.channels);
        config.tokens.clone_from(&self.tokens);
        config.prices.clone_from(&self.prices);
        config.oidc.clone_from(&self.oidc);
        config.oauth.clone_from(&self.oauth);
        Ok(config)
    }

    /// The same where nobody is there to be told: what is wrong is left out. A newer version may have
    /// written it, or the file has changed under it.
    pub fn with_usable_overrides(&self, overrides: &Overrides) -> (Self, Vec<Problem>) {
        let mut usable = overrides.clone();
        let mut left_out = Vec::new();
        loop {
            let Err(Problems(problems)) = self.with_overrides(&usable) else {
                break;
            };
            let before = usable.0.len();
            for problem in &problems {
                usable.0.remove(&problem.key);
            }
            if usable.0.len() == before {
                // What is at fault is not the key that is named; without any, it is right.
                usable.0.clear();
            }
            left_out.extend(problems);
            if before == 0 {
                break;
            }
        }
        let config = self
            .with_overrides(&usable)
            .unwrap_or_else(|_| self.clone());
        (config, left_out)
    }
}

fn is_locked(setting: &Setting) -> bool {
    matches!(setting.origin, Origin::Environment(_) | Origin::Flag(_))
}

#[cfg(test)]
mod tests {
    use super::super::load::Sources;
    use super::*;

    fn overrides(entries: &[(&str, Value)]) -> Overrides {
        let entries = entries.iter();
        Overrides(
            entries
                .map(|(key, value)| ((*key).to_owned(), value.clone()))
                .collect(),
        )
    }

    #[test]
    fn changed_settings_win_over_the_file_and_lose_to_the_environment() {
        let variable = ("MODELGATE_LOGIN__LOCK_S".to_owned(), "60".to_owned());
        let sources = Sources {
            environment: BTreeMap::from([variable]),
            ..Sources::default()
        };
        let given = Config::load(&sources).unwrap();
        let changed = overrides(&[
            ("login.lock_s", Value::Integer(9)),
            ("login.failures", Value::Integer(9)),
            ("server.workers", Value::Integer(9)),
            ("payments.stripe.secret_key", Value::from("sk_live_1")),
        ]);
        let config = given.with_overrides(&changed).unwrap();
        assert_eq!((config.login.lock_s, config.login.failures), (60, 9));
        assert_eq!(config.server.workers, 0, "needs a restart");
        assert_eq!(config.stripe.secret_key.unwrap().expose(), "sk_live_1");
        let file =
            Config::from_text("[login]\nfailures = 3\n[[prices]]\nmodel = \"m\"\ninput = \"1\"")
                .unwrap();
        let config = file.with_overrides(&changed).unwrap();
        assert_eq!((config.login.failures, config.prices.len()), (9, 1));
    }

    #[test]
    fn what_is_wrong_is_named_and_can_be_left_out() {
        let changed = overrides(&[
            ("login.failures", Value::Integer(0)),
            ("login.lock_s", Value::from("soon")),
            ("nothing.here", Value::Integer(1)),
            ("mail.port", Value::Integer(25)),
        ]);
        let given = Config::default();
        let problems = given.with_overrides(&changed).unwrap_err().0;
        let keys: Vec<&str> = problems
            .iter()
            .map(|problem| problem.key.as_str())
            .collect();
        assert_eq!(keys, ["login.lock_s", "login.failures", "nothing.here"]);
        let (config, left_out) = given.with_usable_overrides(&changed);
        assert_eq!((config.mail.port, left_out.len()), (25, 3));
        let half = overrides(&[("mail.password", Value::from("alone"))]);
        let (config, left_out) = given.with_usable_overrides(&half);
        assert_eq!((config.mail.password, left_out.len()), (None, 1));
    }
}
