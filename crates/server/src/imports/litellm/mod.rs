//! LiteLLM: from its configuration file a channel for each deployment in its list of models, with the
//! aliases of its router; from its database users, teams and keys.

mod accounts;
mod bounds;
mod cells;
mod database;
mod deployment;
mod file;
mod keys;
mod plan;
mod vendors;

#[cfg(test)]
mod tests;

pub use database::plan_of_database;
pub use file::read_file;
pub use plan::plan;
