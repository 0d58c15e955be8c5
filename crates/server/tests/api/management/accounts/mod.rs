//! How people get in and what they change of themselves.

mod forged_calls;
mod login;
mod profile;
mod registration;
mod second_factor;
mod sessions;
mod setup;
mod step_up;
mod support;
