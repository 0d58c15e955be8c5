//! What the steps of a test say where it is the gateway that says it: in English, and as a word with its
//! values for clients that say it in another language.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

/// What a step says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "code", content = "values", rename_all = "snake_case")]
pub enum StepNote {
    /// The demo channel has no address.
    InsideTheGateway,
    /// The address is plain http.
    PlainHttp,
    /// The upstream takes the key.
    KeyAccepted,
    /// The vendor has no list that would tell.
    ReplyWillShow,
    /// The vendor has no list of models.
    NoList,
    /// The upstream has models.
    Models {
        /// How many.
        count: usize,
    },
    /// When a stream began.
    FirstByte {
        /// After how many milliseconds.
        count: u64,
    },
    /// The channel serves no model yet.
    NoModel,
    /// The channel serves models by a pattern, and none was named.
    ByPattern,
    /// The channel does not generate text with the model.
    NoText,
    /// The upstream did not say what was used.
    NoUsage,
    /// The model has no price.
    NoPrice,
    /// What the reply cost at list price.
    Cost {
        /// In dollars.
        usd: String,
    },
}

impl fmt::Display for StepNote {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::InsideTheGateway => "the demo channel answers inside the gateway",
            Self::PlainHttp => "the address is plain http",
            Self::KeyAccepted => "the key was accepted",
            Self::ReplyWillShow => "the reply will show",
            Self::NoList => "the vendor has no list",
            Self::Models { count } => return write!(formatter, "{count} models"),
            Self::FirstByte { count } => {
                return write!(formatter, "first byte after {count} ms");
            }
            Self::NoModel => "the channel serves no model yet",
            Self::ByPattern => "the channel serves models by a pattern: name the one to ask",
            Self::NoText => "the channel does not generate text with this model",
            Self::NoUsage => "the upstream did not say what was used",
            Self::NoPrice => "the model has no price; calls to it are refused until one is set",
            Self::Cost { usd } => return write!(formatter, "{usd} dollars at list price"),
        })
    }
}
