//! The request log: lists and filters, one call, the live tail, exports.

pub mod calls;
mod export;
mod list;
mod tail;
