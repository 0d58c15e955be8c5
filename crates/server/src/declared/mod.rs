//! What the configuration file declares, put into the records: channels and tokens. Applied at the
//! start and on every reload; what is gone from the file is removed. Nodes that start at once agree,
//! because one applies at a time and the next finds nothing to do.

mod apply;
mod channels;
mod tokens;
mod waiting;

pub use apply::{Applied, DeclareError, apply, declare};
pub use waiting::{Waiting, keep_declared};
