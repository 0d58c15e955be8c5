//! Model calls through the running program and its demo channel, and through channels that lead to
//! fake upstreams.

mod admission;
#[path = "../../../../providers/tests/replay/amazon.rs"]
mod amazon;
mod audio;
mod bad_requests;
mod balance;
mod connects;
mod counts;
mod crossing;
mod disconnects;
mod embeddings;
mod every_endpoint;
mod every_provider;
mod exchange;
mod familiar_paths;
mod faults;
mod fetched;
mod foreign;
mod forms;
mod full;
pub mod gateway;
mod images;
mod left_answers;
mod long_streams;
mod media_failures;
mod missing_paths;
mod money;
mod own_bytes;
mod patterns;
mod realtime;
mod realtime_transcripts;
mod realtime_upstream;
mod realtime_vendor;
mod refusals;
mod rerank;
mod reserved;
mod responses;
mod retries;
mod searches;
mod shapes;
mod signatures;
mod stops;
mod untold;
pub mod vendor;
pub mod vendor_replies;
