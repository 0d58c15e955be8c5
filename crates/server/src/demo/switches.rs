//! Fault switches: how the demo channel is made to fail, for tests and for the console. A channel
//! has some in its overrides, and a call may set more by a header.

use std::borrow::Cow;
use std::time::Duration;

use http::HeaderMap;
use providers::transport::Timeouts;
use serde_json::Value;

/// The header that sets switches for one call: `status=503, retry_after=2`.
pub const HEADER: &str = "x-modelgate-demo";

/// The longest wait that can be asked for.
const LONGEST_MS: u64 = 600_000;

/// How the demo channel fails. The default is not at all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Switches {
    /// Answer with this status and an error.
    pub status: Option<u16>,
    /// Say with it when to try again, in seconds.
    pub retry_after: Option<u64>,
    /// Wait before the first byte of the answer.
    pub delay_first_byte: Duration,
    /// Wait between the pieces of the answer.
    pub pace: Duration,
    /// Break the connection after this many tokens of the answer; an answer that is not streamed
    /// breaks in its middle.
    pub cut_after_tokens: Option<u64>,
    /// Answer with JSON that cannot be read.
    pub malformed_json: bool,
    /// Answer with a page for people.
    pub html_body: bool,
    /// How long the gateway waits for the channel's answers.
    pub timeouts: Timeouts,
}

/// A switch that cannot be set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no switch of the demo channel, or not with this value")]
pub struct BadSwitch(pub String);

impl Switches {
    /// Reads a channel's `overrides.demo`: an object like `{"status": 500}`.
    pub fn read(overrides: &Value) -> Result<Self, BadSwitch> {
        let mut switches = Self::default();
        let map = match overrides {
            Value::Null => return Ok(switches),
            Value::Object(map) => map,
            _ => return Err(BadSwitch("demo".to_owned())),
        };
        for (name, value) in map {
            let text = match value {
                Value::String(text) => text.clone(),
                value => value.to_string(),
            };
            switches.set(name, &text)?;
        }
        Ok(switches)
    }

    /// The same channel with these deadlines.
    #[must_use]
    pub fn with_timeouts(self, timeouts: Timeouts) -> Self {
        Self { timeouts, ..self }
    }

    /// The switches of one call: the channel's, and those that its headers set.
    pub fn for_call(&self, headers: &HeaderMap) -> Result<Cow<'_, Self>, BadSwitch> {
        let Some(value) = headers.get(HEADER) else {
            return Ok(Cow::Borrowed(self));
        };
        let text = value.to_str().map_err(|_| BadSwitch(HEADER.to_owned()))?;
        let mut switches = self.clone();
        for setting in text.split([',', ';']).map(str::trim) {
            let (name, value) = setting.split_once('=').unwrap_or((setting, "true"));
            if !name.is_empty() {
                switches.set(name.trim(), value.trim())?;
            }
        }
        Ok(Cow::Owned(switches))
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), BadSwitch> {
        let bad = || BadSwitch(format!("{name}={value}"));
        let number = || value.parse::<u64>().map_err(|_| bad());
        let wait = || {
            let ms = number()?;
            let is_fit = ms <= LONGEST_MS;
            is_fit.then(|| Duration::from_millis(ms)).ok_or_else(bad)
        };
        let flag = || value.parse::<bool>().map_err(|_| bad());
        match name {
            "status" => {
                let status = value.parse().map_err(|_| bad())?;
                if !(200..=599).contains(&status) {
                    return Err(bad());
                }
                self.status = Some(status);
            }
            "retry_after" => self.retry_after = Some(number()?),
            "delay_first_byte" => self.delay_first_byte = wait()?,
            "pace" => self.pace = wait()?,
            "cut_after_tokens" => self.cut_after_tokens = Some(number()?),
            "malformed_json" => self.malformed_json = flag()?,
            "html_body" => self.html_body = flag()?,
            _ => return Err(bad()),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_channel_and_a_call_set_switches() {
        let channel = Switches::read(&json!({"status": 500, "pace": 20})).unwrap();
        assert_eq!(channel.status, Some(500));
        let mut headers = HeaderMap::new();
        assert_eq!(channel.for_call(&headers).unwrap().as_ref(), &channel);
        let value = "status=503; retry_after=2, malformed_json, html_body=false";
        headers.insert(HEADER, HeaderValue::from_static(value));
        let call = channel.for_call(&headers).unwrap();
        assert_eq!((call.status, call.retry_after), (Some(503), Some(2)));
        assert_eq!(call.pace, Duration::from_millis(20));
        assert!(call.malformed_json && !call.html_body);
    }

    #[test]
    fn what_is_no_switch_is_refused_by_name() {
        for (name, value) in [
            ("speed", json!(1)),
            ("status", json!(99)),
            ("status", json!("x")),
            ("pace", json!(-1)),
            ("pace", json!(1_000_000)),
        ] {
            let bad = Switches::read(&json!({name: value})).unwrap_err();
            assert!(bad.0.starts_with(name), "{bad}");
        }
        assert!(Switches::read(&json!([1])).is_err());
        assert_eq!(Switches::read(&Value::Null), Ok(Switches::default()));
    }
}
