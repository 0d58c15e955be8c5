//! Amazon Bedrock: where its calls go, how its streams are framed, and Converse, its own format for
//! text.

pub mod converse;
mod frames;
mod provider;

pub use converse::Converse;
pub use frames::AmazonFrames;

pub(super) use provider::Bedrock;
