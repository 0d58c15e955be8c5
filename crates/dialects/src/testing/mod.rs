//! What the tests of several dialects share.

pub(crate) mod events;
pub(crate) mod fixtures;
pub(crate) mod streams;
pub(crate) mod traffic;
