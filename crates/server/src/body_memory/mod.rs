//! The memory that request bodies take, as one budget for the whole process
//! ([why](../../../../docs/adr/0025-large-bodies.md)).

mod available;
mod budget;

pub use budget::{BodyMemory, BodyMemoryError, MemoryGuard};
