#![doc = include_str!("../README.md")]
#![deny(clippy::float_arithmetic)]

pub mod credits;
mod error;
pub mod prices;
pub mod pricing;
pub mod tokens;
pub mod wallet;

pub use error::Error;
