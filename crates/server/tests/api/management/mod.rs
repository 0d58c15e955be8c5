//! The management interface, resource by resource.

mod users;
