//! The management interface, resource by resource.

mod access;
mod accounts;
mod allowances;
mod announcements;
mod audit;
mod canaries;
mod catalogue;
mod channel_test;
mod channels;
mod description;
mod log;
mod options;
mod stats;
mod system;
mod tasks;
mod tokens;
mod users;
