#![doc = include_str!("../README.md")]
#![deny(clippy::float_arithmetic)]

pub mod pricing;
