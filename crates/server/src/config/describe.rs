//! Every setting with its type, its default, what is in effect and where that came from, for people
//! who look at a running service. Secrets are told only as set or not.

use toml::{Table, Value};

use super::choices::choices;
use super::field_names::field_names;
use super::load::{Config, for_each_section};
use super::loader::Section;
use super::overrides::Place;
use super::problem::Origin;
use super::reference::{REFERENCE, default_value};
use super::secret::REDACTED;

/// One setting.
#[derive(Clone, Debug, PartialEq)]
pub struct SettingDescription {
    /// The section, for example `server`.
    pub section: &'static str,
    /// The key.
    pub key: &'static str,
    /// What it means.
    pub about: String,
    /// `text`, `number`, `switch` or `list`; none where nothing tells.
    pub kind: Option<&'static str>,
    /// The words that it takes, where it takes one of few.
    pub choices: Vec<&'static str>,
    /// The default; none where there is none.
    pub default: Option<Value>,
    /// What is in effect; none where nothing is, or where it is secret.
    pub value: Option<Value>,
    /// Whether it is a secret.
    pub is_secret: bool,
    /// Whether it was set anywhere.
    pub is_set: bool,
    /// Where it was set.
    pub origin: Origin,
    /// The environment variable that sets it.
    pub environment: String,
    /// Where it can be changed.
    pub place: Place,
}

macro_rules! define_describe {
    ($($field:ident: $section:ty,)*) => {
        /// Describes every setting, section by section.
        pub fn describe(config: &Config) -> Vec<SettingDescription> {
            let defaults: Table = REFERENCE.parse().unwrap_or_default();
            let mut settings = Vec::new();
            $(describe_section::<$section>(config, &defaults, &mut settings);)*
            settings
        }
    };
}
for_each_section!(define_describe);

fn describe_section<S: Section + std::fmt::Debug>(
    config: &Config,
    defaults: &Table,
    settings: &mut Vec<SettingDescription>,
) {
    for key in field_names::<S>() {
        let given = config.given.0.get(&(S::NAME, (*key).to_owned()));
        let default = default_value(defaults, S::NAME, key).cloned();
        let example = example(S::NAME, key);
        let shape = given.map(|given| &given.value).or(default.as_ref());
        let is_secret = is_secret::<S>(key);
        let value = given.map(|given| given.value.clone()).or(default.clone());
        settings.push(SettingDescription {
            section: S::NAME,
            key,
            about: about(S::NAME, key),
            kind: shape.or(example.as_ref()).map(kind),
            choices: choices::<S>(key),
            default,
            value: value.filter(|_| !is_secret),
            is_secret,
            is_set: given.is_some(),
            origin: given.map_or(Origin::Default, |given| given.origin.clone()),
            environment: environment_name(S::NAME, key),
            place: Place::of::<S>(key).unwrap_or(Place::Restart),
        });
    }
}

/// Asked of its type: a section that holds only this text prints the redaction mark.
fn is_secret<S: Section + std::fmt::Debug>(key: &str) -> bool {
    let table = Table::from_iter([(key.to_owned(), Value::from("x"))]);
    S::deserialize(Value::Table(table))
        .is_ok_and(|section| format!("{section:?}").contains(REDACTED))
}

fn environment_name(section: &str, key: &str) -> String {
    format!("MODELGATE_{}__{key}", section.replace('.', "__")).to_uppercase()
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Integer(_) | Value::Float(_) => "number",
        Value::Boolean(_) => "switch",
        Value::Array(_) | Value::Table(_) => "list",
        Value::String(_) | Value::Datetime(_) => "text",
    }
}

/// The comment above a setting in the reference.
fn about(section: &str, key: &str) -> String {
    let mut comment: Vec<&str> = Vec::new();
    for line in lines_of(section) {
        if is_line_of(line, key) {
            return comment.join(" ");
        }
        match line.strip_prefix("# ") {
            Some(text) => comment.push(text.trim()),
            None => comment.clear(),
        }
    }
    String::new()
}

/// The value that the reference shows for a setting without a default.
fn example(section: &str, key: &str) -> Option<Value> {
    let line = lines_of(section).find(|line| is_line_of(line, key))?;
    let table: Table = line.trim_start_matches('#').parse().ok()?;
    table.get(key).cloned()
}

fn lines_of(section: &str) -> impl Iterator<Item = &'static str> {
    let heading = format!("[{section}]");
    let inside = REFERENCE.lines().skip_while(move |line| *line != heading);
    inside.skip(1).take_while(|line| !line.starts_with('['))
}

fn is_line_of(line: &str, key: &str) -> bool {
    let line = line.strip_prefix('#').unwrap_or(line);
    line.split_once(" = ").is_some_and(|(name, _)| name == key)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting(config: &Config, section: &str, key: &str) -> SettingDescription {
        let all = describe(config);
        let found = all
            .into_iter()
            .find(|setting| (setting.section, setting.key) == (section, key));
        found.unwrap_or_else(|| panic!("{section}.{key}"))
    }

    #[test]
    fn every_setting_says_what_it_is() {
        for setting in describe(&Config::default()) {
            let name = format!("{}.{}", setting.section, setting.key);
            assert!(!setting.about.is_empty(), "{name} has no words");
            assert!(setting.kind.is_some(), "{name} has no type");
            assert_eq!(setting.origin, Origin::Default, "{name}");
        }
    }

    #[test]
    fn what_was_set_is_told_with_its_place_and_secrets_are_not() {
        let text = "[server]\ngrace_s = 5\n[payments.stripe]\nsecret_key = \"sk_live_canary\"\n";
        let config = Config::from_text(text).unwrap();
        let grace = setting(&config, "server", "grace_s");
        assert_eq!(grace.value, Some(Value::Integer(5)));
        assert_eq!(grace.default, Some(Value::Integer(30)));
        assert!(matches!(grace.origin, Origin::File { line: 2, .. }));
        assert_eq!(grace.environment, "MODELGATE_SERVER__GRACE_S");
        let key = setting(&config, "payments.stripe", "secret_key");
        assert_eq!((key.is_secret, &key.value), (true, &None));
        assert!(!format!("{:?}", describe(&config)).contains("canary"));
    }
}
