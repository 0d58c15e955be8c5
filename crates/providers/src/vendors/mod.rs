//! One vendor, one file; many vendors that do as OpenAI does, one line each in `compatible.rs`.

mod anthropic;
mod azure;
pub mod bedrock;
mod cohere;
mod compatible;
mod google;
mod jina;
mod ollama;
mod openai;
mod registry;
mod vertex;
mod voyage;

pub use registry::{PROVIDERS, provider};
