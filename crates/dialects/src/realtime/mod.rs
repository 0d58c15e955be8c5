//! Realtime: the envelope of events, not a conversion. Frames go through as they are; what metering
//! and rights need is read from a few of them, and nothing from the many that carry audio.

mod brought;
mod client_event;
mod close;
mod error_event;
mod estimate;
mod handshake;
mod limits;
mod member;
mod server_event;
mod upstream_error;
mod usage;

#[cfg(test)]
mod client_tests;
#[cfg(test)]
mod server_tests;

pub use brought::{Asked, Brought};
pub use client_event::{ClientEvent, ClientEventKind, SessionKind, SessionModels};
pub use close::{close_code, close_code_for, close_reason};
pub use error_event::write_error_event;
pub use estimate::{AudioFormat, input_audio_tokens, output_audio_tokens};
pub use handshake::{Offer, SUBPROTOCOL, refuse_beta};
pub use limits::MOST_OUTPUT_TOKENS;
pub use member::{event_type, member};
pub use server_event::{ErrorEvent, ResponseDone, ResponseStatus, ServerEvent, Session};
pub use upstream_error::{ClearedFrame, clear_upstream_errors};
pub use usage::RealtimeUsage;
