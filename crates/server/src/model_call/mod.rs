//! The model-call interface, `/v1` and `/v1beta`. `endpoints.rs` and `routes.rs` say what
//! there is, `pipeline.rs` what happens to every call.

mod admit;
mod attempt;
mod audio;
mod authenticate;
mod balance;
mod body;
mod call;
mod count;
pub mod description;
mod embeddings;
mod endpoints;
mod error;
mod fetch;
mod form;
mod generate_content;
mod headers;
mod images;
mod joined;
mod log_row;
mod measure;
mod metering;
mod models;
mod moderations;
mod passing_answer;
mod pipeline;
mod query;
mod realtime;
mod refusals;
mod relay;
mod rerank;
mod respond_with;
mod responses;
mod routes;
mod send;
mod settle;
mod strict;
mod task;
mod text;
mod trace;
mod whole_answer;

pub use endpoints::Endpoint;
pub use error::respond;
pub use routes::routes;
pub use send::{Message, send_to};
pub use text::tokens_of;
