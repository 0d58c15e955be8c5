//! A pool of threads for long computations of calls, so that network threads stay free
//! ([why](../../../../docs/adr/0025-large-bodies.md)). It knows neither calls nor HTTP.

mod fair_queue;
mod pool;

pub use pool::{JobError, JobLimits, WorkPool};
