//! Realtime conversations with the demo model: a session takes the client's events and gives the
//! server's, in the vendor's own words. It knows no socket; whoever relays for a vendor relays for it.

mod conversation;
mod response;
mod session;
mod settings;

#[cfg(test)]
mod tests;

pub use session::Session;
