//! Incidents: rules look at what the node has in memory and at the sums of calls, open an incident
//! when something is wrong and close it when that is over; alerts tell people. Nothing here stands
//! in the way of a call.

mod acts;
mod alerts;
mod chat;
mod finding;
mod message;
mod note;
mod observe;
mod outage;
mod rule;
mod watch;

pub use alerts::{AlertError, Told, deliver_due, send_test};
pub use note::EventNote;
pub use rule::Rule;
pub use watch::Watch;
