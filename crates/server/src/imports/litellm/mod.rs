//! LiteLLM's configuration file: a channel for each deployment in its list of models, with the aliases
//! of its router. Users and keys live in LiteLLM's database, not here.

mod deployment;
mod file;
mod plan;
mod vendors;

#[cfg(test)]
mod tests;

pub use file::read_file;
pub use plan::plan;
