//! The management interface, resource by resource.

mod access;
mod accounts;
mod description;
mod tokens;
mod users;
