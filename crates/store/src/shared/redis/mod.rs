//! The backend for many nodes: each call is one Lua script or one command in Redis or Valkey,
//! so that racing nodes get exact answers. A call that gets no answer in time fails with
//! `Unavailable`; while the connection is down calls fail at once, without waiting.

mod calls;
mod handle;
mod keeper;
mod link;
mod scripts;

pub use handle::{Redis, RedisClock, RedisOptions};
