//! How much tokens, users and groups may call: requests and tokens of text a minute, and calls at
//! once. On one node in this process, on many in Redis, in one step either way; while Redis is away
//! each node keeps to its share.

mod admitted;
mod afterwards;
mod enter;
mod few;
mod headers;
mod leftovers;
mod limiter;
mod scope;
mod span;

#[cfg(test)]
mod limits_tests;

pub use admitted::{Admitted, Limited};
pub use afterwards::{GONE_AFTER_MS, keep_limits};
pub use enter::admit;
pub use headers::LimitsTold;
pub use limiter::Limiter;
pub use scope::{Ceilings, HolderLimits};
