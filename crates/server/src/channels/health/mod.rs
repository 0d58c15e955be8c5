//! How channels and their keys are doing: circuit breakers, cool-downs, limits, latency and load.
//! All of it is kept in this process, lives through reloads of the snapshot, and goes with the
//! channel.

mod breaker;
mod bucket;
mod channel_health;
mod effect;
mod gate;
mod latency;
mod spoken;
mod stop;

#[cfg(test)]
mod breaker_tests;

pub(super) use channel_health::ChannelHealth;
pub(super) use effect::{Mark, effect};
pub(super) use gate::{Barrier, Gate, Pass};
pub(super) use spoken::{Dialects, is_about_path};
pub use stop::StopSignal;
