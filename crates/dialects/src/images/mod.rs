//! Images: generation, edits and variations. Bodies go through as they are once they were checked;
//! models of generate content are reached by [`google`], those that only predict by [`imagen`].
//! Forms with files are the server's: it hands on what their text parts say.

mod edit;
pub mod google;
pub mod imagen;
mod options;
mod picture;
mod reply;
mod request;
mod size;
mod stream;
mod stream_write;
mod usage;

#[cfg(test)]
mod google_tests;
#[cfg(test)]
mod stream_tests;
#[cfg(test)]
mod tests;

pub use edit::{EditRequest, ImageSource};
pub use options::{ImageOptions, MAX_IMAGES};
pub use picture::{Pictures, write_reply};
pub use reply::ReplyTap;
pub use request::GenerationRequest;
pub use size::Size;
pub use stream::StreamTap;
pub use stream_write::write_stream;

/// What is done with images.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ImageOperation {
    /// `/v1/images/generations`
    Generate,
    /// `/v1/images/edits`
    Edit,
    /// `/v1/images/variations`
    Vary,
}
