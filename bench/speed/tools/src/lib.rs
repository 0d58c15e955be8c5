//! What the gateway is measured between: a mock of a model upstream behind it and a load generator
//! in front of it. Both are cheap on purpose and know only the HTTP/1.1 that they need.

pub mod load;
pub mod mock;
