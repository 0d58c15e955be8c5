//! Price lists in the shape of LiteLLM's `model_prices_and_context_window.json`, as people upload
//! them. Numbers go from text to exact rates; fields that say nothing about prices are not read.

mod entry;
mod read;
mod vendors;

pub use read::{LeftOut, PriceList, PriceListError};

#[cfg(test)]
mod tests;
