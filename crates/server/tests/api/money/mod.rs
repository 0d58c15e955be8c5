//! Money through the running program: races on one wallet, processes that are killed, a database
//! that is restarted.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod background;
mod caller;
mod house;
mod kills;
mod long_outages;
mod lost_nodes;
mod own_postgres;
mod races;
mod restarts;
mod round_trips;
mod stops;
