//! The management interface, resource by resource.

mod access;
mod accounts;
mod canaries;
mod catalogue;
mod channel_test;
mod channels;
mod description;
mod tokens;
mod users;
