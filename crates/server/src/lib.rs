//! The Modelgate service: everything that the binary `modelgate` is made of.

pub mod clock;
pub mod config;
pub mod randomness;
pub mod secrets;
