//! Forms with files (`multipart/form-data`), read piece by piece: no part is ever held whole here.

mod boundary;
mod head;
mod parameters;
mod reader;

#[cfg(test)]
mod tests;

pub use boundary::{BadBoundary, boundary};
pub use head::PartHead;
pub use reader::{BadForm, FormReader, Item};
