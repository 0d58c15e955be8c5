//! Putting a plan into the records, kind by kind and some records at a time, so that calls which
//! settle meanwhile wait for a moment only. What a source gave before is left as it is. A dry run
//! decides everything and writes nothing.

mod channels;
mod codes;
mod groups;
mod prices;
mod run;
mod tokens;
mod users;
mod work;

pub(super) use run::MOST_NANOS;
pub use run::{Asked, run_import};
pub use work::{By, Means, Watch};
