#![doc = include_str!("../README.md")]

mod balance;
mod base_url;
mod body_fields;
mod credential;
mod discovery;
pub mod failure;
mod headers;
mod model_list;
mod operation;
mod path_segment;
mod provider;
mod request;
mod secret;
mod signer;
pub mod signing;
pub mod transport;
mod upstream;
pub mod vendors;

pub use balance::{Balance, fetch_balance, tells_balance};
pub use base_url::{BadBaseUrl, BaseUrl, Origin, Scheme, Target};
pub use body_fields::NoObject;
pub use credential::{BadCredential, Credential, CredentialField, KeyFields};
pub use discovery::fetch_models;
pub use failure::{CausedBy, Fault, Retry, UpstreamFailure};
pub use headers::Headers;
pub use model_list::{ModelPage, UnreadableList};
pub use operation::{Format, Operation};
pub use path_segment::{BadPathSegment, path_segment};
pub use provider::{Call, Provider, StreamFraming, Unroutable};
pub use request::{BodyStream, RequestBody, UpstreamRequest};
pub use secret::Secret;
pub use signer::{SignError, Signer, Stamp};
pub use transport::{Egress, Guard, Outbound, TransportError, UpstreamBody, UpstreamReply};
pub use upstream::{BadUpstream, Upstream};
pub use vendors::{PROVIDERS, provider};
