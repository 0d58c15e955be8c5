//! Incidents on the interface: what is wrong now and what was, with timelines, notes, and a test of
//! alerts. What is done about channels and settings is theirs; here it is only asked for.

mod act;
mod action;
mod affected;
mod causes;
mod list;
mod routes;
mod test;
mod view;

pub use routes::routes;
