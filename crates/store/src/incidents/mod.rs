//! Incidents: what is wrong with the service, from when it was noticed until it was over. A cause has
//! at most one open incident, however many nodes see it: a unique key decides. What counts as wrong
//! is the server's business.

mod close;
mod deliveries;
mod incident;
mod list;
mod open;
mod timeline;

pub use close::{acknowledge, close, close_unseen, forget};
pub use deliveries::{Delivery, DeliveryState, claim_due, enqueue, finish, has_due};
pub use incident::{Incident, Severity, get};
pub use list::{IncidentFilter, open_count, page};
pub use open::{Sighting, open, see};
pub use timeline::{EventKind, TimelineEvent, note, note_act, note_channel, timeline};
