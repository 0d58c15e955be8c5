//! Databases of one-api and new-api, read as what they ask for here. The two share their tables and
//! differ in some columns and in the numbers of their channels' types; `docs/migrating.md` says what
//! is relied on.

mod channel_types;
mod channels;
mod codes;
mod flavour;
mod options;
mod plan;
pub(super) mod ratio;
mod tokens;
mod users;

pub use flavour::Flavour;
pub use plan::plan;
