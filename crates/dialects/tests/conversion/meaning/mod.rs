//! What a request or an answer means, whatever dialect it is written in. The readers here are
//! deliberately simple and share nothing with the code under test.

mod compare;
mod json;
mod reply;
mod request;
mod stream;

pub use compare::{compare_replies, compare_requests};
pub use json::arguments;
pub use reply::{ReplyMeaning, reply};
pub use request::request;
pub use stream::stream;
