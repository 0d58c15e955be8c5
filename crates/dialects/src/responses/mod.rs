//! The responses dialect: `/v1/responses`, its streams, its token count, and what a gateway needs
//! to serve stored answers itself.

mod annotations;
mod count;
mod dialect;
mod echo;
mod error;
mod hosted_items;
mod item_read;
mod item_write;
mod logprobs;
mod marks;
mod part_read;
mod part_write;
mod reply_item_write;
mod reply_read;
mod reply_write;
mod request_read;
mod request_write;
mod shell;
mod state;
mod stream_ladder;
mod stream_read;
mod stream_slots;
mod stream_tool;
mod stream_wire;
mod stream_words;
mod stream_write;
mod tool_choice;
mod tool_read;
mod tool_write;
mod usage;

#[cfg(test)]
mod reply_tests;
#[cfg(test)]
mod request_tests;
#[cfg(test)]
mod stream_read_tests;
#[cfg(test)]
mod stream_write_tests;
#[cfg(test)]
mod traffic_tests;

pub use count::write_count;
pub use dialect::Responses;
pub use echo::echo;
pub use marks::ITEM;
pub use state::{history, input_items, input_list, put_items, references, resume};
