//! What happens to every request around its handler; `edge.rs` is the order, each other file one
//! step.

mod answer;
mod body_limit;
mod caller;
mod cors;
mod edge;
mod familiar_paths;
mod head;
mod log_request;
mod security_headers;

pub use answer::{Answer, Told};
pub use body_limit::{Sent, read_away, read_body, read_short_body, receive_body, why_broken};
pub use caller::{Arrival, Caller, Peer, REQUEST_ID, Scheme};
pub use edge::Edge;
pub use head::Head;
pub use security_headers::CONTENT_SECURITY_POLICY;
