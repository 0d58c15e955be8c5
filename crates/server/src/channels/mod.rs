//! Channels as model calls know them: opened upstreams, who may use them, how healthy they are, and
//! which of them a call tries in which order. Edits reach this view through change notices; nothing
//! here asks the database during a call.

mod by_pattern;
mod channel;
mod explain;
mod health;
mod keys;
mod listed;
mod model_list;
mod open;
mod overrides;
mod place;
mod registry;
mod retry_budget;
mod route;
mod select;
mod snapshot;
mod status;
mod target;
mod trouble;
mod ways;

#[cfg(test)]
mod fixture;
#[cfg(test)]
mod pattern_tests;
#[cfg(test)]
mod route_tests;
#[cfg(test)]
mod selection_tests;

pub use channel::{Channel, Destination, Key};
pub use explain::{
    Candidate, Coverage, Excluded, ExplainedTier, Explanation, Reason, coverage, explain,
};
pub use health::StopSignal;
pub use keys::{open_key, seal_key};
pub use open::open_once;
pub use overrides::{BadOverrides, Overrides};
pub use place::Place;
pub use registry::Channels;
pub use retry_budget::RetryBudget;
pub use route::{NoChannel, Route, Wanted};
pub use snapshot::{Broken, Snapshot};
pub use status::{ChannelStatus, KeyStatus, StateCause};
pub use target::ChannelTarget;
pub use trouble::{Pause, Trouble};
