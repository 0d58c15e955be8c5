//! What the service writes into timelines: in English, and as a word with its values for clients that say it
//! in another language. What people write has no word.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use store::Told;

/// What an entry of a timeline says.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "code", content = "values", rename_all = "snake_case")]
pub enum EventNote {
    /// What a rule found.
    Found {
        /// In English.
        summary: String,
        /// What it measured then.
        facts: Value,
    },
    /// It was not seen any more.
    Unseen,
    /// Somebody was told that it is open.
    ToldOpen {
        /// Who.
        target: String,
    },
    /// Somebody was told that it is over.
    ToldClosed {
        /// Who.
        target: String,
    },
    /// Somebody could not be told.
    NotTold {
        /// Who.
        target: String,
        /// Why, in English.
        reason: String,
    },
    /// People were told before it could be written down.
    ToldMeanwhile,
    /// Nothing goes to the channel.
    ChannelPaused {
        /// What the upstream said.
        reason: String,
    },
    /// Calls go to the channel again.
    ChannelUnpaused,
    /// Nothing goes out with a key of the channel.
    KeyPaused {
        /// Which, counted from 1.
        key: usize,
        /// Of how many.
        keys: usize,
        /// What the upstream said.
        reason: String,
    },
    /// Calls go out with the key again.
    KeyUnpaused {
        /// Which, counted from 1.
        key: usize,
        /// Of how many.
        keys: usize,
    },
    /// Two channels have each other's priority.
    Swapped {
        /// One.
        channel: String,
        /// Its priority now.
        priority: i64,
        /// The other.
        other: String,
        /// That one's priority now.
        other_priority: i64,
    },
    /// Calls may try more upstreams.
    AttemptsRaised {
        /// How many now.
        attempts: usize,
        /// How many before.
        before: usize,
    },
}

impl fmt::Display for EventNote {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Found { summary, .. } => formatter.write_str(summary),
            Self::Unseen => formatter.write_str("It was not seen any more."),
            Self::ToldOpen { target } => write!(formatter, "{target} was told that it is opened."),
            Self::ToldClosed { target } => {
                write!(formatter, "{target} was told that it is closed.")
            }
            Self::NotTold { target, reason } => {
                write!(formatter, "{target} could not be told: {reason}")
            }
            Self::ToldMeanwhile => formatter.write_str("People were told while it lasted."),
            Self::ChannelPaused { reason } => write!(formatter, "The channel: {reason}"),
            Self::ChannelUnpaused => formatter.write_str("The channel is not paused any more."),
            Self::KeyPaused { key, keys, reason } => {
                write!(formatter, "Key {key} of {keys}: {reason}")
            }
            Self::KeyUnpaused { key, keys } => {
                write!(formatter, "Key {key} of {keys} is not paused any more.")
            }
            Self::Swapped {
                channel,
                priority,
                other,
                other_priority,
            } => write!(
                formatter,
                "{channel} has priority {priority} now, {other} has {other_priority}."
            ),
            Self::AttemptsRaised { attempts, before } => write!(
                formatter,
                "A call may try {attempts} upstreams now, {before} before."
            ),
        }
    }
}

/// A note in both forms, ready for the records.
#[derive(Debug)]
pub struct Written {
    text: String,
    json: String,
}

impl EventNote {
    /// Both forms of it.
    pub fn written(&self) -> Written {
        let json = serde_json::to_string(self);
        Written {
            text: self.to_string(),
            json: json.expect("it has string keys and no failing serializer"),
        }
    }
}

impl<'a> From<&'a Written> for Told<'a> {
    fn from(written: &'a Written) -> Self {
        Self {
            text: &written.text,
            note: Some(&written.json),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_a_sentence_and_a_word_with_values() {
        let note = EventNote::KeyUnpaused { key: 1, keys: 2 };
        let written = note.written();
        assert_eq!(written.text, "Key 1 of 2 is not paused any more.");
        let expected = r#"{"code":"key_unpaused","values":{"key":1,"keys":2}}"#;
        assert_eq!(written.json, expected);
    }
}
