//! Incidents on the interface: what is wrong now and what was, with timelines, notes, and a test of
//! alerts. Draining and stopping are acts on channels.

mod act;
mod affected;
mod causes;
mod list;
mod routes;
mod test;
mod view;

pub use routes::routes;
