//! What rules look at: one file for each place that trouble shows in. Nothing here scans the log of
//! calls.

mod calls;
mod certificate;
mod channels;
mod dependencies;
mod host;
mod losses;
mod nodes;
mod payments;
mod spending;

pub(super) use calls::CallWindow;
pub(super) use channels::channels;
pub(super) use dependencies::{dependencies, is_database_away};
pub(super) use host::host;
pub(super) use losses::losses;
pub(super) use nodes::nodes;
pub(super) use payments::payments;
pub(super) use spending::spending;
